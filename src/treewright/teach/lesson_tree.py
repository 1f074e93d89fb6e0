"""A tree of some rows, ID3's unless another is asked for, and the rows that reach each of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from treewright.criteria.argument_checks import Base, log_of
from treewright.data.column_values import LevelValues
from treewright.data.target_column import TargetColumn
from treewright.errors import OptionError
from treewright.explain.condition_text import condition
from treewright.model.base import TreeModel
from treewright.model.classifier import ID3Classifier
from treewright.teach.lesson_rows import LessonRows
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
    target = TargetColumn(rows.schema.target.name, LevelValues(rows.y + 1, rows.classes, declared=True))
    return LessonTree(filled, model.fit(filled.frame(), target))
