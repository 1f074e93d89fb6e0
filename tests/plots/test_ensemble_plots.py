from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from ensemble_tables import IRIS, SPECIES, mixed_table


@pytest.fixture(scope="module")
def forest():
    return tw.RandomForestClassifier(n_trees=10).fit(IRIS, SPECIES)


@pytest.fixture(scope="module")
def boosted():
    return tw.AdaBoostClassifier(n_rounds=6).fit(IRIS[::2], SPECIES[::2])


def line(axes, place=0):
    return axes.get_lines()[place].get_ydata()


def test_errors_out_of_bag(forest, boosted):
    axes = tw.plots.oob_curve(forest)
    np.testing.assert_array_equal(line(axes), forest.oob_curve_)
    with pytest.raises(tw.OptionError, match="has no out-of-bag error"):
        tw.plots.oob_curve(boosted)


def test_errors_by_members(forest, boosted):
    axes = tw.plots.member_curve(boosted, IRIS[::2], SPECIES[::2], IRIS[1::2], SPECIES[1::2])
    np.testing.assert_array_equal(line(axes), boosted.error_curve(IRIS[::2], SPECIES[::2]))
    np.testing.assert_array_equal(line(axes, 1), boosted.error_curve(IRIS[1::2], SPECIES[1::2]))
    assert line(axes)[-1] == pytest.approx(1 - boosted.score(IRIS[::2], SPECIES[::2]))
    assert len(tw.plots.member_curve(forest, IRIS, SPECIES).get_lines()) == 2
    with pytest.raises(tw.OptionError, match="is no fitted ensemble"):
        tw.plots.member_curve(tw.CARTClassifier().fit(IRIS, SPECIES), IRIS, SPECIES)


def test_rounds(forest, boosted):
    axes = tw.plots.boosting_rounds(boosted)
    np.testing.assert_array_equal(line(axes), boosted.errors_)
    np.testing.assert_array_equal(line(axes, 1), boosted.weights_)
    with pytest.raises(tw.OptionError, match="has no rounds"):
        tw.plots.boosting_rounds(forest)


def test_permuted_columns(forest):
    axes = tw.plots.permutation_importance(forest, IRIS, SPECIES)
    widths = sorted(bar.get_width() for bar in axes.patches)
    np.testing.assert_allclose(widths, np.sort(forest.importance("permutation", IRIS, SPECIES).means))


def test_dependence_as_a_line_points_and_a_map():
    X, y = mixed_table()
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    numbers = tw.plots.partial_dependence(model, X, "size", positive="yes")
    assert numbers.get_xlabel() == "size"
    assert "y = yes" in numbers.get_ylabel()
    levels = tw.plots.partial_dependence(model, X, "colour")
    assert [tick.get_text() for tick in levels.get_xticklabels()] == ["blue", "green", "red"]
    assert tw.plots.partial_dependence(model, X, ["colour", "size"]).get_ylabel() == "size"
