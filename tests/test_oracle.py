"""The oracle judges everybody else, so it is itself held against scikit-learn, the formulas and counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import oracle
from oracle import Column
from strategies import problems
from treewright import criteria
from treewright.table import Table

XOR = [Column("numeric", [0, 0, 1, 1]), Column("numeric", [0, 1, 0, 1])]
FORMULAS = {
    "gini": criteria.gini_gain,
    "entropy": lambda table: criteria.gain(table, base="e"),
    "misclassification": criteria.misclassification_gain,
    "squared_error": criteria.variance_gain,
    "poisson": criteria.poisson_gain,
}


def sklearn_decrease(model, X, y, weights):
    tree = model.fit(X, y, sample_weight=weights).tree_
    if tree.node_count == 1:
        return None
    shares = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    return tree.impurity[0] - shares[1] * tree.impurity[1] - shares[2] * tree.impurity[2]


def target_of(criterion):
    if criterion in oracle.CLASS_CRITERIA:
        return "classes"
    return "counts" if criterion == "poisson" else "numbers"


@st.composite
def criterion_and_problem(draw, criteria_offered=tuple(oracle.IMPURITIES), **options):
    criterion = draw(st.sampled_from(criteria_offered))
    return criterion, draw(problems(target_of(criterion), **options))


@given(
    criterion_and_problem(
        ("gini", "entropy", "squared_error", "poisson", "absolute_error"), kinds=("ordinal",), missing=False
    )
)
def test_best_cut_equals_that_of_scikit_learn(case):
    criterion, problem = case
    assume(criterion != "poisson" or problem.y.sum() > 0)
    X = np.column_stack([column.values for column in problem.columns])
    model = DecisionTreeClassifier if criterion in oracle.CLASS_CRITERIA else DecisionTreeRegressor
    theirs = sklearn_decrease(model(criterion=criterion, max_depth=1), X, problem.y, problem.weights)
    assume(theirs is not None)
    bits = np.log(2) if criterion == "entropy" else 1.0
    ours = oracle.best_split(problem.columns, problem.y, problem.weights, criterion=criterion).score
    assert ours == pytest.approx(theirs * bits, rel=1e-6, abs=1e-7)


@given(criterion_and_problem(), st.sampled_from(sorted(oracle.NOMINAL_SPLITS)))
def test_scores_equal_the_formulas(case, nominal):
    criterion, problem = case
    for split in oracle.all_splits(problem.columns, problem.y, problem.weights, criterion=criterion, nominal=nominal):
        of = Table.of if problem.n_classes else Table.of_moments
        if criterion == "absolute_error":  # reads the weights of the distinct values
            values, codes = np.unique(problem.y, return_inverse=True)
            score = criteria.absolute_error_gain(Table.of(split.branches + 1, codes, problem.weights), values)
        else:
            score = FORMULAS[criterion](of(split.branches + 1, problem.y, problem.weights))
        assert split.score == pytest.approx(float(score), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("kind", "nominal", "values", "expected"),
    [
        ("numeric", "subset", [1, 2, 2, 5], 2),
        ("numeric", "subset", [1, 2, None, 5], 2 * 2 + 1),
        ("numeric", "subset", [3, None, 3, 3], 1),
        ("numeric", "subset", [None, None, None, None], 0),
        ("ordinal", "subset", [1, 0, 3, 3], 2 + 1),
        ("nominal", "subset", [1, 2, 3, 4], 2**3 - 1),
        ("nominal", "subset", [1, 2, 4, 0], 2**3 - 1),
        ("nominal", "subset", [1, 0, 1, 0], 1),
        ("nominal", "subset", [2, 2, 2, 2], 0),
        ("nominal", "one-vs-rest", [1, 2, 3, 4], 4),
        ("nominal", "one-vs-rest", [1, 2, 4, 0], 3 * 2 + 1),
        ("nominal", "one-vs-rest", [1, 2, 2, 1], 1),
        ("nominal", "one-vs-rest", [1, 2, 0, 1], 2 + 1),
        ("nominal", "one-vs-rest", [1, 1, 0, 1], 1),
        ("nominal", "multiway", [1, 2, 3, 3], 1),
        ("nominal", "multiway", [1, 2, 3, 0], 3),
        ("nominal", "multiway", [1, 1, 1, 0], 0),
    ],
)
def test_number_of_splits(kind, nominal, values, expected):
    splits = list(oracle.splits_of(Column(kind, values), np.arange(4), nominal))
    assert len(splits) == expected
    assert len({oracle.partition(branches) for _, branches in splits}) == expected


@given(criterion_and_problem(("gini",), kinds=("nominal",)), st.integers(1, 5))
def test_only_large_enough_branches_are_admitted(case, min_rows):
    _, problem = case
    options = {"criterion": "gini", "nominal": "subset"}
    every = list(oracle.all_splits(problem.columns, problem.y, problem.weights, **options))
    kept = list(oracle.all_splits(problem.columns, problem.y, problem.weights, min_rows=min_rows, **options))
    assert len(kept) == sum(np.bincount(split.branches, minlength=2).min() >= min_rows for split in every)


def test_a_poisson_branch_without_events_is_not_admitted():
    column = Column("numeric", [1, 2, 3, 4])
    tests = [split.test for split in oracle.all_splits([column], [0, 0, 1, 2], criterion="poisson")]
    assert tests == ["x <= 3, missing left"]


def test_missing_rows_count_in_the_branch_they_are_sent_to():
    column = Column("numeric", [1, 1, 2, 2, None])
    best = oracle.best_split([column], [0, 0, 1, 1, 1], criterion="gini")
    assert best.score == pytest.approx(0.48)
    assert [split.test for split in best.splits] == ["x <= 1, missing right"]


def test_all_ties_are_reported_in_order():
    best = oracle.best_split(XOR, [0, 1, 1, 0], criterion="entropy")
    assert best.score == pytest.approx(0.0)
    assert [split.column for split in best.splits] == [0, 1]


def test_nothing_to_split():
    best = oracle.best_split([Column("numeric", [1, 1])], [0, 1], criterion="gini")
    assert best == oracle.Best(-np.inf, ())


def test_growing_goes_on_at_zero_gain():
    tree = oracle.grow(XOR, [0, 1, 1, 0], criterion="entropy")
    assert tree.depth == 2
    assert [leaf.rows.tolist() for leaf in tree.leaves()] == [[0], [1], [2], [3]]


def test_growing_obeys_the_depth_limit():
    tree = oracle.grow(XOR, [0, 1, 1, 0], [1, 1, 1, 2], criterion="entropy", max_depth=1)
    assert [leaf.stats.tolist() for leaf in tree.leaves()] == [[1, 1], [2, 1]]
    assert oracle.grow(XOR, [0, 1, 1, 0], criterion="entropy", max_depth=0).children == ()


@given(criterion_and_problem(max_rows=12), st.integers(1, 3))
def test_grown_leaves_part_the_rows_and_are_finished(case, min_rows):
    criterion, problem = case
    tree = oracle.grow(problem.columns, problem.y, problem.weights, criterion=criterion, min_rows=min_rows)
    leaves = list(tree.leaves())
    assert sorted(np.concatenate([leaf.rows for leaf in leaves])) == list(range(problem.n_rows))
    assert sum(leaf.stats for leaf in leaves) == pytest.approx(tree.stats)
    options = {"criterion": criterion, "min_rows": min_rows}
    for leaf in leaves:
        splits = oracle.all_splits(problem.columns, problem.y, problem.weights, rows=leaf.rows, **options)
        assert len(set(problem.y[leaf.rows])) == 1 or not list(splits)


def test_thresholds_lie_halfway():
    assert oracle.thresholds([3, 1, None, 1, float("nan"), 2]) == [1.5, 2.5]


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="unknown kind 'text'"):
        Column("text", [1])
