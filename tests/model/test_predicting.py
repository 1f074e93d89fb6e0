"""Predicting, explaining and listing rules are views of one tree: they must agree, on any table and any row."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from strategies import Problem, examples, problems
from treewright.split import STOP

LEVELS = "abcdefgh"
CLASSIFIERS = [
    tw.CARTClassifier(),
    tw.CARTClassifier(criterion="entropy", max_depth=2),
    tw.ID3Classifier(),
    tw.ID3Classifier(empty="overall"),
    tw.TreeClassifier(splits="one-vs-rest", smoothing="laplace"),
    tw.TreeClassifier(splits="multiway", smoothing=2.0, min_rows_leaf=2),
]
# Policies that send a missing value one way; test_missing.py has the others.
CLASSIFIERS += [
    tw.CARTClassifier(missing="surrogate"),
    tw.CARTClassifier(missing="common"),
    tw.ID3Classifier(missing="branch", max_leaves=5),
    tw.TreeClassifier(missing="common", splits="one-vs-rest", criterion="gain_ratio"),
]
REGRESSORS = [
    tw.CARTRegressor(),
    tw.TreeRegressor(splits="multiway", max_depth=3),
    tw.CARTRegressor(missing="surrogate"),
]

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")  # columns that look like identifiers


@dataclass(frozen=True)
class Case:
    """An estimator, the rows to learn from, and others with values and levels that training may not have seen.

    It is fitted when first used: the first fit compiles kernels, for which drawing an example has not the time.
    """

    estimator: Any
    seen: list[dict[str, Any]]
    y: np.ndarray
    weights: np.ndarray | None
    new: list[dict[str, Any]]

    @cached_property
    def model(self) -> Any:
        return clone(self.estimator).fit(self.seen, self.y, sample_weight=self.weights)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return self.seen + self.new


def cell(kind: str, value: float) -> Any:
    if math.isnan(value):
        return None
    return float(value) if kind == "numeric" else LEVELS[int(value) - 1]


def rows_of(problem: Problem) -> list[dict[str, Any]]:
    columns = {f"x{j}": [cell(c.kind, v) for v in c.values.tolist()] for j, c in enumerate(problem.columns)}
    return [dict(zip(columns, cells)) for cells in zip(*columns.values())]


def kinds_of(problem: Problem) -> dict[str, Any]:
    """The order of ordinal levels is given by listing them."""
    kinds = enumerate(column.kind for column in problem.columns)
    return {f"x{j}": list(LEVELS[:5]) if kind == "ordinal" else kind for j, kind in kinds}


def new_cells(kind: str | list[str]) -> st.SearchStrategy[Any]:
    """Halfway values hit thresholds; level h is in no table."""
    if kind == "numeric":
        return (
            st.none() | st.integers(-8, 8).map(lambda value: value / 4) | st.sampled_from([-math.inf, math.inf, 1e300])
        )
    return st.sampled_from([None, *LEVELS[:5], "h"])


@st.composite
def cases(draw: st.DrawFn, models: tuple[Any, ...] = (*CLASSIFIERS, *REGRESSORS)) -> Case:
    model = draw(st.sampled_from(models))
    is_number = hasattr(model, "criterion") and model.criterion == "squared_error"
    problem = draw(problems("numbers" if is_number else "classes", max_rows=25))
    assume(is_number or len(np.unique(problem.y)) > 1)
    kinds = kinds_of(problem)
    y = problem.y if is_number else np.array(["no", "yes", "maybe", "never"])[problem.y]
    rows = st.fixed_dictionaries({name: new_cells(kind) for name, kind in kinds.items()})
    new = draw(st.lists(rows, min_size=1, max_size=6))
    return Case(clone(model).set_params(kinds=kinds), rows_of(problem), y, problem.weights, new)


def code_of(model, split, row: dict[str, Any]) -> int:
    column = model.schema_.columns[split.column]
    value = row[column.name]
    if value is None:
        return 0
    if column.kind == "numeric":
        return 1 + sum(value > edge for edge in split.edges)
    return column.levels.index(value) + 1 if value in column.levels else 0


def branch_of(model, node, row: dict[str, Any]) -> int:
    """``branch_of[code]``, code 0 being missing or unseen; surrogates are asked first where there are any."""
    code = code_of(model, node.split, row)
    branch = node.split.branch_of[code]
    if code == 0 or branch < 0:
        codes = ((surrogate.split, code_of(model, surrogate.split, row)) for surrogate in node.surrogates)
        named = [split.branch_of[other] for split, other in codes if other and split.branch_of[other] >= 0]
        return int(named[0] if named else node.split.branch_of[0])
    return int(branch)


def walked(model, row: dict[str, Any]) -> list[int]:
    """The nodes of a row's path, from ``Node.split`` and ``Node.surrogates`` alone."""
    node, path = model.tree_.root, [0]
    while not node.is_leaf and (branch := branch_of(model, node, row)) != STOP:
        node = node.children[branch]
        path.append(node.id)
    return path


