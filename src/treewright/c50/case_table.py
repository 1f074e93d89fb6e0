"""Any table as the cases that C5.0 learns from, and what its values and thresholds are in the table's own terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Column, Kind, Schema, Unit, text_of
from treewright.errors import DataError
from treewright.kernels.c50_kernels.c50_search import NOMINAL, NUMBER, ORDERED, CaseTable
from treewright.typing import Array, Floats, Ints

BESIDE = "N/A"  # a level of this name is the value "not applicable"
_FEWEST_VALUES = 2
_FEWEST_ORDERED = 3
_MINUTE = 60.0
TIMES = (Unit.DATETIME, Unit.UTC_DATETIME)


@dataclass(frozen=True)
class ColumnCoding:
    """How the numbers, or the level codes, of a column become values of C5.0 and back.

    Times are counted in minutes from the first one on, as 32 bits could not tell them apart in seconds. A number that
    stands for "not applicable" becomes minus infinity.
    """

    column: Column
    values_of: Ints  # value of every level code, from 1 on; empty for numbers
    start: float = 0.0  # minutes
    beside: float | None = None  # the number that means not applicable

    @property
    def kind(self) -> int:
        if self.column.kind is Kind.NUMERIC:
            return NUMBER
        n_declared = len(self.values_of) - int((self.values_of == 1).any())
        return ORDERED if self.column.kind is Kind.ORDINAL and n_declared >= _FEWEST_ORDERED else NOMINAL

    @property
    def n_values(self) -> int:
        """With "not applicable"; 0 for numbers."""
        if self.column.kind is Kind.NUMERIC:
            return 0
        return 1 + len(self.values_of) - int((self.values_of == 1).any())

    @property
    def is_usable(self) -> bool:
        return self.column.kind is Kind.NUMERIC or self.n_values > _FEWEST_VALUES

    def values(self, numbers: Array) -> Array:
        """A column of a prediction matrix as 32-bit values."""
        if self.column.kind is not Kind.NUMERIC:
            codes = np.where(numbers >= 1, numbers, 0).astype(np.int64)  # NaN is not
            return np.append(np.nan, self.values_of).astype(np.float32)[codes]
        with np.errstate(over="ignore"):
            made = self._scaled(np.asarray(numbers, np.float64)).astype(np.float32)
        if np.isinf(made).any():
            raise DataError(
                f"column {self.column.name!r} holds a number that 32 bits cannot hold: C5.0 takes none",
                "leave infinite values empty, or scale the column",
            )
        if self.beside is not None:
            made[np.asarray(numbers) == self.beside] = -np.inf
        return made

    def _scaled(self, numbers: Floats) -> Floats:
        if self.column.unit not in TIMES:
            return numbers
        return np.floor((numbers + _MINUTE / 2) / _MINUTE) - self.start

    def edge(self, cut: float) -> float:
        """The greatest number whose value is not above the cut."""
        below = np.float32(cut)
        middle = (float(below) + float(np.nextafter(below, np.float32(np.inf)))) / 2
        edge = middle if np.float32(middle) == below else float(np.nextafter(middle, -np.inf))
        if self.column.unit not in TIMES:
            return edge
        return float(np.nextafter((float(below) + self.start + 0.5) * _MINUTE, -np.inf))

    def number(self, value: float) -> float:
        """What is printed for a value of 32 bits: its shortest digits."""
        return self.scale(value) if self.column.unit in TIMES else float(str(np.float32(value)))

    def scale(self, value: float) -> float:
        """A value in the units of the column."""
        return (value + self.start) * _MINUTE if self.column.unit in TIMES else value


def codings(schema: Schema, matrix: Array, beside: dict[str, float]) -> list[ColumnCoding]:
    """How each column is coded; ``beside`` has numbers that mean "not applicable", by column."""
    return [_coding(column, matrix[:, j], beside.get(column.name)) for j, column in enumerate(schema.columns)]


def _coding(column: Column, numbers: Array, beside: float | None) -> ColumnCoding:
    if column.kind is Kind.NUMERIC:
        known = numbers[~np.isnan(numbers)]
        is_time = column.unit in TIMES and len(known) > 0
        start = float(np.floor((known.min() + _MINUTE / 2) / _MINUTE)) if is_time else 0.0
        return ColumnCoding(column, np.empty(0, np.int64), start, beside)
    texts = [text_of(level) for level in column.levels]
    values, n_seen = [], 1
    for text in texts:
        n_seen += text != BESIDE
        values.append(1 if text == BESIDE else n_seen)
    return ColumnCoding(column, np.array(values, np.int64))


def case_table(coded: list[ColumnCoding], matrix: Array, labels: Ints, n_classes: int) -> CaseTable:
    values = np.empty((len(coded), len(matrix)), np.float32)
    for j, coding in enumerate(coded):
        values[j] = coding.values(matrix[:, j])
    is_unknown = unknown_bits(values)
    kinds = np.array([coding.kind for coding in coded], np.int64)
    n_values = np.array([coding.n_values for coding in coded], np.int64)
    is_number = kinds == NUMBER
    beside = np.array([(own == (-np.inf if number else 1)).any() for own, number in zip(values, is_number)], np.bool_)
    return CaseTable(
        values=values,
        is_unknown=is_unknown,
        kinds=kinds,
        n_values=n_values,
        has_unknown=np.asarray(is_unknown.any(axis=1)),
        has_beside=beside,
        place=np.cumsum(is_number) - 1,
        labels=labels.astype(np.int64),
        n_classes=n_classes,
    )


def unknown_bits(values: Array) -> Array:
    """Whether each value is unknown, eight cases in a byte.

    >>> unknown_bits(np.array([[np.nan, 1, 2, np.nan]], np.float32)).tolist()
    [[9]]
    """
    return np.packbits(np.isnan(values), axis=1, bitorder="little")
