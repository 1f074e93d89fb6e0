"""The general engine against the exhaustive search and against the compiled engine."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from treewright.engines.local import LocalEngine
from treewright.engines.tables import TableEngine

from strategies import Problem, problems
from tables import encode_problem, leaf_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Limits, Recipe, Splits

STYLES = ["subset", "multiway", "one-vs-rest"]


def recipe_of(criterion: str, style: str = "subset", **limits) -> Recipe:
    return Recipe(criterion, Splits(style), Limits(**limits), base=np.e)


def engine_of(problem: Problem, recipe: Recipe, *, policy: str = "learned", listed: bool = False) -> TableEngine:
    encoded = encode_problem(problem, listed=listed)
    policies = (Missing(policy),) * len(encoded.columns)
    return TableEngine(encoded, recipe, Workers(1), policies)


def check_root(problem: Problem, criterion: str, style: str, listed: bool, min_rows: int) -> None:
    engine = engine_of(problem, recipe_of(criterion, style, min_rows_leaf=min_rows), listed=listed)
    assume(not engine.root().pure[0])  # such nodes are never searched
    found = engine.best(engine.root())
    reference = LocalEngine(encode_problem(problem, listed=listed), engine.recipe, Workers(1))
    expected = reference.best(reference.root())
    assert (found.column[0] == -1) == (expected.column[0] == -1)
    if found.column[0] >= 0:
        np.testing.assert_allclose(found.gain[0], expected.gain[0], rtol=1e-7, atol=1e-9 * max(1, np.var(problem.y)))
        assert found.rows.sum() == problem.n_rows


@given(
    problems("classes"), st.sampled_from(["gini", "entropy", "misclassification"]), st.sampled_from(STYLES),
    st.booleans(), st.integers(1, 4),
)  # fmt: skip
def test_the_best_split_of_classes_scores_as_that_of_the_compiled_engine(problem, criterion, style, listed, min_rows):
    check_root(problem, criterion, style, listed, min_rows)


@given(problems("counts"), st.sampled_from(["squared_error", "poisson"]), st.sampled_from(STYLES), st.integers(1, 4))
def test_the_best_split_of_numbers_scores_as_that_of_the_compiled_engine(problem, criterion, style, min_rows):
    check_root(problem, criterion, style, False, min_rows)


def grown(problem: Problem, recipe: Recipe, policy: str, *, listed: bool = False):
    engine = engine_of(problem, recipe, policy=policy, listed=listed)
    return grow(engine, recipe, leaf_of(problem), engine.encoded.schema.target)


@given(
    problems("classes", missing=False), st.sampled_from(["gini", "entropy"]), st.sampled_from(STYLES),
    st.sampled_from([policy.value for policy in Missing]), st.booleans(),
)  # fmt: skip
def test_without_missing_values_every_policy_grows_the_same_tree(problem, criterion, style, policy, listed):
    recipe = recipe_of(criterion, style)
    tree, plain = (grown(problem, recipe, name, listed=listed) for name in (policy, "learned"))
    for name in ("parent", "column", "edges", "rows"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(plain, name))
    np.testing.assert_allclose(tree.stats, plain.stats, rtol=1e-12)


@given(problems("classes"), st.sampled_from(STYLES))
def test_shared_rows_weigh_as_much_in_the_branches_as_at_the_node(problem, style):
    tree = grown(problem, recipe_of("entropy", style), "fractional")
    sums = np.zeros_like(tree.stats)
    np.add.at(sums, tree.parent[1:], tree.stats[1:])
    inner = tree.n_branches > 0
    np.testing.assert_allclose(sums[inner], tree.stats[inner], rtol=1e-9, atol=1e-12)
