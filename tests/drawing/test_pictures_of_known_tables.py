"""The tables on which other programs' pictures were compared: titanic, iris, boston, adult, soybean, large trees."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import treewright as tw
from drawing.test_tree_picture import check, no_edge_crosses_a_card
from stored import ORACLES
from treewright.drawing.scene import Words
from treewright.drawing.svg import to_svg
from treewright.drawing.tree_picture import Style
from treewright.model.shown.model_pictures import scene_of


def table(name: str, target: str):
    path = ORACLES / "data" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the tables are not beside the repository (shared/oracles)")
    rows = pd.read_csv(path, na_values="?", keep_default_na=False)
    return rows.drop(columns=target), rows[target]


def letters():
    """26 classes, as in the letter table."""
    rng = np.random.default_rng(0)
    codes, centre = rng.integers(0, 26, 2000), rng.normal(size=(26, 5)) * 2
    X = pd.DataFrame(centre[codes] + rng.normal(size=(2000, 5)), columns=["x-box", "y-box", "width", "high", "onpix"])
    return X, pd.Series([chr(65 + code) for code in codes], name="letter")


def noise():
    X, y = datasets.make_classification(6000, 12, n_informative=6, flip_y=0.3, random_state=0)
    return pd.DataFrame(X, columns=[f"sensor {k}" for k in range(12)]), pd.Series(np.where(y, "fault", "fine"))


MODELS = {
    "titanic": lambda: (tw.CARTClassifier(max_depth=4), *table("titanic", "Survived")),
    "iris": lambda: (tw.CARTClassifier(), *datasets.load_iris(return_X_y=True, as_frame=True)),
    "boston": lambda: (tw.CARTRegressor(max_depth=4), *table("boston_housing", "medv")),
    "boston medians": lambda: (
        tw.CARTRegressor(max_depth=3, criterion="absolute_error"),
        *table("boston_housing", "medv"),
    ),
    "adult": lambda: (tw.CARTClassifier(max_depth=5, min_rows_leaf=20), *table("adult_8k", "income")),
    "adult chaid": lambda: (tw.CHAIDClassifier(max_depth=3), *table("adult_8k", "income")),
    "adult surrogates": lambda: (
        tw.CARTClassifier(max_depth=3, missing="surrogate"),
        *table("adult_8k", "income"),
    ),
    "adult c4.5": lambda: (tw.C45Classifier(), *table("adult_8k", "income")),
    "soybean": lambda: (tw.C45Classifier(), *table("soybean", "class")),
    "mushroom": lambda: (tw.ID3Classifier(), *table("mushroom", "class")),
    "letters": lambda: (tw.CARTClassifier(max_leaves=40), *letters()),
    "noise": lambda: (tw.CARTClassifier(), *noise()),
}


LARGE = {"letters", "soybean", "mushroom", "noise"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else []) for name in MODELS]
)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_nothing_overlaps_and_nothing_is_cut_off(name):
    model, X, y = MODELS[name]()
    model = model.fit(X, y).with_holdout(X[::3], y[::3])
    for orientation in ("auto", "down", "right"):
        for rows in ({}, {"X": X, "y": y}):
            scene = scene_of(model, Style(orientation=orientation), **rows)
            check(scene)
            no_edge_crosses_a_card(scene)
            for group in scene.of_kind("edge"):  # each with its own condition
                assert any(isinstance(shape, Words) for shape in group.shapes)
            said = " ".join(s.text for group in scene.groups for s in group.shapes if isinstance(s, Words))
            assert not re.search(r"\b\d*\.\d{8,}|\bx\[\d|\bclass \d", said)  # digits nobody reads, names nobody gave
    assert len(to_svg(scene_of(model, Style()))) < 200_000
