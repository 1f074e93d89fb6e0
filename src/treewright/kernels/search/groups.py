"""Branches of several levels each: levels are merged pair by pair, the pair whose merger makes the best ratio first.

Quinlan 1993, section 7.3. A *block* is a set of levels. Blocks stand in the order of their first levels; the last one
takes the place of a block that was merged into another, which decides who comes first among equals.
"""

from typing import NamedTuple

import numpy as np

import treewright.kernels.search.groups_in_numpy as groups_in_numpy
from treewright.kernels.jit import inlined, kernel
from treewright.kernels.search.count import empty
from treewright.kernels.search.ratio import (
    class_info,
    gain_of,
    info_before,
    is_narrow,
    no_test,
    rounded,
    tally_cases,
    xlog2x,
)

FEW = 0.5  # levels of no more weight share a branch of their own, the last
PURE = 0.1  # weight of other classes that a block of one class may have
LEAST = 1e-3  # ratios count where the split information is above this
WORTHLESS = -1e-3
BETTER = 1e-5  # by how much a merger must raise the ratio


class Blocks(NamedTuple):
    stats: np.ndarray  # (blocks, classes) int64
    weight: np.ndarray  # (blocks,) int64
    info: np.ndarray  # (blocks,) class_info
    joined: np.ndarray  # (blocks, blocks): class_info of two together


class PairSums(NamedTuple):
    """What all blocks come to before two of them are merged, and by how much the rounding of sums may change that."""

    weighed: np.ndarray  # (blocks,) weight·log2(weight)
    after: float  # information of the blocks
    apart: float  # sum of ``weighed``, missing cases included
    whole: float  # weight·log2(weight) of all blocks and missing cases together
    n_large: int
    gain_error: float
    info_error: float


class AtNode(NamedTuple):
    """Numbers only."""

    before: float  # information per known case
    known: float
    whole: float
    unit: float
    slack: float  # ratios this close are equal
    by_ratio: bool
    narrow: bool
    more: float  # gained beside what the blocks gain: missing values have a branch of their own


def new_blocks(n_codes: int, n_classes: int) -> Blocks:
    stats, weight = np.zeros((n_codes, n_classes), np.int64), np.zeros(n_codes, np.int64)
    return Blocks(stats, weight, np.empty(n_codes), np.empty((n_codes, n_codes)))


@kernel
def judge(n, i, j, blocks, node, min_cases):
    """Gain, split information and worth of n blocks, where i >= 0 with block j merged into block i."""
    after, total, n_large = 0.0, node.whole - node.known, 0
    apart = rounded(xlog2x(total), node.narrow)
    for v in range(n - (i >= 0)):
        at = n - 1 if i >= 0 and v == j else v
        weight, info = blocks.weight[at] * node.unit, blocks.info[at]
        if v == i:
            weight, info = weight + blocks.weight[j] * node.unit, blocks.joined[i, j]
        n_large += weight >= min_cases
        after = rounded(after + info, node.narrow)
        apart = rounded(apart + xlog2x(weight), node.narrow)
        total += weight
    info = rounded(rounded(xlog2x(total) - apart, node.narrow) / node.whole, node.narrow)
    if n_large < 2:
        return WORTHLESS, info, WORTHLESS
    gain = gain_of(node.before, after, node.known, node.whole, False, node.narrow) + node.more
    if not node.by_ratio:
        return gain, info, gain if info > 0 else WORTHLESS
    return gain, info, rounded(gain / info, node.narrow) if gain > node.slack and info > LEAST else WORTHLESS


@kernel
def infos_together(stats, i, n, unit, narrow, room, out):
    """``class_info`` of block i together with each of the first n."""
    for v in range(n):
        for k in range(room.shape[0]):
            room[k] = stats[v, k] + stats[i, k]
        out[v] = class_info(room, unit, narrow)


infos_together.in_numpy(groups_in_numpy.infos_together)


@kernel
def merge(n, i, j, blocks, group, unit, narrow, room):
    """Merge block j into block i; the last takes the place of j. ``group[code]`` is the block of a level."""
    last = n - 1
    for k in range(room.shape[0]):
        blocks.stats[i, k] += blocks.stats[j, k]
        blocks.stats[j, k] = blocks.stats[last, k]
    blocks.weight[i] += blocks.weight[j]
    blocks.info[i] = blocks.joined[i, j]
    blocks.weight[j], blocks.info[j] = blocks.weight[last], blocks.info[last]
    for v in range(last):
        if v != j:
            blocks.joined[v, j] = blocks.joined[v, last]
            blocks.joined[j, v] = blocks.joined[v, last]
    infos_together(blocks.stats, i, last, unit, narrow, room, blocks.joined[i])
    for v in range(last):
        blocks.joined[v, i] = blocks.joined[i, v]
    for code in range(1, group.shape[0]):
        if group[code] == j:
            group[code] = i
        elif group[code] == last:
            group[code] = j
    return last


