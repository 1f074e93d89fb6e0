"""Neighbours, samples and bias on tables so small that every rounding and limit shows.

What is expected was printed by Cubist 2.07 (PyPI's package cubist 1.2.2), one process for each fit.
"""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.cubist.cubist_model import _farthest, _Generator

PAIRS = (
    {
        "a": [-4.4, 1.8, 3.1, -0.4, 3.7, 3.4, 4.3, -1.6],
        "b": [1, 1, 2, 0, 1, 1, 1, 2],
        "c": [2.4, -1.7, -3.0, -1.4, -2.4, -2.5, -0.9, -0.2],
    },
    [-10.516, 3.753, 5.205, -1.721, 7.615, 7.31, 8.572, -1.542],
)
FEW = (
    {"a": [3.5, 1.3, 0.1, -2.4, -2.0], "b": [0, 0, 0, 0, 3], "c": [1.1, 3.3, 0.0, 0.8, 3.7]},
    [6.576, 4.029, 0.417, -6.666, -2.941],
)
ONE_KNOWN = (
    {
        "a": [3.5, 1.3, 0.1, -2.4, -2.0, -4.6, -4.3, -4.9],
        "b": [0, 3, 2, 3, 2, 2, 3, 2],
        "c": [1.0, *[np.nan] * 7],
    },
    [8.452, 0.688, 0.365, -6.479, -4.802, -9.276, -8.91, -10.188],
)
BIASED = (
    {
        "a": [-0.6, 0.4, -4.5, 4.1, -0.2, -2.8, -0.1, -1.2, -0.7, -0.9, -1.9, -0.3],
        "b": [0, 0, 2, 3, 1, 3, 1, 1, 1, 1, 0, 1],
        "c": [-2.0, -1.7, 2.7, 2.0, 3.3, -1.1, 2.3, 2.5, 1.5, 0.4, 0.3, -1.9],
    },
    [-2584.8, 993.6, -6544.8, 5843.7, 692.1, -5250.6, 805.5, -3957.3, -1806.3, -328.5, -3491.1, 438.3],
)


def test_distances_of_random_pairs_are_averaged_as_they_are():
    """Each of them in sixteenths would make 0.4 of them."""
    model = tw.CubistRegressor(neighbors=2).fit(*PAIRS)
    assert model.cubist_.cases.farthest == 0.5
    rows = {"a": [0.4, 4.4, 4.1], "b": [3, 3, 2], "c": [0.7, 1.1, -3.8]}
    assert model.predict(rows) == pytest.approx([0.718, 9.078, 7.8315558], rel=1e-6)


def test_half_of_the_neighbours_wanted_are_needed_however_few_cases_there_are():
    model = tw.CubistRegressor(neighbors=9).fit(*FEW)
    rows = {"a": [2.2, 1.3, 0.4], "b": [2, 3, 1], "c": [2.5, 1.3, -4.0]}
    assert model.predict(rows) == pytest.approx([0.417] * 3, rel=1e-6)


def test_a_column_of_one_known_number_counts_in_distances_only(tmp_path):
    """It has the mean 0 and the deviation 1, as it is printed."""
    model = tw.CubistRegressor(neighbors=2).fit(*ONE_KNOWN)
    assert 'att="c" mean="0" sd="1" min="1" max="1"' in model.to_cubist()
    rows = {"a": [-1.1, 3.5, 0.5], "b": [0, 3, 2], "c": [2.7, -2.6, -3.3]}
    expected = [-2.222, 7.392, 1.122]
    assert model.predict(rows) == pytest.approx(expected, rel=1e-6)
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict(rows) == pytest.approx(expected, rel=1e-6)


def test_bias_is_taken_away_without_rounding_errors_to_32_bits():
    text = tw.CubistRegressor(unbiased=True).fit(*BIASED).to_cubist()
    assert 'coeff="-126.88" att="a" coeff="1571"' in text
    assert 'esterr="1310.18"' in text


def test_the_limit_of_distances_is_drawn_from_the_rows_that_were_sampled():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(60, 3)).round(2), random.normal(size=60).round(2)
    model = tw.CubistRegressor(neighbors=1, sample=50, random_state=4).fit(X, y)
    generator = _Generator(4)
    taken = generator.sample(60, 0.5)
    alone = tw.CubistRegressor(neighbors=1).fit(X[taken], y[taken]).cubist_
    assert model.cubist_.cases.farthest == _farthest(alone.cases.x, alone.columns, generator)
    assert model.cubist_.cases.x.shape[1] == 60  # neighbours are all rows


def test_a_mean_of_zeros_has_no_sign():
    text = tw.CubistRegressor().fit({"x": [1, 2, 3, 4, 5, 6]}, [-0.0] * 6).to_cubist()
    assert 'globalmean="0"' in text
    assert 'cover="6" mean="0.0"' in text
