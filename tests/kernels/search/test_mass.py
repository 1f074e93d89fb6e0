"""Masses against the formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernel_cases import CLASS_CRITERIA, NUMBER_CRITERIA, slow_mass
from treewright.kernels.search.mass import ENTROPY, GINI, NO_TABLE, Criterion, branch_mass, counts_table, mass
from treewright.kernels.store_kernels.nodes import Rules

ALL = (*CLASS_CRITERIA, *NUMBER_CRITERIA)
SMALL_COUNTS = arrays(np.int64, st.integers(1, 6), elements=st.integers(0, 50))
LARGE_COUNTS = arrays(np.int64, st.integers(2, 6), elements=st.integers(0, 2**58))


def masses(stats, criterion, table, out):
    for i, one in enumerate(stats):
        out[i] = mass(one, criterion, table)


def moments(weight, ys):
    ys = np.array(ys, np.int64)
    return np.array([weight * len(ys), weight * ys.sum(), weight * (ys * ys).sum()], np.int64)


NUMBERS = st.builds(moments, st.integers(1, 9), st.lists(st.integers(0, 40), max_size=20))


def stats_for(criterion):
    return SMALL_COUNTS if criterion in CLASS_CRITERIA else NUMBERS


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("tabled", [True, False])
@given(data=st.data())
def test_mass_is_the_formula(criterion, tabled, data):
    stats = data.draw(stats_for(criterion))
    table = counts_table(int(criterion), 400) if tabled else NO_TABLE
    np.testing.assert_allclose(mass(stats, int(criterion), table), slow_mass(stats, criterion), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(stats=LARGE_COUNTS)
def test_weights_too_large_for_the_table(criterion, stats):
    found = mass(stats, int(criterion), counts_table(int(criterion), 10))
    np.testing.assert_allclose(found, slow_mass(stats, criterion), rtol=1e-9, atol=1e-6 * stats.sum())


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("n_nodes", [0, 1, 2, 300])
def test_masses_are_the_mass_of_every_row(criterion, n_nodes):
    random = np.random.default_rng(n_nodes)
    stats = random.integers(1, 9, (n_nodes, 3))
    stats[: n_nodes // 3] = 0
    out = np.empty(n_nodes)
    masses(stats, int(criterion), counts_table(int(criterion), 30), out)
    np.testing.assert_allclose(out, [slow_mass(row, criterion) for row in stats], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("criterion", ALL)
@given(data=st.data())
def test_a_split_never_loses(criterion, data):
    """The branches together have at least the mass of the node."""
    size = data.draw(st.integers(1, 5))
    pair = [data.draw(arrays(np.int64, size, elements=st.integers(0, 30))) for _ in range(2)]
    if criterion in NUMBER_CRITERIA:
        pair = [data.draw(NUMBERS.filter(lambda stats: stats[1] > 0)) for _ in range(2)]
    parts = [mass(stats, int(criterion), NO_TABLE) for stats in pair]
    whole = mass(pair[0] + pair[1], int(criterion), NO_TABLE)
    assert sum(parts) >= whole - 1e-9 * max(1.0, abs(whole))


@pytest.mark.parametrize("criterion", ALL)
@given(data=st.data(), factor=st.integers(2, 1000))
def test_mass_grows_in_proportion(criterion, data, factor):
    stats = data.draw(stats_for(criterion))
    one, many = (mass(k * stats, int(criterion), NO_TABLE) for k in (1, factor))
    np.testing.assert_allclose(many, factor * one, rtol=1e-9, atol=1e-6)


def test_poisson_without_events_has_no_mean():
    poisson = int(Criterion.POISSON)
    assert mass(np.array([3, 0, 0]), poisson, NO_TABLE) == -np.inf
    assert mass(np.array([0, 0, 0]), poisson, NO_TABLE) == 0


@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_tables(n):
    counts = np.arange(1, n + 1)
    np.testing.assert_allclose(counts_table(GINI, n), [0, *(1 / counts)])
    np.testing.assert_allclose(counts_table(ENTROPY, n), [0, *(counts * np.log(counts))])


@pytest.mark.parametrize(
    ("criterion", "stats", "weight"), [(Criterion.GINI, [3, 4], 7), (Criterion.SQUARED_ERROR, [7, 2, 5], 7)]
)
def test_branches_that_may_not_stand(criterion, stats, weight):
    stats = np.array(stats)
    expected = slow_mass(stats, criterion)
    for min_rows, min_weight, allowed in [(5, 0, True), (6, 0, False), (1, weight, True), (1, weight + 1, False)]:
        rules = Rules(int(criterion), min_rows, min_weight, -1, NO_TABLE, False)
        assert branch_mass(stats, 5, rules) == pytest.approx(expected if allowed else -np.inf)