merge.in_numpy(groups_in_numpy.merge)


@kernel
def fill_blocks(n_occurring, first, tally, blocks, group, unit, narrow, room):
    """A block for each level of more weight than few; the others get group -1. Returns how many blocks there are."""
    n = 0
    for code in range(group.shape[0]):
        group[code] = -1
    for at in range(first, n_occurring):
        code = tally.codes[at]
        weight = tally.stats[code].sum()
        if weight * unit > FEW:
            for k in range(room.shape[0]):
                blocks.stats[n, k] = tally.stats[code, k]
            blocks.weight[n], group[code] = weight, n
            blocks.info[n] = class_info(blocks.stats[n], unit, narrow)
            infos_together(blocks.stats, n, n, unit, narrow, room, blocks.joined[n])
            for v in range(n):
                blocks.joined[v, n] = blocks.joined[n, v]
            n += 1
    return n


fill_blocks.in_numpy(groups_in_numpy.fill_blocks)


@inlined
def is_pure(stats, weight, k, unit):
    return stats[k] * unit >= weight * unit - PURE


@kernel
def merge_pure(n, blocks, group, unit, narrow, room):
    """Merge blocks of one and the same class."""
    i = 0
    while i < n - 1:
        k = 0
        while blocks.stats[i, k] * unit < PURE:
            k += 1
        j = i + 1 if is_pure(blocks.stats[i], blocks.weight[i], k, unit) else n
        while j < n:
            if is_pure(blocks.stats[j], blocks.weight[j], k, unit):
                n = merge(n, i, j, blocks, group, unit, narrow, room)
            else:
                j += 1
        i += 1
    return n


merge_pure.in_numpy(groups_in_numpy.merge_pure)


@kernel
def count_large(n, blocks, least, unit):
    """How many blocks weigh enough for a branch, and the heaviest of all, the first of equals."""
    n_large, heaviest = 0, 0
    for v in range(n):
        n_large += blocks.weight[v] * unit >= least
        if blocks.weight[v] > blocks.weight[heaviest]:
            heaviest = v
    return n_large, heaviest


count_large.in_numpy(groups_in_numpy.count_large)


@kernel
def sums_of_pairs(n, blocks, node, weighed):
    """A sum is wrong by no more than the rounding of all its partial sums, which a merger may raise by so much as two
    blocks and the bit that tells them apart."""
    total = node.whole - node.known
    missing = xlog2x(total)
    after, apart, n_large = 0.0, missing, 0
    afters, aparts, heaviest, most_info = 0.0, abs(missing), 0.0, 0.0
    size = abs(missing)
    for v in range(n):
        weight = blocks.weight[v] * node.unit
        weighed[v] = xlog2x(weight)
        after += blocks.info[v]
        apart += weighed[v]
        size += abs(weighed[v])
        afters += after
        aparts += size
        heaviest, most_info = max(heaviest, weight), max(most_info, blocks.info[v])
        n_large += weight >= 1.0
        total += weight
    whole = xlog2x(total)
    rounding = 2.0**-23.9 if node.narrow else 2.0**-52
    afters += n * (3 * most_info + 2 * heaviest)
    aparts += n * 4 * abs(xlog2x(2 * heaviest + 1))
    gain_error = rounding * (
        afters / node.known + 4 * (abs(after) / node.known + abs(node.before) + abs(node.more) + 1)
    )
    info_error = rounding * (aparts + 4 * abs(whole)) / node.whole
    return PairSums(weighed, after, apart, whole, n_large, gain_error, info_error)


@inlined
def most_of_pair(a, b, sums, blocks, node):
    """The most that the gain and the worth of merging two blocks could be: ``judge`` needs a walk over all blocks."""
    one, other = blocks.weight[a] * node.unit, blocks.weight[b] * node.unit
    if sums.n_large - (one >= 1.0) - (other >= 1.0) + (one + other >= 1.0) < 2:
        return WORTHLESS, WORTHLESS
    after = sums.after - blocks.info[a] - blocks.info[b] + blocks.joined[a, b]
    apart = sums.apart - sums.weighed[a] - sums.weighed[b] + xlog2x(one + other)
    gain = (node.known / node.whole) * (node.before - after / node.known) + node.more + sums.gain_error
    info = (sums.whole - apart) / node.whole
    if not node.by_ratio:
        return gain, gain if info + sums.info_error > 0 else WORTHLESS
    if not (gain > node.slack and info + sums.info_error > LEAST):
        return gain, WORTHLESS
    return gain, gain / max(info - sums.info_error, LEAST) * (1 + 2.0**-22)


