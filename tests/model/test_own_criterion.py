"""Criteria by name and of one's own, and functions that select and stop."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples, problems
from treewright.criteria import CRITERIA

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")

CLASSES = [name for name, one in CRITERIA.items() if one.target == "classes"]
NUMBERS = [name for name, one in CRITERIA.items() if one.target == "moments"]
STYLES = ["subset", "multiway", "one-vs-rest"]


def own_gini(table: tw.Table) -> np.ndarray:
    """Gini gain, written as anyone would."""

    def gini(counts):
        total = counts.sum(-1, keepdims=True)
        return 1 - ((counts / np.where(total > 0, total, 1)) ** 2).sum(-1)

    return gini(table.pooled) - (table.shares * gini(table.counts)).sum(-1)


def profit(table: tw.Table) -> np.ndarray:
    """What the best offer to each branch earns: 10 from a buyer, -1 from anyone else, 0 without an offer."""
    earned = np.maximum(table.counts @ np.array([-1.0, 10.0]), 0).sum(-1)
    return (earned - np.maximum(table.pooled @ np.array([-1.0, 10.0]), 0)) / table.pooled.sum(-1)


@pytest.fixture
def people():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, 400), "town": rng.choice(list("abcd"), 400), "n": rng.normal(size=400)}
    )
    buys = (X["age"] > 60) & (X["town"] != "c") | (rng.random(400) < 0.05)
    return X, np.where(buys, "yes", "no")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("engine", ["exact", "histogram"])
def test_gini_of_ones_own_grows_the_tree_of_gini(people, style, engine):
    X, y = people
    options = {"splits": style, "engine": engine, "min_rows_leaf": 5, "missing": "fractional"}
    own, ours = (tw.TreeClassifier(criterion=c, **options).fit(X, y) for c in (own_gini, "gini"))
    for name in ("parent", "column", "edges", "rows"):
        np.testing.assert_array_equal(getattr(own.tree_, name), getattr(ours.tree_, name))
    np.testing.assert_allclose(own.tree_.gain, ours.tree_.gain, atol=1e-12)


def test_profit_finds_what_pays(people):
    X, y = people
    model = tw.TreeClassifier(criterion=profit, max_depth=2, min_gain=1e-9).fit(X, y)
    assert {model.schema_.columns[node.split.column].name for node in model.tree_.nodes() if node.split} <= set(X)
    assert model.tree_.gain[0] > 0
    assert model.tree_.n_leaves <= 4
    smaller = model.prune("cost-complexity", alpha=0.05)
    assert smaller.tree_.n_leaves <= model.tree_.n_leaves


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("style", STYLES)
def test_every_criterion_of_classes_grows_a_tree(people, name, style):
    X, y = people
    model = tw.TreeClassifier(criterion=name, splits=style, max_depth=3, min_rows_leaf=5).fit(X, y)
    assert model.tree_.n_leaves > 1
    assert model.score(X, y) > np.mean(y == "no")


@pytest.mark.parametrize("name", NUMBERS)
def test_every_criterion_of_numbers_grows_a_tree(people, name):
    X, _ = people
    y = X["age"] / 10 + (X["town"] == "a")
    assert tw.TreeRegressor(criterion=name, max_depth=3).fit(X, y).score(X, y) > 0.8


@settings(max_examples=examples(60), deadline=None)
@given(problems("classes", max_rows=20), st.sampled_from(CLASSES), st.sampled_from(STYLES))
def test_the_split_taken_scores_what_its_criterion_says(problem, name, style):
    """The gain of the root is the measure of the table of its branches, and no column's own best is above it."""
    assume(len(np.unique(problem.y)) > 1)
    X = {f"x{j}": [None if np.isnan(v) else float(v) for v in c.values] for j, c in enumerate(problem.columns)}
    kinds = {f"x{j}": "nominal" if c.kind == "nominal" else "numeric" for j, c in enumerate(problem.columns)}
    options = {"criterion": name, "splits": style, "kinds": kinds, "max_depth": 1, "missing": "branch"}
    model = tw.TreeClassifier(**options).fit(X, problem.y)
    tree = model.tree_
    if tree.n_leaves > 1:
        expected = CRITERIA[name].score(tw.Table(tree.stats[1:]))
        assert tree.gain[0] == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    for column in X:
        alone = tw.TreeClassifier(**options | {"kinds": {column: kinds[column]}}).fit({column: X[column]}, problem.y)
        assert alone.tree_.gain[0] <= tree.gain[0] + 1e-9 * max(1, abs(tree.gain[0]))


# ---------------------------------------------------------------- select and stop


def test_select_may_prefer_the_second_best(people):
    X, y = people
    seen = []

    def second(candidates):
        seen.append([(c.column, c.score) for c in candidates])
        return candidates[min(1, len(candidates) - 1)]

    model = tw.TreeClassifier(select=second, max_depth=1).fit(X, y)
    (ranking,) = seen
    assert [score for _, score in ranking] == sorted((score for _, score in ranking), reverse=True)
    assert model.schema_.columns[model.tree_.root.split.column].name == ranking[1][0]
    assert model.tree_.gain[0] == pytest.approx(ranking[1][1])


def test_select_may_select_nothing(people):
    assert tw.TreeClassifier(select=lambda candidates: None).fit(*people).tree_.n_leaves == 1


def test_a_candidate_knows_its_table_and_its_split(people):
    X, y = people
    kept = []
    tw.TreeClassifier(select=lambda candidates: kept.extend(candidates), max_depth=1).fit(X, y)
    age = next(c for c in kept if c.column == "age")
    left = X["age"].to_numpy() <= age.split.edges[0]
    assert age.table.counts.tolist() == [[np.sum(y[side] == c) for c in ("no", "yes")] for side in (left, ~left)]


def test_select_must_return_a_candidate(people):
    with pytest.raises(tw.OptionError, match="select returned 'age'"):
        tw.TreeClassifier(select=lambda candidates: "age").fit(*people)


def test_stop_makes_leaves(people):
    X, y = people
    model = tw.TreeClassifier(stop=lambda node: node.depth >= 2 or node.stats.min() < 3).fit(X, y)
    assert model.tree_.depth <= 2
    for node in model.tree_.nodes():
        if not node.is_leaf:
            assert node.stats.min() >= 3


def test_stop_holds_when_growing_best_first(people):
    X = people[0]
    model = tw.TreeRegressor(stop=lambda node: node.rows < 50, max_leaves=30).fit(X, X["n"])
    assert all(node.n >= 50 for node in model.tree_.nodes() if not node.is_leaf)


def test_a_criterion_of_the_wrong_shape_is_refused(people):
    with pytest.raises(tw.OptionError, match="shape"):
        tw.TreeClassifier(criterion=lambda table: table.counts.sum()).fit(*people)


@pytest.mark.parametrize("value", ["nonsense", 3, None, "squared_error"])
def test_unknown_criteria_are_refused(people, value):
    with pytest.raises(tw.OptionError, match="criterion="):
        tw.TreeClassifier(criterion=value).fit(*people)


def test_a_model_with_functions_can_be_saved(people, tmp_path):
    X, y = people
    model = tw.TreeClassifier(criterion=profit, max_depth=2).fit(X, y)
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict(X).tolist() == model.predict(X).tolist()


def test_a_criterion_that_returns_no_numbers_is_refused(people):
    with pytest.raises(tw.OptionError, match="the criterion returned 'abc'"):
        tw.TreeClassifier(criterion=lambda table: "abc").fit(*people)
