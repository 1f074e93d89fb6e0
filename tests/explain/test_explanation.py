"""Why a row is predicted as it is."""

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_trees import AGES, PLAY_TENNIS, Made, bushy, cases, chain, play_tennis, rows_of, stump, tree_of
from treewright.data.schema import Column, Kind, Schema, Target, Unit
from treewright.explain.explanation import explain_row


def test_the_path_in_words():
    row = {"outlook": "sunny", "temperature": "hot", "humidity": "normal", "windy": "weak"}
    explanation = explain_row(play_tennis(), PLAY_TENNIS, np.array([1.0, 1.0, 2.0, 2.0]), row)
    assert str(explanation).splitlines() == [
        "start [0]: 14 rows (no: 5, yes: 9)",
        "outlook = sunny [1]: 5 rows (no: 3, yes: 2)",
        "humidity = normal [5]: 2 rows (no: 0, yes: 2)",
        "prediction: play = yes (no: 0 %, yes: 100 %)",
    ]


def test_the_path_as_data():
    explanation = explain_row(stump(), AGES, np.array([41.0, 0.0]), {"age": 41, "income": 0})
    (step,) = explanation.steps
    assert (step.node, step.child, step.column, step.value, step.condition) == (0, 2, "age", "41", "age > 30.5")
    assert (step.missing, step.unseen, step.share, step.rows, step.stats) == (False, False, 1.0, 5, (1.0, 4.0))
    assert (explanation.prediction, explanation.leaves) == ("yes", (2,))
    assert dict(zip(explanation.classes, explanation.distribution)) == {"no": 0.2, "yes": 0.8}


@pytest.mark.parametrize("raw", [{}, *({"windy": x} for x in (None, math.nan, pd.NA, pd.NaT, np.datetime64("NaT")))])
@pytest.mark.parametrize("cell", [math.nan, 0.0])
def test_a_missing_value_is_said_to_be_missing(raw, cell):
    explanation = explain_row(play_tennis(), PLAY_TENNIS, np.array([3.0, 1.0, 1.0, cell]), raw)
    assert (
        str(explanation).splitlines()[2] == "windy is missing, so windy = weak or missing [7]: 3 rows (no: 0, yes: 3)"
    )
    assert explanation.steps[1].missing
    assert not explanation.steps[1].unseen


def test_a_level_never_seen_is_said_to_be_unseen():
    explanation = explain_row(play_tennis(), PLAY_TENNIS, np.array([3.0, 1.0, 1.0, math.nan]), {"windy": "gale"})
    assert str(explanation).splitlines()[2] == (
        "windy is gale, which was not seen in training and counts as missing, so windy = weak or missing [7]: "
        "3 rows (no: 0, yes: 3)"
    )
    assert explanation.steps[1].unseen
    assert not explanation.steps[1].missing


def test_an_unseen_level_is_named_even_where_missing_values_have_their_own_branch():
    schema = Schema((Column("c", Kind.NOMINAL, ("a",)),), Target("y", ("n", "p")))
    tree = tree_of(Made((2, 2), 0, (), (1, 0), (Made((2, 0)), Made((0, 2)))))
    assert "c is z, which was not seen" in str(explain_row(tree, schema, np.array([0.0]), {"c": "z"}))
    assert str(explain_row(tree, schema, np.array([0.0]), {})).splitlines()[1].startswith("c is missing [2]")
    assert (
        str(explain_row(tree, schema, np.array([1.0]), {"c": "a"})).splitlines()[1].startswith("c is a, so c is known")
    )


def test_a_missing_number():
    explanation = explain_row(stump(missing_branch=0), AGES, np.array([math.nan, 1.0]), {"age": None})
    assert str(explanation).splitlines()[1] == "age is missing, so age ≤ 30.5 or missing [1]: 4 rows (no: 4, yes: 0)"


def test_the_print_never_contradicts_the_test():
    known = stump(30.1234561)._replace(printed=np.array([30.1235]))

    def words(age):
        return str(explain_row(known, AGES, np.array([age, 0.0]), {})).splitlines()[1].partition(" [")[0]

    assert words(30.2) == "age is 30.2, so age > 30.1235"
    assert words(30.1234562) == "age is 30.1235, so age > 30.1234561"
    assert words(30.12346) == "age is 30.1235, so age > 30.1234561"
    assert words(30.1234561) == "age is 30.1235, so age ≤ 30.1235"


