"""Merging as R's and PyPI's CHAID do it: against both written down plainly, and by examples of every slip."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from strategies import examples
from treewright.compat.chaid_programs import Levels, log_p_by_r, merged_by_pypi, merged_by_r
from treewright.recipe_parts.merging import ByMerging
from twins_chaid import merge_slowly


def levels_of(table, codes=None, *, ordered=False):
    table = np.array(table, float)
    return Levels(np.arange(1, len(table) + 1) if codes is None else np.array(codes), table, ordered)


def groups_of(heads):
    return None if heads is None else [tuple(np.flatnonzero(heads == head).tolist()) for head in np.unique(heads)]


def by_pypi(table, codes=None, *, ordered=False, least=1.0, **options):
    return groups_of(merged_by_pypi(levels_of(table, codes, ordered=ordered), ByMerging(**options), least))


def by_r(table, *, ordered=False, least=1.0, **options):
    return groups_of(merged_by_r(levels_of(table, ordered=ordered), ByMerging(**options), least))


def published(table, *, ordered=False, least=1.0, **options):
    return merge_slowly(table, "chi2", ordered=ordered, least=least, **options) or None


def p_value(rows):
    table = np.array(rows)
    table = table[table.any(1)][:, table.any(0)]
    return stats.chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0


@st.composite
def problems(draw):
    """Counts that are no whole numbers, so that no two pairs are alike and none is drawn; codes perhaps from 0."""
    seed, k, classes = draw(st.integers(0, 2**32 - 1)), draw(st.integers(2, 6)), draw(st.integers(2, 4))
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, draw(st.sampled_from([20, 200])), (k, classes)) * (rng.random((k, classes)) < 0.7)
    table[~table.any(1), 0] = 3.0
    codes = np.sort(rng.choice(np.arange(k + 2), k, replace=False))
    alpha, least = draw(st.sampled_from([0.01, 0.05, 0.4])), draw(st.sampled_from([0.0, 10.0, 60.0]))
    most = draw(st.sampled_from([None, 2, 3]))
    return table, codes, draw(st.booleans()), alpha, least, most


# ---------------------------------------------------------------- PyPI


def pypi_pairs(groups, codes, ordered):
    if not ordered:
        return list(itertools.combinations(groups, 2))
    known = [group for group in groups if codes[group[0]] != 0]
    known.sort(key=lambda group: min(i for i in group if codes[i]))
    last, first = (lambda group: max(codes[i] for i in group)), (lambda group: min(codes[i] for i in group if codes[i]))
    near = [(a, b) for a, b in itertools.pairwise(known) if last(a) + 1 == first(b)]
    return near + [(group, (0,)) for group in known if codes[0] == 0 and (0,) in groups]


def pypi_slowly(table, codes, ordered, alpha, least, most):
    """Every pair anew at every step."""
    sums = lambda group: table[list(group)].sum(0)  # noqa: E731
    groups = [(i,) for i in range(len(table))]
    while pairs := pypi_pairs(groups, codes, ordered):
        chosen, top = None, None
        for pair in pairs:
            last = pair
            if len(groups) > 2 and table.sum() - sums(pair[0] + pair[1]).sum() < least:
                continue
            if (sums(pair[0] + pair[1]) > 0).sum() == 1:
                chosen = pair
                break
            p = p_value([sums(group) for group in pair])
            if top is None or p > top:
                chosen, top = pair, p
        small = min(sums(group).sum() for group in last) < least
        if (top is None or top < alpha) and len(groups) <= (most or len(groups)) and not small:
            return sorted(tuple(sorted(group)) for group in groups)
        if chosen is None:
            return None
        groups = [chosen[0] + chosen[1] if group == chosen[0] else group for group in groups if group != chosen[1]]
    return None


@settings(max_examples=examples(150))
@given(problems())
def test_the_groups_of_pypi(problem):
    table, codes, ordered, alpha, least, most = problem
    found = by_pypi(table, codes, ordered=ordered, least=least, alpha_merge=alpha, max_branches=most)
    assert (None if found is None else sorted(found)) == pypi_slowly(table, codes, ordered, alpha, least, most)


def test_a_pair_of_one_class_does_not_make_pypi_merge():
    """Levels 1 and 2 have one class only. Level 0 differs from both, so that the largest p before them is small."""
    table = [[0, 50], [50, 0], [40, 0]]
    assert published(table) == [(0,), (1, 2)]
    assert by_pypi(table) == [(0,), (1,), (2,)]


def test_pypi_asks_the_last_pair_for_its_size():
    """Level 0 is too small, and is not in the last pair."""
    table = [[5, 0], [0, 50], [30, 30]]
    assert published(table, least=10) == [(0, 2), (1,)]
    assert by_pypi(table, least=10) == [(0,), (1,), (2,)]


def test_pypi_does_not_join_ordered_levels_across_a_gap():
    table = [[20, 20], [21, 20], [5, 60]]
    assert by_pypi(table, [1, 2, 3], ordered=True) == [(0, 1), (2,)]
    assert by_pypi(table, [1, 3, 4], ordered=True) == [(0,), (1,), (2,)]
    assert by_pypi(table[:2], [1, 3], ordered=True) is None


def test_missing_values_float_in_pypi():
    assert by_pypi([[50, 5], [5, 50], [6, 50], [50, 6]], [0, 1, 2, 3], ordered=True) == [(1, 2), (0, 3)]


def test_pypi_drops_columns_that_do_not_differ():
    assert by_pypi([[20, 20], [21, 20]]) is None
    assert by_pypi([[20, 20]]) is None


# ---------------------------------------------------------------- R


def r_slowly(table, ordered, alpha, least, most):
    """The matrix as a list of rows, from which the wrong one is taken."""
    groups = [[i] for i in range(len(table))]
    known = [[None] * len(groups) for _ in groups]
    while len(groups) > 2:
        for a, b in itertools.combinations(range(len(groups)), 2):
            if known[a][b] is None and (b == a + 1 or not ordered):
                known[a][b] = p_value([table[groups[a]].sum(0), table[groups[b]].sum(0)])
        places = [(b, a) for b in range(len(groups)) for a in range(b) if known[a][b] is not None]
        top = max(known[a][b] for b, a in places)
        b, a = next((b, a) for b, a in places if known[a][b] >= top * (1 - 1e-9))
        small = min(table[group].sum() for group in groups) < least
        if top <= alpha and len(groups) <= (most or len(groups)) and not small:
            break
        groups[a] += groups.pop(b)
        known = [[None if {i, j} & {a, b} else p for j, p in enumerate(row)] for i, row in enumerate(known)]
        del known[a]
        for row in known:
            del row[b]
    weights = [table[group].sum() for group in groups]
    usable = sum(weight > 0 for weight in weights) > 1 and min(weights) >= least
    return sorted(tuple(sorted(group)) for group in groups) if usable else None


@settings(max_examples=examples(150))
@given(problems(), st.booleans())
def test_the_groups_of_r(problem, absent):
    table, _, ordered, alpha, least, most = problem
    if absent and not ordered:
        table[-1] = 0
    found = by_r(table, ordered=ordered, least=least, alpha_merge=alpha, max_branches=most)
    assert (None if found is None else sorted(found)) == r_slowly(table, ordered, alpha, least, most)


@given(problems())
def test_neighbours_are_merged_as_published(problem):
    table, _, _, alpha, _, most = problem
    options = {"ordered": True, "least": 0.0}
    expected = published(table, **options, alpha=alpha, most=most or 10**9)
    assert by_r(table, **options, alpha_merge=alpha, max_branches=most) == expected


def test_r_mixes_up_pairs():
    """0 and 2 are merged. Then 1 and 3 are next, but their p is thought to be that of the new group and 3 as well."""
    table = [[70, 90], [110, 90], [80, 100], [50, 30]]
    assert published(table) == [(0, 2), (1, 3)]
    assert by_r(table) == [(0, 2, 3), (1,)]


def test_levels_that_do_not_occur_are_merged_first():
    assert by_r([[70, 30], [0, 0], [30, 70]]) == [(0, 1), (2,)]
    assert by_r([[70, 30], [0, 0]]) is None
    assert by_r([[0, 0], [70, 30], [0, 0]]) is None


def test_groups_that_r_splits_again_stay_apart():
    """As published the part that was split off joins the other group, from which it does not differ."""
    table = np.array([[70, 90], [110, 90], [80, 100], [50, 30]])
    again = {"alpha_merge": 0.05, "alpha_resplit": 0.04}
    assert by_r(table, **again) == [(0, 2), (1,), (3,)]
    with_empty_levels = np.insert(table, 1, 0, axis=0)
    assert by_r(with_empty_levels, **again) == [(0, 1, 3), (2,), (4,)]


@pytest.mark.parametrize(
    ("table", "is_random"),
    [
        ([[50, 49], [1, 0]], False),  # a hundred rows
        ([[49, 49], [1, 0]], True),
        ([[20, 20], [20, 30]], False),  # all cells are large
        ([[20, 20, 0], [20, 30, 0]], True),  # one of a class that is not here is small
        ([[20.5, 9.25], [20.25, 30.5]], False),  # no whole numbers
    ],
)
def test_which_p_values_r_draws(table, is_random):
    table = np.array(table, float)
    assert (np.exp(log_p_by_r(table)) != pytest.approx(p_value(table), rel=1e-9)) == is_random


def test_tables_of_one_group_or_one_class():
    assert log_p_by_r(np.array([[5.0, 3.0], [0.0, 0.0]])) == 0
    assert log_p_by_r(np.array([[5.0, 0.0], [3.0, 0.0]])) == 0
    assert log_p_by_r(np.zeros((2, 2))) == 0
