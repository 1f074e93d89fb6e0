"""CHAID as R's and PyPI's programs do it, as a user meets it: trees, absent levels, options, files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from refusals import check_refused

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")

FLAVOURS = {"r": {"flavour": "r"}, "pypi": {"flavour": "pypi", "bonferroni": False}}
both = pytest.mark.parametrize("options", FLAVOURS.values(), ids=FLAVOURS)


def survey(n_rows=800, seed=0):
    random = np.random.default_rng(seed)
    region = random.choice(["north", "south", "east", "west", "far"], n_rows)
    size = random.integers(0, 5, n_rows)
    score = 1.2 * np.isin(region, ["north", "east"]) + 0.8 * (size > 2)
    table = pd.DataFrame(
        {
            "region": pd.Categorical(region, ["north", "south", "moon", "east", "west", "far"]),
            "size": pd.Categorical.from_codes(size, ["XS", "S", "M", "L", "XL"], ordered=True),
            "age": random.uniform(18, 90, n_rows).round(),
        }
    )
    table.loc[::13, "region"] = None
    table.loc[::17, "size"] = None
    return table, np.where(score + random.logistic(size=n_rows) > 1, "yes", "no")


# ---------------------------------------------------------------- trees


@both
def test_trees_grow_and_predict(options):
    X, y = survey()
    model = tw.CHAIDClassifier(max_depth=3, **options).fit(X, y)
    assert model.tree_.n_leaves > 3
    assert model.score(X, y) > 0.6
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        assert model.tree_.stats[leaf].sum() == (leaves == leaf).sum()
    root = model.tree_.root
    assert model.competitors().rows[0].statistic == pytest.approx(root.test.statistic)
    assert len(model.competitors().rows[0].groups) == root.split.n_branches


def test_the_root_is_split_however_few_its_rows():
    X, y = survey(100)
    model = tw.CHAIDClassifier(**FLAVOURS["pypi"], min_rows_split=1000).fit(X, y)
    assert not model.tree_.root.is_leaf
    assert model.tree_.depth == 1
    assert tw.CHAIDClassifier(**FLAVOURS["r"], min_rows_split=1000).fit(X, y).tree_.n_nodes == 1


@pytest.mark.parametrize(("levels", "leaves"), [((1, 2, 3, 4), 2), ((1, 2, 4, 5), 1), ((1, 3, 5, 7), 1), ("abcd", 2)])
def test_whole_numbers_are_neighbours_if_none_is_between(levels, leaves):
    """The first two levels are alike, and so are the last two. Where no neighbours are left PyPI's does not split."""
    X = pd.DataFrame({"x": pd.Categorical.from_codes(np.repeat([0, 1, 2, 3], 40), list(levels), ordered=True)})
    y = (["yes"] * 30 + ["no"] * 10) * 2 + (["no"] * 30 + ["yes"] * 10) * 2
    assert tw.CHAIDClassifier(**FLAVOURS["pypi"], max_depth=1).fit(X, y).tree_.n_leaves == leaves


@both
def test_where_nothing_goes_wrong_the_tree_is_the_published_one(options):
    """Two levels each, many rows of both classes."""
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.choice(["a", "b"], (2000, 4)), columns=list("wxyz"))
    y = (X == "a").sum(axis=1) + random.normal(size=2000) > 2
    shared = {"bonferroni": False, "max_depth": 3, "min_rows_leaf": 60}
    assert str(tw.CHAIDClassifier(**{**shared, **options}).fit(X, y)) == str(tw.CHAIDClassifier(**shared).fit(X, y))


@both
def test_rows_in_any_order_and_any_number_of_threads(options):
    X, y = survey(300)
    order = np.random.default_rng(0).permutation(len(X))
    first = tw.CHAIDClassifier(max_depth=3, **options).fit(X, y)
    again = tw.CHAIDClassifier(max_depth=3, n_jobs=1, **options).fit(X.iloc[order], y[order])
    assert str(first) == str(again)


@both
def test_weights_count_as_rows(options):
    X, y = survey(250)
    weights = np.random.default_rng(2).integers(0, 3, len(X))
    weighted = tw.CHAIDClassifier(max_depth=2, **options).fit(X, y, sample_weight=weights)
    repeated = tw.CHAIDClassifier(max_depth=2, **options).fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    np.testing.assert_allclose(weighted.tree_.test, repeated.tree_.test, rtol=1e-9)
    np.testing.assert_array_equal(weighted.apply(X), repeated.apply(X))


@both
def test_leaves_and_gains_are_limited(options):
    X, y = survey()
    model = tw.CHAIDClassifier(max_leaves=4, min_gain=0.002, **options).fit(X, y)
    assert 1 < model.tree_.n_leaves <= 4
    assert model.tree_.gain[model.tree_.n_branches > 0].min() >= 0.002


def test_pypi_splits_by_the_smallest_p_whatever_it_is():
    """Two levels of one class: nothing is merged, and nobody asks whether the groups differ."""
    X = {"colour": ["red"] * 40 + ["blue"] * 40 + ["white"] * 40}
    y = ["no"] * 119 + ["yes"]
    assert tw.CHAIDClassifier(bonferroni=False).fit(X, y).tree_.n_nodes == 1
    model = tw.CHAIDClassifier(**FLAVOURS["pypi"]).fit(X, y)
    assert model.tree_.root.test.p > 0.05
    assert model.tree_.n_leaves == 3


