"""Absolute error: what nodes keep, against medians of their rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_roads import grown_by
from recipes_by_hand import by_median
from strategies import Problem, examples, problems
from tables import encode_problem, matrix_of
from treewright.prediction import decision_path


def rounding(problem: Problem) -> float:
    return 1e-9 * max(1.0, float(np.abs(problem.y).max()))


def deviation(y: np.ndarray, w: np.ndarray, middle: float) -> float:
    return float((w * np.abs(y - middle)).sum())


@settings(max_examples=examples(20))
@given(
    problem=problems("numbers"),
    style=st.sampled_from(["subset", "multiway", "one-vs-rest"]),
    sorted_columns=st.booleans(),
)
def test_every_node_keeps_the_median_and_the_distance_from_it(engine, problem, style, sorted_columns):
    tree = grown_by(
        engine, encode_problem(problem, sorted_columns=sorted_columns), by_median(problem, style, max_depth=3)
    )
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
