"""Surrogates of a split in two: tests on other columns that send the cases the way it does. See
``engines/choices/surrogate_search.py``, which finds the same."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel
from treewright.kernels.search.known_cells import CUTS

LEAST_ROWS = 2
NOTHING = 1e-9  # agreement must be more than this much above that of sending all down the heaviest branch


class SurrogateRules(NamedTuple):
    """See ``Surrogating``."""

    most: int
    over_all: bool
    then_stop: bool
    as_rpart: bool


class StandInTests(NamedTuple):
    """The best test of every column at one node, and where they rank."""

    agreement: np.ndarray  # (columns,) float64: -1 where there is none
    adjusted: np.ndarray  # (columns,) float64
    cut: np.ndarray  # (columns,) int64
    low: np.ndarray  # (columns,) int32: the branch up to the cut
    high: np.ndarray  # (columns,) int32: … and above it
    branch_of: np.ndarray  # (columns, codes) int32: of nominal columns; -1: it does not say
    ranked: np.ndarray  # (most,) int64
    stats: np.ndarray  # (codes, 2) int64: scratch, weights of the codes of a column by branch
    rows: np.ndarray  # (codes,) int64: scratch


@kernel
def new_stand_ins(n_columns, n_codes, most):
    return StandInTests(
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns, np.int64),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty((n_columns, n_codes), np.int32),
        np.empty(most, np.int64),
        np.empty((n_codes, 2), np.int64),
        np.empty(n_codes, np.int64),
    )


@kernel
def rank_surrogates(tested, f, columns, cases, nodes, side, rules, found):
    """Search all columns at a node; ``side`` is the branch of every case whose tested value is known, else negative.
    Returns how many rank."""
    whole, weighty = side_weights(f, cases, nodes, side)
    for column in range(columns.codes.shape[0]):
        found.agreement[column] = -1.0
        if column == tested:
            continue
        if columns.style[column] == CUTS:
            agreeing, here = stand_in_cut(column, f, columns, cases, nodes, side, weighty[2], found)
        else:
            agreeing, here = stand_in_levels(column, f, columns, cases, nodes, side, weighty, rules.as_rpart, found)
        if agreeing < 0:
            continue
        of = whole if rules.over_all else here
        total, most = np.float64(of[0]) + np.float64(of[1]), np.float64(max(of[0], of[1]))
        if total - most > 0.0:
            adjusted = (agreeing - most) / (total - most)
            if adjusted > NOTHING:
                found.agreement[column], found.adjusted[column] = agreeing / total, adjusted
    return rank(found, rules.most)


@borrowing
def side_weights(f, cases, nodes, side):
    """The weight of both branches; which is the heavier, of equals the one of the higher mean target (or class number);
    and this one: where a surrogate is torn between two it names that."""
    left, right, left_moment, right_moment = np.int64(0), np.int64(0), 0.0, 0.0
    for i in range(nodes.start[f], nodes.start[f + 1]):
        if side[i] < 0:
            continue
        weight = cases.amount[i, 0]
        moment = np.float64(cases.label[i]) * weight if cases.label.shape[0] else np.float64(cases.amount[i, 1])
        if side[i] == 0:
            left, left_moment = left + weight, left_moment + moment
        else:
            right, right_moment = right + weight, right_moment + moment
    left_mean = left_moment / left if left > 0 else -np.inf
    right_mean = right_moment / right if right > 0 else -np.inf
    higher = 1 if right_mean > left_mean else 0
    heavier = 1 if right > left else 0 if left > right else higher
    return (left, right), (left if heavier == 0 else right, heavier, higher)


@inlined_borrowing
def rank(found, most):
    """The columns that agree most, the first of equals first."""
    n = 0
    for column in range(found.agreement.shape[0]):
        if found.agreement[column] < 0:
            continue
        place = n
        while place > 0 and found.agreement[found.ranked[place - 1]] < found.agreement[column]:
            place -= 1
        if place >= most:
            continue
        n = min(n + 1, most)
        for k in range(n - 1, place, -1):
            found.ranked[k] = found.ranked[k - 1]
        found.ranked[place] = column
    return n


@borrowing
def stand_in_cut(column, f, columns, cases, nodes, side, higher, found):
    """The lowest of the cuts that agree most: what agrees, -1 where there is no cut, and the weights of both branches
    where this column is known."""
    codes, order = columns.codes[column], cases.order[column]
    left, right, n_rows = np.int64(0), np.int64(0), 0
    for i in range(nodes.start[f], nodes.start[f + 1]):
        case = order[i]
        if side[case] >= 0 and codes[cases.row[case]] > 0:
            n_rows += 1
            if side[case] == 0:
                left += cases.amount[case, 0]
            else:
                right += cases.amount[case, 0]
    best, below_left, below_right, rows, last = np.int64(-1), np.int64(0), np.int64(0), 0, np.int64(0)
    for i in range(nodes.start[f], nodes.start[f + 1]):
        case = order[i]
        code = np.int64(codes[cases.row[case]])
        if side[case] < 0 or code == 0:
            continue
        if code != last and rows >= LEAST_ROWS and n_rows - rows >= LEAST_ROWS:
            agreeing, low, high = two_ways(below_left, below_right, left - below_left, right - below_right, higher)
            if agreeing > best:
                best = agreeing
                found.cut[column], found.low[column], found.high[column] = last, low, high
        rows, last = rows + 1, code
        if side[case] == 0:
            below_left += cases.amount[case, 0]
        else:
            below_right += cases.amount[case, 0]
    return np.float64(best), (left, right)


@inlined_borrowing
def two_ways(low_left, low_right, high_left, high_right, higher):
    """How much agrees with a cut, and the branches up to it and above it. Where all is even it says that of the higher
    mean for what is up to the cut."""
    straight, crossed = low_left + high_right, low_right + high_left
    by_low = low_right > low_left if higher == 0 else low_right >= low_left  # the branch that low values mostly take
    by_high = high_right > high_left if higher == 0 else high_right >= high_left
    of_low, of_high = (crossed if by_low else straight), (straight if by_high else crossed)
    if of_low >= of_high:
        return (of_low, 1, 0) if by_low else (of_low, 0, 1)
    return (of_high, 0, 1) if by_high else (of_high, 1, 0)


@borrowing
def stand_in_levels(column, f, columns, cases, nodes, side, weighty, as_rpart, found):
    """Every level goes the way most of its weight goes. What agrees, -1 where that is no surrogate, and the weights of
    both branches where this column is known."""
    codes, branch_of, heavier = columns.codes[column], found.branch_of[column], weighty[1]
    for code in range(columns.n_codes[column]):
        found.rows[code], found.stats[code, 0], found.stats[code, 1], branch_of[code] = 0, 0, 0, -1
    for i in range(nodes.start[f], nodes.start[f + 1]):
        code = codes[cases.row[i]]
        if side[i] >= 0 and code > 0:
            found.rows[code] += 1
            found.stats[code, side[i]] += cases.amount[i, 0]
    agreeing, left, right, n_left, n_right = 0.0, np.int64(0), np.int64(0), 0, 0
    for code in range(1, columns.n_codes[column]):
        if found.rows[code] == 0:
            continue
        of_left, of_right = found.stats[code, 0], found.stats[code, 1]
        branch = heavier if of_left == of_right else 0 if of_left > of_right else 1
        branch_of[code] = branch
        agreeing, left, right = agreeing + np.float64(max(of_left, of_right)), left + of_left, right + of_right
        if branch == 0:
            n_left += found.rows[code]
        else:
            n_right += found.rows[code]
    usable = n_left >= LEAST_ROWS and n_right >= LEAST_ROWS
    if as_rpart:
        usable = agrees_and_not(f, codes, branch_of, cases, nodes, side)
    return (agreeing if usable else -1.0), (left, right)


@inlined_borrowing
def agrees_and_not(f, codes, branch_of, cases, nodes, side):
    """rpart's slip: a nominal surrogate that is right about all rows, or about all but one, is none."""
    n_right, n_wrong = 0, 0
    for i in range(nodes.start[f], nodes.start[f + 1]):
        code = codes[cases.row[i]]
        if side[i] >= 0 and code > 0:
            if branch_of[code] == side[i]:
                n_right += 1
            else:
                n_wrong += 1
    return n_right >= LEAST_ROWS and n_wrong >= LEAST_ROWS


@borrowing
def decided(row, n_ranked, columns, found):
    """The branch that the first surrogate names which names one; -1: none does."""
    for k in range(n_ranked):
        column = found.ranked[k]
        code = np.int64(columns.codes[column, row])
        if columns.style[column] != CUTS:
            branch = np.int64(found.branch_of[column, code])
        elif code == 0:
            branch = np.int64(-1)
        else:
            branch = np.int64(found.high[column] if code > found.cut[column] else found.low[column])
        if branch >= 0:
            return branch
    return np.int64(-1)


@borrowing
def next_code(column, cut, f, columns, cases, nodes):
    """The first code above the cut that occurs at a node, be the tested value known or missing there."""
    codes, order = columns.codes[column], cases.order[column]
    for i in range(nodes.start[f], nodes.start[f + 1]):
        code = np.int64(codes[cases.row[order[i]]])
        if code > cut:
            return code
    return np.int64(0)
