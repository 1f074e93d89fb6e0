"""The tree depends on what the table says: not on its container, the order of its rows, the threads or the engine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

CRITERIA = ["gini", "entropy", "misclassification", "squared_error", "poisson"]
ARRAYS = ("parent", "first_child", "n_branches", "column", "edge_start", "edges", "branch_start", "branch_of")
FIGURES = ("stats", "rows", "missing", "gain", "value")


def check_same_tree(one, other, *, exact=True):
    """Every array equal; ``exact`` False allows the figures (not the structure) to differ by rounding."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
    for name in FIGURES:
        check = np.testing.assert_array_equal if exact else np.testing.assert_allclose
        check(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)


def estimator(criterion: str, **options):
    if criterion == "misclassification":  # splits that gain nothing cut off a row at a time, thousands of levels deep
        options.setdefault("max_depth", 12)
    kind = tw.CARTRegressor if criterion in ("squared_error", "poisson") else tw.CARTClassifier
    return kind(criterion=criterion, **options)


def mixed_table(n_rows: int, *, distinct: int | None = None, missing: bool = True, seed: int = 0) -> pd.DataFrame:
    """Four numeric and three nominal columns; ``distinct`` is how many values a numeric one may have."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(n_rows, 4))
    if distinct is not None:
        numbers = np.round(numbers * distinct / 12) * 12 / distinct
        numbers = np.clip(numbers, -5.5, 5.5)
    table = pd.DataFrame(numbers, columns=["height", "width", "depth", "mass"])
    table["whole"] = random.integers(0, 50, n_rows)
    table["shape"] = random.choice(["ball", "cube", "cone", "ring", "disc", "rod"], n_rows)
    table["wet"] = random.choice([True, False], n_rows)
    table["town"] = random.choice([f"town {i}" for i in range(30)], n_rows)
    if missing:
        table.loc[random.random(n_rows) < 0.1, "width"] = np.nan
        table["shape"] = table["shape"].where(random.random(n_rows) > 0.1, None)
    return table


def target_of(table: pd.DataFrame, criterion: str, *, seed: int = 1) -> np.ndarray:
    """Three classes, or numbers of at least 0, that depend on the table and on chance."""
    random = np.random.default_rng(seed)
    score = table["height"] + 2 * table["wet"] * (table["width"].fillna(1) > 0) + table["shape"].isin(["ball", "rod"])
    score = np.asarray(score + random.normal(scale=0.7, size=len(table)))
    if criterion in ("squared_error", "poisson"):
        return np.maximum(0, np.round(4 * score + 8)) / 4
    return np.array(["low", "middle", "upper"])[np.digitize(score, [0.5, 1.7])]


def shuffled(values, seed: int = 5):
    order = np.random.default_rng(seed).permutation(len(values))
    return values.iloc[order] if hasattr(values, "iloc") else values[order]


# ---------------------------------------------------------------- containers


CONTAINERS = {
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "columns": lambda table: {name: plain(table[name]) for name in table},
    "dicts": lambda table: [dict(zip(table, row)) for row in zip(*(plain(table[name]) for name in table))],
    "objects": lambda table: np.array([plain(table[name]) for name in table], dtype=object).T,
}


def plain(column: pd.Series) -> list:
    """Python's own values, None where missing."""
    return [None if pd.isna(value) else value for value in column.tolist()]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("method", [tw.CARTClassifier, tw.ID3Classifier])
def test_same_tree_from_every_container(container, method):
    table = mixed_table(600)
    y = target_of(table, "gini")
    expected = method(max_depth=5).fit(table, y)
    given = CONTAINERS[container](table)
    model = method(max_depth=5).fit(given, y)
    check_same_tree(model, expected)
    np.testing.assert_array_equal(model.predict_proba(given), expected.predict_proba(table))
    assert [column.levels for column in model.schema_.columns] == [c.levels for c in expected.schema_.columns]


@pytest.mark.parametrize("container", ["polars", "pyarrow", "columns", "dicts"])
def test_a_model_of_one_container_predicts_another(container):
    table = mixed_table(300)
    model = tw.CARTClassifier().fit(table, target_of(table, "gini"))
    np.testing.assert_array_equal(model.apply(CONTAINERS[container](table)), model.apply(table))


