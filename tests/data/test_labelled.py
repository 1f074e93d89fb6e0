"""Rows with their target, dealt into parts."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold

import treewright as tw
from treewright.data.labelled import labelled

N = 40
CLASSES = ["b", "a", "a", "a"] * 10


def tables():
    columns = {"id": list(range(N)), "colour": ["red", "green"] * (N // 2)}
    return [
        columns,
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        [dict(zip(columns, row)) for row in zip(*columns.values())],
    ]


def ids(rows):
    return [int(cell) for cell in rows.frame.cells(0).values]


@pytest.mark.parametrize("table", tables(), ids=["columns", "pandas", "polars", "rows"])
def test_folds_share_out_all_rows_and_classes(table):
    rows = labelled(table, CLASSES, is_classifier=True)
    seen = []
    for rest, part in rows.folds(5):
        assert sorted(ids(rest) + ids(part)) == list(range(N))
        assert part.labels.tolist() == [CLASSES[i] for i in ids(part)]
        assert part.labels.tolist().count("b") == 2
        seen += ids(part)
    assert sorted(seen) == list(range(N))


def test_the_same_folds_every_time_and_others_for_another_state():
    rows = labelled({"id": list(range(N))}, np.arange(N) / 7, is_classifier=False)
    first, again, other = ([ids(part) for _, part in rows.folds(4, state)] for state in (None, None, 1))
    assert first == again != other


def test_rows_of_a_class_rarer_than_folds_are_dealt_out():
    """Ten rows of b: with eleven folds one has none. With as many folds as rows nobody expects all classes in each."""
    rows = labelled({"id": list(range(N))}, CLASSES, is_classifier=True)
    with pytest.warns(tw.TreewrightWarning, match=r"1 class has fewer rows than the 11 folds: 'b' \(10\)"):
        parts = [part for _, part in rows.folds(11)]
    assert sorted(i for part in parts for i in ids(part)) == list(range(N))
    assert sorted(part.labels.tolist().count("b") for part in parts) == [0] + [1] * 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sorted(ids(part) for _, part in rows.folds(N)) == [[i] for i in range(N)]


def test_of_many_rare_classes_some_are_named():
    rows = labelled({"id": list(range(16))}, [*"aaaaaaaaaa", *"bcdeff"], is_classifier=True)
    with pytest.warns(tw.TreewrightWarning, match=r"5 classes have .*: 'b' \(1\), 'c' \(1\), 'd' \(1\) and 2 more\."):
        first = [ids(part) for _, part in rows.folds(4)]
    with pytest.warns(tw.TreewrightWarning):
        again, other = ([ids(part) for _, part in rows.folds(4, state)] for state in (0, 1))
    assert first == again != other


def test_a_splitter_is_used_as_it_is():
    rows = labelled({"id": list(range(N))}, CLASSES, is_classifier=True)
    assert [ids(part) for _, part in rows.folds(KFold(4))] == [list(range(k, k + 10)) for k in range(0, N, 10)]


@pytest.mark.parametrize("cv", ["loo", N, np.int64(N)])
@pytest.mark.parametrize("is_classifier", [True, False])
def test_one_row_is_left_out_in_turn(cv, is_classifier):
    """Whatever the classes: one of them need not have as many rows as there are folds."""
    y = CLASSES if is_classifier else np.arange(N) / 7
    rows = labelled({"id": list(range(N))}, y, is_classifier=is_classifier)
    folds = list(rows.folds(cv))
    assert [ids(part) for _, part in folds] == [[k] for k in range(N)]
    assert all(rest.n_rows == N - 1 for rest, _ in folds)


def test_parts():
    rows = labelled({"id": list(range(N))}, CLASSES, is_classifier=True, sample_weight=np.arange(N) + 1.0)
    rest, part = rows.part(0.3)
    assert (part.n_rows, part.labels.tolist().count("b")) == (12, 3)
    assert part.weights.tolist() == [i + 1 for i in ids(part)]
    assert sorted(ids(rest) + ids(part)) == list(range(N))
    lonely = labelled({"id": [0, 1, 2]}, ["a", "a", "b"], is_classifier=True)
    assert sum(side.n_rows for side in lonely.part(0.5)) == 3


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_rows_without_target_or_weight_are_left_out():
    rows = labelled({"id": [0, 1, 2, 3]}, ["a", None, "b", "a"], is_classifier=True, sample_weight=[1, 1, 1, 0])
    assert ids(rows) == [0, 2]


def test_a_part_keeps_the_classes_and_their_order():
    y = pd.Categorical(["low", "high", "mid", "low"], categories=["low", "mid", "high"])
    rows = labelled({"id": [0, 1, 2, 3]}, y, is_classifier=True)
    model = tw.CARTClassifier().fit(rows.take(np.array([0, 2])).frame, rows.take(np.array([0, 2])).target)
    assert model.classes_.tolist() == ["low", "mid", "high"]
    assert rows.codes_among(("mid", "low")).tolist() == [1, -1, 0, 1]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda rows: list(rows.folds(1)), "at least 2"),
        (lambda rows: list(rows.folds(True)), "at least 2"),
        (lambda rows: list(rows.folds("ten")), "at least 2"),
        (lambda rows: list(rows.folds(41)), "41 folds cannot be made of 40 rows"),
        (lambda rows: rows.part(1.5), "between 0 and 1"),
        (lambda rows: rows.take(np.array([0])).part(0.5), "two parts"),
    ],
)
def test_bad_parts(call, says):
    rows = labelled({"id": list(range(N))}, CLASSES, is_classifier=True)
    with pytest.raises((tw.OptionError, tw.DataError), match=says):
        call(rows)
