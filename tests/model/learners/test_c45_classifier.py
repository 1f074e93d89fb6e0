"""C45Classifier: what a missing value does at fit and predict, options, files, and odd input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import treewright as tw
from strategies import examples, problems
from tables import matrix_of
from treewright.compat.c45_programs import FLAVOURS
from treewright.errors import DataError, OptionError


def near(expected):
    return pytest.approx(expected, abs=5e-5)


@pytest.fixture(scope="module")
def gaps():
    """Iris with a tenth of the cells missing."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.mask(np.random.default_rng(0).random(X.shape) < 0.1), y


@pytest.fixture(scope="module")
def model(gaps):
    return tw.C45Classifier().fit(*gaps)


def test_29_and_30_gain_of_a_column_with_a_missing_value():
    """Worked examples: Gain(gender) = 13/14 · (0.8905 - (7/13 · 0.5917 + 6/13 · 1)); row 1 is in both branches."""
    data = tw.datasets.load("customer_loyalty")
    X = {"gender": data.X["gender"]}
    tree = tw.C45Classifier(criterion="gain", prune=False, collapse=False).fit(X, data.y).tree_
    assert tree.gain[0] == near(0.1025)
    assert (tree.rows[0], tree.missing[0]) == (14, 1)
    assert sorted(tree.rows[1:]) == [7, 8]
    assert sorted(tree.stats[1:].sum(1)) == near([6 + 6 / 13, 7 + 7 / 13])


def test_gain_ratio_counts_the_missing_as_a_branch():
    data = tw.datasets.load("customer_loyalty")
    X = {"gender": data.X["gender"]}
    tree = tw.C45Classifier(prune=False, collapse=False).fit(X, data.y).tree_
    sizes = np.array([1, 6, 7]) / 14
    assert tree.gain[0] == near(0.1025 / -(sizes * np.log2(sizes)).sum())


def test_play_tennis_without_missing_values():
    data = tw.datasets.load("play_tennis")
    X = {name: column for name, column in data.X.items() if name != "day"}
    model = tw.C45Classifier().fit(X, data.y)
    assert model.score(X, data.y) == 1
    assert model.tree_.gain[0] == near(0.1564)  # of outlook; Quinlan 1993, page 23


# ---------------------------------------------------------------- predicting


@given(problems("classes", weighted=False), st.sampled_from(["c4.5", "j48"]), st.data())
def test_probabilities_are_those_of_the_explanation(problem, flavour, data):
    """The explanation walks the tree in plain Python."""
    X = pd.DataFrame(matrix_of(problem))
    X.columns = [f"x{j}" for j in range(X.shape[1])]
    if len(np.unique(problem.y)) < 2:
        return
    model = tw.C45Classifier(flavour=flavour, min_cases=1, prune=False, collapse=False).fit(X, problem.y)
    new = X.mask(np.array(data.draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size))).reshape(X.shape))
    probabilities, visited = model.predict_proba(new), model.decision_path(new)
    assert probabilities.sum(1) == pytest.approx(1)
    for i in range(len(new)):
        explained = model.explain(new[i : i + 1])
        assert probabilities[i] == pytest.approx(explained.distribution, abs=1e-12)
        passed = {0, *(step.child for step in explained.steps)}
        assert set(visited[i].indices) == passed
        assert model.apply(new[i : i + 1])[0] in explained.leaves


def test_a_row_missing_everything_gets_the_distribution_of_the_root(model, gaps):
    X, y = gaps
    nothing = pd.DataFrame({name: [np.nan] for name in X})
    assert model.predict_proba(nothing)[0] == pytest.approx(np.bincount(y) / len(y), abs=1e-12)


def test_apply_names_the_leaf_of_the_largest_share(model, gaps):
    X, _ = gaps
    nothing = pd.DataFrame({name: [np.nan] for name in X})
    tree = model.tree_
    leaves = np.flatnonzero(tree.n_branches == 0)
    assert model.apply(nothing)[0] == leaves[tree.stats[leaves].sum(1).argmax()]
    assert model.decision_path(nothing).toarray().all()


