"""The price of every node beside the definition: where its own line meets the best subtree below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins
from made_trees import Made, tree_of
from treewright.kernels.weakest import weakest_links


def prices(tree, risk):
    found = np.empty(tree.n_nodes)
    weakest_links(tree.first_child, tree.n_branches, risk, found)
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
