"""A whole tree of drawn columns in one call, for forests: threads grow one tree each.

A node is a stretch of ``rows``. Columns are drawn one after the other; the codes of a drawn column are looked up,
sorted together with what the rows count for, and scanned once. Codes are ranks of the whole table, so nothing has to be
kept in order for columns that are not drawn. What is found is what the plain pair finds, see engines/column_draws.py.

Arguments are plain arrays and numbers: compiling takes long where named tuples are passed on and on.
"""

import numpy as np

from treewright.kernels.forest_kernels.forest_cuts import (
    add_codes_up_to,
    apart,
    fields_up_to,
    last_code_below,
    last_code_up_to,
    number_of,
    score_cut,
    score_fields,
    score_sides,
    threshold_of,
)
from treewright.kernels.forest_kernels.forest_levels import (
    count_levels,
    empty_levels,
    note_sides,
    score_random_levels,
    split_levels,
)
from treewright.kernels.forest_kernels.forest_rows import (
    AT_ONCE,
    add_right,
    by_cut,
    by_level,
    codes_beside,
    copy_codes,
    copy_rows,
    look_up,
    part,
    read_codes,
    widen,
)
from treewright.kernels.forest_kernels.forest_scan import (
    CLASSES,
    HALF,
    PACKED,
    add_missing,
    keys_of,
    keys_of_known,
    scan_classes,
    scan_entropy,
    scan_numbers,
    scan_packed,
    scan_two_classes,
)
from treewright.kernels.jit import inlined_borrowing, kernel, large_kernel
from treewright.kernels.random_numbers import BRANCH, COLUMN, CUT, hashed
from treewright.kernels.search.mass import GINI, is_numeric, mass, weight_of
from treewright.kernels.search.subtree import bounds, may_split
from treewright.kernels.sorting.key_sort import DIGIT, sort_keys

INTERRUPTED = -1
BLOCK_ROWS = 4096
MOST_KEPT = 8  # columns of a node


