"""Groups of values as C5.0 makes them, beside a search that compares all pairs of groups anew after every merger."""

import numpy as np
import pytest

from treewright.c50.search_buffers import group_room
from treewright.kernels.c50_kernels.c50_groups import NOTHING, grouped
from treewright.kernels.c50_kernels.c50_information import total_information
from treewright.kernels.c50_kernels.c50_partitions import all_partitions, charge_of

UNLIMITED = 1e18


def table_of(rng, n_values, n_classes, n_cases, weights):
    """Row 0 has the unknown cases, row 1 none: every value has been seen."""
    values = rng.integers(0 if weights else 2, n_values + 1, n_cases)
    values[values == 1] = 2
    labels = np.where(rng.random(n_cases) < 0.4, values % n_classes, rng.integers(0, n_classes, n_cases))
    table = np.zeros((n_values + 1, n_classes))
    np.add.at(table, (values, labels), rng.integers(1, 9, n_cases) / 4 if weights else 1.0)
    return table


def merged_pair_by_pair(table, total, base, least):
    """The groups (as tuples of values) that are left when the pair that loses least gain is merged in turn."""
    known = table[1:].sum()
    counts = [(row, (v,)) for v, row in enumerate(table) if v > 0 and row.sum() > 1e-4]
    gain = known / total * (base_of_known(table, base) - sum(total_information(row) for row, _ in counts) / known)
    stages = [(gain, [values for _, values in counts])]
    counts = alike_merged(counts)
    stages.append((gain, [values for _, values in counts]))
    while len(counts) > 2:
        sizeable = [row.sum() >= least - 1e-4 for row, _ in counts]
        best, pair = -1e-4, None
        for i, (one, _) in enumerate(counts):
            for j in range(i + 1, len(counts)):
                other = counts[j][0]
                apart = total_information(one + other) - total_information(one) - total_information(other)
                left = gain - apart / total
                if left > best + 1e-4 and not (sum(sizeable) == 2 and sizeable[i] and sizeable[j]):
                    best, pair = left, (i, j)
        if pair is None:
            break
        gain, counts = best, joined(counts, *pair)
        stages.append((gain, [values for _, values in counts]))
    return best_stage(stages, table, total, known, least)


def base_of_known(table, base):
    return base if table[0].sum() == 0 else total_information(table[1:].sum(0)) / table[1:].sum()


def joined(counts, i, j):
    one, other = counts[i], counts[j]
    return [*counts[:i], (one[0] + other[0], one[1] + other[1]), *counts[i + 1 : j], *counts[j + 1 :]]


def alike_merged(counts):
    i = 0
    while i < len(counts):
        j = i + 1
        while j < len(counts):
            shares = [row / row.sum() for row, _ in (counts[i], counts[j])]
            if np.abs(shares[0] - shares[1]).max() > 0.001:
                j += 1
            else:
                counts = joined(counts, i, j)
        i += 1
    return counts


def best_stage(stages, table, total, known, least):
    """The last stage of the greatest ratio, the ways to divide the values being paid for."""
    gain, at_first = stages[0]
    answer, ratio = at_first, gain / (total_information(weights_of(at_first, table)) / total)
    numbers = all_partitions(len(at_first))[len(at_first)]
    for place, (gain, groups) in enumerate(stages[1:]):
        if len(groups) == len(at_first):
            continue
        if place == 0 and (weights_of(groups, table)[1:] >= least - 1e-4).sum() < 2:
            continue
        charge = charge_of(numbers, len(at_first), len(groups), 1 - min(place, 1))
        information = total_information(weights_of(groups, table)) / total
        if (gain - charge / total) / information >= ratio:
            answer, ratio = groups, (gain - charge / total) / information
    return {frozenset(values) for values in answer}


def weights_of(groups, table):
    return np.array([table[0].sum(), *(table[list(values)].sum() for values in groups)])


@pytest.mark.parametrize("least", [2.0, 12.0, 30.0])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_same_groups_as_pair_by_pair(seed, weights, least):
    rng = np.random.default_rng(seed)
    n_values, n_classes = int(rng.integers(4, 16)), int(rng.integers(2, 6))
    table = table_of(rng, n_values, n_classes, int(rng.integers(20, 200)), weights)
    total, groups, found = table.sum(), np.full(n_values + 1, -1), np.zeros(5)
    base = total_information(table.sum(0)) / total
    given = table, total, base, least, UNLIMITED, False, all_partitions(n_values)
    grouped(*given, group_room(n_classes, n_values), groups, found)
    plain_groups, plain_found = np.full(n_values + 1, -1), np.zeros(5)
    grouped.plain(*given, group_room(n_classes, n_values), plain_groups, plain_found)
    assert (plain_groups.tolist(), plain_found.tolist()) == (groups.tolist(), found.tolist())
    if found[0] == NOTHING:
        assert (table[1:].sum(1) < least).all()
        return
    by_branch = {branch: frozenset(np.flatnonzero(groups == branch)) for branch in groups[2:]}
    rest = frozenset(v for v in range(2, n_values + 1) if table[v].sum() <= 1e-4)
    assert set(by_branch.values()) - {rest} == merged_pair_by_pair(table, total, base, least)
