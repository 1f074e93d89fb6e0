"""p-values by drawing: against all tables there are, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from strategies import examples
from treewright.criteria.monte_carlo import N_SAMPLES, _sample_tables, monte_carlo_chi2_p


def chi2(table):
    return stats.contingency.chi2_contingency(table, correction=False).statistic


def ways(table):
    """Of how many orders of all rows a table with these margins is made."""
    rows = table.sum(1)
    return math.prod(
        math.factorial(int(n)) // math.prod(math.factorial(int(cell)) for cell in row) for n, row in zip(rows, table)
    )


def exact_p(table):
    """Every table with the same margins, weighted by the orders it is made of."""
    rows, columns = table.sum(1), table.sum(0)
    free = [range(int(min(rows[i], columns[j])) + 1) for i in range(len(rows) - 1) for j in range(len(columns) - 1)]
    found = chi2(table) - 1e-9
    total = as_large = 0
    for cells in itertools.product(*free):
        made = np.zeros(table.shape, int)
        made[:-1, :-1] = np.reshape(cells, (len(rows) - 1, len(columns) - 1))
        made[:-1, -1] = rows[:-1] - made[:-1].sum(1)
        made[-1] = columns - made.sum(0)
        if (made >= 0).all():
            total += ways(made)
            as_large += ways(made) if chi2(made) >= found else 0
    return as_large / total


def tables(shape, most):
    cells = st.lists(st.integers(0, most), min_size=math.prod(shape), max_size=math.prod(shape))
    made = cells.map(lambda values: np.reshape(values, shape))
    return made.filter(lambda table: table.any(0).all() and table.any(1).all())


@settings(max_examples=examples(30))
@given(tables((2, 2), 30))
def test_of_two_by_two_tables_p_is_what_draws_come_to(table):
    assert monte_carlo_chi2_p(table) == pytest.approx(
        (1 + N_SAMPLES * exact_p(table)) / (1 + N_SAMPLES), abs=0.51 / (1 + N_SAMPLES)
    )


@settings(max_examples=examples(10))
@given(st.sampled_from([(2, 3), (3, 2), (3, 3)]).flatmap(lambda shape: tables(shape, 4)))
def test_draws_come_close_to_counting(table):
    exact = exact_p(table)
    error = math.sqrt(exact * (1 - exact) / N_SAMPLES)
    assert abs(monte_carlo_chi2_p(table) - exact) <= 5 * error + 2 / N_SAMPLES


@given(tables((3, 4), 9))
def test_tables_that_are_drawn_have_the_margins(table):
    random_pick = _sample_tables(table.sum(1), table.sum(0), np.random.default_rng(0))
    assert (random_pick >= 0).all()
    assert (random_pick.sum(1) == table.sum(0)).all()
    assert (random_pick.sum(2) == table.sum(1)).all()


def test_the_same_counts_have_the_same_p_and_none_has_none():
    table = np.array([[20, 0, 0], [0, 20, 0], [0, 0, 20]])
    assert monte_carlo_chi2_p(table) == monte_carlo_chi2_p(table.copy()) == 1 / (1 + N_SAMPLES)
    assert monte_carlo_chi2_p(np.array([[5, 5], [5, 5]])) == 1.0
