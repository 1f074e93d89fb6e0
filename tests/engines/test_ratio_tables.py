"""C4.5 with policies for missing values, against the engine of C4.5 and against definitions in plain numpy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treewright.engines.fractional import FractionalEngine
from treewright.engines.ratio_tables import RatioTableEngine

from routing import parts_of, sides
from strategies import Problem, problems
from tables import encode_problem, leaf_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Limits
from treewright.recipes import c45

NEAR = 2e-6  # J48 calls numbers equal that differ by 1e-6, once for the cut and once for the column
POLICIES = [policy for policy in Missing if policy not in (Missing.DROP, Missing.ERROR)]  # those leave no gaps
FLAVOURS = st.sampled_from(["c4.5", "j48"])
STYLES = st.sampled_from([{}, {"binary": True}, {"subset": True}])


def recipe_of(flavour: str = "j48", **options):
    defaults = {"criterion": "gain_ratio", "min_cases": 2.0, "mdl": True, "thresholds": "values"}
    return c45.recipe(flavour, Limits(), **(defaults | options))


def grown(problem: Problem, policies, recipe, *, listed: bool = False, n_jobs: int = 1):
    """``policies``: one for all columns, or a list; None is the engine of C4.5 itself."""
    encoded, n = encode_problem(problem, listed=listed), len(problem.columns)
    with Workers(n_jobs) as workers:
        if policies is None:
            return grow(FractionalEngine(encoded, recipe, workers), recipe, leaf_of(problem), encoded.schema.target)
        each = (policies,) * n if isinstance(policies, Missing) else tuple(policies[:n])
        return grow(RatioTableEngine(encoded, recipe, workers, each), recipe, leaf_of(problem), encoded.schema.target)


def assert_alike(one, other, *, but: tuple[str, ...] = ()) -> None:
    for name in set(one._fields) - {"surrogates", *but}:
        mine, theirs = getattr(one, name), getattr(other, name)
        if name in ("stats", "value", "gain"):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)


# ---------------------------------------------------------------- the engine of C4.5


@settings(deadline=None)
@given(
    problems("classes", max_rows=40), FLAVOURS, STYLES, st.booleans(), st.booleans(), st.sampled_from([1.0, 2.0]),
    st.sampled_from(["gain_ratio", "gain"]), st.sampled_from(["values", "midpoints"]),
)  # fmt: skip
def test_fractional_is_what_the_engine_of_c45_does(
    problem, flavour, style, listed, mdl, min_cases, criterion, thresholds
):
    recipe = recipe_of(flavour, mdl=mdl, min_cases=min_cases, criterion=criterion, thresholds=thresholds, **style)
    plain = grown(problem, None, recipe, listed=listed)
    assert_alike(plain, grown(problem, Missing.FRACTIONAL, recipe, listed=listed))


@settings(deadline=None)
@given(problems("classes", max_rows=40, missing=False), FLAVOURS, STYLES, st.booleans(), st.sampled_from(list(Missing)))
def test_where_nothing_is_missing_all_policies_grow_one_tree(problem, flavour, style, mdl, policy):
    recipe = recipe_of(flavour, mdl=mdl, **style)
    plain, other = (grown(problem, p, recipe) for p in (None, policy))
    assert_alike(plain, other, but=("branch_of",))
    of_missing = np.zeros(len(plain.branch_of), np.bool_)
    of_missing[plain.branch_start[:-1][plain.n_branches > 0]] = True
    np.testing.assert_array_equal(plain.branch_of[~of_missing], other.branch_of[~of_missing])


@settings(deadline=None, max_examples=30)
@given(problems("classes", max_rows=60), st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4), STYLES)
def test_listed_and_tallied_columns_and_threads_give_one_tree(problem, policies, style):
    recipe = recipe_of("c4.5", min_cases=1.0, **style)
    trees = [grown(problem, policies, recipe, listed=listed, n_jobs=n) for listed, n in ((0, 1), (1, 1), (1, 3))]
    for tree in trees[1:]:
        for one, other in zip(trees[0].arrays(), tree.arrays()):
            np.testing.assert_array_equal(one, other)


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
    at = np.argmax(np.cumsum(weight) >= weight.sum() / 2 - 1e-12) if ordered else np.argmax(weight)
    return float(known[at])


def with_gaps(values: np.ndarray, side: np.ndarray, cases: np.ndarray, policy: Missing, *, ordered: bool) -> list:
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
            for side in with_gaps(values, (values > low).astype(int), cases, policy, ordered=True):
                two = weight(side, 0), weight(side, 1)
                least = np.clip(0.1 * sum(two) / problem.n_classes, m, max(m, 25))
                if low + 1e-5 < high and min(two) >= least - 1e-6:
                    cuts.append(judged(problem, cases, side))
        charge = np.log2(len(cuts)) / cases.sum() if cuts and mdl else 0.0
        best = max((gain for gain, _ in cuts), default=0.0)
        found += [(gain - charge, info, gain - charge) for gain, info in cuts if gain >= best - NEAR]
    elif binary:
        for level in distinct:
            for side in with_gaps(values, (values != level).astype(int), cases, policy, ordered=False):
                if min(weight(side, 0), weight(side, 1)) >= m - 1e-6:
                    gain, info = judged(problem, cases, side)
                    found.append((gain, info, gain / info))
    elif len(distinct) > 1:
        for side in with_gaps(values, np.nan_to_num(values).astype(int), cases, policy, ordered=False):
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


@settings(deadline=None, max_examples=150)
@given(
    problems("classes"), st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4), st.booleans(), st.booleans(),
    st.sampled_from([1.0, 2.0]),
)  # fmt: skip
def test_every_test_of_a_tree_is_best_at_its_node(problem, policies, mdl, binary, min_cases):
    tree = grown(problem, policies, recipe_of("j48", mdl=mdl, binary=binary, min_cases=min_cases))
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
