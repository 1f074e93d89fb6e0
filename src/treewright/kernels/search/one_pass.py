"""Hot loops of a round: the best split of a column at all open nodes, in one pass over its rows.

Rows come in the order of their codes, each at the node it has come to, so every node sees its own rows in order (Mehta,
Agrawal and Rissanen 1996 grow trees so). Nothing is sorted or copied, and of every node only the left side is kept.
These are what the plain pair finds from cells, ties included; see ``engines/choices/one_pass_search.py``.
"""

import numpy as np

from treewright.kernels.jit import hot_loop, stepwise
from treewright.kernels.search.mass import ENTROPY, SQUARED_ERROR

# Of a node: the code before (0: none yet, negative: the node is left out), the rows on the left, all rows, and from
# LEFT on what is on the left and what is on both sides. One line of the cache has what a row needs.
BEFORE, SEEN, ROWS, LEFT = 0, 1, 2, 3
SCORE, SLACK = 0, 1
CUT, ABOVE, MISSING_LEFT = 0, 1, 2


@hot_loop(0.5)
@stepwise
def cuts_of_classes(order, code, row_at, nodes, scores, cuts, table, is_entropy, min_rows, missing_left):
    """Try the cuts of one column from the lowest on, and keep those that score more than what was found before.

    ``row_at`` has the node of every row, negative where it has none, and its class.
    """
    n_classes = (nodes.shape[1] - LEFT) // 2
    for i in range(order.shape[0]):
        v, label, c = row_at[order[i], 0], row_at[order[i], 1], code[i]
        if v < 0 or c == 0 or nodes[v, BEFORE] < 0:
            continue
        if nodes[v, BEFORE] != c:
            n_low, n_high = nodes[v, SEEN], nodes[v, ROWS] - nodes[v, SEEN]
            if nodes[v, BEFORE] > 0 and n_low >= min_rows and n_high >= min_rows:
                low, high = 0.0, 0.0
                for k in range(LEFT, LEFT + n_classes):
                    a, b = nodes[v, k], nodes[v, k + n_classes] - nodes[v, k]
                    if is_entropy:
                        low += table[a]
                        high += table[b]
                    else:
                        low += np.float64(a) * np.float64(a)
                        high += np.float64(b) * np.float64(b)
                if is_entropy:
                    found = low - table[n_low] + (high - table[n_high])
                else:
                    found = low / np.float64(n_low) + high / np.float64(n_high)
                if found > scores[v, SCORE] + scores[v, SLACK]:
                    scores[v, SCORE] = found
                    cuts[v, CUT], cuts[v, ABOVE], cuts[v, MISSING_LEFT] = nodes[v, BEFORE], c, missing_left
            nodes[v, BEFORE] = c
        nodes[v, LEFT + label] += 1
        nodes[v, SEEN] += 1


@hot_loop(0.4)
@stepwise
def cuts_of_numbers(order, code, row_at, nodes, scores, cuts, min_rows, missing_left):
    """The same by squared error: the squared sum of each side by its rows. ``row_at`` has nodes and moments."""
    for i in range(order.shape[0]):
        v, moment, c = row_at[order[i], 0], row_at[order[i], 1], code[i]
        if v < 0 or c == 0 or nodes[v, BEFORE] < 0:
            continue
        if nodes[v, BEFORE] != c:
            n_low, n_high = nodes[v, SEEN], nodes[v, ROWS] - nodes[v, SEEN]
            if nodes[v, BEFORE] > 0 and n_low >= min_rows and n_high >= min_rows:
                low, high = np.float64(nodes[v, LEFT]), np.float64(nodes[v, LEFT + 1] - nodes[v, LEFT])
                found = low * low / np.float64(n_low) + high * high / np.float64(n_high)
                if found > scores[v, SCORE] + scores[v, SLACK]:
                    scores[v, SCORE] = found
                    cuts[v, CUT], cuts[v, ABOVE], cuts[v, MISSING_LEFT] = nodes[v, BEFORE], c, missing_left
            nodes[v, BEFORE] = c
        nodes[v, LEFT] += moment
        nodes[v, SEEN] += 1


@hot_loop(0.6)
@stepwise
def sets_of_levels(
    by_node, start, code, moment, table, criterion, min_rows, slack, count, sums, means, levels, score, branch_of
):
    """Two sets of the levels of one column at every node: cuts of their order by mean, the first of equals. Of two
    classes the moment of a row is 1 if it is of the second."""
    for v in range(start.shape[0] - 1):
        n_levels, rows, whole = 0, start[v + 1] - start[v], np.int64(0)
        for i in range(start[v], start[v + 1]):
            row = by_node[i]
            c = code[row]
            if count[c] == 0:
                levels[n_levels] = c
                n_levels += 1
            count[c] += 1
            sums[c] += moment[row]
            whole += moment[row]
        for i in range(n_levels):  # into its place among those before; of equal means the lower code comes first
            c, at = levels[i], i
            mean = np.float64(sums[c]) / np.float64(count[c])
            while at > 0 and (means[at - 1] > mean or (means[at - 1] == mean and levels[at - 1] > c)):
                means[at], levels[at] = means[at - 1], levels[at - 1]
                at -= 1
            means[at], levels[at] = mean, c
        n, s, best = 0, np.int64(0), -1
        for i in range(n_levels - 1):
            c = levels[i]
            n, s = n + count[c], s + sums[c]
            if n < min_rows or rows - n < min_rows:
                continue
            high, t = rows - n, whole - s
            if criterion == ENTROPY:
                found = table[n - s] + table[s] - table[n] + (table[high - t] + table[t] - table[high])
            else:
                a, b = np.float64(s), np.float64(t)
                low_squares, high_squares = a * a, b * b
                if criterion != SQUARED_ERROR:
                    a, b = np.float64(n - s), np.float64(high - t)
                    low_squares, high_squares = a * a + low_squares, b * b + high_squares
                found = low_squares / np.float64(n) + high_squares / np.float64(high)
            if found > score[v] + slack[v]:
                score[v], best = found, i
        for i in range(n_levels):
            c = levels[i]
            if best >= 0:
                branch_of[v, c] = 1 if i > best else 0
            count[c], sums[c] = 0, 0
