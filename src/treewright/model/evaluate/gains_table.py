"""Rows in the order of how probable a class is: what the first tenth, two tenths, … of them hold of it, and earn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import labelled
from treewright.display import Displayed, Sheet
from treewright.errors import DataError, OptionError, shown
from treewright.model.batch_prediction import predictions_of
from treewright.plot_style import legend, new_axes, theme_of
from treewright.prune.option_checks import check_whole
from treewright.typing import Floats


@dataclass(frozen=True, eq=False, repr=False)
class GainsTable(Displayed):
    """Rows by their probability of ``label``, the greatest first, in bins of equal weight; a value per bin.

    ``rows`` is the weight of a bin and ``hits`` that of its rows of the class, ``rate`` hits / rows. ``lift`` is the
    rate as a multiple of that of all rows. ``depth`` is the share of all rows in this bin and those before it, ``gain``
    the share of all hits that they have, ``total_lift`` their lift: gain / depth. ``profit`` is what these bins earn
    together, ``benefit`` of each hit less ``cost`` of each row. Rows of equal probability count in proportion where a
    bin ends among them.
    """

    label: Any
    rows: Floats
    hits: Floats
    benefit: float
    cost: float

    @property
    def rate(self) -> Floats:
        return np.asarray(self.hits / self.rows)

    @property
    def lift(self) -> Floats:
        return np.asarray(self.rate / self._overall)

    @property
    def depth(self) -> Floats:
        return np.asarray(np.cumsum(self.rows) / self.rows.sum())

    @property
    def gain(self) -> Floats:
        return np.asarray(np.cumsum(self.hits) / self.hits.sum())

    @property
    def total_lift(self) -> Floats:
        return self.gain / self.depth

    @property
    def profit(self) -> Floats:
        return self.benefit * np.cumsum(self.hits) - self.cost * np.cumsum(self.rows)

    @property
    def best(self) -> int:
        """How many bins earn most; 0 if none earns anything."""
        profit = self.profit
        return int(profit.argmax()) + 1 if profit.max() > 0 else 0

    @property
    def _overall(self) -> float:
        return float(self.hits.sum() / self.rows.sum())

    @property
    def _has_profit(self) -> bool:
        return (self.benefit, self.cost) != (1.0, 0.0)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every data frame takes them."""
        names = ["rows", "hits", "rate", "lift", "depth", "gain", "total_lift"]
        names += ["profit"] if self._has_profit else []
        return {"bin": list(range(1, len(self.rows) + 1)), **{name: getattr(self, name).tolist() for name in names}}

    def _sheet(self) -> Sheet:
        notes = [f"{self._overall:.4g} of all rows are {self.label}"]
        if self._has_profit:
            share = f"the first {self.depth[self.best - 1]:.0%} of the rows" if self.best else "no row"
            notes.append(f"profit is greatest with {share}: {max(float(self.profit.max()), 0.0):,.6g}")
        if not _are_whole(self.hits) and _are_whole(self.hits.sum()) and _are_whole(self.rows.sum()):
            notes.append("rows at the edge of two bins, with all of equal probability, count in both by their share")
        return Sheet(self.to_dict(), f"rows by the probability of {self.label}", tuple(notes))

    def plot(self, ax: Any = None) -> Any:
        """The gain against the depth. Returns matplotlib's axes."""
        axes = new_axes(ax)
        axes.plot([0, 1], [0, 1], linestyle=":", color=theme_of(axes).soft, label="rows at random")
        axes.plot(
            [0.0, *self.depth], [0.0, *self.gain], ".-", color=theme_of(axes).line(0), label="rows by probability"
        )
        axes.set_xlabel("share of the rows")
        axes.set_ylabel(f"share of all {self.label}")
        legend(axes)
        return axes


def gains(
    model: Any,
    X: Any,
    y: Any,
    label: Any = None,
    bins: int = 10,
    *,
    benefit: float = 1.0,
    cost: float = 0.0,
    sample_weight: Any = None,
) -> GainsTable:
    """Lift, gains and profit of a fitted classifier on rows, best ones it was not fitted to.

    >>> import treewright as tw
    >>> ages, buys = [20, 22, 25, 30, 31, 40, 45, 50, 60, 65], ["no"] * 4 + ["yes", "yes", "no", "yes", "yes", "yes"]
    >>> model = tw.CARTClassifier(max_depth=1).fit({"age": ages}, buys)
    >>> print(gains(model, {"age": ages}, buys, bins=5, benefit=10, cost=6))
    rows by the probability of yes
    bin  rows   hits    rate   lift  depth    gain  total_lift  profit
      1     2  1.667  0.8333  1.667    0.2  0.3333       1.667   4.667
      2     2  1.667  0.8333  1.667    0.4  0.6667       1.667   9.333
      3     2  1.667  0.8333  1.667    0.6       1       1.667      14
      4     2      0       0      0    0.8       1        1.25       2
      5     2      0       0      0      1       1           1     -10
    0.5 of all rows are yes
    profit is greatest with the first 60% of the rows: 14
    rows at the edge of two bins, with all of equal probability, count in both by their share
    """
    classes = _classes_of(model)
    check_whole("bins", bins, least=1, hint="10 is usual")
    code = _code_of(label, classes)
    rows = labelled(X, y, is_classifier=True, sample_weight=sample_weight)
    hit = (rows.codes_among(classes) == code).astype(np.float64)
    weights = np.ones(rows.n_rows) if rows.weights is None else np.asarray(rows.weights, np.float64)
    if not (hit @ weights):
        raise DataError(f"no row is {classes[code]!r}, the class that is looked for", "give rows that have some")
    share = predictions_of(model, rows.frame).values[:, code]
    return GainsTable(classes[code], *_binned(share, hit, weights, bins), float(benefit), float(cost))


def _are_whole(counts: Any) -> bool:
    return bool(np.allclose(counts, np.round(counts), rtol=0, atol=1e-6))


def _classes_of(model: Any) -> tuple[Any, ...]:
    schema = getattr(model, "schema_", getattr(model, "schema", None))
    if schema is None:
        raise OptionError(f"a fitted model of treewright is needed, got {shown(model)}", "fit it first")
    if schema.target.classes is None:
        raise OptionError(
            f"{type(model).__name__} predicts numbers, and gains are of a class", "use tw.evaluate.evaluate"
        )
    classes: tuple[Any, ...] = schema.target.classes
    return classes


def _code_of(label: Any, classes: tuple[Any, ...]) -> int:
    if label is None and len(classes) == 2:
        return 1
    if label not in classes:
        what = "which class is looked for" if label is None else f"there is no class {shown(label)}"
        raise OptionError(f"{what}?" if label is None else what, f"label is one of {', '.join(map(repr, classes))}")
    return classes.index(label)


def _binned(share: Floats, hit: Floats, weights: Floats, bins: int) -> tuple[Floats, Floats]:
    """Weight and hits of every bin. Rows of equal probability are one step of the curve, which is cut in proportion."""
    levels, group = np.unique(-share, return_inverse=True)
    weight, found = (np.bincount(group, part, len(levels)) for part in (weights, weights * hit))
    ends = np.linspace(0.0, weights.sum(), bins + 1)
    reached = np.concatenate([[0.0], np.cumsum(weight)])
    hits = np.interp(ends, reached, np.concatenate([[0.0], np.cumsum(found)]))
    return np.diff(ends), np.diff(hits)
