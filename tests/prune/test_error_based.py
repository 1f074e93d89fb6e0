"""Error-based pruning: the errors themselves, and the pruned tree against a plain recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from made_trees import same
from plain_pruning import HOPELESS, Plain, Z, asked_below, by_hand
from recipes_by_hand import c45_of
from strategies import problems
from tables import encode_problem
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.grow import fit_tree
from treewright.kernels.pruning.subtree_raising import ErrorBound, leaf_errors
from treewright.prune.methods.error_based import ErrorBased, collapse
from treewright.prune.training_rows import training_rows
from treewright.recipe_parts.missing import Missing
from treewright.tree.edit import cut


def pessimism(flavour: str) -> ErrorBound:
    return ErrorBound(1.0, 0.25, Z[flavour], HOPELESS[flavour], 1e-9, 0.1, True)


@pytest.mark.parametrize(("n", "wrong", "rate"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)])
def test_error_rates_of_the_book(n, wrong, rate):
    """Quinlan 1993, page 42: the subtree of the congressional votes that becomes a leaf."""
    assert leaf_errors(np.array([n - wrong, wrong]), pessimism("c4.5")) / n == pytest.approx(rate, abs=0.002)


def test_where_nearly_all_are_wrong():
    assert leaf_errors(np.array([1, 1, 1]), pessimism("j48")) == pytest.approx(by_hand(3, 2, "j48"))
    assert leaf_errors(np.array([0, 0]), pessimism("j48")) == 0
    assert by_hand(1.2, 1.0, "c4.5") == pytest.approx(1 + 0.67 * 0.2)


def test_j48_counts_errors_as_they_are_above_a_confidence_of_a_half():
    sure = ErrorBased(0.6, flavour="j48")
    assert leaf_errors(np.array([7, 2]), pessimism("j48")._replace(z=sure.z)) == 2
    assert ErrorBased(1.0, flavour="j48").z == -np.inf
    assert ErrorBased(1.0).z == 0


@given(problems("classes", max_rows=40), st.sampled_from(["c4.5", "j48"]), st.booleans())
def test_the_pruned_tree_is_that_of_the_plain_recursion(problem, flavour, raising):
    encoded = encode_problem(problem, sorted_columns=True)
    tree = fit_tree(encoded, c45_of(problem, flavour=flavour, min_cases=1.0, mdl=False), Workers(1))
    pruned = ErrorBased(flavour=flavour, raising=raising)(tree, encoded.schema, training_rows(tree, encoded))
    plain = Plain(tree.root, problem, [Missing.FRACTIONAL] * len(problem.columns), flavour)
    plain.prune(np.ones(problem.n_rows) if problem.weights is None else problem.weights, raising)
    assert list(asked_below(pruned.root)) == list(plain.asked())
    for node in pruned.nodes():
        if not node.is_leaf:
            together = np.sum([child.stats for child in node.children], axis=0)
            np.testing.assert_allclose(together, node.stats, rtol=1e-15)


def test_a_branch_takes_the_place_of_its_parent():
    """A noisy table where raising makes the tree smaller: its nodes hold what the training rows send them."""
    rng = np.random.default_rng(60)
    X = rng.integers(0, 6, (40, 3)).astype(float)
    y = ((X[:, 0] > 2) ^ (rng.random(40) < 0.2)).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    kept, raised = (tw.C45Classifier(raising=raising).fit(X, y).tree_ for raising in (False, True))
    assert (kept.n_nodes, raised.n_nodes) == (9, 7)
    assert set(raised.edges) < set(kept.edges)
    assert raised.stats[raised.n_branches == 0].sum(0) == pytest.approx(np.bincount(y), abs=1e-12)


def noisy(seed: int = 60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (80, 3)).astype(float)
    return X, ((X[:, 0] > 2) ^ (rng.random(80) < 0.2)).astype(int)


@pytest.mark.parametrize("raising", [False, True])
@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.ID3Classifier, tw.TreeClassifier, tw.C45Classifier])
def test_trees_of_any_recipe(make, raising):
    """Statistics add up, the report knows what was cut and what raised, and nothing but leaves changes otherwise."""
    X, y = noisy()
    model = make(**({"prune": False} if make is tw.C45Classifier else {})).fit(X, y)
    smaller = model.prune("error-based", raising=raising)
    told, tree = smaller.pruned_, smaller.tree_
    assert tree.n_leaves < model.tree_.n_leaves
    assert told.method == "error-based"
    assert told.training_error[1] == pytest.approx((smaller.predict(X) != y).mean())
    assert not (told.raised and not raising)
    assert tree.stats[tree.n_branches == 0].sum(0) == pytest.approx(np.bincount(y), abs=1e-12)
    np.testing.assert_allclose(tree.value, tree.stats / tree.stats.sum(-1, keepdims=True))
    if not told.raised:
        assert same(tree, cut(model.tree_, np.array(told.nodes, np.int64)))


def test_what_was_raised_is_told():
    rng = np.random.default_rng(60)
    X = rng.integers(0, 6, (40, 3)).astype(float)
    y = ((X[:, 0] > 2) ^ (rng.random(40) < 0.2)).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = tw.C45Classifier(prune=False).fit(X, y)
    smaller = model.prune("error-based")
    raised = [model.tree_.node(v) for v in smaller.pruned_.raised]
    assert raised
    assert all(node.split is not None for node in raised)
    assert same(smaller.tree_, tw.C45Classifier().fit(X, y).tree_)


@given(problems("classes", max_rows=40), st.sampled_from(["c4.5", "j48"]))
def test_statistics_suffice_without_raising(problem, flavour):
    """The walk that sends rows down the tree comes to the same where it may not raise."""
    encoded = encode_problem(problem, sorted_columns=True)
    tree = fit_tree(encoded, c45_of(problem, flavour=flavour, min_cases=1.0, mdl=False), Workers(1))
    pruner = ErrorBased(flavour=flavour, raising=False)
    walked = pruner._raised(tree, encoded.schema, training_rows(tree, encoded)).tree
    assert list(asked_below(pruner(tree, encoded.schema).root)) == list(asked_below(walked.root))


def test_an_option_of_other_trees():
    X, y = noisy()
    for raising in (False, True):
        pruner = ErrorBased(raising=raising)
        option = tw.CARTClassifier(prune=pruner).fit(X, y)
        assert same(option.tree_, tw.CARTClassifier().fit(X, y).prune(pruner).tree_)


def test_weights_count_as_they_did_in_the_fit():
    X, y = noisy()
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    for options in ({}, {"class_weight": {0: 2.5}}):
        option = tw.CARTClassifier(prune=ErrorBased(), **options).fit(X, y, w).tree_
        method = tw.CARTClassifier(**options).fit(X, y, w).prune("error-based").tree_
        assert same(option, method)


def test_raising_needs_the_rows_of_the_fit():
    X, y = noisy()
    model = tw.CARTClassifier().fit(X.copy(), y)
    with pytest.raises(OptionError, match="raising branches needs the rows.*are gone.*pass them"):
        model.prune("error-based")
    assert same(model.prune("error-based", X, y).tree_, tw.CARTClassifier().fit(X, y).prune("error-based").tree_)
    with pytest.raises(OptionError, match="raising=False"):
        ErrorBased()(model.tree_, model.schema_)
    with pytest.raises(OptionError, match="does not look at held-out rows"):
        model.prune("error-based", X, y, raising=False)
    with pytest.raises(OptionError, match="is for classes"):
        tw.CARTRegressor().fit(X, y + 0.5).prune("error-based", raising=False)


def test_collapse_undoes_splits_that_save_no_training_error():
    data = tw.datasets.load("play_tennis")
    X = {"humidity": data.X["humidity"]}
    grown = tw.C45Classifier(prune=False, collapse=False).fit(X, data.y).tree_
    assert grown.n_leaves == 2
    schema = tw.C45Classifier().fit(X, data.y).schema_
    wrong = (grown.stats.sum(1) - grown.stats.max(1)).tolist()
    assert (collapse(grown, schema).n_leaves == 1) == (sum(wrong[1:]) >= wrong[0] - 1e-3)


@pytest.mark.parametrize("confidence", [0, -1, 1.1, float("nan")])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(OptionError, match="confidence"):
        ErrorBased(confidence)


def test_unknown_flavour():
    with pytest.raises(OptionError, match="flavour"):
        ErrorBased(flavour="c5")
