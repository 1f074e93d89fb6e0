"""Leaves of a test with a branch for every level: which of them share one afterwards."""

import numpy as np
import pytest

from treewright.c50.node import C50Node, TestKind
from treewright.c50.value_sets import merge_leaves


def node_of(*counts: list[float]) -> C50Node:
    """A test with a leaf of these class weights for every value; the first is of values that are not applicable."""
    branches = [C50Node.of(np.array(own)) for own in counts]
    node = C50Node.of(np.sum(counts, axis=0))
    node.kind, node.column, node.branches = TestKind.EACH_VALUE, 0, branches
    node.groups = np.arange(len(branches) + 1)
    return node


@pytest.mark.parametrize("only_empty", [False, True])
def test_leaves_of_one_class_share_a_branch_but_full_ones_never_with_empty_ones(only_empty):
    node = node_of([0, 0], [4, 1], [0, 3], [0, 0], [5, 0], [0, 0])
    merge_leaves(node, only_empty=only_empty)
    assert node.kind is TestKind.SETS
    groups = [-1, 1, 2, 3, 4, 5, 4] if only_empty else [-1, 1, 2, 3, 4, 2, 4]
    assert node.groups.tolist() == groups
    assert node.branches[1].counts.tolist() == ([4, 1] if only_empty else [9, 1])


@pytest.mark.parametrize("counts", [[[0, 0], [4, 0], [5, 0]], [[0, 0], [4, 0], [0, 5], [6, 6.5]]])
def test_few_branches_and_leaves_that_differ_stay(counts):
    node = node_of(*counts)
    if len(counts) == 4:
        node.branches[3] = node_of([0, 0], [0, 3], [3, 0])  # no leaf
    merge_leaves(node, only_empty=False)
    assert node.kind is TestKind.EACH_VALUE
    assert len(node.branches) == len(counts)


def test_leaves_of_values_that_are_not_applicable_share_no_branch():
    node = node_of([2, 0], [3, 0], [4, 0], [0, 1])
    merge_leaves(node, only_empty=False)
    assert node.groups.tolist() == [-1, 1, 2, 2, 3]
