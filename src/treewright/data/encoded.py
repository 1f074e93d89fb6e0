"""The table as the engines see it: small integer codes, column by column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treewright.data.schema import Schema
from treewright.typing import Array, Codes, Floats, Mask


@dataclass(frozen=True)
class EncodedColumn:
    """One column as codes. Code 0 is missing or unseen; codes 1 … n_codes-1 are values, bins or levels in order.

    Numeric columns say which values a code stands for: code ``c`` covers the training values from ``lows[c-1]`` to
    ``highs[c-1]``. With every distinct value a code of its own the two are one array.

    Numeric columns of more than 255 codes are searched along their sorted rows, all others by counting. Those have
    ``order``, the rows by code (ties by row), and ``numbers``, the column as it came, in place of lows and highs.
    Nobody writes to any of them: what an engine sorts further are lists of its own.
    """

    codes: Codes
    n_codes: int
    has_missing: bool
    lows: Array  # floats
    highs: Array  # floats
    order: Array | None = None
    numbers: Array | None = None

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest number of every code of a numeric column; those of code 0 mean nothing."""
        low, high = np.full(self.n_codes, -np.inf), np.full(self.n_codes, -np.inf)
        if self.numbers is None:
            low[1:], high[1:] = self.lows, self.highs
        else:
            low[self.codes] = self.numbers
            high = low
        return low, high


@dataclass(frozen=True)
class Encoded:
    """Codes, target and weights of the rows to learn from.

    ``y`` holds class codes from 0 (unsigned integers) or, for a numeric target, float64. ``weights`` is None when
    every row counts once; rows of weight zero have been left out. ``class_factors`` is what costs and priors have
    multiplied the weights of each class by; statistics that a tree keeps are divided by it.
    """

    schema: Schema
    columns: tuple[EncodedColumn, ...]
    y: Array
    weights: Floats | None
    class_factors: Floats | None = None

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def n_classes(self) -> int:
        classes = self.schema.target.classes
        return 0 if classes is None else len(classes)

    def take(self, keep: Mask) -> Encoded:
        """Some of the rows with the same codes: a value or level that none of them has keeps its own."""
        columns = tuple(_take(column, keep) for column in self.columns)
        weights = None if self.weights is None else self.weights[keep]
        return replace(self, columns=columns, y=self.y[keep], weights=weights)


def _take(column: EncodedColumn, keep: Mask) -> EncodedColumn:
    codes = column.codes[keep]
    if column.order is None or column.numbers is None:
        return replace(column, codes=codes, has_missing=not codes.all())
    values = np.empty(column.n_codes)
    values[column.codes] = column.numbers
    order = (np.cumsum(keep) - 1)[column.order[keep[column.order]]].astype(column.order.dtype)
    return replace(
        column, codes=codes, has_missing=not codes.all(), lows=values[1:], highs=values[1:], order=order,
        numbers=column.numbers[keep],
    )  # fmt: skip
