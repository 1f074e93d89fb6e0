"""Costs and priors: read from whatever users write, and turned into class weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from refusals import check_refused
from treewright.costs import (
    altered_factors,
    cost_matrix,
    mean_cost,
    prior_factors,
    target_costs,
    target_priors,
    with_priors,
)
from treewright.data.schema import Target

CLASSES = ("healthy", "sick", "dead")


def test_costs_by_pairs_by_rows_and_as_a_matrix_are_the_same():
    by_pairs = {("sick", "healthy"): 10, ("dead", "sick"): 0}
    by_rows = {"sick": {"healthy": 10}, "dead": {"sick": 0}}
    matrix = [[0, 1, 1], [10, 0, 1], [1, 0, 0]]
    for costs in (by_pairs, by_rows, {**by_rows, ("healthy", "dead"): 1}, matrix, np.array(matrix)):
        np.testing.assert_array_equal(cost_matrix(costs, CLASSES), matrix)


def test_classes_need_not_be_text():
    np.testing.assert_array_equal(cost_matrix({(1, 0): 5}, (0, 1)), [[0, 1], [5, 0]])
    np.testing.assert_array_equal(cost_matrix({(np.int64(1), False): 5}, (False, True)), [[0, 1], [5, 0]])


BAD_COSTS = {
    "too small": ([[0, 1], [1, 0]], r"a row and a column for each of 3 classes, got \(2, 2\).*order 'healthy', 'sick'"),
    "not square": ([[0, 1, 1], [1, 0, 1]], "a square of numbers"),
    "ragged": ([[0, 1], [1]], "a square of numbers"),
    "no numbers": ([["a", "b", "c"]] * 3, "a square of numbers"),
    "negative": ([[0, 1, 1], [-1, 0, 1], [1, 1, 0]], "not negative, got -1 for 'sick' predicted as 'healthy'"),
    "nan": ([[0, np.nan, 1], [1, 0, 1], [1, 1, 0]], "finite.*got nan for 'healthy' predicted as 'sick'"),
    "infinite": ({("sick", "healthy"): np.inf}, "finite.*got inf"),
    "negative by name": ({"sick": {"healthy": -2}}, "not negative, got -2 for 'sick' predicted as 'healthy'"),
    "unknown truth": ({("ill", "sick"): 2}, "costs name a class that does not occur: 'ill'.*'healthy', 'sick', 'dead'"),
    "unknown prediction": ({"sick": {"ill": 2}}, "does not occur: 'ill'"),
    "no prediction": ({"sick": 3}, "costs of class 'sick' must be a mapping, got 3"),
    "three names": ({("sick", "dead", "healthy"): 3}, "must be a mapping"),
    "text for a cost": ({("sick", "dead"): "3"}, "'sick' predicted as 'dead' must be a number, got '3'"),
    "truth value": ({("sick", "dead"): True}, "must be a number, got True"),
    "a right prediction that costs": ([[0, 1, 1], [1, 2, 1], [1, 1, 0]], "must cost 0, got 2 for 'sick'"),
    "the same by name": ({("sick", "sick"): 1}, "must cost 0, got 1 for 'sick'"),
    "errors that cost nothing": ([[0, 1, 1], [0, 0, 0], [1, 1, 0]], "no error on class 'sick' costs anything"),
}


@pytest.mark.parametrize(("costs", "message"), BAD_COSTS.values(), ids=BAD_COSTS)
def test_bad_costs(costs, message):
    check_refused(lambda: target_costs(costs, CLASSES), message, tw.OptionError)


BAD_PRIORS = {
    "sum": ([0.5, 0.2, 0.2], "must add up to 1, got 0.9"),
    "negative": ([0.7, 0.5, -0.2], "prior of class 'dead' must be above 0 and at most 1, got -0.2"),
    "zero": ([0.5, 0.5, 0], "prior of class 'dead' must be above 0"),
    "nan": ([0.5, np.nan, 0.5], "prior of class 'sick' must be above 0"),
    "text": (["a", "b", "c"], "prior of class 'healthy' must be"),
    "too few": ([0.5, 0.5], "one number for each of 3 classes, got 2"),
    "unknown": ({"healthy": 0.5, "sick": 0.25, "ill": 0.25}, "priors name a class that does not occur: 'ill'"),
    "lacking": ({"healthy": 0.5, "sick": 0.5}, "priors do not name class 'dead'"),
}


@pytest.mark.parametrize(("priors", "message"), BAD_PRIORS.values(), ids=BAD_PRIORS)
def test_bad_priors(priors, message):
    check_refused(lambda: target_priors(priors, CLASSES), message, tw.OptionError)


def test_priors_may_be_rounded():
    assert sum(target_priors([0.3333333, 0.3333333, 0.3333334], CLASSES)) == 1


def targets(n_classes: int = 3) -> st.SearchStrategy[Target]:
    costs = st.lists(st.floats(0.1, 100), min_size=n_classes**2, max_size=n_classes**2).map(
        lambda cells: np.array(cells).reshape(n_classes, -1) * (1 - np.eye(n_classes))
    )
    priors = st.lists(st.floats(0.05, 1), min_size=n_classes, max_size=n_classes).map(
        lambda p: tuple(np.array(p) / sum(p))
    )
    return st.builds(
        lambda c, p: Target("y", CLASSES, None if c is None else tuple(map(tuple, c.tolist())), p),
        st.none() | costs,
        st.none() | priors,
    )


TOTALS = st.lists(st.integers(1, 50), min_size=3, max_size=3).map(lambda counts: np.array(counts, np.float64))


def slowly_altered(totals, target):
    """The definition, a class at a time: prior × sum of losses, shared out anew, over the class's share of the rows."""
    worth = []
    for k in range(len(totals)):
        prior = totals[k] / totals.sum() if target.priors is None else target.priors[k]
        loss = sum(1.0 if target.costs is None else target.costs[k][j] for j in range(len(totals)) if j != k)
        worth.append(prior * loss)
    return [w / sum(worth) / (n / totals.sum()) for w, n in zip(worth, totals)]


