"""The table of complexity parameters: every tree of the cost-complexity sequence with its errors, as ``printcp``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.errors import ModelFileError
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.pruning_path import PruningPath
from treewright.prune.training_counts import training_loss
from treewright.prune.tree_selection import SelectedTree
from treewright.tree.tree import LeafKind, Tree

_DIGITS = 4
_NUMBERS = ("cp", "splits", "leaves", "error", "left_out_error", "standard_error")
_MAY_BE_UNKNOWN = ("left_out_error", "standard_error")


@dataclass(frozen=True, repr=False)
class ComplexityRow(DisplayedRecord):
    """One tree. It is the right one from ``cp`` on, which is α over the risk of the root.

    Errors are in units of the error of the root, 1. Those of rows that were left out, and their standard error, are
    None where none were.
    """

    cp: float
    splits: int
    leaves: int
    error: float
    left_out_error: float | None
    standard_error: float | None


@dataclass(frozen=True, repr=False)
class ComplexityTable(Displayed):
    """Trees from the root alone to the largest. ``root_error`` is what a relative error of 1 is.

    ``left_out`` says in words which rows were left out, nothing where none were; ``taken`` is the place of the tree
    that was chosen by them, -1 if none was.
    """

    risk: str
    root_error: float
    left_out: str
    rows: tuple[ComplexityRow, ...]
    taken: int = -1

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ComplexityRow]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> ComplexityRow:
        return self.rows[place]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [getattr(row, name) for row in self.rows] for name in _NUMBERS}

    def _sheet(self) -> Sheet:
        heads = ("CP", "splits", "leaves", "rel error", "xerror", "xstd")
        columns: dict[str, Any] = dict(zip(heads, self.to_dict().values()))
        if not self.left_out:
            del columns["xerror"], columns["xstd"]
        if self.taken >= 0:
            columns[""] = ["taken" if place == self.taken else "" for place in range(len(self.rows))]
        return Sheet(columns, self.heading)

    @property
    def heading(self) -> str:
        """What the errors are, and what rows they are of."""
        held = f"; xerror by {self.left_out}" if self.left_out else ""
        return f"Complexity (risk: {self.risk}; an error of 1 is {self.root_error:.{_DIGITS}g}, that of the root{held})"

    def __str__(self) -> str:
        heads = ("CP", "splits", "leaves", "rel error", *(("xerror", "xstd") if self.left_out else ()))
        lines = [heads, *(_cells(row, bool(self.left_out)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        marks = ["", *("  taken" if place == self.taken else "" for place in range(len(self.rows)))]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) + mark for line, mark in zip(lines, marks)
        )


def _cells(row: ComplexityRow, left_out: bool) -> tuple[str, ...]:
    known = (f"{row.cp:.{_DIGITS}g}", f"{row.splits:,}", f"{row.leaves:,}", f"{row.error:.{_DIGITS}f}")
    if not left_out:
        return known
    errors = (row.left_out_error, row.standard_error)
    return (*known, *("" if error is None else f"{error:.{_DIGITS}f}" for error in errors))


def complexity_table(
    pruner: CostComplexity,
    path: PruningPath,
    schema: Schema,
    chosen: SelectedTree | None = None,
    left_out: str = "",
    *,
    taken: bool = True,
) -> ComplexityTable:
    """The table of a pruner's path; ``chosen`` has the errors of the rows that were left out.

    >>> import treewright as tw
    >>> X, y = {"age": [20, 30, 40, 50]}, ["no", "no", "yes", "yes"]
    >>> model = tw.CARTClassifier().fit(X, y)
    >>> pruner = CostComplexity(risk="misclassification")
    >>> print(complexity_table(pruner, pruner.path(model.tree_, model.schema_), model.schema_))
    CP  splits  leaves  rel error
     1       0       1     1.0000
     0       1       2     0.0000
    """
    tree = path.tree
    lost = training_loss(tree, schema)
    risk, unit = pruner.risks(tree, schema)
    cp = path.alphas * (unit / risk[0] if risk[0] > 0 else 1.0)
    root, weight = float(lost[0]), float(tree.weights[0])
    scale = root / weight if root > 0 else 1.0
    error = path.along(lost) / (root or 1.0)
    held: Any = [(None, None)] * len(path)
    if chosen is not None:
        held = list(zip((chosen.error / scale).tolist(), (chosen.standard_error / scale).tolist()))
    splits, leaves = (path.nodes - path.leaves).tolist(), path.leaves.tolist()
    rows = [ComplexityRow(*row) for row in zip(*(cp.tolist(), splits, leaves, error.tolist()), *zip(*held))]
    place = len(rows) - 1 - chosen.place if chosen is not None and taken else -1
    name = _risk_name(pruner, tree, schema)
    return ComplexityTable(name, root / weight if weight else 0.0, left_out, tuple(rows[::-1]), place)


def _risk_name(pruner: CostComplexity, tree: Tree, schema: Schema) -> str:
    if schema.target.classes is None:
        return "absolute error" if tree.leaf is LeafKind.MEDIANS else "squared error"
    has_costs = schema.target.costs is not None or schema.target.priors is not None
    risk = pruner.risk or ("misclassification" if has_costs else "gini")
    return "cost" if risk == "misclassification" and schema.target.costs is not None else risk


def table_to_json(table: ComplexityTable) -> dict[str, Any]:
    """A table as plain data.

    >>> table_to_json(ComplexityTable("gini", 0.5, "", (ComplexityRow(0.0, 0, 1, 1.0, None, None),)))["rows"]
    [[0.0, 0, 1, 1.0, None, None]]
    """
    return {**asdict(table), "rows": [[getattr(row, name) for name in _NUMBERS] for row in table.rows]}


def table_from_json(told: Any) -> ComplexityTable:
    """The table of ``table_to_json``; anything else is refused."""
    if not _is_table(told):
        raise ModelFileError("the table of complexity parameters is no such table", "save the model again")
    rows = tuple(ComplexityRow(*row) for row in told["rows"])
    return ComplexityTable(told["risk"], told["root_error"], told["left_out"], rows, told["taken"])


def _is_table(told: Any) -> bool:
    fields: dict[str, Any] = {"risk": str, "root_error": (int, float), "left_out": str, "rows": list, "taken": int}
    if not isinstance(told, dict) or told.keys() != fields.keys():
        return False
    shaped = all(isinstance(told[name], kind) for name, kind in fields.items())
    return shaped and told["taken"] < len(told["rows"]) and all(map(_is_row, told["rows"]))


def _is_row(row: Any) -> bool:
    if not isinstance(row, list) or len(row) != len(_NUMBERS):
        return False
    return all(
        (value is None and name in _MAY_BE_UNKNOWN) or (type(value) in (int, float) and np.isfinite(value))
        for name, value in zip(_NUMBERS, row)
    )
