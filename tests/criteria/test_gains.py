"""The formulas: known values, and the laws they must obey whatever the counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from treewright import criteria
from treewright.errors import DataError, OptionError
from treewright.table import Table

CLASS_MEASURES = [criteria.entropy, criteria.gini, criteria.misclassification]
CLASS_GAINS = [criteria.gain, criteria.gini_gain, criteria.misclassification_gain, criteria.log_likelihood_gain]
CLASS_TABLE_MEASURES = [*CLASS_GAINS, criteria.conditional_entropy, criteria.split_info, criteria.gain_ratio]
MOMENT_GAINS = [criteria.variance_gain, criteria.poisson_gain]

cells = st.integers(0, 50) | st.floats(0, 1000, allow_nan=False).map(lambda value: round(value, 3))


def counts(min_dims=2, max_dims=2):
    return arrays(
        np.float64, array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=1, max_side=4), elements=cells
    )


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------- one distribution


@given(counts(1, 1))
def test_measures_equal_their_definitions(n):
    p = n / n.sum() if n.sum() else np.array([1.0])
    close(criteria.entropy(n), -sum(q * math.log2(q) for q in p if q > 0))
    close(criteria.gini(n), 1 - sum(q * q for q in p))
    close(criteria.misclassification(n), 1 - max(p))
    close(criteria.log_likelihood(n), sum(m * math.log(m / n.sum()) for m in n if m > 0))
    close(criteria.kl_from_uniform(n), sum(q * math.log2(q * len(n)) for q in p if q > 0) if n.sum() else 0)


@given(st.data(), st.integers(1, 4), st.sampled_from([2, "e", 10]))
def test_kl_divergence_equals_its_definition(data, n_classes, base):
    p, q = (data.draw(arrays(np.float64, n_classes, elements=st.sampled_from([0, 1, 2.5, 40]))) for _ in range(2))
    a, b = (n / n.sum() if n.sum() else n for n in (p, q))
    unit = 1 if base == "e" else math.log(base)
    terms = [math.inf if y == 0 else x * math.log(x / y) / unit for x, y in zip(a, b) if x > 0]
    close(criteria.kl_divergence(p, q, base), max(sum(terms), 0))
    close(criteria.kl_divergence(p, np.ones(n_classes), base), criteria.kl_from_uniform(p, base))
    assert criteria.kl_divergence(p, 7 * p, base) == pytest.approx(0, abs=1e-12)


def test_kl_divergence_from_uniform_is_log_k_less_the_entropy():
    """003, where log K is left out: play tennis has 1 − 0.9403 bits."""
    assert criteria.kl_divergence([9, 5], [1, 1]) == pytest.approx(1 - 0.940286, abs=1e-6)
    found = criteria.kl_divergence([[9, 5], [1, 1]], [1, 1])
    np.testing.assert_allclose(found, [0.059714, 0], atol=1e-6)


def test_kl_divergence_wants_the_same_classes():
    with pytest.raises(DataError, match="2 and 3 classes"):
        criteria.kl_divergence([1, 2], [1, 2, 3])


@given(counts(1, 1), st.sampled_from([2, "e", math.e, 10, 1.5]))
def test_entropy_lies_between_nothing_and_log_k(n, base):
    most = math.log(len(n)) / (1 if base == "e" else math.log(base))
    assert 0 <= criteria.entropy(n, base) <= most + 1e-9
    assert 0 <= criteria.kl_from_uniform(n, base) <= most + 1e-9


@pytest.mark.parametrize("n_classes", [1, 2, 3, 10])
def test_measures_are_largest_for_equal_classes_and_zero_when_pure(n_classes):
    equal, pure = np.full(n_classes, 3), np.eye(n_classes)[0] * 7
    assert criteria.entropy(equal) == pytest.approx(math.log2(n_classes))
    assert criteria.gini(equal) == pytest.approx(1 - 1 / n_classes)
    assert criteria.misclassification(equal) == pytest.approx(1 - 1 / n_classes)
    assert criteria.kl_from_uniform(equal) == pytest.approx(0)
    assert criteria.kl_from_uniform(pure) == pytest.approx(math.log2(n_classes))
    assert all(measure(pure) == 0 for measure in (*CLASS_MEASURES, criteria.log_likelihood))


@given(counts(1, 1), st.integers(0, 3), st.floats(0, 1))
def test_multistage_property(n, k, part):
    """Deciding in two stages costs as much as deciding at once: En[a, b] within a class, weighed by the class."""
    k %= len(n)
    finer = np.concatenate([np.delete(n, k), [n[k] * part, n[k] * (1 - part)]])
    share = n[k] / n.sum() if n.sum() else 0
    close(criteria.entropy(finer), criteria.entropy(n) + share * criteria.entropy([part, 1 - part]))


@pytest.mark.parametrize("measure", CLASS_MEASURES)
@given(st.data(), st.integers(1, 4))
def test_measures_are_concave(measure, data, n_classes):
    p, q = (data.draw(arrays(np.float64, n_classes, elements=st.floats(0.01, 1))) for _ in range(2))
    p, q, part = p / p.sum(), q / q.sum(), data.draw(st.floats(0, 1))
    assert measure(part * p + (1 - part) * q) >= part * measure(p) + (1 - part) * measure(q) - 1e-9


@pytest.mark.parametrize(("base", "expected"), [(2, 1.0), ("e", math.log(2)), (math.e, math.log(2)), (4, 0.5)])
def test_base_sets_the_unit(base, expected):
    split = [[3, 0], [0, 3]]
    assert criteria.entropy([5, 5], base) == pytest.approx(expected)
    assert criteria.kl_from_uniform([5, 0], base) == pytest.approx(expected)
    assert criteria.gain(split, base) == pytest.approx(expected)
    assert criteria.split_info(split, base) == pytest.approx(expected)
    assert criteria.conditional_entropy([[3, 3], [1, 1]], base) == pytest.approx(expected)
    assert criteria.gain_ratio(split, base) == pytest.approx(1.0)


# ---------------------------------------------------------------- tables of classes


@given(counts(), st.randoms(use_true_random=False))
def test_order_of_groups_and_classes_means_nothing(n, random):
    groups, classes = list(range(n.shape[0])), list(range(n.shape[1]))
    random.shuffle(groups)
    random.shuffle(classes)
    for measure in CLASS_TABLE_MEASURES:
        close(measure(n[groups][:, classes]), measure(n))


@given(counts(), st.floats(0.01, 100))
def test_measures_do_not_depend_on_the_unit_of_weight(n, factor):
    for measure in set(CLASS_TABLE_MEASURES) - {criteria.log_likelihood_gain}:
        close(measure(n * factor), measure(n))
    close(criteria.log_likelihood_gain(n * factor), factor * criteria.log_likelihood_gain(n))


@given(counts(), st.lists(st.integers(0, 3), min_size=4, max_size=4), counts(1, 1))
def test_merging_groups_never_raises_a_gain(n, branch_of, missing):
    table = Table(n, np.resize(missing, n.shape[1]))
    merged = table.group(branch_of[: n.shape[0]])
    for gain in CLASS_GAINS:
        assert 0 <= gain(merged) <= gain(table) * (1 + 1e-9) + 1e-9


@given(counts())
def test_gain_is_symmetric_mutual_information(n):
    close(criteria.gain(n), criteria.gain(n.T))
    close(criteria.gain(n), criteria.entropy(n.sum(0)) - criteria.conditional_entropy(n))
    close(criteria.split_info(n), criteria.entropy(n.sum(1)))


@given(counts())
def test_gains_are_never_more_than_there_is(n):
    assert criteria.gain(n) <= min(criteria.entropy(n.sum(0)), criteria.split_info(n)) + 1e-9
    assert criteria.gain_ratio(n) <= 1 + 1e-9
    assert criteria.gini_gain(n) <= criteria.gini(n.sum(0)) + 1e-9
    assert criteria.misclassification_gain(n) <= criteria.misclassification(n.sum(0)) + 1e-9
    assert criteria.dkm_gain(n) <= criteria.dkm(n.sum(0)) + 1e-9


@given(counts(), st.integers(2, 5))
def test_cutting_a_group_into_like_groups_changes_no_gain(n, factor):
    finer = np.concatenate([n * factor, n[-1:]])
    whole = np.concatenate([n[:-1] * factor, n[-1:] * (factor + 1)])
    for gain in CLASS_GAINS:
        close(gain(finer), gain(whole))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_independent_tables_gain_nothing(groups, classes):
    for gain in CLASS_GAINS:
        close(gain(np.outer(groups, classes)), 0)


@given(counts(), counts(1, 1))
def test_missing_rows_scale_every_gain_by_the_known_fraction(n, missing):
    table = Table(n, np.resize(missing, n.shape[1]))
    for gain in set(CLASS_GAINS) - {criteria.log_likelihood_gain}:
        close(gain(table), table.known_fraction * gain(n))
    close(criteria.log_likelihood_gain(table), criteria.log_likelihood_gain(n))
    close(criteria.conditional_entropy(table), criteria.conditional_entropy(n))
    close(criteria.split_info(table), criteria.entropy([*n.sum(1), table.missing.sum()]))


@given(counts())
def test_log_likelihood_gain_is_the_sum_over_the_leaves(n):
    close(criteria.log_likelihood_gain(n), criteria.log_likelihood(n).sum() - criteria.log_likelihood(n.sum(0)))


def test_gain_ratio_is_zero_without_split_info():
    assert criteria.gain_ratio([[3, 4], [0, 0]]) == 0
    assert criteria.gain_ratio([[3, 4]]) == 0


# ---------------------------------------------------------------- tables of moments


@st.composite
def coded_numbers(draw, lowest):
    n_rows = draw(st.integers(1, 12))
    numbers = st.floats(lowest, 50, allow_subnormal=False).map(lambda value: round(value, 2))
    codes, y, weights = (
        np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
        for values in (st.integers(0, 3), numbers, st.sampled_from([0.5, 1, 3]))
    )
    return codes, y, weights


def half_poisson_deviance(y, w):
    mean = np.average(y, weights=w)
    return np.average([(v * math.log(v / mean) if v else 0) - v + mean for v in y], weights=w)


def known_decrease(impurity, codes, y, w):
    known = codes > 0
    if not known.any():
        return 0.0
    within = sum(w[codes == c].sum() * impurity(y[codes == c], w[codes == c]) for c in set(codes[known]))
    return (w[known].sum() * impurity(y[known], w[known]) - within) / w.sum()


@given(coded_numbers(lowest=-50))
def test_variance_gain_equals_its_definition(rows):
    def impurity(y, w):
        return np.average((y - np.average(y, weights=w)) ** 2, weights=w)

    codes, y, w = rows
    assert criteria.variance_gain(Table.of_moments(codes, y, w)) == pytest.approx(
        known_decrease(impurity, codes, y, w), abs=1e-7
    )
    assert criteria.variance([w.sum(), w @ y, w @ y**2]) == pytest.approx(impurity(y, w), abs=1e-7)


@given(coded_numbers(lowest=0))
def test_poisson_gain_equals_its_definition(rows):
    codes, y, w = rows
    assert criteria.poisson_gain(Table.of_moments(codes, y, w)) == pytest.approx(
        known_decrease(half_poisson_deviance, codes, y, w), abs=1e-7
    )
    y_log_y = np.average([v * math.log(v) if v else 0 for v in y], weights=w)
    assert criteria.poisson_deviance([w.sum(), w @ y, w @ y**2]) + y_log_y == pytest.approx(
        half_poisson_deviance(y, w), abs=1e-7
    )


@given(coded_numbers(lowest=0), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_merging_groups_never_raises_a_gain_of_numbers(rows, branch_of):
    codes, y, w = rows
    table = Table.of_moments(codes, y, w, n_codes=4)
    for gain in MOMENT_GAINS:
        assert 0 <= gain(table.group(branch_of)) <= gain(table) + 1e-7


def test_variance_is_never_negative():
    assert criteria.variance([3, 3 * 0.1, 3 * 0.1 * 0.1]) == pytest.approx(0)
    assert criteria.variance([3, 3 * 0.1, 3 * 0.1 * 0.1 - 1e-12]) == 0


# ---------------------------------------------------------------- forms of input


@given(counts(4, 4))
def test_leading_axes_are_computed_one_by_one(n):
    for measure in (*CLASS_TABLE_MEASURES, *CLASS_MEASURES, criteria.kl_from_uniform, criteria.log_likelihood):
        result = measure(n)
        for index in np.ndindex(n.shape[:2]):
            close(result[index], measure(n[index]))


@pytest.mark.parametrize("gain", MOMENT_GAINS)
def test_moments_may_have_leading_axes(gain):
    moments = np.stack([Table.of_moments([1, 1, 2, 2], y).counts for y in ([1, 2, 3, 4], [4, 1, 0, 2])])
    close(gain(moments), [gain(moments[0]), gain(moments[1])])
    close(gain(Table(moments, moments=True)), gain(moments))


@pytest.mark.parametrize("measure", [*CLASS_TABLE_MEASURES, *MOMENT_GAINS])
def test_an_empty_table_measures_zero(measure):
    assert measure(np.zeros((2, 3))) == 0


@pytest.mark.parametrize(
    "measure",
    [*CLASS_MEASURES, criteria.kl_from_uniform, criteria.log_likelihood, criteria.variance, criteria.poisson_deviance],
)
def test_no_rows_measure_zero(measure):
    assert measure([0, 0, 0]) == 0
    assert measure([[0, 0, 0], [0, 0, 0]]).tolist() == [0, 0]
    assert isinstance(measure([0, 0, 0]), float)


@pytest.mark.parametrize(
    "bad", [[[1, -1, 3], [-2, 2, 2]], [[1, math.nan, 1], [1, 1, 1]], [[math.inf, 1, 1], [1, 1, 1]]]
)
@pytest.mark.parametrize(
    "measure",
    [
        *CLASS_MEASURES,
        *CLASS_TABLE_MEASURES,
        *MOMENT_GAINS,
        criteria.kl_from_uniform,
        criteria.log_likelihood,
        criteria.variance,
        criteria.poisson_deviance,
    ],
)
def test_bad_counts_are_refused(measure, bad):
    with pytest.raises(DataError, match=r"must not be negative, got -|must be finite, got (nan|inf)"):
        measure(bad)


@pytest.mark.parametrize("measure", CLASS_TABLE_MEASURES)
def test_bad_missing_rows_are_refused(measure):
    with pytest.raises(DataError, match="must not be negative"):
        measure(Table([[1, 2]], missing=[-1, 0]))


def test_negative_sums_are_fine_for_variance_but_not_for_poisson():
    table = Table.of_moments([1, 2], [-3.0, 1.0])
    assert criteria.variance_gain(table) == pytest.approx(4)
    with pytest.raises(DataError, match="Poisson target must not be negative, got -3"):
        criteria.poisson_gain(table)
    with pytest.raises(DataError, match="Poisson target must not be negative, got -3"):
        criteria.poisson_deviance(table.counts)


@pytest.mark.parametrize("base", [1, 0, -2, 0.5, math.nan, math.inf, "2", "bits", True, None])
@pytest.mark.parametrize(
    "measure", [criteria.entropy, criteria.gain, criteria.gain_ratio, criteria.split_info, criteria.kl_from_uniform]
)
def test_bad_bases_are_refused(measure, base):
    with pytest.raises(OptionError, match="above 1 or 'e', got"):
        measure([[1, 2], [3, 4]], base)


def test_tables_of_the_wrong_target_are_refused():
    with pytest.raises(DataError, match="needs class weights"):
        criteria.gain(Table.of_moments([1, 2], [1.0, 2.0]))
    with pytest.raises(DataError, match="needs moments"):
        criteria.variance_gain(Table.of([1, 2], [0, 1]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: criteria.entropy(3), "must be a row of numbers, got 3"),
        (lambda: criteria.entropy(["a", "b"]), "counts must be numbers"),
        (lambda: criteria.variance([1, 2]), "got 2 numbers"),
        (lambda: criteria.gain([1, 2]), "groups and targets"),
    ],
)
def test_wrong_shapes_are_named(call, message):
    with pytest.raises(DataError, match=message):
        call()
