"""Training cases classified on both roads."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.c50.c50_options import C50Settings
from treewright.c50.case_table import unknown_bits
from treewright.c50.classification import NOTHING_HIDDEN, Flattened
from treewright.c50.node import TestKind
from treewright.c50.program import run
from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels.c50_classification import classify
from treewright.kernels.c50_kernels.c50_search import NOMINAL, NUMBER, ORDERED, CaseTable
from treewright.kernels.c50_kernels.c50_usage import mark_asked

N_CASES, N_CLASSES = 600, 3
COSTS = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]])


@pytest.fixture(scope="module")
def table() -> CaseTable:
    """Two numbers and two columns of levels with unknown values, and values that are not applicable."""
    rng = np.random.default_rng(11)
    labels = rng.integers(0, N_CLASSES, N_CASES)
    numbers = rng.normal(size=(2, N_CASES)) + labels * [[0.8], [0.3]]
    levels = np.where(rng.random((2, N_CASES)) < 0.4, labels + 2, rng.integers(2, 8, (2, N_CASES)))
    values = np.vstack([numbers, levels]).astype(np.float32)
    values[rng.random(values.shape) < 0.15] = np.nan
    values[0, :20], values[2, :20] = -np.inf, 1
    return CaseTable(
        values=values,
        is_unknown=unknown_bits(values),
        kinds=np.array([NUMBER, NUMBER, NOMINAL, ORDERED]),
        n_values=np.array([0, 0, 7, 7]),
        has_unknown=np.ones(4, np.bool_),
        has_beside=np.array([True, False, True, False]),
        place=np.array([0, 1, 1, 1]),
        labels=labels,
        n_classes=N_CLASSES,
    )


@pytest.mark.parametrize("subset", [True, False])
@pytest.mark.parametrize("soft", [True, False])
def test_the_same_classes_on_both_roads(table, subset, soft):
    made = run(table, C50Settings(subset=subset, soft_thresholds=soft, confidence=0.9))
    flat, cases = Flattened(made.trials[0].root), np.random.default_rng(0).permutation(N_CASES)[:400]
    assert len(flat.place) > 20
    for costs in (np.empty((0, 0)), COSTS):
        for hidden in (NOTHING_HIDDEN, 0, 2):
            found = []
            for road in (classify, classify.plain):
                label, confidence = np.empty(len(cases), np.int64), np.empty(len(cases))
                road(flat.arrays, table.values, cases, 0, hidden, costs, label, confidence)
                found.append((label.tolist(), confidence.tolist()))
            assert found[0] == found[1]


@pytest.mark.parametrize("subset", [True, False])
@pytest.mark.parametrize("soft", [True, False])
def test_columns_asked_are_those_of_a_walk_down_the_tree(table, subset, soft):
    root = run(table, C50Settings(subset=subset, soft_thresholds=soft, confidence=0.9)).trials[0].root
    flat, cases = Flattened(root), np.arange(N_CASES)
    expected = np.array([[column in asked_of(root, table, case, 1.0) for case in cases] for column in range(4)])
    for road in (mark_asked, mark_asked.plain):
        asked = np.zeros((4, N_CASES), np.bool_)
        road(flat.arrays, table.values, cases[::-1], asked)
        np.testing.assert_array_equal(asked, expected)
    with Workers(3, small_work=0) as workers:
        shared = np.zeros((4, N_CASES), np.bool_)
        flat.mark_asked(table.values, shared, workers)
    np.testing.assert_array_equal(shared, expected)


def asked_of(node, table, case, part) -> set[int]:
    """By the rules as they are told: less than a hundredth of a case is not sent down a test of numbers."""
    if node.is_leaf:
        return set()
    value, is_number = table.values[node.column, case], node.kind is TestKind.NUMBER
    if np.isnan(value):
        shares = [branch.weight / node.weight if branch.weight > 1e-4 else 0.0 for branch in node.branches]
    elif is_number:
        left = left_of(node, float(value))
        shares = [1.0, 0.0, 0.0] if value == -np.inf else [0.0, left, 1 - left]
    else:
        shares = [float(node.groups[int(value)] == b + 1) for b in range(len(node.branches))]
    below = [(branch, part * share) for branch, share in zip(node.branches, shares)]
    followed = [asked_of(branch, table, case, own) for branch, own in below if own > 0 and own >= 0.01 * is_number]
    return set().union(*followed, set() if np.isnan(value) else {node.column})


def left_of(node, value) -> float:
    lower, middle, upper = node.bounds or (node.cut,) * 3
    return float(np.interp(value, [lower, middle, upper], [1.0, 0.5, 0.0])) if lower < value < upper else value <= lower


def test_threads_do_not_change_classes(table):
    flat, cases = Flattened(run(table, C50Settings()).trials[0].root), np.arange(N_CASES)
    alone = flat.classify(table.values, cases)
    with Workers(3, small_work=0) as workers:
        shared = flat.classify(table.values, cases, workers=workers)
    assert (alone.label == shared.label).all()
    assert (alone.confidence == shared.confidence).all()
