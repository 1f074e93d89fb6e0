"""And/or trees: the loops, their numpy twins and a plain recursion say the same."""

import numpy as np
import pytest

from treewright.kernels.pruning.and_or import SplitLists, add_losses, choose_splits, sum_along

ALPHAS = np.array([0.0, 0.3, 1.0, 4.0])


def per_root(n_roots):
    """α of every root, and what is equal."""
    alphas = ALPHAS[:, None] * (1 + np.arange(n_roots))
    return alphas, np.full(alphas.shape, 1e-12)


def made(seed: int, most_nodes: int, n_roots: int):
    """Random nodes with up to three splits of two or three branches each, on two columns: numbers and levels."""
    random = np.random.default_rng(seed)
    waiting, split_of, first_child, n_branches, n_nodes = list(range(n_roots)), [], [], [], n_roots
    root = list(range(n_roots))
    while waiting:
        node = waiting.pop(0)
        for _ in range(int(random.integers(0, 4)) if n_nodes < most_nodes else 0):
            size = int(random.integers(2, 4))
            split_of.append(node)
            first_child.append(n_nodes)
            n_branches.append(size)
            waiting += range(n_nodes, n_nodes + size)
            root += [root[node]] * size
            n_nodes += size
    n_splits = len(split_of)
    column = random.integers(0, 2, n_splits)
    edge_size = np.where(column == 0, np.array(n_branches, int) - 1 if n_splits else 0, 0)
    edges = np.concatenate([np.empty(0), *(np.sort(random.normal(size=size)) for size in edge_size)])
    codes = np.where(column == 0, np.array(n_branches, int) + 1 if n_splits else 0, 4)
    branch_of = [int(random.integers(-2, n) if random.random() < 0.2 else random.integers(0, n))
                 for n, size in zip(n_branches, codes) for _ in range(size)]  # fmt: skip
    branch_of = np.where(np.array(branch_of, np.int32) == -1, -2, branch_of).astype(np.int32)
    splits = SplitLists(
        np.searchsorted(split_of, np.arange(n_nodes + 1)), np.array(first_child, np.int64),
        np.array(n_branches, np.int64), column.astype(np.int64), np.append(0, np.cumsum(edge_size)).astype(np.int64),
        edges, np.append(0, np.cumsum(codes)).astype(np.int64), branch_of,
    )  # fmt: skip
    loss, stopped = random.integers(0, 6, n_nodes).astype(float), random.integers(0, 2, n_splits).astype(float)
    return splits, np.array(root), loss, stopped, random


def best(splits, loss, stopped, alpha, node=0):
    """(cost, leaves) of the best tree below a node."""
    found = [(loss[node] + alpha, 1)]
    for s in range(splits.split_start[node], splits.split_start[node + 1]):
        children = range(splits.first_child[s], splits.first_child[s] + splits.n_branches[s])
        below = [best(splits, loss, stopped, alpha, child) for child in children]
        found.append((stopped[s] + sum(cost for cost, _ in below), sum(leaves for _, leaves in below)))
    return min((round(cost, 9), leaves) for cost, leaves in found)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_roots", [1, 3])
def test_choosing(seed, n_roots):
    splits, root, loss, stopped, _ = made(seed, 40, n_roots)
    (alphas, slack), answers = per_root(n_roots), []
    for run in (choose_splits, choose_splits.twin):
        chosen, total = np.empty((len(ALPHAS), len(loss)), np.int8), np.empty((*alphas.shape, 2))
        run(*splits[:3], root, loss, stopped, alphas, slack, chosen, total)
        answers.append((chosen, total))
    for ours, theirs in zip(*answers):
        np.testing.assert_array_equal(ours, theirs)
    for (a, r), alpha in np.ndenumerate(alphas):
        lost, leaves = answers[0][1][a, r]
        assert best(splits, loss, stopped, alpha, r) == (pytest.approx(lost + alpha * leaves), leaves)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize("n_roots", [1, 3])
def test_rows_down_all_splits(seed, power, n_roots):
    """``power`` 0: classes."""
    splits, root, loss, stopped, random = made(seed, 40, n_roots)
    n_rows = int(random.integers(0, 20))
    matrix = np.column_stack([random.normal(size=n_rows), random.integers(1, 4, n_rows).astype(float)])
    matrix[random.random(matrix.shape) < 0.2] = np.nan
    of_class = random.integers(0, 3, (len(loss), 2 if power == 0 else 0)).astype(float)
    y = random.integers(0, 2, n_rows).astype(float) if power == 0 else random.normal(size=n_rows)
    value, weight = random.normal(size=len(loss)), random.integers(1, 4, n_rows).astype(float)
    alphas, slack = per_root(n_roots)
    chosen, total = np.empty((len(ALPHAS), len(loss)), np.int8), np.empty((*alphas.shape, 2))
    choose_splits(*splits[:3], root, loss, stopped, alphas, slack, chosen, total)
    begins = random.integers(0, n_roots, n_rows)
    answers = []
    for lose, add in ((add_losses, sum_along), (add_losses.twin, sum_along.twin)):
        at_leaf, at_split, sums = np.zeros((len(loss), 2)), np.zeros((len(stopped), 2)), np.empty((*alphas.shape, 2))
        lose(matrix, begins, splits, of_class, value, power or 2, y, weight, at_leaf, at_split)
        add(splits, chosen, at_leaf, at_split, sums)
        answers.append((at_leaf, at_split, sums))
    for ours, theirs in zip(*answers):
        np.testing.assert_array_equal(ours, theirs)
    for tree, found in zip(chosen, answers[0][2]):
        lost = np.array(
            [one_row(splits, tree, of_class, value, power, *one) for one in zip(begins, matrix, y)], np.float64
        )
        for r in range(n_roots):
            assert found[r, 0] == pytest.approx((weight * lost)[begins == r].sum())
            assert found[r, 1] == pytest.approx((weight * lost**2)[begins == r].sum())


def one_row(splits, tree, of_class, value, power, node, row, y):
    """What a row loses where it ends."""
    branch = 0
    while tree[node] >= 0 and branch >= 0:
        s = splits.split_start[node] + tree[node]
        x = row[splits.column[s]]
        edges = splits.edges[splits.edge_start[s] : splits.edge_start[s + 1]]
        code = 0 if np.isnan(x) else 1 + int((x > edges).sum()) if len(edges) else int(x)
        branch = splits.branch_of[splits.branch_start[s] + code]
        node = splits.first_child[s] + branch if branch >= 0 else node
    return of_class[node, int(y)] if power == 0 else abs(y - value[node]) ** power
