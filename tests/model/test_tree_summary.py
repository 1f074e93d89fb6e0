"""A tree in all detail: the table of CP, competing splits, surrogates, counts."""

import json

import numpy as np
import pytest

import treewright as tw
from treewright.kernels import switch
from treewright.model.shown.node_summary import _clipped
from treewright.model.shown.tree_summary import COMPETITORS, LEFT_OUT


@pytest.fixture(autouse=True)
def plain():
    with switch.compiling("never"):
        yield


def rows(n=120):
    random = np.random.default_rng(3)
    age, income = random.integers(18, 80, n).astype(float), random.normal(3000, 800, n)
    town = np.array(["north", "south", "east"])[random.integers(0, 3, n)]
    age[random.random(n) < 0.1] = np.nan
    buys = np.where((np.nan_to_num(age, nan=30) > 45) ^ (random.random(n) < 0.15), "yes", "no")
    return {"age": age, "income": income, "town": town}, buys


def test_every_node_adds_up_and_competes_with_what_competitors_says():
    X, y = rows()
    model = tw.CARTClassifier(max_depth=3, missing="surrogate").fit(X, y)
    told = tw.summarize(model, X, y)
    assert len(told) == model.tree_.n_nodes
    for node in told:
        assert sum(node.counts.values()) == node.rows == model.tree_.rows[node.id]
        if node.branches:
            assert [c.column for c in node.competitors] == [
                c.column for c in model.competitors(node.id, X, y) if c.branches
            ]
            assert len(node.surrogates) == len(model.tree_.node(node.id).surrogates)
            assert sum(branch.rows for branch in node.branches) == node.rows
        else:
            assert node.competitors is None
            assert node.complexity is None
    assert any(node.surrogates for node in told)
    assert told.not_told == {LEFT_OUT: "pass cv=10, with the rows of the fit"}
    text = str(told)
    assert all(word in text for word in ("competing splits", "surrogates", "complexity", "Importance", "counts: no"))
    json.dumps(told.to_dict())


@pytest.mark.parametrize("number", [False, True])
def test_table_of_cp_is_that_of_the_path_and_is_in_the_file_of_a_pruned_model(number, tmp_path):
    X, y = rows()
    learner = tw.CARTRegressor(min_rows_leaf=5) if number else tw.CARTClassifier(min_rows_leaf=5)
    y = X["income"] + 500 * (y == "yes") if number else y
    model = learner.fit(X, y)
    path = model.pruning_path(risk=None if number else "misclassification", relative=True)
    table = tw.summarize(model, X, y, nodes=[0]).complexity
    assert [row.cp for row in table] == pytest.approx(path.alphas[::-1].tolist())
    assert [row.leaves for row in table] == path.leaves[::-1].tolist()
    assert [row.error for row in table] == pytest.approx((path.risks / path.risks[-1])[::-1].tolist())
    assert (table[0].splits, table[0].error, table[0].left_out_error) == (0, 1.0, None)

    pruned = model.prune("cost-complexity", X, y, cv=5)
    pruned.save(tmp_path / "m.json")
    kept = tw.load(tmp_path / "m.json")
    assert kept.complexity_table_ == pruned.complexity_table_
    assert kept.complexity_table_.left_out == "5 folds"
    assert kept.complexity_table_[kept.complexity_table_.taken].leaves == kept.tree_.n_leaves
    told = tw.summarize(kept)
    assert list(told.not_told) == [COMPETITORS]
    assert "taken" in str(told)
    assert not hasattr(pruned.prune("depth", depth=1), "complexity_table_")


def test_held_out_rows_and_folds_give_the_errors_they_choose_by():
    X, y = rows()
    model = tw.CARTClassifier(min_rows_leaf=3).fit(X, y)
    pruned = model.prune("cost-complexity", *rows(90), rule="0se")
    table = pruned.complexity_table_
    assert table.left_out == "90 rows that were held out"
    assert table[table.taken].left_out_error == min(row.left_out_error for row in table)
    folded = tw.summarize(model, X, y, cv=4, nodes=[0]).complexity
    again = model.prune(tw.prune.CostComplexity(risk="misclassification", rule="0se"), X, y, cv=4).complexity_table_
    assert [row.left_out_error for row in folded] == [row.left_out_error for row in again]
    assert folded.taken == -1


