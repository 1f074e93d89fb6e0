"""The cost-complexity sequence: beside its slow twin, scikit-learn's and rpart's; and the choice of a tree from it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
import twins
from made_trees import bushy, chain, of_scikit_learn, same
from treewright import prune
from treewright.prune.tree_selection import by_folds, by_hold_out
from treewright.tree.edit import cut

SEEDS = st.integers(0, 10**6)
SIZES = st.integers(0, 14)
RISKS = st.sampled_from([(None, None), (2, "gini"), (3, "entropy"), (2, "misclassification"), (3, "misclassification")])


def make(seed, size, kind):
    n_classes, risk = kind
    tree, schema = twins.random_tree(seed, size, n_classes)
    pruner = prune.CostComplexity(risk=risk)
    return tree, schema, pruner, pruner.path(tree, schema)


@given(SEEDS, SIZES, RISKS)
def test_the_sequence_of_the_obvious_search(seed, size, kind):
    tree, schema, pruner, path = make(seed, size, kind)
    risks = np.divide(*pruner.risks(tree, schema))
    expected = twins.weakest_links(tree, lambda node: risks[node.id])
    np.testing.assert_allclose(path.alphas, [alpha for alpha, _ in expected], atol=1e-9)
    for k, (_, cuts) in enumerate(expected):
        slow = cut(tree, np.array(sorted(cuts), np.int64))
        assert same(path.trees[k], slow)
        assert (path.leaves[k], path.nodes[k]) == (slow.n_leaves, slow.n_nodes)
        left = sum(risks[leaf.id] for leaf in twins.visible(tree.root, cuts))
        assert path.risks[k] == pytest.approx(left, abs=1e-9)


@given(SEEDS, SIZES, RISKS)
def test_the_sequence_is_nested_and_ends_at_the_root(seed, size, kind):
    tree, schema, _, path = make(seed, size, kind)
    assert path.alphas[0] == 0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.leaves) < 0).all()
    assert path.leaves[-1] == 1
    assert (np.diff(path.risks) >= -1e-12).all()
    cuts = [set(prune.report(tree, smaller, schema, "").nodes) for smaller in path.trees]
    for larger, smaller in itertools.pairwise(cuts):
        hidden = {v for v in larger for node in tree.node(v).path()[:-1] if node.id in smaller}
        assert larger - hidden <= smaller


@given(SEEDS, SIZES, RISKS, st.floats(0, 0.5))
def test_every_alpha_finds_its_tree(seed, size, kind, alpha):
    tree, schema, _, path = make(seed, size, kind)
    if np.abs(path.alphas - alpha).min() < 1e-9:
        alpha = float(path.alphas[np.abs(path.alphas - alpha).argmin()])
    smaller = prune.CostComplexity(alpha, risk=kind[1])(tree, schema)
    assert same(smaller, path.trees[int(path.place(alpha))])
    assert prune.CostComplexity(np.inf, risk=kind[1])(tree, schema).n_nodes == 1
    assert same(prune.CostComplexity(0, risk=kind[1])(tree, schema), path.trees[0])


@pytest.mark.parametrize("make_tree", [lambda: chain(3000), lambda: bushy(12)], ids=["deep", "wide"])
def test_deep_and_wide_trees(make_tree):
    tree, schema = make_tree(), twins.schema_of(2)
    path = prune.CostComplexity(risk="misclassification").path(tree, schema)
    assert path.leaves[-1] == 1
    assert len(path.trees) == len(path)


@pytest.mark.parametrize(
    ("load", "criterion"),
    [(load, c) for load in (load_iris, load_wine, load_breast_cancer) for c in ("gini", "entropy")]
    + [(load_diabetes, "squared_error")],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_sequence_of_scikit_learn(load, criterion, seed):
    """Of its own trees, so that ties between columns, which it breaks at random, do not matter."""
    X, y = load(return_X_y=True)
    numbers = criterion == "squared_error"
    peer = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(criterion=criterion, random_state=seed)
    path = prune.CostComplexity(risk=None if numbers else criterion).path(*of_scikit_learn(peer.fit(X, y)))
    found = peer.cost_complexity_pruning_path(X, y)
    alphas, impurities = merged(found.ccp_alphas, found.impurities)
    np.testing.assert_allclose(path.alphas, alphas, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(path.risks, impurities, rtol=1e-7, atol=1e-12)
    for alpha, leaves in list(zip(path.alphas, path.leaves))[:: max(len(path) // 5, 1)]:
        assert clone(peer).set_params(ccp_alpha=alpha + 1e-10).fit(X, y).get_n_leaves() == leaves


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_sequence_of_scikit_learn_from_the_table(criterion):
    """Columns do not tie where every row has a weight of its own, so both grow the same tree."""
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(500, 4)), rng.random(500)
    numbers = criterion == "squared_error"
    y = X[:, 0] + rng.normal(size=500) if numbers else (X[:, 0] + rng.normal(size=500) > 0).astype(int)
    ours = (tw.CARTRegressor if numbers else tw.CARTClassifier)(criterion=criterion, min_rows_leaf=5)
    theirs = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(criterion=criterion, min_samples_leaf=5)
    path = ours.fit(X.astype(np.float32), y, w).pruning_path(risk=None if numbers else criterion)
    found = theirs.set_params(random_state=0).cost_complexity_pruning_path(X, y, w)
    alphas, impurities = merged(found.ccp_alphas, found.impurities)
    np.testing.assert_allclose(path.alphas, alphas, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(path.risks, impurities, rtol=1e-7, atol=1e-12)


def merged(alphas, impurities):
    """scikit-learn cuts one node at a time; of steps with the same α the last counts."""
    last = np.append(np.diff(alphas) > 1e-9 * alphas[-1], True)
    return np.where(alphas < 1e-9 * alphas[-1], 0, alphas)[last], impurities[last]


# ---- the choice


def choice_data(seed):
    tree, schema = twins.random_tree(seed, 10)
    leaves, y = twins.held_out(seed, tree, 2)
    path = prune.CostComplexity().path(tree, schema)
    return tree, schema, path, leaves, y


@given(SEEDS)
def test_held_out_errors_are_those_of_the_trees(seed):
    tree, schema, path, leaves, y = choice_data(seed)
    choice = by_hold_out(path, prune.hold_out(tree, schema, leaves, y), "0se")
    loss = twins.loss_of(leaves, y, 2)
    errors = []
    for smaller in path.trees:
        cuts = set(prune.report(tree, smaller, schema, "").nodes)
        errors.append(sum(map(loss, twins.visible(tree.root, cuts))) / len(y))
    np.testing.assert_allclose(choice.error, errors, atol=1e-12)
    assert choice.place == max(np.flatnonzero(np.array(errors) <= min(errors) + 1e-12))
    np.testing.assert_allclose(
        choice.standard_error, np.sqrt(np.multiply(errors, 1 - np.array(errors)) / len(y)), atol=1e-9
    )


@given(SEEDS)
def test_one_standard_error_takes_the_smallest_tree_that_is_not_clearly_worse(seed):
    tree, schema, path, leaves, y = choice_data(seed)
    data = prune.hold_out(tree, schema, leaves, y)
    choice = by_hold_out(path, data, "1se")
    best = choice.error.argmin()
    within = choice.error <= choice.error[best] + choice.standard_error[best] + 1e-12
    assert choice.place == np.flatnonzero(within)[-1]
    assert choice.place >= by_hold_out(path, data, "0se").place


@given(SEEDS)
def test_losses_of_numbers_and_their_spread(seed):
    tree, schema = twins.random_tree(seed, 8, None)
    leaves, y = twins.held_out(seed, tree, None)
    weights = np.random.default_rng(seed).random(len(y))
    data = prune.hold_out(tree, schema, leaves, y, weights)
    for node in tree.nodes():
        mine = np.isin(leaves, [leaf.id for leaf in twins.below(node)])
        off = (y[mine] - node.value[0]) ** 2
        assert data.loss[node.id] == pytest.approx((weights[mine] * off).sum(), abs=1e-9)
        assert data.square[node.id] == pytest.approx((weights[mine] * off**2).sum(), abs=1e-9)


def test_folds_stand_in_at_the_geometric_mean():
    """With the path itself as its only fold, tree k is judged by the tree for √(α_k·α_{k+1}), which is itself."""
    tree, schema, path, leaves, y = choice_data(7)
    data = prune.hold_out(tree, schema, leaves, y)
    folded = by_folds(path, [(path, data)], "0se")
    np.testing.assert_allclose(folded.error, by_hold_out(path, data, "0se").error)


def test_a_class_the_tree_does_not_know_is_always_wrong():
    tree, schema = twins.random_tree(4, 5)
    leaf = int(np.flatnonzero(tree.n_branches == 0)[0])
    data = prune.hold_out(tree, schema, np.array([leaf, leaf]), np.array([-1, -1]))
    assert data.loss[0] == data.loss[leaf] == 2
