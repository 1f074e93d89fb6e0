"""CHAID's choice, against merging as one would write it down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_roads import assert_same_tree, grown_by
from oracle import Column
from recipes_by_hand import by_merging
from routing import parts_of, sides
from strategies import Problem, examples, problems
from tables import encode_problem
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from twins_chaid import merge_slowly, p_value, sums

POLICIES = [policy for policy in Missing if policy not in (Missing.DROP, Missing.ERROR)]  # those leave none missing
MERGINGS = st.builds(
    ByMerging, test=st.sampled_from(["chi2", "g"]), alpha_split=st.sampled_from([0.3, 0.9]), exhaustive=st.booleans(),
    max_branches=st.sampled_from([None, 2, 3]), min_rows=st.sampled_from([1.0, 3.0]), bonferroni=st.booleans(),
    alpha_merge=st.sampled_from([0.05, 0.5]),
)  # fmt: skip


def grown(problem: Problem, policies, merging: ByMerging, engine: str = "plain"):
    recipe = by_merging(problem, merging, policies, min_weight_split=2)
    return grown_by(engine, encode_problem(problem, sorted_columns=False), recipe)


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=60), MERGINGS)
def test_both_stores_lead_to_the_same_groups(problem, merging):
    assert_same_tree(*(grown(problem, "learned", merging, engine) for engine in ("plain", "compiled")))


@settings(max_examples=examples(20))
@given(problems("numbers", max_rows=60), st.booleans())
def test_both_stores_lead_to_the_same_groups_of_numbers(problem, exhaustive):
    merging = ByMerging(test="f", alpha_split=0.5, exhaustive=exhaustive)
    assert_same_tree(*(grown(problem, "learned", merging, engine) for engine in ("plain", "compiled")))


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=60, missing=False), MERGINGS, st.sampled_from(list(Missing)))
def test_where_nothing_is_missing_all_policies_grow_one_tree(problem, merging, policy):
    plain, other = (grown(problem, p, merging) for p in ("learned", policy))
    for name in ("parent", "column", "edges", "rows", "stats", "test"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name), err_msg=name)


# ---------------------------------------------------------------- the definitions


def groups_of(problem: Problem, column, cases, policy: Missing, merging: ByMerging):
    """p of the column by way of the slow twin: levels, groups and p before any multiplier; None: it is not split by."""
    values, ordered = column.values, column.kind != "nominal"
    missing = np.isnan(values)
    known = np.unique(values[(cases > 0) & ~missing])
    count = lambda here: np.bincount(problem.y[here], cases[here], minlength=problem.n_classes)  # noqa: E731
    table = [count(values == value) for value in known]
    resolution = count(missing)
    floating = False
    if policy is Missing.LEARNED and resolution.any():
        table, floating = [resolution, *table], ordered
    if policy is Missing.COMMON and resolution.any() and len(table):
        weight = np.array([row.sum() for row in table])
        at = np.argmax(np.cumsum(weight) >= weight.sum() / 2 - 1e-12) if ordered else np.argmax(weight)
        table[at] = table[at] + resolution
    own = policy is Missing.BRANCH and resolution.any()
    most = merging.max_branches or 10**9
    least = merging.min_rows - 1e-8
    found = []
    if len(table) > 1:
        total = float(np.sum(table))
        options = {"alpha": merging.alpha_merge, "least": min(least, np.ceil(total)), "most": most}
        groups = merge_slowly(table, merging.test, ordered=ordered, floating=floating, **options)
        if groups:
            rows = [sums(np.array(table), group) for group in groups] + ([resolution] if own else [])
            found.append(p_value(merging.test, rows))
    two = np.sum(table, axis=0) if len(table) else resolution * 0, resolution
    if own and min(two[0].sum(), resolution.sum()) >= min(least, np.ceil(sum(map(np.sum, two)))) and two[0].any():
        found.append(p_value(merging.test, list(two)))
    return min(found, default=None)


def four_of(policies):
    return st.lists(st.sampled_from(policies), min_size=4, max_size=4)


# Where cases are shared out, weights are not whole, and rounding would say which of two levels is the commonest, or
# whether a group of just as many rows as it needs is large enough.
IN_ONE_PIECE = [policy for policy in POLICIES if policy is not Missing.FRACTIONAL]
SHARED_OUT = [policy for policy in POLICIES if policy is not Missing.COMMON]
POLICIES_AND_LEAST = st.one_of(
    st.tuples(four_of(IN_ONE_PIECE), st.sampled_from([1.0, 3.0])), st.tuples(four_of(SHARED_OUT), st.just(0.01))
)


@settings(max_examples=examples(60))
@given(
    problems("classes", max_rows=40, weighted=False), POLICIES_AND_LEAST,
    st.sampled_from(["chi2", "g"]), st.sampled_from([None, 2, 3]),
)  # fmt: skip
def test_every_split_is_the_most_significant(problem, policies_and_least, test, most):
    """Without multipliers: the smallest p of all columns is that of the split, whatever the groups are called."""
    policies, min_rows = policies_and_least
    merging = ByMerging(test=test, alpha_split=0.9, max_branches=most, min_rows=min_rows, bonferroni=False)
    tree = grown(problem, policies, merging)
    waiting = [(tree.root, np.ones(problem.n_rows) if problem.weights is None else problem.weights)]
    while waiting:
        node, cases = waiting.pop()
        assert node.stats == pytest.approx(np.bincount(problem.y, cases, minlength=problem.n_classes), abs=1e-9)
        if cases.sum() < 2 - 1e-8 or (node.stats > 1e-8).sum() < 2:
            assert node.is_leaf
            continue
        if not np.array_equal(cases, np.rint(cases)):
            continue  # of pairs that are equally alike rounding says which is merged
        found = [groups_of(problem, c, cases, policy, merging) for c, policy in zip(problem.columns, policies)]
        least = min((p for p in found if p is not None), default=1.0)
        if node.is_leaf:
            assert least >= 0.9 - 1e-9
        else:
            assert node.test.p == pytest.approx(least, rel=1e-6, abs=1e-12)
            side = sides(problem, node.split, node.surrogates)
            in_full = policies[node.split.column] is Missing.EVERY
            waiting += zip(node.children, parts_of(side, cases, len(node.children), in_full=in_full))


def test_missing_values_of_their_own_are_never_merged():
    """Missing rows are just as those of level 1, and still stand apart."""
    y = np.array([0] * 8 + [1] * 8 + [0] * 8)
    values = np.array([1.0] * 8 + [2.0] * 8 + [np.nan] * 8)
    problem = Problem([Column("nominal", np.nan_to_num(values).astype(int).tolist())], y, None, 2)
    floating, apart = (grown(problem, [p], ByMerging()) for p in (Missing.LEARNED, Missing.BRANCH))
    assert floating.root.split.branch_of.tolist() == [0, 0, 1]
    assert apart.root.split.branch_of.tolist() == [2, 0, 1]
    assert apart.stats[1:].tolist() == [[8, 0], [0, 8], [8, 0]]
