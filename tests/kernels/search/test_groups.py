"""Merging levels, against a plain account of it: blocks as lists of levels, every figure worked out from the start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loops import by_their_loops
from treewright.kernels import switch
from treewright.kernels.search import groups
from treewright.kernels.search.count import new_tally
from treewright.kernels.search.groups import new_blocks, search_groups
from treewright.kernels.search.ratio import BestRatio, RatioLimits
from treewright.kernels.store_kernels.cases import CaseArrays

SLACK = 1e-9
ROUNDING = 1e-14


def bits(weights) -> float:
    weights = np.asarray(weights, float)
    weights = weights[weights > 0]
    return float(-(weights * np.log2(weights / weights.sum())).sum()) if weights.size else 0.0


class Plain:
    """``counts[code]`` are the classes of a level, code 0 being missing values."""

    def __init__(self, counts: np.ndarray, min_cases: float, by_ratio: bool, more: float = 0.0) -> None:
        self.counts, self.min_cases, self.by_ratio, self.more = counts, min_cases, by_ratio, more
        self.levels = [code for code in range(1, len(counts)) if counts[code].sum() > 0.5]
        self.blocks = [[code] for code in self.levels]

    def table(self, blocks) -> np.ndarray:
        return np.array([self.counts[block].sum(0) for block in blocks]).reshape(-1, self.counts.shape[1])

    def judged(self, blocks, least: float = 1.0) -> tuple[float, float, float]:
        table, whole, known = self.table(blocks), self.counts.sum(), self.counts[1:].sum(0)
        info = bits([self.counts[0].sum(), *table.sum(1)]) / whole
        if (table.sum(1) >= least).sum() < 2:
            return -1e-3, info, -1e-3
        gain = (bits(known) - sum(map(bits, table))) / whole + self.more
        if not self.by_ratio:
            return gain, info, gain if info > 0 else -1e-3
        return gain, info, gain / info if gain > SLACK and info > 1e-3 else -1e-3

    def join(self, blocks, i: int, j: int):
        joined = [list(block) for block in blocks]
        joined[i] += joined[j]
        joined[j] = joined[-1]
        return joined[:-1]

    def join_pure(self) -> None:
        i = 0
        while i < len(self.blocks) - 1:
            classes = self.table(self.blocks)[i] >= 0.1
            j = i + 1
            while classes.sum() == 1 and j < len(self.blocks):
                others = self.table(self.blocks)[j][~classes].sum()
                self.blocks, j = (self.join(self.blocks, i, j), j) if others <= 0.1 else (self.blocks, j + 1)
            i += 1

    def best_pair(self, n_large: int, least_gain: float):
        weights, best = self.table(self.blocks).sum(1), None
        barred = int(weights.argmax()) if n_large < 3 else -1
        top_gain, top = -1e-3, 0.0
        for i in range(len(self.blocks)):
            for j in range(i + 1, len(self.blocks)):
                if barred in (i, j):
                    continue
                gain, info, worth = self.judged(self.join(self.blocks, i, j))
                forced = best is None and (not self.by_ratio or n_large < 2)
                if worth >= top - SLACK or (gain >= least_gain and top_gain < least_gain) or forced:
                    best, top_gain, top = (i, j, info, worth), gain, worth
        return best

    def search(self):
        """Blocks, gain and split information; None where there is no test."""
        if self.counts[1:].sum() == 0:
            return None
        gain, info, worth = self.judged([[code] for code in range(1, len(self.counts)) if self.counts[code].any()])
        self.join_pure()
        if len(self.blocks) < len(self.levels):
            gain, info, worth = self.judged(self.blocks)
        least_gain = gain / 2
        while len(self.blocks) > 2:
            n_large = int((self.table(self.blocks).sum(1) >= self.min_cases).sum())
            pair = self.best_pair(n_large, least_gain)
            if pair is None or (self.by_ratio and n_large >= 2 and pair[3] < worth + 1e-5):
                break
            self.blocks, info, worth = self.join(self.blocks, *pair[:2]), pair[2], pair[3]
        gain = self.judged(self.blocks, self.min_cases)[0]
        return (self.blocks, gain, info) if worth > 0 and gain > -1e-3 else None


def searched(tables, min_cases: float, by_ratio: bool, unit: float = 1.0, narrow: bool = False, more=()):
    """The kernel over a node per table, with a case for every cell that holds some weight."""
    cells = [(f, code, label, table[code, label]) for f, table in enumerate(tables)
             for code, label in np.argwhere(table > 0)]  # fmt: skip
    n_codes, n_classes = tables[0].shape
    ends = np.cumsum([np.count_nonzero(table) for table in tables])
    codes = np.array([cell[1] for cell in cells], np.uint8)
    weight = np.array([cell[3] for cell in cells], np.int64)
    cases = CaseArrays(np.arange(len(cells), dtype=np.uint32), weight, np.array([cell[2] for cell in cells], np.uint8))
    best = BestRatio(*(np.empty(len(tables), dtype) for dtype in (np.float64, np.float64, np.int64, np.int64)))
    groups, tally = np.empty((len(tables), n_codes), np.int32), new_tally(n_codes, n_classes)
    rules = RatioLimits(unit, min_cases, SLACK, 1e-9, 1e-5, True, by_ratio, narrow)
    totals = np.array([table.sum(0) for table in tables], np.int64)
    search_groups(codes, cases, np.r_[0, ends[:-1]], ends, totals, rules, tally, new_blocks(n_codes, n_classes),
                  np.array(more, float), groups, best)  # fmt: skip
    assert not tally.stats.any()
    return best, groups


tables = st.tuples(st.integers(2, 8), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 3, 7]), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
            lambda cells: np.array(cells, np.int64).reshape(shape)
        ),
        min_size=1,
        max_size=3,
    )
)


@given(tables, st.sampled_from([1.0, 2.0, 5.0]), st.booleans(), st.sampled_from([1.0, 0.25]))
def test_groups_are_those_of_the_plain_account(tables, min_cases, by_ratio, unit):
    tables = [table for table in tables if table.any()]
    if not tables:
        return
    best, groups = searched(tables, min_cases, by_ratio, unit)
    for f, table in enumerate(tables):
        plain = Plain(table * unit, min_cases, by_ratio)
        expected = plain.search()
        if expected is None:
            assert best.gain[f] == -np.inf or abs(best.gain[f]) < ROUNDING  # groups of equal shares gain nothing
            continue
        blocks, gain, info = expected
        assert (best.gain[f], best.info[f]) == pytest.approx((gain, info), abs=1e-9)
        for branch, block in enumerate(blocks):
            assert (groups[f, block] == branch).all()
        rare = sorted(set(range(1, len(table))) - {code for block in blocks for code in block})
        assert (groups[f, rare] == len(blocks)).all()
        assert best.cut[f] == len(blocks) + bool(rare)


def test_levels_of_one_class_are_merged_and_the_last_block_takes_the_free_place():
    table = np.array([[0, 0], [4, 0], [1, 3], [5, 0], [0, 4]])
    best, groups = searched([table], 2.0, True)
    assert groups[0, 1:].tolist() == [0, 1, 0, 1]
    assert best.cut[0] == 2


def test_rounded_sums_may_tell_equal_mergers_apart_but_nothing_else():
    rng = np.random.default_rng(5)
    tables = [rng.integers(0, 9, (6, 3)) for _ in range(20)]
    exact, rounded = (searched(tables, 2.0, True, narrow=narrow)[0] for narrow in (False, True))
    usable = exact.gain > -np.inf
    np.testing.assert_allclose((exact.gain / exact.info)[usable], (rounded.gain / rounded.info)[usable], rtol=1e-5)


@given(tables, st.sampled_from([1.0, 2.0]), st.booleans())
def test_a_branch_for_missing_values_adds_its_gain(tables, min_cases, by_ratio):
    """The groups are those of the plain account in which every judgement gains as much more."""
    tables = [table for table in tables if table.any()]
    if not tables:
        return
    more = [0.1 * (f + 1) for f in range(len(tables))]
    best, _ = searched(tables, min_cases, by_ratio, more=more)
    for f, table in enumerate(tables):
        plain = Plain(table * 1.0, min_cases, by_ratio, more=more[f])
        expected = plain.search()
        assert (best.gain[f] == -np.inf) if expected is None else (best.gain[f] == pytest.approx(expected[1]))


@given(tables, st.booleans(), st.booleans(), st.sampled_from([1.0, 0.25]))
def test_all_pairs_at_a_time_find_what_loops_find(tables, by_ratio, narrow, unit):
    tables = [table for table in tables if table.any()]
    if not tables:
        return
    twins = [kernel for kernel in vars(groups).values() if getattr(kernel, "__module__", "") == groups.__name__]
    twins = [kernel for kernel in twins if getattr(kernel, "twin", None)]
    assert {groups.fill_blocks, groups.best_pair, groups.merge, groups.merge_pure} <= set(twins)
    with switch.compiling("never"):
        in_numpy = searched(tables, 2.0, by_ratio, unit, narrow)
        with by_their_loops(groups, *twins):
            in_loops = searched(tables, 2.0, by_ratio, unit, narrow)
    for mine, theirs in zip((*in_numpy[0], in_numpy[1]), (*in_loops[0], in_loops[1])):
        np.testing.assert_array_equal(mine, theirs)
