"""The classes in the branches of one column, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.criteria import gain
from treewright.data.encode import encode, make_schema
from treewright.data.labelled import has_classes, labelled
from treewright.data.schema import Kind, Level, Target
from treewright.errors import OptionError
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import plural
from treewright.explain.printed_cuts import cut_text
from treewright.model.column_reports.cut_scores import cut_scores
from treewright.model.column_reports.ranking import rank_attributes
from treewright.plots.plane import place_of
from treewright.table import Table
from treewright.typing import Floats

_MOST_BRANCHES = 20


@dataclass(frozen=True)
class BranchTable:
    """``counts`` has a row per branch and a column per class; ``gain`` is the information gain in bits."""

    name: str
    branches: tuple[str, ...]
    counts: Floats
    classes: tuple[Level, ...]
    gain: float


def branch_table(X: Any, y: Any, column: Any = None) -> BranchTable:
    """Of one column, or of the best by information gain. Numbers are cut in two where they gain most.

    >>> import treewright as tw
    >>> days = tw.datasets.load("play_tennis")
    >>> found = branch_table(days.X, days.y, "humidity")
    >>> found.branches, found.counts.tolist(), round(found.gain, 4)
    (('High', 'Normal'), [[4.0, 3.0], [1.0, 6.0]], 0.1518)
    """
    if not has_classes(y):
        raise OptionError("the target holds numbers, and branches are counted by class", "pass a target of classes")
    rows = labelled(X, y, is_classifier=True)
    schema = make_schema(rows.frame, Target(rows.name, rows.classes))
    place = place_of(schema, rank_attributes(X, y).names[0] if column is None else column)
    chosen = schema.columns[place]
    codes = encode(rows.frame, schema, rows.y, rows.weights, max_bins=None).columns[place].codes.astype(np.int64)
    names: list[str] = [level_text(level) for level in chosen.levels]
    if chosen.kind is Kind.NUMERIC:
        found = cut_scores(X, y, place)
        cut = float(found.thresholds[found.best])
        codes[codes > 0] = 1 + (found.values > cut)
        text = cut_text(cut, found.values, chosen.unit)
        names = [f"≤ {text}", f"> {text}"]
    counts = np.zeros((len(names) + 1, len(rows.classes or ())))
    np.add.at(counts, (codes, rows.y), 1.0 if rows.weights is None else rows.weights)
    told = float(gain(Table(counts[1:], counts[0])))
    return BranchTable(chosen.name, *_shown(names, counts), rows.classes or (), told)


def _shown(names: list[str], counts: Floats) -> tuple[tuple[str, ...], Floats]:
    """The branches with most rows and the rest as one; missing values are a branch of their own."""
    known, missing = counts[1:], counts[:1]
    if len(names) > _MOST_BRANCHES:
        order = np.argsort(-known.sum(1), kind="stable")
        kept, rest = np.sort(order[: _MOST_BRANCHES - 1]), order[_MOST_BRANCHES - 1 :]
        names = [*(names[k] for k in kept), f"other ({plural(len(rest), 'level')})"]
        known = np.vstack([known[kept], known[rest].sum(0)])
    if missing.any():
        return (*names, "missing"), np.vstack([known, missing])
    return tuple(names), known