def stops_rows(model) -> bool:
    """Whether rows may end at a node that is no leaf: where surrogates say nothing and no branch is the heaviest."""
    return bool((model.tree_.branch_of == STOP).any())


def values_of(model, rows) -> np.ndarray:
    return model.predict_proba(rows) if hasattr(model, "classes_") else model.predict(rows)[:, None]


@settings(max_examples=examples(80))
@given(cases())
def test_apply_and_decision_path_walk_the_splits(case):
    paths = [walked(case.model, row) for row in case.rows]
    assert case.model.apply(case.rows).tolist() == [path[-1] for path in paths]
    matrix = case.model.decision_path(case.rows)
    assert matrix.shape == (len(paths), case.model.tree_.n_nodes)
    assert [np.flatnonzero(row).tolist() for row in matrix.toarray()] == paths


@settings(max_examples=examples(80))
@given(cases())
def test_predictions_are_the_values_of_the_leaves(case):
    model, leaves = case.model, case.model.apply(case.rows)
    np.testing.assert_array_equal(values_of(model, case.rows), model.tree_.value[leaves])
    if hasattr(model, "classes_"):
        expected = model.classes_[values_of(model, case.rows).argmax(-1)]
        assert model.predict(case.rows).tolist() == expected.tolist()
        np.testing.assert_allclose(values_of(model, case.rows).sum(-1), 1)


@settings(max_examples=examples(60))
@given(cases())
def test_explanations_end_where_predictions_do(case):
    model = case.model
    for row, value, answer in zip(case.rows, values_of(model, case.rows), model.predict(case.rows).tolist()):
        reasons = model.explain(row)
        assert list(reasons.distribution) == value.tolist()
        assert reasons.prediction == answer
        path = walked(model, row)
        assert reasons.leaves == (path[-1],)
        steps = [step for step in reasons.steps if step.child != step.node]
        assert [0, *(step.child for step in steps)] == path
        assert [step.rows for step in steps] == model.tree_.rows[path[1:]].tolist()
        assert str(reasons).count("\n") == 1 + len(reasons.steps)


@settings(max_examples=examples(60))
@given(cases())
def test_explanations_say_what_was_missing_or_unseen(case):
    for row in case.new:
        for step in case.model.explain(row).steps:
            levels = next(column.levels for column in case.model.schema_.columns if column.name == step.column)
            value = row[step.column]
            assert step.missing == (value is None)
            assert step.unseen == (isinstance(value, str) and value not in levels)


@settings(max_examples=examples(60))
@given(cases())
def test_rules_are_the_leaves(case):
    model = case.model
    rules = {rule.leaf: rule for rule in model.rules()}
    assert len(model.rules()) == len(rules) == model.tree_.n_leaves
    for row, leaf, answer in zip(case.rows, model.apply(case.rows).tolist(), model.predict(case.rows).tolist()):
        if leaf not in rules:
            assert stops_rows(model)
            continue
        assert rules[leaf].prediction == answer, row
        assert rules[leaf].rows == model.tree_.rows[leaf]
    assert sum(rule.rows for rule in rules.values()) == model.tree_.rows[0] or stops_rows(model)
    printed = str(model)
    assert all(f"[{leaf}]" in printed for leaf in rules) or model.tree_.n_nodes > 150


