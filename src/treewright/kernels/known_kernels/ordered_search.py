"""The best cut of an ordered column at every open node: one pass over its cases in the order of their codes.

It finds what ``search_known`` finds of the same cells. Most nodes have few cases, so masses are written out in line: to
hand statistics on takes longer than to add them up.
"""

import numpy as np

from treewright.kernels.jit import dividing, inlined_borrowing, kernel
from treewright.kernels.known_kernels.known_cases import OWN_BRANCH, add_case
from treewright.kernels.search.known_cells import KNOWN_OR_NOT
from treewright.kernels.search.mass import GINI, SQUARED_ERROR, branch_mass, mass
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import keep


@kernel
def search_ordered(column, columns, cases, nodes, slack, rules, finds):
    """``finds.cut`` is the last cell on the left, counted from the first that is known."""
    n_stats, own_branch = nodes.totals.shape[1], columns.policy[column] == OWN_BRANCH
    left, right, missing = np.empty(n_stats, np.int64), np.empty(n_stats, np.int64), np.empty(n_stats, np.int64)
    codes, order = columns.codes[column], cases.order[column]
    for f in range(nodes.id.shape[0]):
        keep(finds, f, -np.inf, KNOWN_OR_NOT, 0)
        finds.ties[f] = 0
        start, stop, apart = nodes.start[f], nodes.start[f + 1], 0.0
        first = start
        for s in range(n_stats):
            missing[s] = 0
        while first < stop and codes[cases.row[order[first]]] == 0:
            add_case(cases, order[first], missing)
            first += 1
        if first > start and own_branch:
            apart = branch_mass(missing, first - start, rules)
        if apart == -np.inf or first == stop:
            continue
        for s in range(n_stats):
            left[s], right[s] = 0, nodes.totals[f, s] - missing[s]
        cut_in_order(f, first, stop, codes, order, cases, left, right, slack[f], rules, finds)
        if first == start:
            continue
        for s in range(n_stats):
            right[s] = nodes.totals[f, s] - missing[s]
        if own_branch:
            known = branch_mass(right, stop - first, rules)
            consider(finds, f, known, KNOWN_OR_NOT, 0, slack[f], 0, 0, -1)
            finds.score[f] += apart
        elif finds.score[f] > -np.inf:
            finds.score[f] -= mass(right, rules.criterion, rules.table)
            finds.score[f] += mass(nodes.totals[f], rules.criterion, rules.table)


@inlined_borrowing
def cut_in_order(f, first, stop, codes, order, cases, left, right, slack, rules, finds):
    """Codes up to one against those after it, of the known cases ``[first:stop]``."""
    cell, code = 0, codes[cases.row[order[first]]]
    for i in range(first, stop - 1):
        case, ahead = order[i], codes[cases.row[order[i + 1]]]
        if cases.label.shape[0]:
            left[cases.label[case]] += cases.amount[case, 0]
            right[cases.label[case]] -= cases.amount[case, 0]
        else:
            for s in range(left.shape[0]):
                left[s] += cases.amount[case, s]
                right[s] -= cases.amount[case, s]
        if ahead == code:
            continue
        code, n_left, score = ahead, i + 1 - first, -np.inf
        if rules.criterion == GINI or rules.criterion == SQUARED_ERROR:
            if n_left >= rules.min_rows and stop - first - n_left >= rules.min_rows:
                score = both_masses(left, right, rules.criterion == GINI, rules.min_weight)
        else:
            score = branch_mass(left, n_left, rules) + branch_mass(right, stop - first - n_left, rules)
        if score > -np.inf and score > finds.score[f] + slack:
            keep(finds, f, score, cell, 0)
        cell += 1


@dividing
def both_masses(left, right, is_gini, min_weight):
    """Gini or squared error of both sides, -inf where one weighs too little."""
    a_left, a_right, of_left, of_right = left[0], right[0], 0.0, 0.0
    if is_gini:
        of_left, of_right = np.float64(a_left) * np.float64(a_left), np.float64(a_right) * np.float64(a_right)
        for s in range(1, left.shape[0]):
            a_left, a_right = a_left + left[s], a_right + right[s]
            of_left += np.float64(left[s]) * np.float64(left[s])
            of_right += np.float64(right[s]) * np.float64(right[s])
    else:
        of_left, of_right = np.float64(left[1]) * np.float64(left[1]), np.float64(right[1]) * np.float64(right[1])
    if min_weight > 0 and min(a_left, a_right) < min_weight:
        return -np.inf
    score = of_left / a_left if a_left != 0 else 0.0
    return score + (of_right / a_right if a_right != 0 else 0.0)
