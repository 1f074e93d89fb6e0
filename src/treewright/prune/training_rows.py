"""Rows that were grown from, as pruners see them that send rows down the tree anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Kind
from treewright.errors import OptionError
from treewright.recipe_parts.missing import Missing
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class TrainingRows:
    """``cells[column, row]`` holds numbers and level codes, NaN where missing. Columns that are not asked for may hold
    anything. ``y`` holds class codes; without ``weights`` every row counts once. Costs and priors are not in them.
    ``in_full`` are the columns whose missing values take every branch with all their weight, not a share of it; an
    empty array says that there are none.
    """

    cells: Floats
    y: Array
    weights: Floats | None
    in_full: Mask = field(default_factory=lambda: np.empty(0, np.bool_))

    @property
    def n_rows(self) -> int:
        return len(self.y)


def training_rows(tree: Tree, encoded: Encoded, policies: Sequence[Missing] = ()) -> TrainingRows:
    """The table that a tree was grown from; ``policies`` are those for missing values, column by column."""
    return rows_of_columns(tree.columns_used, encoded, policies)


def rows_of_columns(used: Ints, encoded: Encoded, policies: Sequence[Missing] = ()) -> TrainingRows:
    """The same with some of the columns."""
    cells = np.empty((int(used.max(initial=-1)) + 1, encoded.n_rows))
    for j in used.tolist():
        cells[j] = _cells_of(encoded.columns[j], encoded.schema.columns[j].kind)
    weights = encoded.weights
    if weights is not None and encoded.class_factors is not None:
        weights = weights / encoded.class_factors[encoded.y]
    return TrainingRows(cells, encoded.y, weights, in_full(policies))


def in_full(policies: Sequence[Missing]) -> Mask:
    """Which columns send missing values down every branch with all their weight."""
    return np.array([policy is Missing.EVERY for policy in policies], np.bool_)


def _cells_of(column: CodedColumn, kind: Kind) -> Array:
    if column.numbers is not None:
        return column.numbers
    # The highest value of a bin lies in it, whoever made the bins; of the lowest, CHAID's edges do not say so.
    values = column.highs if kind is Kind.NUMERIC else np.arange(1.0, column.n_codes)
    return np.concatenate([[np.nan], values])[column.codes]


def needed_for_raising(rows: TrainingRows | None) -> TrainingRows:
    if rows is None:
        raise OptionError(
            "raising a branch sends the rows of its parent down it, and no rows were given",
            "use model.prune, or raising=False",
        )
    return rows