def test_the_class_is_that_of_the_greatest_probability(model, gaps):
    """Of those that are equal but for rounding, the first: in this table one row is 0.5 and 0.5."""
    X, _ = gaps
    probabilities = model.predict_proba(X)
    first = (probabilities >= probabilities.max(1, keepdims=True) - 1e-9).argmax(1)
    assert (first != probabilities.argmax(1)).any()
    np.testing.assert_array_equal(model.predict(X), model.classes_[first])
    assert [model.explain(X[i : i + 1]).prediction for i in range(len(X))] == model.predict(X).tolist()


def test_a_saved_model_predicts_alike(model, gaps, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.predict_proba(gaps[0]), model.predict_proba(gaps[0]))


def test_text_and_rules_say_that_missing_values_are_shared(model):
    assert "or missing (shared)" in str(model)
    assert len(model.rules()) == model.tree_.n_leaves


# ---------------------------------------------------------------- options


def test_an_empty_branch_is_sure_or_in_doubt():
    """No row of the 'left' part is blue: C4.5 is sure of the parent's class, J48 has the parent's shares."""
    X = {"side": ["l"] * 9 + ["r"] * 6, "colour": ["red"] * 4 + ["green"] * 5 + ["blue"] * 6}
    y = ["no"] * 4 + ["yes"] * 4 + ["no"] + ["maybe"] * 6
    new = {"side": ["l"], "colour": ["blue"]}
    probabilities = {}
    for flavour in ("c4.5", "j48"):
        model = tw.C45Classifier(flavour=flavour, prune=False, collapse=False).fit(X, y)
        assert (model.tree_.rows == 0).sum() == (1 if model.tree_.n_leaves == 4 else 0)
        probabilities[flavour] = dict(zip(model.classes_, model.predict_proba(new)[0].round(4)))
    if model.tree_.n_leaves == 4:
        assert probabilities["c4.5"] == {"maybe": 0, "no": 1, "yes": 0}
        assert probabilities["j48"] == {"maybe": 0, "no": 0.5556, "yes": 0.4444}


def table_of_many_levels(levels):
    """By its gain of 0.19 ``many`` would leave ``rare``, of 0.14, below the average; by the ratio ``rare`` leads."""
    rare = ["v" if row in (0, 4) else "u" for row in range(16)]
    return pd.DataFrame({"many": pd.Categorical(list("ppppqqqqrrrrssss"), list(levels)), "rare": rare})


@pytest.mark.parametrize(("levels", "tested", "branches"), [("pqrs", "many", 4), ("pqrst", "rare", 2)])
def test_declared_levels_make_a_column_one_of_many_levels(levels, tested, branches):
    """Five levels are 30 % of 16 rows, so the column does not count in the average. Weka's J48 -U does the same."""
    X, y = table_of_many_levels(levels), list("yyyn" * 2 + "nnny" * 2)
    model = tw.C45Classifier(flavour="j48", prune=False).fit(X, y)
    root = model.tree_.root
    assert (model.schema_.names[root.split.column], len(root.children)) == (tested, branches)


@pytest.mark.parametrize(("flavour", "share"), [("c4.5", 1.0), ("j48", 0.5)])
def test_a_declared_level_that_never_occurs_has_an_empty_branch(flavour, share, tmp_path):
    X = table_of_many_levels("pqrst")[["many"]]
    model = tw.C45Classifier(flavour=flavour, prune=False).fit(X, list("yyyn" * 2 + "nnny" * 2))
    assert model.tree_.n_leaves == 5
    assert (model.tree_.rows == 0).sum() == 1
    new = {"many": ["t"]}
    assert model.predict_proba(new)[0].tolist() == [share, 1 - share]
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict_proba(new)[0].tolist() == [share, 1 - share]


def test_laplace(model, gaps):
    smooth = tw.C45Classifier(laplace=True).fit(*gaps)
    stats = smooth.tree_.stats
    np.testing.assert_allclose(smooth.tree_.value, (stats + 1) / (stats.sum(1, keepdims=True) + 3))


def test_less_confidence_prunes_more(gaps):
    leaves = [tw.C45Classifier(confidence=c).fit(*gaps).tree_.n_leaves for c in (0.001, 0.25, 1.0)]
    assert leaves == sorted(leaves)
    assert leaves[0] < leaves[-1]


