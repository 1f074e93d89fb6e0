"""Merging against a slow twin that looks at every pair at every step, and what holds of every merging."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel_cases import PLAIN
from treewright.kernels.search.group_tests import compare_all, log_p
from treewright.kernels.search.level_merging import merge, new_items
from twins_chaid import merge_slowly, moments_of, p_value, rules, sums

EXAMPLES = 15 if PLAIN else 150


def groups_of(table, ordered=False, floating=False, **options):
    """The groups the kernel makes, in the twin's form; none where it says there are no two."""
    items = new_items(*table.shape)
    items.table[:] = table
    n = merge(len(table), ordered, floating, rules(n_stats=table.shape[1], **options), items)
    heads = list(dict.fromkeys(items.group.tolist())) if n else []
    found = [tuple(np.flatnonzero(items.group == head).tolist()) for head in heads]
    assert len(found) == n
    assert all(items.alive[head] for head in heads)
    for head, group in zip(heads, found):
        np.testing.assert_allclose(items.sums[head], table[list(group)].sum(0), rtol=1e-12, atol=1e-9)
    return sorted(found)


@st.composite
def tables(draw, classes=(2, 3, 4), levels=(2, 9)):
    """Counts of levels × classes, some of the levels alike; every level occurs."""
    seed, k, c = draw(st.integers(0, 10**6)), draw(st.integers(*levels)), draw(st.sampled_from(classes))
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(c), 3)[random.integers(0, 3, k)]
    counts = random.poisson(random.choice([3, 20, 60], (k, 1)) * shares).astype(float)
    counts[counts.sum(1) == 0, 0] = 1
    return counts


@st.composite
def numbers(draw):
    seed, k = draw(st.integers(0, 10**6)), draw(st.integers(2, 8))
    random = np.random.default_rng(seed)
    return np.array([moments_of(random.normal(random.integers(0, 3), 1, random.integers(2, 20))) for _ in range(k)])


KINDS = st.sampled_from([(False, False), (True, False), (True, True)])


@settings(max_examples=EXAMPLES)
@given(table=tables(), kind=KINDS, test=st.sampled_from(["chi2", "g"]), least=st.sampled_from([0, 0, 12, 40]))
def test_classes_merge_as_slowly(table, kind, test, least):
    expected = merge_slowly(table, test, ordered=kind[0], floating=kind[1], least=least)
    assert groups_of(table, *kind, test=test, least=least) == sorted(expected)


@settings(max_examples=EXAMPLES // 3)
@given(table=tables(classes=(17, 40), levels=(3, 8)), kind=KINDS, test=st.sampled_from(["chi2", "g"]))
def test_many_classes_merge_as_slowly(table, kind, test):
    """Groups list the classes that they have."""
    sparse = np.where(np.arange(table.shape[1]) % 5 == np.arange(len(table))[:, None] % 5, table, 0)
    sparse[:, 0] += 1
    assert groups_of(sparse, *kind, test=test) == sorted(merge_slowly(sparse, test, ordered=kind[0], floating=kind[1]))


@settings(max_examples=EXAMPLES)
@given(table=numbers(), kind=KINDS)
def test_numbers_merge_as_slowly(table, kind):
    assert groups_of(table, *kind, test="f") == sorted(merge_slowly(table, "f", ordered=kind[0], floating=kind[1]))


@settings(max_examples=EXAMPLES)
@given(table=tables(levels=(4, 8)), kind=KINDS, most=st.sampled_from([2, 3, 100]))
def test_groups_are_split_again_as_slowly(table, kind, most):
    options = {"alpha": 0.2, "resplit": 0.19, "most": most}
    expected = merge_slowly(table, "chi2", ordered=kind[0], floating=kind[1], **options)
    assert groups_of(table, *kind, **options) == sorted(expected)


def test_a_group_that_comes_apart():
    """Four levels are merged step by step, but the first and the last pair of them differ."""
    table = np.array([[67.0, 33], [76, 24], [43, 57], [71, 29], [61, 39]])
    assert groups_of(table) == [(0, 1, 3, 4), (2,)]
    assert groups_of(table, resplit=0.049) == [(0, 4), (1, 3), (2,)]


@settings(max_examples=EXAMPLES)
@given(table=tables(), kind=KINDS, exhaustive=st.booleans(), resplit=st.sampled_from([0.0, 0.049]))
def test_what_holds_of_every_merging(table, kind, exhaustive, resplit):
    found = groups_of(table, *kind, exhaustive=exhaustive, resplit=0.0 if exhaustive else resplit)
    assert 2 <= len(found) <= len(table)
    assert sorted(item for group in found for item in group) == list(range(len(table)))
    if kind[0]:
        for group in found:
            known = [item for item in group if not (kind[1] and item == 0)]
            assert known == list(range(min(known, default=0), min(known, default=0) + len(known)))


@settings(max_examples=EXAMPLES)
@given(table=tables(levels=(3, 8)))
def test_the_best_stage_is_taken(table):
    """Exhaustive merging is the best of the stages that merging runs through when nothing stops it."""
    found = groups_of(table, exhaustive=True)
    stages = [groups_of(table, alpha=0.05, most=most) for most in range(2, len(table))]
    never = [[(item,) for item in range(len(table))]]
    p = [p_value("chi2", [sums(table, group) for group in groups]) for groups in [found, *stages, *never]]
    assert p[0] <= min(p[1:]) * (1 + 1e-9)


def test_small_groups_are_merged():
    """Level 0 differs from all others, but has too few rows to stand alone; so it joins what is nearest."""
    table = np.array([[5.0, 0], [50, 50], [55, 45], [10, 90]])
    assert groups_of(table) == [(0,), (1, 2), (3,)]
    assert groups_of(table, least=7) == [(0, 1, 2), (3,)]
    assert groups_of(table, least=7, share=0.01) == [(0,), (1, 2), (3,)]


def test_one_level_or_none():
    items = new_items(2, 2)
    items.table[0] = 3.0
    assert merge(0, False, False, rules(n_stats=2), items) == merge(1, False, False, rules(n_stats=2), items) == 0


def test_many_levels():
    """As many as there are codes of four in ten thousand, in no more time than a breath."""
    k = 60 if PLAIN else 2000
    random = np.random.default_rng(0)
    share = np.where(np.arange(k) % 2, 0.2, 0.6)
    yes = random.binomial(200, share)
    table = np.stack([yes, 200 - yes], axis=1).astype(float)
    found = groups_of(table)
    assert len(found) < k / 4
    items = new_items(*table.shape)
    items.table[:] = table
    merge(k, False, False, rules(n_stats=2), items)
    assert log_p(0, *compare_all(0, items.sums, items.weight, items.alive)) < -1000 * k / 2000


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("test", "classes"), [("chi2", 2), ("chi2", 3), ("g", 2), ("chi2", 5)])
def test_levels_of_like_shares_merge_as_slowly(seed, test, classes):
    """Many levels of few rows: most pairs are alike, and the order in which these are merged decides the rest."""
    random = np.random.default_rng(seed)
    table = random.integers(0, 3, (12, classes)).astype(float)
    table[table.sum(1) == 0, 0] = 1.0
    assert groups_of(table, test=test) == sorted(merge_slowly(table, test))