@kernel
def best_pair(n, n_large, barred, least_gain, blocks, node, weighed):
    """The pair whose merger is worth most, the last of equals: blocks, gain, split information, worth.

    A merger that keeps ``least_gain`` is preferred to one that does not. Where there are too few large blocks, or gain
    alone counts, a pair is found whatever it is worth.
    """
    i, j, best_gain, best_info, best = -1, -1, WORTHLESS, 0.0, 0.0
    slack = 0.0 if node.narrow else node.slack
    sums = sums_of_pairs(n, blocks, node, weighed)
    for a in range(n - 1):
        for b in range(a + 1, n):
            if a == barred or b == barred:
                continue
            forced = i < 0 and (not node.by_ratio or n_large < 2)
            most_gain, most = most_of_pair(a, b, sums, blocks, node)
            if not (most >= best - slack or (most_gain >= least_gain and best_gain < least_gain) or forced):
                continue
            gain, info, score = judge(n, a, b, blocks, node, 1.0)
            if score >= best - slack or (gain >= least_gain and best_gain < least_gain) or forced:
                i, j, best_gain, best_info, best = a, b, gain, info, score
    return i, j, best_gain, best_info, best


best_pair.in_numpy(groups_in_numpy.best_pair)


@kernel
def merge_pairs(n, gain, info, score, min_cases, blocks, group, node, room):
    """Merge the best pair while that raises the ratio; returns blocks, split information and worth in the end."""
    least_gain, weighed = rounded(gain / 2, node.narrow), np.empty(n)
    while n > 2:
        n_large, heaviest = count_large(n, blocks, min_cases, node.unit)
        barred = heaviest if n_large < 3 else -1
        i, j, gain, new_info, new = best_pair(n, n_large, barred, least_gain, blocks, node, weighed)
        if i < 0 or (node.by_ratio and n_large >= 2 and new < score + BETTER):
            break
        n, info, score = merge(n, i, j, blocks, group, node.unit, node.narrow, room), new_info, new
    return n, info, score


@kernel
def add_rest(n, group):
    """Levels of little weight share the last branch; returns how many branches there are."""
    has_rest = False
    for code in range(1, group.shape[0]):
        if group[code] < 0:
            group[code], has_rest = n, True
    return n + has_rest


@kernel
def fill_levels(n_occurring, first, tally, blocks, unit, narrow):
    """Weight and information of every level, of little weight or not; returns how many there are."""
    n = 0
    for at in range(first, n_occurring):
        stats = tally.stats[tally.codes[at]]
        blocks.weight[n], blocks.info[n] = stats.sum(), class_info(stats, unit, narrow)
        n += 1
    return n


fill_levels.in_numpy(groups_in_numpy.fill_levels)


@kernel
def score_of_levels(n_occurring, first, tally, blocks, node):
    """Gain, split information and worth of a branch per level. Blocks are used as room, so they are filled later."""
    n = fill_levels(n_occurring, first, tally, blocks, node.unit, node.narrow)
    return judge(n, -1, -1, blocks, node, 1.0)


@kernel
def search_groups(codes, cases, start, stop, totals, rules, tally, blocks, more, groups, best):
    """Branches of several levels each, at every open node: ``groups[f, code]`` is the branch of a level at node f,
    ``best.cut[f]`` how many branches there are. ``more[f]`` is what is gained beside, where missing values have a
    branch of their own; no array: nothing."""
    n_classes, unit = totals.shape[1], rules.unit
    room, known_stats = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    for f in range(start.shape[0]):
        no_test(best, f)
        occurring, stats, group = tally.codes, tally.stats, groups[f]
        n_occurring = tally_cases(
            codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, occurring
        )
        first = 1 if n_occurring and occurring[0] == 0 else 0
        for k in range(n_classes):
            known_stats[k] = totals[f, k] - (stats[0, k] if first else 0)
        whole, known, narrow = totals[f].sum() * unit, known_stats.sum() * unit, is_narrow(totals[f], rules)
        before = info_before(known_stats, unit, known, False, narrow)
        own = more[f] if more.shape[0] else 0.0
        node = AtNode(before, known, whole, unit, rules.slack, rules.by_ratio, narrow, own)
        gain, info, score = score_of_levels(n_occurring, first, tally, blocks, node)
        n_levels = fill_blocks(n_occurring, first, tally, blocks, group, unit, narrow, room)
        n = merge_pure(n_levels, blocks, group, unit, narrow, room)
        if n < n_levels:
            gain, info, score = judge(n, -1, -1, blocks, node, 1.0)
        n, info, score = merge_pairs(n, gain, info, score, rules.min_cases, blocks, group, node, room)
        gain, _, _ = judge(n, -1, -1, blocks, node, rules.min_cases - rules.tolerance)
        if score > 0 and gain > WORTHLESS:
            best.gain[f], best.info[f], best.cut[f] = gain, info, add_rest(n, group)
        empty(tally, n_occurring)
