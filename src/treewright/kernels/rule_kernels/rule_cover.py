"""Which rows some of many rules cover, kept up to date as rules come and go."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel


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


class WholeCounts(NamedTuple):
    """What it takes to count bits where every row weighs one. Logarithms of whole and half numbers are looked up."""

    everything: int  # rows
    positive: int  # rows of the wanted class
    hopeless: float  # bits for what was thought impossible
    log2: np.ndarray  # of k / 2, for k up to twice the rows


@inlined
def bits_of_part(rows, wrong, twice_expected, whole):
    """Bits to say which of the rows are wrong, with a code made for so many errors."""
    if rows <= 0:
        return 0.0
    twice_expected = min(twice_expected, 2 * rows)
    right, size, bits = rows - wrong, whole.log2[2 * rows], 0.0
    if (wrong > 0 and twice_expected == 0) or (right > 0 and twice_expected == 2 * rows):
        return whole.hopeless
    if wrong > 0:
        bits += wrong * (size - whole.log2[twice_expected])
    if right > 0:
        bits += right * (size - whole.log2[2 * rows - twice_expected])
    return bits


@inlined
def bits_of_exceptions(covered, right, whole):
    """See ``exception_bits`` of the rules, less what is the same for all."""
    false_positive, false_negative, uncovered = covered - right, whole.positive - right, whole.everything - covered
    twice_half = false_positive + false_negative
    if covered > uncovered:
        expected, expected_of_rest = twice_half, 2 * false_negative
    else:
        expected, expected_of_rest = 2 * false_positive, twice_half
    part = bits_of_part(covered, false_positive, expected, whole)
    return part + bits_of_part(uncovered, false_negative, expected_of_rest, whole)


@kernel
def bits_after_flips(cover, chosen, whole, out):
    """Bits of the exceptions after each rule is flipped, and last as things are."""
    covered, right = np.int64(cover.covered[0]), np.int64(cover.covered[1])
    for r in range(chosen.shape[0]):
        if chosen[r]:
            moved, moved_right = -np.int64(cover.lost[r, 0]), -np.int64(cover.lost[r, 1])
        else:
            moved, moved_right = np.int64(cover.gained[r, 0]), np.int64(cover.gained[r, 1])
        out[r] = bits_of_exceptions(covered + moved, right + moved_right, whole)
    out[chosen.shape[0]] = bits_of_exceptions(covered, right, whole)


@bits_after_flips.in_numpy
def bits_after_flips_in_numpy(cover, chosen, whole, out):
    moved = np.where(chosen[:, None], -cover.lost, cover.gained)
    after = np.concatenate([cover.covered + moved, cover.covered[None]]).astype(np.int64)
    covered, right = after.T
    wrong = np.stack([covered - right, whole.positive - right])
    rows = np.stack([covered, whole.everything - covered])
    codes_larger = np.stack([rows[0] > rows[1], rows[0] <= rows[1]])
    expected = np.minimum(np.where(codes_larger, wrong.sum(0), 2 * wrong), 2 * rows)
    size = whole.log2[2 * rows]
    parts = ((wrong, expected), (rows - wrong, 2 * rows - expected))
    of_wrong, of_right = (np.where(n > 0, n * (size - whole.log2[twice]), 0.0) for n, twice in parts)
    hopeless = np.logical_or(*((n > 0) & (twice == 0) for n, twice in parts))
    bits = np.where(rows <= 0, 0.0, np.where(hopeless, whole.hopeless, of_wrong + of_right))
    out[:] = bits[0] + bits[1]


@kernel
def sum_by_failure(failed, places, weights, wrong, sums):
    """Weight and wrong weight of the rows that fail one condition, by its place, and of those that fail none, last."""
    last = sums.shape[1] - 1
    for i in range(failed.shape[0]):
        if failed[i] <= 1:
            place = places[i] if failed[i] else last
            sums[0, place] += weights[i]
            sums[1, place] += wrong[i]


@sum_by_failure.in_numpy
def sum_by_failure_in_numpy(failed, places, weights, wrong, sums):
    """Rows are added up in their order, as in the loop: so sums are rounded alike."""
    near = np.flatnonzero(failed <= 1)
    place = np.where(failed[near] == 1, places[near], sums.shape[1] - 1)
    sums[0] += np.bincount(place, weights[near], minlength=sums.shape[1])
    sums[1] += np.bincount(place, wrong[near], minlength=sums.shape[1])
