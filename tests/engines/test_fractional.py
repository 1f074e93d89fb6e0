"""The engine of C4.5 against its definitions: at every node the test chosen, the statistics and the weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treewright.engines.fractional import FractionalEngine

from strategies import Problem, problems
from tables import encode_problem, leaf_of, matrix_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe.recipe import Limits
from treewright.recipes import c45
from treewright.split import EVERY_BRANCH

NEAR = 2e-6  # J48 calls numbers equal that differ by 1e-6, once for the cut and once for the column


def recipe_of(flavour: str = "j48", **options):
    defaults = {"criterion": "gain_ratio", "min_cases": 2.0, "mdl": True, "binary": False, "thresholds": "values"}
    return c45.recipe(flavour, Limits(), **(defaults | options))


def grow_tree(problem: Problem, *, listed: bool = False, n_jobs: int = 1, **options):
    recipe, encoded = recipe_of(**options), encode_problem(problem, listed=listed)
    with Workers(n_jobs) as workers:
        return grow(FractionalEngine(encoded, recipe, workers), recipe, leaf_of(problem), encoded.schema.target)


# ---------------------------------------------------------------- the definitions


def bits(weights: np.ndarray) -> float:
    """Entropy times weight."""
    weights = weights[weights > 0]
    return float(-(weights * np.log2(weights / weights.sum())).sum())


def class_weights(problem: Problem, cases: np.ndarray) -> np.ndarray:
    return np.bincount(problem.y, cases, minlength=problem.n_classes)


def judged(problem: Problem, cases: np.ndarray, branches: np.ndarray) -> tuple[float, float]:
    """Gain and split information of a test that sends every row to a branch, -1 where its value is missing."""
    sets = [np.where(branches == b, cases, 0) for b in np.unique(branches[branches >= 0])]
    known = np.where(branches >= 0, cases, 0)
    saved = bits(class_weights(problem, known)) - sum(bits(class_weights(problem, part)) for part in sets)
    sizes = np.array([*(part.sum() for part in sets), cases.sum() - known.sum()])
    return saved / cases.sum(), bits(sizes) / cases.sum()


def candidates(problem: Problem, column, cases: np.ndarray, m: float, mdl: bool, binary: bool):
    """Gain and split information of the best test of a column; None where there is none."""
    values, here = column.values, cases > 0
    missing, distinct = np.isnan(values), np.unique(values[here & ~np.isnan(values)])
    known = cases[~missing].sum()
    if column.kind == "nominal" and not binary:
        sizes = np.array([cases[values == level].sum() for level in distinct])
        return judged(problem, cases, np.where(missing, -1, values)) if (sizes >= m - 1e-6).sum() >= 2 else None
    if column.kind == "nominal":
        found = [judged(problem, cases, np.where(missing, -1, values != level)) for level in distinct
                 if min(s := cases[values == level].sum(), known - s) >= m - 1e-6]  # fmt: skip
        return max(found, key=lambda pair: pair[0] / pair[1]) if found else None
    least = np.clip(0.1 * known / problem.n_classes, m, max(m, 25))
    found = []
    for low, high in pairwise(distinct):
        left = cases[values <= low].sum()
        if low + 1e-5 < high and min(left, known - left) >= least - 1e-6:
            found.append(judged(problem, cases, np.where(missing, -1, values > low)))
    if not found:
        return None
    gain, info = max(found)
    gain -= np.log2(len(found)) / cases.sum() if mdl else 0.0
    return (gain, info) if gain > 0 else None


def eligible_ratios(problem: Problem, cases: np.ndarray, **options) -> np.ndarray:
    """Gain ratio of each column that may be chosen, minus infinity of the others."""
    found = [candidates(problem, column, cases, **options) for column in problem.columns]
    many = [c.kind == "nominal" and np.nanmax(c.values, initial=1) >= 0.3 * problem.n_rows for c in problem.columns]
    counted = [pair[0] for pair, skip in zip(found, many) if pair is not None and (not skip or all(many))]
    if not counted:
        return np.full(len(found), -np.inf)
    return np.array([p[0] / p[1] if p and p[0] >= np.mean(counted) - 1e-3 and p[1] > 0 else -np.inf for p in found])


def parts_of(problem: Problem, node, cases: np.ndarray) -> list[np.ndarray]:
    """The cases of each branch: missing values take every branch by its share of the known weight."""
    branches = node.split.branches(problem.columns[node.split.column].values)
    known = np.array([cases[branches == b].sum() for b in range(len(node.children))])
    share = known / known.sum()
    return [np.where(branches == b, cases, np.where(branches == EVERY_BRANCH, cases * share[b], 0))
            for b in range(len(node.children))]  # fmt: skip


def weights_of(problem: Problem) -> np.ndarray:
    return np.ones(problem.n_rows) if problem.weights is None else problem.weights


# ---------------------------------------------------------------- the tests


@given(problems("classes"), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([1.0, 2.0, 3.0]))
def test_every_test_of_a_tree_is_best_at_its_node(problem, listed, mdl, binary, min_cases):
    tree = grow_tree(problem, listed=listed, mdl=mdl, binary=binary, min_cases=min_cases)
    waiting = [(tree.root, weights_of(problem))]
    while waiting:
        node, cases = waiting.pop()
        assert node.stats == pytest.approx(class_weights(problem, cases), abs=1e-9)
        assert node.n == (cases > 0).sum()
        if cases.sum() < 2 * min_cases - 1e-6 or node.stats.sum() - node.stats.max() <= 1e-6:
            assert node.is_leaf
            continue
        ratios = eligible_ratios(problem, cases, m=min_cases, mdl=mdl, binary=binary)
        if node.is_leaf:
            assert ratios.max() <= NEAR
        else:
            assert ratios[node.split.column] >= ratios.max() - NEAR
            waiting += zip(node.children, parts_of(problem, node, cases))


@given(problems("classes"), st.sampled_from(["c4.5", "j48"]))
def test_branches_weigh_what_their_node_does(problem, flavour):
    tree = grow_tree(problem, flavour=flavour, min_cases=1.0)
    for node in tree.nodes():
        if not node.is_leaf:
            together = np.sum([child.stats for child in node.children], axis=0)
            np.testing.assert_allclose(together, node.stats, rtol=1e-15)


@given(problems("classes", max_rows=60), st.sampled_from(["c4.5", "j48"]), st.booleans())
def test_listed_and_tallied_columns_and_threads_give_one_tree(problem, flavour, binary):
    options = {"flavour": flavour, "binary": binary, "min_cases": 1.0}
    trees = [grow_tree(problem, listed=listed, n_jobs=n, **options) for listed, n in ((0, 1), (1, 1), (1, 3))]
    for tree in trees[1:]:
        for one, other in zip(trees[0].arrays(), tree.arrays()):
            np.testing.assert_array_equal(one, other)


@given(problems("classes", max_rows=20, weighted=False), st.data())
def test_a_row_of_weight_two_is_two_rows(problem, data):
    """But for the number of rows and the average gain, into which columns of many levels for the rows do not count."""
    twice = np.array(data.draw(st.lists(st.booleans(), min_size=problem.n_rows, max_size=problem.n_rows)))
    rows = np.repeat(np.arange(problem.n_rows), 1 + twice)
    columns = [type(c)(c.kind, c.values[rows].tolist()) for c in problem.columns if c.kind != "nominal"]
    if not columns:
        return
    whole = [c for c in problem.columns if c.kind != "nominal"]
    weighted = grow_tree(Problem(whole, problem.y, 1.0 + twice, problem.n_classes), min_cases=1.0)
    repeated = grow_tree(Problem(columns, problem.y[rows], None, problem.n_classes), min_cases=1.0)
    np.testing.assert_array_equal(weighted.column, repeated.column)
    np.testing.assert_array_equal(weighted.edges, repeated.edges)
    np.testing.assert_allclose(weighted.stats, repeated.stats, rtol=1e-12)  # two halves may round apart from a whole


@given(problems("classes"))
def test_thresholds_are_values_and_missing_values_take_every_branch(problem):
    tree, matrix = grow_tree(problem, min_cases=1.0), matrix_of(problem)
    for node in tree.nodes():
        if not node.is_leaf:
            assert node.split.branch_of[0] == EVERY_BRANCH
            assert set(node.split.edges) <= set(matrix[:, node.split.column])
