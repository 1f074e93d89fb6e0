"""Which algorithm is chosen, and that all find the same."""

import numpy as np
import pytest

import treewright as tw
from treewright.neighbors.number_search import chosen_algorithm, intrinsic_dimension

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("points", "k", "chosen"),
    [
        (RNG.random((100, 2)), 5, "brute"),
        (RNG.random((1000, 2)), 500, "brute"),
        (RNG.random((1000, 8)), 5, "kd"),
        (RNG.random((1000, 30)), 5, "brute"),
        (RNG.random((1000, 3)) @ RNG.random((3, 30)), 5, "kd"),
        (RNG.random((1000, 3)) @ RNG.random((3, 90)), 5, "ball"),
        (np.zeros((1000, 30)), 5, "kd"),
    ],
)
def test_the_algorithm_suits_the_rows(points, k, chosen):
    assert chosen_algorithm(points, k) == chosen


def test_intrinsic_dimension_of_known_shapes():
    for d in (1, 2, 4):
        mixed = RNG.random((2000, d)) @ RNG.normal(size=(d, 12))
        assert intrinsic_dimension(mixed) == pytest.approx(d, rel=0.3)
    assert intrinsic_dimension(np.zeros((10, 3))) == 0.0
    assert intrinsic_dimension(np.zeros((1, 3))) == 0.0


def test_all_algorithms_find_the_same():
    X, y = RNG.integers(0, 4, (400, 12)).astype(float), RNG.integers(0, 3, 400)
    found = [
        tw.KNNClassifier(k=7, algorithm=algorithm).fit(X, y).kneighbors(X) for algorithm in ("kd", "ball", "brute")
    ]
    for distances, rows in found[1:]:
        np.testing.assert_array_equal(rows, found[0][1])
        np.testing.assert_array_equal(distances, found[0][0])
