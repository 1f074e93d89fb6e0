"""Pictures of nearest neighbours show what the library computes."""

import numpy as np
import pytest

import treewright as tw
from treewright.neighbors import KDTree

RNG = np.random.default_rng(0)
POINTS = RNG.random((60, 2)) * 10
TABLE = {"a": POINTS[:, 0], "b": POINTS[:, 1]}


@pytest.mark.parametrize(("query", "k"), [((2.0, 3.0), 1), ((5.0, 5.0), 4), ((20.0, -3.0), 2)])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_the_cells_of_a_search_have_the_colour_of_what_became_of_them(query, k, metric):
    axes = tw.plots.kd_search(TABLE, query, k=k, leaf_size=4, metric=metric)
    tree = KDTree(POINTS, 4, metric, split="rotate")
    trace = tree.trace(query, k)
    cells = [patch.get_gid() for patch in axes.patches]
    assert len(cells) == tree.n_leaves
    assert cells.count("the query's own cell") == 1
    assert cells.count("looked at") == len(trace.looked_at) - 1
    assert axes.get_title(loc="left").startswith(f"case {trace.case} ")
    area = sum(patch.get_width() * patch.get_height() for patch in axes.patches)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert area == pytest.approx((right - left) * (top - bottom))
    ring = axes.lines[-1].get_xydata()
    apart = np.abs(ring - query)
    lengths = {"euclidean": np.hypot(*apart.T), "manhattan": apart.sum(1), "chebyshev": apart.max(1)}[metric]
    np.testing.assert_allclose(lengths, trace.distances[-1])


def test_the_query_may_be_left_out_or_named():
    assert tw.plots.kd_search(TABLE).get_title(loc="left")
    assert tw.plots.kd_search(TABLE, {"a": 1.0, "b": 2.0}).get_title(loc="left")
    for query in ((1.0,), "here", {"a": 1.0}, (np.nan, 1.0), {"c": 1.0}):
        with pytest.raises(tw.OptionError):
            tw.plots.kd_search(TABLE, query)
    with pytest.raises(tw.DataError, match="levels"):
        tw.plots.kd_search({"a": ["x", "y"], "b": [1.0, 2.0]})


def test_regions_side_by_side():
    y = np.where(POINTS.sum(1) > 10, "high", "low")
    axes = tw.plots.neighbour_regions(TABLE, y, (1, 4))
    assert [ax.get_title(loc="left") for ax in axes] == ["k = 1, and who is nearest", "k = 4"]
    grid = axes[1].images[0].get_array()
    (left, right), (bottom, top) = axes[1].get_xlim(), axes[1].get_ylim()
    n = len(grid)
    centres = [(np.arange(n) + 0.5) / n * (high - low) + low for low, high in ((left, right), (bottom, top))]
    model = tw.KNNClassifier(k=4, scale=None).fit(TABLE, y)
    picked = RNG.integers(0, n, (50, 2))
    said = model.predict({"a": centres[0][picked[:, 0]], "b": centres[1][picked[:, 1]]})
    assert [model.classes_[int(grid[row, column])] for column, row in picked] == said.tolist()


def test_lines_of_the_voronoi_diagram_are_midway_between_two_rows():
    axes = tw.plots.neighbour_regions({"a": [0.0, 10.0], "b": [0.0, 0.5]}, ["x", "y"], (1,))[0]
    (lines,) = [part for part in axes.collections if part.get_gid() == "voronoi"]
    middle = np.mean([segment.mean(0) for segment in lines.get_segments()], axis=0)
    assert middle[0] == pytest.approx(5.0, abs=0.1)


def test_axes_and_options_that_are_refused():
    y = np.arange(60) % 2
    with pytest.raises(tw.OptionError, match="axes"):
        tw.plots.neighbour_regions(TABLE, y, (1, 2), axes=[tw.plots.kd_search(TABLE)])
    with pytest.raises(tw.OptionError, match="k"):
        tw.plots.neighbour_regions(TABLE, y, (0,))
    with pytest.raises(tw.OptionError, match="neighbours are needed"):
        tw.plots.error_by_k(tw.CARTClassifier(), TABLE, y)


def test_the_error_against_k():
    y = np.where(POINTS.sum(1) + RNG.normal(0, 3, 60) > 10, "high", "low")
    axes = tw.plots.error_by_k(tw.KNNClassifier(k=3), TABLE, y, max_k=12, cv=5)
    curve = tw.KNNClassifier(k="auto", max_k=12, cv=5).fit(TABLE, y).k_curve_
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), curve.errors)
    assert f"k = {curve.best}" in axes.get_legend().get_texts()[-1].get_text()
