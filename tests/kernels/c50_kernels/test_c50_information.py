"""Numbers that C5.0 is known to compute."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.c50.search_buffers import group_room, number_room
from treewright.c50.training import deviation
from treewright.kernels.c50_kernels.c50_groups import grouped
from treewright.kernels.c50_kernels.c50_information import extra_errors, single, total_information
from treewright.kernels.c50_kernels.c50_numbers import (
    AT_ONCE,
    best_cut,
    best_of_cuts,
    gather,
    sum_classes,
)
from treewright.kernels.c50_kernels.c50_partitions import all_partitions, charge_of, fill_lg_partitions
from treewright.kernels.c50_kernels.c50_rough_scores import at_most_off, rough_scores
from treewright.kernels.c50_kernels.c50_two_classes import bound_gains


@pytest.mark.parametrize(
    ("weight", "errors", "extra"),
    [
        (6, 0, 1.237797), (9, 0, 1.284804), (16, 1, 1.506894), (168, 1, 1.610055), (10, 0.5, 1.367556),
        (3, 2, 0.799524), (1.5, 0.7, 0.505917), (100, 10, 2.814705),
    ],
)  # fmt: skip
def test_extra_errors(weight, errors, extra):
    assert deviation(0.25) == pytest.approx(0.479556, abs=5e-7)
    assert extra_errors(float(weight), float(errors), 0.25, deviation(0.25)) == pytest.approx(extra, abs=5e-7)


def test_extra_errors_of_another_confidence():
    assert deviation(0.05) == pytest.approx(2.7225, abs=1e-6)
    assert extra_errors(16.0, 1.0, 0.05, deviation(0.05)) == pytest.approx(3.459166, abs=1e-6)


def test_32_bits_inside_64():
    for number in (0.1, 1 / 3, 1e-30, 123456789.0):
        assert single(number) == float(np.float32(number))


def test_total_information_is_entropy_times_cases():
    assert total_information(np.array([5.0, 9.0])) == pytest.approx(14 * 0.940286, abs=1e-4)
    assert total_information(np.array([7.0, 0.0])) == 0


@pytest.mark.parametrize(("n", "k", "ways"), [(4, 2, 7), (5, 3, 25), (10, 5, 42525), (3, 3, 1)])
def test_ways_to_part_a_set(n, k, ways):
    assert charge_of(bits_of_partitions(n), n, k, 0) == pytest.approx(np.log2(ways))
    assert charge_of(all_partitions(12)[n], n, k, 0) == pytest.approx(np.log2(ways))


def bits_of_partitions(n):
    """The row is longer, and not empty."""
    row, plain = np.full((2, n + 3), 7.0)
    fill_lg_partitions(n, row)
    fill_lg_partitions.plain(n, plain)
    np.testing.assert_array_equal(row, plain)
    assert (row[n + 1 :] == 7.0).all()
    return row


def test_more_ways_than_a_float_can_hold():
    ways = bits_of_partitions(400)
    assert charge_of(ways, 400, 20, 0) == pytest.approx(380 * np.log2(20))
    assert charge_of(ways, 400, 20, 1) == pytest.approx(381 * np.log2(20))


def test_best_cut_is_the_best_of_all_cuts():
    """All cuts by their definition, without the charge: the one that leaves least information."""
    random = np.random.default_rng(0)
    for _ in range(30):
        n = int(random.integers(8, 40))
        values = random.integers(0, 12, n).astype(np.float32)
        labels = ((values > 5) ^ (random.random(n) < 0.2)).astype(np.int64)
        order, found = np.argsort(values), np.zeros(5)
        weighed = np.column_stack([np.ones(n), labels]).astype(np.float32)
        counts = np.bincount(labels, minlength=2).astype(float)
        base = total_information(counts) / n
        best_cut(values, order, weighed, np.zeros((2, 2)), base, 2.0, number_room(n, 2), found)
        if found[0] > 0:
            scores = {cut: cut_score(values, labels, cut) for cut in np.unique(values)[:-1] if allowed(values, cut)}
            assert cut_score(values, labels, found[2]) == pytest.approx(min(scores.values()))


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_rough_scores_are_as_near_as_they_say(n_classes):
    random = np.random.default_rng(n_classes)
    for whole in (3.0, 500.0, 2e6):
        sums = np.zeros((2 * n_classes, AT_ONCE))
        sums[:] = random.dirichlet(np.full(2 * n_classes, 0.3), AT_ONCE).T * whole
        sums[0, :3] = 0.0
        room, rough = number_room(1, n_classes), np.zeros(AT_ONCE, np.float32)
        room.sums[:, :AT_ONCE] = sums
        rough_scores(room.sums, room.bits, AT_ONCE, room.scratch, room.scratch_bits, rough)
        exact = [sum(total_information(side) for side in np.split(column, 2)) for column in sums.T]
        assert np.abs(rough - exact).max() <= at_most_off(whole, n_classes)


def test_best_cut_is_the_same_on_both_roads():
    """With many ties, weights that are no whole numbers, and cases without a value."""
    random = np.random.default_rng(1)
    for _ in range(200):
        n, n_classes = int(random.integers(2, 300)), int(random.integers(2, 5))
        values = np.sort(random.normal(size=n).round(1)).astype(np.float32)
        labels = np.where(random.random(n) < 0.5, values > 0, random.integers(0, n_classes, n)).astype(np.int64)
        weighed = np.column_stack([random.choice([1.0, 0.3, 1 / 3], n), labels]).astype(np.float32)
        sides = random.random((2, n_classes)) * 3
        found = np.zeros((2, 5))
        for road, out in zip((best_cut, best_cut.plain), found):
            room = number_room(n, n_classes)
            road(values, np.arange(n, dtype=np.int32), weighed, sides, 1.0, 2.0, room, out)
        assert found[0, 0] == found[1, 0]
        if found[0, 0] >= 0:
            np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_no_cut_gains_more_than_its_bound():
    """Shares from nearly alike to pure, weights from less than a case to millions."""
    random = np.random.default_rng(3)
    for whole in (0.6, 40.0, 5e3, 2e6):
        for spread in (0.05, 0.5, 20.0):
            sums = random.dirichlet([1.0, 2.0], 1).T * random.random(AT_ONCE) * random.random(AT_ONCE) ** spread
            sums = np.float32(sums * random.random((2, AT_ONCE)) * whole / 2)
            sums[0, :9], sums[1, 9:20] = 0.0, 0.0
            zero, one = (float(own.max()) * 1.3 for own in sums)
            every = np.float32(np.vstack([sums, [[zero], [one]] - np.float64(sums)]))
            room = number_room(AT_ONCE, 2)
            room.sums[:, :AT_ONCE] = every
            bound_gains(room.sums, AT_ONCE - 3, zero, one, room.greatest, room.rough)
            sides = [sum(total_information(side) for side in np.split(column, 2)) for column in every.T]
            gains, bounds = (total_information(np.array([zero, one])) - np.array(sides)), room.rough[:AT_ONCE]
            assert (gains[:-3] <= bounds[:-3] + 2.0 * at_most_off(zero + one, 2)).all()
            assert room.greatest.max() == bounds[:-3].max()


def test_two_classes_are_scored_as_any_number_is():
    """The first class of three has no cases: the same cuts are scored, and the best has the same score to the bit.

    Where classes are far apart many cuts may be the best, and where they are not few.
    """
    random = np.random.default_rng(2)
    for k in range(120):
        n = int(random.integers(4, 700))
        values = np.sort(random.normal(size=n).round(int(random.integers(0, 4)))).astype(np.float32)
        labels = np.where(random.random(n) < (0.8, 0.1, 1.0)[k % 3], values > 0, random.random(n) < 0.5).astype(
            np.int64
        )
        weights, found = random.choice([1.0, 0.3, 1 / 3], n).astype(np.float32), []
        for n_classes in (2, 3):
            room = number_room(n, n_classes)
            weighed = np.column_stack([weights, labels + n_classes - 2]).astype(np.float32)
            gather(values, np.arange(n, dtype=np.int32), weighed, room)
            sum_classes(n, room)
            found.append(best_of_cuts(n, 2.0, float(weights.astype(np.float64).sum()), room))
        assert found[0] == found[1]


def cut_score(values, labels, cut) -> float:
    sides = (labels[values <= cut], labels[values > cut])
    return sum(total_information(np.bincount(side, minlength=2).astype(float)) for side in sides)


def allowed(values, cut) -> bool:
    least = max(2.0, min(25.0, 0.05 * len(values)))
    return (values <= cut).sum() >= least and (values > cut).sum() >= least


def test_groups_of_levels_that_are_alike_are_merged():
    table = np.array([[0, 0], [0, 0], [10, 0], [20, 0], [0, 12], [0, 6]], float)
    groups, found = np.zeros(6, np.int64), np.zeros(5)
    grouped(
        table,
        48.0,
        total_information(table.sum(0)) / 48,
        2.0,
        1e18,
        False,
        all_partitions(5),
        group_room(2, 5),
        groups,
        found,
    )
    assert groups[2:].tolist() == [1, 1, 2, 2]
    assert found[2] == 2
    assert found[1] == pytest.approx(total_information(np.array([30.0, 18.0])) / 48, abs=1e-6)
