"""Send the rows of nodes by their tests: the branch of every row, and what the branches hold."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel


class Branches(NamedTuple):
    """What branches hold, end to end."""

    rows: np.ndarray  # (branches,) int64
    stats: np.ndarray  # (branches, n_stats) int64
    n_missing: np.ndarray  # (nodes,) int64: rows whose tested value is missing


@kernel
def send_rows(
    codes, entries, chosen, start, stop, data, is_cut, cut, branch_start, branch_of, child_start, side, branches
):
    """Of the chosen nodes, all of which test one column. A cut has three codes: missing, up to the cut, above it."""
    labels = (1 << data.bits) - 1
    weighted, numeric = data.weight.shape[0] > 0, data.moment.shape[0] > 0
    for f in chosen:
        first, base, edge, by_cut = child_start[f], branch_start[f], cut[f], is_cut[f]
        for i in range(start[f], stop[f]):
            entry = entries[i]
            row = entry >> data.bits
            code = np.int64(codes[row])
            if code == 0:
                branches.n_missing[f] += 1
            elif by_cut:
                code = 2 if code > edge else 1
            branch = branch_of[base + code]
            side[row] = branch
            child = first + branch
            weight = data.weight[row] if weighted else np.int64(1)
            branches.rows[child] += 1
            if numeric:
                branches.stats[child, 0] += weight
                branches.stats[child, 1] += data.moment[row]
                branches.stats[child, 2] += data.square[row]
            else:
                branches.stats[child, entry & labels] += weight
