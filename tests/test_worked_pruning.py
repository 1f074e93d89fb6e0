"""The worked examples of the lecture notes, by number: pruning."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treewright as tw
from made_trees import Made, tree_of
from treewright import prune
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.prune.methods.bottom_up import sum_up
from treewright.prune.training_counts import training_loss


def near(expected):
    return pytest.approx(expected, abs=5e-5)


def schema_of(*classes):
    return Schema((Column("x", Kind.NUMERIC),), Target("y", classes))


def stump(left, right):
    root = tuple(np.add(left, right).astype(float))
    return tree_of(Made(root, 0, (0.5,), (0, 0, 1), (Made(left), Made(right))))


TWENTY = stump(
    (15.0, 1.0, 1.0), (0.0, 3.0, 0.0)
)  # 20 cases of three classes: leaves of 17 (15 right) and 3 (all right)
THREE = schema_of("c1", "c2", "c3")


def test_24_minimum_error_keeps_the_subtree():
    after, *before = prune.MinimumError().expected(TWENTY.stats)
    assert after == near(7 / 23)
    assert 0.85 * before[0] + 0.15 * before[1] == near(0.22)
    assert prune.MinimumError()(TWENTY, THREE).n_leaves == 2


def test_24_the_m_estimate():
    """With m = 2 and the shares 0.75, 0.2 and 0.05 of the root."""
    after, *before = prune.MinimumError(m=2).expected(TWENTY.stats)
    assert (after, *before) == (near(0.25), near(1 - 16.5 / 19), near(1 - 3.4 / 5))
    assert prune.MinimumError(m=2)(TWENTY, THREE).n_leaves == 2


def test_25_pessimistic_keeps_it_with_the_standard_error_of_the_subtree():
    """The slide takes the error rate of the pruned node, 1.9969, and adds 1 too much: 5.991 instead of 4.997."""
    errors = training_loss(TWENTY, THREE) + 0.5
    subtree = sum_up(TWENTY, errors)[0]
    assert (errors[0], subtree) == (5.5, 3.0)
    assert math.sqrt(subtree * (20 - subtree) / 20) == near(1.5969)
    assert math.sqrt(5.5 * (20 - 5.5) / 20) == near(1.9969)
    assert prune.Pessimistic()(TWENTY, THREE).n_leaves == 2
    limit = (5.5 - 3.0) / math.sqrt(subtree * (20 - subtree) / 20)  # so many standard errors would do
    assert prune.Pessimistic(standard_errors=limit - 1e-6)(TWENTY, THREE).n_leaves == 2
    assert prune.Pessimistic(standard_errors=limit + 1e-6)(TWENTY, THREE).n_leaves == 1


def test_25_the_slide_prunes_where_it_is_less():
    """With as many standard errors as make it 5.5 against 5.5, ≤ prunes and the slide's < does not."""
    limit = (5.5 - 3.0) / math.sqrt(3.0 * 17.0 / 20)
    assert prune.Pessimistic(standard_errors=limit)(TWENTY, THREE).n_leaves == 1
    assert prune.Pessimistic(standard_errors=limit, strict=True)(TWENTY, THREE).n_leaves == 2


def test_26_cost_based_prunes_to_sick():
    tree, schema = stump((0.0, 10.0), (20.0, 10.0)), schema_of("healthy", "sick")
    pruner = prune.CostBased({"sick": {"healthy": 10}})
    root, k1, k2 = pruner.of_predicting(tree.stats, schema.target.classes)
    assert k1.tolist() == [near(91.6667), near(0.8333)]
    assert k2.tolist() == [near(103.125), near(19.6875)]
    assert root[1] == near(20.0)
    assert 20.0 < k1.min() + k2.min() == near(20.5208)
    smaller = pruner(tree, schema)
    assert smaller.n_nodes == 1
    assert schema.target.classes[smaller.value[0].argmax()] == "sick"
    assert smaller.stats.tolist() == [[20, 20]]


@pytest.mark.parametrize(("wrong", "extra"), [(0, 0.206 * 6), (1, 16 * 0.157 - 1)])
def test_28_error_based_takes_the_upper_limit_at_a_confidence_of_a_quarter(wrong, extra):
    """The book's leaves of 6 cases, none wrong, and of 16, one wrong."""
    n = 16 if wrong else 6
    found = prune.ErrorBased(raising=False).expected(np.array([[float(n - wrong), float(wrong)]]))
    assert found[0] == pytest.approx(wrong + extra, abs=0.03)


def play_tennis(name):
    table = tw.datasets.load(name)
    X = {column: cells for column, cells in table.X.items() if column != "day"}
    X["outlook"] = ["Rain" if cell == "Rainy" else cell for cell in X["outlook"]]
    return X, table.y


@pytest.fixture
def noisy():
    """Grown from the fifteen days, the last of which is D11 again with the other answer."""
    return tw.ID3Classifier().fit(*play_tennis("play_tennis_noisy"))


