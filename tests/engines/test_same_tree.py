"""The same tree whichever road was taken: every compiled engine against the plain pair on the same rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine_roads import ENGINES, assert_same_tree, grown_by
from strategies import Problem, problems
from tables import encode_problem, leaf_of
from treewright.leaves import Leaf
from treewright.recipe.merging import ByMerging
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import ByMedian, ByRatio, ByScore, Limits, Recipe, Splits
from treewright.tree.tree import LeafKind

STYLES = ("subset", "multiway", "one-vs-rest")
LIMITS = (Limits(), Limits(max_leaves=5), Limits(min_rows_leaf=3, max_depth=3), Limits(min_weight_fraction_leaf=0.1))
COMPILED = st.sampled_from(ENGINES[1:])


def recipe_of(
    problem: Problem, choice, style="subset", stop=LIMITS[0], policy="learned", leaf=None, **pieces
) -> Recipe:
    missing = (Missing(policy),) * len(problem.columns)
    return Recipe(
        choice=choice, leaf=leaf or leaf_of(problem), missing=missing, splits=Splits(style), stop=stop, **pieces
    )


def check(problem: Problem, recipe: Recipe, engine: str, *, listed: bool) -> None:
    encoded = encode_problem(problem, listed=listed)
    assert_same_tree(grown_by(engine, encoded, recipe), grown_by("plain", encoded, recipe))


@given(
    problems("classes"), st.sampled_from(["gini", "entropy", "misclassification"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), COMPILED,
)  # fmt: skip
def test_classes(problem, criterion, style, stop, listed, engine):
    check(problem, recipe_of(problem, ByScore(criterion), style, stop), engine, listed=listed)


@given(
    problems("counts"), st.sampled_from(["squared_error", "poisson"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), COMPILED,
)  # fmt: skip
def test_numbers(problem, criterion, style, stop, listed, engine):
    if criterion == "poisson" and problem.y.sum() <= 0:
        return
    check(problem, recipe_of(problem, ByScore(criterion), style, stop), engine, listed=listed)


@given(problems("numbers"), st.sampled_from(STYLES), st.sampled_from(LIMITS), st.booleans(), COMPILED)
def test_medians(problem, style, stop, listed, engine):
    leaf = Leaf(LeafKind.MEDIANS)
    check(problem, recipe_of(problem, ByMedian(), style, stop, leaf=leaf), engine, listed=listed)


@given(
    problems("classes"), st.sampled_from(["multiway", "one-vs-rest", "groups"]), st.booleans(), st.booleans(),
    st.sampled_from([Limits(), Limits(max_leaves=5), Limits(max_depth=2)]), st.sampled_from(ENGINES[1::3]),
)  # fmt: skip
def test_ratio(problem, style, narrow, listed, stop, engine):
    choice = ByRatio(min_cases=1.0, narrow=narrow)
    check(problem, recipe_of(problem, choice, style, stop, "fractional"), engine, listed=listed)


@given(problems("classes"), st.sampled_from(["chi2", "g"]), st.booleans(), st.integers(1, 4), COMPILED)
def test_merging(problem, test, exhaustive, min_rows, engine):
    choice = ByMerging(test=test, alpha_split=0.9, alpha_merge=0.5, exhaustive=exhaustive, min_rows=min_rows)
    check(problem, recipe_of(problem, choice, "groups", Limits(min_weight_split=3)), engine, listed=False)


@given(problems("numbers"), st.integers(1, 4), COMPILED)
def test_merging_by_f(problem, min_rows, engine):
    choice = ByMerging(test="f", alpha_split=0.9, alpha_merge=0.5, min_rows=min_rows)
    check(problem, recipe_of(problem, choice, "groups"), engine, listed=False)