def test_same_tree_from_numpy_floats():
    table = mixed_table(600)[["height", "width", "depth", "mass", "whole"]]
    y = target_of(mixed_table(600), "gini")
    expected = tw.CARTClassifier().fit(table, y)
    matrix = table.to_numpy(dtype=float)
    for given in (matrix, np.asfortranarray(matrix), matrix.astype(object), matrix.tolist()):
        check_same_tree(tw.CARTClassifier().fit(given, y), expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda cells, levels: pl.DataFrame({"size": pl.Series(cells, dtype=pl.Enum(levels))}),
        lambda cells, levels: pa.table({"size": ordered_dictionary(cells, levels)}),
    ],
    ids=["polars", "pyarrow"],
)
def test_same_tree_from_ordered_levels(make):
    levels = ["small", "medium", "large", "huge"]
    cells = [levels[i] for i in np.random.default_rng(2).integers(0, 4, 60)]
    y = ["fits" if cell in ("medium", "large") else "not" for cell in cells]
    expected = tw.CARTClassifier().fit(pd.DataFrame({"size": pd.Categorical(cells, levels, ordered=True)}), y)
    assert expected.schema_.columns[0].kind == "ordinal"
    assert expected.tree_.n_leaves == 3
    model = tw.CARTClassifier().fit(make(cells, levels), y)
    check_same_tree(model, expected)
    assert model.schema_.columns == expected.schema_.columns


def ordered_dictionary(cells, levels) -> pa.Array:
    codes = pa.array([levels.index(cell) for cell in cells], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(levels), ordered=True)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_floats_of_32_bits_are_widened(criterion):
    table = mixed_table(2000)
    y = target_of(table, criterion)
    narrow = table.astype(dict.fromkeys(["height", "width", "depth", "mass"], np.float32))
    wide = narrow.astype(dict.fromkeys(["height", "width", "depth", "mass"], np.float64))
    one, other = estimator(criterion).fit(narrow, y), estimator(criterion).fit(wide, y)
    check_same_tree(one, other)
    np.testing.assert_array_equal(one.apply(narrow), one.apply(wide))


def test_matrices_of_32_bits_are_widened():
    matrix = np.random.default_rng(0).normal(size=(2000, 5)).astype(np.float32)
    y = (matrix[:, 0] * matrix[:, 1] > 0.1).astype(int)
    one, other = tw.CARTClassifier().fit(matrix, y), tw.CARTClassifier().fit(matrix.astype(np.float64), y)
    check_same_tree(one, other)
    np.testing.assert_array_equal(one.apply(matrix), other.apply(matrix.astype(np.float64)))


# ---------------------------------------------------------------- threads and engines


