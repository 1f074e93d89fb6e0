"""Do groups of rows differ in the target? Tests on a table of groups, pairwise and all together.

A row of ``sums`` is what is known of a group: the weight of each class (χ², G), or the sums of w, w·y and w·y² of a
number, or of the scores of ordered classes (F, mean scores). ``weight`` is the weight of each group.

A test has a statistic and two degrees of freedom; the second one is that within groups and 0 except for the F test.
"""

import math
from enum import IntEnum

import numpy as np

from treewright.kernels.jit import inlined, kernel
from treewright.kernels.search.log_tails import log_chi2_tail, log_f_tail

_ROUNDING = 1e-12  # sums of squares this small beside those they are a difference of are nothing


class Difference(IntEnum):
    """How groups are compared."""

    CHI2 = 0  # Pearson
    G = 1  # likelihood ratio
    F = 2  # one-way analysis of variance
    SCORES = 3  # mean scores of ordered classes (Cochran–Mantel–Haenszel)


_CHI2, _G, _F = int(Difference.CHI2), int(Difference.G), int(Difference.F)


@kernel
def log_p(test, statistic, freedom, within):
    """The logarithm of the p-value."""
    return log_f_tail(statistic, freedom, within) if test == _F else log_chi2_tail(statistic, freedom)


@kernel
def compare_pair(test, sums, weight, a, b):
    """Statistic and degrees of freedom of two groups, classes that neither has being left out."""
    if test == _CHI2:
        return pair_chi2(sums, weight[a], weight[b], a, b)
    if test == _G:
        return pair_g(sums, weight[a], weight[b], a, b)
    return pair_means(test, sums, a, b)


@kernel
def note_classes(sums, seen, i):
    """Write down which classes group i has, behind their number, where ``seen`` has room for them."""
    if seen.shape[1] == 1:
        return
    n = 0
    for k in range(sums.shape[1]):
        if sums[i, k] > 0:
            n += 1
            seen[i, n] = k
    seen[i, 0] = n


@kernel
def compare_seen(test, sums, weight, seen, a, b):
    """The same as ``compare_pair``, to the last digit, in the time of the classes that the two groups have."""
    if seen.shape[1] == 1 or 4 * (seen[a, 0] + seen[b, 0]) > sums.shape[1]:
        return compare_pair(test, sums, weight, a, b)
    first, second, total, classes, i, j = weight[a], weight[b], 0.0, 0, 1, 1
    while i <= seen[a, 0] or j <= seen[b, 0]:
        of_a = seen[a, i] if i <= seen[a, 0] else sums.shape[1]
        of_b = seen[b, j] if j <= seen[b, 0] else sums.shape[1]
        k = min(of_a, of_b)
        i += 1 if of_a == k else 0
        j += 1 if of_b == k else 0
        both = sums[a, k] + sums[b, k]
        classes += 1
        if test == _CHI2:
            apart = second * sums[a, k] - first * sums[b, k]
            total += apart * apart / both
        else:
            total += surprise(sums[a, k], first * both, first + second)
            total += surprise(sums[b, k], second * both, first + second)
    statistic = total / (first * second) if test == _CHI2 else max(2 * total, 0.0)
    return statistic, classes - 1.0, 0.0


@kernel
def pair_chi2(sums, first, second, a, b):
    """Of two rows: χ² = Σ (n₂·a - n₁·b)² / (n₁·n₂·(a + b)) over the classes."""
    total = 0.0
    classes = 0
    for k in range(sums.shape[1]):
        both = sums[a, k] + sums[b, k]
        if both > 0:
            apart = second * sums[a, k] - first * sums[b, k]
            total += apart * apart / both
            classes += 1
    return total / (first * second), classes - 1.0, 0.0


@kernel
def pair_g(sums, first, second, a, b):
    total = 0.0
    classes = 0
    for k in range(sums.shape[1]):
        both = sums[a, k] + sums[b, k]
        if both > 0:
            total += surprise(sums[a, k], first * both, first + second)
            total += surprise(sums[b, k], second * both, first + second)
            classes += 1
    return max(2 * total, 0.0), classes - 1.0, 0.0


@inlined
def surprise(count, product, total):
    """n·ln(n / expected), the expected count being product / total."""
    return count * math.log(count * total / product) if count > 0 else 0.0


@kernel
def pair_means(test, sums, a, b):
    # As Python's numbers, which are quicker than numpy's without a compiler.
    first, second = float(sums[a, 0]), float(sums[b, 0])
    apart = second * float(sums[a, 1]) - first * float(sums[b, 1])
    between = apart * apart / (first * second * (first + second))
    return of_squares(test, between, scatter(sums, a) + scatter(sums, b), 2, first + second)


@inlined
def scatter(sums, a):
    """Σ w·(y - ȳ)², nothing where it is but rounding."""
    weight, total, of_origin = float(sums[a, 0]), float(sums[a, 1]), float(sums[a, 2])
    squares = of_origin - total * total / weight
    return squares if squares > _ROUNDING * of_origin else 0.0


@kernel
def of_squares(test, between, within, groups, total):
    """F = (between / (r - 1)) / (within / (n - r)); mean scores: (n - 1)·between / (between + within)."""
    if between <= _ROUNDING * within or between == 0:
        return 0.0, groups - 1.0, (total - groups if test == _F else 0.0)
    if test != _F:
        return (total - 1) * between / (between + within), groups - 1.0, 0.0
    left = total - groups
    if left <= 0:
        return 0.0, groups - 1.0, 0.0
    return (between / (groups - 1) / (within / left) if within > 0 else np.inf), groups - 1.0, left


@kernel
def compare_all(test, sums, weight, alive):
    """Statistic and degrees of freedom of all groups that are alive."""
    groups, total = 0, 0.0
    for i in range(alive.shape[0]):
        if alive[i]:
            groups += 1
            total += weight[i]
    if groups < 2:
        return 0.0, 0.0, 0.0
    if test == _CHI2 or test == _G:
        return all_classes(test, sums, weight, alive, groups, total)
    return all_means(test, sums, alive, groups, total)


@kernel
def all_classes(test, sums, weight, alive, groups, total):
    statistic = 0.0
    classes = 0
    for k in range(sums.shape[1]):
        column = 0.0
        for i in range(alive.shape[0]):
            if alive[i]:
                column += sums[i, k]
        if column > 0:
            classes += 1
            for i in range(alive.shape[0]):
                if alive[i]:
                    if test == _G:
                        statistic += 2 * surprise(sums[i, k], weight[i] * column, total)
                    else:
                        expected = weight[i] * column / total
                        statistic += (sums[i, k] - expected) ** 2 / expected
    return max(statistic, 0.0), (groups - 1.0) * (classes - 1.0), 0.0


@kernel
def all_means(test, sums, alive, groups, total):
    moment, within = 0.0, 0.0
    for i in range(alive.shape[0]):
        if alive[i]:
            moment += sums[i, 1]
            within += scatter(sums, i)
    mean, between = moment / total, 0.0
    for i in range(alive.shape[0]):
        if alive[i]:
            apart = sums[i, 1] / sums[i, 0] - mean
            between += sums[i, 0] * apart * apart
    return of_squares(test, between, within, groups, total)
