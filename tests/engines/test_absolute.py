"""Absolute error: both engines against trying every split, and against each other."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from treewright.engines.absolute import AbsoluteEngine
from treewright.engines.absolute_tables import AbsoluteTableEngine

import oracle
from strategies import Problem, problems
from tables import encode_problem, matrix_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.leaves import Leaf
from treewright.prediction import decision_path
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Limits, Recipe, Splits
from treewright.tree.tree import LeafKind

STYLES = ["subset", "multiway", "one-vs-rest"]


def recipe_of(style: str = "subset", **limits) -> Recipe:
    return Recipe("absolute_error", Splits(style), Limits(**limits))


def local(problem: Problem, recipe: Recipe, *, listed: bool = False, n_jobs: int = 1) -> AbsoluteEngine:
    return AbsoluteEngine(encode_problem(problem, listed=listed), recipe, Workers(n_jobs))


def general(problem: Problem, recipe: Recipe, policy: str = "learned", *, listed: bool = False) -> AbsoluteTableEngine:
    encoded = encode_problem(problem, listed=listed)
    return AbsoluteTableEngine(encoded, recipe, Workers(1), (Missing(policy),) * len(encoded.columns))


def rounding(problem: Problem) -> float:
    return 1e-9 * max(1.0, float(np.abs(problem.y).max()))


@given(problems("counts"), st.sampled_from(STYLES), st.booleans(), st.integers(1, 4))
def test_the_best_split_scores_as_the_exhaustive_search(problem, style, listed, min_rows):
    engine = local(problem, recipe_of(style, min_rows_leaf=min_rows), listed=listed)
    assume(not engine.root().pure[0])  # such nodes are never searched
    found = engine.best(engine.root())
    best = oracle.best_split(
        problem.columns, problem.y, problem.weights, criterion="absolute_error", nominal=style, min_rows=min_rows
    )
    if style == "subset" and any(column.kind == "nominal" for column in problem.columns):
        assert found.column[0] == -1 or found.gain[0] <= best.score + rounding(problem)  # cuts of one order only
        return
    assert (found.column[0] == -1) == (best.score == -np.inf)
    if found.column[0] >= 0:
        np.testing.assert_allclose(found.gain[0], best.score, rtol=1e-7, atol=rounding(problem))
        assert found.rows.sum() == problem.n_rows
        assert (found.rows[found.rows > 0] >= min_rows).all()


@given(problems("counts"), st.sampled_from(STYLES), st.booleans(), st.integers(1, 4))
def test_the_general_engine_scores_as_the_compiled_one(problem, style, listed, min_rows):
    recipe = recipe_of(style, min_rows_leaf=min_rows)
    engines = local(problem, recipe, listed=listed), general(problem, recipe, listed=listed)
    roots = [engine.root() for engine in engines]
    assume(not roots[0].pure[0])
    np.testing.assert_allclose(*(engine.floats(root.stats) for engine, root in zip(engines, roots)), rtol=1e-12)
    ours, theirs = (engine.best(root) for engine, root in zip(engines, roots))
    assert (ours.column[0] == -1) == (theirs.column[0] == -1)
    if ours.column[0] >= 0:
        np.testing.assert_allclose(ours.gain[0], theirs.gain[0], rtol=1e-7, atol=rounding(problem))


def grown(engine, recipe: Recipe):
    return grow(engine, recipe, Leaf(LeafKind.MEDIANS), engine.encoded.schema.target)


@given(
    problems("counts", missing=False), st.sampled_from(STYLES), st.sampled_from([policy.value for policy in Missing]),
    st.booleans(),
)  # fmt: skip
def test_without_missing_values_every_policy_grows_the_tree_of_the_compiled_engine(problem, style, policy, listed):
    recipe = recipe_of(style)
    tree = grown(general(problem, recipe, policy, listed=listed), recipe)
    plain = grown(local(problem, recipe, listed=listed), recipe)
    for name in ("parent", "column", "edges", "rows"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(plain, name))
    np.testing.assert_allclose(tree.stats, plain.stats, rtol=1e-9, atol=rounding(problem))


def deviation(y: np.ndarray, w: np.ndarray, middle: float) -> float:
    return float((w * np.abs(y - middle)).sum())


@given(problems("numbers"), st.sampled_from(STYLES), st.booleans())
def test_every_node_keeps_the_median_and_the_distance_from_it(problem, style, listed):
    recipe = recipe_of(style, max_depth=3)
    tree = grown(local(problem, recipe, listed=listed), recipe)
    where = paths(tree, matrix_of(problem))
    w = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    for v in np.flatnonzero(tree.rows):
        here = where[:, v]
        assert here.sum() == tree.rows[v]
        y, mine = problem.y[here], w[here]
        parent = tree.value[max(tree.parent[v], 0), 0]
        expected = deviation(y, mine, weighted_median(y, mine)), deviation(y, mine, parent)
        np.testing.assert_allclose(tree.value[v, 0], weighted_median(y, mine), atol=rounding(problem))
        np.testing.assert_allclose(tree.stats[v, 4:], expected, atol=30 * rounding(problem))


def weighted_median(y: np.ndarray, w: np.ndarray) -> float:
    """Midway between the first value with which half of the weight is reached and the first with which it is passed."""
    order = np.argsort(y, kind="stable")
    y, reached = y[order], np.cumsum(w[order]) / w.sum()
    return float(y[np.argmax(reached >= 0.5 - 1e-12)] / 2 + y[np.argmax(reached > 0.5 + 1e-12)] / 2)


def paths(tree, matrix: np.ndarray) -> np.ndarray:
    """Which row comes by which node."""
    nodes, start = decision_path(tree, matrix, 1)
    found = np.zeros((len(matrix), tree.n_nodes), bool)
    found[np.repeat(np.arange(len(matrix)), np.diff(start)), nodes] = True
    return found


@given(problems("counts"), st.sampled_from(STYLES), st.booleans())
def test_threads_do_not_change_the_tree(problem, style, listed):
    recipe = recipe_of(style)
    one, two = (grown(local(problem, recipe, listed=listed, n_jobs=n_jobs), recipe) for n_jobs in (1, 2))
    for mine, other in zip(one.arrays(), two.arrays()):
        np.testing.assert_array_equal(mine, other)


def test_a_later_node_may_be_larger():
    """If the best go first, a worker may see a small node before a large one: it is given more room then."""
    problem = Problem([oracle.Column("numeric", np.arange(40.0))], np.arange(40.0) % 7, None, None)
    engine = local(problem, recipe_of(), listed=True)
    nodes = engine._open_nodes(engine.root())
    small = nodes._replace(stop=np.array([3]))
    assert len(engine._room(0, small).ranks) >= 3
    assert len(engine._room(0, nodes).ranks) >= 40
    assert engine._room(0, small) is engine._room(0, nodes)
