"""Rows down a tree, against a walk from node to node."""

import numpy as np
import pytest

import treewright as tw
from kernel_cases import LARGE
from treewright.kernels.row_routing.routing import BinaryTree, apply_any, apply_binary, reach
from treewright.prediction import branch_shares, reached
from treewright.split import EVERY_BRANCH

SIZES = (0, 1, 7, 8, 9, 30, LARGE // 4)
EDGES = np.array([-np.inf, -1.0, 0.0, -0.0, 0.5, 1.0, np.inf, np.nan])


def walk(tree, row):
    """From the root to a leaf by the splits themselves."""
    node = tree.root
    while not node.is_leaf:
        branch = int(node.split.branches(np.array([row[node.split.column]], np.float64))[0])
        node = node.children[branch]
    return node.id


def grown(splits, seed):
    """Numbers, levels and gaps; a tree of the given sort of splits on the levels."""
    random = np.random.default_rng(seed)
    table = {
        "x": random.choice([*EDGES, 2.5, 3.5], 300),
        "level": random.choice(["a", "b", "c", "d", None], 300).tolist(),
        "y": random.normal(size=300),
    }
    return tw.TreeClassifier(splits=splits, max_depth=7).fit(table, random.integers(0, 3, 300)).tree_


def numeric_tree(seed):
    random = np.random.default_rng(seed)
    X = random.choice([*EDGES, 2.5, 3.5, 7.0], (300, 3))
    return tw.CARTClassifier(max_depth=6).fit(X, random.integers(0, 3, 300)).tree_


def as_binary(tree):
    inner = tree.n_branches > 0
    edge, branches = np.zeros(tree.n_nodes), np.zeros((tree.n_nodes, 3), np.int32)
    edge[inner] = tree.edges
    branches[inner] = tree.branch_of.reshape(-1, 3)
    return BinaryTree(tree.column, edge, branches, tree.first_child)


@pytest.mark.parametrize("splits", ["subset", "multiway", "one-vs-rest"])
@pytest.mark.parametrize("n_rows", SIZES)
def test_any_tree(splits, n_rows):
    tree, random = grown(splits, 3), np.random.default_rng(n_rows)
    matrix = np.column_stack(
        [random.choice(EDGES, n_rows), random.choice([np.nan, 1, 2, 3, 4], n_rows), random.normal(size=n_rows)]
    )
    out = np.full(n_rows, -1)
    apply_any(matrix, 0, n_rows, tree.routes, out)
    assert out.tolist() == [walk(tree, row) for row in matrix]


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_binary_tree(n_rows, dtype, order):
    tree = numeric_tree(1)
    random = np.random.default_rng(n_rows)
    matrix = np.asarray(random.choice([*EDGES, *tree.edges], (n_rows, 3)), dtype, order=order)
    expected = [walk(tree, row) for row in matrix]
    for kernel, form in ((apply_binary, as_binary(tree)), (apply_any, tree.routes)):
        out = np.full(n_rows, -1)
        kernel(matrix, 0, n_rows, form, out)
        assert out.tolist() == expected


@pytest.mark.parametrize("kernel", ["any", "binary"])
def test_only_the_rows_asked_for(kernel):
    tree = numeric_tree(2)
    matrix = np.random.default_rng(0).normal(size=(40, 3))
    whole, part = np.zeros(40, np.int64), np.full(40, -1)
    apply, form = (apply_any, tree.routes) if kernel == "any" else (apply_binary, as_binary(tree))
    apply(matrix, 0, 40, form, whole)
    apply(matrix, 5, 31, form, part)
    assert part[5:31].tolist() == whole[5:31].tolist()
    assert (part[:5] == -1).all()
    assert (part[31:] == -1).all()


def test_a_tree_of_one_leaf():
    tree = tw.CARTClassifier(max_depth=0).fit([[1], [2]], [0, 1]).tree_
    for kernel, form in ((apply_any, tree.routes), (apply_binary, as_binary(tree))):
        out = np.full(20, -1)
        kernel(np.zeros((20, 1)), 0, 20, form, out)
        assert not out.any()


def test_several_edges_at_one_node():
    """Multiway tests on numbers: the code is one more than the edges below."""
    tree = tw.CARTClassifier(max_depth=1).fit([[1], [2]], [0, 1]).tree_
    edges = np.array([0.0, 1.0, 2.0])
    tree = tree._replace(
        n_branches=np.array([4, 0, 0, 0, 0], np.int32),
        first_child=np.array([1, -1, -1, -1, -1], np.int32),
        parent=np.array([-1, 0, 0, 0, 0], np.int32),
        column=np.array([0, -1, -1, -1, -1], np.int32),
        edge_start=np.array([0, 3, 3, 3, 3, 3]),
        edges=edges,
        branch_start=np.array([0, 5, 5, 5, 5, 5]),
        branch_of=np.array([2, 3, 2, 1, 0], np.int32),
    )
    matrix = np.array([[-1.0], [0.0], [0.5], [1.0], [1.5], [2.0], [9.0], [np.nan], [np.inf], [-np.inf]])
    out = np.empty(len(matrix), np.int64)
    apply_any(matrix, 0, len(matrix), tree.routes, out)
    assert out.tolist() == [4, 4, 3, 3, 2, 2, 1, 3, 1, 4]


def parts_of(node, row, share):
    """The leaves a row reaches below a node and its part at each, by the splits themselves."""
    if node.is_leaf:
        return {node.id: 1.0}
    branch = int(node.split.branches(np.array([row[node.split.column]], np.float64))[0])
    children = node.children if branch == EVERY_BRANCH else [node.children[branch]]
    found = {}
    for child in children:
        part = share[child.id] if branch == EVERY_BRANCH else 1.0
        if part > 0:
            found |= {leaf: part * below for leaf, below in parts_of(child, row, share).items()}
    return found


@pytest.mark.parametrize("n_rows", [0, 1, 30])
def test_rows_that_reach_several_leaves(n_rows):
    random = np.random.default_rng(5)
    table = {"x": random.choice([*EDGES, 2.5], 300), "level": random.choice(["a", "b", "c", None], 300).tolist()}
    model = tw.C45Classifier(prune=False, min_cases=1, mdl=False).fit(table, random.integers(0, 2, 300))
    tree, share = model.tree_, branch_shares(model.tree_)
    matrix = np.column_stack([random.choice(EDGES, n_rows), random.choice([np.nan, 1, 2, 3], n_rows)])
    rows, leaves, parts = reached(tree, matrix, 1)
    for i, row in enumerate(matrix):
        assert dict(zip(leaves[rows == i].tolist(), parts[rows == i])) == pytest.approx(parts_of(tree.root, row, share))
    start = np.zeros(n_rows + 1, np.int64)
    reach(matrix, tree.routes, share, start, np.empty(0, np.int64), np.empty(0))
    assert start[1:].tolist() == np.bincount(rows, minlength=n_rows).tolist()
    assert n_rows < 30 or start.max() > 1
