"""How probable a test statistic is by chance: survival functions of the χ² and F distributions, as logarithms.

Logarithms, because the p-values of large tables underflow long before one wants to stop comparing them.
"""

import math

import numpy as np

from treewright.kernels.jit import kernel

_ENOUGH = 1e-16  # relative size below which a term does not matter any more
_TINY = 1e-300
_MOST_TERMS = 100_000  # series and fractions take about √n terms for n degrees of freedom
_LARGE = 30.0  # from here on Stirling's series for ln Γ is exact to the last digit


@kernel
def log_chi2_tail(statistic, freedom):
    """ln P(χ² ≥ statistic) = ln Q(freedom/2, statistic/2), Q being the upper regularised incomplete gamma function.

    By the series of the lower function below its mean and by the continued fraction of the upper one above it
    (Abramowitz & Stegun 6.5.29 and 6.5.31; the fraction evaluated by Lentz's method).
    """
    a, x = float(0.5 * freedom), float(0.5 * statistic)  # as in beta_fraction
    if freedom <= 0 or x <= 0:
        return 0.0
    if x == np.inf:
        return -np.inf
    scale = a * math.log(x) - x - math.lgamma(a)
    if x < a + 1:
        term = 1 / a
        total = term
        k = a
        for _ in range(_MOST_TERMS):
            k += 1
            term *= x / k
            total += term
            if term < total * _ENOUGH:
                break
        return math.log1p(-min(math.exp(scale) * total, 1.0))
    b = x + 1 - a
    c = 1 / _TINY
    d = 1 / b
    fraction = d
    for i in range(1, _MOST_TERMS):
        step = -i * (i - a)
        b += 2
        d = step * d + b
        c = b + step / c
        d = 1 / (d if abs(d) > _TINY else _TINY)
        c = c if abs(c) > _TINY else _TINY
        fraction *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return scale + math.log(fraction)


@kernel
def log_f_tail(statistic, between, within):
    """ln P(F ≥ statistic) with these degrees of freedom: ln I_x(within/2, between/2), x = 1 / (1 + between·F / within).

    I is the regularised incomplete beta function, by its continued fraction (Abramowitz & Stegun 26.5.8) on the side
    where that converges fast.
    """
    if between <= 0 or within <= 0 or statistic <= 0:
        return 0.0
    if statistic == np.inf:
        return -np.inf
    a, b = 0.5 * within, 0.5 * between
    odds = between * statistic / within
    if odds == 0:  # a statistic can be too small to be divided
        return 0.0
    x = 1 / (1 + odds)
    log_front = -a * math.log1p(odds) + b * (math.log(odds) - math.log1p(odds)) - log_beta(a, b)
    if x < (a + 1) / (a + b + 2):
        return log_front + math.log(beta_fraction(a, b, x) / a)
    other = math.exp(log_front) * beta_fraction(b, a, odds / (1 + odds)) / b
    return math.log1p(-min(other, 1.0))


@kernel
def log_beta(a, b):
    """ln B(a, b). For large a as a difference that does not cancel: ln Γ(a) - ln Γ(a + b) would lose all digits."""
    if a < b:
        a, b = b, a
    if a < _LARGE:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    rest = stirling_rest(a) - stirling_rest(a + b)
    return math.lgamma(b) - (a - 0.5) * math.log1p(b / a) - b * math.log(a + b) + b + rest


@kernel
def stirling_rest(x):
    """What ln Γ(x) is more than (x - ½)·ln x - x + ½·ln 2π, for large x."""
    y = 1 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


@kernel
def beta_fraction(a, b, x):
    a, b, x = float(a), float(b), float(x)  # without a compiler these are several times as fast as numpy's numbers
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    fraction = d
    for m in range(1, _MOST_TERMS):
        for odd in range(2):
            if odd:
                step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            else:
                step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 + step * d
            c = 1 + step / c
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            fraction *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return fraction
