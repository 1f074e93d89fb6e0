"""Rows within a distance, bounded queries, and what a search takes."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.neighbors import BallTree as SklearnBallTree

import treewright as tw
from strategies import examples
from treewright.kernels import switch
from treewright.neighbors import BallTree, KDTree, distance_metric

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
each_tree = pytest.mark.parametrize("kind", [KDTree, BallTree])
METRICS = [("euclidean", None), ("manhattan", None), ("chebyshev", None), ("minkowski", 3)]


def within(rows, query, r, metric, p):
    named = distance_metric(metric, p)
    distances = named.distances(named.powers(query[np.newaxis], rows))[0]
    found = np.flatnonzero(distances <= r)
    return found[np.lexsort((found, distances[found]))], np.sort(distances[found])


@given(st.integers(1, 60), st.integers(1, 5), st.sampled_from([KDTree, BallTree]), st.sampled_from(METRICS),
       st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 1.7320508075688772, 2.5, 100.0, np.inf]),
       st.booleans())  # fmt: skip
@settings(max_examples=examples(80), phases=QUICK)
def test_all_rows_within_a_distance(n, d, kind, metric, seed, r, compiled):
    rng = np.random.default_rng(seed)
    rows, queries = rng.integers(-2, 3, (n, d)).astype(float), rng.integers(-3, 4, (4, d)).astype(float)
    with switch.compiling("always" if compiled else "never"):
        tree = kind(rows, 3, metric[0], p=metric[1])
        found, distances = tree.query_radius(queries, r, return_distance=True)
        counts = tree.query_radius(queries, r, count_only=True)
    for query, ours, theirs, count in zip(queries, found, distances, counts):
        expected = within(rows, query, r, *metric)
        assert ours.tolist() == expected[0].tolist()
        np.testing.assert_array_equal(theirs, expected[1])
        assert count == len(ours)


@each_tree
def test_radii_agree_with_scikit_learn(kind):
    rng = np.random.default_rng(0)
    rows, queries, r = rng.random((800, 3)), rng.random((50, 3)), rng.random(50) * 0.3
    ours = kind(rows).query_radius(queries, r)
    theirs = SklearnBallTree(rows).query_radius(queries, r)
    assert [sorted(part.tolist()) for part in ours] == [sorted(part.tolist()) for part in theirs]


@each_tree
@pytest.mark.parametrize("policy", ["always", "never"])
def test_a_bounded_query_finds_no_row_beyond_the_bound(kind, policy):
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [7.0]])
    with switch.compiling(policy):
        distances, found = kind(rows, 2).query([[1.0], [20.0]], 4, bound=1.0)
        assert found.tolist() == [[1, 0, 2, 5], [5, 5, 5, 5]]
        assert distances.tolist() == [[0.0, 1.0, 1.0, np.inf], [np.inf] * 4]
        root = kind(np.ones((1, 3)), 1)
        assert root.query(np.zeros((1, 3)), bound=np.sqrt(3))[1].tolist() == [[0]]


@pytest.mark.parametrize("r", [-1.0, "near", [1.0, 2.0], np.nan, True])
def test_radii_that_are_refused(r):
    with pytest.raises(tw.OptionError, match="r="):
        KDTree([[0.0], [1.0]]).query_radius([[0.0]], r)


# ---- the four cases ----------------------------------------------------------------------------------------------


GRID = np.array([[1.0, 1.0], [3.0, 3.0], [1.0, 7.0], [3.0, 9.0], [7.0, 1.0], [9.0, 3.0], [7.0, 7.0], [9.0, 9.0]])


@pytest.mark.parametrize(
    ("query", "case"),
    [([1.0, 1.5], 1), ([1.0, 4.5], 2), ([4.9, 1.0], 3), ([4.9, 4.9], 4)],
)
@pytest.mark.parametrize("policy", ["always", "never"])
def test_the_four_cases_of_the_notes(query, case, policy):
    """Four quadrants, cut at t1 = 5 and t2 = 5: as in the notes, d is that to the closest row of the own quadrant."""
    with switch.compiling(policy):
        tree = KDTree(GRID, 2, split="rotate")
        assert (tree.cells.below[:3] + tree.cells.above[:3]).tolist() == [10.0, 10.0, 10.0]
        report = tree.report([query])
    assert report.case.tolist() == [case]
    own = [row for row in GRID if all((row < 5) == (np.array(query) < 5))]
    d, t1, t2 = min(np.linalg.norm(row - query) for row in own), abs(query[0] - 5), abs(query[1] - 5)
    assert case == 1 + (d >= t2) + 2 * (d >= t1)
    assert report.n_cells[0] == (1 if case == 1 else report.n_cells[0]) <= 4


@given(st.integers(1, 80), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from(METRICS))
@settings(max_examples=examples(60), phases=QUICK)
def test_a_trace_takes_what_the_search_takes(n, d, k, seed, metric):
    rng = np.random.default_rng(seed)
    rows, query = rng.integers(0, 6, (n, d)).astype(float), rng.normal(3, 3, d)
    k = min(k, n)
    tree = KDTree(rows, 4, metric[0], p=metric[1])
    trace, report, (distances, found) = tree.trace(query, k), tree.report([query], k), tree.query([query], k)
    assert list(trace.rows) == found[0].tolist()
    np.testing.assert_allclose(trace.distances, distances[0], rtol=1e-14)
    assert trace.case == report.case[0]
    assert len(trace.looked_at) == report.n_cells[0]
    assert trace.n_distances == report.n_distances[0]
    leaves = set(np.flatnonzero(tree.cells.axis == -1).tolist())
    below = {leaf for node in trace.skipped for leaf in leaves if under(leaf, node)}
    assert set(trace.looked_at) | below == leaves
    assert not set(trace.looked_at) & below
    if trace.case == 1:
        assert len(trace.looked_at) == 1


def under(node, ancestor):
    while node > ancestor:
        node = (node - 1) // 2
    return node == ancestor


@given(st.integers(2, 60), st.integers(0, 2**32 - 1), st.sampled_from([KDTree, BallTree]))
@settings(max_examples=examples(30), phases=QUICK)
def test_case_1_looks_at_one_cell(n, seed, kind):
    rng = np.random.default_rng(seed)
    report = kind(rng.random((n, 2)), 3).report(rng.random((20, 2)), 1)
    assert (report.n_cells[report.case == 1] == 1).all()
    assert (report.n_distances <= n).all()
    assert report.case_shares.sum() == pytest.approx(1.0)


def test_more_columns_make_case_4_the_rule():
    rng = np.random.default_rng(0)
    shares = [KDTree(rng.random((1000, d))).report(rng.random((200, d)), 1).case_shares[3] for d in (1, 4, 12)]
    assert shares[0] < 0.1 < shares[1] < 0.9 < shares[2]


# ---- files -------------------------------------------------------------------------------------------------------


@each_tree
@pytest.mark.parametrize("name", ["tree.json", "tree.npz"])
def test_a_tree_comes_back_from_its_file(kind, name, tmp_path):
    rng = np.random.default_rng(0)
    tree = kind(rng.normal(size=(60, 3)), 5, "minkowski", p=3, weights=[1, 0.5, 2], split="rotate")
    tree.save(tmp_path / name)
    other = tw.neighbors.load(tmp_path / name)
    assert type(other) is kind
    assert repr(other) == repr(tree)
    for one, two in zip((*tree.cells, tree.data), (*other.cells, other.data)):
        np.testing.assert_array_equal(one, two)
    queries = rng.normal(size=(5, 3))
    np.testing.assert_array_equal(tree.query(queries, 4)[0], other.query(queries, 4)[0])


@pytest.mark.parametrize("content", [
    "", "[]", "{}", "nonsense", '{"format": "treewright neighbors", "version": 9, "kind": "KDTree", "options": {}}',
    '{"format": "treewright neighbors", "version": 1, "kind": "KDTree", "options": {}, "rows": null}',
    '{"format": "treewright neighbors", "version": 1, "kind": "KDTree", "options": {"leaf_size": 0}, "rows": [[1]]}',
    '{"format": "treewright neighbors", "version": 1, "kind": "KDTree", "options": {"n_jobs": 9}, "rows": [[1]]}',
    '{"format": "treewright neighbors", "version": 1, "kind": "os.system", "options": {}, "rows": [[1]]}',
])  # fmt: skip
@pytest.mark.parametrize("name", ["tree.json", "tree.npz"])
def test_files_that_are_refused(content, name, tmp_path):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(tw.ModelFileError):
        tw.neighbors.load(path)
    with pytest.raises(tw.ModelFileError, match="no file"):
        tw.neighbors.load(tmp_path / f"not_there_{name}")
