"""C4.5's choice, against its definitions: at every node the test chosen, the statistics and the weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_roads import assert_same_tree, grown_by
from recipes_by_hand import c45_of
from routing import parts_of, sides
from strategies import Problem, examples, problems
from tables import encode_problem, matrix_of
from treewright.recipe_parts.missing import Missing
from treewright.split import EVERY_BRANCH

NEAR = 2e-6  # J48 calls numbers equal that differ by 1e-6, once for the cut and once for the column
POLICIES = [policy for policy in Missing if policy not in (Missing.DROP, Missing.ERROR)]  # those leave none missing
FOUR = st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4)
FLAVOURS = st.sampled_from(["c4.5", "c4.5-release8", "j48"])
STYLES = st.sampled_from([{}, {"binary": True}, {"subset": True}])


def grown(
    problem: Problem,
    policies="fractional",
    *,
    engine: str = "plain",
    sorted_columns: bool = False,
    n_jobs: int = 1,
    **options,
):
    return grown_by(
        engine, encode_problem(problem, sorted_columns=sorted_columns), c45_of(problem, policies, **options), n_jobs
    )


# ---------------------------------------------------------------- whatever the road


@settings(max_examples=examples(40))
@given(
    problems("classes", max_rows=40), FLAVOURS, STYLES, st.booleans(), st.booleans(), st.sampled_from([1.0, 2.0]),
    st.sampled_from(["gain_ratio", "gain"]), st.sampled_from(["values", "midpoints"]),
)  # fmt: skip
def test_both_searches_find_the_same_tests(
    problem, flavour, style, sorted_columns, mdl, min_cases, criterion, thresholds
):
    options = {"flavour": flavour, "mdl": mdl, "min_cases": min_cases, "criterion": criterion, "thresholds": thresholds}
    plain, compiled = (
        grown(problem, engine=name, sorted_columns=sorted_columns, **options, **style) for name in ("plain", "compiled")
    )
    assert_same_tree(plain, compiled)


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=40, missing=False), FLAVOURS, STYLES, st.booleans(), st.sampled_from(list(Missing)))
def test_where_nothing_is_missing_all_policies_grow_one_tree(problem, flavour, style, mdl, policy):
    shared, other = (grown(problem, p, flavour=flavour, mdl=mdl, **style) for p in (Missing.FRACTIONAL, policy))
    for name in ("parent", "column", "edges", "rows", "stats", "gain"):
        np.testing.assert_array_equal(getattr(shared, name), getattr(other, name), err_msg=name)
    known = np.ones(len(shared.branch_of), np.bool_)
    known[shared.branch_start[:-1][shared.n_branches > 0]] = False
    np.testing.assert_array_equal(shared.branch_of[known], other.branch_of[known])


@settings(max_examples=examples(20))
@given(problems("classes", max_rows=60), FOUR, STYLES)
def test_listed_columns_counted_columns_and_threads_give_one_tree(problem, policies, style):
    options = {"flavour": "c4.5", "min_cases": 1.0, **style}
    histogram_columns, sorted_columns, threads = (
        grown(problem, policies, sorted_columns=sorted_columns, n_jobs=n, **options)
        for sorted_columns, n in ((False, 1), (True, 1), (True, 3))
    )
    assert_same_tree(histogram_columns, sorted_columns)
    assert_same_tree(sorted_columns, threads)


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=20, weighted=False), st.data())
def test_a_row_of_weight_two_is_two_rows(problem, data):
    """But for the number of rows and the average gain, into which columns of many levels for the rows do not count."""
    twice = np.array(data.draw(st.lists(st.booleans(), min_size=problem.n_rows, max_size=problem.n_rows)))
    rows = np.repeat(np.arange(problem.n_rows), 1 + twice)
    whole = [c for c in problem.columns if c.kind != "nominal"]
    if not whole:
        return
    columns = [type(c)(c.kind, c.values[rows].tolist()) for c in whole]
    weighted = grown(Problem(whole, problem.y, 1.0 + twice, problem.n_classes), min_cases=1.0)
    repeated = grown(Problem(columns, problem.y[rows], None, problem.n_classes), min_cases=1.0)
    np.testing.assert_array_equal(weighted.column, repeated.column)
    np.testing.assert_array_equal(weighted.edges, repeated.edges)
    np.testing.assert_allclose(weighted.stats, repeated.stats, rtol=1e-12)  # two halves may round apart from a whole


@settings(max_examples=examples(40))
@given(problems("classes"))
def test_thresholds_are_values_and_missing_values_take_every_branch(problem):
    tree, matrix = grown(problem, min_cases=1.0), matrix_of(problem)
    for node in tree.nodes():
        if not node.is_leaf:
            assert node.split.branch_of[0] == EVERY_BRANCH
            assert set(node.split.edges) <= set(matrix[:, node.split.column])


# ---------------------------------------------------------------- the definitions


def bits(weights: np.ndarray) -> float:
    """Entropy times weight."""
    weights = weights[weights > 0]
    return float(-(weights * np.log2(weights / weights.sum())).sum())


def judged(problem: Problem, cases: np.ndarray, side: np.ndarray) -> tuple[float, float]:
    """Gain and split information of a test; cases of side -1 are in no branch."""

    def of_classes(part: np.ndarray) -> float:
        return bits(np.bincount(problem.y, part, minlength=problem.n_classes))

    parts = [np.where(side == b, cases, 0) for b in np.unique(side[side >= 0])]
    saved = of_classes(np.where(side >= 0, cases, 0)) - sum(map(of_classes, parts))
    sizes = np.array([*(part.sum() for part in parts), cases[side < 0].sum()])
    return saved / cases.sum(), bits(sizes) / cases.sum()


def stand_in(values: np.ndarray, cases: np.ndarray, *, ordered: bool) -> float:
    """The commonest value, or the least with which half of the weight is reached."""
    known = np.unique(values[(cases > 0) & ~np.isnan(values)])
    weight = np.array([cases[values == value].sum() for value in known])
    at = np.argmax(np.cumsum(weight) >= weight.sum() / 2 - 1e-12) if ordered else np.argmax(weight.round(9))
    return float(known[at])


def with_missing(values: np.ndarray, side: np.ndarray, cases: np.ndarray, policy: Missing, *, ordered: bool) -> list:
    """The sides of a test on known values, the missing ones where the policy has them; several if it may choose."""
    missing = np.isnan(values)
    if policy.leaves_out or not cases[missing].any():
        return [np.where(missing, -1, side)]
    if policy is Missing.COMMON:
        like = values == stand_in(values, cases, ordered=ordered)
        return [np.where(missing, side[like][0], side)]
    if policy is Missing.BRANCH:
        return [np.where(missing, 99, side)]
    return [np.where(missing, branch, side) for branch in np.unique(side[(cases > 0) & ~missing])]


def candidates(problem: Problem, column, cases: np.ndarray, policy: Missing, m: float, mdl: bool, binary: bool):
    """(gain, info, worth) of every admissible test of a column, worth being what the best of them has most of."""
    values, here, ordered = column.values, cases > 0, column.kind != "nominal"
    missing = np.isnan(values)
    distinct = np.unique(values[here & ~missing])
    weight = lambda side, b: cases[side == b].sum()  # noqa: E731
    found, cuts = [], []
    if ordered:
        for low, high in pairwise(distinct):
            for side in with_missing(values, (values > low).astype(int), cases, policy, ordered=True):
                two = weight(side, 0), weight(side, 1)
                least = np.clip(0.1 * sum(two) / problem.n_classes, m, max(m, 25))
                if low + 1e-5 < high and min(two) >= least - 1e-6:
                    cuts.append(judged(problem, cases, side))
        charge = np.log2(len(cuts)) / cases.sum() if cuts and mdl else 0.0
        best = max((gain for gain, _ in cuts), default=0.0)
        found += [(gain - charge, info, gain - charge) for gain, info in cuts if gain >= best - NEAR]
    elif binary:
        for level in distinct:
            for side in with_missing(values, (values != level).astype(int), cases, policy, ordered=False):
                if min(weight(side, 0), weight(side, 1)) >= m - 1e-6:
                    gain, info = judged(problem, cases, side)
                    found.append((gain, info, gain / info))
    elif len(distinct) > 1:
        for side in with_missing(values, np.nan_to_num(values).astype(int), cases, policy, ordered=False):
            if sum(weight(side, b) >= m - 1e-6 for b in np.unique(side[here]) if b >= 0) >= 2:
                gain, info = judged(problem, cases, side)
                found.append((gain, info, gain))
    either = policy is Missing.BRANCH or (policy is Missing.LEARNED and (ordered or binary))
    if either and min(cases[missing].sum(), cases[~missing].sum()) >= m - 1e-6:
        gain, info = judged(problem, cases, missing.astype(int))
        found.append((gain, info, gain / info if binary and not ordered else gain))
    return [(gain, info, worth) for gain, info, worth in found if not ordered or gain > 1e-6]


def near_best(found: list) -> list:
    """The tests that might be called the best of their column."""
    most = max((worth for *_, worth in found), default=0.0)
    return [(gain, info) for gain, info, worth in found if worth >= most - NEAR and info > 0]


@settings(max_examples=examples(100))
@given(problems("classes"), FOUR, st.booleans(), st.booleans(), st.booleans(), st.sampled_from([1.0, 2.0]))
def test_every_test_of_a_tree_is_best_at_its_node(problem, policies, sorted_columns, mdl, binary, min_cases):
    tree = grown(problem, policies, sorted_columns=sorted_columns, mdl=mdl, binary=binary, min_cases=min_cases)
    waiting = [(tree.root, np.ones(problem.n_rows) if problem.weights is None else problem.weights)]
    many = [c.kind == "nominal" and np.nanmax(c.values, initial=1) >= 0.3 * problem.n_rows for c in problem.columns]
    while waiting:
        node, cases = waiting.pop()
        assert node.stats == pytest.approx(np.bincount(problem.y, cases, minlength=problem.n_classes), abs=1e-9)
        if cases.sum() < 2 * min_cases - 1e-6 or node.stats.sum() - node.stats.max() <= 1e-6:
            assert node.is_leaf
            continue
        found = [near_best(candidates(problem, column, cases, policy, min_cases, mdl, binary))
                 for column, policy in zip(problem.columns, policies)]  # fmt: skip
        gains = [
            max(gain for gain, _ in tests) for tests, skip in zip(found, many) if tests and (not skip or all(many))
        ]
        average = np.mean(gains) if gains else np.inf
        ratios = [[g / i for g, i in tests if g >= average - 1e-3 + NEAR] for tests in found]
        if node.is_leaf:
            assert all(min(column) <= NEAR for column in ratios if column)
            continue
        own = [g / i for g, i in found[node.split.column]]
        assert min(abs(ratio - node.gain) for ratio in own) <= NEAR
        assert all(node.gain >= min(column) - NEAR for column in ratios if column)
        side = sides(problem, node.split, node.surrogates)
        in_full = policies[node.split.column] is Missing.EVERY
        waiting += zip(node.children, parts_of(side, cases, len(node.children), in_full=in_full))
