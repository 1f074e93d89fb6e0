"""Bagging and boosting by hand: every number is that of the ensembles."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import treewright as tw
from ensemble_tables import play_tennis
from treewright import teach

STUMP = tw.TreeClassifier(criterion="misclassification", splits="multiway", max_depth=1)


def test_boosting_by_hand():
    """ε₁ = 4/14, α₁ = ln(10/4); wrong rows weigh 1/14·2.5/(20/14) = 1/8, the others 1/20. Then ε₂ = 3/20 + 1/8."""
    values = teach.lesson("boosting").values
    assert values["ε1"] == pytest.approx(4 / 14)
    assert values["α1"] == pytest.approx(log(10 / 4))
    assert [values[f"w1({row})"] for row in (6, 9, 11, 14)] == pytest.approx([1 / 8] * 4)
    assert [values[f"w1({row})"] for row in (1, 2, 3, 4, 5, 7, 8, 10, 12, 13)] == pytest.approx([1 / 20] * 10)
    assert values["ε2"] == pytest.approx(3 / 20 + 1 / 8)
    assert values["α2"] == pytest.approx(log(29 / 11))
    assert values["w2(6)"] == pytest.approx(1 / 8 * 29 / 11 / 1.45)
    assert (values["wrong1"], values["wrong2"]) == pytest.approx((0.5, 0.5))
    assert values["error"] == pytest.approx(2 / 14)


@pytest.mark.parametrize("rounds", [1, 3, 6])
def test_boosting_is_that_of_the_estimator(rounds):
    X, y = play_tennis()
    lesson = teach.lesson("boosting", rounds=rounds)
    boosted = tw.AdaBoostClassifier(STUMP, n_rounds=rounds, method="m1").fit(X, y)
    for k in range(1, rounds + 1):
        assert boosted.errors_[k - 1] == pytest.approx(lesson.values[f"ε{k}"])
        assert boosted.weights_[k - 1] == pytest.approx(lesson.values[f"α{k}"])
    assert lesson.values["error"] == pytest.approx(1 - boosted.score(X, y))
    assert lesson.values["Σα"] == pytest.approx(boosted.weights_.sum())


def test_boosting_ends_with_a_stump_that_is_right_or_no_better_than_chance():
    sure = teach.lesson("boosting", teach.rows_of({"x": list("aabb"), "y": list("ppqq")}, "y"))
    assert sure.values["α1"] == 1
    assert len(sure.steps) == 4
    chance = teach.lesson("boosting", "xor")
    assert "half of the time or more" in chance.steps[-2].result


def test_bagging_by_hand():
    lesson = teach.lesson("bagging")
    assert lesson.values["P(left out)"] == pytest.approx((13 / 14) ** 14)
    for step in lesson.steps[1:4]:
        times = np.array(step.table[1][1:], int)
        assert times.sum() == 14
        k = step.title.split()[-1]
        assert lesson.values[f"left out{k}"] == (times == 0).sum()
    votes = np.array([row[1:3] for row in lesson.steps[4].table[1:]], int)
    assert (votes.sum(1) == 3).all()
    wrong = sum(row[3] != row[4] for row in lesson.steps[4].table[1:])
    assert lesson.values["error"] == pytest.approx(wrong / 14)


def test_draws_are_those_of_the_ensemble():
    X, y = play_tennis()
    bag = tw.BaggingClassifier(STUMP, n_trees=3, random_state=None)
    lesson = teach.lesson("bagging", seed=0)
    training, draws = bag.fit(X, y)._rows_again("a test", X, y, None), bag._draws()
    for k, step in enumerate(lesson.steps[1:4]):
        assert list(map(int, step.table[1][1:])) == draws.counts(training, k).tolist()


@pytest.mark.parametrize("topic", ["bagging", "boosting"])
def test_what_is_refused(topic):
    with pytest.raises(tw.OptionError, match="rounds=0 is not accepted"):
        teach.lesson(topic, rounds=0)
    many = teach.rows_of({"x": list(range(60)), "y": ["a", "b"] * 30}, "y")
    with pytest.raises(tw.OptionError, match="too many to calculate by hand"):
        teach.lesson(topic, many)
    alone = teach.rows_of({"x": [1, 1, 1], "y": ["a", "b", "a"]}, "y")
    with pytest.raises(tw.OptionError, match="nothing to test"):
        teach.lesson(topic, alone)


def test_numbers_are_cut():
    lesson = teach.lesson("boosting", "temperature", rounds=2)
    assert any("≤" in row[0] for step in lesson.steps for row in step.table)
