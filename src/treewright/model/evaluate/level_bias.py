"""Which measures prefer columns of many values, where no column has anything to do with the target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.criteria import CRITERIA, SAME_AS
from treewright.display import Displayed
from treewright.errors import OptionError, shown, unknown
from treewright.prune.option_checks import check_whole
from treewright.table import Table
from treewright.ties import equal_to_largest, slack
from treewright.typing import Floats, Ints

_MEASURES = ("gain", "gain_ratio", "gini")
_LEVELS = (2, 4, 8, 16)


@dataclass(frozen=True, eq=False, repr=False)
class MeasureBias(Displayed):
    """Measures × columns of so many ``levels``: the mean ``score`` of each, and the share of rounds in which it was
    ``chosen`` among them. A measure without bias chooses all equally often."""

    measures: tuple[str, ...]
    levels: Ints
    score: Floats
    chosen: Floats

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, a row per measure and number of levels, as every dataframe takes them."""
        return {
            "measure": np.repeat(self.measures, len(self.levels)).tolist(),
            "levels": np.tile(self.levels, len(self.measures)).tolist(),
            "score": self.score.ravel().tolist(),
            "chosen": self.chosen.ravel().tolist(),
        }

    def __str__(self) -> str:
        width = max(len("chosen by"), *map(len, self.measures))
        head = "  ".join([f"{'chosen by'.ljust(width)}", *(f"{n:3d} levels" for n in self.levels)])
        rows = [
            "  ".join([name.ljust(width), *(f"{100 * share:8.1f} %" for share in line)])
            for name, line in zip(self.measures, self.chosen)
        ]
        return "\n".join([head, *rows])


def measure_bias(
    measures: Iterable[str] = _MEASURES,
    levels: Iterable[int] = _LEVELS,
    *,
    rows: int = 100,
    classes: int = 2,
    rounds: int = 1000,
    random_state: int = 0,
) -> MeasureBias:
    """Let measures choose among columns of few and of many levels, all of them random, and count what they choose.

    Every round draws a target of equally frequent classes and a column for each number of ``levels``, independent of
    it. So no column deserves to be chosen. ``measures`` are names of :data:`tw.criteria.CRITERIA` for classes; splits
    have a branch per level. Information gain and Gini gain prefer many levels, gain ratio less so, and the p-value of
    χ² does not (White & Liu 1994, *Machine Learning* 15, 321–329).

    >>> print(measure_bias(rounds=200))
    chosen by     2 levels    4 levels    8 levels   16 levels
    gain             0.0 %       0.5 %       6.5 %      93.0 %
    gain_ratio       5.0 %       8.5 %      11.5 %      75.0 %
    gini             0.0 %       0.5 %       7.5 %      92.0 %
    """
    names = _names(measures)
    sizes = _levels(levels)
    for option, value in (("rows", rows), ("classes", classes), ("rounds", rounds)):
        check_whole(option, value, least=1 if option == "rounds" else 2, hint="leave it out for the usual number")
    check_whole("random_state", random_state, least=0, hint="the same number draws the same tables")
    rng = np.random.default_rng(random_state)
    y = rng.integers(0, classes, (rounds, rows))
    tables = [_table(rng.integers(0, n, (rounds, rows)), y, int(n), classes) for n in sizes]
    scores = np.array([[CRITERIA[SAME_AS.get(name, name)].score(table) for table in tables] for name in names])
    best = np.array([equal_to_largest(each, slack(each.max(0))) for each in scores])
    chosen = (best / best.sum(1, keepdims=True)).mean(-1)  # equals share a round
    shown_scores = np.array([[CRITERIA[SAME_AS.get(name, name)].measure(table) for table in tables] for name in names])
    return MeasureBias(names, sizes, shown_scores.mean(-1), chosen)


def _table(codes: Ints, y: Ints, n_levels: int, n_classes: int) -> Table:
    """Rounds × levels × classes."""
    rounds = len(codes)
    cell = (np.arange(rounds)[:, None] * n_levels + codes) * n_classes + y
    counts = np.bincount(cell.ravel(), minlength=rounds * n_levels * n_classes)
    return Table(counts.reshape(rounds, n_levels, n_classes).astype(np.float64))


def _names(measures: Any) -> tuple[str, ...]:
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    known = [name for name in (*CRITERIA, *SAME_AS) if CRITERIA[SAME_AS.get(name, name)].is_for_classes]
    for name in names:
        if name not in known:
            raise unknown("measure for classes", name, known)
    return names


def _levels(levels: Any) -> Ints:
    sizes = np.asarray(list(levels) if isinstance(levels, Iterable) else levels)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or len(sizes) < 2 or (sizes < 2).any():
        raise OptionError(f"levels={shown(levels)} is not accepted", "levels are two or more whole numbers from 2 on")
    return sizes.astype(np.int64)
