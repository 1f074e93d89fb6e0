"""All columns at one node of a tree, ranked by what their best splits gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.labelled import Labelled
from treewright.display import Displayed, DisplayedRecord, Sheet, row_at
from treewright.engines.candidates import ColumnSplit, best_splits
from treewright.engines.compiled.m5_candidates import m5_splits
from treewright.engines.workers import Workers
from treewright.explain.arriving_levels import ArrivingLevels
from treewright.explain.condition_text import condition, one_line
from treewright.model.column_reports.competitors import check_node, told_split
from treewright.model.options.pruning_option import growing_recipe
from treewright.recipe_parts.recipe import ByMedian, ByRatio, ByScore, Recipe
from treewright.split import Split
from treewright.typing import Ints

_DIGITS = 10  # gains that are the same to so many digits are equal: the first column comes first


@dataclass(frozen=True, repr=False)
class SplitCompetitor(DisplayedRecord):
    """One column at the node. ``branches`` are those of its best split in words, none if it has no admissible split.

    ``gain`` is told as by the node of a tree. ``taken``: the tree splits the node by this column. ``passed_over``: by
    C4.5, since it gains less than the average.
    """

    column: str
    branches: tuple[str, ...]
    gain: float
    taken: bool
    passed_over: bool

    @property
    def remark(self) -> str:
        return "taken" if self.taken else "below average gain" if self.passed_over else ""


@dataclass(frozen=True, repr=False)
class SplitCompetitors(Displayed):
    """A table of columns, the one that gains most first; ``print`` shows it."""

    node: int
    measure: str
    rows: list[SplitCompetitor]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SplitCompetitor]:
        return iter(self.rows)

    def __getitem__(self, column: str | int) -> SplitCompetitor:
        """That of a column, or at a place."""
        return row_at(column, self.rows, [row.column for row in self.rows], "column")

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in SplitCompetitor.__dataclass_fields__}

    def _sheet(self) -> Sheet:
        lines = [_cells(row) for row in self.rows]
        columns: dict[str, list[Any]] = {
            "column": [line[0] for line in lines],
            self.measure: [row.gain if row.branches else None for row in self.rows],
            "": [line[2] for line in lines],
            "branches": [line[3] for line in lines],
        }
        return Sheet(columns, f"node {self.node}")

    def __str__(self) -> str:
        lines = [("column", self.measure, "", "branches"), *(_cells(row) for row in self.rows)]
        name, number, remark = (max(map(len, column)) for column in list(zip(*lines))[:3])
        return "\n".join(
            f"{line[0]:{name}}  {line[1]:>{number}}  {line[2]:{remark}}  {line[3]}".rstrip() for line in lines
        )


def _cells(row: SplitCompetitor) -> tuple[str, str, str, str]:
    gain = f"{row.gain:.4g}" if row.branches else ""
    return one_line(row.column), gain, row.remark, " | ".join(row.branches)


def rank_splits(model: Any, node: int, rows: Labelled) -> SplitCompetitors:
    """The best split of every column at a node of a fitted tree, with these rows."""
    compared = model._comparing(rows)
    check_node(node, model.tree_)
    found: SplitCompetitors = compared(node)
    return found


def rank_splits_of(model: Any, node: int, whole: Encoded, here: Encoded) -> SplitCompetitors:
    """The same with all rows, and those of the node, as the engine takes them."""
    from treewright.engines.dispatch import engine_for

    recipe = _as_at(growing_recipe(model, whole), whole, here)
    with Workers(model._n_jobs()) as workers:
        found = best_splits(engine_for(here, recipe, workers))
    return ranked(model, node, here, found, _measure(recipe))


def rank_m5_splits_of(model: Any, node: int, whole: Encoded, here: Encoded) -> SplitCompetitors:
    """The same by the measure of M5'."""
    return ranked(model, node, here, m5_splits(whole, here), "gain")


def ranked(model: Any, node: int, here: Encoded, found: Sequence[ColumnSplit | None], measure: str) -> SplitCompetitors:
    """The table of what was found at a node, with the rows of the node."""
    taken = model.schema_.columns[model.tree_.column[node]].name if model.tree_.column[node] >= 0 else None
    arriving = ArrivingLevels(model.tree_, model.schema_)
    told = [None if one is None else _told(one, arriving, node, here) for one in found]
    made = [_competitor(here, j, one, taken == model.schema_.columns[j].name) for j, one in enumerate(told)]
    return SplitCompetitors(node, measure, sorted(made, key=by_rank))


def by_rank(row: SplitCompetitor) -> tuple[bool, bool, float]:
    return not row.branches, row.passed_over, -float(f"{row.gain:.{_DIGITS}e}")


def _measure(recipe: Recipe) -> str:
    return "gain ratio" if isinstance(recipe.choice, ByRatio) and recipe.choice.by_ratio else "gain"


def _as_at(recipe: Recipe, whole: Encoded, here: Encoded) -> Recipe:
    """The recipe for the rows of a node: what is asked as a share of the whole table stays the same number of rows.

    Constraints, costs of tests, stopping and choices of the user's own depend on the path or choose among columns: here
    every column is looked at by itself.
    """
    stop = replace(
        recipe.stop, min_weight_fraction_leaf=recipe.stop.min_weight_fraction_leaf * _weight(whole) / _weight(here)
    )
    choice = recipe.choice
    if isinstance(choice, ByRatio):
        choice = replace(choice, many_levels=choice.many_levels * whole.n_rows / here.n_rows)
    elif isinstance(choice, (ByScore, ByMedian)):
        choice = replace(choice, select=None)
    return replace(recipe, choice=choice, stop=stop, constraints=None, test_costs=None, tie="first")


def _weight(encoded: Encoded) -> float:
    return float(encoded.n_rows if encoded.weights is None else encoded.weights.sum())


@dataclass(frozen=True)
class _ToldSplit:
    """A split as it is told, without branches that no row of the node can take: C4.5 has one for absent levels."""

    split: Split
    branches: Ints
    gain: float
    in_the_running: bool


def _told(one: ColumnSplit, arriving: ArrivingLevels, node: int, here: Encoded) -> _ToldSplit:
    split, branches = told_split(arriving, node, one.split, here), arriving.branches_at(node, one.split)
    return _ToldSplit(split, branches, one.gain, one.in_the_running)


def _competitor(encoded: Encoded, j: int, one: _ToldSplit | None, taken: bool) -> SplitCompetitor:
    column = encoded.schema.columns[j]
    if one is None:
        return SplitCompetitor(column.name, (), 0.0, taken, False)
    missing = bool(np.any(encoded.columns[j].codes == 0))
    branches = tuple(condition(one.split, column, int(k), missing=missing) for k in one.branches)
    return SplitCompetitor(column.name, branches, one.gain, taken, not one.in_the_running)
