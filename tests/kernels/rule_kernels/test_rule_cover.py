"""Bits of exceptions and sums by failed condition: loops, twins and formulas are the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import examples
from treewright.kernels.rule_kernels.rule_cover import Cover, WholeCounts, bits_after_flips, sum_by_failure
from treewright.rules.description_length import HOPELESS, exception_bits

NONE = np.empty(0, np.int64)


@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 60), n_rules=st.integers(0, 30))
@settings(max_examples=examples(60))
def test_bits_after_flips_are_those_of_the_formula(seed, n_rows, n_rules):
    random = np.random.default_rng(seed)
    positive = int(random.integers(0, n_rows + 1))
    right = random.integers(0, positive + 1)
    covered = np.array([right + random.integers(0, n_rows - positive + 1), right], np.float64)
    left = n_rows - covered[0], positive - right
    gained, lost = np.zeros((n_rules, 2)), np.zeros((n_rules, 2))
    gained[:, 1], lost[:, 1] = random.integers(0, left[1] + 1, n_rules), random.integers(0, right + 1, n_rules)
    gained[:, 0] = gained[:, 1] + random.integers(0, left[0] - left[1] + 1, n_rules)
    lost[:, 0] = lost[:, 1] + random.integers(0, covered[0] - right + 1, n_rules)
    chosen = random.random(n_rules) < 0.5
    halves = np.maximum(np.arange(2 * n_rows + 1), 1) / 2
    whole = WholeCounts(n_rows, positive, HOPELESS, np.log2(halves))
    cover = Cover(NONE, NONE, NONE, NONE, np.empty((0, 2)), NONE, gained, lost, covered)
    found, in_numpy = np.empty(n_rules + 1), np.empty(n_rules + 1)
    bits_after_flips(cover, chosen, whole, found)
    bits_after_flips.twin(cover, chosen, whole, in_numpy)
    after = covered + np.concatenate([np.where(chosen[:, None], -lost, gained), np.zeros((1, 2))])
    expected = exception_bits(float(n_rows), float(positive), after[:, 0], after[:, 1]) - np.log2(n_rows + 1)
    assert found.tolist() == in_numpy.tolist()
    assert found == pytest.approx(expected, abs=1e-9)


@given(seed=st.integers(0, 10**6), n_rows=st.integers(0, 80), n_steps=st.integers(0, 6), wide=st.booleans())
@settings(max_examples=examples(60))
def test_sums_by_failed_condition(seed, n_rows, n_steps, wide):
    random, kind = np.random.default_rng(seed), np.uint32 if wide else np.uint8
    fails = random.random((n_steps, n_rows)) < 0.4
    failed, places = fails.sum(0).astype(kind), (fails * np.arange(n_steps)[:, None]).sum(0).astype(kind)
    weights = random.random(n_rows)
    wrong = weights * (random.random(n_rows) < 0.5)
    found, in_numpy = np.zeros((2, n_steps + 1)), np.zeros((2, n_steps + 1))
    sum_by_failure(failed, places, weights, wrong, found)
    sum_by_failure.twin(failed, places, weights, wrong, in_numpy)
    assert found.tolist() == in_numpy.tolist()
    for k, amount in enumerate((weights, wrong)):
        expected = [amount[fails[d] & (failed == 1)].sum() for d in range(n_steps)]
        assert found[k] == pytest.approx([*expected, amount[failed == 0].sum()])
