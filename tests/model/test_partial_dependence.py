from __future__ import annotations

import numpy as np
import pytest
from sklearn.inspection import partial_dependence as of_sklearn

import treewright as tw
from ensemble_tables import DIABETES, PROGRESSION, mixed_table
from treewright.model.evaluate import partial_dependence


@pytest.mark.parametrize(
    "model",
    [tw.CARTRegressor(max_depth=4), tw.RandomForestRegressor(n_trees=5), tw.AdaBoostRegressor(n_rounds=5)],
    ids=lambda model: type(model).__name__,
)
def test_means_are_those_of_scikit_learn(model):
    model.fit(DIABETES, PROGRESSION)
    found = partial_dependence(model, DIABETES, "x2", grid=7)
    wanted = of_sklearn(model, DIABETES, [2], method="brute", kind="both", custom_values={2: np.array(found.values[0])})
    np.testing.assert_allclose(found.mean, wanted["average"][0])
    np.testing.assert_allclose(found.rows, wanted["individual"][0])


def test_levels_and_classes():
    X, y = mixed_table()
    model = tw.C45Classifier().fit(X, y)
    found = partial_dependence(model, X, "colour", label="no")
    assert found.values == (("blue", "green", "red"),)
    for value, mean in zip(found.values[0], found.mean):
        changed = X.assign(colour=value)
        assert mean == pytest.approx(model.predict_proba(changed)[:, 0].mean())
    assert str(found).splitlines()[0] == "colour: mean prediction of the probability that y = no"
    assert list(found.to_dict()) == ["colour", "prediction"]


def test_two_columns():
    X, y = mixed_table()
    model = tw.RandomForestClassifier(n_trees=3).fit(X, y)
    found = partial_dependence(model, X, ["colour", "size"], grid=5)
    assert found.mean.shape == (3, 5)
    low = float(found.values[1][0])
    assert found.mean[2, 0] == pytest.approx(model.predict_proba(X.assign(colour="red", size=low))[:, 1].mean())
    assert len(found.to_dict()["prediction"]) == 15


def test_rules_too():
    X, y = mixed_table()
    model = tw.C45RulesClassifier().fit(X, y)
    assert partial_dependence(model, X, "size").mean.shape[0] > 3


def test_a_part_of_many_rows_is_used():
    X, y = mixed_table()
    model = tw.CARTClassifier().fit(X, y)
    assert partial_dependence(model, X, "size", max_rows=50).rows.shape[0] == 50


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"columns": "weight"}, "unknown column 'weight'"),
        ({"columns": ["size", "colour", "noise"]}, "one or two columns"),
        ({"columns": "size", "label": "maybe"}, "has no class 'maybe'"),
        ({"columns": "size", "grid": 1}, "grid"),
    ],
)
def test_bad_input(options, problem):
    X, y = mixed_table()
    model = tw.CARTClassifier().fit(X, y)
    with pytest.raises(tw.OptionError, match=problem):
        partial_dependence(model, X, **options)


def test_numbers_have_no_label():
    model = tw.CARTRegressor().fit(DIABETES, PROGRESSION)
    with pytest.raises(tw.OptionError, match="predicts numbers"):
        partial_dependence(model, DIABETES, "x0", label="yes")


def test_columns_without_names_are_given_by_their_place():
    X, y = np.array([[0.0, 5.0], [1.0, 6.0], [2.0, 7.0], [3.0, 8.0]]), ["a", "a", "b", "b"]
    model = tw.CARTClassifier().fit(X, y)
    by_place, by_name = partial_dependence(model, X, 1), partial_dependence(model, X, model.schema_.names[1])
    assert by_place.mean.tolist() == by_name.mean.tolist()
    with pytest.raises(tw.OptionError, match="unknown column '7'"):
        partial_dependence(model, X, 7)
