"""What tests cost: the formulas, what is still to pay on a path, and how users write it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from refusals import check_refused
from treewright.recipe_parts import attribute_costs as costs_of_tests

NAMES = ("age", "glucose", "insulin", "smoker")
BLOOD = {"blood": ["glucose", "insulin"]}
GAINS = st.lists(st.floats(0, 2), min_size=4, max_size=4).map(np.array)
COSTS = st.lists(st.floats(0.1, 100), min_size=4, max_size=4).map(np.array)


# ---------------------------------------------------------------- the formulas


def test_the_formulas():
    """Worked example 23."""
    assert tw.costs.tan_schlimmer(0.3, 2) == pytest.approx(0.09 / 2)
    assert tw.costs.nunez(0.3, 2, 0.5) == pytest.approx((2**0.3 - 1) / 3**0.5)
    assert tw.costs.idx(0.3, 2) == pytest.approx(0.15)


@given(gain=GAINS)
def test_equal_costs_order_as_plain_gain(gain):
    order = np.argsort(gain, kind="stable")
    for scores in (tw.costs.tan_schlimmer(gain, 1), tw.costs.idx(gain, 1), tw.costs.nunez(gain, 1)):
        assert (np.diff(scores[order]) >= 0).all()


@given(gain=GAINS, cost=COSTS)
def test_a_weight_of_nothing_orders_as_plain_gain(gain, cost):
    assert (np.diff(tw.costs.nunez(gain, cost, 0)[np.argsort(gain, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("rule", costs_of_tests.RULES)
@given(gain=GAINS, cost=COSTS)
def test_the_gain_by_cost_orders_as_the_score(rule, gain, cost):
    costs = costs_of_tests.AttributeCosts(cost, np.full(4, -1), np.empty(0), rule, 0.7 if rule == "nunez" else 1.0)
    score, by_cost = costs.score(gain, cost), costs.gain_by_cost(gain, cost)
    order = np.argsort(score, kind="stable")
    assert (np.diff(by_cost[order]) >= -1e-12).all()
    cheapest = np.full(4, cost.min())
    np.testing.assert_allclose(costs.score(by_cost, cheapest), score, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(costs.gain_by_cost(gain, cheapest), gain, rtol=1e-12, atol=1e-15)


# ---------------------------------------------------------------- what is still to pay


def slowly_due(own: dict, samples: dict, groups: dict, path: list, column: str) -> float:
    """The definition, in words: nothing for a test again, no sample twice."""
    if column in path:
        return 0.0
    cost = own.get(column, 1.0)
    for group, members in groups.items():
        if column in members and not set(path) & set(members):
            cost += samples[group]
    return cost


@given(
    path=st.lists(st.sampled_from(NAMES), max_size=4), own=st.dictionaries(st.sampled_from(NAMES), st.floats(0.1, 9))
)
def test_what_is_still_due(path, own):
    groups = {**BLOOD, "interview": ["smoker"]}
    samples = {"blood": 20.0, "interview": 3.0}
    costs = costs_of_tests.read_attribute_costs({**own, **samples}, groups, NAMES)
    tested = np.array([[name in path for name in NAMES]])
    assert costs.due(tested)[0].tolist() == [slowly_due(own, samples, groups, path, name) for name in NAMES]


def test_a_paid_test_counts_as_the_cheapest():
    costs = costs_of_tests.read_attribute_costs({"age": 4, "smoker": 2, "glucose": 8, "insulin": 16}, None, NAMES)
    np.testing.assert_allclose(costs.score(np.ones(4), np.zeros(4)), 1 / 2)


# ---------------------------------------------------------------- as users write it


def test_nothing_has_a_cost():
    assert costs_of_tests.read_attribute_costs(None, None, NAMES) is None
    assert costs_of_tests.read_attribute_costs(None, {}, NAMES) is None
    assert costs_of_tests.read_attribute_costs({}, None, NAMES).own.tolist() == [1, 1, 1, 1]


BAD = {
    "zero": ({"age": 0}, None, "the cost of 'age' must be a number above 0, got 0"),
    "negative": ({"age": -1}, None, "above 0, got -1"),
    "nan": ({"age": np.nan}, None, "above 0, got nan"),
    "infinite": ({"age": np.inf}, None, "above 0, got inf"),
    "text": ({"age": "3"}, None, "above 0, got '3'"),
    "truth value": ({"age": True}, None, "above 0, got True"),
    "unknown column": (
        {"weight": 3},
        None,
        "attribute_costs name a column that does not exist: 'weight'.*age, glucose",
    ),
    "unknown in a group": (
        {"blood": 3},
        {"blood": ["iron"]},
        "the group 'blood' names a column that does not exist: 'iron'",
    ),
    "two groups": ({"a": 1, "b": 2}, {"a": ["age"], "b": ["age", "smoker"]}, "'age' is in two groups, 'a' and 'b'"),
    "twice in a group": ({"a": 1}, {"a": ["age", "age"]}, "'age' is in two groups"),
    "no cost of the sample": ({"glucose": 3}, BLOOD, "the sample of group 'blood' has no cost"),
    "no costs at all": (None, BLOOD, "the sample of group 'blood' has no cost"),
    "a column's name": ({"age": 3}, {"age": ["smoker"]}, "the group 'age' is called as a column is"),
    "no list": ({"blood": 3}, {"blood": "glucose"}, "must be a list of columns, got 'glucose'"),
    "a number": ({"blood": 3}, {"blood": 7}, "must be a list of columns, got 7"),
}


@pytest.mark.parametrize(("costs", "groups", "message"), BAD.values(), ids=BAD)
def test_bad_costs(costs, groups, message):
    check_refused(lambda: costs_of_tests.read_attribute_costs(costs, groups, NAMES), message, tw.OptionError)
