"""What the page's script says is what treewright says: answers, texts, SQL and filters."""

from __future__ import annotations

import math
import re
import subprocess
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from page_script import HERE, NODE, answers, needs_node
from treewright.data.schema import Unit
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import format_number, format_share, format_value
from treewright.explain.significance_text import p_text, split_test
from treewright.model.shown.page_view import page_view
from treewright.page.tree_view import rows_view

pytestmark = [needs_node, pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")]
SOME = 120
SIZE = 'it\'s a "size" [of\\it]'


def mixed_table(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, levels with odd names, ordered levels, dates, and values missing in all of them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        SIZE: np.round(rng.normal(size=n_rows), 3),
        'col"our': rng.choice(["red", "it's", 'say "hi"', "<b>", "a, b"], n_rows),
        "grade": pd.Categorical(rng.choice(["low", "mid", "high"], n_rows), ["low", "mid", "high"], ordered=True),
        "flag": rng.choice([True, False], n_rows),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, n_rows), "D"),
        "count": rng.integers(0, 6, n_rows),
    })  # fmt: skip
    score = table[SIZE] + (table['col"our'] == "red") * 1.5 + (table["grade"] == "high") + table["flag"] * 0.7
    target = pd.Series(np.where(score + rng.normal(scale=0.5, size=n_rows) > 0.8, "yes", "no"), name="bought")
    for name in (SIZE, 'col"our', "grade", "when"):
        table.loc[rng.random(n_rows) < 0.08, name] = None
    return table, target


X, Y = mixed_table()
TABLE = pd.concat([X, mixed_table(SOME, seed=1)[0]], ignore_index=True)
NUMBERS = X[SIZE].fillna(0) * 3 + X["count"]
MODELS = {
    "cart": tw.CARTClassifier(max_leaves=30),
    "surrogates": tw.CARTClassifier(max_leaves=20, missing="surrogate"),
    "id3": tw.ID3Classifier(max_depth=4),
    "c45": tw.C45Classifier(),
    "chaid": tw.CHAIDClassifier(min_rows_split=20, min_rows_leaf=8),
    "laplace": tw.TreeClassifier(smoothing="laplace", max_leaves=12),
    "costs": tw.CARTClassifier(costs={("no", "yes"): 5}, priors="equal", max_leaves=12),
    "stop": tw.CARTClassifier(missing="stop", max_leaves=20),
    "every": tw.CARTClassifier(missing="every", max_leaves=20),
    "soft": tw.C45Classifier(soft_thresholds=True),
    "regressor": tw.CARTRegressor(max_leaves=20),
    "medians": tw.CARTRegressor(criterion="absolute_error", max_leaves=10),
    "m5": tw.M5Regressor(prune=False),
    "linear": tw.TreeRegressor(leaf="linear", max_leaves=6, missing="stop"),
    "c50": tw.C50Classifier(),
    "c50 soft": tw.C50Classifier(soft_thresholds=True, confidence=0.5, min_cases=1),
    "c50 costs": tw.C50Classifier(costs={("no", "yes"): 5}),
}
OF_NUMBERS = ("regressor", "medians", "m5", "linear")
SENDING_ONE_WAY = ("cart", "id3", "chaid", "laplace", "stop", "regressor")


@cache  # a model is fitted once, and the script is asked once for all that it says of it
def fitted_to(name: str):
    return MODELS[name].fit(X, NUMBERS if name in OF_NUMBERS else Y)


@cache
def told(name: str) -> dict[str, Any]:
    model = fitted_to(name)
    matrix = np.asarray(model._matrix(TABLE, range(len(model.schema_.columns))), float)
    rows = rows_view(matrix, model.tree_.columns_used.tolist())
    return answers({"view": page_view(model), "rows": rows, "nodes": list(range(model.tree_.n_nodes))})


@pytest.mark.parametrize("name", MODELS)
def test_rows_go_where_the_model_sends_them(name):
    model, found = fitted_to(name), told(name)
    assert found["leaves"] == model.apply(TABLE).tolist()
    values = model.predict_proba(TABLE) if hasattr(model, "classes_") else model.predict(TABLE)[:, None]
    assert found["values"] == values.tolist()  # to the last digit


