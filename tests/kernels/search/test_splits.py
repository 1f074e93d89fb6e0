"""Gain and split information of any splits, against their formulas in numpy; and who leads among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.search.ratio import RatioLimits
from treewright.kernels.search.splits import find_leaders, judge_splits

UNIT = 1 / 8  # weights are multiples of this


def bits(weights) -> float:
    weights = np.asarray(weights, float)
    weights = weights[weights > 0]
    return float(-(weights * np.log2(weights / weights.sum())).sum())


def judged(stats, totals, node, is_cut, *, ordered=True, among=2, narrow=False, min_cases=2.0):
    rules = RatioLimits(UNIT, min_cases, 1e-6, 1e-6, 1e-5, True, True, narrow)
    gain, info, large = np.empty(len(stats)), np.empty(len(stats)), np.empty(len(stats), np.int64)
    judge_splits(node, stats, totals, is_cut, ordered, among, rules, gain, info, large)
    return gain, info, large


CELL = st.sampled_from([0, 0, 1, 5, 8, 24, 100])
SPLITS = st.tuples(st.integers(0, 4), st.integers(2, 4), st.integers(2, 3)).flatmap(
    lambda shape: st.lists(CELL, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
        lambda cells: np.array(cells, np.int64).reshape(shape)
    )
)


@given(SPLITS, st.integers(0, 50), st.booleans(), st.booleans())
def test_gain_and_information_are_those_of_the_formulas(stats, left_out, narrow, ordered):
    """What no branch holds counts in the whole, as one more outcome and as the part about which nothing is learned."""
    n_splits, n_branches, n_classes = stats.shape
    stats[:, 0, 0] += 1  # no node is without cases
    totals = stats.sum(1)
    totals[:, 0] += left_out
    is_cut = np.arange(n_splits) % 2 == 0
    node = np.arange(n_splits)
    gain, info, large = judged(stats, totals, node, is_cut, ordered=ordered, among=n_branches, narrow=narrow)
    for c, split in enumerate(stats * UNIT):
        whole = totals[c].sum() * UNIT
        saved = bits(split.sum(0)) - sum(map(bits, split))
        assert gain[c] == pytest.approx(saved / whole, abs=2e-5 if narrow else 1e-9)
        outcomes = [*split.sum(1), left_out * UNIT]
        assert info[c] == pytest.approx(bits(outcomes) / whole, abs=2e-5 if narrow else 1e-9)
        least = np.clip(0.1 * split[:2].sum() / n_classes, 2.0, 25.0) if is_cut[c] else 2.0
        assert large[c] == (split.sum(1) >= least - 1e-6).sum()


def test_only_the_first_branches_need_cases():
    stats = np.array([[[16, 0], [0, 16], [1, 0]]])
    for among, expected in ((2, 2), (3, 2), (1, 1)):
        assert judged(stats, stats.sum(1), np.zeros(1, np.int64), np.zeros(1, np.bool_), among=among)[2] == expected


@given(
    st.lists(st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 0.6, 1.0]), max_size=5), max_size=4),
    st.sampled_from([-np.inf, 0.0]), st.sampled_from([0.0, 0.2]),
)  # fmt: skip
def test_who_leads_is_ahead_of_all_before(scores, least, slack):
    start = np.cumsum([0, *map(len, scores)])
    place = np.empty(len(scores), np.int64)
    find_leaders(start, np.array([s for own in scores for s in own]), least, np.full(len(scores), slack), place)
    for f, own in enumerate(scores):
        top, leader = least, -1
        for k, score in enumerate(own):
            if score > top + slack:
                top, leader = score, start[f] + k
        assert place[f] == leader
