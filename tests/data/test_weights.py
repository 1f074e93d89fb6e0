import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError, OptionError, TreewrightWarning

CLASSES = ("no", "yes")
CODES = np.array([0, 1, 1, 1], dtype=np.uint8)


def weights_of(sample_weight=None, class_weight=None, keep=None):
    return row_weights(sample_weight, class_weight, CLASSES, CODES, 4, keep)


@pytest.mark.parametrize("sample_weight", [None, [1, 1, 1, 1], np.ones(4), 1, 1.0])
def test_ones_are_none(sample_weight):
    assert weights_of(sample_weight) is None


@pytest.mark.parametrize("make", [list, np.array, pd.Series])
def test_weights_are_floats(make):
    weights = weights_of(make([0, 1, 2, 3]))
    assert (weights.dtype, weights.tolist()) == (np.float64, [0, 1, 2, 3])


def test_one_number_is_for_all_rows():
    assert weights_of(3).tolist() == [3, 3, 3, 3]


def test_the_input_is_left_alone():
    given = np.array([1.0, 2.0, 3.0, 4.0])
    weights_of(given, {"no": 5})
    assert given.tolist() == [1, 2, 3, 4]


def test_balanced_classes_weigh_the_same():
    weights = weights_of([1, 2, 1, 1], "balanced")
    assert weights[CODES == 0].sum() == pytest.approx(weights[CODES == 1].sum())
    assert weights.sum() == pytest.approx(5)


def test_balanced_as_scikit_learn():
    from sklearn.utils.class_weight import compute_sample_weight

    np.testing.assert_allclose(weights_of(None, "balanced"), compute_sample_weight("balanced", CODES))


def test_balanced_counts_kept_rows_only():
    weights = weights_of(None, "balanced", keep=np.array([True, True, False, False]))
    assert weights is None  # one row of each class


def test_weights_by_class():
    assert weights_of([1, 2, 3, 4], {"no": 10}).tolist() == [10, 2, 3, 4]
    assert weights_of(None, {"no": 1, "yes": 1}) is None
    assert row_weights([2, 2], None, None, None, 2).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        ([1, 2], r"shape \(2,\), expected \(4,\)"),
        (np.ones((4, 2)), "shape"),
        ([1, -1, 1, 1], "negative value in row 1"),
        ([1, 1, np.nan, 1], "NaN or infinite value in row 2"),
        ([1, 1, np.inf, 1], "NaN or infinite value in row 2"),
        ([0, 0, 0, 0], "weight of zero"),
        (["a", "b", "c", "d"], "must be numbers"),
        (np.array(["2020"] * 4, "datetime64[D]"), "must be numbers"),
        (np.array([1, 2, 3, 4], "timedelta64[D]"), "must be numbers"),
        (np.array([1j] * 4), "must be numbers"),
        (np.datetime64("2020"), "must be numbers"),
    ],
)
def test_bad_weights(sample_weight, message):
    with pytest.raises(DataError, match=message) as caught:
        weights_of(sample_weight)
    assert caught.value.hint


def test_zero_on_every_kept_row():
    with pytest.raises(DataError, match="weight of zero"):
        weights_of([1, 0, 0, 0], keep=np.array([False, True, True, True]))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"maybe": 1}, "'maybe'.*'no', 'yes'"),
        ("even", "'balanced'"),
        ({"no": -1}, "zero or more"),
        ({"no": float("nan")}, "zero or more"),
    ],
)
def test_bad_class_weights(class_weight, message):
    with pytest.raises(OptionError, match=message):
        weights_of(None, class_weight)


def test_kept_rows():
    some = np.array([True, True, False])
    assert kept_rows(None, None) is None
    assert kept_rows(some, None) is some
    assert kept_rows(None, np.array([1.0, 2.0, 1.0])) is None
    assert kept_rows(None, np.array([1.0, 0.0, 1.0])).tolist() == [True, False, True]
    assert kept_rows(some, np.array([1.0, 0.0, 1.0])).tolist() == [True, False, False]


def test_negligible_weights_leave_rows_out():
    with pytest.warns(TreewrightWarning, match="2 rows weigh less than 1e-16 of all rows together.*Hint"):
        assert weights_of([1e-12, 1e12, 1e12, 1e-12]).tolist() == [0, 1e12, 1e12, 0]


def test_weights_of_rows_without_a_target_do_not_make_others_negligible():
    assert weights_of([1e12, 1e-12, 2e-12, 1e-12], keep=np.array([False, True, True, True])).min() == 1e-12


@pytest.mark.parametrize("model", [tw.CARTRegressor, tw.CHAIDRegressor, tw.M5Regressor, tw.RandomForestRegressor])
def test_a_level_of_negligible_rows(model):
    """Its mean would be 0/0."""
    heavy = np.arange(60) % 3 > 0
    X = {"g": np.where(heavy, np.where(np.arange(60) % 2, "a", "b"), "light"), "x": np.arange(60) % 7}
    with pytest.warns(TreewrightWarning, match="20 rows weigh less"):
        fitted = model().fit(X, np.arange(60) % 13 + 0.5, sample_weight=np.where(heavy, 1e12, 1e-12))
    assert np.isfinite(fitted.predict(X)).all()
