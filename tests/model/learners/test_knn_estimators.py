"""Nearest neighbours as estimators: votes, choice of k, options, files and bad input."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from treewright.kernels import switch

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESSION = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(0)
CLOUDS = np.vstack([RNG.normal(0, 1, (80, 3)), RNG.normal(1.5, 1, (80, 3))])
LABELS = np.repeat(["a", "b"], 80)
MIXED = pd.DataFrame(
    {"size": [1.0, 2.0, np.nan, 8.0, 9.0, 7.5], "colour": ["red", "red", "blue", "blue", None, "blue"]}
)
SAID = ["no", "no", "no", "yes", "yes", "yes"]


def weights_do_not_repeat_rows(estimator):
    reason = "k counts rows: a row of weight 2 is one neighbour with two votes, not two neighbours"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks([tw.KNNClassifier(), tw.KNNRegressor()], expected_failed_checks=weights_do_not_repeat_rows)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [tw.KNNClassifier(k="auto"), tw.KNNRegressor(metric="gower", k=3)],
    expected_failed_checks=weights_do_not_repeat_rows,
)
def test_scikit_learn_checks_of_options(estimator, check):
    check(estimator)


# ---- votes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["kd", "ball", "brute", "auto"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(("metric", "p"), [("euclidean", None), ("manhattan", None), ("minkowski", 3)])
def test_votes_are_scikit_learns(algorithm, weights, metric, p):
    queries = RNG.normal(0.7, 1, (60, 3))
    theirs = KNeighborsClassifier(7, weights=weights, metric=metric, **({"p": p} if p else {})).fit(CLOUDS, LABELS)
    model = tw.KNNClassifier(k=7, weights=weights, metric=metric, p=p, algorithm=algorithm, scale=None)
    model.fit(CLOUDS, LABELS)
    assert model.algorithm_ == ("kd" if algorithm == "auto" else algorithm)
    np.testing.assert_allclose(model.predict_proba(queries), theirs.predict_proba(queries), rtol=1e-10)
    assert (model.predict(queries) == theirs.predict(queries)).all()
    rows = model.kneighbors(queries)[1]
    np.testing.assert_array_equal(rows, theirs.kneighbors(queries)[1])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_means_are_scikit_learns(weights):
    model = tw.KNNRegressor(k=4, weights=weights, scale=None).fit(DIABETES, PROGRESSION)
    theirs = KNeighborsRegressor(4, weights=weights).fit(DIABETES, PROGRESSION)
    queries = DIABETES[:50] + 0.01
    np.testing.assert_allclose(model.predict(queries), theirs.predict(queries), rtol=1e-10)
    np.testing.assert_allclose(model.predict(DIABETES), theirs.predict(DIABETES), rtol=1e-10)


@pytest.mark.parametrize(("scale", "scaler"), [("standard", StandardScaler), ("minmax", MinMaxScaler)])
def test_scaling_is_that_of_a_pipeline(scale, scaler):
    X = CLOUDS * [1, 100, 0.01]
    theirs = make_pipeline(scaler(), KNeighborsClassifier(5)).fit(X, LABELS)
    np.testing.assert_allclose(tw.KNNClassifier(scale=scale).fit(X, LABELS).predict_proba(X), theirs.predict_proba(X))


def test_constant_columns_do_not_count():
    X = np.column_stack([CLOUDS, np.full(len(CLOUDS), 0.1)])
    for scale in ("standard", "minmax", None):
        model = tw.KNNClassifier(scale=scale).fit(X, LABELS)
        np.testing.assert_array_equal(
            model.predict(X), tw.KNNClassifier(scale=scale).fit(CLOUDS, LABELS).predict(CLOUDS)
        )


def test_of_tied_classes_the_first_is_predicted():
    model = tw.KNNClassifier(k=2, scale=None).fit([[0.0], [1.0]], ["b", "a"])
    assert model.predict([[0.1], [0.9]]).tolist() == ["a", "a"]
    assert model.predict_proba([[0.1]]).tolist() == [[0.5, 0.5]]


def test_of_tied_rows_the_first_is_nearer():
    X = [[0.0], [2.0], [2.0], [0.0]]
    assert tw.KNNClassifier(k=1, scale=None).fit(X, ["c", "b", "a", "a"]).predict([[1.0]]).tolist() == ["c"]


def test_training_error_of_1_nn_is_0_only_where_rows_are_distinct():
    distinct = np.unique(IRIS, axis=0, return_index=True)[1]
    assert tw.KNNClassifier(k=1).fit(IRIS[distinct], SPECIES[distinct]).score(IRIS[distinct], SPECIES[distinct]) == 1
    X, y = [[0.0], [0.0], [1.0]], ["a", "b", "b"]
    assert tw.KNNClassifier(k=1).fit(X, y).score(X, y) == pytest.approx(2 / 3)


def test_weights_of_rows_are_votes():
    X, y = [[0.0], [1.0], [1.1]], ["a", "b", "b"]
    assert tw.KNNClassifier(k=3).fit(X, y).predict([[0.0]]).tolist() == ["b"]
    model = tw.KNNClassifier(k=3).fit(X, y, sample_weight=[5, 1, 1])
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.predict_proba([[0.0]]).tolist() == [[5 / 7, 2 / 7]]
    assert tw.KNNClassifier(k=2).fit(X, y, sample_weight=[0, 1, 1]).predict([[0.0]]).tolist() == ["b"]
    assert tw.KNNRegressor(k=2).fit([[0.0], [1.0]], [0.0, 4.0], sample_weight=[3, 1]).predict([[0.0]]).tolist() == [1.0]


def test_costs_decide():
    X, y = [[0.0], [0.1], [0.2]], ["ill", "well", "well"]
    assert tw.KNNClassifier(k=3).fit(X, y).predict([[0.0]]).tolist() == ["well"]
    assert tw.KNNClassifier(k=3, costs={("ill", "well"): 9}).fit(X, y).predict([[0.0]]).tolist() == ["ill"]


def test_column_weights():
    X, y = {"a": [0.0, 1.0], "b": [1.0, 0.0]}, ["left", "right"]
    for weights, said in (({"a": 0.0}, "right"), ({"b": 0.0}, "left"), ([0.0, 1.0], "right")):
        model = tw.KNNClassifier(k=1, scale=None, column_weights=weights).fit(X, y)
        assert model.predict({"a": [0.0], "b": [0.0]}).tolist() == [said], weights


def test_a_mixed_table_with_missing_cells():
    for metric in ("auto", "heom", "gower", "vdm"):
        model = tw.KNNClassifier(k=1, metric=metric).fit(MIXED, SAID)
        assert model.metric_ == ("heom" if metric == "auto" else metric)
        # By Gower a missing cell is left out, so that the third row, blue and of no size, is at a distance of 0.
        said = "no" if metric == "gower" else "yes"
        assert model.predict({"size": [1.2, 8.2], "colour": ["red", "blue"]}).tolist() == ["no", said]
        assert len(model.predict({"size": [None], "colour": ["green"]})) == 1
    assert tw.KNNRegressor(k=2).fit(MIXED, [1.0, 2, 3, 4, 5, 6]).predict(MIXED[3:4]).tolist() == [5.0]


# ---- choosing k --------------------------------------------------------------------------------------------------


def slow_curve(model, X, y, folds, most):
    """A fit for every k and every fold."""
    numbers = y.dtype.kind == "f"
    errors = np.zeros((most, len(y)))
    for k in range(1, most + 1):
        for training, part in folds:
            fitted = model.set_params(k=k).fit(X[training], y[training])
            predicted = fitted.predict(X[part])
            errors[k - 1, part] = (predicted - y[part]) ** 2 if numbers else predicted != y[part]
    return errors.mean(1)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("options", [{}, {"scale": None}, {"metric": "gower"}, {"metric": "vdm"}])
def test_the_error_of_every_k_is_that_of_a_fit_each(weights, options):
    X, y = CLOUDS[::3], LABELS[::3]
    model = tw.KNNClassifier(k="auto", max_k=8, cv=5, weights=weights, random_state=3, **options).fit(X, y)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y))
    expected = slow_curve(tw.KNNClassifier(weights=weights, **options), X, y, folds, 8)
    np.testing.assert_allclose(model.k_curve_.errors, expected)
    assert model.k_ == model.k_curve_.best == int(np.argmin(expected)) + 1
    assert "5-fold" in str(model.k_curve_)


def test_the_error_of_every_k_for_numbers():
    X, y = DIABETES[:60], PROGRESSION[:60]
    model = tw.KNNRegressor(k="auto", max_k=6, cv=4).fit(X, y)
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    np.testing.assert_allclose(model.k_curve_.errors, slow_curve(tw.KNNRegressor(), X, y, folds, 6))


def test_leave_one_out_is_a_fit_for_every_row():
    X, y = CLOUDS[::5], LABELS[::5]
    folds = [(np.delete(np.arange(len(y)), i), np.array([i])) for i in range(len(y))]
    for weights in ("uniform", "distance"):
        model = tw.KNNClassifier(k="auto", max_k=6, cv="loo", scale=None, weights=weights).fit(X, y)
        expected = slow_curve(tw.KNNClassifier(scale=None, weights=weights), X, y, folds, 6)
        np.testing.assert_allclose(model.k_curve_.errors, expected)


def test_k_is_chosen_on_validation_rows():
    X, y, X_val, y_val = CLOUDS[::2], LABELS[::2], CLOUDS[1::2], LABELS[1::2]
    model = tw.KNNClassifier(k="auto", max_k=30).fit(X, y, X_val=X_val, y_val=y_val)
    errors = [1 - tw.KNNClassifier(k=k).fit(X, y).score(X_val, y_val) for k in range(1, 31)]
    np.testing.assert_allclose(model.k_curve_.errors, errors)
    assert model.k_ == int(np.argmin(errors)) + 1
    n = len(y_val)
    np.testing.assert_allclose(model.k_curve_.standard_errors, [np.sqrt(e * (1 - e) / n) for e in errors])


def test_k_with_costs_is_of_least_cost():
    costs = {("a", "b"): 10}
    model = tw.KNNClassifier(k="auto", max_k=10, costs=costs).fit(CLOUDS[::2], LABELS[::2], X_val=CLOUDS, y_val=LABELS)
    made = [tw.KNNClassifier(k=k, costs=costs).fit(CLOUDS[::2], LABELS[::2]).predict(CLOUDS) for k in range(1, 11)]
    costed = [np.mean(np.where(said == LABELS, 0, np.where(LABELS == "a", 10, 1))) for said in made]
    np.testing.assert_allclose(model.k_curve_.errors, costed)


def test_both_roads_choose_the_same_k():
    curves = []
    for policy in ("always", "never"):
        with switch.compiling(policy):
            curves.append(tw.KNNClassifier(k="auto").fit(IRIS, SPECIES).k_curve_.errors)
    np.testing.assert_array_equal(*curves)


# ---- words, copies and files -------------------------------------------------------------------------------------


MODELS = {
    "numbers": lambda: tw.KNNClassifier(k=3, metric="minkowski", p=3, weights="distance").fit(CLOUDS, LABELS),
    "mixed": lambda: tw.KNNClassifier(k=2, metric="gower", column_weights={"size": 2.0}).fit(MIXED, SAID),
    "auto": lambda: tw.KNNClassifier(k="auto", max_k=5, cv=3).fit(CLOUDS, LABELS, sample_weight=[1, 2] * 80),
    "ibk": lambda: tw.KNNClassifier(k=2, flavour="ibk").fit(MIXED, SAID),
    "regressor": lambda: tw.KNNRegressor(k=4, algorithm="ball").fit(DIABETES, PROGRESSION),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_model_comes_back_whole(make, tmp_path):
    model = make()
    model.save(tmp_path / "model.json")
    X = MIXED if model.n_features_in_ == 2 else CLOUDS if model.n_features_in_ == 3 else DIABETES
    for other in (tw.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.get_params() == model.get_params()
        assert str(other) == str(model)
        assert other.k_ == model.k_


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "model.json"
    tw.KNNClassifier(k=2).fit(MIXED, SAID).save(path)
    whole = json.loads(path.read_text())
    damages = {
        "k": [0, 99, "2", None], "rows": [[], [[1]], "x", [["a", 1]] * 6, [[1.0, 99]] * 6, [[{"float": "inf"}, 1]] * 6],
        "targets": [[0], [9] * 6, None, [0.5] * 6], "weights": [[1], [-1] * 6, "x"], "k_curve": [{}, "x", {"ks": []}],
    }  # fmt: skip
    for name, values in damages.items():
        for value in values:
            path.write_text(json.dumps({**whole, "learned": {**whole["learned"], name: value}}))
            with pytest.raises(tw.ModelFileError):
                tw.load(path)


def test_neighbours_explain_a_row():
    model = tw.KNNClassifier(k=3, scale=None).fit({"x": [0.0, 1.0, 5.0, 6.0]}, ["a", "a", "b", "b"])
    reason = model.explain({"x": 1.5})
    assert (reason.rows, reason.distances, reason.targets) == ((1, 0, 2), (0.5, 1.5, 3.5), ("a", "a", "b"))
    assert reason.prediction == "a"
    assert reason.shares == {"a": pytest.approx(2 / 3), "b": pytest.approx(1 / 3)}
    assert "1.5" in str(reason)
    assert model.explain([1.5]).rows == model.explain([[1.5]]).rows == reason.rows


# ---- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0}, {"k": -1}, {"k": 1.5}, {"k": "many"}, {"k": None}, {"k": True}, {"k": 5, "max_k": 3},
        {"metric": "cosine"},
        {"p": 3}, {"metric": "minkowski", "p": 0.5}, {"weights": "near"}, {"scale": "log"}, {"algorithm": "cover"},
        {"leaf_size": 0}, {"algorithm": "brute", "leaf_size": 3}, {"metric": "gower", "algorithm": "kd"}, {"cv": 1},
        {"column_weights": [1.0]}, {"column_weights": {"nowhere": 2.0}}, {"column_weights": [0.0, 0.0, 0.0]},
        {"column_weights": "heavy"}, {"flavour": "weka"}, {"flavour": "ibk", "scale": None},
        {"flavour": "ibk", "k": "auto"},
        {"k": "auto", "cv": "loo", "metric": "vdm"}, {"k": 999}, {"k": "auto", "cv": 1000, "max_k": 0},
    ],
    ids=str,
)  # fmt: skip
def test_options_that_are_refused(options):
    with pytest.raises(tw.OptionError, match="Hint"):
        tw.KNNClassifier(**options).fit(CLOUDS, LABELS)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_refused(bad):
    X = CLOUDS.copy()
    X[3, 1] = bad
    with pytest.raises(tw.DataError, match="row 3, column 'x1'"):
        tw.KNNClassifier(metric="euclidean").fit(X, LABELS)
    with pytest.raises(tw.DataError, match="row 3, column 'x1'"):
        tw.KNNClassifier().fit(CLOUDS, LABELS).predict(X)
    mixed = tw.KNNClassifier(metric="heom").fit(CLOUDS, LABELS)
    if np.isnan(bad):
        assert len(mixed.predict(X)) == len(X)
    else:
        with pytest.raises(tw.DataError, match="infinity"):
            mixed.predict(X)
        with pytest.raises(tw.DataError, match="infinity"):
            tw.KNNClassifier(metric="heom").fit(X, LABELS)


def test_tables_that_are_refused():
    with pytest.raises(tw.DataError, match="'colour' of X is nominal"):
        tw.KNNClassifier(metric="euclidean").fit(MIXED, SAID)
    with pytest.raises(tw.OptionError, match="the target is a number"):
        tw.KNNRegressor(metric="vdm").fit(MIXED, [1.0] * 6)
    with pytest.raises(tw.OptionError, match="no tree"):
        tw.KNNClassifier(algorithm="kd", k=1).fit(MIXED, SAID)
    with pytest.raises(tw.OptionError, match="X_val"):
        tw.KNNClassifier(k=3).fit(CLOUDS, LABELS, X_val=CLOUDS, y_val=LABELS)
    for rows in ({"X_val": CLOUDS}, {"y_val": LABELS}):
        with pytest.raises(tw.OptionError, match="go together"):
            tw.KNNClassifier(k="auto").fit(CLOUDS, LABELS, **rows)
    with pytest.raises(tw.DataError, match="1 sample"):
        tw.KNNRegressor(k="auto").fit([[1.0]], [2.0])
    for scale in ("standard", "minmax"):
        with pytest.raises(tw.DataError, match="too large"):
            tw.KNNClassifier(k=1, scale=scale).fit([[1e308], [-1e308], [0.0]], ["a", "b", "c"])
    with pytest.raises(tw.DataError, match="'c', a class"):
        tw.KNNClassifier(k="auto").fit(CLOUDS, LABELS, X_val=CLOUDS[:1], y_val=["c"])
    model = tw.KNNClassifier(k=3).fit(CLOUDS, LABELS)
    for k in (0, 161, 1.5, "auto"):
        with pytest.raises(tw.OptionError, match="k"):
            model.kneighbors(CLOUDS, k)
    with pytest.raises(tw.DataError, match="one row"):
        model.explain(CLOUDS[:2])
