"""Nearest neighbours say so where the order of the rows decides what they predict."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import treewright as tw
from treewright.model.learners.equal_rows import rows_by_order

X = {"colour": ["red"] * 20 + ["blue"] * 20}
Y = ["no"] * 8 + ["yes"] * 12 + ["yes"] * 20


def test_equal_rows_of_differing_classes_are_told_of() -> None:
    with pytest.warns(tw.TreewrightWarning, match=r"20 of 40 rows .* more than 5 equal rows .*flavour=\"ibk\""):
        first = tw.KNNClassifier(k=5).fit(X, Y)
    with pytest.warns(tw.TreewrightWarning, match="order of the rows"):
        last = tw.KNNClassifier(k=5).fit({"colour": X["colour"][::-1]}, Y[::-1])
    assert first.predict({"colour": ["red"]}).tolist() == ["no"]  # what the warning is about
    assert last.predict({"colour": ["red"]}).tolist() == ["yes"]


def test_the_hint_helps() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tw.KNNClassifier(k=5, flavour="ibk").fit(X, Y)
    assert model.predict({"colour": ["red"]}).tolist() == ["yes"]


def test_numbers_and_regressors_are_looked_at_too() -> None:
    with pytest.warns(tw.TreewrightWarning, match="order of the rows"):
        tw.KNNRegressor(k=3).fit([[1.0]] * 10 + [[2.0]] * 10, list(range(20)))


@pytest.mark.parametrize(
    ("rows", "y", "k", "n_rows"),
    {
        "all vote": ([[1.0, 2.0]] * 3, [0, 1, 1], 3, 0),
        "one class": ([[1.0, 2.0]] * 4, [1, 1, 1, 1], 2, 0),
        "one group of two": ([[1.0, 2.0]] * 4 + [[2.0, 1.0]] * 3, [0, 1, 1, 1, 0, 0, 0], 2, 4),
        "missing cells are never equal": ([[1.0, np.nan]] * 4, [0, 1, 1, 1], 2, 0),
        "minus zero is zero": ([[0.0], [-0.0], [0.0]], [0, 1, 1], 2, 3),
    }.values(),
)
def test_rows_by_order(rows: list[list[float]], y: list[int], k: int, n_rows: int) -> None:
    assert rows_by_order(np.array(rows), np.array(y), k) == n_rows
