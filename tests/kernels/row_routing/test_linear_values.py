"""Rows through models: the kernel, its numpy twin and the sum written out."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.kernels.row_routing.linear_values import linear_values, linear_values_in_numpy
from treewright.tree.linear_models import LinearModels, Term, joined_models, packed_models

TERMS = [Term(0, 5.0, np.empty(0)), Term(1, 0.0, np.array([0.0, 1.0, 1.0])), Term(2, -1.0, np.empty(0))]


def made(n_nodes: int, n_outputs: int, seed: int) -> LinearModels:
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 3, n_nodes * n_outputs)
    terms = [np.sort(random.choice(3, size, replace=False)) for size in sizes]
    start = np.concatenate([[0], np.cumsum(sizes)])
    flat = np.concatenate([np.empty(0, np.int64), *terms])
    return packed_models(TERMS, start, flat, random.normal(size=len(flat)), random.normal(size=(n_nodes, n_outputs)))


def rows(n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    matrix = np.column_stack([random.normal(size=n), random.integers(1, 4, n), random.normal(size=n)])
    matrix[random.random(matrix.shape) < 0.2] = np.nan
    return matrix


@pytest.mark.parametrize("n", [0, 1, 50])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_sums(n, n_outputs):
    models, matrix = made(4, n_outputs, n), rows(n, n)
    nodes = np.random.default_rng(n).integers(0, 4, n)
    expected = np.array([
        [
            models.intercept[v, k] + sum(s * t.values(row[[t.column]])[0] for t, s in models.terms_of(v, k))
            for k in range(n_outputs)
        ]
        for v, row in zip(nodes, matrix)
    ]).reshape(n, n_outputs)  # fmt: skip
    for run in (linear_values, linear_values_in_numpy):
        values = np.empty((n, n_outputs))
        run(matrix, 0, n, nodes, models, values)
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


def test_models_of_some_nodes_and_of_two_trees():
    first, second = made(4, 2, 1), made(3, 2, 2)
    both = joined_models([first, second]).take(np.array([5, 0]))
    for v, source, node in ((0, second, 1), (1, first, 0)):
        for k in range(2):
            ours = [(t.column, s) for t, s in both.terms_of(v, k)]
            assert ours == [(t.column, s) for t, s in source.terms_of(node, k)]
        np.testing.assert_array_equal(both.intercept[v], source.intercept[node])
