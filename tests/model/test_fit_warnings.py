"""Remarks come where they are due, and only there."""

import numpy as np
import pytest

import treewright as tw
from treewright.data.labelled import labelled
from treewright.model.fit_warnings import advice


def remarks(X: dict, y, model=None) -> str:
    is_classifier = np.asarray(y).dtype.kind != "f"
    model = model or (tw.CARTClassifier if is_classifier else tw.CARTRegressor)(max_depth=2)
    return "\n".join(advice(model.fit(X, y), labelled(X, y, is_classifier=is_classifier)))


RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=200)
CLASSES = np.array(["a", "b"])[RNG.integers(0, 2, 200)]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (np.full(200, 3.0), "is constant"),
        (np.full(200, np.nan), "is empty"),
        (np.where(np.arange(200) % 2, np.nan, NOISE), "missing in 50 %"),
        (np.where(CLASSES == "a", NOISE, NOISE + 100), "all but determines"),
        (np.where(CLASSES == "a", "left", "right"), "all but determines"),
    ],
)  # fmt: skip
def test_a_column_is_remarked_upon(column, said):
    found = remarks({"x": column, "noise": NOISE}, CLASSES)
    assert said in found
    assert found.count("\n") == 0
    assert "'noise'" not in found


@pytest.mark.parametrize(
    "column",
    [
        NOISE.round(1),
        np.repeat(np.arange(20), 10),
        np.where(CLASSES == "a", NOISE, NOISE + 1),  # helps, and no more
        RNG.permutation(200),  # all different, in no order
    ],
)
def test_a_column_like_any_other(column):
    assert remarks({"x": column, "noise": NOISE}, CLASSES) == ""


def test_noise_determines_nothing_however_few_the_rows():
    for n_rows in (30, 40, 60, 100):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            y = rng.permutation(np.arange(n_rows) % 2).astype(str)
            assert "determines" not in remarks({"x": rng.normal(size=n_rows)}, y)


def test_three_classes_are_not_taken_for_moments():
    y = np.array(["a", "b", "c"])[np.arange(90) % 3]
    x = np.array([1.0, 2.0, 3.0])[np.arange(90) % 3] + RNG.random(90) / 10
    assert "'x' alone all but determines" in remarks({"x": x}, y)
    assert "determines" not in remarks({"x": RNG.permutation(x)}, y)


def test_a_few_rows_determine_anything():
    assert "determines" not in remarks({"x": [1, 2, 3, 4] * 3}, ["a", "b", "a", "b"] * 3)


def test_levels_of_single_rows_do_not_count_as_determined():
    levels = [f"level {k // 2}" for k in range(100)] + [f"single {k}" for k in range(100)]
    assert "determines" not in remarks({"x": levels, "noise": NOISE}, CLASSES)


def test_numbers_that_are_copied():
    y = NOISE * 10
    assert "'copy' alone all but determines" in remarks({"copy": (y * 3).round(6), "noise": RNG.normal(size=200)}, y)
    assert "determines" not in remarks({"near": y + RNG.normal(size=200) * 5}, y)


def test_leaves():
    grown = remarks({"noise": NOISE}, CLASSES, tw.CARTClassifier())
    assert "leaves have fewer than 5 rows" in grown
    assert "leaves" not in remarks({"noise": NOISE}, CLASSES, tw.CARTClassifier(min_rows_leaf=5))


def test_many_classes_of_the_same_size_are_not_of_different_size():
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))[np.arange(520) % 26]
    assert remarks({"x": RNG.normal(size=520)}, letters) == ""
    assert "very different size" in remarks({"x": RNG.normal(size=620)}, np.append(letters, ["a"] * 100))


def test_classes_that_look_like_a_quantity():
    assert "40 classes, and all are numbers" in remarks({"x": RNG.normal(size=400)}, np.arange(400) % 40)
    assert remarks({"x": RNG.normal(size=400)}, np.arange(400) % 20) == ""