def test_binary_tests_one_level_against_the_rest():
    X = {"colour": ["red", "green", "blue", "white"] * 5}
    y = ["yes" if colour == "blue" else "no" for colour in X["colour"]]
    tree = tw.C45Classifier(binary=True).fit(X, y).tree_
    assert (tree.n_leaves, tree.branch_of.tolist()) == (2, [-1, 0, 1, 1, 1])


def test_an_ordered_column_is_cut():
    X = {"size": ["S", "M", "L", "XL"] * 5}
    y = ["small" if size in "SM" else "large" for size in X["size"]]
    model = tw.C45Classifier(kinds={"size": ["S", "M", "L", "XL"]}).fit(X, y)
    assert model.tree_.branch_of.tolist() == [-1, 0, 0, 1, 1]


def test_max_depth(gaps):
    assert tw.C45Classifier(max_depth=2).fit(*gaps).tree_.depth == 2
    assert tw.C45Classifier(max_depth=0).fit(*gaps).tree_.n_nodes == 1


def test_midpoints(gaps):
    values = tw.C45Classifier(prune=False).fit(*gaps).tree_
    middles = tw.C45Classifier(prune=False, thresholds="midpoints").fit(*gaps).tree_
    assert (middles.edges >= values.edges).all()
    assert (middles.edges > values.edges).any()
    np.testing.assert_array_equal(middles.stats, values.stats)


@pytest.mark.parametrize("flavour", ["c4.5", "j48"])
def test_weights_of_classes_and_rows(gaps, flavour):
    X, y = gaps
    by_class = tw.C45Classifier(flavour=flavour, class_weight={0: 1, 1: 1, 2: 3}).fit(X, y)
    by_row = tw.C45Classifier(flavour=flavour).fit(X, y, sample_weight=np.where(y == 2, 3, 1))
    np.testing.assert_array_equal(by_class.tree_.stats, by_row.tree_.stats)
    assert by_row.tree_.stats[0].tolist() == [50, 50, 150]


def test_fit_by_name():
    data = tw.datasets.load("play_tennis")
    table = {name: cells for name, cells in data.table.items() if name != "day"}
    assert isinstance(tw.fit(table, "play", "c4.5", min_cases=1), tw.C45Classifier)


# ---------------------------------------------------------------- odd input


@pytest.mark.parametrize(
    "options",
    [
        {"confidence": 0},
        {"confidence": 1.5},
        {"confidence": "high"},
        {"min_cases": 0.5},
        {"min_cases": float("nan")},
        {"flavour": "c5"},
        {"criterion": "gini"},
        {"thresholds": "edges"},
        {"prune": None},
        {"binary": 2},
    ],
    ids=str,
)
def test_options_that_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        tw.C45Classifier(**options).fit([[1], [2]], [0, 1])


def test_options_of_other_trees_are_unknown():
    with pytest.raises(TypeError):
        tw.C45Classifier(min_rows_leaf=3)
    with pytest.raises(OptionError, match="min_rows_leaf"):
        tw.fit({"a": [1, 2], "y": ["no", "yes"]}, "y", "c4.5", min_rows_leaf=2)


def test_a_column_missing_on_every_row_is_never_chosen(gaps):
    X, y = gaps
    alone = tw.C45Classifier().fit(pd.DataFrame({"nothing": [np.nan] * len(y)}), y)
    assert alone.tree_.n_nodes == 1
    beside = tw.C45Classifier().fit(X.assign(nothing=np.nan), y)
    np.testing.assert_array_equal(beside.tree_.column, tw.C45Classifier().fit(X, y).tree_.column)


def test_infinite_values_are_numbers():
    X = [[-np.inf], [-np.inf], [0.0], [0.0], [np.inf], [np.inf]]
    model = tw.C45Classifier(min_cases=1, prune=False).fit(X, [0, 0, 1, 1, 0, 0])
    assert model.score(X, [0, 0, 1, 1, 0, 0]) == 1


def test_numbers_that_32_bits_cannot_hold_are_told_apart():
    """C4.5 would make them equal; we follow it only where numbers are small enough for its smallest gap."""
    for low, high in ((1e300, 2e300), (1e9, 1e9 + 1), (-(2.0**60), -(2.0**60) + 1024)):
        X = [[low]] * 4 + [[high]] * 4
        assert tw.C45Classifier().fit(X, [0] * 4 + [1] * 4).tree_.edges.tolist() == [low]


