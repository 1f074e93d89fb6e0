"""KD-trees and ball trees find what comparing all rows finds: the same rows and the same distances."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.neighbors import KDTree as SklearnKDTree

import treewright as tw
from strategies import examples
from treewright.kernels import switch
from treewright.neighbors import BallTree, KDTree, distance_metric

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)  # shrinking tables takes minutes

TREES = [KDTree, BallTree]
METRICS = [("euclidean", None), ("manhattan", None), ("chebyshev", None), ("minkowski", 3), ("minkowski", 1.5)]
each_tree = pytest.mark.parametrize("kind", TREES)


def brute(rows, queries, k, metric, p=None, weights=None):
    """All distances, sorted by distance and then by row: three obvious lines."""
    powers = distance_metric(metric, p, weights).powers(np.asarray(queries, float), np.asarray(rows, float))
    order = np.array([np.lexsort((np.arange(len(rows)), line)) for line in powers])[:, :k]
    return distance_metric(metric, p, weights).distances(np.take_along_axis(powers, order, 1)), order


def same(found, expected):
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])


coarse = st.integers(-3, 3).map(float)  # many ties, equal rows and constant columns
wide = st.floats(-1e6, 1e6, width=32).map(float)
tiny = st.sampled_from([0.0, 1e-200, -1e-200, 5e-324, 1e-160])
values = st.one_of(coarse, wide, tiny)


@st.composite
def tables(draw):
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 64))
    cells = draw(st.sampled_from([coarse, wide, tiny, values]))
    d = min(d, 6) if n > 20 else d
    rows = draw(arrays(np.float64, (n, d), elements=cells))
    queries = draw(st.one_of(st.just(rows[:5]), arrays(np.float64, (3, d), elements=cells)))
    return rows, queries


@given(tables(), st.sampled_from(METRICS), st.sampled_from(TREES), st.integers(1, 12), st.booleans(), st.data())
@settings(max_examples=examples(100), phases=QUICK)
def test_a_tree_finds_what_comparing_all_rows_finds(table, metric, kind, leaf_size, rotate, data):
    rows, queries = table
    k = data.draw(st.sampled_from(sorted({1, min(3, len(rows)), len(rows)})))
    weights = data.draw(st.one_of(st.none(), st.just(np.linspace(0.5, 3, rows.shape[1]).tolist())))
    name, p = metric
    split = "rotate" if rotate else "variance"
    tree = kind(rows, leaf_size, name, p=p, weights=weights, split=split)
    same(tree.query(queries, k), brute(rows, queries, k, name, p, weights))


@each_tree
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("columns", [1, 2, 3, 8, 30, 64])
def test_rows_of_every_width(kind, dtype, columns):
    rng = np.random.default_rng(columns)
    rows = (rng.random((700, columns)) * 100).astype(dtype)
    queries = (rng.random((40, columns)) * 100).astype(dtype)
    same(kind(rows).query(queries, 7), brute(rows, queries, 7, "euclidean"))


@each_tree
def test_many_queries_are_answered_cell_by_cell_and_in_threads(kind):
    rng = np.random.default_rng(0)
    rows, queries = rng.integers(0, 40, (1_000, 3)).astype(float), rng.integers(-5, 45, (2_500, 3)).astype(float)
    tree = kind(rows)
    same(tree.query(queries, 4), brute(rows, queries, 4, "euclidean"))
    same(tree.query(queries, 4, n_jobs=1), tree.query(queries, 4, n_jobs=3))


@each_tree
def test_numbers_whose_distances_overflow(kind):
    rows = np.array([[1e200, -1e200], [1e308, 1e308], [-1e308, 0.0], [0.0, 1.0], [3.0, 4.0]])
    with np.errstate(over="ignore"):
        same(kind(rows, 1).query(rows, 5), brute(rows, rows, 5, "euclidean"))
        same(kind(rows, 1).query(rows, 5), brute(rows, rows, 5, "euclidean"))


@each_tree
@pytest.mark.parametrize("n", [1, 2, 300, 5_000])
def test_a_pile_of_equal_rows_stays_together(kind, n):
    rows = np.vstack([np.full((n, 3), 2.5), [[0.0, 0.0, 0.0]]])
    tree = kind(rows, leaf_size=4)
    assert tree.n_leaves < 60
    distances, found = tree.query([[2.5, 2.5, 2.5], [9.0, 9.0, 9.0]], k=min(n, 3))
    assert found.tolist() == [list(range(min(n, 3)))] * 2
    assert distances[0].tolist() == [0.0] * min(n, 3)


@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_distances_are_scipys(metric, p):
    rng = np.random.default_rng(1)
    rows, queries = rng.normal(size=(200, 5)), rng.normal(size=(30, 5))
    named = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev", "minkowski": "minkowski"}
    options = {"p": p} if p else {}
    expected = np.sort(cdist(queries, rows, named[metric], **options), axis=1)[:, :6]
    np.testing.assert_allclose(KDTree(rows, metric=metric, p=p).query(queries, 6)[0], expected, rtol=1e-13)
    weights = [1.0, 2.0, 0.5, 0.0, 3.0]
    expected = cdist(queries, rows, named[metric], w=weights, **options)
    if metric == "chebyshev":  # SciPy's weights only say which columns count
        expected = (np.array(weights) * np.abs(queries[:, np.newaxis] - rows)).max(-1)
    expected = np.sort(expected, axis=1)[:, :6]
    found = BallTree(rows, metric=metric, p=p, weights=weights).query(queries, 6)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each_tree
def test_agrees_with_scikit_learn(kind):
    rng = np.random.default_rng(2)
    rows, queries = rng.random((2_000, 4)), rng.random((100, 4))
    distances, found = kind(rows).query(queries, 5)
    theirs = SklearnKDTree(rows).query(queries, 5)
    np.testing.assert_array_equal(found, theirs[1])
    np.testing.assert_allclose(distances, theirs[0], rtol=1e-14)


# ---- cells -------------------------------------------------------------------------------------------------------


@given(tables(), st.integers(1, 8), st.booleans())
@settings(max_examples=examples(60), phases=QUICK)
def test_both_roads_build_the_same_cells(table, leaf_size, rotate):
    rows, _ = table
    split = "rotate" if rotate else "variance"
    trees = []
    for policy in ("always", "never"):
        with switch.compiling(policy):
            trees.append(KDTree(rows, leaf_size, split=split))
    for one, other in zip(trees[0].cells, trees[1].cells):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(trees[0].searched.order, trees[1].searched.order)
    np.testing.assert_array_equal(trees[0].searched.columns, trees[1].searched.columns)


@given(tables(), st.integers(1, 8))
@settings(max_examples=examples(60), phases=QUICK)
def test_cells_hold_every_row_once_and_halve_at_the_median(table, leaf_size):
    rows, _ = table
    tree = KDTree(rows, leaf_size)
    cells, order = tree.cells, tree.searched.order
    assert sorted(order.tolist()) == list(range(len(rows)))
    for v in np.flatnonzero(cells.axis >= 0):
        left, right = (order[cells.start[c] : cells.end[c]] for c in (2 * v + 1, 2 * v + 2))
        axis = cells.axis[v]
        assert len(left) - len(right) in (0, 1)
        assert rows[left, axis].max() == cells.below[v]
        assert rows[right, axis].min() == cells.above[v] >= cells.below[v]
    for v in np.flatnonzero(cells.axis == -1):
        held = rows[order[cells.start[v] : cells.end[v]]]
        assert len(held) <= leaf_size or (held == held[0]).all()
    np.testing.assert_array_equal(tree.data, rows)


def test_the_axis_rotates_or_is_the_one_of_greatest_variance():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(64, 3)) * [1.0, 100.0, 10.0]
    assert KDTree(rows, 8).cells.axis[0] == 1 == int(rows.var(0).argmax())
    rotating = KDTree(rows, 8, split="rotate").cells.axis
    assert rotating[0] == 0
    assert set(rotating[1:3]) == {1}
    assert set(rotating[3:7]) == {2}


@pytest.mark.parametrize("shape", ["sorted", "reversed", "organ pipe", "zigzag", "one value and others"])
def test_orders_that_are_bad_for_pivots(shape):
    n = 4_000
    x = np.arange(n, dtype=float)
    x = {"sorted": x, "reversed": x[::-1], "organ pipe": np.minimum(x, n - x), "zigzag": x * (-1) ** x,
         "one value and others": np.where(x % 7, 5.0, x)}[shape]  # fmt: skip
    rows = np.column_stack([x, x[::-1]])
    same(KDTree(rows, 3).query(rows[::97] + 0.25, 5), brute(rows, rows[::97] + 0.25, 5, "euclidean"))


@each_tree
def test_arrays_cannot_be_changed(kind):
    given_rows = np.random.default_rng(0).random((100, 2))
    before = given_rows.copy()
    tree = kind(given_rows)
    np.testing.assert_array_equal(given_rows, before)
    for array in (*tree.cells, tree.searched.columns, tree.searched.order, tree.searched.centre, tree.data):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# ---- bad input ---------------------------------------------------------------------------------------------------


@each_tree
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[np.nan, 1.0]], "missing"),
        ([[1.0, np.inf]], "infinite"),
        ([[1.0, -np.inf]], "infinite"),
        ([], "two dimensions"),
        (np.empty((0, 2)), "0 rows"),
        (np.empty((2, 0)), "0 columns"),
        ([1.0, 2.0], "two dimensions"),
        ([["a", "b"]], "table of numbers"),
        ([[1 + 2j]], "table of numbers"),
        (None, "two dimensions"),
    ],
)
def test_rows_that_are_refused(kind, rows, words):
    with pytest.raises(tw.DataError, match=words):
        kind(rows)


@each_tree
def test_queries_and_options_that_are_refused(kind):
    tree = kind([[1.0, 2.0], [3.0, 4.0]])
    for query in ([[np.nan, 1.0]], [[np.inf, 1.0]], [[1.0]], [1.0, 2.0], [["a", "b"]]):
        with pytest.raises(tw.DataError):
            tree.query(query)
    for k in (0, -1, 3, 1.5, True, "1", None):
        with pytest.raises(tw.OptionError, match="k"):
            tree.query([[1.0, 2.0]], k)
    for bound in (-1, "x", np.nan):
        with pytest.raises(tw.OptionError, match="bound"):
            tree.query([[1.0, 2.0]], bound=bound)
    for options in (
        {"leaf_size": 0}, {"metric": "cosine"}, {"metric": "minkowski", "p": 0.5}, {"p": 3}, {"weights": [1.0]},
        {"weights": [-1.0, 1.0]}, {"weights": [0.0, 0.0]}, {"weights": "heavy"}, {"split": "middle"}, {"n_jobs": 0},
    ):  # fmt: skip
        with pytest.raises(tw.OptionError):
            kind([[1.0, 2.0], [3.0, 4.0]], **options)
    assert tree.query(np.empty((0, 2)), 2)[1].shape == (0, 2)