@given(totals=TOTALS, target=targets())
def test_altered_priors_are_as_defined(totals, target):
    found = altered_factors(totals, target)
    np.testing.assert_allclose(np.ones(3) if found is None else found, slowly_altered(totals, target), rtol=1e-9)


@given(totals=TOTALS, target=targets(), factor=st.floats(1e-3, 1e3))
def test_only_ratios_of_costs_matter(totals, target, factor):
    costs = None if target.costs is None else tuple(tuple(factor * cell for cell in row) for row in target.costs)
    scaled = altered_factors(totals, Target("y", CLASSES, costs, target.priors))
    found = altered_factors(totals, target)
    assert (found is None) == (scaled is None)
    if found is not None:
        np.testing.assert_allclose(found, scaled, rtol=1e-12)


@pytest.mark.parametrize("cost", [1, 7, 0.3])
def test_equal_costs_alter_nothing(cost):
    costs = target_costs((cost * (1 - np.eye(3))).tolist(), CLASSES)
    assert altered_factors(np.array([3.0, 4, 7]), Target("y", CLASSES, costs)) is None


@given(totals=TOTALS, target=targets())
def test_priors_are_the_shares_of_the_root(totals, target):
    wanted = totals / totals.sum() if target.priors is None else target.priors
    found = with_priors(totals[None], target)[0]
    np.testing.assert_allclose(found / found.sum(), wanted)
    np.testing.assert_allclose(prior_factors(totals, target) @ totals, totals.sum())


@given(totals=TOTALS, target=targets())
def test_the_average_cost_of_errors_is_one_where_all_are(totals, target):
    plain = Target("y", CLASSES, tuple(map(tuple, (1 - np.eye(3)).tolist())), target.priors)
    assert mean_cost(totals, plain) == pytest.approx(1.0)
    assert mean_cost(totals, Target("y", CLASSES, None, target.priors)) == 1.0