@pytest.mark.parametrize(("low", "high"), [(4e-7, 6e-7), (1.0, 1.0 + 1e-9), (1e-50, 3e-50), (0.0, 5e-324)])
def test_numbers_of_any_scale_are_told_apart_but_by_the_programs(low, high):
    X, y = [[low]] * 4 + [[high]] * 4, [0] * 4 + [1] * 4
    leaves = {f: tw.C45Classifier(flavour=f).fit(X, y).tree_.n_leaves for f in FLAVOURS}
    assert leaves == {"c4.5": 2, "c4.5-release8": 1, "j48": 1}


def test_numbers_are_equal_within_a_billionth_of_the_spread():
    """And never further apart than to the programs: 1e-5."""
    y = [0] * 4 + [1] * 4 + [1] * 4
    for far, gap, is_split in [(1.0, 0.9e-9, False), (1.0, 1.1e-9, True), (1e9, 0.9e-5, False), (1e9, 1.1e-5, True)]:
        model = tw.C45Classifier(prune=False).fit([[0.0]] * 4 + [[gap]] * 4 + [[far]] * 4, y)
        assert (model.score([[0.0], [gap]], [0, 1]) == 1.0) == is_split


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(*[st.integers(-50, 50)] * 2, st.integers(0, 2)), min_size=2), st.integers(-100, 30))
def test_the_scale_of_a_column_does_not_change_the_tree(rows, exponent):
    *columns, y = np.array(rows).T
    assume(len(np.unique(y)) > 1)
    X = np.array(columns, np.float64).T
    one, other = (tw.C45Classifier(min_cases=1).fit(X * scale, y).tree_ for scale in (1.0, 2.0**exponent))
    assert (one.column.tolist(), one.stats.tolist()) == (other.column.tolist(), other.stats.tolist())
    assert (one.edges * 2.0**exponent).tolist() == other.edges.tolist()


def test_thresholds_are_found_in_32_bits():
    """25.1 between 24.9 and 25.3 is at the middle in 64 bits, and above it in 32."""
    X = {"side": ["left"] * 20 + ["right"] * 20, "x": [24.9] * 10 + [25.3] * 10 + [25.1] * 20}
    y = [0] * 10 + [1] * 10 + [2] * 20
    found = {f: tw.C45Classifier(flavour=f, prune=False).fit(X, y).tree_.edges.tolist() for f in ("c4.5", "j48")}
    assert found == {"c4.5": [24.9], "j48": [25.1]}


@pytest.mark.parametrize(("above", "edge"), [(0.00032, -1.0), (0.000321, 0.00031)])
def test_numbers_a_gap_apart_are_told_apart_as_the_program_adds(above, edge):
    """0.00032 - 0.00031 is more than 1e-5 as floats, but 0.00031 + 1e-5 is not less than 0.00032: Weka cuts at -1."""
    x = [*range(-300, 0), 0.00031, above, *range(1, 301)]
    model = tw.C45Classifier(flavour="j48", prune=False, max_depth=1).fit({"x": x}, ["a"] * 301 + ["b"] * 301)
    assert model.tree_.edges.tolist() == [edge]


@pytest.mark.parametrize(("other", "edge"), [(-2e-5, -2.7000000000000002e-05), (-2.05e-5, -2.05e-5)])
def test_a_threshold_may_lie_above_the_middle_by_less_than_the_tolerance(other, edge):
    """The middle is -2.1e-5. A value of the other side counts if it is less than 1e-6 above it, as in Weka."""
    low, high = -2.7000000000000002e-05, -1.5000000000000002e-05
    X = {"side": ["l"] * 8 + ["r"] * 8, "x": [other] * 8 + [low] * 4 + [high] * 4}
    model = tw.C45Classifier(flavour="j48", prune=False).fit(X, list("ccccccccaaaabbbb"))
    assert model.tree_.edges.tolist() == [edge]


def test_one_class_is_refused():
    with pytest.raises(DataError, match="one class"):
        tw.C45Classifier().fit([[1], [2]], ["a", "a"])


@pytest.fixture(scope="module")
def weather():
    table = tw.datasets.load("play_tennis")
    return {name: table.X[name] for name in ("outlook", "windy")}, table.y


