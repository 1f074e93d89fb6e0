"""A whole tree by known values in one call: splits in two by cuts and sets of levels, with a third branch where missing
values have one. It is grown level by level, as rounds would, with the searches of ``known_cells.py``."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel, large_kernel
from treewright.kernels.known_kernels.known_cases import (
    BY_SHARE,
    COMMONEST,
    IN_FULL,
    OWN_BRANCH,
    STAYING,
    SURROGATES,
    KnownNodes,
    add_case,
    add_cells,
)
from treewright.kernels.known_kernels.known_division import (
    NOWHERE,
    TO_EVERY,
    UNDECIDED,
    add_to_branch,
    heaviest_of,
    new_division,
    next_level,
    share_case,
)
from treewright.kernels.known_kernels.known_surrogates import (
    decided,
    new_stand_ins,
    next_code,
    rank_surrogates,
)
from treewright.kernels.known_kernels.ordered_search import search_ordered
from treewright.kernels.search.known_cells import (
    CUTS,
    KNOWN_OR_NOT,
    CellArrays,
    CellRuns,
    find_known,
    lay_out_known,
    search_known,
)
from treewright.kernels.search.mass import MISCLASSIFICATION, is_numeric, mass, weight_of
from treewright.kernels.search.subtree import bounds, may_split
from treewright.kernels.store_kernels.nodes import NO_SPLIT, Finds, OpenNodes

# What stands in a row of ``KnownTree.splits``.
NODE, FIRST_CHILD, BRANCHES, COLUMN, CUT, ABOVE, MISSING, OF_MISSING, LEVELS, STAND_INS, SPLIT_FIELDS = range(11)
# … and of ``KnownTree.stand_ins``; ``LEVELS_OF`` is where the branches of levels begin, -1: it is a cut.
STAND_IN, CUT_OF, ABOVE_OF, LOW, HIGH, LEVELS_OF, STAND_IN_FIELDS = range(7)


class KnownTree(NamedTuple):
    """Room for a tree; it is replaced by more when it is full."""

    splits: np.ndarray  # (splits, SPLIT_FIELDS) int64
    nodes: np.ndarray  # (nodes, 1 + 2·n_stats) int64: rows, statistics, and those of the values known above
    levels: np.ndarray  # (n, 1) int64: branches of levels, of splits and surrogates as they come
    stand_ins: np.ndarray  # (surrogates, STAND_IN_FIELDS) int64
    agreement: np.ndarray  # (surrogates, 2) float64: and how far it is adjusted


class Made(NamedTuple):
    """How much of the room is taken."""

    splits: int
    nodes: int
    levels: int
    stand_ins: int


@large_kernel(25.0)
def grow_known(columns, cases, whole, rules, halt, standing_in, most_cases):
    """Grow a tree of these cases; the first of what is returned is False if there would be too many of them."""
    n_stats, numeric = whole.shape[0], is_numeric(rules.criterion)
    tree = KnownTree(
        np.empty((64, SPLIT_FIELDS), np.int64),
        np.empty((128, 1 + 2 * n_stats), np.int64),
        np.empty((256, 1), np.int64),
        np.empty((64, STAND_IN_FIELDS), np.int64),
        np.empty((64, 2)),
    )
    made = Made(0, 1, 0, 0)
    n_rows = cases.row.shape[0]
    tree.nodes[0, 0] = n_rows
    for s in range(n_stats):
        tree.nodes[0, 1 + s] = tree.nodes[0, 1 + n_stats + s] = whole[s]
    n_open = 1 if may_split(whole, n_rows, 0, numeric, halt) else 0
    totals = np.empty((n_open, n_stats), np.int64)
    nodes = KnownNodes(np.zeros(n_open, np.int64), np.zeros(n_open + 1, np.int64), totals)
    nodes.start[n_open] = n_open * n_rows
    for s in range(n_stats if n_open else 0):
        nodes.totals[0, s] = whole[s]
    depth, fits = 0, True
    while fits and nodes.id.shape[0] > 0:
        depth += 1
        best, cut = best_columns(columns, cases, nodes, rules, halt, numeric)
        tree, made, division, first_id = divide_nodes(
            columns, cases, nodes, best, cut, rules, halt, numeric, depth, standing_in, tree, made
        )
        fits, cases, nodes = next_level(cases, nodes, first_id, division, most_cases)
    return fits, tree, made


@kernel
def enlarged(room, n):
    """The same room, or twice as much where n rows do not fit."""
    if n <= room.shape[0]:
        return room
    larger = np.empty((max(2 * room.shape[0], n), room.shape[1]), room.dtype)
    for i in range(room.shape[0]):
        for k in range(room.shape[1]):
            larger[i, k] = room[i, k]
    return larger


@kernel
def best_columns(columns, cases, nodes, rules, halt, numeric):
    """The column that every node tests, NO_SPLIT where none gains enough, and its cut."""
    n_nodes, n_stats, n_cases = nodes.id.shape[0], nodes.totals.shape[1], cases.row.shape[0]
    n_columns = columns.codes.shape[0]
    slack = np.empty(n_nodes)
    for f in range(n_nodes):
        slack[f] = bounds(nodes.totals[f], rules.criterion, numeric, halt)[0]
    scores, cuts = np.empty((n_columns, n_nodes)), np.empty((n_columns, n_nodes), np.int64)
    room = CellArrays(
        np.empty(n_cases, np.int64), np.empty(n_cases, np.int64), np.empty(n_cases, np.int64),
        np.empty((n_cases, n_stats), np.int64),
    )  # fmt: skip
    runs = CellRuns(np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64))
    none = np.empty(n_nodes, np.int64)
    known = OpenNodes(none, none.copy(), none.copy(), np.empty((n_nodes, n_stats), np.int64), slack, np.empty(0), none)
    sides, ties = np.empty(n_nodes, np.uint8), np.empty(n_nodes, np.int64)
    for column in range(n_columns):
        finds = Finds(scores[column], cuts[column], sides, ties)
        if columns.style[column] == CUTS and columns.policy[column] != COMMONEST:
            search_ordered(column, columns, cases, nodes, slack, rules, finds)
            continue
        n = 0
        for f in range(n_nodes):
            n, _ = add_cells(column, f, columns, cases, nodes, room, n)
        cells = CellArrays(room.node[:n], room.code[:n], room.rows[:n], room.stats[:n])
        find_known(cells, nodes.totals, runs, known)
        own_branch = columns.policy[column] == OWN_BRANCH
        search_known(columns.style[column], own_branch, cells, nodes.totals, runs, known, rules, finds)
    best, cut = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    for f in range(n_nodes):
        best[f] = NO_SPLIT
        choose_column(f, scores, nodes.totals[f], slack[f], rules, halt, numeric, best)
        cut[f] = cuts[best[f], f] if best[f] != NO_SPLIT else 0
    return best, cut


@inlined_borrowing
def choose_column(f, scores, total, slack, rules, halt, numeric, best):
    """The first column of those that score best, if that gains enough."""
    top = -np.inf
    for column in range(scores.shape[0]):
        top = max(top, scores[column, f])
    if top == -np.inf:
        return
    weight = np.float64(weight_of(total, numeric))
    for column in range(scores.shape[0]):
        if scores[column, f] >= top - slack:
            gained = scores[column, f] - mass(total, rules.criterion, rules.table)
            if weight > 0 and gained * halt.gain_unit / weight >= halt.min_gain:
                best[f] = column
            return


@kernel
def divide_nodes(columns, cases, nodes, best, cut, rules, halt, numeric, depth, standing_in, tree, made):
    """Write the splits of a level and its branches, and say where every case goes. Returns the tree, how much of it is
    made, the division, and the node that its first branch is."""
    n_nodes, n_stats = nodes.id.shape[0], nodes.totals.shape[1]
    most_rows, most_codes, asks = 0, 1, False
    for f in range(n_nodes):
        most_rows = max(most_rows, nodes.start[f + 1] - nodes.start[f])
    for column in range(columns.codes.shape[0]):
        most_codes = max(most_codes, columns.n_codes[column] if columns.style[column] != CUTS else 1)
        asks = asks or columns.policy[column] == SURROGATES
    found = new_stand_ins(columns.codes.shape[0] if asks else 0, most_codes, standing_in.most)
    branch_of = np.empty(most_codes, np.int32)
    room = CellArrays(
        np.empty(most_rows, np.int64), np.empty(most_rows, np.int64), np.empty(most_rows, np.int64),
        np.empty((most_rows, n_stats), np.int64),
    )  # fmt: skip
    division = new_division(n_nodes, cases.row.shape[0], n_stats)
    first_id = made.nodes
    for f in range(n_nodes):
        division.first[f + 1] = division.first[f]
        if best[f] == NO_SPLIT:
            continue
        column, policy = best[f], columns.policy[best[f]]
        division.policy[f] = policy
        n_branches, below, above, to = lay_out_split(
            column, cut[f], f, columns, cases, nodes, rules, numeric, room, branch_of
        )
        division.first[f + 1] = division.first[f] + n_branches
        n_missing = send_known(column, f, below, columns, cases, nodes, branch_of, division)
        to = of_missing(policy, to, f, standing_in, division)
        n_ranked = 0
        if policy == SURROGATES:
            n_ranked = rank_surrogates(column, f, columns, cases, nodes, division.side, standing_in, found)
        if n_missing:
            send_missing(f, to, n_ranked, columns, cases, nodes, found, division)
        tree, made = with_split(
            column, f, below, above, n_missing, to, n_ranked, columns, cases, nodes, branch_of, found, division,
            numeric, depth, halt, tree, made,
        )  # fmt: skip
    return tree, made, division, first_id


@kernel
def lay_out_split(column, cut, f, columns, cases, nodes, rules, numeric, room, branch_of):
    """The split at a node: how many branches it has, the last code below a cut and the first above it, and the branch
    of missing values, UNDECIDED where the search does not say. Of levels, their branches."""
    n, stand_in = add_cells(column, f, columns, cases, nodes, room, 0)
    begin = 1 if room.code[0] == 0 else 0
    all_known, n_branches, to = cut == KNOWN_OR_NOT, 2, UNDECIDED
    if columns.policy[column] == OWN_BRANCH and begin:
        n_branches = 2 if all_known else 3
        to = n_branches - 1
    if columns.style[column] == CUTS:
        below, above = columns.n_codes[column] - 1, np.int64(0)
        if not all_known:
            below, above = room.code[begin + cut], room.code[min(begin + cut + 1, n - 1)]
        if columns.policy[column] == COMMONEST:
            to = 1 if stand_in > below else 0
        return n_branches, below, above, to
    for code in range(columns.n_codes[column]):
        branch_of[code] = 0 if all_known else UNDECIDED
    if not all_known:
        lay_out_levels_of(column, cut, begin, n, columns, rules, numeric, nodes.totals.shape[1], room, branch_of)
    if columns.policy[column] == COMMONEST:
        to = branch_of[stand_in]
    return n_branches, np.int64(0), np.int64(0), np.int64(to)


@kernel
def lay_out_levels_of(column, cut, begin, n, columns, rules, numeric, n_stats, room, branch_of):
    cells = CellArrays(room.node[:n], room.code[:n], room.rows[:n], room.stats[:n])
    runs = CellRuns(np.empty(1, np.int64), np.empty(1, np.int64), np.empty(1, np.int64))
    runs.missing[0], runs.begin[0], runs.end[0] = -1, begin, n
    chosen, cuts = np.zeros(1, np.int64), np.empty(1, np.int64)
    cuts[0] = cut
    left, on_left = np.zeros((1, n_stats), np.int64), np.zeros(n, np.bool_)
    one_order = numeric or (n_stats == 2 and rules.criterion != MISCLASSIFICATION)
    lay_out_known(
        columns.style[column], one_order, numeric, cells, runs, chosen, cuts, left, on_left,
    )  # fmt: skip
    for i in range(begin, n):
        branch_of[cells.code[i]] = 0 if on_left[i] else 1


@borrowing
def send_known(column, f, below, columns, cases, nodes, branch_of, division):
    """Send the cases whose value is known; returns how many are not."""
    codes, is_cut, first = columns.codes[column], columns.style[column] == CUTS, division.first[f]
    n_missing = 0
    for case in range(nodes.start[f], nodes.start[f + 1]):
        code = np.int64(codes[cases.row[case]])
        if code == 0:
            division.side[case] = UNDECIDED
            n_missing += 1
            continue
        branch = np.int64(code > below) if is_cut else np.int64(branch_of[code])
        add_to_branch(case, f, branch, cases, division)
        add_case(cases, case, division.known_stats[first + branch])
    for child in range(first, division.first[f + 1]):
        division.known[child] = weight_of(division.known_stats[child], cases.label.shape[0] == 0)
    return n_missing


@borrowing
def of_missing(policy, to, f, standing_in, division):
    """The branch of missing values: the one that is told, every one, none, or the heaviest."""
    if policy == BY_SHARE or policy == IN_FULL:
        return np.int64(TO_EVERY)
    if policy == STAYING or (policy == SURROGATES and standing_in.then_stop):
        return np.int64(NOWHERE)
    if to != UNDECIDED:
        return np.int64(to)
    most, torn = heaviest_of(division.known, division.first[f], division.first[f + 1])
    return np.int64(NOWHERE) if policy == SURROGATES and torn else np.int64(most - division.first[f])


@borrowing
def send_missing(f, to, n_ranked, columns, cases, nodes, found, division):
    """Send the cases whose value is missing: by the surrogates, else as told."""
    for case in range(nodes.start[f], nodes.start[f + 1]):
        if division.side[case] != UNDECIDED:
            continue
        branch = decided(cases.row[case], n_ranked, columns, found) if n_ranked else np.int64(-1)
        if branch < 0:
            branch = to
        if branch >= 0:
            add_to_branch(case, f, branch, cases, division)
        elif branch == TO_EVERY:
            share_case(case, f, cases, division)
        else:
            division.side[case] = NOWHERE


@kernel
def with_split(
    column, f, below, above, n_missing, to, n_ranked, columns, cases, nodes, branch_of, found, division, numeric, depth,
    halt, tree, made,
):  # fmt: skip
    """The tree with this split, its surrogates and its branches, and how much of it is made."""
    first, last = division.first[f], division.first[f + 1]
    n_codes = columns.n_codes[column] if columns.style[column] != CUTS else 0
    tree = KnownTree(
        enlarged(tree.splits, made.splits + 1),
        enlarged(tree.nodes, made.nodes + 3),
        enlarged(tree.levels, made.levels + n_codes + n_ranked * found.branch_of.shape[1]),
        enlarged(tree.stand_ins, made.stand_ins + n_ranked),
        enlarged(tree.agreement, made.stand_ins + n_ranked),
    )
    split, n_stats = tree.splits[made.splits], division.stats.shape[1]
    split[NODE], split[FIRST_CHILD], split[BRANCHES] = nodes.id[f], made.nodes, last - first
    split[COLUMN], split[CUT], split[ABOVE], split[MISSING], split[OF_MISSING] = column, below, above, n_missing, to
    split[LEVELS], split[STAND_INS] = made.levels, n_ranked
    for code in range(n_codes):
        tree.levels[made.levels + code, 0] = branch_of[code]
    n_levels = write_stand_ins(f, n_ranked, columns, cases, nodes, found, tree, made, made.levels + n_codes)
    for child in range(first, last):
        node = tree.nodes[made.nodes + child - first]
        node[0] = division.rows[child]
        for s in range(n_stats):
            node[1 + s], node[1 + n_stats + s] = division.stats[child, s], division.known_stats[child, s]
        division.wanted[child] = may_split(division.stats[child], division.rows[child], depth, numeric, halt)
    return tree, Made(made.splits + 1, made.nodes + last - first, n_levels, made.stand_ins + n_ranked)


@borrowing
def write_stand_ins(f, n_ranked, columns, cases, nodes, found, tree, made, n_levels):
    """Write the surrogates of a split, best first; returns how many branches of levels are written then."""
    for k in range(n_ranked):
        column, one = found.ranked[k], tree.stand_ins[made.stand_ins + k]
        one[STAND_IN], one[LEVELS_OF] = column, -1
        tree.agreement[made.stand_ins + k, 0] = found.agreement[column]
        tree.agreement[made.stand_ins + k, 1] = found.adjusted[column]
        if columns.style[column] == CUTS:
            one[CUT_OF], one[LOW], one[HIGH] = found.cut[column], found.low[column], found.high[column]
            one[ABOVE_OF] = next_code(column, found.cut[column], f, columns, cases, nodes)
        else:
            one[LEVELS_OF] = n_levels
            for code in range(columns.n_codes[column]):
                tree.levels[n_levels + code, 0] = found.branch_of[column, code]
            n_levels += columns.n_codes[column]
    return n_levels
