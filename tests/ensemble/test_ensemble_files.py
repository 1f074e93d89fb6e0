from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table, same_trees
from treewright.ensemble.packed_trees import packed, unpacked

CLASSIFIERS = [
    tw.RandomForestClassifier(n_trees=3), tw.ExtraTreesClassifier(n_trees=3, max_columns=2),
    tw.BaggingClassifier(tw.C45Classifier(confidence=0.1), n_trees=2), tw.BaggingClassifier(n_trees=2),
    tw.BaggingClassifier(tw.CHAIDClassifier(), n_trees=2), tw.BaggingClassifier(tw.C45RulesClassifier(), n_trees=2),
    tw.BaggingClassifier(tw.C45Classifier(missing="surrogate", soft_thresholds=True), n_trees=2),
    tw.BaggingClassifier(tw.C50Classifier(), n_trees=2),
    tw.AdaBoostClassifier(n_rounds=3), tw.AdaBoostClassifier(tw.RandomForestClassifier(n_trees=2), n_rounds=2),
    tw.RandomForestClassifier(n_trees=2, costs={("no", "yes"): 3}), tw.AdaBoostClassifier(n_rounds=20, patience=2),
]  # fmt: skip
REGRESSORS = [
    tw.RandomForestRegressor(n_trees=3), tw.AdaBoostRegressor(n_rounds=3),
    tw.BaggingRegressor(tw.CARTRegressor(criterion="absolute_error"), n_trees=2),
    tw.BaggingRegressor(tw.M5Regressor(), n_trees=2),
]  # fmt: skip


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_an_ensemble_comes_back_as_it_was(model, tmp_path):
    X, y = mixed_table()
    check_comes_back(model.fit(X, y), X, tmp_path / "model.json")


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_an_ensemble_of_numbers_comes_back_as_it_was(model, tmp_path):
    check_comes_back(model.fit(DIABETES, PROGRESSION), DIABETES, tmp_path / "model.json")


def check_comes_back(model, X, path):
    model.save(path)
    other = tw.load(path)
    assert type(other) is type(model)
    assert str(other) == str(model)
    assert repr(other.get_params()) == repr(model.get_params())
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    if hasattr(model.members_, "trees"):
        assert same_trees(model, other)
        assert str(other[0]) == str(model[0])
    for name in ("errors_", "validation_curve_", "target_stats_"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
    other.save(path.with_name("again.json"))
    assert path.with_name("again.json").read_bytes() == path.read_bytes()


def test_files_have_the_curve_and_no_predictions_of_rows(tmp_path):
    forest = tw.RandomForestClassifier(n_trees=4).fit(IRIS, SPECIES)
    forest.save(tmp_path / "forest.json")
    other = tw.load(tmp_path / "forest.json")
    assert other.oob_error_ == forest.oob_error_
    np.testing.assert_array_equal(other.oob_curve_, forest.oob_curve_)
    with pytest.raises(tw.OptionError, match="this model was loaded"):
        _ = other.oob_predictions_


def test_files_are_small(tmp_path):
    """A node takes some bytes, where a tree's own file takes some tens."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(2000, 5)), random.integers(0, 2, 2000)
    forest = tw.RandomForestClassifier(n_trees=3).fit(X, y)
    forest.save(tmp_path / "forest.json")
    n_nodes = sum(tree.n_nodes for tree in forest.trees_)
    assert (tmp_path / "forest.json").stat().st_size < 40 * n_nodes


@given(arrays(np.float64, st.integers(0, 30)))
def test_packed_numbers_come_back(array):
    np.testing.assert_array_equal(unpacked(packed(array), len(array), "numbers").astype(np.float64), array)


@given(arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**62), 2**62)))
def test_packed_whole_numbers_come_back(array):
    np.testing.assert_array_equal(unpacked(packed(array), len(array), "numbers"), array)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d["trees"].update(n_branches=packed(np.zeros(3))), "must hold"),
        (lambda d: d["trees"]["edges"].update(data="####"), "damaged"),
        (lambda d: d["trees"]["edges"].update(type="object"), "unknown type"),
        (lambda d: d["trees"].update(nodes=[1]), "must hold"),
        (lambda d: d["trees"].update(nodes=[10**12]), "more nodes than can be numbered"),
        (lambda d: d["trees"].pop("stats"), "do not have the arrays"),
        (lambda d: d["trees"].update(leaf="roses"), "unknown kind"),
        (lambda d: d.pop("weights"), "lacks a part"),
        (lambda d: d.update(weights=packed(np.array([-1.0, 1.0]))), "not above 0"),
        (lambda d: d.update(more=1), "unknown entries more"),
        (lambda d: d.pop("trees"), "has no members"),
        (lambda d: d["learner"].update(estimator="Discretizer"), "do not fit a Discretizer|grows none"),
        (lambda d: d["learner"].update(estimator="os"), "is not known here"),
        (lambda d: d["learner"]["parameters"].update(max_depth=-1), "do not fit a CARTClassifier"),
        (lambda d: d.update(rows=0), "number of rows"),
        (lambda d: d["oob"].update(size=1), "must hold|for every member"),
    ],
)
def test_damaged_files(change, problem, tmp_path):
    path = tmp_path / "forest.json"
    tw.RandomForestClassifier(n_trees=2).fit(IRIS, SPECIES).save(path)
    document = json.loads(path.read_text())
    change(document["learned"])
    path.write_text(json.dumps(document))
    with pytest.raises(tw.ModelFileError, match=problem):
        tw.load(path)


def test_a_small_file_cannot_fill_the_memory(tmp_path):
    import base64
    import zlib

    bomb = {"type": "uint8", "data": base64.b64encode(zlib.compress(bytes(50_000_000))).decode()}
    with pytest.raises(tw.ModelFileError, match="must hold 10 numbers"):
        unpacked(bomb, 10, "numbers")


@pytest.mark.parametrize("member", [None, tw.CHAIDClassifier(), tw.C45RulesClassifier()], ids=repr)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_files_are_as_the_published_schema_says(member, tmp_path):
    from importlib.resources import files

    X, y = mixed_table()
    tw.BaggingClassifier(member, n_trees=2).fit(X, y).save(tmp_path / "bag.json")
    schema = json.loads((files("treewright.tree") / "model.schema.json").read_text())
    jsonschema.validate(json.loads((tmp_path / "bag.json").read_text()), schema)
