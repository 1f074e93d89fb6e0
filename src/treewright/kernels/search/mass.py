"""The mass of a group: what a criterion makes of its statistics.

Gain is the mass of the branches less that of the node, per weight.

Statistics are int64: class weights, or (w, w·y) for a numeric target. Every mass grows in proportion to its
statistics, so fixed-point scaling of the weights changes no comparison.
"""

from enum import IntEnum

import numpy as np

from treewright.kernels.jit import borrowing, inlined


class Criterion(IntEnum):
    """Built-in criteria. An enumeration and not a function, so that compiled kernels can be kept on disk."""

    GINI = 0
    ENTROPY = 1
    MISCLASSIFICATION = 2
    SQUARED_ERROR = 3
    POISSON = 4
    ABSOLUTE_ERROR = 5  # has no mass: medians do not add up, and absolute.py searches by them


GINI = int(Criterion.GINI)
ENTROPY = int(Criterion.ENTROPY)
MISCLASSIFICATION = int(Criterion.MISCLASSIFICATION)
SQUARED_ERROR = int(Criterion.SQUARED_ERROR)
POISSON = int(Criterion.POISSON)
ABSOLUTE_ERROR = int(Criterion.ABSOLUTE_ERROR)


# Whole plateaus of cuts make the same number of errors. Among these the purer branches win; otherwise one row would be
# cut off at a time.
GINI_BREAKS_TIES = 1e-10


def counts_table(criterion: int, n: int) -> np.ndarray:
    """What the masses of whole counts up to n are made of, to be looked up: 1/x for Gini, x·ln x for entropy."""
    table = np.arange(n + 1, dtype=np.float64)
    if criterion == ENTROPY:
        table[1:] *= np.log(table[1:])
    else:
        table[1:] = 1 / table[1:]
    return table


NO_TABLE = np.zeros(1)  # for fixed-point weights, which are too large to be looked up


@inlined
def xlogx(count, table):
    if count < table.shape[0]:
        return table[count]
    return count * np.log(np.float64(count))


@inlined
def is_numeric(criterion):
    """Whether it is one of numbers, not of classes."""
    return criterion == SQUARED_ERROR or criterion == POISSON or criterion == ABSOLUTE_ERROR


@borrowing
def mass(stats, criterion, table):
    """Mass of one row of statistics; 0 when it is empty. -inf for Poisson without events: no mean to speak of."""
    if criterion == SQUARED_ERROR:
        return 0.0 if stats[0] == 0 else np.float64(stats[1]) * np.float64(stats[1]) / stats[0]
    if criterion == POISSON:
        return poisson_mass(stats[0], stats[1])
    total, most, result = np.int64(0), np.int64(0), 0.0
    for k in range(stats.shape[0]):
        count = stats[k]
        total += count
        most = max(most, count)
        if criterion == ENTROPY:
            result += xlogx(count, table)
        else:
            result += np.float64(count) * np.float64(count)
    if total == 0:
        return 0.0
    if criterion == ENTROPY:
        return result - xlogx(total, table)
    if criterion == GINI:
        return result / total
    return most + GINI_BREAKS_TIES * result / total


@inlined
def poisson_mass(weight, total):
    if weight == 0:
        return 0.0
    if total <= 0:
        return -np.inf
    return total * np.log(np.float64(total) / weight)


@borrowing
def weight_of(stats, numeric):
    if numeric:
        return stats[0]
    weight = np.int64(0)
    for k in range(stats.shape[0]):
        weight += stats[k]
    return weight


@borrowing
def branch_mass(stats, rows, rules):
    """Mass of a branch; -inf where the branch is not admissible: too few rows or too little weight."""
    if rows < rules.min_rows:
        return -np.inf
    if rules.min_weight > 0 and weight_of(stats, is_numeric(rules.criterion)) < rules.min_weight:
        return -np.inf
    return mass(stats, rules.criterion, rules.table)
