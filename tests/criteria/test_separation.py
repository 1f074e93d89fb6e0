"""Measures of how far apart branches lie, beside their definitions written out pair by pair."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from treewright import criteria
from treewright.errors import DataError
from treewright.table import Table

TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.integers(0, 30))
OF_CLASSES = [criteria.c_sep, criteria.twoing, criteria.hellinger, criteria.dkm_gain, criteria.mdl]


def close(actual, expected, abs=1e-9):
    assert actual == pytest.approx(expected, rel=1e-9, abs=abs)


def branches_of(n):
    """(share, class fractions) of the branches that have rows."""
    return [(row.sum() / n.sum(), row / row.sum()) for row in n if row.sum()]


def cosine(p, q):
    return p @ q / math.sqrt((p @ p) * (q @ q))


@given(TABLES)
def test_class_separation_is_the_mean_over_pairs(n):
    pairs = [(s * t, 1 - cosine(p, q)) for (s, p), (t, q) in combinations(branches_of(n), 2)]
    expected = sum(w * apart for w, apart in pairs) / sum(w for w, _ in pairs) if pairs else 0
    close(criteria.c_sep(n), expected)


@given(TABLES)
def test_twoing_and_gini_gain_are_sums_over_pairs(n):
    pairs = list(combinations(branches_of(n), 2))
    close(criteria.twoing(n), sum(s * t * abs(p - q).sum() ** 2 / 4 for (s, p), (t, q) in pairs))
    close(criteria.gini_gain(n), sum(s * t * ((p - q) ** 2).sum() for (s, p), (t, q) in pairs))


def test_twoing_of_many_branches():
    random = np.random.default_rng(0)
    n = np.concatenate([random.integers(0, 3, (90, 3)), np.eye(3)[random.integers(0, 3, 200)], np.zeros((2, 3))])
    pairs = combinations(branches_of(n), 2)
    close(criteria.twoing(n), sum(s * t * abs(p - q).sum() ** 2 / 4 for (s, p), (t, q) in pairs))
    close(criteria.twoing(n[None])[0], criteria.twoing(n))


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.just(2)), elements=st.integers(0, 30)))
def test_with_two_classes_twoing_is_half_the_gini_gain(n):
    close(2 * criteria.twoing(n), criteria.gini_gain(n))


@given(TABLES)
def test_hellinger_distance_is_the_mean_over_pairs_of_classes(n):
    classes = [column / column.sum() for column in n.T if column.sum()]
    squares = [((np.sqrt(p) - np.sqrt(q)) ** 2).sum() for p, q in combinations(classes, 2)]
    close(criteria.hellinger(n), math.sqrt(np.mean(squares)) if squares else 0, abs=1e-7)
    assert criteria.hellinger(n) <= math.sqrt(2) + 1e-9


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 50), st.integers(2, 9))
def test_hellinger_distance_does_not_mind_how_rare_a_class_is(a, b, c, d, factor):
    close(criteria.hellinger([[a, b * factor], [c, d * factor]]), criteria.hellinger([[a, b], [c, d]]), abs=1e-7)


@given(TABLES)
def test_dkm_gain_equals_its_definition(n):
    def impurity(p):
        return sum(math.sqrt(x * (1 - x)) for x in p)

    pooled = n.sum(0) / n.sum() if n.sum() else n.sum(0)
    close(criteria.dkm_gain(n), max(impurity(pooled) - sum(s * impurity(p) for s, p in branches_of(n)), 0), abs=1e-7)


def ways(counts, n_classes):
    """ln of the multinomial coefficient, and of the ways to choose counts with this sum."""
    rows = sum(counts)
    which = math.factorial(rows) // math.prod(math.factorial(m) for m in counts)
    return math.log(which) + math.log(math.comb(rows + n_classes - 1, n_classes - 1))


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.integers(0, 30)))
def test_mdl_counts_the_ways(n):
    rows = [[int(m) for m in row] for row in n]
    pooled = [int(m) for m in n.sum(0)]
    saved = ways(pooled, n.shape[1]) - sum(ways(row, n.shape[1]) for row in rows)
    close(criteria.mdl(n, "e"), saved / max(n.sum(), 1))
    close(criteria.mdl(n) * math.log(2), criteria.mdl(n, "e"))


@given(TABLES, st.randoms(use_true_random=False))
def test_order_of_branches_and_classes_means_nothing(n, random):
    branches, classes = list(range(n.shape[0])), list(range(n.shape[1]))
    random.shuffle(branches)
    random.shuffle(classes)
    for measure in OF_CLASSES:
        close(measure(n[branches][:, classes]), measure(n), abs=1e-7)


@given(TABLES, st.integers(2, 5))
def test_cutting_a_branch_into_like_branches_changes_nothing(n, factor):
    finer = np.concatenate([n * factor, n[-1:]])
    whole = np.concatenate([n[:-1] * factor, n[-1:] * (factor + 1)])
    for measure in (criteria.twoing, criteria.hellinger, criteria.dkm_gain):
        close(measure(finer), measure(whole), abs=1e-7)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_independent_tables_measure_zero(branches, classes):
    n = np.outer(branches, classes).astype(float)
    for measure in OF_CLASSES[:-1]:
        close(measure(n), 0, abs=1e-7)
    assert criteria.mdl(n) <= 1e-9


@given(TABLES, st.integers(0, 60))
def test_missing_rows_scale_by_the_known_fraction(n, missing):
    table = Table(n, np.full(n.shape[1], missing))
    for measure in OF_CLASSES:
        close(measure(table), table.known_fraction * measure(n))


@given(arrays(np.float64, (2, 3, 3, 4), elements=st.integers(0, 30)))
def test_leading_axes_are_computed_one_by_one(n):
    for measure in OF_CLASSES:
        result = measure(n)
        assert result.shape == (2, 3)
        for index in np.ndindex(2, 3):
            close(result[index], measure(n[index]))


@pytest.mark.parametrize("measure", OF_CLASSES)
def test_nothing_measures_zero_and_nonsense_is_refused(measure):
    assert measure(np.zeros((2, 3))) == 0
    assert measure(np.zeros((0, 3))) == 0
    assert measure(np.zeros((2, 0))) == 0
    with pytest.raises(DataError, match="must not be negative"):
        measure([[1, -1], [0, 2]])
    with pytest.raises(DataError, match="needs class weights"):
        measure(Table.of_moments([1, 2], [1.0, 2.0]))


# ---------------------------------------------------------------- numbers

NUMBERS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-50, 50), st.sampled_from([0.5, 1, 3])), min_size=1, max_size=12
)


@given(NUMBERS)
def test_friedman_is_the_sum_of_squares_between_branches(rows):
    codes, y, w = map(np.array, zip(*rows))
    table = Table.of_moments(codes, y, w)
    groups = [(w[codes == c].sum(), np.average(y[codes == c], weights=w[codes == c])) for c in set(codes) - {0}]
    expected = sum(a * b * (m - k) ** 2 for (a, m), (b, k) in combinations(groups, 2)) / max(
        sum(a for a, _ in groups), 0.1
    )
    close(criteria.friedman(table), expected, abs=1e-7)
    close(criteria.friedman(table), criteria.variance_gain(table) * w.sum(), abs=1e-7)
    spread = np.cov(y[codes > 0], aweights=w[codes > 0], ddof=0) if (codes > 0).any() else 0
    if spread > 1e-9:
        close(criteria.correlation_ratio(table), expected / spread / w[codes > 0].sum(), abs=1e-7)


def distance_from_median(y, w):
    return min((w * abs(y - m)).sum() for m in y) / w.sum()


@given(NUMBERS, st.sampled_from([0.0, 1e6]))
def test_absolute_error_is_the_distance_from_the_median(rows, offset):
    codes, y, w = map(np.array, zip(*rows))
    values, places = np.unique(y + offset, return_inverse=True)
    table = Table.of(codes, places, w, n_classes=len(values))
    close(criteria.absolute_error(table.pooled + table.missing, values), distance_from_median(y, w), abs=1e-7)
    known = codes > 0
    parts = [(codes == c) for c in set(codes) - {0}]
    left = sum(w[p].sum() * distance_from_median(y[p], w[p]) for p in parts)
    whole = w[known].sum() * distance_from_median(y[known], w[known]) if known.any() else 0
    close(criteria.absolute_error_gain(table, values), (whole - left) / w.sum(), abs=1e-7)


@pytest.mark.parametrize(
    ("values", "message"),
    [([1.0], "expected \\(2,\\)"), ([2.0, 1.0], "rising"), ([1.0, 1.0], "distinct"), ([1.0, math.nan], "finite")],
)
def test_values_of_the_target_are_checked(values, message):
    with pytest.raises(DataError, match=message):
        criteria.absolute_error_gain([[1, 2], [3, 4]], values)


def test_no_values_have_no_error():
    assert criteria.absolute_error(np.zeros((2, 0)), []).tolist() == [0, 0]
    assert criteria.absolute_error([0, 0], [1, 2]) == 0
