"""Stored output of other programs, in a folder that may lie beside the repository, or where TREEWRIGHT_ORACLES says.

Without it its tests are skipped.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

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


def check_values(golden: dict, values: np.ndarray) -> None:
    """Predictions and probabilities (class shares in the stored order, or numbers) are those of the program."""
    stored = compare()
    if golden["task"] == "regression":
        report = stored.agreement(golden, values[:, 0])
    else:
        labels = np.array(golden["classes"])[values.argmax(-1)]
        report = stored.agreement(golden, labels, values)
        assert report["max_prob_diff"] < 1e-6
    assert report["n_differ"] == 0, report
