"""scikit-learn's own checks, and the places where estimators are used: clone, pipelines, searches, pickles."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingRegressor
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

AS_THEY_COME = [
    tw.ID3Classifier(),
    tw.C45Classifier(),
    tw.CARTClassifier(),
    tw.CHAIDClassifier(),
    tw.CARTRegressor(),
    tw.CHAIDRegressor(exhaustive=True),
    tw.SearchTreeClassifier(search=(2,), cv=2, repeats=1),
    tw.SearchTreeRegressor(search=(2,), cv=2, repeats=1),
]
WITH_OPTIONS = [
    tw.C45Classifier(missing="surrogate"),
    tw.CHAIDClassifier(missing="surrogate"),
    tw.TreeClassifier(splits="one-vs-rest", smoothing="laplace"),
    tw.TreeRegressor(splits="multiway"),
]
ESTIMATORS = [*AS_THEY_COME, *WITH_OPTIONS]
NAMES = [type(estimator).__name__ for estimator in ESTIMATORS]
IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESSION = load_diabetes(return_X_y=True)


TRANSFORMERS = [tw.Discretizer(), tw.Discretizer(method="optimal"), tw.Discretizer(method="quantile")]


FLAVOURS = [tw.CHAIDClassifier(flavour="r"), tw.CHAIDClassifier(flavour="pypi", bonferroni=False)]


BY_MEDIAN = [tw.CARTRegressor(criterion="absolute_error"), tw.TreeRegressor(criterion="absolute_error", missing="stop")]


OF_MODELS = [tw.TreeRegressor(leaf="linear", max_depth=3), tw.TreeClassifier(leaf="logistic", max_depth=2)]
BY_ROWS = [tw.M5Regressor(), tw.M5RulesRegressor(), tw.CubistRegressor(committees=2, neighbors=3)]


def fails_on_purpose(estimator) -> dict[str, str]:
    """M5' and Cubist count rows, not weights, for the least sizes of branches and rules."""
    if type(estimator) not in map(type, BY_ROWS):
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is not two rows"}


IN_OTHER_WAYS = [*WITH_OPTIONS, *TRANSFORMERS[1:], *FLAVOURS, *BY_MEDIAN, *OF_MODELS]


@parametrize_with_checks(
    [*AS_THEY_COME, *TRANSFORMERS[:1], tw.C45RulesClassifier(), *BY_ROWS], expected_failed_checks=fails_on_purpose
)
def test_scikit_learn_checks(estimator, check):
    check_as_scikit_learn(estimator, check)


@pytest.mark.slow
@parametrize_with_checks(IN_OTHER_WAYS, expected_failed_checks=fails_on_purpose)
def test_scikit_learn_checks_of_options(estimator, check):
    check_as_scikit_learn(estimator, check)


def check_as_scikit_learn(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__ and hasattr(estimator, "cv"):
        pytest.skip("it passes folds as row numbers, which count rows of no weight")
    check(estimator)


def data_for(estimator):
    return (IRIS, SPECIES) if is_classifier(estimator) else (DIABETES, PROGRESSION)


def mixed_table(n_rows=120):
    """Text and gaps, which scikit-learn's own trees do not take."""
    random = np.random.default_rng(0)
    colour, size = random.choice(["red", "green", "blue"], n_rows), random.normal(size=n_rows)
    y = np.where((colour == "red") ^ (size > 0.3), "yes", "no")
    size[::10] = np.nan
    return pd.DataFrame({"colour": colour, "size": size}), y


# ---------------------------------------------------------------- copies


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize(
    "copied", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_predict_alike(estimator, copied):
    X, y = data_for(estimator)
    model = clone(estimator).fit(X, y)
    other = copied(model)
    assert other.get_params() == model.get_params()
    assert str(other) == str(model)
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    np.testing.assert_array_equal(other.apply(X), model.apply(X))


def test_an_unfitted_model_is_pickled():
    model = pickle.loads(pickle.dumps(tw.CARTClassifier(max_depth=3, prune=tw.prune.CostComplexity(0.1))))
    assert (model.max_depth, model.prune) == (3, tw.prune.CostComplexity(0.1))


def test_a_clone_is_unfitted_and_has_the_same_options():
    model = tw.TreeClassifier(criterion="entropy", kinds={"colour": "nominal"}, class_weight={"yes": 2})
    table, y = mixed_table()
    cloned = clone(model.fit(table, y))
    assert cloned.get_params() == model.get_params()
    assert not hasattr(cloned, "tree_")


def test_only_options_that_differ_are_shown():
    assert repr(tw.CARTClassifier(max_depth=3)) == "CARTClassifier(max_depth=3)"
    assert "CARTClassifier" in tw.CARTClassifier().fit(IRIS, SPECIES)._repr_html_()


def test_kinds_of_estimators():
    for estimator in [*ESTIMATORS, tw.C45RulesClassifier()]:
        name = type(estimator).__name__
        assert (is_classifier(estimator), is_regressor(estimator)) == ("Classifier" in name, "Regressor" in name)
        tags = get_tags(estimator)
        assert tags.input_tags.allow_nan
        assert tags.input_tags.string
        assert tags.input_tags.categorical
        assert not tags.input_tags.sparse
        assert tags.target_tags.required


# ---------------------------------------------------------------- searches


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_cross_validation(estimator):
    X, y = data_for(estimator)
    scores = cross_val_score(estimator.__class__(max_depth=3), X, y, cv=5)
    assert len(scores) == 5
    assert scores.mean() > (0.9 if is_classifier(estimator) else 0.2)


def test_a_grid_is_searched():
    search = GridSearchCV(tw.CARTClassifier(), {"max_depth": [0, 3], "criterion": ["gini", "entropy"]}, cv=3)
    search.fit(IRIS, SPECIES)
    assert search.best_params_["max_depth"] == 3
    assert search.best_score_ > 0.9
    assert search.best_estimator_.tree_.depth <= 3


def test_a_grid_of_pruners_is_searched():
    pruners = [tw.prune.CostComplexity(alpha) for alpha in (0.0, 0.02, 10.0)]
    search = GridSearchCV(tw.CARTClassifier(), {"prune": pruners}, cv=3).fit(IRIS, SPECIES)
    assert search.best_params_["prune"].alpha < 10
    assert search.cv_results_["mean_test_score"][2] < 0.5


def test_searches_in_threads_give_the_same_scores():
    """Kernels are entered from several threads at once."""

    def scores(n_jobs):
        return cross_val_score(tw.CARTClassifier(n_jobs=2), IRIS, SPECIES, cv=8, n_jobs=n_jobs)

    with joblib.parallel_config(backend="threading"):
        np.testing.assert_array_equal(scores(4), scores(1))


def test_text_and_gaps_pass_through_searches():
    table, y = mixed_table()
    search = GridSearchCV(tw.CARTClassifier(), {"min_rows_leaf": [1, 3]}, cv=3, error_score="raise").fit(table, y)
    assert search.best_score_ > 0.8
    assert set(cross_val_predict(tw.ID3Classifier(max_depth=4), table, y, cv=3)) == {"yes", "no"}


def test_options_without_sense_fail_a_search():
    with pytest.raises(ValueError, match="max_depth=-1 is not accepted"):
        GridSearchCV(tw.CARTClassifier(), {"max_depth": [-1]}, error_score="raise").fit(IRIS, SPECIES)


# ---------------------------------------------------------------- within other estimators


def test_the_end_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), tw.CARTClassifier(random_state=0))
    pipeline.set_params(cartclassifier__max_depth=2).fit(IRIS, SPECIES)
    assert pipeline.score(IRIS, SPECIES) > 0.9
    assert pipeline[-1].tree_.depth == 2
    assert pickle.loads(pickle.dumps(pipeline)).predict(IRIS).tolist() == pipeline.predict(IRIS).tolist()


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_names_come_out_of_a_pipeline_if_asked_for(container):
    if container == "polars" and SKLEARN < (1, 8) and not hasattr(pl.DataFrame, "__dataframe__"):
        pytest.skip("this scikit-learn knows polars frames by a protocol that this polars has dropped")
    table, y = mixed_table()
    fill = make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include="number")),
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(fill, tw.CARTClassifier()).set_output(transform=container)
    pipeline.fit(table, y)
    assert pipeline[-1].feature_names_in_.tolist() == ["size", "colour"]
    assert pipeline.score(table, y) > 0.9
    assert "colour" in str(pipeline[-1])


