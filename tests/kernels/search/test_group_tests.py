"""Tests of groups against SciPy's: Pearson's χ², the likelihood ratio, F; mean scores against their definition."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from treewright.kernels.search.group_tests import (
    Difference,
    compare_all,
    compare_pair,
    compare_seen,
    log_p,
    note_classes,
)
from twins_chaid import moments_of

SEEDS = st.integers(0, 10**6)


def random_counts(seed, groups=4, classes=3):
    return np.random.default_rng(seed).poisson(4, (groups, classes)).astype(float)


def everyone(table):
    return np.ones(len(table), np.bool_)


@pytest.mark.parametrize(("test", "lambda_"), [(Difference.CHI2, "pearson"), (Difference.G, "log-likelihood")])
@given(seed=SEEDS)
def test_classes(test, lambda_, seed):
    counts = random_counts(seed)
    assume((counts.sum(0) > 0).sum() > 1 and (counts.sum(1) > 0).all())
    expected = stats.chi2_contingency(counts[:, counts.any(0)], correction=False, lambda_=lambda_)
    statistic, freedom, within = compare_all(int(test), counts, counts.sum(1), everyone(counts))
    assert (statistic, freedom, within) == (pytest.approx(expected.statistic, abs=1e-12), expected.dof, 0)
    assert np.exp(log_p(int(test), statistic, freedom, within)) == pytest.approx(expected.pvalue, rel=1e-9)


def test_one_way_analysis_of_variance():
    random = np.random.default_rng(1)
    samples = [random.normal(mean, 1, size) for mean, size in ((0, 8), (0.5, 11), (1, 5))]
    table = np.array([moments_of(sample) for sample in samples])
    statistic, freedom, within = compare_all(int(Difference.F), table, table[:, 0], everyone(table))
    expected = stats.f_oneway(*samples)
    assert (freedom, within) == (2, 21)
    assert statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert np.exp(log_p(int(Difference.F), statistic, freedom, within)) == pytest.approx(expected.pvalue, rel=1e-9)


@given(seed=SEEDS)
def test_mean_scores(seed):
    """(N - 1) times the square of the correlation ratio; of two groups, of the correlation with the group."""
    counts = random_counts(seed, groups=2)
    scores = np.array([1.0, 2.0, 4.0])
    group, score = (np.repeat(x, counts.astype(int).ravel()) for x in (np.repeat([0, 1], 3), np.tile(scores, 2)))
    assume(len(set(group)) == 2 and len(set(score)) > 1)
    table = np.array([moments_of(score[group == g]) for g in range(2)])
    statistic, freedom, _ = compare_all(int(Difference.SCORES), table, table[:, 0], everyone(table))
    assert freedom == 1
    assert statistic == pytest.approx((len(score) - 1) * np.corrcoef(group, score)[0, 1] ** 2, abs=1e-9)


@pytest.mark.parametrize("test", Difference)
@given(seed=SEEDS)
def test_a_pair_is_a_table_of_two(test, seed):
    counts = random_counts(seed)
    table = counts if test in (Difference.CHI2, Difference.G) else np.cumsum(counts + 1, axis=1) * [1, 1, 4]
    weight = table.sum(1) if test in (Difference.CHI2, Difference.G) else table[:, 0]
    assume((weight > 0).all())
    alive = np.array([True, False, True, False])
    np.testing.assert_allclose(
        compare_pair(int(test), table, weight, 0, 2), compare_all(int(test), table, weight, alive), rtol=1e-9, atol=1e-9
    )


def test_groups_of_one_number_each():
    """Nothing within: infinitely significant if the numbers differ, not at all if they do not."""
    table = np.array([moments_of([0.1] * 3), moments_of([0.7] * 3), moments_of([0.1] * 4)])
    assert compare_pair(int(Difference.F), table, table[:, 0], 0, 1) == (np.inf, 1, 4)
    assert compare_pair(int(Difference.F), table, table[:, 0], 0, 2) == (0, 1, 5)


def seen_of(table):
    seen = np.zeros((len(table), 1 + table.shape[1]), np.int32)
    for i in range(len(table)):
        note_classes(table, seen, i)
    return seen


@pytest.mark.parametrize("test", [Difference.CHI2, Difference.G])
@given(seed=SEEDS, n_classes=st.sampled_from([1, 5, 40, 300]), mean=st.sampled_from([0.02, 0.3, 4]))
def test_only_the_classes_that_a_pair_has_are_looked_at(test, seed, n_classes, mean):
    """Others add nothing, so the numbers are the same to the last digit."""
    table = np.random.default_rng(seed).poisson(mean, (3, n_classes)) / 3
    table[:, 0] += 1.0
    weight = table.sum(1)
    for a, b in ((0, 1), (2, 0), (1, 2)):
        found = compare_seen(int(test), table, weight, seen_of(table), a, b)
        assert found == compare_pair(int(test), table, weight, a, b)


def test_time_goes_by_the_classes_that_a_pair_has():
    class Counted(np.ndarray):
        asked = 0

        def __getitem__(self, place):
            Counted.asked += 1
            return super().__getitem__(place)

    table = np.zeros((2, 10_000))
    table[0, [3, 700]], table[1, [700, 9_999]] = 2.0, 1.0
    counted, seen = table.view(Counted), seen_of(table)
    compare_seen.plain(int(Difference.CHI2), counted, table.sum(1), seen, 0, 1)
    assert 0 < Counted.asked < 30
