"""Folds, intervals, and what guessing would lose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.datasets import load_diabetes, load_iris

import treewright as tw
from treewright.data.folds import Folds
from treewright.data.labelled import labelled
from treewright.errors import OptionError
from treewright.model import validation
from treewright.model.learning_plan import Plan


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60), st.integers(2, 12), st.integers(0, 3))
def test_folds_are_even_in_size_and_in_every_class(codes, n_folds, seed):
    y = np.array(codes)
    n_folds = min(n_folds, len(y))
    parts = [part for _, part in Folds(n_folds, seed).split(None, y)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(y)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    counts = np.array([np.bincount(y[part], minlength=5) for part in parts])
    assert (counts.max(0) - counts.min(0) <= 1).all()


def test_folds_depend_on_the_seed_alone():
    y = np.arange(50) % 3
    first, again, other = ([part.tolist() for _, part in Folds(5, s).split(None, y)] for s in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 10, 49, 200])
def test_student_as_scipy_has_it(degrees):
    assert validation._student(degrees) == pytest.approx(t.ppf(0.975, degrees), rel=1e-12)


@pytest.mark.parametrize(("wrong", "n"), [(0, 10), (3, 10), (10, 10), (17, 400)])
def test_wilson_as_its_equation_has_it(wrong, n):
    """Both ends solve |p − share| = z·√(p(1 − p) / n)."""
    for p in validation.share_interval(wrong / n, n):
        assert abs(p - wrong / n) == pytest.approx(1.959963985 * np.sqrt(p * (1 - p) / n), abs=1e-8)


def test_cross_validated_classes_and_numbers():
    iris = labelled(*load_iris(return_X_y=True), is_classifier=True)
    estimate = validation.cross_validated(Plan(tw.CARTClassifier(max_depth=2)).learn, iris, 5)
    wrong = [
        (tw.CARTClassifier(max_depth=2).fit(rest.frame, rest.target).predict(part.frame) != part.y).mean()
        for rest, part in iris.folds(Folds(5))
    ]
    assert estimate.error == pytest.approx(np.mean(wrong))
    half = t.ppf(0.975, 4) * np.sqrt((1 / 5 + 1 / 4) * np.var(wrong, ddof=1))
    assert estimate.high == pytest.approx(estimate.error + half)
    assert estimate.baseline == pytest.approx(2 / 3)
    assert estimate.is_better
    numbers = labelled(*load_diabetes(return_X_y=True), is_classifier=False)
    estimate = validation.cross_validated(Plan(tw.CARTRegressor(max_depth=2)).learn, numbers)
    assert estimate.low < estimate.error < estimate.high
    assert estimate.baseline == pytest.approx(np.std(numbers.y), rel=0.01)


def test_guessing_minds_weights():
    rows = labelled([[0], [1], [2], [3]], ["a", "b", "b", "a"], is_classifier=True, sample_weight=[1, 5, 1, 1])
    assert validation._baseline_losses(rows, rows).tolist() == [1, 0, 0, 1]


def test_rows_held_out_of_pruning_and_of_testing():
    rows = labelled(*load_iris(return_X_y=True), is_classifier=True)
    sizes = []
    plan = Plan(tw.CARTClassifier(), "reduced-error")
    estimate = validation.held_out(lambda part: (sizes.append(part.n_rows), plan.learn(part))[1], rows, 0.2)
    assert (sizes, estimate.rows) == ([120], 30)
    assert plan.learn(rows).tree_.rows[0] == 105


@pytest.mark.parametrize("cv", [0, 1, -3, 2.5, True, "ten"])
def test_folds_that_cannot_be(cv):
    with pytest.raises(OptionError, match="folds cannot be made"):
        validation.cross_validated(
            Plan(tw.CARTClassifier()).learn, labelled([[1], [2]], [0, 1], is_classifier=True), cv
        )
