"""Sets of values after pruning: values that cannot occur go, leaves of one class share a branch."""

from __future__ import annotations

import numpy as np

from treewright.c50.node import EMPTY, C50Node, TestKind
from treewright.c50.rounding import single
from treewright.kernels.c50_kernels.c50_search import ORDERED, CaseTable

_BESIDE = 1  # the value that stands for not applicable


def clean_sets(root: C50Node, table: CaseTable, *, subset: bool) -> None:
    """Drop values that a path has excluded, and unite leaves of one class, below tests of value sets.

    Without ``subset`` only ordered columns are tested in this way.
    """
    possible = {j: frozenset(range(1, int(n) + 1)) for j, n in enumerate(table.n_values) if n}
    waiting = [(root, possible)]
    to_unite: list[C50Node] = []
    while waiting:
        node, possible = waiting.pop()
        if node.is_leaf:
            continue
        is_ordered = table.kinds[node.column] == ORDERED
        if node.kind is TestKind.SETS and (subset or is_ordered):
            _intersect(node, table, possible[node.column])
            if not is_ordered:
                to_unite.append(node)
        for b, branch in enumerate(node.branches):
            if not branch.is_leaf:
                waiting.append((branch, _possible_below(node, b, possible)))
    for node in to_unite:
        _unite(node)


def _possible_below(node: C50Node, b: int, possible: dict[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """The values that each column may still have in a branch."""
    return possible if node.kind is TestKind.NUMBER else {**possible, node.column: frozenset(node.values_of(b))}


def _intersect(node: C50Node, table: CaseTable, possible: frozenset[int]) -> None:
    impossible = np.array([value for value in range(len(node.groups)) if value not in possible], np.int64)
    last = len(node.branches)
    if table.kinds[node.column] == ORDERED:
        gone = impossible[node.groups[impossible] > 1]
        node.groups[gone] = -1
        return
    node.groups[impossible[node.groups[impossible] == last]] = -1
    if not (node.groups == last).any():
        node.branches.pop()


def _unite(node: C50Node) -> None:
    """Leaves of one class in one branch, that of the first."""
    b = 1 if node.groups[_BESIDE] == 1 else 0
    while b < len(node.branches):
        if node.branches[b].is_leaf:
            _absorb(node, b)
        b += 1


def _absorb(node: C50Node, b: int) -> None:
    one, other = node.branches[b], b + 1
    while other < len(node.branches):
        later = node.branches[other]
        if later.is_leaf and later.label == one.label:
            add_leaf(one, later)
            _drop_branch(node, other, b)
        else:
            other += 1


def add_leaf(one: C50Node, later: C50Node) -> None:
    one.counts = np.float64(np.float32(one.counts + later.counts))
    one.weight, one.errors = float(single(one.weight + later.weight)), float(single(one.errors + later.errors))


def _drop_branch(node: C50Node, gone: int, into: int) -> None:
    """The values of one branch go to another; later branches move down."""
    groups = node.groups
    groups[groups == gone + 1] = into + 1
    groups[groups > gone + 1] -= 1
    del node.branches[gone]


def merge_leaves(root: C50Node, *, only_empty: bool) -> None:
    """Tests of a branch per value: leaves of one class share a branch, empty ones only with empty ones."""
    for node in root.walk():
        if node.kind is TestKind.EACH_VALUE and len(node.branches) >= 4:
            _merge_branches(node, only_empty)


def _merge_branches(node: C50Node, only_empty: bool) -> None:
    node.groups = node.groups.copy()
    b = 2
    while b < len(node.branches):
        earlier = next((e for e in range(1, b) if _same(node.branches[e], node.branches[b], only_empty)), None)
        if earlier is None:
            b += 1
            continue
        add_leaf(node.branches[earlier], node.branches[b])
        _drop_branch(node, b, earlier)
        node.kind = TestKind.SETS
    if node.kind is TestKind.SETS:
        node.groups[0] = -1


def _same(one: C50Node, other: C50Node, only_empty: bool) -> bool:
    if not (one.is_leaf and other.is_leaf):
        return False
    empty = one.weight < EMPTY, other.weight < EMPTY
    return all(empty) if only_empty else empty[0] == empty[1] and one.label == other.label