@settings(max_examples=examples(60))
@given(cases())
def test_counts_at_leaves_are_the_rows_that_arrive(case):
    arrived = np.bincount(case.model.apply(case.seen), minlength=case.model.tree_.n_nodes)
    leaves = case.model.tree_.n_branches == 0
    np.testing.assert_array_equal(arrived[leaves], case.model.tree_.rows[leaves])


@settings(max_examples=examples(60))
@given(cases())
def test_an_unseen_level_is_missing(case):
    """A level that is not in the schema leads where None does."""
    levels = {column.name: column.levels for column in case.model.schema_.columns if column.kind != "numeric"}
    blanked = [
        {name: None if name in levels and value not in levels[name] else value for name, value in row.items()}
        for row in case.new
    ]
    np.testing.assert_array_equal(case.model.apply(case.new), case.model.apply(blanked))


@settings(max_examples=examples(60))
@given(cases())
def test_order_of_named_columns_does_not_matter(case):
    turned = [dict(reversed(row.items())) for row in case.rows]
    np.testing.assert_array_equal(case.model.apply(turned), case.model.apply(case.rows))
    assert str(case.model.explain(turned[-1])) == str(case.model.explain(case.rows[-1]))


@settings(max_examples=examples(60))
@given(cases())
def test_a_saved_model_predicts_alike(case):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        case.model.save(path)
        loaded = tw.load(path)
    assert type(loaded) is type(case.model)
    for before, after in zip(case.model.tree_.arrays(), loaded.tree_.arrays(), strict=True):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(values_of(loaded, case.rows), values_of(case.model, case.rows))
    assert loaded.predict(case.rows).tolist() == case.model.predict(case.rows).tolist()
    assert str(loaded) == str(case.model)
    assert str(loaded.explain(case.new[0])) == str(case.model.explain(case.new[0]))


# ---------------------------------------------------------------- what is refused


@pytest.fixture
def tennis():
    table = pd.DataFrame(tw.datasets.load("play_tennis").table).drop(columns="day")
    return table.drop(columns="play"), table["play"]


def test_unseen_levels_are_an_error_if_asked_for(tennis):
    X, y = tennis
    model = tw.ID3Classifier(unseen="error").fit(X, y)
    assert model.score(X, y) == 1
    with pytest.raises(tw.DataError, match=r"outlook.*Foggy"):
        model.predict(X.assign(outlook="Foggy"))
    blank = X.assign(outlook=None)
    assert model.predict(blank).tolist() == tw.ID3Classifier().fit(X, y).predict(blank).tolist()


def test_a_missing_column_is_named(tennis):
    X, y = tennis
    model = tw.ID3Classifier().fit(X, y)
    for ask in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises(tw.DataError, match="humidity"):
            ask(X.drop(columns="humidity"))
    with pytest.raises(tw.DataError, match="humidity"):
        model.explain({"outlook": "Sunny", "temperature": "Hot", "windy": "Weak"})


def test_a_row_is_explained_in_any_form(tennis):
    X, y = tennis
    model = tw.ID3Classifier().fit(X, y)
    expected = str(model.explain(X.iloc[0].to_dict()))
    in_polars = pl.DataFrame({name: cells.tolist() for name, cells in X.items()})[:1]
    for row in (
        X.iloc[[0]], X.iloc[0], X.iloc[0].tolist(), {name: [cells.iloc[0]] for name, cells in X.items()}, in_polars,
    ):  # fmt: skip
        assert str(model.explain(row)) == expected


def test_numbers_on_the_edge_go_left():
    model = tw.CARTClassifier().fit([[1.0], [2.0]], ["left", "right"])
    above = np.nextafter(1.5, 2)
    rows = np.array([[1.5], [above], [-np.inf], [np.inf]])
    assert model.predict(rows).tolist() == ["left", "right", "left", "right"]


