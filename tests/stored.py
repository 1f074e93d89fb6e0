"""Stored output of other programs, in a folder that may lie beside the repository. Without it its tests are skipped.

The environment variable TREEWRIGHT_ORACLES says where it is if it is elsewhere.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from treewright.leaves import decided

ORACLES = Path(os.environ.get("TREEWRIGHT_ORACLES", Path(__file__).parents[2] / "shared" / "oracles"))


@cache
def compare() -> ModuleType:
    """The folder's own reader."""
    spec = importlib.util.spec_from_file_location("stored_compare", ORACLES / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(program: str, wanted=lambda name: True) -> list:
    """One parameter per stored file, ``DATASET__TAG``; a single one that is skipped when the folder is not there."""
    paths = sorted((ORACLES / "golden" / program).glob("*.json"))
    if not paths:
        reason = f"no stored output of {program} beside the repository (shared/oracles)"
        return [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(path, id=path.stem) for path in paths if wanted(path.stem)]


@cache
def has_missing(dataset: str) -> bool:
    return any("?" in row for row in compare().load(dataset).rows)


def tag_of(name: str) -> str:
    return name.split("__")[1]


def table_of(data, *, ordered: bool = False) -> pd.DataFrame:
    """The features: numbers, and categories whose levels are in the declared order."""
    columns = {}
    for j, (name, kind) in enumerate(zip(data.features, data.kinds)):
        cells = [None if row[j] == "?" else row[j] for row in data.rows]
        if kind == "numeric":
            columns[name] = np.array(cells, dtype=np.float64)
        else:
            is_ordinal = ordered and kind == "ordinal"
            columns[name] = pd.Categorical(cells, categories=data.columns[j]["values"], ordered=is_ordinal)
    return pd.DataFrame(columns)


def target_of(data) -> pd.Categorical | np.ndarray:
    return data.y if data.task == "regression" else pd.Categorical(data.y, categories=data.classes)


def agreement_table(program: str) -> Iterator[list[tuple[str, int, bool]]]:
    """For a fixture: collects (options, rows that differ, whether the tree is the same), prints them by option."""
    found: list[tuple[str, int, bool]] = []
    yield found
    print(f"\n{program}: options, same trees, rows that differ")
    for options in dict.fromkeys(name for name, _, _ in found):
        rows, same = zip(*((rows, same) for name, rows, same in found if name == options))
        print(f"{options:35} {sum(same):3} of {len(same):3} {sum(rows):5}")


def undeclared_leaves(model, data) -> int:
    """Empty leaves that programs have for levels which are declared but occur in no row; our columns know no such."""
    declared = [len(column.get("values", ())) for column in data.columns[:-1]]
    absent = [count - len(column.levels) for count, column in zip(declared, model.schema_.columns)]
    return sum(absent[column] for column in model.tree_.column if column >= 0)


def without_constants(data):
    """Without nominal columns of one declared level, which C4.5 refuses."""
    keep = [j for j, column in enumerate(data.columns) if len(column.get("values", "ab")) > 1]
    data.rows = [[row[j] for j in keep] for row in data.rows]
    data.columns = [data.columns[j] for j in keep]
    data.features, data.kinds = ([values[j] for j in keep[:-1]] for values in (data.features, data.kinds))
    return data


def in_classes_of(golden: dict, model, X: pd.DataFrame) -> np.ndarray:
    """The model's probabilities with a column for every class that is declared, even if no row is of it."""
    probabilities = np.zeros((len(X), len(golden["classes"])))
    probabilities[:, [golden["classes"].index(label) for label in model.classes_]] = model.predict_proba(X)
    return probabilities


def check_values(golden: dict, values: np.ndarray, target=None) -> None:
    """Predictions and probabilities (class shares in the stored order, or numbers) are those of the program.

    The costs of a ``target`` decide which class is predicted; its classes are in the stored order.
    """
    stored = compare()
    if golden["task"] == "regression":
        report = stored.agreement(golden, values[:, 0])
    else:
        predicted = values.argmax(-1) if target is None else decided(values, target)
        labels = np.array(golden["classes"])[predicted]
        report = stored.agreement(golden, labels, values)
        assert report["max_prob_diff"] < 1e-6
    assert report["n_differ"] == 0, report


def cp_table(golden: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rpart's CP, nsplit and rel error. The CP of the last row is left out: it is the limit that was set, not found.

    Steps whose CP differs by rounding only, which rpart lists apart, are one: what lies between is right for no price.
    """
    cp, splits, error = np.array(golden["cptable"]["rows"], float)[:, :3].T
    kept = np.append(True, ~np.isclose(cp[1:], cp[:-1], rtol=1e-7, atol=0))
    return cp[kept][:-1], splits[kept].astype(int), error[kept]


def check_cp_table(golden: dict, path) -> None:
    """A pruning path, in units of the root's risk, is rpart's table."""
    cp, splits, error = cp_table(golden)
    np.testing.assert_array_equal(path.leaves[::-1] - 1, splits)
    np.testing.assert_allclose(path.alphas[:0:-1], cp, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(path.risks[::-1], error, rtol=1e-6, atol=1e-8)
