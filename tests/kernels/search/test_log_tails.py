"""Survival functions against SciPy's, and where these underflow against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.kernels.search.log_tails import log_beta, log_chi2_tail, log_f_tail

CLOSE = 1e-9  # relative, of the p-value


def check(log_p, p):
    assert np.exp(log_p) == pytest.approx(p, rel=CLOSE, abs=1e-280)


@given(freedom=st.integers(1, 400), share=st.floats(0, 5))
def test_chi2(freedom, share):
    check(log_chi2_tail(share * freedom, float(freedom)), stats.chi2.sf(share * freedom, freedom))


@given(statistic=st.floats(0, 1300), freedom=st.integers(1, 12))
def test_chi2_of_large_tables(statistic, freedom):
    check(log_chi2_tail(statistic, float(freedom)), stats.chi2.sf(statistic, freedom))


# Nearer to 0, scipy's tail is off by more than ours: 1 - (2/π)·atan(√F) for one degree of freedom each.
@given(
    statistic=st.floats(1e-12, 60),
    between=st.integers(1, 40),
    within=st.sampled_from([1, 2, 3, 10, 59, 61, 400, 10**6]),
)
def test_f(statistic, between, within):
    check(log_f_tail(statistic, float(between), float(within)), stats.f.sf(statistic, between, within))


def test_beyond_what_a_float_can_hold():
    """With two degrees of freedom both have a closed form: exp(-x/2) and (1 + 2F/n)^(-n/2)."""
    assert log_chi2_tail(1e6, 2.0) == pytest.approx(-5e5, rel=1e-15)
    assert log_f_tail(1e6, 2.0, 1e4) == pytest.approx(-5e3 * np.log1p(200), rel=1e-14)


def test_a_tail_that_is_nearly_all():
    assert np.exp(log_f_tail(1e-15, 1.0, 1.0)) == pytest.approx(1 - 2 / np.pi * np.arctan(np.sqrt(1e-15)), abs=1e-14)


def test_edges():
    assert log_chi2_tail(0.0, 3.0) == log_chi2_tail(5.0, 0.0) == log_f_tail(0.0, 2.0, 5.0) == 0.0
    assert log_f_tail(3.0, 1.0, 0.0) == 0.0
    assert log_chi2_tail(np.inf, 3.0) == log_f_tail(np.inf, 2.0, 5.0) == -np.inf


@given(a=st.floats(0.5, 60), b=st.floats(0.5, 60))
def test_log_beta(a, b):
    from scipy.special import betaln

    assert log_beta(a, b) == pytest.approx(betaln(a, b), rel=1e-12, abs=1e-12)
