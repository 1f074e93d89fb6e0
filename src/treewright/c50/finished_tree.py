"""A tree of C5.0 as an ordinary tree.

Branches for "not applicable" that no value of the column takes are left out. A value that no branch takes stops at the
node, as there. Thresholds are the greatest 64-bit numbers that go the way of the 32-bit ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.c50.case_table import ColumnCoding
from treewright.c50.node import EMPTY, C50Node, TestKind
from treewright.data.schema import Schema
from treewright.leaves import Leaf
from treewright.split import EVERY_BRANCH, STOP, Split
from treewright.tree.build import offsets
from treewright.tree.tree import CRISP, LeafKind, Tree
from treewright.typing import Ints

LEAF = Leaf(LeafKind.CLASSES, smoothing=1.0)  # shares are drawn to those of the root by one case


class _PlainTest(NamedTuple):
    """What an ordinary tree keeps of a test."""

    edges: list[float]
    printed: list[float]
    bounds: list[tuple[float, float]]
    branch_of: list[int]


_NO_TEST = _PlainTest([], [], [], [])


def as_tree(root: C50Node, schema: Schema, coded: list[ColumnCoding], has_beside: Ints) -> Tree:
    """``has_beside``: which columns have values that are not applicable."""
    nodes, parents, sizes = [root], [-1], []
    tests = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        children = _kept(node, has_beside)
        tests.append(_test(node, children, coded) if children else _NO_TEST)
        nodes += [node.branches[b] for b in children]
        parents += [at] * len(children)
        sizes.append(len(children))
        at += 1
    n_branches = np.array(sizes, np.int64)
    stats = np.array([node.counts if node.weight > 0 else np.zeros_like(node.counts) for node in nodes])
    parent = np.array(parents, np.int32)
    bounds = [pair for test in tests for pair in test.bounds]
    is_soft = any(lower < upper for lower, upper in bounds)
    return Tree(
        parent=parent,
        first_child=np.where(n_branches > 0, offsets(n_branches)[:-1] + 1, -1).astype(np.int32),
        n_branches=n_branches.astype(np.int32),
        column=np.array([node.column if size else -1 for node, size in zip(nodes, sizes)], np.int32),
        edge_start=offsets(np.array([len(test.edges) for test in tests], np.int64)),
        edges=np.array([edge for test in tests for edge in test.edges], np.float64),
        branch_start=offsets(np.array([len(test.branch_of) for test in tests], np.int64)),
        branch_of=np.array([branch for test in tests for branch in test.branch_of], np.int32),
        stats=stats,
        rows=np.rint(stats.sum(-1)).astype(np.int64),
        missing=np.zeros(len(nodes), np.int64),
        gain=np.array([node.gain if size else 0.0 for node, size in zip(nodes, sizes)]),
        value=LEAF.values(stats, parent, schema.target),
        leaf=LeafKind.CLASSES,
        bounds=np.array(bounds) if is_soft else CRISP,
        printed=np.array([number for test in tests for number in test.printed], np.float64),
    )


def _kept(node: C50Node, has_beside: Ints) -> list[int]:
    """The branches to keep: not an empty one for values that do not exist."""
    if node.is_leaf:
        return []
    first_is_beside = node.kind is not TestKind.SETS or node.values_of(0) == [1]
    drop = first_is_beside and not has_beside[node.column] and node.branches[0].weight < EMPTY
    return list(range(1 if drop else 0, len(node.branches)))


def _test(node: C50Node, children: list[int], coded: list[ColumnCoding]) -> _PlainTest:
    coding, place = coded[node.column], {b: k for k, b in enumerate(children)}
    if node.kind is not TestKind.NUMBER:
        branches = [int(node.groups[value]) - 1 if node.groups[value] > 0 else -1 for value in coding.values_of]
        return _PlainTest([], [], [], [EVERY_BRANCH, *(place.get(b, STOP) for b in branches)])
    edge, printed = coding.edge(node.cut), coding.number(node.cut)
    if 0 not in place:
        return _PlainTest([edge], [printed], [_bounds(node, coding, edge)], [EVERY_BRANCH, place[1], place[2]])
    assert coding.beside is not None
    return _with_beside(float(coding.beside), edge, printed, place)


def _with_beside(beside: float, edge: float, printed: float, place: dict[int, int]) -> _PlainTest:
    """The number that means not applicable is a bin of its own."""
    ends = sorted({float(np.nextafter(beside, -np.inf)), beside, edge})
    bins = [*ends, np.inf]
    branches = [place[0] if end == beside else place[1] if end <= edge else place[2] for end in bins]
    shown = [printed if end == edge and end != beside else end for end in ends]
    return _PlainTest(ends, shown, [(end, end) for end in ends], [EVERY_BRANCH, *branches])


def split_of(node: C50Node, coded: list[ColumnCoding], has_beside: Ints) -> Split | None:
    """The test of a node that may have been chosen, as it is told; None: fewer than two branches are left of it."""
    first_is_beside = node.kind is not TestKind.SETS or node.values_of(0) == [1]
    drop = first_is_beside and not has_beside[node.column]
    children = list(range(1 if drop else 0, len(node.branches)))
    if len(children) < 2:
        return None
    test = _test(node, children, coded)
    edges, printed = np.array(test.edges, np.float64), np.array(test.printed, np.float64)
    return Split(node.column, edges, np.array(test.branch_of, np.int32), printed=printed)


def _bounds(node: C50Node, coding: ColumnCoding, edge: float) -> tuple[float, float]:
    """Lower and upper bound with the seven digits that the model text has; equal where the threshold is sharp."""
    if node.bounds is None or node.bounds[2] <= node.cut:
        return edge, edge
    lower, _, upper = (coding.scale(float(np.float32(f"{bound:.7g}"))) for bound in node.bounds)
    return min(lower, edge), max(upper, edge)
