"""What estimators share, tried on one that knows nothing of trees: any table in, the schema kept, saved and loaded."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass, field
from importlib import resources

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from refusals import CLASSES, X4, check_refused
from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Kind
from treewright.model.class_or_number import Classifies
from treewright.model.options.limit import Whole
from treewright.model.options.option_limits import LIMITS
from treewright.model.table_model import Form, register


@dataclass(kw_only=True, eq=False, repr=False)
class Nearest(Classifies):
    """The k nearest rows vote: numbers differ by their distance, levels by being others, a missing value by 1."""

    k: int = 1
    class_weight: object = field(default=None, init=False)
    priors: object = field(default=None, init=False)

    option_limits = {**LIMITS, "k": Whole(1)}  # noqa: RUF012 - a declaration

    def fit(self, X, y, sample_weight=None):
        self._check_options()
        frame, told = self._read_target(y, read_frame(X).n_rows, sample_weight).of(read_frame(X))
        schema = make_schema(frame, told.target, self.kinds)
        self._keep(schema, _learned(prediction_matrix(frame, schema), told.y, told.weights), named=frame.named)
        return self

    def predict_proba(self, X):
        near = np.argsort(self._distances(self._matrix(X)), 1, kind="stable")[:, : self.k]
        votes = np.eye(len(self.classes_))[self.codes_[near]] * self.weights_[near][..., np.newaxis]
        return votes.sum(1) / votes.sum((1, 2))[:, np.newaxis]

    def _distances(self, rows):
        apart = np.abs(rows[:, np.newaxis] - self.rows_)
        is_level = np.array([column.kind is not Kind.NUMERIC for column in self.schema_.columns])
        return np.where(np.isnan(apart), 1.0, np.where(is_level, apart > 0, apart)).sum(-1)


def _learned(rows, codes, weights):
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights)
    return {"rows_": np.asarray(rows, np.float64), "codes_": np.asarray(codes, np.int64), "weights_": weights}


register(
    Nearest,
    Form(
        "learned",
        lambda model: {"rows": model.rows_.tolist(), "codes": model.codes_.tolist(), "weights": model.weights_},
        lambda section, schema: _learned(section["rows"], section["codes"], section["weights"]),
    ),
)

MIXED = {"size": [1.0, None, 5.0, 6.0], "colour": ["red", "red", "blue", None]}
LABELS = ["small", "small", "large", "large"]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).to_dicts()])
def test_any_table_is_learned_from_and_columns_are_matched_by_name(make):
    model = Nearest().fit(make(MIXED), LABELS)
    assert model.predict(make({"colour": ["blue", "red"], "size": [5.5, 1.5]})).tolist() == ["large", "small"]
    assert model.predict({"other": [0], "size": [None], "colour": ["pink"]}).tolist() == ["small"]
    assert (model.schema_.names, model.n_features_in_) == (("size", "colour"), 2)
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    assert model.classes_.tolist() == ["large", "small"]
    assert model.score(make(MIXED), LABELS) == 1


def test_rows_without_a_target_or_of_no_weight_do_not_count():
    table, y = {"size": [1, 2, 3, 4]}, ["a", None, "b", "a"]
    with pytest.warns(tw.TreewrightWarning, match="1 of 4 rows have no target"):
        model = Nearest().fit(table, y, sample_weight=[1, 1, 1, 0])
    assert model.rows_.tolist() == [[1], [3]]
    assert model.predict_proba({"size": [1, 4]}).tolist() == [[1, 0], [0, 1]]
    assert model.predict_log_proba({"size": [1]}).tolist() == [[0, -np.inf]]
    assert model.log_likelihood({"size": [1, 4]}, ["a", "b"]) == 0


def test_costs_and_weights_are_minded():
    X, y = {"size": [1, 2, 3]}, ["well", "ill", "well"]
    assert Nearest(k=3).fit(X, y).predict({"size": [1]}).tolist() == ["well"]
    assert Nearest(k=3, costs={("ill", "well"): 5}).fit(X, y).predict({"size": [1]}).tolist() == ["ill"]
    assert Nearest(k=3).fit(X, y, sample_weight=[1, 3, 1]).predict({"size": [1]}).tolist() == ["ill"]


def test_options_are_those_that_are_declared():
    assert sorted(Nearest().get_params()) == ["costs", "k", "kinds", "n_jobs", "unseen"]
    assert repr(clone(Nearest(k=3))) == "Nearest(k=3)"
    with pytest.raises(TypeError, match="'neighbours'"):
        Nearest(neighbours=3)
    with pytest.raises(TypeError, match="'priors'"):
        Nearest(priors="equal")
    for option, value in {"k": 0, "unseen": "what", "n_jobs": 0, "kinds": 3, "costs": 3}.items():
        model = Nearest(**{option: value})
        check_refused(lambda model=model: model.fit(X4, CLASSES), f"{option}={value!r} is not accep", tw.OptionError)


def test_kinds_and_unseen_levels():
    model = Nearest(kinds={"size": "nominal"}, unseen="error").fit({"size": [1, 2]}, ["a", "b"])
    assert model.schema_.columns[0].kind is Kind.NOMINAL
    check_refused(lambda: model.predict({"size": [3]}), "'size' holds the level 3")


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = Nearest().fit(MIXED, LABELS)
    before = dict(vars(model))
    for X, y, message in [
        (MIXED, None, "Nearest requires y"),
        (MIXED, ["a"] * 4, "one class"),
        (MIXED, LABELS[:3], "inconsistent numbers"),
        (3, LABELS, "not a table"),
    ]:
        check_refused(lambda X=X, y=y: model.fit(X, y), message)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert not hasattr(model.fit([[1], [2]], ["a", "b"]), "feature_names_in_")


def test_an_unfitted_model():
    for method in ("predict", "predict_proba", "save"):
        with pytest.raises(NotFittedError, match="This Nearest instance is not fitted yet"):
            getattr(Nearest(), method)("x")
    assert str(Nearest()) == "Nearest()"


def test_a_model_comes_back_from_its_file(tmp_path):
    model = Nearest(k=2, kinds={"colour": ["red", "blue"]}, costs={("large", "small"): 2.0}).fit(MIXED, LABELS)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert type(loaded) is Nearest
    assert loaded.get_params() == model.get_params()
    assert loaded.schema_ == model.schema_
    assert set(vars(loaded)) == {*vars(model), "origin_"}
    np.testing.assert_array_equal(loaded.predict_proba(MIXED), model.predict_proba(MIXED))
    published = json.loads(resources.files("treewright.tree").joinpath("model.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads((tmp_path / "model.json").read_text("utf-8")), published)


@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy])
def test_copies_predict_alike(copied):
    model = Nearest().fit(MIXED, LABELS)
    assert copied(model).predict(MIXED).tolist() == LABELS


def test_files_name_what_they_hold(tmp_path):
    path = tmp_path / "model.json"
    Nearest().fit(MIXED, LABELS).save(path)
    document = json.loads(path.read_text("utf-8"))
    for change, message in [
        ({"estimator": "CARTClassifier"}, "holds a 'CARTClassifier'.*known are .*Nearest"),
        ({"estimator": "Discretizer"}, "parameters do not fit a Discretizer"),
        ({"parameters": {"k": 0}}, "parameters do not fit a Nearest"),
        ({"learned": []}, "'learned'.*not of the right type"),
        ({"tree": {}}, "unknown entries 'learned'"),
    ]:
        path.write_text(json.dumps({**document, **change}), "utf-8")
        check_refused(lambda: tw.load(path), message, tw.ModelFileError)


def test_it_is_compared_with_trees():
    table = tw.datasets.load("play_tennis")
    X = {name: column for name, column in table.X.items() if name != "day"}
    compared = tw.compare([tw.ID3Classifier(), Nearest(k=3)], X, table.y, cv=3)
    assert [row.model for row in compared.rows] == ["ID3Classifier", "Nearest"]


@parametrize_with_checks([Nearest()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
