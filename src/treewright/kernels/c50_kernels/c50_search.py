"""C5.0's choice of a test at a node, and the sorted cases it is made from."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_groups import grouped, multiway, ordered_cut
from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information
from treewright.kernels.c50_kernels.c50_numbers import best_cut
from treewright.kernels.jit import kernel

NUMBER, NOMINAL, ORDERED = 0, 1, 2
NO_TEST = -1


class CaseTable(NamedTuple):
    """Training cases as C5.0 sees them. Values of nominal columns: 1 is not applicable, declared ones from 2 on."""

    values: np.ndarray  # (columns, cases) float32; NaN is unknown, -inf a number that is not applicable
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


class TestsOfColumns(NamedTuple):
    """What was found for every column."""

    gain: np.ndarray  # (columns,) -1: no test
    information: np.ndarray
    cut: np.ndarray
    n_branches: np.ndarray  # int64
    groups: np.ndarray  # (columns, values + 1) int64: branch of each value


@kernel
def best_test(table, cases, orders, sizes, weights, in_use, tested, options, allowance, counts, total, found):
    """The column to test at a node, -1 for none; what is known of each column is left in ``found``."""
    values, kinds, labels, n_classes = table.values, table.kinds, table.labels, table.n_classes
    base = total_information(counts) / total
    amounts = np.zeros(5)
    n_columns, most = len(kinds), 3
    for j in range(n_columns):
        found.gain[j] = -1.0
        n_values = table.n_values[j]
        most = max(most, n_values)
        if not in_use[j] or n_values >= options.most_values:
            continue
        column = values[j]
        if kinds[j] == NUMBER:
            sides = np.zeros((2, n_classes))
            if table.has_unknown[j] or table.has_beside[j]:
                for i in range(len(cases)):
                    value = column[cases[i]]
                    if np.isnan(value):
                        sides[0, labels[cases[i]]] += weights[cases[i]]
                    elif value == -np.inf:
                        sides[1, labels[cases[i]]] += weights[cases[i]]
            p = table.place[j]
            best_cut(column, orders[p, : sizes[p]], labels, weights, sides, n_classes, base, options.least, amounts)
            found.cut[j], found.n_branches[j] = amounts[2], 3
        else:
            by_value = not options.subset or n_values <= 3
            if kinds[j] == NOMINAL and by_value and tested[j]:
                continue
            cells = np.zeros((n_values + 1, n_classes))
            for i in range(len(cases)):
                value = column[cases[i]]
                cells[0 if np.isnan(value) else np.int64(value), labels[cases[i]]] += weights[cases[i]]
            groups = found.groups[j]
            if kinds[j] == ORDERED:
                ordered_cut(cells, total, base, options.least, allowance, groups, amounts)
                found.n_branches[j] = 3
            elif by_value:
                multiway(cells, total, base, options.least, allowance, amounts)
                found.n_branches[j] = n_values
            else:
                has_beside = table.has_beside[j]
                grouped(cells, total, base, options.least, allowance, has_beside, groups, amounts)
                found.n_branches[j] = np.int64(amounts[2])
        found.gain[j], found.information[j] = amounts[0], amounts[1]
    return _chosen(found, options, total, most)


@kernel
def _chosen(found, options, total, most):
    """The best ratio among columns of at least the least gain; of near equals the one of fewer branches."""
    n_possible, sum_of_gains = 0, 0.0
    for j in range(len(found.gain)):
        if found.gain[j] >= EPSILON:
            n_possible += 1
            sum_of_gains += found.gain[j]
    if n_possible == 0:
        return NO_TEST
    least = options.of_average * (sum_of_gains / n_possible) + options.of_bits * lg(np.float64(n_possible)) / total
    best, best_ratio, best_branches, best_gain = NO_TEST, -EPSILON, most + 1, 0.0
    for j in range(len(found.gain)):
        gain, information = found.gain[j], found.information[j]
        if gain < EPSILON or gain < 0.999 * least or information <= 0.0:
            continue
        ratio, n_branches = single(gain / information), found.n_branches[j]
        near = ratio > 0.999 * best_ratio and (
            n_branches < best_branches or (n_branches == best_branches and gain > best_gain)
        )
        if ratio > best_ratio or near:
            best, best_ratio, best_branches, best_gain = j, ratio, n_branches, gain
    return best


@kernel
def sort_cases(values, columns, cases, orders, sizes):
    """The cases by the numbers of each column, those without a number left out."""
    for p in range(len(columns)):
        column = values[columns[p]]
        known, n = np.empty(len(cases), np.int64), 0
        for i in range(len(cases)):
            if column[cases[i]] > -np.inf:
                known[n] = cases[i]
                n += 1
        ranks = np.argsort(column[known[:n]])
        for i in range(n):
            orders[p, i] = known[ranks[i]]
        sizes[p] = n


@kernel
def filter_cases(parents, parent_sizes, is_here, orders, sizes):
    """Sorted cases of a node out of those of one above it."""
    for p in range(len(sizes)):
        n = 0
        for i in range(parent_sizes[p]):
            case = parents[p, i]
            if is_here[case]:
                orders[p, n] = case
                n += 1
        sizes[p] = n
