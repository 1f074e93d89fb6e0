"""Training cases classified by a tree that is being made."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treewright.c50.node import C50Node, TestKind
from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels.c50_classification import FlatTree, classify
from treewright.kernels.c50_kernels.c50_usage import mark_asked
from treewright.typing import Array, Floats, Ints, Mask

NOTHING_HIDDEN = -1
_FEW_CASES = 10_000  # of a part that is worth a thread
_ALONE = Workers(1)
_NO_COSTS: Floats = np.empty((0, 0))


class Classified(NamedTuple):
    label: Ints
    confidence: Floats


class Flattened:
    """A tree as arrays for kernels; ``place`` tells where a node is."""

    def __init__(self, root: C50Node) -> None:
        nodes = list(root.walk())
        self.place = {node: i for i, node in enumerate(nodes)}
        groups = [node.groups for node in nodes]
        bounds = [(node.cut,) * 3 if node.bounds is None else node.bounds for node in nodes]
        lower, middle, upper = np.array(bounds, np.float64).T.copy()
        self.arrays = FlatTree(
            column=np.array([node.column for node in nodes], np.int64),
            cut=np.array([node.cut if node.kind is TestKind.NUMBER else 0.0 for node in nodes]),
            lower=lower,
            middle=middle,
            upper=upper,
            child_start=_starts([len(node.branches) for node in nodes]),
            children=np.array([self.place[branch] for node in nodes for branch in node.branches], np.int64),
            group_start=_starts([len(own) for own in groups]),
            groups=np.concatenate(groups).astype(np.int64),
            counts=np.array([node.counts for node in nodes]),
            weight=np.array([node.weight for node in nodes]),
        )

    def classify(
        self,
        values: Array,
        cases: Ints,
        *,
        root: int = 0,
        hidden: int = NOTHING_HIDDEN,
        costs: Floats | None = None,
        workers: Workers = _ALONE,
    ) -> Classified:
        """Class and confidence of the cases, from node ``root`` on. A ``hidden`` column counts as unknown."""
        label, confidence = np.empty(len(cases), np.int64), np.empty(len(cases))
        costs = _NO_COSTS if costs is None else costs

        def one_part(part: slice) -> None:
            classify(self.arrays, values, cases[part], root, hidden, costs, label[part], confidence[part])

        _part_by_part(len(cases), one_part, workers)
        return Classified(label, confidence)

    def mark_asked(self, values: Array, asked: Mask, workers: Workers) -> None:
        """Mark the columns that cases are asked for on their way: [column, case]."""
        cases = np.arange(values.shape[1])
        _part_by_part(len(cases), lambda part: mark_asked(self.arrays, values, cases[part], asked), workers)


def _part_by_part(n_cases: int, work: Callable[[slice], None], workers: Workers) -> None:
    """Work on parts of the cases side by side."""
    n_parts = min(4 * workers.n_jobs, n_cases // _FEW_CASES + 1)
    parts = np.linspace(0, n_cases, n_parts + 1).astype(np.int64).tolist()
    workers.each(len(parts) - 1, lambda i, _: work(slice(parts[i], parts[i + 1])), cells=n_cases)


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