def test_levels_in_one_branch(weather, tmp_path):
    """Two kinds of weather that are alike share a branch, and are told apart further down."""
    X, y = weather
    model = tw.C45Classifier(subset=True).fit(X, y)
    assert model.tree_.root.split.branch_of.tolist() == [-1, 0, 1, 1]
    assert "outlook in {Rainy, Sunny}" in str(model)
    assert any("outlook = Sunny" in str(rule) for rule in model.rules())
    assert "outlook is Sunny, so outlook in {Rainy, Sunny}" in str(model.explain({"outlook": "Sunny", "windy": "Weak"}))
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict(X).tolist() == model.predict(X).tolist()


def test_levels_excluded_further_up_have_no_branch_in_a_pruned_tree(weather):
    grown, pruned = (tw.C45Classifier(subset=True, prune=prune).fit(*weather).tree_ for prune in (False, True))
    again = [
        [node for node in tree.nodes() if not node.is_leaf and node.split.column == 0][1] for tree in (grown, pruned)
    ]
    assert [len(node.children) for node in again] == [3, 2]
    assert [node.split.branch_of[1] for node in again] == [2, -1]  # overcast: an empty leaf, or nothing
    assert again[0].children[2].n == 0


def test_grouping_and_one_level_against_the_rest_exclude_each_other():
    with pytest.raises(OptionError, match="exclude each other"):
        tw.C45Classifier(subset=True, binary=True).fit([[1], [2]], ["a", "b"])


# ---------------------------------------------------------------- pruned with rows held out


def test_rows_to_prune_with_may_be_a_mask_numbers_or_drawn(gaps):
    X, y = gaps
    rows = np.arange(0, 150, 3)
    mask = np.isin(np.arange(150), rows)
    by_number, by_mask = (tw.C45Classifier(prune="reduced-error").fit(X, y, prune_rows=given) for given in (rows, mask))
    np.testing.assert_array_equal(by_number.tree_.stats, by_mask.tree_.stats)
    assert by_number.tree_.rows[0] == 100
    random_pick = [tw.C45Classifier(prune="reduced-error", random_state=seed).fit(X, y).tree_ for seed in (None, 0, 1)]
    assert [tree.stats[0].sum() for tree in random_pick] == [100, 100, 100]
    np.testing.assert_array_equal(random_pick[0].stats, random_pick[1].stats)
    assert random_pick[1].stats.tolist() != random_pick[2].stats.tolist()


def test_the_tree_is_the_best_of_its_subtrees_on_the_rows_held_out(gaps):
    X, y = gaps
    held = np.arange(0, 150, 3)
    model = tw.C45Classifier(prune="reduced-error").fit(X, y, prune_rows=held)
    rest = np.setdiff1d(np.arange(150), held)
    grown = tw.C45Classifier(prune=False, collapse=False, thresholds="midpoints").fit(X.iloc[rest], y.iloc[rest])
    assert model.tree_.n_nodes < grown.tree_.n_nodes
    assert model.score(X.iloc[held], y.iloc[held]) >= grown.score(X.iloc[held], y.iloc[held]) - 0.02


def test_rows_held_out_keep_their_levels_and_values():
    """A level and a number that only these rows have: the first is known to the model, the second may be a cut."""
    X = {"colour": ["red", "green"] * 10 + ["blue"], "x": [1.0] * 10 + [5.0] * 10 + [2.0]}
    y = ["no"] * 10 + ["yes"] * 10 + ["no"]
    model = tw.C45Classifier(prune="reduced-error", flavour="j48").fit(X, y, prune_rows=[0, 19, 20])
    assert model.schema_.columns[0].levels == ("blue", "green", "red")
    assert model.tree_.edges.tolist() == [2.0]


@pytest.mark.parametrize("rows", [[200], [0.5], [[0]], [True, False], [], range(150)], ids=str)
def test_rows_to_prune_with_that_are_refused(gaps, rows):
    with pytest.raises(DataError, match="rows"):
        tw.C45Classifier(prune="reduced-error").fit(*gaps, prune_rows=rows)


def test_rows_to_prune_with_need_the_option(gaps):
    with pytest.raises(OptionError, match="prune_rows"):
        tw.C45Classifier().fit(*gaps, prune_rows=[0])
