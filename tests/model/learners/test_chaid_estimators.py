"""CHAID as a user meets it: groups, significance, missing values, weights, bins, bad input, files."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import treewright as tw
from made_trees import same
from plain_pruning import as_if_stopped
from refusals import check_refused
from strategies import examples
from treewright.recipe_parts.recipe import Limits

quiet = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def survey(n_rows=600, seed=0):
    """Four levels of which two are alike, an ordinal column with gaps, numbers, and a column of noise."""
    random = np.random.default_rng(seed)
    region = random.choice(["north", "south", "east", "west"], n_rows)
    size = random.integers(0, 5, n_rows)
    age = random.uniform(18, 90, n_rows).round()
    noise = random.choice(["a", "b", "c"], n_rows)
    score = 1.2 * np.isin(region, ["north", "east"]) + 0.8 * (size > 2) + 0.03 * (age - 50)
    y = np.where(score + random.logistic(size=n_rows) > 1, "yes", "no")
    sizes = pd.Categorical.from_codes(size, ["XS", "S", "M", "L", "XL"], ordered=True)
    table = pd.DataFrame({"region": region, "size": sizes, "age": age, "noise": noise})
    table.loc[::17, "size"] = None
    return table, y


def contingency(labels, y):
    return pd.crosstab(pd.Series(labels), pd.Series(y)).to_numpy()


# ---------------------------------------------------------------- splits and their tests


@pytest.mark.parametrize(("test", "lambda_"), [("chi2", "pearson"), ("g", "log-likelihood")])
def test_tests_are_those_of_scipy(test, lambda_):
    X, y = survey()
    model = tw.CHAIDClassifier(test=test, max_depth=1).fit(X, y)
    expected = stats.chi2_contingency(contingency(model.apply(X), y), correction=False, lambda_=lambda_)
    found = model.tree_.root.test
    assert (found.statistic, found.freedom) == (pytest.approx(expected.statistic, rel=1e-12), expected.dof)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.name == {"chi2": "χ²", "g": "G"}[test]
    assert model.tree_.root.children[0].test is None


def test_numbers_are_compared_by_analysis_of_variance():
    X, _ = survey()
    y = np.random.default_rng(1).normal(size=len(X)) + (X["region"] == "west") * 2 + X["age"] * 0.01
    model = tw.CHAIDRegressor(max_depth=1).fit(X, y)
    leaves = model.apply(X)
    expected = stats.f_oneway(*(y[leaves == leaf] for leaf in np.unique(leaves)))
    found = model.tree_.root.test
    assert (found.name, found.freedom, found.within) == (
        "F",
        len(np.unique(leaves)) - 1,
        len(X) - len(np.unique(leaves)),
    )
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    np.testing.assert_allclose(model.predict(X), pd.Series(y).groupby(leaves).transform("mean"))


def test_ordered_classes_are_compared_by_mean_scores():
    X, _ = survey()
    score = np.random.default_rng(2).integers(1, 4, len(X)) + (X["region"] == "west")
    y = pd.Categorical.from_codes(score - 1, ["low", "mid", "high", "top"], ordered=True)
    model = tw.CHAIDClassifier(test="scores", max_depth=1, min_rows_leaf=1).fit(X[["region"]], y)
    west = model.apply(X) == model.apply(pd.DataFrame({"region": ["west"]}))[0]
    assert west.tolist() == (X["region"] == "west").tolist()
    expected = (len(X) - 1) * np.corrcoef(west, score)[0, 1] ** 2
    assert model.tree_.root.test.statistic == pytest.approx(expected, rel=1e-9)
    assert model.tree_.root.test.p == pytest.approx(stats.chi2.sf(expected, 1), rel=1e-9)
    doubled = {label: 2.0 * place for place, label in enumerate(y.categories)}
    again = tw.CHAIDClassifier(test="scores", scores=doubled, max_depth=1, min_rows_leaf=1).fit(X[["region"]], y)
    assert again.tree_.root.test.statistic == pytest.approx(expected, rel=1e-9)


def test_an_ordered_target_sees_what_a_nominal_one_does_not():
    """A shift spread thin over many classes."""
    random = np.random.default_rng(3)
    group = np.repeat(["a", "b"], 60)
    y = random.integers(0, 12, 120) + 2 * (group == "b")
    X = pd.DataFrame({"group": group})
    plain = tw.CHAIDClassifier(alpha_split=0.9).fit(X, y)
    ordered = tw.CHAIDClassifier(test="scores", alpha_split=0.9).fit(X, y)
    assert ordered.tree_.root.test.p < 0.1 * plain.tree_.root.test.p


def test_levels_that_do_not_differ_share_a_branch():
    X, y = survey(3000)
    tree = tw.CHAIDClassifier(max_depth=1).fit(X[["region"]], y).tree_
    assert tree.n_leaves == 2
    east, north, south, west = tree.root.split.branch_of[1:].tolist()
    assert (east, south) == (north, west)
    test = tree.root.test
    assert test.adjusted_p == pytest.approx(7 * test.p)  # S(4, 2) ways to put four levels into two groups


@quiet
def test_bonferroni_is_an_option():
    X, y = survey()
    plain = tw.CHAIDClassifier(bonferroni=False).fit(X, y)
    assert (plain.tree_.test[:, 5] == plain.tree_.test[:, 4]).all()
    assert "adjusted" not in str(plain)
    assert "adjusted" in str(tw.CHAIDClassifier().fit(X, y))


def test_numbers_are_cut_at_readable_thresholds():
    X, y = survey()
    root = tw.CHAIDClassifier(max_depth=1, bins={"age": [30, 45, 65]}).fit(X[["age"]], y).tree_.root
    assert set(root.split.edges) <= {30, 45, 65}
    np.testing.assert_array_equal(root.split.branch_of[1:], range(root.split.n_branches))
    by_ten = tw.CHAIDClassifier(max_depth=1, min_rows_leaf=1, alpha_merge=0.999).fit(X[["age"]], y).tree_.root
    assert len(by_ten.split.edges) <= 9
    assert (by_ten.split.edges % 0.5 == 0).all()  # between ages in whole years


def test_exhaustive_merging_finds_a_p_that_is_no_larger():
    X, y = survey()
    for column in X:
        both = [
            tw.CHAIDClassifier(exhaustive=exhaustive, bonferroni=False, alpha_split=0.999, max_depth=1).fit(
                X[[column]], y
            )
            for exhaustive in (False, True)
        ]
        assert both[1].tree_.root.test.log_p <= both[0].tree_.root.test.log_p + 1e-9


def test_no_more_branches_than_asked_for():
    X, y = survey()
    tree = tw.CHAIDClassifier(max_branches=2).fit(X, y).tree_
    assert tree.n_branches.max() == 2


def test_sizes_of_nodes():
    X, y = survey()
    tree = tw.CHAIDClassifier(min_rows_leaf=60, min_rows_split=150).fit(X, y).tree_
    assert tree.n_leaves > 2
    assert tree.rows.min() >= 60
    assert tree.rows[tree.n_branches > 0].min() >= 150
    assert tw.CHAIDClassifier(min_rows_split=601).fit(X, y).tree_.n_nodes == 1
    assert tw.CHAIDClassifier(max_depth=0).fit(X, y).tree_.n_nodes == 1


LIMITS = [
    {"max_leaves": 1},
    {"max_leaves": 4},
    {"max_leaves": 7},
    {"min_gain": 0.01},
    {"min_gain": 0.02, "max_leaves": 3},
]


@quiet
@settings(max_examples=examples(15))
@given(seed=st.integers(0, 1000), limits=st.sampled_from(LIMITS), weighted=st.booleans())
def test_leaves_and_gains_are_limited_as_in_other_trees(seed, limits, weighted):
    """To undo splits once the tree is grown is the twin of not making them."""
    X, y = survey(400, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(X)) if weighted else None
    numbers = 2.0 * X["region"].isin(["north", "east"]) + X["size"].cat.codes + np.arange(len(X)) % 3
    for make, target in ((tw.CHAIDClassifier, y), (tw.CHAIDRegressor, numbers)):
        scale = 1 if make is tw.CHAIDClassifier else np.var(numbers)
        wanted = {name: value * scale if name == "min_gain" else value for name, value in limits.items()}
        full, early = (make(min_rows_leaf=3, **chosen).fit(X, target, weights) for chosen in ({}, wanted))
        twin = as_if_stopped(full.tree_, Limits(**wanted))
        assert same(early.tree_, twin if twin.n_nodes > 1 else twin._replace(test=early.tree_.test))


@quiet
def test_limits_do_what_they_say():
    X, y = survey(1500)
    full = tw.CHAIDClassifier().fit(X, y)
    for most in range(1, full.tree_.n_leaves + 1):
        assert tw.CHAIDClassifier(max_leaves=most).fit(X, y).tree_.n_leaves <= most
    assert str(tw.CHAIDClassifier(max_leaves=full.tree_.n_leaves).fit(X, y)) == str(full)
    gains = full.tree_.gain[full.tree_.n_branches > 0]
    least = float(np.median(gains))
    early = tw.CHAIDClassifier(min_gain=least).fit(X, y).tree_
    assert 0 < (early.n_branches > 0).sum() < len(gains)
    assert early.gain[early.n_branches > 0].min() >= least - 1e-12
    assert tw.CHAIDClassifier(min_gain=1.0).fit(X, y).tree_.n_nodes == 1


@pytest.mark.parametrize("test", ["chi2", "g", "scores"])
def test_gains_are_decreases_in_impurity_and_scores_are_significance(test):
    X, y = survey()
    model = tw.CHAIDClassifier(test=test, max_depth=1).fit(X, y)
    root = model.tree_.root
    assert root.gain == pytest.approx(tw.criteria.gini_gain([child.stats for child in root.children]), rel=1e-12)
    assert model.split_scores().tolist() == [-root.test.log_adjusted_p, *[0.0] * len(root.children)]
    assert tw.CHAIDClassifier(max_depth=0).fit(X, y).split_scores().tolist() == [0.0]


def test_gains_of_numbers_are_decreases_in_variance():
    X, _ = survey()
    model = tw.CHAIDRegressor(max_depth=1).fit(X, X["age"])
    within = pd.Series(X["age"]).groupby(model.apply(X)).transform("var", ddof=0).mean()
    assert model.tree_.root.gain == pytest.approx(np.var(X["age"]) - within, rel=1e-9)


@quiet
@settings(max_examples=examples(15))
@given(seed=st.integers(0, 1000), options=st.sampled_from([{}, {"exhaustive": True}, {"alpha_resplit": 0.049}]))
def test_what_holds_of_every_tree(seed, options):
    X, y = survey(300, seed)
    model = tw.CHAIDClassifier(min_rows_leaf=3, min_rows_split=10, **options).fit(X, y)
    order = np.random.default_rng(seed).permutation(len(X))
    assert str(tw.CHAIDClassifier(min_rows_leaf=3, min_rows_split=10, **options).fit(X.iloc[order], y[order])) == str(
        model
    )
    for node in model.tree_.nodes():
        if node.is_leaf:
            continue
        assert node.test.log_p <= node.test.log_adjusted_p <= np.log(0.05)
        known = node.split.branch_of[1:]
        if model.schema_.columns[node.split.column].kind.value != "nominal":
            only_missing = [b for b in range(node.split.n_branches) if b not in known]
            assert (np.diff(known) >= 0).all()
            assert only_missing in ([], [node.split.n_branches - 1])


@quiet
@given(seed=st.integers(0, 100))
@settings(max_examples=examples(10))
def test_weights_count_as_rows(seed):
    X, y = survey(200, seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    weighted = tw.CHAIDClassifier().fit(X, y, sample_weight=weights)
    repeated = tw.CHAIDClassifier().fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    assert weighted.tree_.n_nodes == repeated.tree_.n_nodes
    np.testing.assert_allclose(weighted.tree_.test, repeated.tree_.test, rtol=1e-9)
    np.testing.assert_array_equal(weighted.apply(X), repeated.apply(X))


# ---------------------------------------------------------------- missing and unseen values


def test_missing_values_are_a_level():
    """Missing where the answer is yes: they join the levels that are like them, or stand alone."""
    colour = ["red"] * 40 + ["blue"] * 40 + [None] * 40
    alike = ["yes"] * 40 + ["no"] * 40 + ["yes"] * 40
    model = tw.CHAIDClassifier().fit({"colour": colour}, alike)
    assert model.tree_.root.split.branch_of.tolist() == [1, 0, 1]  # missing, blue, red
    assert "colour = red or missing" in str(model)
    apart = ["yes"] * 40 + ["no"] * 40 + ["perhaps"] * 40
    alone = tw.CHAIDClassifier().fit({"colour": colour}, apart)
    assert alone.tree_.root.split.branch_of.tolist() == [2, 0, 1]
    assert alone.predict({"colour": [None, "green", "red"]}).tolist() == ["perhaps", "perhaps", "yes"]


def test_missing_values_float_to_any_neighbourhood():
    """Of an ordinal column: the missing are like the highest level, and are not its neighbour."""
    size = np.repeat([1, 2, 3, 4], 50).astype(object)
    y = np.repeat(["no", "no", "no", "yes"], 50)
    X = pd.DataFrame({"size": pd.Categorical([*size, *[None] * 50], [1, 2, 3, 4], ordered=True)})
    model = tw.CHAIDClassifier().fit(X, [*y, *["yes"] * 50])
    assert model.tree_.root.split.branch_of.tolist() == [1, 0, 0, 0, 1]
    numeric = tw.CHAIDClassifier().fit(X.astype(float), [*y, *["yes"] * 50])
    assert numeric.tree_.root.split.edges.tolist() == [3.5]
    assert numeric.tree_.root.split.branch_of.tolist() == [1, 0, 1]


def test_known_or_missing_is_a_split():
    x = np.where(np.arange(80) % 2, np.nan, 1.0)
    model = tw.CHAIDClassifier().fit(x[:, None], np.isnan(x))
    assert model.score(x[:, None], np.isnan(x)) == 1.0
    assert tw.CHAIDClassifier().fit({"x": [None if n else "a" for n in np.isnan(x)]}, np.isnan(x)).tree_.n_leaves == 2


def test_unseen_levels_go_the_heaviest_way_where_none_were_missing():
    X = {"colour": ["red"] * 30 + ["blue"] * 50}
    model = tw.CHAIDClassifier().fit(X, ["no"] * 30 + ["yes"] * 50)
    assert model.predict({"colour": ["green", None]}).tolist() == ["yes", "yes"]
    with pytest.raises(tw.DataError, match="green"):
        model.set_params(unseen="error").predict({"colour": ["green"]})


# ---------------------------------------------------------------- competitors


def test_competitors_are_ranked():
    X, y = survey()
    model = tw.CHAIDClassifier().fit(X.copy(), y)  # the table is gone, the codes are kept
    root, found = model.tree_.root, model.competitors()
    assert found.rows[0].column == model.schema_.names[root.split.column]
    assert sorted(row.adjusted_p for row in found) == [row.adjusted_p for row in found]
    assert found.rows[0].statistic == pytest.approx(root.test.statistic, rel=1e-12)
    assert found.rows[0].log_adjusted_p == pytest.approx(root.test.log_adjusted_p, rel=1e-12)
    assert len(found.rows[0].groups) == root.split.n_branches
    assert set(found.to_dict()) >= {"column", "groups", "statistic", "freedom", "p", "adjusted_p"}
    assert str(found).splitlines()[0].split() == ["column", "groups", "χ²", "df", "p", "adjusted", "p"]


@quiet
def test_competitors_at_every_node():
    X, y = survey(1500)
    model = tw.CHAIDClassifier().fit(X, y)
    for node in model.tree_.nodes():
        given_rows = model.competitors(node.id, X, y)
        assert model.competitors(node.id) == given_rows
        if not node.is_leaf:
            assert given_rows.rows[0].log_adjusted_p == pytest.approx(node.test.log_adjusted_p, rel=1e-9)
        elif node.n >= 20:
            assert given_rows.rows[0].adjusted_p > 0.05 or not given_rows.rows[0].groups


def test_competitors_that_cannot_be_had():
    X, y = survey()
    model = tw.CHAIDClassifier().fit(X, y)
    for node in (-1, model.tree_.n_nodes, 1.5, True):
        check_refused(lambda node=node: model.competitors(node), "there is no node.*numbered from 0", tw.OptionError)
    copied = pickle.loads(pickle.dumps(model))
    check_refused(copied.competitors, "needs the rows of the fit.*model.competitors.node, X, y", tw.OptionError)
    assert copied.competitors(0, X, y) == model.competitors()


# ---------------------------------------------------------------- bad input


BAD = {
    "alpha_merge": [0, 1, -0.1, 1.5, "a", None, np.nan],
    "alpha_split": [0, 1.0, 2, None],
    "alpha_resplit": [0, 1, "x"],
    "bonferroni": ["yes", None],
    "exhaustive": [2],
    "test": ["chi", None],
    "scores": [[1, 2], {"a": "b"}],
    "bins": [1, 0, 2.5, "x", {"age": [3, 1]}, {"age": []}, {"age": [1, np.nan]}, {"age": 1}, None],
    "max_branches": [1, 0, 2.5],
    "max_leaves": [0, 2.5, "x"],
    "min_gain": [-0.1, np.nan, None],
    "min_rows_split": [1, 2.5],
    "min_rows_leaf": [0],
    "small_node_share": [0, 1.1, None],
}


@pytest.mark.parametrize(("option", "value"), [(name, value) for name in BAD for value in BAD[name]])
def test_bad_values_of_options(option, value):
    X, y = survey(50)
    model = tw.CHAIDClassifier(**{option: value})
    check_refused(lambda: model.fit(X, y), f"{option}=.*not accepted.*Hint", tw.OptionError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha_resplit": 0.05}, "alpha_resplit=0.05 is not below alpha_merge=0.05"),
        ({"alpha_resplit": 0.01, "exhaustive": True}, "exhaustive merging does not split groups again"),
        ({"scores": {"no": 1, "yes": 2}}, "scores are for test='scores'"),
        ({"test": "scores", "scores": {"no": 1}}, "no number for class 'yes'"),
        ({"bins": {"wealth": 3}}, "bins names a column that does not exist: 'wealth'"),
        ({"bins": {"region": 3}}, "'region' has levels and cannot be binned"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    X, y = survey(50)
    check_refused(lambda: tw.CHAIDClassifier(**options).fit(X, y), message, tw.OptionError)


def test_columns_that_cannot_be_split_by():
    y = np.repeat(["no", "yes"], 40)
    X = pd.DataFrame({"one": ["a"] * 80, "empty": [np.nan] * 80, "constant": [3.0] * 80, "good": y})
    model = tw.CHAIDClassifier().fit(X, y)
    assert model.score(X, y) == 1
    found = {row.column: row.groups for row in model.competitors()}
    assert [len(found[name]) for name in ("good", "one", "empty", "constant")] == [2, 0, 0, 0]
    nothing = tw.CHAIDClassifier().fit(X[["one", "empty", "constant"]], y)
    assert nothing.tree_.n_nodes == 1
    assert nothing.predict_proba(X[:1]).tolist() == [[0.5, 0.5]]


def test_a_level_without_some_class_and_a_warning_where_small_counts_matter():
    """Far below alpha_split a rough p decides nothing."""
    colour = ["red"] * 12 + ["green"] * 12 + ["blue"] * 12
    y = ["a"] * 12 + ["b"] * 11 + ["c"] + ["c"] * 12
    model = tw.CHAIDClassifier().fit({"colour": colour}, y)
    assert model.tree_.n_leaves == 3
    expected = stats.chi2_contingency(contingency(colour, y), correction=False)
    assert model.tree_.root.test.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert model.rough_splits().tolist() == [0]
    with pytest.warns(
        tw.TreewrightWarning, match="1 of 1 split may be chance: their adjusted p is close to alpha_split"
    ):
        tw.CHAIDClassifier(alpha_split=model.tree_.root.test.adjusted_p * 5).fit({"colour": colour}, y)


def test_small_counts_deep_in_a_tree_are_no_reason_to_warn():
    """The first split is beyond doubt; below it, one of two has an adjusted p close to alpha and small counts."""
    random = np.random.default_rng(0)
    side = np.repeat(["l", "r"], 300)
    y = np.where(side == "l", random.choice(list("ab"), 600), random.choice(list("cd"), 600))
    rare = np.array(["p"] * 594 + ["q"] * 6)
    y[-6:] = "c"
    X = pd.DataFrame({"side": side, "rare": rare})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tw.CHAIDClassifier(min_rows_leaf=3, alpha_split=0.05).fit(X, y)
    rough = model.rough_splits().tolist()
    assert rough
    assert 0 not in rough
    assert model.tree_.node(rough[0]).test.adjusted_p > 0.005
    assert tw.CHAIDClassifier(test="scores", min_rows_leaf=3).fit(X, y).rough_splits().tolist() == []


def test_large_tables_are_not_warned_about(recwarn):
    X, y = survey(2000)
    tw.CHAIDClassifier(max_depth=1).fit(X, y)
    assert not recwarn.list


@quiet
def test_ten_thousand_levels():
    """So many levels can be merged in so many ways that no p is small enough, unless that is not asked."""
    random = np.random.default_rng(0)
    city = random.integers(0, 10_000, 100_000)
    y = random.random(100_000) < np.where(city % 2, 0.3, 0.7)
    X = pd.DataFrame({"city": pd.Categorical(city)})
    model = tw.CHAIDClassifier(max_depth=1).fit(X, y)
    assert model.tree_.n_nodes == 1
    (found,) = model.competitors()
    assert (found.p, found.adjusted_p) == (0, 1)
    free = tw.CHAIDClassifier(max_depth=1, bonferroni=False).fit(X, y)
    assert free.tree_.n_leaves == len(found.groups) < 100
    assert free.score(X, y) > 0.6
    assert free.tree_.root.test.log_p < -1000


def test_p_values_beyond_floats_still_rank():
    n = 200_000
    y = np.arange(n) % 2 == 0
    weak = np.where(np.arange(n) % 10 == 3, ~y, y)
    X = pd.DataFrame({"weak": weak.astype(str), "strong": np.where(np.arange(n) % 1000 == 1, ~y, y).astype(str)})
    model = tw.CHAIDClassifier(max_depth=1).fit(X, y)
    assert model.schema_.names[model.tree_.root.split.column] == "strong"
    assert model.tree_.root.test.p == 0.0
    assert "p = 0," not in str(model)
    assert "e-" in str(model).splitlines()[1]


# ---------------------------------------------------------------- in its place


def test_fit_by_name():
    X, y = survey()
    table = X.assign(answer=y)
    assert isinstance(tw.fit(table, target="answer", method="chaid"), tw.CHAIDClassifier)
    assert isinstance(tw.fit(table, target="age", method="chaid", exhaustive=True), tw.CHAIDRegressor)


@pytest.mark.parametrize("model", [tw.CHAIDClassifier(bins={"age": [30, 50]}), tw.CHAIDRegressor(exhaustive=True)])
def test_files_keep_the_tests(model, tmp_path):
    X, y = survey()
    model.fit(X, y if isinstance(model, tw.CHAIDClassifier) else X["age"] + np.arange(len(X)) % 7)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.tree_.test, model.tree_.test)
    assert str(loaded) == str(model)
    assert loaded.get_params() == model.get_params()
    assert json.loads((tmp_path / "model.json").read_text())["tree"]["test"]


def test_an_infinitely_significant_split_is_saved(tmp_path):
    model = tw.CHAIDRegressor().fit({"colour": ["red", "blue"] * 20}, [1.0, 2.0] * 20)
    assert model.tree_.root.test.statistic == np.inf
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").tree_.root.test == model.tree_.root.test


@quiet
def test_pruned_trees_keep_the_tests_of_their_splits():
    X, y = survey(1500)
    model = tw.CHAIDClassifier().fit(X, y)
    smaller = model.prune("depth", depth=1)
    assert smaller.tree_.depth == 1 < model.tree_.depth
    assert smaller.tree_.root.test == model.tree_.root.test
    assert smaller.tree_.test.shape == (smaller.tree_.n_nodes, 6)
    assert smaller.competitors(1).rows


def test_explanations_tell_the_significance():
    X, y = survey()
    model = tw.CHAIDClassifier(max_depth=1).fit(X, y)
    step = str(model.explain(X.iloc[0].to_dict())).splitlines()[1]
    assert "χ² = " in step
    assert "p = " in step


def test_threads_change_nothing():
    X, y = survey(5000)
    one, two = (tw.CHAIDClassifier(n_jobs=n).fit(X, y) for n in (1, 2))
    assert str(one) == str(two)


def test_a_table_of_numbers_is_split_by_significance():
    """Small nodes of numbers may be grown to the end in one go, but not by CHAID."""
    X, y = survey()
    tree = tw.CHAIDClassifier(alpha_split=0.9).fit(X[["age"]], y).tree_
    assert tree.n_leaves > 1
    assert all(node.test is not None for node in tree.nodes() if not node.is_leaf)


def test_many_levels_that_differ_are_told(monkeypatch):
    monkeypatch.setattr("treewright.model.level_warnings.MANY_LEVELS", 10)
    monkeypatch.setattr("treewright.model.level_warnings.MANY_SHARES", 6)
    X, rows = {"g": [f"level {i % 20}" for i in range(200)]}, np.arange(200)
    told = pytest.warns(tw.TreewrightWarning, match=r"column 'g' has 20 levels, and the time .* grows with the square")
    with told:
        tw.CHAIDRegressor().fit(X, rows.astype(float))
    different, alike = (rows // 20 < rows % 20 / 2).astype(str), (rows // 20 < rows % 5).astype(str)
    with told:
        tw.CHAIDClassifier().fit(X, different)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.CHAIDClassifier().fit(X, alike)


def test_levels_of_many_classes_are_told_of(monkeypatch):
    """20 levels of ten rows of as many classes are 20 × 200 comparisons."""
    monkeypatch.setattr("treewright.model.level_warnings.MANY_SHARES", 6)
    X, rows = {"g": [f"level {i % 20}" for i in range(200)]}, np.arange(200)
    ten_of_twenty = np.random.default_rng(0).permuted(np.tile(np.arange(20), (20, 1)), axis=1)[:, :10]
    of_many, of_two = [f"class {k}" for k in ten_of_twenty[rows % 20, rows // 20]], (rows % 20 < 9).astype(str)
    monkeypatch.setattr("treewright.model.level_warnings.MANY_CLASS_PAIRS", 3_000)
    with pytest.warns(tw.TreewrightWarning, match=r"column 'g' has 20 levels, and the time .* grows with the square"):
        tw.CHAIDClassifier().fit(X, of_many)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.CHAIDClassifier().fit(X, of_two)
