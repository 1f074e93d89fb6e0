"""The best test of a column by gain and split information, against numpy: every cut or level is tried."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.search.count import new_tally
from treewright.kernels.search.ratio import (
    BestRatio,
    RatioLimits,
    class_info,
    search_levels,
    search_one_level,
    search_tallied_cuts,
)
from treewright.kernels.search.ratio_list import are_apart, rough_xlog2x, search_list
from treewright.kernels.store_kernels.cases import CaseArrays

UNIT = 1 / 64  # weights are multiples of this
GAP = 0.5  # neighbouring values 0.5 apart are not told apart, those 1 apart are


def bits(weights) -> float:
    weights = np.asarray(weights, float)
    weights = weights[weights > 0]
    return float(-(weights * np.log2(weights / weights.sum())).sum()) if weights.size else 0.0


class Node:
    """Cases of one node: code (0: missing), class and weight."""

    def __init__(self, cases, n_classes: int) -> None:
        self.codes, self.labels = (np.array([case[k] for case in cases], np.int64) for k in (0, 1))
        self.weights, self.n_classes = np.array([case[2] for case in cases], np.int64), n_classes

    def classes(self, here) -> np.ndarray:
        return np.bincount(self.labels[here], self.weights[here] * UNIT, minlength=self.n_classes)

    def judged(self, branches) -> tuple[float, float]:
        """Gain and split information where each known case has a branch."""
        whole, known = self.weights.sum() * UNIT, self.codes > 0
        parts = [known & (branches == b) for b in np.unique(branches[known])]
        saved = bits(self.classes(known)) - sum(bits(self.classes(part)) for part in parts)
        sizes = [self.classes(part).sum() for part in (*parts, ~known)]
        return saved / whole, bits(sizes) / whole

    def weight_of(self, here) -> float:
        return float(self.weights[here].sum() * UNIT)

    def best_cut(self, values, min_cases: float, mdl: bool):
        known = self.weight_of(self.codes > 0)
        share = 0.1 * known / self.n_classes
        least = min_cases if share <= min_cases else min(share, 25.0)
        occurring = np.unique(self.codes[self.codes > 0])
        found = []
        for low, high in pairwise(occurring):
            left = self.weight_of((self.codes > 0) & (self.codes <= low))
            if values[low] + GAP < values[high] and min(left, known - left) >= least - 1e-9:
                found.append(self.judged(self.codes > low))
        if not found:
            return None
        gain, info = max(found)
        gain -= np.log2(len(found)) / self.weight_of(self.codes >= 0) if mdl else 0.0
        return (gain, info) if gain > 1e-9 else None

    def levels(self, min_cases: float):
        sizes = np.bincount(self.codes, self.weights * UNIT)[1:]
        return self.judged(self.codes) if (sizes >= min_cases - 1e-9).sum() >= 2 else None

    def one_level(self, min_cases: float):
        known, found = self.weight_of(self.codes > 0), []
        for code in np.unique(self.codes[self.codes > 0]):
            alone = self.weight_of(self.codes == code)
            if min(alone, known - alone) >= min_cases - 1e-9:
                found.append(self.judged(self.codes != code))
        return max((gain / info, gain, info) for gain, info in found)[1:] if found else None


def rules(min_cases: float, mdl: bool = True) -> RatioLimits:
    return RatioLimits(UNIT, min_cases, 1e-9, 1e-9, GAP, mdl, True, False)


def arrays(nodes):
    """Cases of all nodes end to end, in the form of the kernels."""
    sizes = np.array([len(node.codes) for node in nodes])
    stop = np.cumsum(sizes)
    cases = CaseArrays(
        np.arange(sizes.sum(), dtype=np.uint32),
        np.concatenate([node.weights for node in nodes]),
        np.concatenate([node.labels for node in nodes]).astype(np.uint8),
    )
    totals = np.array([np.bincount(n.labels, n.weights, minlength=n.n_classes) for n in nodes]).astype(np.int64)
    return np.concatenate([node.codes for node in nodes]).astype(np.uint16), cases, stop - sizes, stop, totals


def empty_best(n: int) -> BestRatio:
    return BestRatio(*(np.empty(n, dtype) for dtype in (np.float64, np.float64, np.int64, np.int64)))


def check(best: BestRatio, f: int, expected) -> None:
    if expected is None:
        assert best.gain[f] == -np.inf
    else:
        assert best.gain[f] == pytest.approx(expected[0], abs=1e-9)


cases_of_a_node = st.integers(2, 4).flatmap(
    lambda n_classes: st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, n_classes - 1), st.sampled_from([1, 20, 64, 64, 640])),
        min_size=1,
        max_size=40,
    ).map(lambda cases: Node(cases, n_classes))
)
nodes = st.lists(cases_of_a_node, min_size=1, max_size=3).map(
    lambda nodes: [node for node in nodes if node.n_classes == nodes[0].n_classes]
)
VALUES = np.array([-np.inf, 0.0, 0.5, 1.5, 2.0, 7.0, 9.0, 9.5])


@given(nodes, st.sampled_from([1.0, 2.0, 5.0]), st.booleans())
def test_cuts_along_a_sorted_list_and_in_a_table_of_codes(nodes, min_cases, mdl):
    codes, cases, start, stop, totals = arrays(nodes)
    order = np.lexsort((codes, np.repeat(np.arange(len(nodes)), stop - start))).astype(np.uint32)
    listed, tallied = empty_best(len(nodes)), empty_best(len(nodes))
    given_rules, tally = rules(min_cases, mdl), new_tally(8, nodes[0].n_classes)
    search_list(order, codes[order], VALUES, 2, cases.weight, cases.label, start, stop, totals, given_rules, listed)
    search_tallied_cuts(codes, VALUES, cases, start, stop, totals, given_rules, tally, tallied)
    for f, node in enumerate(nodes):
        check(listed, f, node.best_cut(VALUES, min_cases, mdl))
        assert [part[f] for part in listed[:3]] == [part[f] for part in tallied[:3]]
        if listed.gain[f] > -np.inf:
            info = node.judged(node.codes > listed.cut[f])[1]
            assert (listed.info[f], VALUES[listed.above[f]] > VALUES[listed.cut[f]] + GAP) == (
                pytest.approx(info),
                True,
            )
    assert not tally.stats.any()


@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.sampled_from([0.0, 1.0, 5.0]), st.booleans())
def test_passing_over_blocks_misses_nothing(seed, n_classes, drift, narrow):
    """A table of codes looks at every cut; along a list of two classes, blocks of cases are passed over."""
    rng, n = np.random.default_rng(seed), 300
    codes = rng.integers(0, n, n)
    labels = np.minimum((rng.random(n) + drift * (codes > rng.integers(n)) * rng.random(n)).astype(int), n_classes - 1)
    weights = np.full(n, 64) if narrow else rng.choice([1, 20, 64], n)
    long = Node(np.stack([codes, labels, weights], 1), n_classes)
    codes, cases, start, stop, totals = arrays([long])
    values, order = np.arange(n, dtype=float), np.argsort(codes).astype(np.uint32)
    given_rules, listed, tallied = rules(2.0)._replace(narrow=narrow), empty_best(1), empty_best(1)
    search_list(order, codes[order], values, 1, cases.weight, cases.label, start, stop, totals, given_rules, listed)
    search_tallied_cuts(codes, values, cases, start, stop, totals, given_rules, new_tally(n, n_classes), tallied)
    assert listed == tallied


@given(nodes, st.sampled_from([1.0, 2.0, 5.0]))
def test_levels_and_one_level(nodes, min_cases):
    codes, cases, start, stop, totals = arrays(nodes)
    multiway, single = empty_best(len(nodes)), empty_best(len(nodes))
    for search, best in ((search_levels, multiway), (search_one_level, single)):
        tally = new_tally(8, nodes[0].n_classes)
        search(codes, cases, start, stop, totals, rules(min_cases), tally, best)
        assert not tally.stats.any()
    for f, node in enumerate(nodes):
        check(multiway, f, node.levels(min_cases))
        expected = node.one_level(min_cases)
        if expected is not None and expected[0] / expected[1] > 1e-6:
            assert single.gain[f] / single.info[f] == pytest.approx(expected[0] / expected[1], abs=1e-8)
        else:
            assert single.gain[f] <= 1e-6


@given(st.floats(1e-12, 1e15))
def test_rough_logarithms_are_close(x):
    assert abs(rough_xlog2x(x) - x * np.log2(x)) <= 4.4e-8 * x + 1e-15 * abs(x * np.log2(x))


def test_nothing_has_no_logarithm():
    assert rough_xlog2x(0.0) == 0


@given(st.lists(st.integers(0, 500), min_size=1, max_size=5))
def test_information_of_classes(weights):
    assert class_info(np.array(weights), UNIT, False) == pytest.approx(bits(np.array(weights) * UNIT), abs=1e-9)
    assert class_info(np.array(weights), UNIT, True) == pytest.approx(
        bits(np.array(weights) * UNIT), rel=1e-5, abs=1e-4
    )


@given(st.lists(st.integers(0, 40), min_size=2, max_size=30, unique=True).map(sorted))
def test_codes_far_apart_need_no_look_at_their_values(places):
    values = np.array([-np.inf, *places]) / 4
    within = max(int(np.searchsorted(values, v + GAP, side="right")) - i for i, v in enumerate(values[1:], 1))
    for low in range(1, len(values)):
        for high in range(low, len(values)):
            expected = values[low] + GAP < values[high]
            assert are_apart(low, high, values, GAP, within) == expected
            assert are_apart(low, high, values, GAP, len(values)) == expected
