"""The arithmetic of C5.0: 64-bit numbers, rounded to 32 bits where the program keeps 32 bits.

``single`` of a sum, product or quotient of two 32-bit numbers is what 32-bit arithmetic gives: 64 bits have more than
twice the digits, so rounding twice does no harm.
"""

import math

import numpy as np

from treewright.kernels.jit import borrowing, inlined

EPSILON = 1e-4
_LN2 = 0.69314718055994530942


@inlined
def single(number):
    """The nearest 32-bit number, as a 64-bit one."""
    return np.float64(np.float32(number))


@inlined
def lg(number):
    """Logarithm to base 2, and 0 of what has none."""
    return math.log(number) / _LN2 if number > 0.0 else 0.0


@borrowing
def total_information(amounts):
    """H(v) = T·lg T − Σ vⱼ·lg vⱼ, in bits times cases; every amount is rounded first."""
    total, parts = 0.0, 0.0
    for j in range(len(amounts)):
        amount = single(amounts[j])
        parts += amount * lg(amount)
        total += amount
    return total * lg(total) - parts


@total_information.in_numpy
def total_information_in_numpy(amounts):
    total, parts = 0.0, 0.0
    for amount in np.asarray(amounts, np.float32).tolist():
        if amount > 0.0:
            parts += amount * (math.log(amount) / _LN2)
        total += amount
    return total * lg.plain(total) - parts


def x_lg_x_in_numpy(amounts):
    """x·lg x of each, to the last digit as loops have it: numpy's own logarithms may differ in that."""
    flat = [x * (math.log(x) / _LN2) if x > 0.0 else 0.0 for x in amounts.ravel().tolist()]
    return np.array(flat).reshape(amounts.shape)


@borrowing
def information_of_two(one, other):
    """TI(a, b) = (a + b)·lg(a + b) − a·lg a − b·lg b."""
    return (one + other) * lg(one + other) - one * lg(one) - other * lg(other)


@borrowing
def extra_errors(weight, errors, confidence, deviation):
    """Errors that a leaf might well make beyond those it makes. ``deviation`` is the square of the quantile."""
    if errors < 1e-6:
        return single(weight * (1.0 - confidence ** (1.0 / weight)))
    if weight > 1.0 and errors < 0.9999:
        none = single(weight * (1.0 - confidence ** (1.0 / weight)))
        return single(none + errors * (_extra_of_some(weight, 1.0, deviation) - none))
    return _extra_of_some(weight, errors, deviation)


@borrowing
def _extra_of_some(weight, errors, deviation):
    if errors + 0.5 >= weight:
        return single(0.67 * (weight - errors))
    middle = errors + 0.5
    root = math.sqrt(deviation * (middle * (1.0 - middle / weight) + deviation / 4.0))
    return single(weight * ((middle + deviation / 2.0 + root) / (weight + deviation)) - errors)
