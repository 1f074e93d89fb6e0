"""The price of every node beside the definition: where its own line meets the best subtree below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from made_trees import Made, tree_of
from treewright.kernels.pruning.weakest_links import shortcut_links, weakest_links


def prices(tree, risk, find=weakest_links):
    found = np.empty(tree.n_nodes)
    find(tree.first_child, tree.n_branches, risk, found)
    return found


def cheapest(node, risk, alpha):
    """Cost of the best subtree at a node for a price per leaf."""
    return risk[node.id] + alpha if node.is_leaf else min(risk[node.id] + alpha, below(node, risk, alpha))


def below(node, risk, alpha):
    return sum(cheapest(child, risk, alpha) for child in node.children)


@given(st.integers(0, 10**6), st.integers(0, 12), st.booleans())
def test_prices_are_where_a_node_and_its_best_subtree_cost_the_same(seed, size, proper):
    tree, _ = twins.random_tree(seed, size)
    rng = np.random.default_rng(seed)
    # Proper risks fall along branches; any others must do no harm either.
    risk = tree.stats.sum(-1) - tree.stats.max(-1) if proper else rng.normal(size=tree.n_nodes)
    for node, price in zip(tree.nodes(), prices(tree, risk.astype(float))):
        if node.is_leaf:
            assert price == -np.inf
        else:
            assert risk[node.id] + price == pytest.approx(below(node, risk, price), abs=1e-9)
            assert risk[node.id] + price + 1 < below(node, risk, price + 1) + 1e-9
            assert risk[node.id] + price - 1 > below(node, risk, price - 1) - 1e-9


def test_a_node_with_one_branch_goes_with_what_is_below_it():
    pair = Made((4.0, 4.0), 0, (0.5,), (0, 0, 1), (Made((4.0, 0.0)), Made((0.0, 4.0))))
    tree = tree_of(Made((4.0, 4.0), 0, (0.5,), (0, 0, 0), (pair,)))
    assert prices(tree, np.array([4.0, 4.0, 0.0, 0.0])).tolist() == [4, 4, -np.inf, -np.inf]


def test_a_leaf():
    tree, _ = twins.random_tree(0, 0)
    assert prices(tree, np.array([1.0])).tolist() == [-np.inf]


# ---- rpart's shortcut


def shortcut(node, risk, found):
    """Risk and leaves of what stands below a node when it becomes a leaf; its price goes to ``found``."""
    if node.is_leaf:
        return risk[node.id], 1
    standing = {child.id: shortcut(child, risk, found) for child in node.children}

    def price():
        below, leaves = np.sum(list(standing.values()), axis=0)
        return (risk[node.id] - below) / (leaves - 1)

    for child in sorted((c for c in node.children if not c.is_leaf), key=lambda c: found[c.id]):
        if price() > found[child.id]:
            standing[child.id] = risk[child.id], 1
    found[node.id] = price()
    return tuple(np.sum(list(standing.values()), axis=0))


@given(st.integers(0, 10**6), st.integers(0, 12), st.booleans())
def test_the_shortcut_step_by_step(seed, size, proper):
    tree, _ = twins.random_tree(seed, size)
    rng = np.random.default_rng(seed)
    risk = (tree.stats.sum(-1) - tree.stats.max(-1)) if proper else rng.random(tree.n_nodes)
    found = {}
    shortcut(tree.root, risk, found)
    got = prices(tree, risk, shortcut_links)
    assert all(got[v] == pytest.approx(price) for v, price in found.items())
    assert (got[tree.n_branches == 0] == -np.inf).all()


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_the_shortcut_never_asks_more_and_is_exact_where_nodes_last_longer_than_what_is_below(seed, size):
    tree, _ = twins.random_tree(seed, size)
    risk = tree.stats.sum(-1) - tree.stats.max(-1)
    exact, got = prices(tree, risk), prices(tree, risk, shortcut_links)
    assert (got <= exact + 1e-9).all()
    ordered = all(node.is_leaf or all(exact[c.id] <= exact[node.id] for c in node.children) for node in tree.nodes())
    if ordered:
        np.testing.assert_allclose(got, exact)
