"""Multipliers against counting: every way to put levels into groups, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from treewright.criteria.bonferroni import FLOATING, NOMINAL, ORDINAL, adjusted, multiplier


def partitions(items):
    """Every way to put the items into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for groups in partitions(rest):
        yield [[first], *groups]
        for i in range(len(groups)):
            yield [*groups[:i], [first, *groups[i]], *groups[i + 1 :]]


def is_run(group, floating):
    known = [item for item in group if not (floating and item == 0)]
    return not known or max(known) - min(known) == len(known) - 1


COUNTS = {
    NOMINAL: lambda groups: True,
    ORDINAL: lambda groups: all(is_run(group, False) for group in groups),
    FLOATING: lambda groups: all(is_run(group, True) for group in groups),
}


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("levels", range(2, 8))
def test_a_multiplier_counts_the_ways_to_merge(kind, levels):
    for groups in range(2, levels + 1):
        ways = [made for made in partitions(list(range(levels))) if len(made) == groups and COUNTS[kind](made)]
        assert multiplier(levels, groups, kind) == len(ways)


@pytest.mark.parametrize("levels", range(2, 9))
def test_exhaustive_merging_is_charged_for_the_pairs_it_compares(levels):
    stages = range(2, levels + 1)
    assert multiplier(levels, 2, NOMINAL, exhaustive=True) == sum(math.comb(k, 2) for k in stages)
    assert multiplier(levels, 2, ORDINAL, exhaustive=True) == sum(k - 1 for k in stages)


def test_many_levels_have_many_ways():
    """The alternating sum in floats would have no digit right; S(1000, 30) has 1445 digits."""
    log_p = adjusted(np.array([-5000.0]), np.array([1000]), np.array([30]), np.array([NOMINAL]))
    assert log_p[0] == pytest.approx(-5000 + 1000 * math.log(30) - math.lgamma(31), abs=1e-6)


def test_adjusted_p_values_are_no_smaller_and_at_most_one():
    levels, groups = (
        np.array(x) for x in zip(*((c, r) for c, r in itertools.product(range(2, 9), repeat=2) if r <= c))
    )
    for kind in COUNTS:
        for log_p in (-3.0, -0.01, 0.0):
            p = np.full(len(levels), log_p)
            found = adjusted(p, levels, groups, np.full(len(levels), kind))
            assert ((found >= p) & (found <= 0)).all()