@pytest.mark.parametrize("engine", ["exact", "histogram"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_same_tree_for_any_number_of_threads(criterion, engine):
    table = mixed_table(30_000)
    y = target_of(table, criterion)
    options = {"engine": engine, "min_rows_leaf": 3}
    one, two = (estimator(criterion, n_jobs=jobs, **options).fit(table, y) for jobs in (1, 2))
    assert one.tree_.n_leaves > 100
    check_same_tree(one, two)


def test_same_weighted_tree_for_any_number_of_threads():
    table = mixed_table(30_000)
    y, weights = target_of(table, "gini"), np.random.default_rng(3).random(30_000)
    one, two, three = (tw.CARTClassifier(n_jobs=j, max_depth=9).fit(table, y, sample_weight=weights) for j in (1, 2, 3))
    check_same_tree(one, two)
    check_same_tree(one, three)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_same_tree_from_both_engines_for_few_values(criterion):
    table = mixed_table(5000, distinct=200)
    assert 100 < table.nunique().max() <= 255
    y = target_of(table, criterion)
    exact, binned = (estimator(criterion, engine=engine).fit(table, y) for engine in ("exact", "histogram"))
    check_same_tree(exact, binned)


def test_histogram_of_many_values_is_coarser():
    """A target that turns within a bin is told by the exact engine, and by the histogram but for a part of the bin."""
    table = mixed_table(10_000, missing=False)[["height"]]
    y = table["height"] <= np.sort(table["height"])[5017]
    exact, binned = (tw.CARTClassifier(engine=engine, max_depth=1).fit(table, y) for engine in ("exact", "histogram"))
    assert exact.score(table, y) == 1
    assert 1 - 1 / 250 < binned.score(table, y) < 1


# ---------------------------------------------------------------- rows, classes and weights


@pytest.mark.parametrize("distinct", [None, 40])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_order_of_rows_does_not_matter(criterion, distinct):
    """Ties are broken by column and cut, never by the order of the rows."""
    table = mixed_table(3000, distinct=distinct)
    y = target_of(table, criterion)
    one = estimator(criterion).fit(table, y)
    other = estimator(criterion).fit(shuffled(table), shuffled(y))
    check_same_tree(one, other, exact=criterion not in ("squared_error", "poisson"))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("splits", ["subset", "multiway", "one-vs-rest"])
def test_names_of_classes_do_not_matter(criterion, splits):
    """Nominal subsets too, as long as all of them are tried: towns are too many for that."""
    table = mixed_table(1500).drop(columns="town" if splits == "subset" else [])
    y = target_of(table, criterion)
    renamed = pd.Series(y).map({"low": "z", "middle": "y", "upper": "x"}).to_numpy()
    options = {"criterion": criterion, "splits": splits, "min_rows_leaf": 5}
    one, other = tw.TreeClassifier(**options).fit(table, y), tw.TreeClassifier(**options).fit(table, renamed)
    other.tree_ = other.tree_._replace(stats=other.tree_.stats[:, ::-1], value=other.tree_.value[:, ::-1])
    assert (one.classes_.tolist(), other.classes_.tolist()) == (["low", "middle", "upper"], ["x", "y", "z"])
    check_same_tree(one, other, exact=False)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_whole_weights_are_repeated_rows(criterion):
    table = mixed_table(800)
    y, times = target_of(table, criterion), np.random.default_rng(4).integers(1, 4, 800)
    weighted = estimator(criterion, max_depth=7).fit(table, y, sample_weight=times)
    repeated = estimator(criterion, max_depth=7).fit(table.loc[table.index.repeat(times)], np.repeat(y, times))
    for name in ARRAYS[:-1]:  # branch_of also says where values go that a node never saw: with most of its rows
        np.testing.assert_array_equal(getattr(weighted.tree_, name), getattr(repeated.tree_, name), err_msg=name)
    np.testing.assert_array_equal(weighted.apply(table), repeated.apply(table))
    for name in ("stats", "gain", "value"):
        np.testing.assert_allclose(
            getattr(weighted.tree_, name), getattr(repeated.tree_, name), rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_rows_of_no_weight_are_not_there():
    table = mixed_table(800)
    y, kept = target_of(table, "gini"), np.random.default_rng(4).random(800) < 0.5
    weighted = tw.CARTClassifier().fit(table, y, sample_weight=kept.astype(float))
    check_same_tree(weighted, tw.CARTClassifier().fit(table[kept], y[kept]))


# ---------------------------------------------------------------- many rows


def check_counts(model, table):
    """Training rows reach the leaves that counted them."""
    tree = model.tree_
    reached = np.bincount(model.apply(table), minlength=tree.n_nodes)
    leaves = tree.n_branches == 0
    np.testing.assert_array_equal(reached[leaves], tree.rows[leaves])
    assert reached[~leaves].sum() == 0
    inner = np.flatnonzero(~leaves)
    below = [
        tree.rows[first : first + count].sum() for first, count in zip(tree.first_child[inner], tree.n_branches[inner])
    ]
    np.testing.assert_array_equal(below, tree.rows[inner])


@pytest.mark.parametrize("method", [tw.CARTClassifier, tw.ID3Classifier])
def test_deep_tree_of_many_rows(method):
    """Rows are numbered anew while nodes shrink, from 50,000 rows on; no row may be lost or taken for another."""
    table = mixed_table(70_000)
    y = np.random.default_rng(6).choice(["a", "b", "c"], 70_000)
    model = method().fit(table, y)
    check_counts(model, table)
    assert model.score(table, y) == 1.0
    assert model.tree_.depth > 15


def test_deep_regression_tree_of_many_rows():
    table = mixed_table(60_000)
    y = np.random.default_rng(6).normal(size=60_000)
    model = tw.CARTRegressor().fit(table, y)
    check_counts(model, table)
    np.testing.assert_allclose(model.predict(table), y, atol=1e-9)


def test_deep_weighted_tree_of_many_rows():
    table = mixed_table(60_000, distinct=100)
    random = np.random.default_rng(6)
    y, weights = random.choice(["a", "b", "c"], 60_000), random.random(60_000) + 0.1
    model = tw.CARTClassifier(engine="histogram").fit(table, y, sample_weight=weights)
    check_counts(model, table)
    leaves = model.apply(table)
    totals = np.bincount(leaves, weights, minlength=model.tree_.n_nodes)
    is_leaf = model.tree_.n_branches == 0
    np.testing.assert_allclose(model.tree_.stats.sum(-1)[is_leaf], totals[is_leaf], rtol=1e-6)


def test_best_first_tree_of_many_rows():
    table = mixed_table(60_000)
    y = np.random.default_rng(6).choice(["a", "b", "c"], 60_000)
    model = tw.CARTClassifier(max_leaves=300).fit(table, y)
    assert model.tree_.n_leaves == 300
    check_counts(model, table)
