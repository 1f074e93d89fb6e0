"""In how many ways values can be divided into groups: what C5.0 charges for choosing one of them."""

from functools import cache

import numpy as np

from treewright.kernels.c50_kernels.c50_information import lg
from treewright.kernels.jit import borrowing

_MOST_IN_TABLE = 150  # values of a column, up to which Stirling numbers are kept
_LARGEST = 1.797e308  # of 64-bit numbers


@borrowing
def fill_lg_partitions(n, row):
    """lg of the Stirling numbers S(n, 0) … S(n, n) of the second kind; infinite where one overflows."""
    row[: n + 1] = 0.0
    row[0] = 1.0
    for i in range(1, n + 1):
        for j in range(i, 0, -1):
            too_many = row[j] > (_LARGEST - row[j - 1]) / j
            row[j] = np.inf if too_many else row[j - 1] + j * row[j]
        row[0] = 0.0
    for k in range(n + 1):
        row[k] = lg(row[k])


@fill_lg_partitions.in_numpy
def fill_lg_partitions_in_numpy(n, row):
    row[: n + 1] = 0.0
    row[0] = 1.0
    j = np.arange(1, n + 1, dtype=np.float64)
    for _ in range(n):
        too_many = row[1 : n + 1] > (_LARGEST - row[:n]) / j
        with np.errstate(over="ignore"):
            row[1 : n + 1] = np.where(too_many, np.inf, row[:n] + j * row[1 : n + 1])
        row[0] = 0.0
    row[: n + 1] = [lg.plain(number) for number in row[: n + 1].tolist()]


@cache
def all_partitions(most):
    """``fill_lg_partitions`` of up to ``most`` values, but of no more than some hundred."""
    most = min(most, _MOST_IN_TABLE)
    table = np.zeros((most + 1, most + 1))
    for n in range(most + 1):
        fill_lg_partitions.plain(n, table[n])
    return table


@borrowing
def charge_of(partitions, n, k, more):
    """Bits that tell one of the partitions into ``k`` groups; ``more`` is added where there are too many to count."""
    return (n - k + more) * lg(np.float64(k)) if partitions[k] == np.inf else partitions[k]