@large_kernel(seconds=6.0)
def grow_tree(
    all_codes, nominal, by_bits, n_codes, lows, highs, value_start, all_rows, all_carried, all_weight, all_moment,
    all_square, mode, criterion, table, whole, key, among, n_first, random_cuts, min_rows, min_weight, halt,
    interrupted, owner, column, cut, above, threshold, missing, missing_branch, branch_rows, branch_stats, gain,
):  # fmt: skip
    """Grow a tree depth first; returns the number of splits, and the levels of nominal splits.

    The table: ``all_codes`` (columns, rows), which columns are ``nominal``, ``n_codes``; with ``random_cuts`` also the
    numbers that the codes of column j stand for, from ``lows`` and up to ``highs`` of ``value_start[j] + code``, unless
    ``by_bits[j]`` says that the code itself tells.
    ``all_rows`` are those of the tree, and are used up; what each counts for stands at its place in the table (see
    forest_scan.py).
    ``key`` is that of the root. The other arrays are room for what is found, of as many splits as rows:

    ``owner``: the branch that is split, -1 the root; ``cut`` and ``above``: the codes beside the cut, 0 where only
    missing rows are above it; of a nominal split where its levels begin, and how many. These are code · 2 + branch.
    ``gain`` is left empty where no room is given.
    """
    n_all, n_stats, numeric = all_rows.shape[0], whole.shape[0], is_numeric(criterion)
    total, left, right = np.empty(n_stats, np.int64), np.empty(n_stats, np.int64), np.empty(n_stats, np.int64)
    of_missing = np.empty(n_stats, np.int64)
    keys, ordered = np.empty(n_all, np.uint64), np.empty(n_all, np.uint64)
    begin = np.empty(2 * n_all + 2**DIGIT + 2, np.uint32)
    here, goes_right, spare = np.empty(n_all, np.uint32), np.empty(n_all, np.uint8), np.empty(n_all, np.uint32)
    n_kept = min(n_first, MOST_KEPT) if random_cuts else 1
    node_codes, wide = (
        np.empty((n_kept, n_all + AT_ONCE), np.uint32),
        np.empty(n_all if mode == PACKED else 0, np.uint64),
    )
    n_wide = 0 if mode == PACKED else n_all
    labels, weights = np.empty(n_wide, np.uint32), np.empty(n_wide, np.int64)
    moments, squares = np.empty(n_wide, np.int64), np.empty(n_wide, np.int64)
    most = 1
    for j in range(all_codes.shape[0]):
        if nominal[j]:
            most = max(most, n_codes[j])
    count, stats, present = np.zeros(most, np.int64), np.zeros((most, n_stats), np.int64), np.empty(most, np.int64)
    order, shares, side = np.empty(most, np.int64), np.empty(most), np.zeros(most, np.uint8)
    level_weight, sums, sides = np.empty(most, np.int64), np.zeros(most, np.uint64), np.empty(most, np.int64)
    n_fields, n_sides = n_stats + 1 if most > 1 or random_cuts else n_stats, 0
    by_fields = random_cuts and criterion == GINI
    word = np.zeros(1, np.uint32)
    as_number = word.view(np.float32)
    levels, n_levels = np.empty(16, np.int64), 0
    n_among = among.shape[0]
    turn, found, place = np.empty(n_among, np.int64), np.empty(n_among), np.empty((n_among, 3), np.int64)
    threshold_at, fields_at = np.empty(n_among), np.empty(n_among, np.uint64)
    block = new_block(all_codes.shape[0], n_among, n_first, n_all)
    n_block, n_wide = block.shape[1], 0 if mode == PACKED else block.shape[1]
    block_rows, block_carried = np.empty(n_block, np.uint32), np.empty(n_block, np.uint32)
    block_weight, block_moment = np.empty(n_wide, np.int64), np.empty(n_wide, np.int64)
    block_square, floor = np.empty(n_wide, np.int64), -1
    codes, rows, carried, weight, moment, square = (
        all_codes, all_rows, all_carried, all_weight, all_moment, all_square
    )  # fmt: skip
    stack, stack_keys = np.empty((n_all + 2, 4), np.int64), np.empty(n_all + 2, np.uint64)
    put(stack, stack_keys, 0, 0, n_all, 0, -1, key)
    waiting, n_splits = np.int64(may_split(whole, n_all, 0, numeric, halt)), 0
    while waiting > 0:
        if interrupted[0]:
            return INTERRUPTED, levels
        waiting -= 1
        start, stop, depth, of = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        node_key, n = stack_keys[waiting], stop - start
        for s in range(n_stats):
            total[s] = whole[s] if of < 0 else branch_stats[of, s]
        slack, ceiling = bounds(total, criterion, numeric, halt)
        if waiting < floor:  # all below the node of the block is done
            codes, rows, carried, floor = all_codes, all_rows, all_carried, -1
            weight, moment, square = all_weight, all_moment, all_square
        if floor < 0 and n <= n_block:
            for i in range(n_among):
                copy_codes(codes, among[i], rows, start, n, block)
            copy_rows(
                rows,
                start,
                n,
                carried,
                weight,
                moment,
                square,
                mode,
                block_carried,
                block_weight,
                block_moment,
                block_square,
            )
            for i in range(n):
                block_rows[i] = i
            codes, rows, carried, floor = block, block_rows, block_carried, waiting
            weight, moment, square = block_weight, block_moment, block_square
            start, stop = 0, n
        look_up(rows, start, n, carried, weight, moment, square, mode, here, labels, weights, moments, squares)
        bits, last_read, noted = widen(here, n, total, mode, wide, n_fields), -1, -1
        for t in range(n_among):
            turn[t] = among[t]
        top, visited = -np.inf, 0
        while visited < n_among and (visited < n_first or top == -np.inf):
            t = visited
            visited += 1
            if n_first < n_among and t < n_among - 1:
                other = t + np.int64(hashed(node_key, t, 0, COLUMN) % np.uint64(n_among - t))
                turn[t], turn[other] = turn[other], turn[t]
            j = turn[t]
            found[t], place[t, 0], place[t, 1], place[t, 2] = -np.inf, 0, 0, 0
            fields_at[t] = 0
            if nominal[j]:
                k = count_levels(
                    codes, j, n_codes[j], rows, start, n, bits, wide, sums, here, mode, labels, weights, moments,
                    squares, count, stats, present,
                )  # fmt: skip
                if random_cuts:
                    found[t] = score_random_levels(
                        node_key, j, k, count, stats, present, n, total, left, right, criterion, table, min_rows,
                        min_weight,
                    )  # fmt: skip
                else:
                    found[t], place[t, 0] = split_levels(
                        k, count, stats, present, order, shares, level_weight, n, total, left, right, criterion, table,
                        min_rows, min_weight, slack,
                    )  # fmt: skip
                if found[t] > top:
                    note_sides(
                        node_key, j, random_cuts, place[t, 0], True, k, stats, present, order, shares, criterion, sides
                    )
                    noted, n_sides = t, k
                empty_levels(k, count, stats, present)
            else:
                slot = min(t, n_kept - 1)
                lowest, highest = read_codes(codes, j, rows, start, n, node_codes, slot)
                known, last_read = n, t
                if highest == 0 or lowest == highest:
                    continue
                if lowest == 0:
                    known, lowest, highest = keys_of(node_codes, slot, n, here, keys)
                    add_missing(keys, known, n, mode, labels, weights, moments, squares, of_missing)
                elif not random_cuts:
                    keys_of_known(node_codes, slot, n, here, keys)
                if random_cuts:
                    threshold_at[t] = np.inf
                    last = np.int64(highest)
                    if lowest < highest:
                        share = np.float64(hashed(node_key, j, 0, CUT) >> np.uint64(11)) * 2.0**-53
                        at = value_start[j]
                        if by_bits[j]:
                            low, high = number_of(lowest, word, as_number), number_of(highest, word, as_number)
                            threshold_at[t] = threshold_of(share, low, high)
                            last = last_code_up_to(threshold_at[t], word, as_number)
                        else:
                            threshold_at[t] = threshold_of(share, highs[at + lowest], lows[at + highest])
                            last = last_code_below(threshold_at[t], highs, at, node_codes, slot, n, lowest, highest)
                    place[t, 0] = last
                    if known == n and by_fields and bits > 0:
                        fields_at[t] = fields_up_to(node_codes, slot, n, last, wide)
                        found[t] = score_fields(fields_at[t], bits, n, total, min_rows, min_weight)
                    elif known == n:
                        n_left = add_codes_up_to(
                            node_codes, slot, n, last, bits, wide, mode, here, labels, weights, moments, left
                        )
                        found[t] = score_sides(n_left, n, total, left, right, criterion, table, min_rows, min_weight)
                    else:
                        found[t], place[t, 2] = score_cut(
                            keys, known, n, last, of_missing, total, left, right, mode, labels, weights, moments,
                            squares, criterion, table, min_rows, min_weight, slack,
                        )  # fmt: skip
                else:
                    sort_keys(keys, known, lowest, highest, ordered, begin)
                    if mode == PACKED and criterion == GINI and n_stats == 2:
                        found[t], at, place[t, 2] = scan_two_classes(
                            ordered, known, n - known, of_missing, total, min_rows, min_weight, slack
                        )
                    elif mode == PACKED and criterion == GINI:
                        found[t], at, place[t, 2] = scan_packed(
                            ordered, known, n - known, of_missing, total, left, right, min_rows, min_weight, slack
                        )
                    elif mode == PACKED:
                        found[t], at, place[t, 2] = scan_entropy(
                            ordered,
                            known,
                            n - known,
                            of_missing,
                            total,
                            left,
                            right,
                            table,
                            min_rows,
                            min_weight,
                            slack,
                        )
                    elif mode == CLASSES:
                        found[t], at, place[t, 2] = scan_classes(
                            ordered, known, n - known, of_missing, total, left, right, labels, weights, criterion,
                            table, min_rows, min_weight, slack,
                        )  # fmt: skip
                    else:
                        found[t], at, place[t, 2] = scan_numbers(
                            ordered, known, n - known, of_missing, total, weights, moments, min_rows, min_weight, slack
                        )
                    place[t, 0] = np.int64(ordered[at] >> HALF)
                    place[t, 1] = np.int64(ordered[at + 1] >> HALF) if at + 1 < known else 0
            top = max(top, found[t])
            if found[t] >= ceiling - slack:
                break
        if top == -np.inf:
            continue
        t = 0
        while found[t] < top - slack:
            t += 1
        j = turn[t]
        if nominal[j]:
            if noted != t:
                n_sides = count_levels(
                    codes, j, n_codes[j], rows, start, n, bits, wide, sums, here, mode, labels, weights, moments,
                    squares, count, stats, present,
                )  # fmt: skip
                note_sides(
                    node_key, j, random_cuts, place[t, 0], False, n_sides, stats, present, order, shares, criterion,
                    sides,
                )  # fmt: skip
                empty_levels(n_sides, count, stats, present)
            levels = room_for(levels, n_levels, n_sides)
            place[t, 0], place[t, 1], place[t, 2] = n_levels, n_sides, 0
            for i in range(n_sides):
                side[sides[i] >> 1], levels[n_levels + i] = sides[i] & 1, sides[i]
                place[t, 2] |= sides[i] == 0
            n_left, n_missing = by_level(codes, j, rows, start, n, side, goes_right)
            n_levels += n_sides
        else:
            slot = min(t, n_kept - 1)
            if last_read != t and t >= n_kept - 1:
                read_codes(codes, j, rows, start, n, node_codes, slot)
            n_left, n_missing = by_cut(node_codes, slot, n, place[t, 0], place[t, 2], goes_right)
            if random_cuts:
                place[t, 0], place[t, 1] = codes_beside(node_codes, slot, n, place[t, 0])
                threshold[n_splits] = threshold_at[t]
        if fields_at[t] > 0:
            apart(fields_at[t], bits, left)
            for s in range(n_stats):
                right[s] = total[s] - left[s]
        else:
            add_right(goes_right, n, bits, wide, mode, here, labels, weights, moments, squares, right)
            for s in range(n_stats):
                left[s] = total[s] - right[s]
        gained = mass(left, criterion, table) + mass(right, criterion, table) - mass(total, criterion, table)
        gained = gained * halt.gain_unit / weight_of(total, numeric)
        if not gained >= halt.min_gain:
            continue
        if len(gain) > 0:
            gain[n_splits] = gained
        owner[n_splits], column[n_splits] = of, j
        cut[n_splits], above[n_splits] = place[t, 0], place[t, 1]
        missing[n_splits], missing_branch[n_splits] = n_missing, 1 - place[t, 2]
        branch_rows[2 * n_splits], branch_rows[2 * n_splits + 1] = n_left, n - n_left
        for s in range(n_stats):
            branch_stats[2 * n_splits, s], branch_stats[2 * n_splits + 1, s] = left[s], right[s]
        left_open = may_split(left, n_left, depth + 1, numeric, halt)
        right_open = may_split(right, n - n_left, depth + 1, numeric, halt)
        if left_open or right_open:
            part(rows, start, n, goes_right, spare)
        if left_open:
            child = hashed(node_key, 0, 0, BRANCH)
            put(stack, stack_keys, waiting, start, start + n_left, depth + 1, 2 * n_splits, child)
            waiting += 1
        if right_open:
            child = hashed(node_key, 1, 0, BRANCH)
            put(stack, stack_keys, waiting, start + n_left, stop, depth + 1, 2 * n_splits + 1, child)
            waiting += 1
        n_splits += 1
    return n_splits, levels


@inlined_borrowing
def put(stack, stack_keys, at, start, stop, depth, owner, key):
    stack[at, 0], stack[at, 1], stack[at, 2], stack[at, 3] = start, stop, depth, owner
    stack_keys[at] = key


@kernel
def new_block(n_columns, n_among, n_first, n_rows):
    """Room for the codes of a small node, so that they stand side by side and in the fast caches; none where fewer
    columns are looked up below the node than there are to copy."""
    return np.empty((n_columns, min(BLOCK_ROWS, n_rows) if n_among <= 8 * n_first else 0), np.uint32)


@kernel
def room_for(levels, n, more):
    """The same levels with room for more."""
    if n + more <= levels.shape[0]:
        return levels
    wider = np.empty(2 * (n + more), np.int64)
    for i in range(n):
        wider[i] = levels[i]
    return wider
