"""Model trees of Weka's M5P as stored: shape, rows and errors of leaves, coefficients and predictions."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import stored
import treewright as tw
from treewright.data.encode import encode, make_schema
from treewright.data.frame import read_frame
from treewright.data.schema import Target
from treewright.engines.compiled.m5_search import kept_nodes, m5_tree, prepared
from treewright.engines.workers import Workers
from treewright.recipe_parts.recipe import ByFifthRoot

M5P_OPTIONS = {
    "default": {},
    "U_unsmoothed": {"smooth": False},
    "R_regtree": {"leaf": "mean"},
    "N_unpruned": {"prune": False},
}


@cache
def case_of(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    return golden, data, stored.table_of(data)


def leaves_in_order(tree) -> list[int]:
    """Leaves from left to right, as they are printed."""
    waiting, found = [0], []
    while waiting:
        v = waiting.pop()
        children = [child.id for child in tree.node(v).children]
        waiting += children[::-1]
        found += [] if children else [v]
    return found


def equations_of(text: str) -> list[dict[str, float]]:
    """The printed models by column, "" being the intercept."""
    found = []
    for block in re.findall(r"LM num: \d+\n.*? = \n?(.*?)(?=\nLM num|\n\nNumber|\Z)", text, re.DOTALL):
        terms = {}
        for sign, number, name in re.findall(r"([+-]?) ?(\d+(?:\.\d+)?)(?: \* (.*?))? *(?:\n|\Z)", block):
            terms[name] = float(number) * (-1 if sign == "-" else 1)
        found.append(terms)
    return found


def name_in_weka(term, column) -> str:
    """A 0/1 column is called after the levels that count 1; their order there is by the mean of the target."""
    if not term.scores.size:
        return column.name
    return f"{column.name}={','.join(sorted(str(column.levels[k]) for k in np.flatnonzero(term.scores)))}"


def sorted_levels(name: str) -> str:
    column, equals, levels = name.partition("=")
    return column + equals + ",".join(sorted(levels.split(",")))


@pytest.mark.parametrize("path", stored.cases("weka_M5P"))
def test_trees_are_those_of_m5p(path):
    golden, data, X = case_of(path)
    model = tw.M5Regressor(**M5P_OPTIONS[stored.tag_of(path.stem)]).fit(X, data.y)
    assert model.tree_.n_leaves == golden["rules"]
    stored.check_values(golden, model.predict(X)[:, None])
    leaves = leaves_in_order(model.tree_)
    rows = [int(n) for n, _ in re.findall(r"LM\d+ \((\d+)/([\d.]+)%\)", golden["tree_text"])]
    assert model.tree_.rows[leaves].tolist() == rows
    if model.leaf == "mean":
        return
    for leaf, printed in zip(leaves, equations_of(golden["tree_text"]), strict=True):
        models, columns = model.tree_.models, model.schema_.columns
        ours = {name_in_weka(term, columns[term.column]): slope for term, slope in models.terms_of(leaf)}
        ours[""] = float(models.intercept[leaf, 0])
        printed = {sorted_levels(name): slope for name, slope in printed.items()}
        for name in ours.keys() | printed.keys():  # those that are 0 in four decimals are not printed
            assert ours.get(name, 0.0) == pytest.approx(printed.get(name, 0.0), abs=5.1e-5), name


@pytest.mark.parametrize("path", stored.cases("weka_M5P"))
def test_errors_of_unsmoothed_models(path):
    """Weka prints the error of every leaf's model before it is smoothed, as a share of the target's spread."""
    golden, data, X = case_of(path)
    frame, tag = read_frame(X), stored.tag_of(path.stem)
    encoded = encode(frame, make_schema(frame, Target("y"), unused=True), data.y, None, max_bins=None)
    rows = prepared(encoded)
    choice = ByFifthRoot(prune=tag != "N_unpruned", linear=tag != "R_regtree")
    found = m5_tree(rows, rows.order, choice, Workers(1))
    leaves = [v for v in kept_nodes(found) if found.is_leaf[v]]
    ours = 100 * np.sqrt(found.own_error[leaves] / found.weight[leaves]) / found.spread
    printed = [float(share) for _, share in re.findall(r"LM\d+ \((\d+)/([\d.]+)%\)", golden["tree_text"])]
    np.testing.assert_allclose(ours, printed, atol=5.1e-4)


# ---------------------------------------------------------------- cross-validation: rows that were not fitted to


def shuffled(order: np.ndarray, state: np.ndarray) -> np.ndarray:
    from treewright.kernels.linear_kernels.java_random import shuffle_rows

    made = order.copy()
    shuffle_rows(made, state)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("path", stored.cases("weka_M5P", lambda name: stored.tag_of(name) != "N_unpruned"))
def test_cross_validated_errors(path):
    """Weka's folds: one generator shuffles the table, then the training rows of every fold."""
    from treewright.kernels.linear_kernels.java_random import java_state

    golden, data, X = case_of(path)
    state = java_state(1)
    n, order = len(X), shuffled(np.arange(len(X)), state)
    sizes = [n // 10 + (fold < n % 10) for fold in range(10)]
    errors = []
    for fold, start in enumerate(np.cumsum([0, *sizes[:-1]])):
        test = order[start : start + sizes[fold]]
        train = shuffled(np.concatenate([order[:start], order[start + sizes[fold] :]]), state)
        model = tw.M5Regressor(**M5P_OPTIONS[stored.tag_of(path.stem)]).fit(X.iloc[train], data.y[train])
        errors.append(model.predict(X.iloc[test]) - data.y[test])
    away = np.concatenate(errors)
    assert np.abs(away).mean() == pytest.approx(golden["cv10_seed1"]["mae"], rel=1e-9)
    assert np.sqrt((away**2).mean()) == pytest.approx(golden["cv10_seed1"]["rmse"], rel=1e-9)


# ---------------------------------------------------------------- M5Rules


@pytest.mark.parametrize("path", stored.cases("weka_M5Rules"))
def test_rules_are_those_of_m5rules(path):
    golden, data, X = case_of(path)
    model = tw.M5RulesRegressor().fit(X, data.y)
    assert len(model.rule_set_) + 1 == golden["rules"]
    stored.check_values(golden, model.predict(X)[:, None])
    blocks = golden["tree_text"].split("Rule: ")[1:]
    everything = [*model.rule_set_.rules, model.rule_set_.otherwise]
    for rule, block in zip(everything, blocks, strict=True):
        conditions = re.findall(r"\n\t(\S.*?) (<=|>) ([\d.]+)", block.partition("THEN")[0]) if "THEN" in block else []
        assert len(rule.conditions) == len(conditions)
        for ours, (name, sign, cut) in zip(rule.conditions, conditions):
            assert ours.column == name.partition("=")[0]
            if ours.intervals:
                end = ours.intervals[0].high if sign == "<=" else ours.intervals[0].low
                assert end == pytest.approx(float(cut), abs=5.1e-4)
        assert rule.stats[0] == int(re.search(r"\[(\d+)/", block)[1])
