"""All columns at one node of a tree of C5.0, ranked by the ratio that C5.0 chooses by."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from treewright.c50.case_table import case_table, codings
from treewright.c50.finished_tree import split_of
from treewright.c50.program import CasesAtNode, columns_at
from treewright.c50.tree_maker import ColumnTest
from treewright.data.encode import prediction_matrix
from treewright.data.labelled import Labelled
from treewright.errors import DataError, OptionError
from treewright.explain.arriving_levels import ArrivingLevels
from treewright.explain.condition_text import condition
from treewright.model.column_reports.competitors import part_at
from treewright.model.column_reports.split_competitors import SplitCompetitor, SplitCompetitors, by_rank
from treewright.model.learners.c50_run import beside_of, part_of, sampled_rows
from treewright.typing import Ints

if TYPE_CHECKING:
    from treewright.model.learners.c50_classifier import C50Classifier


class NodeComparison:
    """The rows of a fit as C5.0 takes them, to compare columns at one node after the other."""

    def __init__(self, model: C50Classifier, rows: Labelled) -> None:
        self.model, self.schema, self.tree = model, model.schema_, model.tree_
        used, told = model._read_target(rows.target, rows.n_rows, rows.weights).of(rows.frame)
        self.matrix = np.asarray(prediction_matrix(used, self.schema), np.float64)
        self.coded = codings(self.schema, self.matrix, beside_of(model.not_applicable, self.schema))
        labels = _labels(told.target.classes or (), self.schema.target.classes or ())[told.y.astype(np.int64)]
        self.table = case_table(self.coded, self.matrix, labels, len(self.schema.target.classes or ()))
        self.weights = told.weights
        if model.sample is not None:
            self._sample()

    def _sample(self) -> None:
        if not isinstance(self.model.random_state, Integral):
            raise OptionError(
                "the rows that sample= drew are not known any more", "fit with random_state=, a whole number, as well"
            )
        taken = sampled_rows(len(self.table.labels), float(self.model.sample or 0), self.model.random_state)
        self.matrix = self.matrix[taken]
        self.table, self.weights = part_of(self.table, self.weights, taken)

    def at(self, node: int) -> SplitCompetitors:
        parts = part_at(self.model, node, self.matrix)
        cases = np.flatnonzero(parts > 0)
        if not len(cases):
            raise DataError(f"none of the rows reaches node {node}", "pass the rows of the fit")
        usable = np.array([coding.is_usable for coding in self.coded], np.bool_)
        costs = self.model._program_costs(self.schema)
        rows = CasesAtNode(cases, parts[cases], self._tested(node))
        settings = self.model._settings()
        found = columns_at(self.table, settings, rows, self.weights, costs, usable, self.model._n_jobs())
        arriving = ArrivingLevels(self.tree, self.schema)
        told = [self._told(node, j, one, arriving, cases) for j, one in enumerate(found)]
        return SplitCompetitors(node, "gain ratio", sorted(told, key=by_rank))

    def _tested(self, node: int) -> Ints:
        """How often each column is tested on the way to the node."""
        times = np.zeros(len(self.schema.columns), np.int64)
        while node:
            node = int(self.tree.parent[node])
            times[self.tree.column[node]] += 1
        return times

    def _told(
        self, node: int, j: int, one: ColumnTest | None, arriving: ArrivingLevels, cases: Ints
    ) -> SplitCompetitor:
        column, taken = self.schema.columns[j], bool(self.tree.column[node] == j)
        split = None if one is None else split_of(one.node, self.coded, self.table.has_beside)
        if one is None or split is None:
            return SplitCompetitor(column.name, (), 0.0, taken, False)
        branches, split = arriving.branches_at(node, split), arriving.told_at(node, split)
        missing = bool(np.isnan(self.matrix[cases, j]).any())
        told = tuple(condition(split, column, int(k), missing=missing) for k in branches)
        return SplitCompetitor(column.name, told, one.ratio, taken, not one.in_the_running)


def _labels(given: tuple[object, ...], known: tuple[object, ...]) -> Ints:
    """The codes that the classes of the rows have in the model."""
    place = {label: code for code, label in enumerate(known)}
    unknown = [label for label in given if label not in place]
    if unknown:
        raise DataError(f"the model knows no class {unknown[0]!r}", "pass the rows of the fit")
    return np.array([place[label] for label in given], np.int64)
