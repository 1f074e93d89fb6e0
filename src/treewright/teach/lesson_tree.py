"""A tree of some rows, ID3's unless another is asked for, the rows that reach its nodes, and the test CART takes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from treewright.criteria.argument_checks import Base, log_of
from treewright.errors import OptionError, TreewrightWarning
from treewright.explain.condition_text import condition, one_line
from treewright.model.base import TreeModel
from treewright.model.learners.classifier import CARTClassifier, ID3Classifier
from treewright.table import Table
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.tree.tree import Node, Tree
from treewright.typing import Floats, Mask


@dataclass(frozen=True)
class LessonTree:
    """A tree with the rows it was grown from; ``rows`` has no missing cells."""

    rows: LessonRows
    model: TreeModel

    @property
    def tree(self) -> Tree:
        return self.model.tree_

    @cached_property
    def reached(self) -> list[Mask]:
        """Which rows reach each node, the root first."""
        masks: list[Mask] = [np.ones(self.rows.n_rows, np.bool_)]
        for node in self.tree.nodes():
            split = node.split
            if split is not None:
                branch = split.branches(self._values(split.column))
                masks += [masks[node.id] & (branch == k) for k in range(len(node.children))]
        return masks

    def _values(self, column: int) -> Floats:
        values = np.append(np.nan, self.rows.values[column])
        return np.asarray(values[self.rows.codes[column]])

    def at(self, node: int) -> Mask:
        if not 0 <= node < self.tree.n_nodes:
            raise OptionError(f"there is no node {node}", f"the nodes are numbered from 0 to {self.tree.n_nodes - 1}")
        return self.reached[node]

    def path(self, node: int) -> str:
        """The tests that lead to a node; the root has none."""
        nodes = self.tree.node(node).path()
        tests = [self._test(parent, child) for parent, child in pairwise(nodes)]
        return " and ".join(tests) or "all rows"

    def _test(self, parent: Node, child: Node) -> str:
        split = parent.split
        assert split is not None
        return condition(split, self.rows.schema.columns[split.column], child.branch, missing=False)


def grown(rows: LessonRows, base: Base = 2, max_depth: int | None = None) -> LessonTree:
    """Grow ID3's tree. ID3 knows no missing values: they are filled with the most common one, numbers with the median.

    >>> from treewright.teach.lesson_rows import bundled
    >>> tree = grown(bundled("play_tennis"))
    >>> tree.path(3), int(tree.at(3).sum())
    ('outlook = Sunny', 5)
    """
    filled = rows.filled()
    model = ID3Classifier(base=float(np.exp(log_of(base))), max_depth=max_depth, kinds=filled.kinds())
    return LessonTree(filled, model.fit(filled.frame(), rows.target_column))


def two_branches(rows: LessonRows, columns: Sequence[int], at: Mask | None = None) -> CandidateTest | None:
    """The test of these columns that CART takes, missing values being on the side where they score better.

    >>> from treewright.teach.lesson_rows import bundled
    >>> test = two_branches(bundled("play_tennis"), [0])
    >>> test.name, test.table.counts.tolist()
    ('outlook in {Rainy, Sunny}', [[5.0, 5.0], [0.0, 4.0]])
    """
    some = rows.some(at, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # the lesson itself says what it makes of identifiers
        tree = CARTClassifier(max_depth=1, kinds=some.kinds()).fit(some.frame(), some.target_column).tree_
    split = tree.root.split
    if split is None:
        return None
    about, seen = some.schema.columns[split.column], bool(tree.missing[0])
    sides = tuple(condition(split, about, branch, missing=seen) for branch in range(2))
    table = Table(np.array([child.stats for child in tree.root.children]))
    edge = float(split.edges[0]) if split.is_numeric else None
    return CandidateTest(sides[0], one_line(about.name), columns[split.column], sides, table, edge)
