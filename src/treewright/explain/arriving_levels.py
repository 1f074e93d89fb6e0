"""Which levels of a column can arrive at a node: those that the tests of the column above it let pass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.split import AS_MISSING, EVERY_BRANCH, STOP, Split
from treewright.tree.tree import Node, Tree
from treewright.typing import Array, Ints, Mask


@dataclass(frozen=True)
class ArrivingLevels:
    """The tests of one tree as they are told: a level that cannot arrive at a node is not named there."""

    tree: Tree
    schema: Schema
    _known: dict[tuple[int, int], Mask] = field(default_factory=dict, repr=False, compare=False)

    def split_at(self, v: int) -> Split:
        """The split of an inner node, as it is told."""
        split = Node(self.tree, v).split
        assert split is not None
        return self.told_at(v, split)

    def told_at(self, v: int, split: Split) -> Split:
        """A split of the rows of a node. Levels that cannot arrive belong to no branch, unless one would be left
        empty."""
        column = self.schema.columns[split.column]
        if column.kind is Kind.NUMERIC or v == 0 or (column.kind is Kind.ORDINAL and _is_in_order(split.branch_of[1:])):
            return split
        arriving = self._arriving(v, split.column)
        branch_of = np.where(arriving, split.branch_of, STOP)
        left_empty = ~np.isin(split.branch_of, branch_of)  # what no value takes is told by the levels it was made for
        return replace(split, branch_of=np.where(left_empty, split.branch_of, branch_of))

    def branches_at(self, v: int, split: Split) -> Ints:
        """The branches that rows of a node can take by their levels; of numbers all."""
        if self.schema.columns[split.column].kind is not Kind.NOMINAL:
            return np.arange(split.n_branches)
        taken = split.branch_of[self._arriving(v, split.column)]
        return np.unique(taken[taken >= 0])

    def _arriving(self, v: int, column: int) -> Mask:
        """By code, missing values first. Every node on the way up is asked once, however many are below it."""
        way = [v]
        while way[-1] and (way[-1], column) not in self._known:
            way.append(int(self.tree.parent[way[-1]]))
        arriving = self._known.get((way[-1], column))
        if arriving is None:
            arriving = np.ones(len(self.schema.columns[column].levels) + 1, np.bool_)
        for parent, child in zip(way[:0:-1], way[-2::-1]):
            if self.tree.column[parent] == column:
                arriving = arriving & self._passing(parent, child)
            self._known[child, column] = arriving
        return arriving

    def _passing(self, parent: int, child: int) -> Mask:
        split = Node(self.tree, parent).split
        assert split is not None
        passing = np.isin(split.branch_of, (child - int(self.tree.first_child[parent]), EVERY_BRANCH, AS_MISSING))
        passing[0] = True  # surrogates may have sent a missing value down any branch
        return passing


def _is_in_order(branches: Array) -> bool:
    """Whether every branch takes neighbouring levels: then a test is told by its ends."""
    return int((np.diff(branches) != 0).sum()) == len(np.unique(branches)) - 1
