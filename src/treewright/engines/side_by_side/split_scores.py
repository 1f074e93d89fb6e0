"""Scores of splits in two, and which of them is taken, for many visits at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.criteria.masses import xlogx
from treewright.table import ratio
from treewright.typing import Array, Floats, Ints

NEAR_RATIO = 1e-6  # apart: far more than ratios computed in two ways, which are quotients of differences of sums
Pairs = Iterable[tuple[Ints, Ints]]  # each of the statistics on the left, and on the right


def pair_scores(pairs: Pairs, criterion: str, before: Floats, least_weight: Ints | None) -> Floats:
    """The score of both sides, -inf where one weighs too little: their masses (see ``masses``), or the gain ratio, for
    which ``before`` is the entropy of the node."""
    if criterion == "squared_error":
        weights, moments = pairs
        score = _means_squared(moments[0], weights[0]) + _means_squared(moments[1], weights[1])
    else:
        lefts, rights = zip(*pairs)
        weights = sum(lefts), sum(rights)
        if criterion == "gain_ratio":
            score = _gain_ratio((lefts, rights), weights, before)
        else:
            score = _class_mass(lefts, weights[0], criterion) + _class_mass(rights, weights[1], criterion)
    return score if least_weight is None else np.where(np.minimum(*weights) >= least_weight, score, -np.inf)


def _gain_ratio(sides: Sequence[Sequence[Ints]], weights: Sequence[Ints], before: Floats) -> Floats:
    """As ``criteria.gain_ratio``, step by step."""
    whole = (weights[0] + weights[1]).astype(np.float64)
    shares = [ratio(weight.astype(np.float64), whole) for weight in weights]
    left, right = (share * entropy_of(side, weight) for share, side, weight in zip(shares, sides, weights))
    return ratio(np.maximum(before - (left + right), 0.0), entropy_of(weights, whole))


def near_best_ratios(
    pairs: Sequence[tuple[Ints, Ints]], visit: Ints, whole: Ints, mass: Floats, xlogx_table: Floats
) -> Ints:
    """The splits of every visit whose gain ratio is near its best: only these need be scored to the last digit.

    ``xlogx_table`` is x·log x of all weights. ``whole`` and ``mass`` are what the nodes of the splits weigh, and
    Σ x·log x of their classes less that of the weight.
    """
    sizes = [np.asarray(sum(side)) for side in zip(*pairs)]
    apart = xlogx_table[sizes[0]] + xlogx_table[sizes[1]]
    gained = sum(xlogx_table[count] for pair in pairs for count in pair) - apart - mass
    info = xlogx_table[whole] - apart
    score = np.divide(gained, info, out=np.zeros(len(info)), where=info > 0)
    begin = np.flatnonzero(np.concatenate([[True], visit[1:] != visit[:-1]]))
    top = np.repeat(np.maximum.reduceat(score, begin), np.diff(begin, append=len(score)))
    return np.flatnonzero(score >= top - NEAR_RATIO)


def entropy_of(counts: Sequence[Ints], weight: Array) -> Floats:
    total, found = weight.astype(np.float64), np.float64(0.0)
    for count in counts:
        share = ratio(count.astype(np.float64), total)
        found = found + share * np.log(np.where(share > 0, share, 1.0))
    return np.asarray(0.0 - found)


def _means_squared(moment: Ints, weight: Ints) -> Floats:
    return ratio(np.square(moment.astype(np.float64)), weight.astype(np.float64))


def _class_mass(counts: Sequence[Ints], weight: Ints, criterion: str) -> Floats:
    total = weight.astype(np.float64)
    if criterion == "gini":
        return ratio(np.asarray(sum(np.square(count.astype(np.float64)) for count in counts)), total)
    return np.asarray(sum(xlogx(count.astype(np.float64)) for count in counts) - xlogx(total))


def first_ahead(visit: Ints, score: Floats, slack: Floats) -> Ints:
    """Of every visit the split that is ahead of all before it by more than the slack, and of none after it by more; -1
    where none has a score. Splits come by visit and in their turn. See ``leaders``, which does the same."""
    found = np.full(len(slack), -1)
    if not len(score):
        return found
    begin = np.flatnonzero(np.concatenate([[True], visit[1:] != visit[:-1]]))
    top = np.full(len(slack), -np.inf)
    top[visit[begin]] = np.maximum.reduceat(score, begin)
    close = np.flatnonzero((score >= (top - 3 * slack)[visit]) & (score > -np.inf))
    equal = close[score[close] >= (top - slack)[visit[close]]]
    found[visit[equal[::-1]]] = equal[::-1]  # the first is written last
    near = close[(close < found[visit[close]]) & (score[close] >= score[found[visit[close]]] - slack[visit[close]])]
    for v in np.unique(visit[near]):
        leader = -1
        for place in np.flatnonzero(visit == v):
            if score[place] > (score[leader] + slack[v] if leader >= 0 else -np.inf):
                leader = int(place)
        found[v] = leader
    return found
