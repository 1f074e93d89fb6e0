from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table, play_tennis
from treewright.ensemble.boosting_rounds import boosting_round, regression_round
from treewright.ensemble.votes import weighted_median

TABLES = {
    "iris": (IRIS, SPECIES),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "four classes": make_classification(400, 8, n_informative=5, n_classes=4, random_state=0),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
def test_samme_on_stumps_is_that_of_scikit_learn(name, learning_rate):
    X, y = TABLES[name]
    ours = tw.AdaBoostClassifier(n_rounds=25, learning_rate=learning_rate).fit(X, y)
    theirs = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, random_state=0), n_estimators=25, learning_rate=learning_rate
    ).fit(X, y)
    np.testing.assert_allclose(ours.weights_, theirs.estimator_weights_, atol=1e-9)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_, atol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    staged = [np.mean(said != y) for said in theirs.staged_predict(X)]
    np.testing.assert_allclose(ours.error_curve(X, y), staged, atol=1e-9)


def test_play_tennis_by_hand():
    """One split on outlook is wrong on 4 of 14 days: ε = 4/14, α = ln(10/4); then the wrong days weigh half of all."""
    X, y = play_tennis()
    boosted = tw.AdaBoostClassifier(n_rounds=2, method="m1").fit(X, y)
    first = boosted[0]
    wrong = np.array(first.predict(X)) != np.array(y)
    assert boosted.errors_[0] == pytest.approx(wrong.sum() / 14)
    assert boosted.weights_[0] == pytest.approx(np.log((1 - boosted.errors_[0]) / boosted.errors_[0]))
    weights = np.where(wrong, np.exp(boosted.weights_[0]), 1.0)
    weights /= weights.sum()
    assert weights[wrong].sum() == pytest.approx(0.5)
    second = np.array(boosted[1].predict(X)) != np.array(y)
    assert boosted.errors_[1] == pytest.approx(weights[second].sum())


def test_of_two_classes_m1_and_samme_are_the_same():
    X, y = mixed_table()
    one, other = (tw.AdaBoostClassifier(n_rounds=8, method=method).fit(X, y) for method in ("m1", "samme"))
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.predict_proba(X).sum(1) == pytest.approx(1)


@pytest.mark.parametrize("method", ["m1", "samme"])
@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize(
    "member",
    [
        tw.C45Classifier(max_depth=2),
        tw.ID3Classifier(max_depth=2),
        tw.CHAIDClassifier(),
        tw.C45RulesClassifier(),
        tw.C50Classifier(),
    ],
    ids=lambda member: type(member).__name__,
)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_any_classifier_is_boosted(member, method, resample):
    X, y = mixed_table()
    boosted = tw.AdaBoostClassifier(member, n_rounds=3, method=method, resample=resample).fit(X, y)
    assert 1 <= len(boosted) <= 3
    assert boosted.score(X, y) > 0.55
    assert type(boosted[0]) is type(member)


def test_rounds_weigh_what_was_wrong():
    wrong = np.array([True, False, False, False, False])
    made = boosting_round(np.full(5, 0.2), wrong, 3, "samme")
    assert made.say == pytest.approx(np.log(4) + np.log(2))
    assert made.weights[0] / made.weights[1] == pytest.approx(8)
    assert boosting_round(np.full(5, 0.2), ~wrong, 2).say == 0
    assert boosting_round(np.full(5, 0.2), wrong & False, 2)[:2] == (0.0, 1.0)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers_are_boosted(loss):
    boosted = tw.AdaBoostRegressor(n_rounds=10, loss=loss).fit(DIABETES, PROGRESSION)
    assert boosted.score(DIABETES, PROGRESSION) > 0.5
    said = np.stack([member.predict(DIABETES) for member in boosted], axis=1)
    np.testing.assert_allclose(boosted.predict(DIABETES), weighted_median(said, boosted.weights_))
    curve = boosted.error_curve(DIABETES, PROGRESSION)
    assert curve[-1] == pytest.approx(np.sqrt(((boosted.predict(DIABETES) - PROGRESSION) ** 2).mean()))
    assert regression_round(np.full(4, 0.25), np.zeros(4), loss).say == 1


def test_r2_is_as_good_as_scikit_learns():
    """Draws differ, so the errors are compared and not the models."""
    from sklearn.ensemble import AdaBoostRegressor

    X, y, new, truth = DIABETES[:100], PROGRESSION[:100], DIABETES[100:], PROGRESSION[100:]
    ours = [tw.AdaBoostRegressor(n_rounds=20, random_state=s).fit(X, y).score(new, truth) for s in range(5)]
    theirs = [AdaBoostRegressor(n_estimators=20, random_state=s).fit(X, y).score(new, truth) for s in range(5)]
    assert np.mean(ours) > np.mean(theirs) - 0.1


def test_boosting_stops_when_held_out_rows_are_not_predicted_better():
    X, y = make_classification(400, 6, n_informative=2, n_redundant=0, flip_y=0.3, random_state=0)
    boosted = tw.AdaBoostClassifier(n_rounds=200, patience=5).fit(X, y)
    curve = boosted.validation_curve_
    assert len(boosted) == curve.argmin() + 1 < 200
    assert len(curve) - len(boosted) == 5
    plain = tw.AdaBoostClassifier(n_rounds=3).fit(X, y)
    assert not hasattr(plain, "validation_curve_")


def test_a_member_without_errors_ends_it():
    boosted = tw.AdaBoostClassifier(tw.CARTClassifier(), n_rounds=10).fit(IRIS[:100], SPECIES[:100])
    assert len(boosted) == 1
    assert boosted.errors_.tolist() == [0.0]


def test_a_member_no_better_than_chance():
    X, y = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, [0, 1, 1, 0]
    with pytest.raises(tw.DataError, match="no better than chance"):
        tw.AdaBoostClassifier(n_rounds=3).fit(X, y)


@pytest.mark.parametrize("n_rows", [14, 20, 22])
def test_chance_but_for_rounding(n_rows):
    with pytest.raises(tw.DataError, match="no better than chance"):
        tw.AdaBoostClassifier(n_rounds=3).fit(np.zeros((n_rows, 1)), [0, 1] * (n_rows // 2))


def test_weights_of_rows_are_where_boosting_starts():
    X, y = mixed_table()
    weights = np.where(y == "yes", 5.0, 1.0)
    boosted = tw.AdaBoostClassifier(n_rounds=1).fit(X, y, sample_weight=weights)
    stump = tw.CARTClassifier(max_depth=1).fit(X, y, sample_weight=weights)
    assert (boosted.predict(X) == stump.predict(X)).all()
    assert boosted.errors_[0] == pytest.approx(np.average(stump.predict(X) != y, weights=weights))
