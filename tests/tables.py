"""From the oracle's small tables to what the engine takes, by hand and without the library's own encoder."""

from __future__ import annotations

import numpy as np

from oracle import Column as PlainColumn
from strategies import Problem
from treewright.data.encoded import Encoded, EncodedColumn
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.leaves import Leaf
from treewright.tree.tree import LeafKind

NOTHING = np.empty(0)


def encode_column(column: PlainColumn, sorted_columns: bool) -> EncodedColumn:
    """``sorted_columns`` numeric columns are searched along their sorted rows, however few values they have."""
    missing = np.isnan(column.values)
    if column.kind != "numeric":
        codes = np.where(missing, 0, column.values).astype(np.uint8)
        return EncodedColumn(codes, int(codes.max(initial=1)) + 1, bool(missing.any()), NOTHING, NOTHING)
    values = np.unique(column.values[~missing])
    codes = np.where(missing, 0, np.searchsorted(values, column.values) + 1).astype(
        np.uint32 if sorted_columns else np.uint8
    )
    order = np.argsort(codes, kind="stable").astype(np.uint32) if sorted_columns else None
    return EncodedColumn(codes, len(values) + 1, bool(missing.any()), values, values, order, column.values)


def encode_problem(problem: Problem, *, sorted_columns: bool) -> Encoded:
    columns = tuple(encode_column(column, sorted_columns) for column in problem.columns)
    described = tuple(
        Column(f"x{j}", Kind(plain.kind), tuple(range(1, coded.n_codes)) if plain.kind != "numeric" else ())
        for j, (plain, coded) in enumerate(zip(problem.columns, columns))
    )
    classes = None if problem.n_classes is None else tuple(range(problem.n_classes))
    y = problem.y.astype(np.float64 if classes is None else np.uint8)
    return Encoded(Schema(described, Target("y", classes)), columns, y, problem.weights)


def leaf_of(problem: Problem) -> Leaf:
    """Shares of classes, or means."""
    return Leaf(LeafKind.MEANS if problem.n_classes is None else LeafKind.CLASSES)


def matrix_of(problem: Problem) -> np.ndarray:
    """Numbers and level codes, NaN where missing: the form in which rows are sent down a tree."""
    return np.column_stack([column.values for column in problem.columns])
