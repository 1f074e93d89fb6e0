"""Criteria by name: one form for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.criteria import CRITERIA
from treewright.errors import DataError
from treewright.table import Table

Y = np.array([0.0, 1.0, 5.0, 6.0, 7.0, 2.0])
CODES = {"right": [1, 1, 2, 2, 2, 1], "wrong": [1, 2, 2, 1, 2, 2]}


def table_for(criterion, codes):
    if criterion.target == "moments":
        return Table.of_moments(codes, Y), None
    if criterion.target == "values":
        values, places = np.unique(Y, return_inverse=True)
        return Table.of(codes, places), values
    return Table.of(codes, (Y > 3).astype(int)), None


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_a_better_split_has_a_larger_score(criterion):
    (right, values), (wrong, _) = (table_for(criterion, CODES[name]) for name in ("right", "wrong"))
    assert criterion.score(right, values) > criterion.score(wrong, values)
    others = (values,) if criterion.target == "values" else ()
    better = criterion.measure(right, *others) > criterion.measure(wrong, *others)
    assert better == criterion.larger_is_better


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_a_split_into_one_branch_is_worth_nothing(criterion):
    table, values = table_for(criterion, [1, 1, 1, 1, 1, 1])
    padded = Table(np.concatenate([table.counts, np.zeros_like(table.counts)]), moments=table.moments)
    assert criterion.score(table, values) == pytest.approx(0, abs=1e-9)
    assert criterion.score(padded, values) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", [name for name, criterion in CRITERIA.items() if criterion.is_for_classes])
@given(n=arrays(np.float64, (3, 2, 3), elements=st.integers(0, 20)))
def test_branches_without_rows_do_not_matter(name, n):
    padded = np.insert(n, 1, 0.0, axis=1)
    np.testing.assert_allclose(CRITERIA[name].score(padded), CRITERIA[name].score(n), atol=1e-7)


def test_names_are_their_own():
    assert all(name == criterion.name for name, criterion in CRITERIA.items())
    assert {"gini", "entropy", "misclassification", "squared_error", "poisson"} <= set(CRITERIA)
    with pytest.raises(TypeError):
        CRITERIA["mine"] = CRITERIA["gini"]


def test_absolute_error_asks_for_the_values():
    with pytest.raises(DataError, match="needs the target values"):
        CRITERIA["absolute_error"].score([[1, 2], [3, 4]])
