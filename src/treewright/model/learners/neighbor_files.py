"""Nearest neighbours in model files: they are their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.errors import ModelFileError
from treewright.model.learners.neighbors_model import NeighborsModel
from treewright.neighbors.k_curve import KCurve
from treewright.tree.check import HINT, require, required_list
from treewright.typing import Floats


def neighbours_to_json(model: NeighborsModel) -> dict[str, Any]:
    """What a file says of the neighbours: the rows themselves, their target, and k."""
    weights = None if model.row_weights_ is None else model.row_weights_.tolist()
    made: dict[str, Any] = {"k": model.k_, "rows": model.rows_.tolist(), "targets": model.targets_.tolist()}
    curve = model.__dict__.get("k_curve_")
    told = None if curve is None else {**curve.to_dict(), "by": curve.by}
    return {**made, "weights": weights, "k_curve": told}


def neighbours_from_json(section: Any, schema: Schema) -> dict[str, Any]:
    """What a fit leaves behind, from a file; ModelFileError if it does not make sense."""
    require(set(section) == {"k", "rows", "targets", "weights", "k_curve"}, "neighbours lack an entry")
    rows = _finite_rows(section["rows"], len(schema.columns), np.isnan)
    require(len(rows), "neighbours must have at least one row")
    for j, column in enumerate(schema.columns):
        codes = rows[:, j][~np.isnan(rows[:, j])]
        fits = column.kind is Kind.NUMERIC or (np.isin(codes, np.arange(1, len(column.levels) + 1))).all()
        require(fits, "a row has a level that its column does not know")
    targets = _numbers(section["targets"], len(rows), "a target per row is needed")
    if schema.target.classes is not None:
        require(np.isin(targets, np.arange(len(schema.target.classes))).all(), "a row has a class that does not exist")
        targets = targets.astype(np.int64)
    k = section["k"]
    require(type(k) is int and 1 <= k <= len(rows), "k must be a number of neighbours that there are")
    weights = None if section["weights"] is None else _numbers(section["weights"], len(rows), "weights must fit rows")
    require(weights is None or (weights > 0).all(), "weights must be above 0")
    learned = {"rows_": rows, "targets_": targets, "row_weights_": weights, "k_": k}
    return learned if section["k_curve"] is None else {**learned, "k_curve_": _curve_from_json(section["k_curve"])}


def _curve_from_json(section: Any) -> KCurve:
    known = isinstance(section, dict) and set(section) == {"ks", "errors", "standard_errors", "by"}
    require(known and isinstance(section["ks"], list) and len(section["ks"]), "the curve of k lacks an entry")
    n = len(section["ks"])
    ks, errors, spread = (_numbers(section[name], n, "the curve of k is damaged") for name in
                          ("ks", "errors", "standard_errors"))  # fmt: skip
    return KCurve(ks.astype(np.int64), errors, spread, str(section["by"]))


def _finite_rows(items: Any, n_columns: int, besides: Callable[[Floats], Any]) -> Floats:
    lines = required_list(items, "rows")
    require(all(isinstance(line, list) and len(line) == n_columns for line in lines), "rows must have all columns")
    require(all(set(map(type, line)) <= {int, float} for line in lines), "rows must be numbers")
    made = _floats(lines, "rows must be finite or missing").reshape(len(lines), n_columns)
    require((np.isfinite(made) | besides(made)).all(), "rows must be finite or missing")
    return made


def _numbers(items: Any, n: int, problem: str) -> Floats:
    values = required_list(items, "numbers")
    require(len(values) == n and set(map(type, values)) <= {int, float}, problem)
    made = _floats(values, problem)
    require(np.isfinite(made).all(), problem)
    return made


def _floats(numbers: list[Any], problem: str) -> Floats:
    """JSON has whole numbers of any length; those that no float holds are refused."""
    try:
        return np.array(numbers, np.float64)
    except OverflowError:
        raise ModelFileError(problem, HINT) from None
