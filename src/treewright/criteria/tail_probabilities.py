"""How much of the χ² and F distributions lies beyond a number, or the logarithm of that.

Far out a probability is smaller than any float. Its logarithm is then found from a continued fraction (Press et al.,
*Numerical Recipes*, 2007, sections 6.2 and 6.4), so that strong splits can still be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from treewright.typing import Floats

_TOO_SMALL = 1e-290  # below this, floats begin to lose digits
_MOST_TERMS = 10_000


def chi2_tail(statistic: Floats, freedom: Floats, *, log: bool = False) -> Floats:
    """P(χ² ≥ statistic); 1 without degrees of freedom.

    >>> chi2_tail(np.array([3.841458820694124, 0.0]), np.array([1.0, 0.0])).round(6).tolist()
    [0.05, 1.0]
    """
    from scipy.special import chdtrc

    testable = np.asarray(freedom) > 0
    p = np.where(testable, chdtrc(np.where(testable, freedom, 1.0), statistic), 1.0)[()]
    return _log(p, _log_chi2_tail, statistic, freedom) if log else p


def f_tail(statistic: Floats, between: Floats, within: Floats, *, log: bool = False) -> Floats:
    """P(F ≥ statistic) with these degrees of freedom; 1 without.

    >>> f_tail(np.array([8.0]), np.array([1.0]), np.array([2.0])).round(4).tolist()
    [0.1056]
    """
    from scipy.special import fdtrc

    testable = (np.asarray(between) > 0) & (np.asarray(within) > 0)
    free = (np.where(testable, freedom, 1.0) for freedom in (between, within))
    p = np.where(testable, fdtrc(*free, statistic), 1.0)[()]
    return _log(p, _log_f_tail, statistic, between, within) if log else p


def _log(p: Floats, far_out: Callable[..., Floats], *arguments: Floats) -> Floats:
    small = np.asarray(p < _TOO_SMALL)
    logs = np.asarray(np.log(np.where(small, 1.0, p)))
    if small.any():
        logs[small] = far_out(*(np.broadcast_to(argument, small.shape)[small] for argument in arguments))
    return logs[()]


def _log_chi2_tail(statistic: Floats, freedom: Floats) -> Floats:
    from scipy.special import gammaln

    a, x = freedom / 2, statistic / 2
    terms = ((-k * (k - a), x + 2 * k + 1 - a) for k in range(1, _MOST_TERMS))
    return np.asarray(a * np.log(x) - x - gammaln(a) - np.log(_continued_fraction(x + 1 - a, terms)))


def _log_f_tail(statistic: Floats, between: Floats, within: Floats) -> Floats:
    """The tail is the incomplete beta function of x = d₂/(d₂ + d₁·F) with a = d₂/2 and b = d₁/2."""
    from scipy.special import betaln

    with np.errstate(divide="ignore"):
        a, b, part = within / 2, between / 2, between / within * statistic
        x = 1 / (1 + part)
        known = a * -np.log1p(part) + b * -np.log1p(1 / part) - np.log(a) - betaln(a, b)
    return np.asarray(known - np.log(_continued_fraction(np.ones_like(x), _beta_terms(a, b, x))))


def _beta_terms(a: Floats, b: Floats, x: Floats) -> Iterator[tuple[Floats, float]]:
    for k in range(_MOST_TERMS):
        yield -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)), 1.0
        m = k + 1
        yield m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0


def _continued_fraction(first: Floats, terms: Iterator[tuple[Floats, Floats | float]]) -> Floats:
    """first + a₁/(b₁ + a₂/(b₂ + …)) of the (a, b) in terms, by the modified method of Lentz."""
    value = above = first
    below = np.zeros_like(first)
    for a, b in terms:
        below = 1 / (b + a * below)
        above = b + a / above
        step = above * below
        value = value * step
        if (np.abs(step - 1) < 1e-15).all():
            break
    return value