def test_missing_values_down_every_branch_are_shared_by_weight():
    tree = tree_of(Made((5, 5), 0, (3.0,), (-1, 0, 1), (Made((4, 0)), Made((1, 5))), missing=2))
    explanation = explain_row(tree, AGES, np.array([math.nan, 0.0]), {})
    assert [step.share for step in explanation.steps] == [0.4, 0.6]
    assert explanation.leaves == (1, 2)
    assert explanation.distribution == pytest.approx((0.4 + 0.6 / 6, 0.6 * 5 / 6))
    assert str(explanation).splitlines()[1:] == [
        "age is missing, so age ≤ 3 or missing (shared) [1] for 40 % of the row: 4 rows (no: 4, yes: 0)",
        "age is missing, so age > 3 or missing (shared) [2] for 60 % of the row: 6 rows (no: 1, yes: 5)",
        "prediction: buys = no (no: 50 %, yes: 50 %)",
    ]


def test_shares_of_shares():
    inner = Made((0, 4), 1, (1.0,), (-1, 0, 1), (Made((0, 1)), Made((0, 3))))
    tree = tree_of(Made((4, 4), 0, (3.0,), (-1, 0, 1), (Made((4, 0)), inner)))
    explanation = explain_row(tree, AGES, np.array([math.nan, math.nan]), {})
    assert [(step.child, step.share) for step in explanation.steps] == [(1, 0.5), (2, 0.5), (3, 0.125), (4, 0.375)]
    assert explanation.distribution == (0.5, 0.5)


def test_numeric_targets_and_dates():
    schema = Schema((Column("day", Kind.NUMERIC, (), Unit.DATE),), Target("price"))
    leaves = (Made((2, 20, 208)), Made((1, 30, 900)))
    tree = tree_of(Made((3, 50, 1108), 0, (19000.5,), (0, 0, 1), leaves), regression=True)
    tree = tree._replace(printed=np.array([19000.0]))
    explanation = explain_row(tree, schema, np.array([19000.0]), {"day": dt.date(2022, 1, 8)})
    assert str(explanation).splitlines() == [
        "start [0]: 3 rows (mean 16.67, sd 9.57)",
        "day is 2022-01-08, so day ≤ 2022-01-08 [1]: 2 rows (mean 10, sd 2)",
        "prediction: price = 10",
    ]
    assert (explanation.prediction, explanation.distribution, explanation.classes) == (10.0, (10.0,), ())


def test_many_classes_are_not_all_listed():
    schema = Schema((AGES.columns[0],), Target("letter", tuple("ABCDEFG")))
    tree = tree_of(Made((1, 2, 3, 4, 5, 6, 79)))
    assert str(explain_row(tree, schema, np.array([1.0]), {})).splitlines() == [
        "start [0]: 100 rows (G: 79, F: 6, E: 5, others: 10)",
        "prediction: letter = G (79 %)",
    ]


def test_a_deep_path():
    assert len(explain_row(chain(5_000), AGES, np.array([math.inf, 0.0]), {}).steps) == 5_000
    assert len(explain_row(bushy(10), AGES, np.array([50.0, 50.0]), {}).steps) == 9


@given(case=cases(), data=st.data())
def test_the_path_is_the_one_the_splits_take(case, data):
    schema, tree = case
    row = data.draw(rows_of(schema))
    explanation = explain_row(tree, schema, row, {})
    node = tree.root
    for step in explanation.steps:
        assert step.node == node.id
        node = node.children[int(node.split.branches(row[[node.split.column]])[0])]
        assert step.child == node.id
    assert node.is_leaf
    assert explanation.distribution == tuple(tree.value[node.id])
    assert str(explanation).count("\n") == len(explanation.steps) + 1


@given(case=cases(every_branch=True), data=st.data())
def test_shares_add_up(case, data):
    schema, tree = case
    explanation = explain_row(tree, schema, data.draw(rows_of(schema)), {})
    if explanation.classes:
        assert sum(explanation.distribution) == pytest.approx(1)
    ends = [step.share for step in explanation.steps if step.child in explanation.leaves]
    assert not ends or sum(ends) == pytest.approx(1)