@pytest.mark.parametrize("name", MODELS)
def test_texts_are_those_of_the_prints(name):
    model, found = fitted_to(name), told(name)
    rules = {rule.leaf: str(rule).partition("   (")[0] for rule in model.rules()}
    assert {v: found["rules"][v] for v in rules} == rules
    if model.tree_.test.size:
        inner = [node for node in model.tree_.nodes() if not node.is_leaf]
        said = [found["tests"][node.id].split(",")[0] for node in inner]
        assert said == [split_test(node.test).split(",")[0] for node in inner]


@pytest.mark.parametrize("name", MODELS)
def test_a_row_made_for_a_node_comes_by(name):
    found = told(name)
    for v, nodes in enumerate(found["reached"]):
        rule = found["rules"][v]
        assert v in nodes or " in {}" in rule or "is missing" in rule or "stop" in found["sql"][v], rule


def rows_by_node(model, table: pd.DataFrame) -> list[set[int]]:
    visited = model.decision_path(table).toarray()
    return [set(np.flatnonzero(visited[:, v]).tolist()) for v in range(model.tree_.n_nodes)]


@pytest.mark.parametrize("name", SENDING_ONE_WAY)
def test_filters_of_pandas_pick_the_rows_of_the_node(name):
    nodes = rows_by_node(fitted_to(name), TABLE)
    for v, text in enumerate(told(name)["pandas"]):
        picked = eval(text.partition("\n#")[0], {"df": TABLE, "pd": pd})
        assert set(picked.index.tolist()) == nodes[v], text


@pytest.mark.parametrize("name", SENDING_ONE_WAY)
def test_conditions_of_sql_pick_the_rows_of_the_node(name):
    duckdb = pytest.importorskip("duckdb", reason="the SQL of the page is run by a database")
    nodes = rows_by_node(fitted_to(name), TABLE)
    table = TABLE.assign(place=np.arange(len(TABLE)), grade=TABLE["grade"].astype(object))
    with duckdb.connect() as connection:
        connection.register("rows_of_it", table)
        for v, text in enumerate(told(name)["sql"]):
            picked = connection.execute(f"SELECT place FROM rows_of_it WHERE {text}\n").fetchall()
            assert {place for (place,) in picked} == nodes[v], text


def said_of(model: Any, table: pd.DataFrame) -> dict[str, Any]:
    """What the script makes of the rows of a table."""
    view = page_view(model)
    asked_columns = [model.schema_.names.index(column["name"]) for column in view["columns"]]
    matrix = np.asarray(model._matrix(table, range(len(model.schema_.columns))), float)
    return answers({"view": view, "rows": rows_view(matrix, asked_columns)})


def test_rules_with_linear_models_predict_as_the_rule_set_does():
    model = tw.M5RulesRegressor().fit(X, NUMBERS)
    assert any(rule.model is not None and rule.model.terms for rule in model.rule_set())
    assert [value for (value,) in said_of(model, TABLE)["values"]] == model.predict(TABLE).tolist()


BOOSTED = {"costs": {("no", "yes"): 4}, "trials": 4}
OF_MANY = {
    "forest": tw.RandomForestClassifier(n_trees=12),
    "extra trees": tw.ExtraTreesRegressor(n_trees=9),
    "bagged rules": tw.BaggingClassifier(tw.C45RulesClassifier(), n_trees=3),
    "hard votes": tw.BaggingClassifier(tw.C45Classifier(), n_trees=5),
    "m1": tw.AdaBoostClassifier(tw.CARTClassifier(max_depth=2), n_rounds=6, method="m1"),
    "samme": tw.AdaBoostClassifier(n_rounds=8),
    "r2": tw.AdaBoostRegressor(n_rounds=7),
    "c5.0 trials": tw.C50Classifier(trials=5),
    "c5.0 costs": tw.C50Classifier(**BOOSTED),
    "c5.0 rules": tw.C50Classifier(rules=True, trials=4),
    "cubist": tw.CubistRegressor(committees=3),
}
ROUNDED = ("samme",)  # exp() of another library may differ in its last digit


