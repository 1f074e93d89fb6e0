"""Histograms count the rows of the node, and hold none of them."""

from __future__ import annotations

import base64

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import treewright as tw
from treewright.model.shown.page_view import page_view

KINDS = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}


def unpacked(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text[3:]), KINDS[text[:2]]).astype(float)


def test_bins_of_numbers_add_up_to_the_classes_of_the_node():
    data = load_iris(as_frame=True)
    y = data.target_names[data.target]
    model = tw.CARTClassifier().fit(data.data, y)
    found = page_view(model)["histograms"]
    inner = np.flatnonzero(model.tree_.n_branches)
    assert {int(v) for v in found} == set(inner.tolist())
    for v in inner:
        told = found[str(v)]
        sums = unpacked(told["sums"]).reshape(-1, told["width"])
        assert sums.sum(0).tolist() == model.tree_.stats[v].tolist()
        here = model.decision_path(data.data).toarray()[:, v] > 0
        values = data.data.iloc[:, model.tree_.column[v]][here]
        assert (told["low"], told["high"]) == (values.min(), values.max())


def test_levels_and_missing_values():
    X = pd.DataFrame({"colour": ["red", "red", "blue", None, "green", "green"] * 10})
    model = tw.ID3Classifier().fit(X, ["a", "a", "b", "b", "b", "a"] * 10)
    told = page_view(model)["histograms"]["0"]
    assert [model.schema_.columns[0].levels[code - 1] for code in told["codes"]] == ["blue", "green", "red"]
    assert unpacked(told["sums"]).reshape(-1, 2).tolist() == [[0, 10], [10, 10], [20, 0]]


def test_numbers_have_sums_and_means():
    data = load_diabetes(as_frame=True)
    model = tw.CARTRegressor(max_depth=2).fit(data.data, data.target)
    told = page_view(model)["histograms"]["0"]
    rows, total = unpacked(told["sums"]).reshape(-1, 2).sum(0)
    assert rows == len(data.data)
    assert total == pytest.approx(data.target.sum())


def test_without_the_rows_of_the_fit_there_are_none(tmp_path):
    data = load_iris(as_frame=True)
    tw.CARTClassifier().fit(data.data, data.target).save(tmp_path / "model.json")
    assert page_view(tw.load(tmp_path / "model.json"))["histograms"] == {}