def test_costs_and_priors_are_in_the_first_line_of_trees_rules_and_c50():
    X, y = rows()
    costs = {("yes", "no"): 4}
    cart = tw.CARTClassifier(max_depth=2, costs=costs, priors={"no": 0.7, "yes": 0.3}).fit(X, y)
    for text in (str(tw.summarize(cart)), str(cart), str(cart.rule_set())):
        first = text.splitlines()[0]
        assert "costs yes→no 4" in first
        assert "priors no 0.7 / yes 0.3" in first
    for options in ({}, {"rules": True}, {"trials": 2}):
        text = str(tw.C50Classifier(costs=costs, **options).fit(X, y))
        assert "costs yes→no 4" in text
    assert cart.rule_set().to_text(ascii=True).isascii()


def test_counts_are_told_at_inner_nodes_if_asked_for():
    X, y = rows()
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    lines = model.to_text(counts=True).splitlines()
    n = {label: int((y == label).sum()) for label in ("no", "yes")}
    assert lines[1] == f"[0] (120, no: {n['no']}, yes: {n['yes']})"
    assert len([line for line in lines if "no:" in line]) == model.tree_.n_nodes
    assert "no:" not in model.to_text()
    assert "mean" in tw.CARTRegressor(max_depth=2).fit(X, X["income"]).to_text(counts=True)


def test_chaid_and_models_in_leaves_have_summaries():
    X, y = rows()
    told = tw.summarize(tw.CHAIDClassifier().fit(X, y), X, y)
    assert "adjusted p" in str(told) or len(told) == 1
    X = {name: X[name] for name in ("age", "town")} | {"size": np.arange(120.0)}
    m5 = tw.M5Regressor().fit(X, np.arange(120.0) * np.where(X["size"] > 50, 3, -1))
    assert m5.tree_.n_nodes > 1
    told = tw.summarize(m5, X, X["size"])
    assert "competing splits" in str(told)
    assert [one.taken for one in told.nodes[0].competitors].count(True) == 1
    assert tw.summarize(tw.tree_by_hand({"size ≤ 5": "a", "else": "b"}, X)).complexity is None


def test_what_is_wrong_is_said(tmp_path):
    X, y = rows()
    model = tw.CARTClassifier(max_depth=1).fit(X, y)
    with pytest.raises(tw.OptionError, match="no node 9"):
        tw.summarize(model, nodes=[9])
    with pytest.raises(tw.OptionError, match="go together"):
        tw.summarize(model, X)
    with pytest.raises(tw.OptionError, match="fitted tree"):
        tw.summarize(tw.KNNClassifier())
    model = model.prune("cost-complexity", X, y, cv=3)
    model.save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    document["facts"]["complexity"]["rows"][0].pop()
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFileError, match="no such table"):
        tw.load(tmp_path / "m.json")


@pytest.mark.filterwarnings("ignore:column 'where'")
def test_many_levels_are_listed_once_where_they_part():
    X = {"where": [f"level {k:03}" for k in range(300)] * 2, "n": [k % 7 for k in range(600)]}
    classes = ["ab"[k % 300 < 140 or k % 7 == 3] for k in range(600)]
    model = tw.CARTClassifier(max_depth=2).fit(X, classes)
    made = tw.summarize(model, X, ["ab"[k % 2] for k in range(600)])
    root, child = made[0], made[1]
    assert str(root).count("level 139") == 1
    assert "level 139" in made[1].path + made[2].path
    assert (child.heading.count(","), child.heading.split()[-1][0]) == (5, "+")
    assert child.heading in str(child)
    assert child.path not in str(child)
    assert child.to_dict()["path"] == child.path
    other = next(one for one in root.competitors if one.column == "where")
    assert len(_clipped(other.branches)) <= 2 * 200 + 3 < len(" | ".join(other.branches))