def test_pypi_takes_the_larger_statistic_where_both_p_are_nothing():
    """χ² of two classes beats that of one with fewer degrees of freedom, though its p is the larger one."""
    n = 3000
    kind = np.arange(n) % 3
    X = pd.DataFrame({"two": np.where(kind == 0, "a", "b"), "three": np.array(["a", "b", "c"])[kind]})
    y = np.where(np.arange(n) < 6, (kind + 1) % 3, kind)
    model = tw.CHAIDClassifier(max_depth=1, **FLAVOURS["pypi"]).fit(X, y)
    assert model.schema_.names[model.tree_.root.split.column] == "three"
    assert model.tree_.root.test.p == 0.0


def test_r_draws_p_values_of_small_tables():
    table = tw.datasets.load("play_tennis")
    X = {name: column for name, column in table.X.items() if name != "day"}
    found = tw.CHAIDClassifier(flavour="r", min_rows_split=2, min_rows_leaf=2).fit(X, table.y).competitors()
    assert found["windy"].p == pytest.approx(round(found["windy"].p, 4), abs=1e-12)  # of 10,000
    plain = tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=2).fit(X, table.y).competitors()
    assert found["windy"].statistic == pytest.approx(plain["windy"].statistic)
    assert found["windy"].p != pytest.approx(plain["windy"].p, rel=1e-3)


# ---------------------------------------------------------------- levels that do not occur


def test_r_knows_levels_that_are_declared_and_sends_them_with_their_group():
    X, y = survey()
    model = tw.CHAIDClassifier(flavour="r", max_depth=1).fit(X[["region"]], y)
    assert "moon" in model.schema_.columns[0].levels
    assert "moon" not in tw.CHAIDClassifier(max_depth=1).fit(X[["region"]], y).schema_.columns[0].levels
    code = model.schema_.columns[0].levels.index("moon") + 1
    branch = model.tree_.root.split.branch_of[code]
    assert branch == model.tree_.root.split.branch_of[1]  # like any other, it was merged with the first
    rows = pd.DataFrame({"region": ["moon"]})
    assert model.apply(rows)[0] == model.tree_.root.children[branch].id


def test_pypi_sends_absent_levels_as_missing_values():
    X = pd.DataFrame({"colour": ["red"] * 60 + ["blue"] * 40 + ["white"] * 2, "side": ["l", "r"] * 51})
    y = np.where(X["colour"] == "red", "yes", "no")
    model = tw.CHAIDClassifier(max_depth=1, min_rows_leaf=1, **FLAVOURS["pypi"]).fit(X, y)
    assert model.predict(pd.DataFrame({"colour": ["green"], "side": ["l"]})).tolist() == ["yes"]  # the heaviest


# ---------------------------------------------------------------- options and files


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flavour": "spss"}, "flavour='spss' is not accepted.*'kass', 'pypi', 'r'"),
        ({"flavour": None}, "flavour=None is not accepted"),
        ({"flavour": "pypi"}, "flavour='pypi' goes with bonferroni=False, got True.*no multipliers"),
        ({**FLAVOURS["pypi"], "exhaustive": True}, "goes with exhaustive=False.*max_branches=2"),
        ({**FLAVOURS["pypi"], "alpha_resplit": 0.01}, "goes with alpha_resplit=None"),
        ({**FLAVOURS["pypi"], "alpha_split": 0.01}, "asks for no p to split with, got alpha_split=0.01"),
        ({**FLAVOURS["pypi"], "test": "g"}, "goes with test='chi2', got 'g'"),
        ({"flavour": "r", "test": "scores"}, "goes with test='chi2', got 'scores'"),
        ({"flavour": "r", "exhaustive": True}, "goes with exhaustive=False"),
    ],
)
def test_options_that_a_program_does_not_have(options, message):
    X, y = survey(60)
    check_refused(lambda: tw.CHAIDClassifier(**options).fit(X, y), message, tw.OptionError)


def test_alpha_split_may_be_that_of_merging():
    X, y = survey()
    options = {**FLAVOURS["pypi"], "alpha_merge": 0.01, "max_depth": 2}
    one, other = (tw.CHAIDClassifier(**options, **more).fit(X, y) for more in ({}, {"alpha_split": 0.01}))
    assert str(one) == str(other)


def test_numbers_are_predicted_as_published_only():
    X, _ = survey(60)
    with pytest.raises(tw.OptionError, match="flavour"):
        tw.fit(X.assign(y=np.arange(60.0)), target="y", method="chaid", flavour="r")


@both
def test_files_keep_the_flavour(options, tmp_path):
    X, y = survey()
    model = tw.CHAIDClassifier(max_depth=2, **options).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.flavour == options["flavour"]
    assert str(loaded) == str(model)
    assert loaded.competitors(0, X, y) == model.competitors()
    np.testing.assert_array_equal(loaded.apply(X), model.apply(X))


@pytest.mark.parametrize("options", [{}, *FLAVOURS.values()])
def test_flavours_of_chaid_are_none_of_pruning(options):
    X, y = survey()
    smaller = tw.CHAIDClassifier(alpha_merge=0.3, min_rows_leaf=5, **options).fit(X, y).prune("error-based")
    assert smaller.pruned_.method == "error-based"
