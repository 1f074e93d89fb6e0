"""How C4.5 chooses among tests: which column wins, where a threshold lies, when a node is settled."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.paths import Paths
from treewright.kernels.search.ratio import RatioLimits as KernelRules
from treewright.kernels.store_kernels.cases import CUT, GROUPS, MULTIWAY, ONE_VS_REST
from treewright.recipe_parts.recipe import ByRatio, Recipe, Splits
from treewright.split import midway
from treewright.typing import Floats, Ints, Mask

_KINDS = {Splits.MULTIWAY: MULTIWAY, Splits.ONE_VS_REST: ONE_VS_REST}
_FINE = 64.0  # numbers below this are less than the gap of C4.5 apart in 32 bits


class RatioRules:
    """What C4.5 asks of columns and nodes, however their tests are searched."""

    def __init__(self, encoded: Encoding, recipe: Recipe) -> None:
        assert isinstance(recipe.choice, ByRatio)
        self.encoded = encoded
        self.splits = recipe.splits
        self.test_costs = recipe.test_costs
        self.ratio: ByRatio = recipe.choice

    def of_kernels(self, unit: float) -> KernelRules:
        """Those of any column; see ``of_column``. Costs and priors shall not forbid a branch of enough rows, whatever
        its classes."""
        ratio, factors = self.ratio, self.encoded.class_factors
        lightest = 1.0 if factors is None else float(factors.min())
        return KernelRules(
            unit, ratio.min_cases * lightest, ratio.slack, ratio.tolerance, ratio.resolution, ratio.mdl, ratio.by_ratio,
            ratio.narrow,
        )  # fmt: skip

    def of_column(self, rules: KernelRules, j: int) -> KernelRules:
        return rules._replace(resolution=float(self.resolution[j]))

    # ---- columns -----------------------------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> Ints:
        return np.array([self._kind(j) for j in range(len(self.encoded.columns))], np.int64)

    def _kind(self, j: int) -> int:
        column = self.encoded.schema.columns[j]
        if column.kind is not Kind.NOMINAL:
            return CUT
        if self.splits is Splits.GROUPS:
            return GROUPS if len(column.levels) > 2 else MULTIWAY
        return _KINDS[self.splits]

    @cached_property
    def is_numeric(self) -> Mask:
        return np.array([column.kind is Kind.NUMERIC for column in self.encoded.schema.columns])

    @cached_property
    def n_codes(self) -> Ints:
        return np.array([column.n_codes for column in self.encoded.columns], np.int64)

    @cached_property
    def values(self) -> list[Floats]:
        """The number that each code of an ordered column stands for; that of code 0 means nothing."""
        return [self._values_of(j) for j in range(len(self.encoded.columns))]

    def _values_of(self, j: int) -> Floats:
        column = self.encoded.columns[j]
        if not self.is_numeric[j]:
            return np.arange(column.n_codes, dtype=np.float64)
        return column.bounds[0]

    @cached_property
    def _rounded(self) -> list[Floats]:
        """The same numbers as they are compared with the middle of a cut: C4.5 reads them into 32 bits."""
        return [_in_32_bits(values) for values in self.values] if self.ratio.narrow else self.values

    @cached_property
    def seen(self) -> list[Floats]:
        """The same numbers as neighbours are told apart. Large ones are not rounded: 32 bits would make them equal, and
        so they would small differences where any scale counts."""
        if not self.ratio.narrow or self.ratio.share_of_spread < np.inf:
            return self.values
        return [np.where(abs(x) < _FINE, y, x) for x, y in zip(self.values, self._rounded, strict=True)]

    @cached_property
    def resolution(self) -> Floats:
        """How close neighbours of every column are not told apart."""
        most = self.ratio.resolution
        if self.ratio.share_of_spread == np.inf:
            return np.full(len(self.values), most)
        return np.array([min(most, self.ratio.share_of_spread * _spread(values[1:])) for values in self.values])

    @cached_property
    def _counts_in_average(self) -> Mask:
        """Columns of very many levels have large gains for nothing; they count only if there are no others, or where
        levels are grouped."""
        few = (
            (self.kinds == CUT)
            | (self.kinds == GROUPS)
            | (self.n_codes - 1 < self.ratio.many_levels * self.encoded.n_rows)
        )
        return np.asarray(few if few.any() else ~few)

    # ---- choices -----------------------------------------------------------------------------------------------

    def is_settled(self, weights: Floats) -> Mask:
        """Of these class weights: one class, or too little weight for two branches."""
        total, tolerance = weights.sum(-1), self.ratio.tolerance
        return np.asarray((total - weights.max(-1) <= tolerance) | (total < 2 * self.ratio.min_cases - tolerance))

    def select(self, gain: Floats, info: Floats, paths: Paths | None, ids: Ints) -> tuple[Ints, Floats]:
        """Column and score at every node: the first whose ratio leads, among those of at least average gain.

        ``gain`` (-inf: there is no test) and split ``info`` are those of the best test, columns × nodes. Where tests
        have costs the ratio (or gain) is weighed by them.
        """
        informed, n_nodes = self.in_the_running(gain, info), gain.shape[1]
        score = by_cost = self.score(gain, info)
        if self.test_costs is not None and paths is not None:
            by_cost = paths.gain_by_cost(score, ids, self.test_costs)
        column, top = np.full(n_nodes, -1), np.full(n_nodes, self.ratio.least - self.ratio.lead)
        for j in range(len(gain)):
            leads = informed[j] & (by_cost[j] > top + self.ratio.lead)
            column[leads], top[leads] = j, by_cost[j][leads]
        return column, np.where(column >= 0, score[column, np.arange(n_nodes)], top)

    def score(self, gain: Floats, info: Floats) -> Floats:
        """What columns are compared by: the ratio, as many digits of it as the program has, or the gain."""
        if not self.ratio.by_ratio:
            return gain
        score = np.divide(gain, info, out=np.zeros_like(gain), where=self.tells(gain, info))
        return score.astype(np.float32).astype(np.float64) if self.ratio.narrow else score

    def tells(self, gain: Floats, info: Floats) -> Mask:
        """Where there is a test, and its branches are not nearly one."""
        return np.asarray((gain > -np.inf) & (info > self.ratio.min_info))

    def in_the_running(self, gain: Floats, info: Floats) -> Mask:
        """Columns × nodes: where there is a test that tells enough and, if chosen by ratio, gains the average."""
        if not self.ratio.by_ratio:
            return self.tells(gain, info)
        averaged = (gain > -np.inf) & self._counts_in_average[:, None]
        gains, n = np.where(averaged, gain, 0.0).sum(0), averaged.sum(0)
        average = np.divide(gains, n, out=np.full(len(n), np.inf), where=n > 0)
        return np.asarray(self.tells(gain, info) & (gain >= average - self.ratio.near_average))

    def edges(self, j: int, cut: Ints, above: Ints) -> Floats:
        """Thresholds: the middle between the numbers beside the cut, or the largest training value below it."""
        values = self.values[j]
        low, high = values[cut], values[above]
        middle = midway(low, high)
        if self.ratio.at_values:
            last = np.clip(values[self._last_below_middle(j, cut, above)], low, values[above - 1])
            middle = np.where(middle == low, low, last)
        return np.where(above == 0, np.inf, middle)

    def _last_below_middle(self, j: int, cut: Ints, above: Ints) -> Ints:
        """Codes of the largest training values up to the middle of cuts, or by less than the tolerance above it."""
        seen = self._rounded[j]
        middle = seen[cut] / 2 + seen[above] / 2
        if self.ratio.narrow:
            return np.searchsorted(seen[1:], _in_32_bits(middle), side="right")
        return np.searchsorted(seen[1:], middle + self.ratio.tolerance, side="left")


def _spread(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max() / 2 - finite.min() / 2) * 2 if finite.size else 0.0


def _in_32_bits(values: Floats) -> Floats:
    """Rounded to 32 bits where that is a number."""
    with np.errstate(over="ignore"):
        small = values.astype(np.float32).astype(np.float64)
    return np.where(np.isfinite(small), small, values)
