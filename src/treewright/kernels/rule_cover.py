"""Which rows some of many rules cover, kept up to date as rules come and go."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel


class Cover(NamedTuple):
    """Rows of each rule and rules of each row, lying end to end, and the sums that follow from the chosen rules.

    ``weights`` has a column for all rows and one for those of the wanted class, and so have the sums: ``gained[r]`` is
    the weight rule r would add, ``lost[r]`` that of its rows which one chosen rule alone covers, ``covered`` the weight
    of all chosen rules.
    """

    rule_start: np.ndarray
    rule_rows: np.ndarray
    row_start: np.ndarray
    row_rules: np.ndarray
    weights: np.ndarray
    counts: np.ndarray  # chosen rules that each row meets
    gained: np.ndarray
    lost: np.ndarray
    covered: np.ndarray


@kernel
def flip(cover, rule, step):
    """Add (step 1) or leave out (step -1) a rule: only rows that no or one other rule covers make a difference."""
    for i in range(cover.rule_start[rule], cover.rule_start[rule + 1]):
        row = cover.rule_rows[i]
        before, after = cover.counts[row], cover.counts[row] + step
        cover.counts[row] = after
        opened = np.int64(after == 0) - np.int64(before == 0)
        alone = np.int64(after == 1) - np.int64(before == 1)
        if opened == 0 and alone == 0:
            continue
        for k in range(2):
            weight = cover.weights[row, k]
            cover.covered[k] -= opened * weight
            for j in range(cover.row_start[row], cover.row_start[row + 1]):
                cover.gained[cover.row_rules[j], k] += opened * weight
                cover.lost[cover.row_rules[j], k] += alone * weight


@flip.in_numpy
def flip_in_numpy(cover, rule, step):
    """Sums are added to row by row, as in the loop: so they are rounded alike."""
    rows = cover.rule_rows[cover.rule_start[rule] : cover.rule_start[rule + 1]]
    before = cover.counts[rows]
    after = before + step
    cover.counts[rows] = after
    opened = (after == 0).astype(np.int64) - (before == 0)
    alone = (after == 1).astype(np.int64) - (before == 1)
    moved = np.flatnonzero((opened != 0) | (alone != 0))
    rows = rows[moved]
    opened, alone = opened[moved, None] * cover.weights[rows], alone[moved, None] * cover.weights[rows]
    np.subtract.at(cover.covered[None], np.zeros(len(rows), np.int64), opened)
    first, sizes = cover.row_start[rows], cover.row_start[rows + 1] - cover.row_start[rows]
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - first, sizes)
    rules = cover.row_rules[place]
    np.add.at(cover.gained, rules, np.repeat(opened, sizes, axis=0))
    np.add.at(cover.lost, rules, np.repeat(alone, sizes, axis=0))