def test_columns_that_are_really_called_x0_and_x1_are_matched_by_name():
    X = pd.DataFrame({"x0": [1.0, 2.0, 3.0, 4.0], "x1": [9.0, 9.0, 9.0, 9.0]})
    model = tw.CARTClassifier().fit(X, ["low", "low", "high", "high"])
    assert model.predict(X[["x1", "x0"]]).tolist() == ["low", "low", "high", "high"]


def test_a_leaf_of_zeros_can_be_saved(tmp_path):
    """Squares are summed around a centre; moved back, rounding may leave a sum of zeros just below zero."""
    for thirds in range(1, 40):
        model = tw.CARTRegressor().fit([[0], [0], [1], [1]], [0.0, 0.0, thirds / 3, 1 / 3])
        assert (model.tree_.stats[:, 2] >= 0).all()
        model.save(tmp_path / "model.json")
        assert tw.load(tmp_path / "model.json").predict([[0]]) == pytest.approx([0.0], abs=1e-12)


def test_a_declared_level_without_rows_predicts_as_its_parent():
    """No row has the value, so the leaf has the majority class of its parent. Missing values go down the heaviest
    branch, where most are of the other class."""
    X = pd.DataFrame({"g": pd.Categorical(list("xxxyyyy"), categories=list("xyz")), "h": list("abababa")})
    new = pd.DataFrame({"g": ["z", None], "h": ["a", "a"]})
    for model in (tw.ID3Classifier(), tw.TreeClassifier(splits="multiway")):
        model.fit(X, list("nnnnyyy"))
        assert model.predict(new).tolist() == ["n", "y"]
        assert model.predict_proba(new)[0].tolist() == pytest.approx([4 / 7, 3 / 7])
    number = tw.TreeRegressor(splits="multiway").fit(X, [1.0, 1, 1, 1, 5, 5, 5])
    assert number.predict(new[:1]).tolist() == pytest.approx([19 / 7])
    two_ways = tw.CARTClassifier().fit(X, list("nnnnyyy"))
    assert two_ways.predict(new).tolist() == ["y", "y"]
    assert two_ways.schema_.columns[0].levels == ("x", "y")


def test_a_level_without_rows_at_a_node_predicts_as_the_node():
    """Level z occurs below b only. Below a the commonest class is y, and most rows have the level x of class n."""
    X = {"o": list("aaaaaaabbb"), "g": list("xxxwwwyzzz")}
    y = [*"nnnyyyykkm"]
    model = tw.ID3Classifier(force={0: "o", 1: "g"}).fit(X, y)
    assert model.predict({"o": ["a"], "g": ["z"]}).tolist() == ["y"]
    assert model.predict_proba({"o": ["a"], "g": ["z"]})[0].tolist() == pytest.approx([0, 0, 3 / 7, 4 / 7])


def test_levels_that_a_node_has_not_seen_go_as_missing_values_in_a_tree_that_has_no_surrogates():
    """Surrogates are asked first, but no node has one: "c" does not occur where x0 is tested."""
    known = [("c", None), ("d", "c"), (None, "a"), (None, "c"), ("b", "c"), (None, "a"), (None, "a"), (None, "b")]
    x0, x3 = zip(*known, *[(None, None)] * 15)
    y = ["never" if row == (None, "c") else "no" for row in zip(x0, x3)]
    weights = [2.0 if level == "b" else 1.0 for level in x0]
    model = tw.CARTClassifier(missing="surrogate", kinds={"x3": list("abc")})
    model.fit({"x0": x0, "x3": x3}, y, sample_weight=weights)
    assert not any(node.surrogates for node in model.tree_.nodes())
    rows = [{"x0": level, "x3": "c"} for level in (None, "c")]
    leaves = model.apply(rows)
    assert model.tree_.node(int(leaves[0])).is_leaf
    assert leaves[1] == leaves[0]
    assert [model.explain(row).leaves for row in rows] == [(leaf,) for leaf in leaves]
