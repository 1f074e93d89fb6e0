"""Trees by hand: from dicts and text to models, the trees of the lecture notes, and every print read back in."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import treewright as tw
from refusals import check_refused
from treewright.tree.check import check_tree

SIX = tw.datasets.load("six_points")
FIRST = {"x1 ≤ 0.5": "+", "x1 > 0.5": {"x2 ≤ 1.5": "-", "x2 > 1.5": "+"}}
SECOND = {
    "x2 ≤ 0.5": {"yes": {"x1 ≤ 0.5": "+", "else": "-"},
                 "no": {"x2 ≤ 1.5": {"x1": {0: "+", 1: "-"}}, "else": "+"}},
}  # fmt: skip
HEROES = tw.datasets.load("batman")
# The picture of the notes is lost. This tree has the steps they describe, two nodes below the root and one below these,
# and their outcome: Alfred, and only he, is misclassified.
HERO_TREE = {
    "mask": {
        "Y": {"cape": {"Y": "Good", "N": "Evil"}},
        "N": {"smokes": {"Y": "Evil", "N": {"pointy_ears": {"Y": "Good", "N": "Evil"}}}},
    }
}
TENNIS = tw.datasets.load("play_tennis")
TENNIS_TREE = {
    "outlook": {
        "Overcast": "Yes",
        "Rainy": {"windy": {"Strong": "No", "Weak": "Yes"}},
        "Sunny": {"humidity": {"High": "No", "Normal": "Yes"}},
    }
}


def by_hand(tree, table, **options):
    return tw.tree_by_hand(tree, table.X, table.y, **options)


# ---------------------------------------------------------------- the notes


def test_the_two_trees_of_000():
    """Both get all six right; the simpler one is preferred."""
    first, second = by_hand(FIRST, SIX), by_hand(SECOND, SIX)
    found = tw.evaluate.compare_trees({"tree 1": first, "tree 2": second}, SIX.X, SIX.y)
    assert [row.error for row in found.rows] == [0.0, 0.0]
    assert [row.leaves for row in found.rows] == [3, 5]
    assert found.best == "tree 1"
    assert found["tree 2"].differ == 0


def test_the_rule_that_000_begins_with():
    X = {"x1": [1, 1, 5], "x2": [1, 5, 1]}
    model = tw.tree_by_hand({"x1 ≤ 3": {"yes": {"x2 ≤ 3": {"yes": 0, "no": 1}}, "no": 0}}, X)
    assert model.predict(X).tolist() == [0, 1, 0]


def test_000_grows_a_tree_step_by_step():
    """The root, then x1 ≤ 0.5, then x2 ≤ 0.5 at its impure leaf."""
    table = tw.datasets.load("four_points")
    model = by_hand({"x1 ≤ 0.5": None, "else": None}, table)
    assert model.rows_by_level(names=list("abcd")).at(1) == ("a", "b")
    grown = model.grow_on(learner=tw.ID3Classifier(), nodes=1)
    assert grown.tree_.n_leaves == 3
    assert grown.score(table.X, table.y) == 1.0
    assert grown.tree_.node(1).split.edges.tolist() == [0.5]


def test_the_first_tree_of_003_and_its_steps():
    model = by_hand(HERO_TREE, HEROES)
    steps = model.rows_by_level(names="hero")
    assert len(steps.levels) == 4
    assert steps.at(0) == ("Batman", "Robin", "Alfred", "Penguin", "Catwoman", "Joker")
    assert [set(one.rows) for one in steps.levels[1]] == [
        {"Batman", "Robin", "Catwoman"},
        {"Alfred", "Penguin", "Joker"},
    ]
    assert [set(one.rows) for one in steps.levels[2]] == [
        {"Batman", "Robin"}, {"Catwoman"}, {"Penguin"}, {"Alfred", "Joker"},
    ]  # fmt: skip
    assert [set(one.rows) for one in steps.levels[3]] == [set(), {"Alfred", "Joker"}]
    assert [(one.name, one.truth, one.prediction) for one in steps.wrong] == [("Alfred", "Good", "Evil")]
    assert steps.where("Alfred") == (0, 2, 6, 8)
    assert steps.error == pytest.approx(1 / 6)
    assert "Alfred is Good, predicted Evil in [8]" in str(steps)
    assert model.score(HEROES.X, HEROES.y) == pytest.approx(5 / 6)


def test_the_heroes_to_classify_go_down_the_same_tree():
    new = tw.datasets.load("batman_new")
    model = by_hand(HERO_TREE, HEROES)
    steps = model.rows_by_level(new.X, names="hero")
    assert model.predict(new.X).tolist() == ["Good", "Evil"]
    assert (steps.wrong, steps.error) == ((), None)
    assert steps.where("Batgirl") == (0, 1, 3)


def test_003_asks_for_a_smaller_tree():
    smaller = by_hand({"cape": {"Y": "Good", "N": {"height ≤ 178.5": "Evil", "else": "Good"}}}, HEROES)
    found = tw.evaluate.compare_trees([by_hand(HERO_TREE, HEROES), smaller], HEROES.X, HEROES.y)
    assert found.best == "tree 2"
    assert (found["tree 2"].error, found["tree 2"].nodes, found["tree 2"].differ) == (0.0, 5, 1)


def test_the_tree_of_002_is_the_one_id3_grows():
    X = {name: column for name, column in TENNIS.X.items() if name != "day"}
    grown = tw.ID3Classifier().fit(X, TENNIS.y)
    model = tw.tree_by_hand(TENNIS_TREE, X, TENNIS.y, model=tw.ID3Classifier())
    assert str(model) == str(grown)
    for mine, own in zip(model.tree_.arrays(), grown.tree_.arrays()):
        np.testing.assert_allclose(mine, own, atol=1e-12)
    assert model.schema_ == grown.schema_


# ---------------------------------------------------------------- how it may be written


@pytest.mark.parametrize(
    "tree",
    [
        {"x1 <= 0.5": "+", "x1 > 0.5": {"x2 <= 1.5": "-", "x2 > 1.5": "+"}},
        {"x1": {"≤ 0.5": "+", "> 0.5": {"x2": {"≤ 1.5": "-", "else": "+"}}}},
        {"x1 ≤ 0.5?": {"Y": "+", "N": {"x2 ≤ 1.5?": {"Y": "-", "N": "+"}}}},
        {"x1 ≤ 0.5": {True: "+", False: {"x2 ≤ 1.5": {True: None, False: None}}}},
        "x1 ≤ 0.5: +\nx1 > 0.5\n  x2 ≤ 1.5: -\n  x2 > 1.5: +",
        "x1 <= 0.5: +\nelse\n\tx2 <= 1.5: -\n\telse: +\n",
        "x1 ≤ 0.5: + [1] (3)\nx1 > 0.5 [2]\n│  x2 ≤ 1.5: - [3] (2)\n│  x2 > 1.5: + [4] (1)",
        "x1 ≤ 0.5\nx1 > 0.5\n|  x2 ≤ 1.5\n|  x2 > 1.5",
    ],
)
def test_ways_of_writing_one_tree(tree):
    assert str(by_hand(tree, SIX)) == str(by_hand(FIRST, SIX))


def test_a_single_leaf():
    assert by_hand("+", SIX).predict(SIX.X).tolist() == ["+"] * 6
    assert str(by_hand("TreeClassifier: y — 6 rows, 1 leaf, depth 0\n- [0] (6, 67% wrong)", SIX)).endswith("wrong)")


def test_a_leaf_predicts_what_is_written_even_against_its_rows():
    model = by_hand({"x1 ≤ 0.5": "-", "else": None}, SIX)
    assert model.predict([{"x1": 0, "x2": 0}, {"x1": 1, "x2": 0}]).tolist() == ["-", "-"]
    assert model.predict_proba({"x1": [0, 1], "x2": [0, 0]}).round(3).tolist() == [[0, 1], [0.333, 0.667]]
    assert "x1 ≤ 0.5: - [1] (3, 100% wrong)" in str(model)


def test_levels_in_sets_and_the_rest():
    X, y = {"g": list("aabbccdd")}, list("nnppnnpp")
    for tree in ({"g": {("a", "c"): "n", "else": "p"}}, {"g in {a, c}": "n", "g in {b, d}": "p"}):
        assert tw.tree_by_hand(tree, X, y).tree_.root.split.branch_of[1:].tolist() == [0, 1, 0, 1]


def test_ordered_levels():
    X, kinds = {"size": list("SMLS")}, {"size": ["S", "M", "L"]}
    model = tw.tree_by_hand({"size ≤ M": "small", "size > M": "large"}, X, kinds=kinds)
    assert model.predict(X).tolist() == ["small", "small", "large", "small"]


def test_where_missing_values_go():
    X, y = {"x": [1, 2, 3, 4, None]}, list("nnppp")
    assert tw.tree_by_hand({"x ≤ 1.5": "n", "x > 1.5": "p"}, X, y).predict({"x": [None]}).tolist() == ["p"]
    said = tw.tree_by_hand({"x ≤ 1.5 or missing": "n", "x > 1.5": "p"}, X, y)
    assert said.predict({"x": [None]}).tolist() == ["n"]
    assert said.tree_.rows.tolist() == [5, 2, 3]
    own = tw.tree_by_hand({"x is missing": "q", "x ≤ 1.5": "n", "x > 1.5": "p"}, X)
    assert own.predict({"x": [None, 1, 9]}).tolist() == ["q", "n", "p"]
    shared = tw.tree_by_hand({"x ≤ 1.5": "n", "else": "p"}, X, y, model=tw.C45Classifier())
    assert shared.tree_.stats.tolist() == [[2, 3], [1, 0.25], [1, 2.75]]
    known = tw.tree_by_hand({"x is known": "n", "x is missing": "p"}, X, y)
    assert known.tree_.rows.tolist() == [5, 4, 1]
    check_tree(known.tree_, known.schema_)


def test_numbers_are_predicted():
    X, y = {"x": [1.0, 2, 3, 4]}, [1.5, 2.5, 10.25, 11.5]
    model = tw.tree_by_hand({"x ≤ 2.5": None, "else": 12.0}, X, y)
    assert model.predict(X).tolist() == [2.0, 2.0, 12.0, 12.0]
    assert type(model) is tw.TreeRegressor
    assert model.tree_.stats[1].tolist() == [2, 4, 8.5]


def test_without_a_target_nothing_is_said_of_errors(tmp_path):
    X = {"x": [1, 2, 3]}
    model = tw.tree_by_hand({"x ≤ 2.5": "n", "x > 2.5": "p"}, X)
    assert str(model).splitlines() == [
        "TreeClassifier: y — 3 rows, 2 leaves, depth 1",
        "x ≤ 2.5: n [1] (2)",
        "x > 2.5: p [2] (1)",
    ]
    assert model.predict(X).tolist() == ["n", "n", "p"]
    assert model.tree_.value[0].round(3).tolist() == [0.667, 0.333]
    assert model.rows_by_level().error is None
    model.save(tmp_path / "m.json")
    assert str(tw.load(tmp_path / "m.json")) == str(model)
    assert model.prune("depth", depth=0).predict(X).tolist() == ["n"] * 3
    check_refused(lambda: model.prune("pessimistic"), "without a target", tw.OptionError)
    numbers = tw.tree_by_hand({"x ≤ 2.5": 1.5, "x > 2.5": 3}, X)
    assert (type(numbers), numbers.predict(X).tolist()) == (tw.TreeRegressor, [1.5, 1.5, 3.0])


def test_a_level_or_class_that_no_row_has_is_told():
    X, y = {"g": ["a", "b"]}, ["n", "p"]
    with pytest.warns(tw.TreewrightWarning, match="no row has g = c"):
        model = tw.tree_by_hand({"g": {"a": "n", "b": "p", "c": "p"}}, X, y)
    assert model.predict({"g": ["c"]}).tolist() == ["p"]
    with pytest.warns(tw.TreewrightWarning, match="no row is of class 'pp'.*did you mean 'p'"):
        assert tw.tree_by_hand({"g": {"a": "n", "b": "pp"}}, X, y).classes_.tolist() == ["n", "p", "pp"]


# ---------------------------------------------------------------- every print read back in


def mixed_table(n=400):
    rng = np.random.default_rng(1)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 900, n)]
    X = {
        "a b": np.round(rng.normal(size=n), 2),
        "x": rng.integers(0, 9, n).astype(float),
        "colour": rng.choice(["red", "green, light", "blue: dark", "a=b", "it's"], n),
        "code": rng.integers(1, 6, n),
        "flag": rng.choice([True, False], n),
        "when": days,
        "took": [datetime.timedelta(seconds=int(s)) for s in rng.integers(0, 400_000, n)],
        "size": rng.choice(list("SML"), n),
    }
    score = X["a b"] + (X["colour"] == "red") - (X["size"] == "S") + 0.2 * X["x"]
    missing = {name: [None if rng.random() < 0.1 else cell for cell in column] for name, column in X.items()}
    return {"full": X, "missing": missing}, {
        "classes": np.array(["lo", "mid (2)", "hi [1]"])[np.digitize(score + rng.normal(size=n) / 2, [0, 1.2])],
        "numbers": score,
    }


TABLES, TARGETS = mixed_table()
KINDS = {"size": ["S", "M", "L"], "code": "nominal"}
PRINTED = {
    "id3": ("classes", tw.ID3Classifier(max_depth=4), None),
    "cart": ("classes", tw.CARTClassifier(), None),
    "c4.5": ("classes", tw.C45Classifier(), None),
    "c4.5 subset": ("classes", tw.C45Classifier(subset=True), None),
    "one-vs-rest": ("classes", tw.TreeClassifier(splits="one-vs-rest", max_depth=6), None),
    "branch": ("classes", tw.CARTClassifier(missing="branch", max_depth=5), tw.CARTClassifier(missing="branch")),
    "stop": ("classes", tw.CARTClassifier(missing="stop", max_depth=5), tw.CARTClassifier(missing="stop")),
    "every": ("classes", tw.CARTClassifier(missing="every", max_depth=4), tw.CARTClassifier(missing="every")),
    "common": ("classes", tw.CARTClassifier(missing="common", max_depth=5), tw.CARTClassifier(missing="common")),
    "multiway": ("numbers", tw.TreeRegressor(splits="multiway", max_depth=3), None),
    "absolute": ("numbers", tw.CARTRegressor(criterion="absolute_error", max_depth=4), None),
    "chaid": ("classes", tw.CHAIDClassifier(), None),
    "chaid numbers": ("numbers", tw.CHAIDRegressor(), None),
}
KEPT = ("parent", "first_child", "column", "n_branches", "edge_start", "rows", "missing")


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@pytest.mark.parametrize("rows", TABLES)
@pytest.mark.parametrize("name", PRINTED)
def test_the_print_of_any_model_is_read_back(name, rows):
    target, estimator, like = PRINTED[name]
    X, y = TABLES[rows], TARGETS[target]
    model = estimator.set_params(kinds=KINDS).fit(X, y)
    back = tw.tree_by_hand(model.to_text(max_lines=None), X, y, kinds=KINDS, model=like)
    for array in KEPT:
        np.testing.assert_array_equal(getattr(back.tree_, array), getattr(model.tree_, array), array)
    np.testing.assert_allclose(back.tree_.stats, model.tree_.stats, atol=1e-6)
    np.testing.assert_allclose(back._values(X), model._values(X), atol=1e-6)
    check_tree(back.tree_, back.schema_)
    assert type(back) is type(model)
    if target == "classes" and name != "chaid":  # which prints what it tested, and that is not read
        assert back.to_text(max_lines=None) == model.to_text(max_lines=None)


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@pytest.mark.parametrize("rows", TABLES)
def test_the_print_of_c50_is_read_back_as_a_tree_that_says_the_same(rows):
    X, y = TABLES[rows], TARGETS["classes"]
    model = tw.C50Classifier(kinds=KINDS).fit(X, y)
    assert "attribute usage:" in str(model)
    like = tw.TreeClassifier(missing="fractional")
    back = tw.tree_by_hand(model.to_text(max_lines=None), X, y, kinds=KINDS, model=like)
    assert back.tree_.parent.tolist() == model.tree_.parent.tolist()
    assert (back.predict(TABLES["full"]) == model.predict(TABLES["full"])).all()
    assert type(tw.tree_by_hand(str(model), X, y, kinds=KINDS)) is tw.TreeClassifier


def test_ascii_and_deep_prints_are_read_back():
    X, y = {"é x": np.arange(200)}, np.arange(200) % 2
    model = tw.CARTClassifier().fit(X, y)
    from treewright.explain.tree_text import render

    for width, ascii in ((None, True), (60, False), (None, False)):
        text = render(model.tree_, model.schema_, max_lines=None, width=width, ascii=ascii, title="CARTClassifier")
        back = tw.tree_by_hand(text, X, y)
        assert back.tree_.parent.tolist() == model.tree_.parent.tolist()
        assert back.score(X, y) == 1.0
    assert model.tree_.depth > 41  # beyond what bars are printed for


def test_long_lists_of_levels():
    X, y = {"g": [f"l{k:02d}" for k in range(60)]}, [k % 2 for k in range(60)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tw.CARTClassifier(kinds={"g": "nominal"}).fit(X, y)
        check_refused(lambda: tw.tree_by_hand(str(model), X, y), "two branches .* take the rest.*max_levels=None")
        whole = tw.tree_by_hand(model.to_text(max_levels=None), X, y)
    assert whole.tree_.branch_of.tolist() == model.tree_.branch_of.tolist()


# ---------------------------------------------------------------- as any tree


def test_pruned_grown_on_saved_and_explained(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = {"petal width (cm) ≤ 0.8": 0, "else": {"petal width (cm) ≤ 1.75": 1, "else": 2}}
    model = tw.tree_by_hand(tree, X, y)
    grown = model.grow_on(learner=tw.C45Classifier())
    assert grown.tree_.n_leaves > model.tree_.n_leaves
    assert grown.score(X, y) > model.score(X, y)
    smaller = grown.prune("cost-complexity", alpha=0.05)
    assert smaller.tree_.n_leaves < grown.tree_.n_leaves
    model.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert all(np.array_equal(a, b) for a, b in zip(again.tree_.arrays(), model.tree_.arrays()))
    assert "petal width" in str(model.explain(X.iloc[0]))
    assert len(model.rules()) == model.rule_set().rules.__len__() == 3
    assert model.prune("cost-complexity", cv=5).tree_.n_leaves >= 2
    check_tree(grown.tree_, grown.schema_)


def test_growing_on_from_the_root_is_fitting():
    X, y = load_iris(return_X_y=True, as_frame=True)
    for learner in (tw.CARTClassifier(), tw.ID3Classifier(), tw.C45Classifier()):
        root = tw.tree_by_hand("1", X, y, model=learner)
        np.testing.assert_equal(list(root.grow_on().tree_.arrays()), list(learner.fit(X, y).tree_.arrays()))


def test_growing_on_stops_where_nothing_is_to_be_gained():
    model = by_hand(FIRST, SIX)
    assert str(model.grow_on()) == str(model)
    stump = by_hand({"x1 ≤ 0.5": "+", "else": "-"}, SIX)
    assert str(stump.grow_on(nodes=[1])) == str(stump)
    assert str(stump.grow_on(SIX.X, SIX.y, nodes=[2])) == str(by_hand(FIRST, SIX))
    check_refused(lambda: stump.grow_on(nodes=0), "0 is no leaf", tw.OptionError)
    check_refused(lambda: stump.grow_on(learner=tw.CARTRegressor()), "leaves of means", tw.OptionError)
    check_refused(lambda: stump.grow_on(learner="cart"), "learner='cart' is not accepted", tw.OptionError)


def test_a_data_frame_and_weights():
    frame = pd.DataFrame(SIX.X)
    model = tw.tree_by_hand(FIRST, frame, pd.Series(SIX.y, name="sign"), sample_weight=[2, 1, 1, 1, 1, 0])
    assert str(model).startswith("TreeClassifier: sign — 5 rows, weight 6")
    assert model.feature_names_in_.tolist() == ["x1", "x2"]


# ---------------------------------------------------------------- what makes no tree

BAD = {
    "a list": (["x1"], "nested dicts or indented text"),
    "no branches": ({}, "without branches"),
    "an unknown column": ({"x3": {"a": "+"}}, "'x3' is no column"),
    "one branch": ({"x1 ≤ 0.5": "+"}, "one branch, and a split has several"),
    "two columns": ({"x1 ≤ 0.5": "+", "x2 > 0.5": "-"}, "test one column, got x1, x2"),
    "numbers left out": ({"x1 ≤ 0.5": "+", "x1 > 1": "-"}, "no branch takes x1 > 0.5 and ≤ 1"),
    "numbers twice": ({"x1 ≤ 0.5": "+", "x1 > 0": "-"}, "two branches .* take x1"),
    "two rests": ({"x1 ≤ 0.5": "+", "else": "-", "other": "+"}, "two branches .* take the rest"),
    "a leaf of several": ({"x1 ≤ 0.5": ["+"], "else": "-"}, "a leaf is a class or a number"),
    "text without a tree": ("\n\n", "shows no tree"),
    "text of two columns": ("x1 ≤ 0.5: +\nx2 > 0.5: -", "line 2 is no branch of the split that line 1 begins"),
    "text badly indented": ("x1 ≤ 0.5\n    x2 ≤ 1: +\n  x2 > 1: -\nx1 > 0.5: -", "line 3 is indented like no line"),
    "an answer and branches": ("x1 ≤ 0.5: +\n  x2 ≤ 1: +\n  x2 > 1: -\nx1 > 0.5: -", "an answer and branches"),
    "a folded print": ("x1 ≤ 0.5: + [1] (3)\n… 7 more nodes (show with depth=None)", "nodes are left out"),
    "a folded node": ("x1 ≤ 0.5: + [1] (3) …\nx1 > 0.5: -", "below line 1 is left out"),
    "an empty branch": ({"x1 > 2": "+", "x1 ≤ 2": "-", "x1 is missing": "+", "3 < x1 ≤ 2": "-"}, "no number takes"),
}  # fmt: skip


@pytest.mark.parametrize("learner", [tw.TreeClassifier(leaf="logistic", max_depth=1), tw.M5Regressor()])
def test_printed_equations_are_refused(learner):
    a, b = np.linspace(-1, 1, 60), np.tile([0.5, -1.0, 2.0], 20)
    y = np.where(a > 0, 3 * b, 1 - 2 * b)
    X, target = {"a": a, "b": b}, y if isinstance(learner, tw.M5Regressor) else y > 1
    with pytest.raises(tw.DataError, match="a leaf predicts by an equation"):
        tw.tree_by_hand(str(learner.fit(X, target)), X, target)


@pytest.mark.parametrize("name", BAD)
def test_what_makes_no_tree_is_refused(name):
    tree, message = BAD[name]
    check_refused(lambda: by_hand(tree, SIX), message)


def test_rows_that_no_branch_names_are_refused():
    X, y = {"g": ["a", "b", "c"]}, ["n", "p", "p"]
    check_refused(lambda: tw.tree_by_hand({"g": {"a": "n", "b": "p"}}, X, y), "1 rows with g = c come to a split")
    check_refused(lambda: tw.tree_by_hand({"g": {"a": "n", "b": "p", "else": None}}, X), "y is None")
    check_refused(lambda: tw.tree_by_hand(FIRST, SIX.X, SIX.y, model="id3"), "model='id3'", tw.OptionError)
    check_refused(lambda: tw.tree_by_hand({"x ≤ 1": "a", "else": 2.0}, {"x": [1.5, 2]}, [0.5, 1.5]), "is a number")


PIECES = st.sampled_from([
    "x1", "g", "is", "in", " ≤ ", " <= ", " > ", "<", "=", " in ", " is ", "missing", " or ", "known", "{", "}",
    "a", "b", ",", " +3", "2.5", "1e400", "nan", ":", " n", "[1]", " (3)", "…", "\n", "\n  ", "\n│  ", "else",
    "(depth 3) ", "'", '"', " or missing", " (shared)", "[1, 2]", "2 < ", "x1 ≤ 2: n",
    "\nx1 > 2: p", "g = a: n", "\ng = b: p",
    "\nelse: p",
])  # fmt: skip
KEYS = st.one_of(
    st.lists(PIECES, max_size=5).map("".join), st.none(), st.booleans(), st.integers(), st.floats(), st.binary()
)
NESTED = st.recursive(
    KEYS, lambda trees: st.dictionaries(st.sampled_from(["x1", "g", "else", "x1 ≤ 2", "x1 > 2"]) | KEYS, trees)
)


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@given(st.lists(PIECES, max_size=12).map("".join) | NESTED, st.booleans())
def test_whatever_is_written_is_a_tree_or_an_error_of_ours(tree, known):
    X, y = {"x1": [1, 2, 3, 4.0], "g": list("abab"), "is": [1.0, 2, 3, 4], "in": list("uvuv")}, list("npnp")
    try:
        model = tw.tree_by_hand(tree, X, y if known else None)
    except tw.TreewrightError as error:
        assert error.hint  # noqa: PT017
    else:
        check_tree(model.tree_, model.schema_)
        assert len(model.predict(X)) == 4
        assert str(model)


@pytest.mark.parametrize(("tree", "message"), [
    ({"x": {float("nan"): "n", 3: "p"}}, "no finite number"),
    ({"x": {10**400: "n", 3: "p"}}, "beyond|finite"),
    ("x ≤ 2\nx > 2", "no leaf says what it predicts"),
])  # fmt: skip
def test_numbers_that_are_none_and_leaves_without_a_target(tree, message):
    check_refused(lambda: tw.tree_by_hand(tree, {"x": [1, 2, 3.0]}), message)


def told_by_comparison(**models):
    X, y = {"x": [i % 10 for i in range(40)]}, ["no" if i % 10 < 4 else "yes" for i in range(40)]
    made = {name: make(X, y) for name, make in models.items()}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.compare(made, X, y, cv=2)
    return [str(one.message) for one in told if "anew" in str(one.message)]


def ages(X, y):
    return tw.tree_by_hand({"x ≤ 7": "no", "else": "yes"}, X, y)


def test_cross_validation_says_that_it_grows_other_trees():
    """A tree that was written, or pruned by hand, is not what folds are learned by."""
    (told,) = told_by_comparison(mine=ages, plain=lambda X, y: tw.CARTClassifier().fit(X, y))
    assert "grows mine anew, by its options alone" in told
    assert "Hint: tw.evaluate.compare_trees" in told
    (told,) = told_by_comparison(
        pruned=lambda X, y: tw.CARTClassifier().fit(X, y).prune("depth", depth=0),
        further=lambda X, y: ages(X, y).grow_on(),
    )
    assert "pruned" in told
    assert "further" in told


def test_it_says_nothing_of_trees_that_options_grow():
    assert not told_by_comparison(
        option=lambda X, y: tw.CARTClassifier(prune="pessimistic").fit(X, y),
        c45=lambda X, y: tw.C45Classifier().fit(X, y),
        fitted=lambda X, y: ages(X, y).fit(X, y),
        new=lambda X, y: tw.CARTClassifier(),
    )
