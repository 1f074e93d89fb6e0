"""Merging levels, all pairs of blocks at a time: the numpy twins of ``groups.py``. Sums are added in its order."""

from functools import cache

import numpy as np

# As in groups.py.
FEW = 0.5
LEAST = 1e-3
WORTHLESS = -1e-3
PURE = 0.1


def infos_together(stats, i, n, unit, narrow, room, out):
    out[:n] = _class_infos(stats[:n] + stats[i], unit, narrow)


def merge(n, i, j, blocks, group, unit, narrow, room):
    last = n - 1
    blocks.stats[i] += blocks.stats[j]
    blocks.weight[i] += blocks.weight[j]
    blocks.info[i] = blocks.joined[i, j]
    for part in (blocks.stats, blocks.weight, blocks.info):
        part[j] = part[last]
    moved, own = blocks.joined[:last, last].copy(), blocks.joined[j, j]
    blocks.joined[:last, j] = blocks.joined[j, :last] = moved
    blocks.joined[j, j] = own
    infos_together(blocks.stats, i, last, unit, narrow, room, blocks.joined[i])
    blocks.joined[:last, i] = blocks.joined[i, :last]
    is_merged, is_last = group == j, group == last
    group[is_last] = j
    group[is_merged] = i
    return last


def count_large(n, blocks, least, unit):
    weight = blocks.weight[:n]
    return np.count_nonzero(weight * unit >= least), int(weight.argmax()) if n else 0


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


def fill_levels(n_occurring, first, tally, blocks, unit, narrow):
    stats = tally.stats[tally.codes[first:n_occurring]]
    n = len(stats)
    blocks.weight[:n], blocks.info[:n] = stats.sum(1), _class_infos(stats, unit, narrow)
    return n


def merge_pure(n, blocks, group, unit, narrow, room):
    """Who is merged into whom is worked out first, then what the blocks come to, once."""
    stats, weight = blocks.stats[:n] * unit, blocks.weight[:n] * unit
    is_pure, main = (stats >= (weight - PURE)[:, None]).tolist(), (stats >= PURE).argmax(1).tolist()
    order, head = list(range(n)), np.arange(n)
    i = 0
    while i < len(order) - 1:
        k, j = main[order[i]], i + 1
        while is_pure[order[i]][k] and j < len(order):
            if is_pure[order[j]][k]:
                head[order[j]] = order[i]
                last = order.pop()  # it takes the place of the one that is merged
                order[j : j + 1] = [last] if j < len(order) else []
            else:
                j += 1
        i += 1
    if len(order) < n:
        place = np.empty(n, np.int64)
        place[order] = np.arange(len(order))
        _put_together(place[head], len(order), blocks, group, unit, narrow)
    return len(order)


def _put_together(place, n, blocks, group, unit, narrow):
    stats = np.zeros((n, blocks.stats.shape[1]), np.int64)
    np.add.at(stats, place, blocks.stats[: len(place)])
    group[group >= 0] = place[group[group >= 0]]
    blocks.stats[:n], blocks.weight[:n] = stats, stats.sum(1)
    blocks.info[:n] = _class_infos(stats, unit, narrow)
    blocks.joined[:n, :n] = _class_infos(stats[:, None] + stats, unit, narrow)


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
    weight, missing = blocks.weight[:n] * node.unit, node.whole - node.known
    both, is_large, infos, bits = weight[first] + weight[second], weight >= 1.0, blocks.info[at], _xlog2x(weight)[at]
    infos[first, pair], bits[first, pair] = blocks.joined[first, second], _xlog2x(both)
    n_large = np.count_nonzero(is_large) - is_large[first].astype(np.int64) - is_large[second] + (both >= 1.0)
    after = _added(np.zeros(len(first)), infos, node.narrow)
    apart = _added(_xlog2x(np.full(len(first), missing)), bits, node.narrow)
    total = missing + weight.sum()  # of whole numbers of units, in any order
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
    bits = _xlog2x(stats * unit)
    inside = _added(np.zeros(stats.shape[:-1]), (bits[..., k] for k in range(stats.shape[-1])), narrow)
    return _rounded(_xlog2x(stats.sum(-1) * unit) - inside, narrow)


def _added(start, parts, narrow):
    """``start`` and all parts, one by one, as rounding goes by the order."""
    running = start.astype(np.float32) if narrow else start
    for part in parts:
        np.add(running, part, out=running, casting="same_kind")  # rounded only when it is written
    return running.astype(np.float64)


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