@pytest.mark.parametrize("name", OF_MANY)
def test_members_together_predict_as_the_model_does(name):
    of_numbers = isinstance(OF_MANY[name], tw.ExtraTreesRegressor | tw.AdaBoostRegressor | tw.CubistRegressor)
    model = OF_MANY[name].fit(X, NUMBERS if of_numbers else Y)
    values = model.predict(TABLE)[:, None] if of_numbers else model.predict_proba(TABLE)
    found = said_of(model, TABLE)["values"]
    if name in ROUNDED:
        np.testing.assert_allclose(found, values, rtol=1e-14)
    else:
        assert found == values.tolist()


def test_cubist_alone_is_shown_as_its_rules():
    model = tw.CubistRegressor().fit(X, NUMBERS)
    assert page_view(model)["kind"] == "rules"
    assert [value for (value,) in said_of(model, TABLE)["values"]] == model.predict(TABLE).tolist()


def test_rules_decide_as_the_rule_set_does():
    model = tw.C45RulesClassifier().fit(X, Y)
    view = page_view(model)
    asked_columns = [model.schema_.names.index(column["name"]) for column in view["columns"]]
    matrix = np.asarray(model._matrix(X, range(len(model.schema_.columns))), float)
    found = answers({"view": view, "rows": rows_view(matrix, asked_columns)})
    assert found["places"] == model._decided(X).tolist()


def test_rules_vote_as_the_rule_set_does():
    model = tw.C50Classifier(rules=True).fit(X, Y)
    view = page_view(model)
    asked_columns = [model.schema_.names.index(column["name"]) for column in view["columns"]]
    matrix = np.asarray(model._matrix(X, range(len(model.schema_.columns))), float)
    found, voted = answers({"view": view, "rows": rows_view(matrix, asked_columns)}), model.rule_set_.voted(matrix)
    assert found["places"] == voted.places.tolist()
    np.testing.assert_allclose(found["values"], voted.shares)


def test_numbers_and_names_are_written_as_everywhere():
    rng = np.random.default_rng(0)
    numbers = [
        *(rng.normal(size=200) * 10.0 ** rng.integers(-9, 15, 200)),
        0.0,
        0.5,
        -2.5,
        1e-5,
        123456.75,
        2.5e16,
        1 / 3,
    ]
    numbers = [float(x) for x in numbers]
    shares = [0.0, 0.001, 0.08, 0.125, 0.375, 0.9999, 1.0, *rng.random(100).tolist()]
    levels = [
        "plain",
        "",
        " led",
        "a, b",
        "it's",
        'say "hi"',
        "two\nlines",
        "שלום",
        "🙂",
        "\u202eabc",
        2,
        2.5,
        True,
        "back\\slash",
    ]
    logs = [-0.5, -20.25, -2302.585092994, 0.0, -700.5]
    thresholds = [
        (19000.5, "date"),
        (1641600000.5, "datetime"),
        (273600.0, "duration"),
        (-90061.25, "duration"),
        (3.25, "number"),
    ]
    asked_for = {"numbers": [(x, d) for x in numbers for d in (3, 6)], "shares": shares, "levels": levels, "logs": logs}
    found = answers({**asked_for, "thresholds": thresholds})
    assert found["numbers"] == [format_number(x, d) for x in numbers for d in (3, 6)]
    assert found["shares"] == [format_share(x, " ") for x in shares]
    assert found["levels"] == [level_text(level) for level in levels]
    assert [line for line in found["lines"] if line] == [one_line(x) for x in levels if isinstance(x, str) and x]
    assert found["logs"] == [p_text(x) for x in logs]
    assert found["thresholds"] == [format_value(x, Unit(unit)) for x, unit in thresholds]
    assert all(math.isfinite(x) for x in numbers)


def test_the_scripts_own_tests_pass():
    tests = sorted(map(str, HERE.glob("*.test.mjs")))
    run = subprocess.run([NODE, "--test", *tests], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"pass [1-9]", run.stdout)
