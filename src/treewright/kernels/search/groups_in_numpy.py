"""Merging levels, all pairs of blocks at a time: the numpy twins of ``groups.py``. Sums are added in its order."""

from functools import cache

import numpy as np

# As in groups.py.
FEW = 0.5
LEAST = 1e-3
WORTHLESS = -1e-3


def infos_together(stats, i, n, unit, narrow, room, out):
    out[:n] = _class_infos(stats[:n] + stats[i], unit, narrow)


def fill_blocks(n_occurring, first, tally, blocks, group, unit, narrow, room):
    codes = tally.codes[first:n_occurring]
    codes = codes[tally.stats[codes].sum(1) * unit > FEW]
    n, stats = len(codes), tally.stats[codes]
    group[:] = -1
    group[codes] = np.arange(n)
    blocks.stats[:n], blocks.weight[:n] = stats, stats.sum(1)
    blocks.info[:n] = _class_infos(stats, unit, narrow)
    blocks.joined[:n, :n] = _class_infos(stats[:, None] + stats, unit, narrow)
    return n


def best_pair(n, n_large, barred, least_gain, blocks, node, room):
    first, second = _pairs(n)
    allowed = (first != barred) & (second != barred)
    first, second = first[allowed], second[allowed]
    gain, info, score = _judged(n, first, second, blocks, node)
    slack = 0.0 if node.narrow else node.slack
    found, best_gain, best = -1, WORTHLESS, 0.0
    for p, (its_gain, its_score) in enumerate(zip(gain.tolist(), score.tolist())):
        forced = found < 0 and (not node.by_ratio or n_large < 2)
        if its_score >= best - slack or (its_gain >= least_gain and best_gain < least_gain) or forced:
            found, best_gain, best = p, its_gain, its_score
    if found < 0:
        return -1, -1, WORTHLESS, 0.0, 0.0
    return int(first[found]), int(second[found]), best_gain, float(info[found]), best


@cache
def _pairs(n):
    return np.triu_indices(n, 1)


def _judged(n, first, second, blocks, node):
    """``judge`` of every pair: gain, split information and worth once the two are one."""
    pair, at = np.arange(len(first)), np.repeat(np.arange(n - 1)[:, None], len(first), axis=1)
    at[second[second < n - 1], pair[second < n - 1]] = n - 1  # the last takes the place of the one that is merged
    weight, infos = blocks.weight[at] * node.unit, blocks.info[at]
    weight[first, pair] += blocks.weight[second] * node.unit
    infos[first, pair] = blocks.joined[first, second]
    n_large = np.count_nonzero(weight >= 1.0, axis=0)
    after, apart = np.zeros(len(first)), _rounded(_xlog2x(np.full(len(first), node.whole - node.known)), node.narrow)
    total, bits = np.full(len(first), node.whole - node.known), _xlog2x(weight)
    for v in range(n - 1):  # one by one, as rounding goes by the order
        after = _rounded(after + infos[v], node.narrow)
        apart = _rounded(apart + bits[v], node.narrow)
        total += weight[v]
    info = _rounded(_rounded(_xlog2x(total) - apart, node.narrow) / node.whole, node.narrow)
    gain = _gain(after, node) + node.more
    if node.by_ratio:
        ratio = _rounded(np.divide(gain, info, out=np.zeros(len(gain)), where=info > LEAST), node.narrow)
        score = np.where((gain > node.slack) & (info > LEAST), ratio, WORTHLESS)
    else:
        score = np.where(info > 0, gain, WORTHLESS)
    few = n_large < 2
    return np.where(few, WORTHLESS, gain), info, np.where(few, WORTHLESS, score)


def _class_infos(stats, unit, narrow):
    """``class_info`` along the last axis."""
    bits, inside = _xlog2x(stats * unit), np.zeros(stats.shape[:-1])
    for k in range(stats.shape[-1]):
        inside = _rounded(inside + bits[..., k], narrow)
    return _rounded(_xlog2x(stats.sum(-1) * unit) - inside, narrow)


def _gain(after, node):
    """``gain_of`` of tests on levels."""
    if node.known <= 0:
        return np.zeros(len(after))
    missing = _rounded(np.float64((node.whole - node.known) / node.whole), node.narrow)
    saved = _rounded(node.before - _rounded(after / node.known, node.narrow), node.narrow)
    return _rounded(_rounded(1 - missing, node.narrow) * saved, node.narrow)


def _xlog2x(x):
    return x * np.log2(np.where(x > 0, x, 1.0))


def _rounded(x, narrow):
    return x.astype(np.float32).astype(np.float64) if narrow else x
