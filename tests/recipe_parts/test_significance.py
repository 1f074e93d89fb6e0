"""Tests of independence beside SciPy's, and growing that stops where splits are chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes

import treewright as tw
from strategies import examples
from treewright.recipe_parts.significance import p_values

TABLES = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4)


@given(st.lists(TABLES, min_size=1, max_size=4))
def test_chi_squared(tables):
    start = np.cumsum([0, *map(len, tables)])
    found = p_values(np.concatenate(tables).astype(float), start, moments=False)
    for table, p in zip(map(np.array, tables), found):
        table = table[table.sum(1) > 0][:, table.sum(0) > 0]
        expected = stats.chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0
        assert p == pytest.approx(expected, abs=1e-9)


GROUPS = st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=5), min_size=2, max_size=4)


@given(st.lists(GROUPS, min_size=1, max_size=3))
def test_analysis_of_variance(splits):
    moments = [[len(g), sum(g), sum(y * y for y in g)] for groups in splits for g in groups]
    start = np.cumsum([0, *map(len, splits)])
    found = p_values(np.array(moments, float), start, moments=True)
    for groups, p in zip(splits, found):
        free = sum(map(len, groups)) - len(groups)
        spread = sum(np.var(g) * len(g) for g in groups)
        apart = np.ptp([np.mean(g) for g in groups]) > 1e-9
        if free == 0 or not (spread > 1e-9 or apart):
            assert p == 1
        elif spread < 1e-9:
            assert p == 0
        elif apart:
            assert p == pytest.approx(stats.f_oneway(*groups).pvalue, abs=1e-7)
        else:
            assert p == pytest.approx(1)


def p_of(node, numbers):
    rows = np.array([child.stats for child in node.children])
    return p_values(rows, np.array([0, len(rows)]), moments=numbers)[0]


@pytest.mark.parametrize("limits", [{}, {"max_leaves": 30}, {"max_depth": 6}], ids=str)
@pytest.mark.parametrize("numbers", [False, True])
def test_every_split_of_a_tree_is_significant_and_no_other_is_missing(numbers, limits):
    X, y = (load_diabetes if numbers else load_breast_cancer)(return_X_y=True)
    kind = tw.CARTRegressor if numbers else tw.CARTClassifier
    full, smaller = kind(**limits).fit(X, y).tree_, kind(significance=0.01, **limits).fit(X, y).tree_
    assert 1 < smaller.n_leaves < full.n_leaves
    assert all(p_of(node, numbers) <= 0.01 for node in smaller.nodes() if not node.is_leaf)
    if not limits:
        stopped = [node for node in full.nodes() if not node.is_leaf and p_of(node, numbers) > 0.01]
        paths = [{above.id for above in node.path()[:-1]} for node in stopped]
        topmost = sum(not paths[k] & {node.id for node in stopped} for k in range(len(stopped)))
        assert topmost > 0
        cut = tw.prune.AtNodes([node.id for node in stopped])(full, None)
        assert cut.n_leaves == smaller.n_leaves


def test_noise_is_not_learned():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    assert tw.CARTClassifier().fit(X, y).tree_.n_leaves > 50
    assert tw.CARTClassifier(significance=1e-4).fit(X, y).tree_.n_leaves == 1
    assert tw.CARTClassifier(significance=1.0).fit(X, y).tree_.n_leaves > 50


@pytest.mark.parametrize("significance", [0, -0.1, 1.5, "x", True])
def test_bad_levels(significance):
    with pytest.raises(tw.OptionError, match="significance"):
        tw.CARTClassifier(significance=significance).fit([[1], [2]], [0, 1])


# ---------------------------------------------------------------- over all columns

TENNIS = tw.datasets.load("play_tennis")
DAYS = {name: cells for name, cells in TENNIS.X.items() if name != "day"}


@pytest.mark.parametrize("kind", [tw.ID3Classifier, tw.C45Classifier])
@pytest.mark.parametrize(("level", "of", "leaves"), [(0.1, "chosen", 1), (0.1, "any", 5), (0.09, "any", 1)])
def test_the_classes_must_be_independent_of_every_column(kind, level, of, leaves):
    """002: outlook is chosen, p = .1698, and humidity has p = .0943."""
    model = kind(significance=level, significance_of=of).fit(DAYS, TENNIS.y)
    assert model.tree_.n_leaves == leaves
    as_option = tw.fit({**DAYS, "play": TENNIS.y}, "play", "id3", significance=level, significance_of=of)
    assert as_option.tree_.n_leaves == leaves


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("splits", ["multiway", "subset", "one-vs-rest"])
@pytest.mark.parametrize("missing", ["learned", "fractional", "branch", "stop", "surrogate"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(8))
def test_a_root_is_split_where_the_best_split_of_any_column_is_significant(numbers, splits, missing, seed):
    """By stumps, one for each column."""
    rng = np.random.default_rng(seed)
    X = {name: rng.choice(["a", "b", "c", None], 30, p=[0.4, 0.3, 0.2, 0.1]).tolist() for name in "uvw"}
    X["x"] = np.where(rng.random(30) < 0.1, np.nan, rng.normal(size=30).round(1))
    y = rng.normal(size=30).round(1) if numbers else rng.choice(["no", "yes"], 30)
    kind = tw.TreeRegressor if numbers else tw.TreeClassifier
    options = {"splits": splits, "missing": missing, "max_depth": 1}
    stumps = [kind(**options, forbid=[other for other in X if other != name]).fit(X, y).tree_ for name in X]
    least = min(p_of(stump.root, numbers) for stump in stumps if stump.n_leaves > 1)
    for level in (least * (1 - 1e-6), min(least * (1 + 1e-6), 1.0)):
        tree = kind(**options, significance=level, significance_of="any").fit(X, y).tree_
        assert (tree.n_leaves > 1) == (least <= level)
