"""Models through files: what is saved comes back, what is damaged or hostile is refused, and files are whole or not."""

from __future__ import annotations

import json
import os
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from refusals import CLASSES, NUMBERS, X4, check_refused
from strategies import examples

MODELS = {
    "ID3Classifier": lambda: tw.ID3Classifier(base=3.0, empty="overall", max_depth=2).fit(X4, CLASSES),
    "error-complexity": lambda: tw.CARTClassifier(prune=tw.prune.ErrorComplexity(0.01)).fit(X4, CLASSES),
    "CARTClassifier": lambda: tw.CARTClassifier(prune=tw.prune.CostComplexity(0.01, risk="entropy")).fit(X4, CLASSES),
    "TreeClassifier": lambda: tw.TreeClassifier(
        splits="one-vs-rest", smoothing="laplace", class_weight={"n": 2.0}, kinds={"b": "nominal", "a": [1, 2, 3, 4]}
    ).fit(X4, CLASSES),
    "CARTRegressor": lambda: tw.CARTRegressor(criterion="poisson", random_state=7).fit(X4, NUMBERS),
    "M5Regressor": lambda: tw.M5Regressor(smooth=False).fit(X4, NUMBERS),
    "linear": lambda: tw.TreeRegressor(leaf="linear", ridge=0.1).fit(X4, NUMBERS),
    "logistic": lambda: tw.TreeClassifier(leaf="logistic", max_depth=1).fit(X4, CLASSES),
    "TreeRegressor": lambda: tw.TreeRegressor(splits="multiway", n_jobs=2).fit(list(zip(*X4.values())), NUMBERS),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.fixture
def saved(path):
    """A model's file, as a function that changes it: ``saved("schema", "target", "name", value)``."""
    tw.CARTClassifier(prune=tw.prune.CostComplexity(0.01)).fit(X4, CLASSES).save(path)
    document = json.loads(path.read_text("utf-8"))

    def change(*keys):
        *way, last, value = keys
        part = document
        for key in way:
            part = part[key]
        part[last] = value
        path.write_text(json.dumps(document), "utf-8")
        return path

    return change


def is_same(one, other):
    pairs = zip(one.tree_.arrays(), other.tree_.arrays(), strict=True)
    return one.tree_.leaf is other.tree_.leaf and all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_model_comes_back_whole(make, path):
    model = make()
    model.save(path)
    loaded = tw.load(path)
    assert type(loaded) is type(model)
    assert is_same(loaded, model)
    assert loaded.schema_ == model.schema_
    assert loaded.get_params() == model.get_params()
    # The rows of the fit stay with whoever has them; what was loaded knows what it comes from.
    assert set(vars(loaded)) - {"origin_"} == set(vars(model)) - {"_fitted_to"}
    assert loaded.n_features_in_ == 2
    table = X4 if hasattr(model, "feature_names_in_") else list(zip(*X4.values()))
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    assert str(loaded) == str(model)
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(loaded.classes_, model.classes_)
        assert loaded.classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_loaded_model_can_be_fitted_again(make, path):
    model = make()
    model.save(path)
    y = CLASSES if hasattr(model, "classes_") else NUMBERS
    again = clone(tw.load(path)).fit(X4, y)
    assert again.tree_.n_leaves == clone(model).fit(X4, y).tree_.n_leaves


@pytest.mark.parametrize(
    "classes", [[0, 1], [True, False], [1.0, 2.0], ["ä\n", "🎄"], [2**70, -1], ["a\0", "a"]], ids=str
)
def test_classes_keep_their_type(classes, path):
    model = tw.CARTClassifier().fit([[1], [2]], classes)
    model.save(path)
    assert tw.load(path).predict([[1], [2]]).tolist() == classes


def test_what_is_no_plain_data_is_left_out(path):
    model = tw.CARTClassifier(random_state=np.random.RandomState(0), prune=lambda tree, schema: tree)
    model.fit(X4, CLASSES).save(path)
    loaded = tw.load(path)
    assert (loaded.random_state, loaded.prune) == (None, None)
    assert loaded.predict(X4).tolist() == CLASSES


def test_an_estimator_that_load_would_not_know_is_not_saved(path):
    class MyTree(tw.CARTClassifier):
        pass

    check_refused(lambda: MyTree().fit(X4, CLASSES).save(path), "cannot save a MyTree", tw.TreewrightError)
    assert not path.exists()


def test_paths_may_be_text(path):
    MODELS["CARTClassifier"]().save(str(path))
    assert tw.load(str(path)).predict(X4).tolist() == CLASSES


# ---------------------------------------------------------------- whole or not at all


def test_a_failed_save_keeps_the_file_that_was_there(path, monkeypatch):
    tw.CARTClassifier().fit(X4, CLASSES).save(path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    check_refused(lambda: tw.CARTRegressor().fit(X4, NUMBERS).save(path), "disk full", tw.TreewrightError)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_reader_never_sees_half_a_file(path):
    random = np.random.default_rng(0)
    models = [tw.CARTClassifier(max_depth=depth).fit(random.normal(size=(3000, 2)), random.integers(0, 2, 3000))
              for depth in (2, None)]  # fmt: skip
    sizes = {model.tree_.n_nodes for model in models}
    models[0].save(path)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for model in models:
                model.save(path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert {tw.load(path).tree_.n_nodes for _ in range(30)} <= sizes
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("name", ["", "missing/model.json"])
def test_places_that_cannot_be_written_to(name, tmp_path):
    model = tw.CARTClassifier().fit(X4, CLASSES)
    check_refused(lambda: model.save(tmp_path / name), "cannot save the model", tw.TreewrightError)


# ---------------------------------------------------------------- damage


def check_unreadable(path, message):
    check_refused(lambda: tw.load(path), message, tw.ModelFileError)


def test_no_file(path):
    check_unreadable(path, "there is no file")


@pytest.mark.parametrize("content", ["", "{", "null", "[]", '"treewright"', "{}", "\x00\x01", "import os"])
def test_other_files(content, path):
    path.write_text(content)
    check_unreadable(path, "model.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(share=st.floats(0, 0.999))
def test_truncated_files(share, path):
    tw.CARTClassifier().fit(X4, CLASSES).save(path)
    text = path.read_bytes().rstrip()
    path.write_bytes(text[: int(share * len(text))])
    check_unreadable(path, "model.json")


@pytest.mark.parametrize("version", [0, 6, 99, "1", None, 1.6])
def test_other_versions(version, saved):
    check_unreadable(saved("version", version), f"format version {version!r}, this program reads up to version 5")


@pytest.mark.parametrize("name", ["os.system", "__class__", "TreeModel", "CARTclassifier", "", "builtins.eval"])
def test_unknown_estimators(name, saved):
    check_unreadable(saved("estimator", name), f"holds a {name!r}.*known are ID3Classifier")


@pytest.mark.parametrize("name", [None, 3, ["CARTClassifier"], {"name": "CARTClassifier"}])
def test_estimators_that_are_no_names(name, saved):
    check_unreadable(saved("estimator", name), "'estimator'.*not of the right type")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("max_depth", "3"),
        ("max_depth", -1),
        ("max_leaves", [1]),
        ("min_gain", {"float": "nan"}),
        ("criterion", "squared_error"),
        ("engine", {"a": 1}),
        ("kinds", "nominal"),
        ("class_weight", 5),
        ("n_jobs", 0),
        ("random_state", "now"),
        ("progress", "yes"),
        ("prune", "os.system"),
        ("prune", {"method": "eval", "alpha": "1"}),
        ("prune", {"method": ["CostComplexity"]}),
        ("prune", {"alpha": 1}),
        ("prune", {"method": "CostComplexity", "alpha": "large"}),
        ("prune", {"method": "CostComplexity", "alpha": -1}),
        ("prune", {"method": "CostComplexity", "alpha": 1, "__class__": "x"}),
        ("tree_", []),
        ("__class__", "x"),
        ("base", 2.0),
    ],
)
def test_parameters_that_do_not_fit(parameter, value, saved):
    check_unreadable(saved("parameters", parameter, value), "parameters do not fit a CARTClassifier")


def test_a_classifier_is_no_regressor(saved):
    check_unreadable(saved("estimator", "CARTRegressor"), "parameters do not fit a CARTRegressor")
    check_unreadable(saved("parameters", {}), "target does not fit a CARTRegressor")


def test_a_regressor_is_no_classifier(path):
    tw.CARTRegressor().fit(X4, NUMBERS).save(path)
    path.write_text(path.read_text().replace("CARTRegressor", "CARTClassifier").replace("squared_error", "gini"))
    check_unreadable(path, "target does not fit a CARTClassifier")


def test_the_tree_must_fit_the_classes(saved):
    check_unreadable(saved("schema", "target", "classes", ["n", "p", "q"]), ".")


def test_the_tree_must_fit_the_columns(saved):
    check_unreadable(saved("schema", "columns", []), ".")


def test_a_model_without_parameters_has_the_usual_ones(saved):
    assert tw.load(saved("parameters", {})).get_params() == tw.CARTClassifier().get_params()


def test_a_file_edited_by_hand_is_read_if_it_makes_sense(saved):
    model = tw.load(saved("schema", "target", "name", "decision"))
    assert str(model).startswith("CARTClassifier: decision")


def test_loading_runs_nothing(saved, monkeypatch):
    ran = []
    monkeypatch.setattr(os, "system", ran.append)
    for text in ("__import__('os').system('x')", "!!python/object/apply:os.system ['x']", "cos\nsystem\n(S'x'\ntR."):
        check_unreadable(saved("estimator", text), "holds a")
        check_unreadable(saved("parameters", "criterion", text), ".")
    assert not ran


def test_names_of_columns_are_kept_or_not(path):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    tw.CARTClassifier().fit(frame, [0, 1]).save(path)
    assert tw.load(path).feature_names_in_.tolist() == ["a", "b"]
    tw.CARTClassifier().fit(frame.to_numpy(), [0, 1]).save(path)
    assert not hasattr(tw.load(path), "feature_names_in_")
