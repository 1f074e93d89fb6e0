"""Tests of independence beside SciPy's, near and far out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from treewright import criteria
from treewright.criteria import tail_probabilities
from treewright.table import Table

TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.integers(0, 30))


def scipys(n, kind):
    """Statistic, p and degrees of freedom of the rows and columns that are not empty."""
    n = n[n.sum(1) > 0][:, n.sum(0) > 0]
    if min(n.shape) < 2:
        return 0.0, 1.0, 0
    return stats.chi2_contingency(n, correction=False, lambda_=kind)[:3]


@pytest.mark.parametrize(
    ("statistic", "p_value", "kind"),
    [(criteria.chi2, criteria.chi2_p, "pearson"), (criteria.g, criteria.g_p, "log-likelihood")],
)
@given(n=TABLES)
def test_classes(statistic, p_value, kind, n):
    expected, p, freedom = scipys(n, kind)
    assert criteria.degrees_of_freedom(n) == freedom
    assert statistic(n) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert p_value(n) == pytest.approx(p, rel=1e-9, abs=1e-12)
    assert p_value(n, log=True) == pytest.approx(math.log(p), rel=1e-9, abs=1e-9)


@given(TABLES)
def test_g_is_twice_the_log_likelihood_gain(n):
    table = Table(n, missing=np.full(n.shape[1], 3))
    assert criteria.g(table) == pytest.approx(2 * criteria.log_likelihood_gain(n), rel=1e-9, abs=1e-9)
    assert criteria.chi2(table) == criteria.chi2(n)


GROUPS = st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=5), min_size=1, max_size=4)


def moments_of(groups):
    codes = np.repeat(np.arange(1, len(groups) + 1), list(map(len, groups)))
    return Table.of_moments(codes, np.concatenate(groups), n_codes=len(groups) + 2)  # and a branch without rows


@given(GROUPS)
def test_numbers(groups):
    table = moments_of(groups)
    spread = sum(np.var(g) * len(g) for g in groups)
    if len(groups) < 2 or sum(map(len, groups)) == len(groups):
        assert (criteria.f(table), criteria.f_p(table), criteria.f_p(table, log=True)) == (0, 1, 0)
    elif spread > 1e-9:
        expected = stats.f_oneway(*groups)
        assert criteria.f(table) == pytest.approx(expected.statistic, rel=1e-7, abs=1e-7)
        p = 1.0 if math.isnan(expected.pvalue) else expected.pvalue  # rounding takes SciPy's F below 0 at times
        assert criteria.f_p(table) == pytest.approx(p, rel=1e-6, abs=1e-7)
        assert criteria.f_p(table, log=True) == pytest.approx(math.log(p), rel=1e-6, abs=1e-6)


def test_branches_of_one_value_each_are_certain():
    table = moments_of([[0, 0], [8, 8]])
    assert (criteria.f(table), criteria.f_p(table), criteria.f_p(table, log=True)) == (math.inf, 0, -math.inf)
    assert all(np.isfinite(criteria.CRITERIA[name].score(table)) for name in ("f", "f_p"))


def test_rounding_is_no_spread():
    assert criteria.f_p(moments_of([[0.1, 0.1, 0.1], [0.1, 0.1]])) == 1
    assert criteria.f_p(moments_of([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]])) == 0


def test_leading_axes_are_computed_one_by_one():
    n = np.arange(24.0).reshape(2, 2, 3, 2) ** 2 % 17
    for measure in (criteria.chi2, criteria.chi2_p, criteria.g, criteria.g_p, criteria.degrees_of_freedom):
        np.testing.assert_allclose(measure(n), [[measure(table) for table in tables] for tables in n])
    moments = np.stack([moments_of([[1, 2], [y, 6]]).counts for y in (3, 4)])
    for measure in (criteria.f, criteria.f_p):
        np.testing.assert_allclose(measure(moments), [measure(moments[0]), measure(moments[1])])


@given(st.integers(1, 300), st.floats(1, 30))
def test_far_tail_of_chi_squared_meets_the_near_one(freedom, deviations):
    x = np.array([freedom + deviations * math.sqrt(2 * freedom) + deviations + 2])
    free = np.array([float(freedom)])
    expected = stats.chi2.logsf(x, freedom)
    if np.isfinite(expected):
        assert tail_probabilities._log_chi2_tail(x, free) == pytest.approx(expected, rel=1e-9)


@given(st.integers(1, 60), st.integers(1, 2000), st.floats(2, 50))
def test_far_tail_of_f_meets_the_near_one(between, within, value):
    expected = stats.f.logsf(value, between, within)
    if np.isfinite(expected):
        found = tail_probabilities._log_f_tail(*(np.array([float(x)]) for x in (value, between, within)))
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_tails_go_on_where_floats_end():
    sizes = np.array([2000.0, 4000.0, 8000.0])
    tables = sizes[:, None, None] * np.eye(2)
    assert criteria.chi2_p(tables).tolist() == [0, 0, 0]
    # One degree of freedom: the tail of a squared normal deviate, ln p = -x/2 - ln(πx/2)/2 + O(1/x).
    x = criteria.chi2(tables)
    assert criteria.chi2_p(tables, log=True) == pytest.approx(-x / 2 - np.log(np.pi * x / 2) / 2, abs=1e-3)
    scores = criteria.CRITERIA["chi2_p"].score(tables)
    assert (np.diff(scores) > 0).all()
    strong = [moments_of([[0, 1] * n, [9, 10] * n]) for n in (200, 400)]
    assert criteria.f_p(strong[0]) == 0
    assert criteria.f_p(strong[1], log=True) < 1.9 * criteria.f_p(strong[0], log=True) < 0
