"""The same tree whichever road was taken: every compiled engine against the plain pair on the same rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine_roads import ENGINES, assert_same_tree, grown_by
from oracle import Column
from recipes_by_hand import by_median, by_merging, by_score, c45_of
from strategies import Problem, examples, problems
from tables import encode_problem, leaf_of
from treewright.data.encoded import Encoded, EncodedColumn
from treewright.data.schema import Kind
from treewright.engines.dispatch import compiled_engine
from treewright.engines.stores.row_store import RowStore
from treewright.engines.workers import Workers
from treewright.leaves import Leaf
from treewright.recipe_parts import attribute_costs as costs_of_tests
from treewright.recipe_parts.constraints import constraints_of
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByRatio, ByScore, Limits, Recipe, Splits
from treewright.tree.tree import LeafKind

STYLES = ("subset", "multiway", "one-vs-rest")
ANY_COLUMN = Limits(significance=0.3, significance_of="any")
LIMITS = (
    Limits(), Limits(max_leaves=5), Limits(min_rows_leaf=3, max_depth=3), Limits(min_weight_fraction_leaf=0.1),
    ANY_COLUMN,
)  # fmt: skip
COMPILED = st.sampled_from(ENGINES[1:])


def recipe_of(
    problem: Problem, choice, style="subset", stop=LIMITS[0], policy="learned", leaf=None, **pieces
) -> Recipe:
    missing = (Missing(policy),) * len(problem.columns)
    return Recipe(
        choice=choice, leaf=leaf or leaf_of(problem), missing=missing, splits=Splits(style), stop=stop, **pieces
    )


def check(problem: Problem, recipe: Recipe, engine: str, *, sorted_columns: bool) -> None:
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    assert_same_tree(grown_by(engine, encoded, recipe), grown_by("plain", encoded, recipe))


@given(
    problems("classes"), st.sampled_from(["gini", "entropy", "misclassification"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), COMPILED,
)  # fmt: skip
def test_classes(problem, criterion, style, stop, sorted_columns, engine):
    check(problem, recipe_of(problem, ByScore(criterion), style, stop), engine, sorted_columns=sorted_columns)


@given(
    problems("counts"), st.sampled_from(["squared_error", "poisson"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), COMPILED,
)  # fmt: skip
def test_numbers(problem, criterion, style, stop, sorted_columns, engine):
    if criterion == "poisson" and problem.y.sum() <= 0:
        return
    check(problem, recipe_of(problem, ByScore(criterion), style, stop), engine, sorted_columns=sorted_columns)


KNOWN_ARE_ALL_OF_ONE_CLASS = Problem([Column("nominal", [0, 1, 2, 0])], np.array([1, 0, 0, 1]), None, 2)
LEFT_OUT = ("branch", "fractional", "every", "stop", "drop", "surrogate", "common")


@given(
    problems("classes"), st.sampled_from(["gini", "entropy", "misclassification"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), st.sampled_from(LEFT_OUT), COMPILED,
)  # fmt: skip
@example(KNOWN_ARE_ALL_OF_ONE_CLASS, "gini", "subset", LIMITS[0], False, "branch", "compiled")
def test_classes_where_missing_values_have_a_branch_or_are_left_out(
    problem, criterion, style, stop, sorted_columns, policy, engine
):
    recipe = recipe_of(problem, ByScore(criterion), style, stop, policy)
    check(problem, recipe, engine, sorted_columns=sorted_columns)


@given(
    problems("counts"), st.sampled_from(["squared_error", "poisson"]), st.sampled_from(STYLES),
    st.sampled_from(LIMITS), st.booleans(), st.sampled_from(LEFT_OUT), COMPILED,
)  # fmt: skip
def test_numbers_where_missing_values_have_a_branch_or_are_left_out(
    problem, criterion, style, stop, sorted_columns, policy, engine
):
    if criterion == "poisson" and problem.y.sum() <= 0:
        return
    recipe = recipe_of(problem, ByScore(criterion), style, stop, policy)
    check(problem, recipe, engine, sorted_columns=sorted_columns)


@given(problems("numbers"), st.sampled_from(STYLES), st.sampled_from(LIMITS), st.booleans(), COMPILED)
def test_medians(problem, style, stop, sorted_columns, engine):
    leaf = Leaf(LeafKind.MEDIANS)
    check(problem, recipe_of(problem, ByMedian(), style, stop, leaf=leaf), engine, sorted_columns=sorted_columns)


@given(
    problems("classes"), st.sampled_from(["multiway", "one-vs-rest", "groups"]), st.booleans(), st.booleans(),
    st.sampled_from([Limits(), Limits(max_leaves=5), Limits(max_depth=2), ANY_COLUMN]), st.sampled_from(ENGINES[1::3]),
)  # fmt: skip
def test_ratio(problem, style, narrow, sorted_columns, stop, engine):
    choice = ByRatio(min_cases=1.0, narrow=narrow)
    check(problem, recipe_of(problem, choice, style, stop, "fractional"), engine, sorted_columns=sorted_columns)


TWO_ROWS_OF_ONE_NUMBER = Problem([Column("numeric", [0.0, 0.0, 1.0, 2.0])], np.array([0, 1, 0, 1]), None, 2)


@given(problems("classes", kinds=("numeric", "ordinal"), missing=False), COMPILED, st.data())
@example(TWO_ROWS_OF_ONE_NUMBER, "compiled", None)
@example(TWO_ROWS_OF_ONE_NUMBER, "compiled, rounds", None)
def test_some_rows_of_a_table_have_fewer_numbers_than_the_table(problem, engine, data):
    """The codes are those of the table: that there are more of them than rows does not say that no rows share one."""
    encoded = encode_problem(problem, sorted_columns=True)
    rows = [0, 1] if data is None else data.draw(st.lists(st.integers(0, encoded.n_rows - 1), min_size=1, max_size=20))
    recipe = recipe_of(problem, ByScore("entropy"))
    for some in (encoded.copy_rows(np.array(rows)), encoded.take(np.isin(np.arange(encoded.n_rows), rows))):
        assert_same_tree(grown_by(engine, some, recipe), grown_by("plain", some, recipe))


@given(problems("classes"), st.sampled_from(["chi2", "g"]), st.booleans(), st.integers(1, 4), COMPILED)
def test_merging(problem, test, exhaustive, min_rows, engine):
    choice = ByMerging(test=test, alpha_split=0.9, alpha_merge=0.5, exhaustive=exhaustive, min_rows=min_rows)
    check(problem, recipe_of(problem, choice, "groups", Limits(min_weight_split=3)), engine, sorted_columns=False)


@given(problems("numbers"), st.integers(1, 4), COMPILED)
def test_merging_by_f(problem, min_rows, engine):
    choice = ByMerging(test="f", alpha_split=0.9, alpha_merge=0.5, min_rows=min_rows)
    check(problem, recipe_of(problem, choice, "groups"), engine, sorted_columns=False)


# ---------------------------------------------------------------- tables of other kinds

KINDS = {
    "gini": ("classes", lambda problem, **more: by_score(problem, "gini", **more)),
    "misclassification": ("classes", lambda problem, **more: by_score(problem, "misclassification", **more)),
    "squared error": ("counts", lambda problem, **more: by_score(problem, "squared_error", **more)),
    "median": ("counts", by_median),
    "ratio": ("classes", lambda problem, **more: replace(c45_of(problem, min_cases=1.0), **more)),
    "merging": ("classes", lambda problem, **more: by_merging(problem, ByMerging(alpha_split=0.9), **more)),
}
SOME = settings(max_examples=examples(25))
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)


def compare(encoded: Encoded, recipe: Recipe, engine: str) -> None:
    assert_same_tree(grown_by(engine, encoded, recipe), grown_by("plain", encoded, recipe))


@pytest.mark.parametrize("kind", [kind for kind, (target, _) in KINDS.items() if target == "classes"])
@SOME
@given(problem=problems("classes"), engine=COMPILED, sorted_columns=st.booleans())
def test_classes_weighed_by_costs_and_priors(kind, problem, engine, sorted_columns):
    factors = np.array([0.3, 1.0, 4.0, 1.7])[: problem.n_classes]
    weights = (np.ones(problem.n_rows) if problem.weights is None else problem.weights) * factors[problem.y]
    encoded = replace(encode_problem(problem, sorted_columns=sorted_columns), weights=weights, class_factors=factors)
    compare(encoded, KINDS[kind][1](problem), engine)


def with_absent_levels(encoded: Encoded) -> Encoded:
    """Two more levels are declared than occur."""
    columns, described = list(encoded.columns), list(encoded.schema.columns)
    for j, column in enumerate(described):
        if column.kind is not Kind.NUMERIC:
            columns[j] = replace(columns[j], n_codes=columns[j].n_codes + 2)
            described[j] = replace(column, levels=(*column.levels, 98, 99))
    return replace(encoded, columns=tuple(columns), schema=replace(encoded.schema, columns=tuple(described)))


@ALL_KINDS
@SOME
@given(data=st.data(), engine=COMPILED)
def test_levels_that_are_declared_and_absent(kind, data, engine):
    target, make = KINDS[kind]
    problem = data.draw(problems(target, kinds=("nominal", "ordinal")))
    compare(with_absent_levels(encode_problem(problem, sorted_columns=False)), make(problem), engine)


def in_bins(column: EncodedColumn) -> EncodedColumn:
    """Two neighbouring values in a bin."""
    codes, n = (column.codes + 1) // 2, len(column.lows)
    highs = column.highs[np.minimum(np.arange(1, n + 1, 2), n - 1)]
    return replace(column, codes=codes.astype(column.codes.dtype), n_codes=(n + 1) // 2 + 1, lows=column.lows[::2],
                   highs=highs, numbers=None)  # fmt: skip


@ALL_KINDS
@SOME
@given(data=st.data(), engine=COMPILED)
def test_histograms(kind, data, engine):
    target, make = KINDS[kind]
    problem = data.draw(problems(target, kinds=("numeric",)))
    encoded = encode_problem(problem, sorted_columns=False)
    compare(replace(encoded, columns=tuple(map(in_bins, encoded.columns))), make(problem), engine)


@pytest.mark.parametrize("kind", ["gini", "misclassification", "squared error", "median"])
@pytest.mark.parametrize("engine", ENGINES[1:])
@pytest.mark.parametrize("n_classes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_more_levels_than_can_all_be_tried(kind, engine, n_classes):
    rng = np.random.default_rng(1)
    columns = [Column("nominal", rng.integers(0, most, 300)) for most in (15, 40, 11)]
    numbers = KINDS[kind][0] == "counts"
    problem = Problem(columns, rng.integers(0, n_classes, 300) * (1.0 if numbers else 1), None, n_classes)
    problem = replace(problem, n_classes=None) if numbers else problem
    for style in STYLES:
        compare(encode_problem(problem, sorted_columns=False), KINDS[kind][1](problem, style=style), engine)


@pytest.mark.parametrize("kind", ["gini", "squared error", "median", "ratio"])
@SOME
@given(data=st.data(), rule=st.sampled_from(costs_of_tests.RULES), engine=COMPILED)
def test_tests_that_cost(kind, data, rule, engine):
    target, make = KINDS[kind]
    problem = data.draw(problems(target))
    n = len(problem.columns)
    costs = costs_of_tests.AttributeCosts(
        np.array([1.0, 4.0, 0.5, 2.0])[:n], np.array([0, -1, 0, -1])[:n], np.array([3.0]), rule
    )
    compare(encode_problem(problem, sorted_columns=False), make(problem, test_costs=costs), engine)


def test_constraints_are_for_the_plain_pair():
    problem = Problem([Column("numeric", [1, 2, 3, 4])], np.array([0, 1, 1, 0]), None, 2)
    encoded = encode_problem(problem, sorted_columns=False)
    constraints = constraints_of(encoded.schema, {"x0": 1}, None, None, None, 0.0, None)
    recipe = by_score(problem, "gini", constraints=constraints)
    assert compiled_engine(encoded, recipe, Workers(1)) is None
    assert compiled_engine(encoded, replace(recipe, constraints=None), Workers(1)) is not None
    assert (np.diff(grown_by("plain", encoded, recipe).value[1:, 1]) >= 0).all()


def test_the_commonest_value_is_searched_compiled():
    """Fails where the column is left to the choice, cell by cell."""
    problem = Problem(
        [Column("numeric", [1, 2, np.nan, 4]), Column("nominal", [0, 1, 1, np.nan])], np.array([0, 1, 1, 0]), None, 2
    )
    encoded = encode_problem(problem, sorted_columns=False)
    recipe = recipe_of(problem, ByScore("gini"), "subset", Limits(), "common")
    engine = compiled_engine(encoded, recipe, Workers(1))
    assert engine is not None
    assert engine.shortcut is not None
    assert [engine.shortcut.serves(column) for column in range(2)] == [True, True]
    assert isinstance(engine.store, RowStore)