def test_the_noisy_day_overfits(noisy):
    clean = tw.ID3Classifier().fit(*play_tennis("play_tennis"))
    assert (clean.tree_.n_leaves, clean.tree_.depth) == (5, 2)
    assert (noisy.tree_.n_leaves, noisy.tree_.depth) == (7, 3)
    assert noisy.score(*play_tennis("play_tennis")) < 1


@pytest.mark.parametrize("order", ["bottom-up", "top-down", "greedy"])
def test_27_reduced_error_repairs_it(noisy, order):
    """The fourteen days as validation set: the split below "mild" helps none of them."""
    days = play_tennis("play_tennis")
    smaller = noisy.prune("reduced-error", *days, order=order)
    assert smaller.pruned_.nodes == (8,)
    assert smaller.tree_.depth == 2
    assert smaller.score(*days) == noisy.score(*days)


@pytest.mark.parametrize("order", ["bottom-up", "top-down", "greedy"])
def test_27_it_is_kept_where_pruning_must_improve(noisy, order):
    """002 prunes if the accuracy improves: below "mild" the fourteen days are as right without the split as with it."""
    days = play_tennis("play_tennis")
    assert noisy.prune("reduced-error", *days, order=order, strict=True).pruned_.nodes == ()
    assert noisy.prune("reduced-error", *days, order=order).pruned_.nodes == (8,)


def test_27_an_isolated_point_is_pruned_because_the_validation_error_falls():
    """000: T gets two of the eight validation points wrong, T' none; training errors are 0 and 1."""
    table, new = tw.datasets.load("isolated_point"), tw.datasets.load("isolated_point_new")
    tree = tw.ID3Classifier().fit(table.X, table.y)
    assert (tree.score(table.X, table.y), tree.score(new.X, new.y)) == (1, 6 / 8)
    for options in ({}, {"order": "greedy"}, {"order": "top-down"}, {"order": "top-down", "strict": True}):
        smaller = tree.prune("reduced-error", new.X, new.y, **options)
        assert (smaller.pruned_.nodes, smaller.tree_.n_leaves) == ((2,), 2)
        assert (smaller.score(table.X, table.y), smaller.score(new.X, new.y)) == (12 / 13, 1)
    deeper = tree.prune("reduced-error", new.X, new.y, strict=True)  # above node 6 nothing is left to improve
    assert (deeper.pruned_.nodes, deeper.score(new.X, new.y)) == ((6,), 1)


def test_pessimistic_before_or_after_the_nodes_below(noisy):
    """ "Sunny" is 2½ as a leaf and 1 + 4·½ = 3 as it was grown, but ½ + ½ + 1½ = 2½ once "mild" is a leaf."""
    plain = {"standard_errors": 0, "strict": True}
    assert noisy.prune("pessimistic", order="top-down", **plain).pruned_.nodes == (3,)
    assert noisy.prune("pessimistic", order="bottom-up", **plain).pruned_.nodes == (8,)


def test_28_error_complexity_counts_errors(noisy):
    """15·α: 0 for "mild", (2 − 1)/(3 − 1) for "sunny", (6 − 2)/(4 − 1) for the root."""
    path = prune.ErrorComplexity().path(noisy.tree_, noisy.schema_)
    assert (15 * path.alphas).tolist() == [0, near(0.5), near(4 / 3)]
    assert path.leaves.tolist() == [6, 4, 1]
    smaller = noisy.prune("error-complexity", alpha=0.6 / 15)
    assert (smaller.pruned_.method, smaller.pruned_.nodes) == ("error-complexity", (3,))
    assert noisy.prune("error-complexity", cv=3).pruned_.method == "error-complexity"


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("minimum-error", {}),
        ("pessimistic", {}),
        ("pessimistic", {"standard_errors": 0}),
        ("error-based", {}),
        ("error-based", {"raising": False}),
        ("mdl", {}),
        ("cost-based", {}),
        ("merge-same", {}),
        ("cost-complexity", {"alpha": 0, "risk": "misclassification"}),
        ("critical-value", {"value": 0.3}),
        ("depth", {"depth": 2}),
        ("leaves", {"leaves": 6}),
    ],
)
def test_the_noisy_day_is_repaired_without_a_validation_set(noisy, method, options):
    smaller = noisy.prune(method, **options)
    assert smaller.tree_.depth <= 2
    assert noisy.tree_.depth == 3


@pytest.mark.parametrize("method", ["cost-complexity", "error-complexity", "critical-value"])
@pytest.mark.parametrize("rule", ["0se", "1se"])
def test_28_error_complexity_and_critical_value_repair_it(noisy, method, rule):
    days = play_tennis("play_tennis")
    smaller = noisy.prune(method, *days, rule=rule)
    assert smaller.tree_.depth <= 2
    if rule == "0se":
        assert smaller.score(*days) >= noisy.score(*days)


def test_pre_pruning_by_a_test_of_independence_repairs_it():
    X, y = play_tennis("play_tennis_noisy")
    smaller = tw.ID3Classifier(significance=0.3).fit(X, y)
    assert smaller.tree_.depth == 2
