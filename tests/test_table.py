"""Tables: sums of rows, however they are grouped, added or taken apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import DataError
from treewright.table import Table, added, ratio


@st.composite
def coded_rows(draw):
    """Codes 0..3, classes 0..2 and weights of 0 to 20 rows."""
    n_rows = draw(st.integers(0, 20))

    def column(values):
        return np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype=np.int64)

    return column(st.integers(0, 3)), column(st.integers(0, 2)), column(st.integers(1, 4)) / 4


def table_of(codes, y, weights):
    return Table.of(codes, y, weights, n_codes=4, n_classes=3)


def assert_same(table, other):
    np.testing.assert_allclose(table.counts, other.counts, atol=1e-12)
    np.testing.assert_allclose(table.missing, other.missing, atol=1e-12)
    assert table.moments == other.moments


@given(coded_rows())
def test_cells_are_the_weights_of_their_rows(rows):
    codes, y, weights = rows
    table = table_of(*rows)
    for code in range(4):
        row = table.missing if code == 0 else table.counts[code - 1]
        assert row.tolist() == [weights[(codes == code) & (y == k)].sum() for k in range(3)]


@given(coded_rows())
def test_moments_are_the_sums_of_their_rows(rows):
    codes, y, weights = rows
    table = Table.of_moments(codes, y, weights, n_codes=4)
    for code in range(4):
        w, value = weights[codes == code], y[codes == code]
        row = table.missing if code == 0 else table.counts[code - 1]
        assert row.tolist() == [w.sum(), (w * value).sum(), (w * value**2).sum()]


@given(coded_rows(), st.lists(st.integers(0, 1), min_size=20, max_size=20))
def test_a_table_is_the_sum_of_its_parts(rows, sides):
    left = np.array(sides[: len(rows[0])], dtype=bool)
    whole, part = table_of(*rows), table_of(*(column[left] for column in rows))
    rest = table_of(*(column[~left] for column in rows))
    assert_same(part + rest, whole)
    assert_same(whole - part, rest)


@given(coded_rows(), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_grouping_codes_equals_grouping_the_table(rows, branch_of):
    codes, y, weights = rows
    grouped_codes = np.concatenate([[0], 1 + np.array(branch_of)])[codes]
    assert_same(table_of(*rows).group(branch_of, n_branches=3), table_of(grouped_codes, y, weights))


@given(coded_rows(), st.integers(0, 2))
def test_sending_missing_rows_equals_recoding_them(rows, branch):
    codes, y, weights = rows
    assert_same(table_of(*rows).with_missing_in(branch), table_of(np.where(codes == 0, branch + 1, codes), y, weights))


@given(coded_rows())
def test_shares_and_known_fraction_are_parts_of_the_weight(rows):
    codes, _, weights = rows
    table, known = table_of(*rows), weights[codes > 0].sum()
    assert table.weights.tolist() == [weights[codes == code].sum() for code in (1, 2, 3)]
    np.testing.assert_allclose(table.shares, table.weights / known if known else np.zeros(3))
    assert table.known_fraction == pytest.approx(known / weights.sum() if len(weights) else 0.0)


def test_weight_of_moments_is_their_first_column():
    table = Table.of_moments([1, 1, 2, 0], [5.0, 7.0, 1.0, 2.0], [1, 1, 2, 4])
    assert table.weights.tolist() == [2, 2]
    assert table.shares.tolist() == [0.5, 0.5]
    assert table.known_fraction == 0.5
    assert table.pooled.tolist() == [4.0, 14.0, 76.0]


def test_moments_survive_every_operation():
    table = Table.of_moments([1, 2, 0], [1.0, 2.0, 3.0])
    results = [table + table, table - table, table.group([0, 0]), table.with_missing_in(0), table.scale([1, 1, 1])]
    assert all(result.moments for result in results)


def test_leading_axes_are_carried_along():
    counts = np.arange(24.0).reshape(2, 2, 3, 2)
    table = Table(counts, missing=[1, 2])
    assert table.missing.shape == (2, 2, 2)
    assert table.pooled.tolist() == counts.sum(2).tolist()
    for index in np.ndindex(2, 2):
        one = Table(counts[index], missing=[1, 2])
        assert table.shares[index].tolist() == one.shares.tolist()
        assert table.known_fraction[index] == one.known_fraction
        assert table.group([1, 0, 1]).counts[index].tolist() == one.group([1, 0, 1]).counts.tolist()
        assert table.with_missing_in(2).counts[index].tolist() == one.with_missing_in(2).counts.tolist()


def test_scale_multiplies_the_classes_of_known_and_missing_rows():
    table = Table([[1, 2], [3, 4]], missing=[5, 6]).scale([10, 1])
    assert table.counts.tolist() == [[10, 2], [30, 4]]
    assert table.missing.tolist() == [50, 6]


def test_missing_is_nothing_by_default():
    assert Table([[1, 2]]).missing.tolist() == [0, 0]
    assert Table([[1, 2]]).known_fraction == 1.0


def test_sizes_come_from_the_data_unless_given():
    assert Table.of([1, 2], [0, 1]).counts.shape == (2, 2)
    assert Table.of([1, 2], [0, 1], n_codes=5, n_classes=3).counts.shape == (4, 3)
    assert Table.of([], [], n_codes=3, n_classes=2).counts.tolist() == [[0, 0], [0, 0]]
    assert Table([[1], [2]]).group([0, 0], n_branches=3).counts.tolist() == [[3], [0], [0]]


def test_unsigned_codes_do_not_overflow():
    codes = np.full(3, 255, dtype=np.uint8)
    assert Table.of(codes, np.array([2, 2, 1], dtype=np.uint8)).counts[254].tolist() == [0, 1, 2]


def test_operations_leave_the_operands_alone():
    counts = np.array([[1.0, 2.0], [3.0, 4.0]])
    Table(counts, missing=[1, 1]).with_missing_in(0)
    assert counts.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("shape", [(700, 2, 3), (2, 700, 7), (2, 700, 8), (3, 3), (700, 9, 1), (0, 2), (2000,), (3, 0)])
@pytest.mark.parametrize("axis", [-1, -2])
def test_added_is_the_sum_to_the_last_digit(shape, axis):
    cells = np.random.default_rng(0).normal(size=shape)
    if cells.ndim >= -axis:
        np.testing.assert_array_equal(added(cells, axis), cells.sum(axis))


def test_ratio_is_zero_where_the_whole_is():
    assert ratio(np.array([1.0, 3.0]), np.array([4.0, 0.0])).tolist() == [0.25, 0.0]
    assert isinstance(ratio(np.float64(1), np.float64(2)), float)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Table([1, 2]), r"groups and targets, got an array of shape \(2,\)"),
        (lambda: Table([[1], [2, 3]]), "counts must be numbers"),
        (lambda: Table([["a"]]), "counts must be numbers"),
        (lambda: Table([[1, 2]], missing=[1, 2, 3]), r"missing has shape \(3,\)"),
        (lambda: Table([[1, 2]], moments=True), "3 targets .* got 2"),
        (lambda: Table.of([1.5], [0]), "codes must be one row of whole numbers"),
        (lambda: Table.of([[1]], [0]), "codes must be one row of whole numbers"),
        (lambda: Table.of([-1], [0]), "codes must not be negative, got -1"),
        (lambda: Table.of([3], [0], n_codes=3), "codes must lie between 0 and 2, got 3"),
        (lambda: Table.of([1], [2], n_classes=2), "y must lie between 0 and 1, got 2"),
        (lambda: Table.of([1, 1], [0]), r"y has shape \(1,\), expected \(2,\)"),
        (lambda: Table.of([1], [0], [1, 2]), r"weights has shape \(2,\), expected \(1,\)"),
        (lambda: Table.of_moments([1], [0.5, 1]), r"y has shape \(2,\), expected \(1,\)"),
        (lambda: Table([[1], [2]]).group([0]), r"branch_of has shape \(1,\), expected \(2,\)"),
        (lambda: Table([[1], [2]]).group([0, -1]), "branch_of must not be negative, got -1"),
        (lambda: Table([[1, 2]]).scale([1]), r"factors has shape \(1,\), expected \(2,\)"),
        (lambda: Table([[1, 2]]).with_missing_in(1), "no branch 1.*the branches 0 to 0"),
        (lambda: Table([[1, 2]]).with_missing_in(-1), "no branch -1"),
        (lambda: Table([[1, 2]]) + Table([[1, 2], [3, 4]]), "1 groups by 2 classes and 2 groups by 2 classes"),
        (lambda: Table([[1, 2, 3]]) - Table([[1, 2, 3]], moments=True), "3 classes and 1 groups by 3 moments"),
    ],
)
def test_bad_input_is_named(build, message):
    with pytest.raises(DataError, match=message):
        build()
