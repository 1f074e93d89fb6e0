"""C5.0's choice of a test at a node: every column is measured, and the best ratio wins."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_division import AMOUNT, CLASS
from treewright.kernels.c50_kernels.c50_groups import GroupRoom, grouped, multiway, ordered_cut
from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single
from treewright.kernels.c50_kernels.c50_numbers import NumberRoom
from treewright.kernels.jit import borrowing

NUMBER, NOMINAL, ORDERED = 0, 1, 2
NO_TEST = -1


class CaseTable(NamedTuple):
    """Training cases as C5.0 sees them. Values of nominal columns: 1 is not applicable, declared ones from 2 on."""

    values: np.ndarray  # (columns, cases) float32; NaN is unknown, -inf a number that is not applicable
    is_unknown: np.ndarray  # (columns, bytes) uint8: the same as a bit for each case, the first in the lowest
    kinds: np.ndarray  # (columns,) int64
    n_values: np.ndarray  # (columns,) int64: 0 for numbers
    has_unknown: np.ndarray  # (columns,) bool
    has_beside: np.ndarray  # (columns,) bool: values that are not applicable
    place: np.ndarray  # (columns,) int64: which of the sorted lists is the column's
    labels: np.ndarray  # (cases,) int64
    n_classes: int


class SearchOptions(NamedTuple):
    subset: bool
    least: float  # weight of a branch
    of_average: float  # what the least gain takes of the average gain,
    of_bits: float  # and of lg(columns)/N
    most_values: float  # columns of so many values are not tested unless values are grouped
    partitions: np.ndarray  # of ``all_partitions``


class TestsOfColumns(NamedTuple):
    """What was found for every column."""

    gain: np.ndarray  # (columns,) -1: no test
    information: np.ndarray
    cut: np.ndarray
    n_branches: np.ndarray  # int64
    groups: np.ndarray  # (columns, values + 1) int64: branch of each value


class NodeCases(NamedTuple):
    """The cases of the node that is searched, in their order, with what is asked of each for every column."""

    cases: np.ndarray  # (cases,) int64
    labels: np.ndarray  # (cases,) int64
    weights: np.ndarray  # (cases,)


class ColumnRoom(NamedTuple):
    """What is needed to measure one column at a time."""

    numbers: NumberRoom
    groups: GroupRoom
    amounts: np.ndarray  # (5,)


@borrowing
def gather_node(cases, weighed, here):
    """Classes and weights of the cases of a node, side by side."""
    for i in range(len(cases)):
        here.cases[i] = cases[i]
        here.labels[i] = np.int64(weighed[cases[i], CLASS])
        here.weights[i] = weighed[cases[i], AMOUNT]


@gather_node.in_numpy
def gather_node_in_numpy(cases, weighed, here):
    n = len(cases)
    here.cases[:n], here.labels[:n], here.weights[:n] = cases, weighed[cases, CLASS], weighed[cases, AMOUNT]


@borrowing
def measure_table(table, j, cells, is_tested, options, allowance, base, total, room, found):
    """Leave in ``found`` what testing column j, of levels, would gain. ``cells``: its table."""
    kind, n_values, amounts, groups = table.kinds[j], table.n_values[j], room.amounts, found.groups[j]
    by_value = not options.subset or n_values <= 3
    if kind == ORDERED:
        ordered_cut(cells, total, base, options.least, allowance, room.groups, groups, amounts)
        found.n_branches[j] = 3
    elif not by_value:
        partitions, beside = options.partitions, table.has_beside[j]
        grouped(cells, total, base, options.least, allowance, beside, partitions, room.groups, groups, amounts)
        found.n_branches[j] = np.int64(amounts[2])
    elif is_tested:
        amounts[0] = -1.0
    else:
        multiway(cells, total, base, options.least, allowance, room.groups, amounts)
        found.n_branches[j] = n_values
    found.gain[j], found.information[j] = amounts[0], amounts[1]


@borrowing
def least_gain(found, options, total):
    """What a column must gain to be in the running, but for a thousandth; -1: no column gains anything."""
    n_possible, sum_of_gains = 0, 0.0
    for j in range(len(found.gain)):
        if found.gain[j] >= EPSILON:
            n_possible += 1
            sum_of_gains += found.gain[j]
    if n_possible == 0:
        return -1.0
    return options.of_average * (sum_of_gains / n_possible) + options.of_bits * lg(np.float64(n_possible)) / total


@borrowing
def in_the_running(gain, information, least):
    return gain >= EPSILON and gain >= 0.999 * least and information > 0.0


@borrowing
def chosen_column(in_use, n_values, found, options, total):
    """The best ratio among columns of at least the least gain; of near equals the one of fewer branches.

    Columns that are not in use have no gain in ``found``.
    """
    least, most = least_gain(found, options, total), 3
    if least < 0.0:
        return NO_TEST
    for j in range(len(in_use)):
        most = max(most, n_values[j])
    best, best_ratio, best_branches, best_gain = NO_TEST, -EPSILON, most + 1, 0.0
    for j in range(len(found.gain)):
        gain, information = found.gain[j], found.information[j]
        if not in_the_running(gain, information, least):
            continue
        ratio, n_branches = single(gain / information), found.n_branches[j]
        near = ratio > 0.999 * best_ratio and (
            n_branches < best_branches or (n_branches == best_branches and gain > best_gain)
        )
        if ratio > best_ratio or near:
            best, best_ratio, best_branches, best_gain = j, ratio, n_branches, gain
    return best