def test_a_boosted_tree_is_given_weights():
    stumps = AdaBoostClassifier(tw.CARTClassifier(max_depth=1), n_estimators=10, random_state=0).fit(IRIS, SPECIES)
    assert stumps.score(IRIS, SPECIES) > 0.9
    assert len({stump.tree_.edges[0] for stump in stumps.estimators_}) > 1


def test_bagged_trees():
    forest = BaggingRegressor(tw.CARTRegressor(min_rows_leaf=5), n_estimators=5, random_state=0)
    assert forest.fit(DIABETES, PROGRESSION).score(DIABETES, PROGRESSION) > 0.5


def test_importance_by_permutation():
    model = tw.CARTClassifier(max_depth=3).fit(IRIS, SPECIES)
    drops = permutation_importance(model, IRIS, SPECIES, random_state=0).importances_mean
    assert drops.argmax() in (2, 3)


# ---------------------------------------------------------------- weights and names


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_weights_are_routed(estimator):
    X, y = data_for(estimator)
    weights = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(estimator).set_params(max_depth=2).set_fit_request(sample_weight=True)
        asked.set_score_request(sample_weight=True)
        search = GridSearchCV(asked, {"max_depth": [3]}, cv=2).fit(X, y, sample_weight=weights)
        direct = clone(asked).set_params(max_depth=3).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(search.best_estimator_.tree_.stats, direct.tree_.stats)
        assert weight_of(direct) == weights.sum()

        results = cross_validate(asked, X, y, cv=2, params={"sample_weight": weights}, return_estimator=True)
        assert sum(weight_of(model) for model in results["estimator"]) == weights.sum()


def weight_of(model):
    root = model.tree_.stats[0]
    return root.sum() if is_classifier(model) else root[0]


def test_weights_nobody_asked_about_are_refused():
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), tw.CARTClassifier())
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            pipeline.fit(IRIS, SPECIES, sample_weight=np.ones(len(SPECIES)))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_names_are_kept(make):
    model = tw.CARTClassifier().fit(make({"a": [1, 2], "b": [3, 4]}), [0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.feature_names_in_.dtype == object
    assert model.n_features_in_ == 2


def test_tables_without_names_have_none():
    assert not hasattr(tw.CARTClassifier().fit(IRIS, SPECIES), "feature_names_in_")


def test_score_is_that_of_scikit_learn():
    model = tw.CARTClassifier(max_depth=1).fit(IRIS, SPECIES)
    assert model.score(IRIS, SPECIES) == pytest.approx((model.predict(IRIS) == SPECIES).mean())
    number = tw.CARTRegressor(max_depth=1).fit(DIABETES, PROGRESSION)
    error = ((number.predict(DIABETES) - PROGRESSION) ** 2).mean() / PROGRESSION.var()
    assert number.score(DIABETES, PROGRESSION) == pytest.approx(1 - error)
