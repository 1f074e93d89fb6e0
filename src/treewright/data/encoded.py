"""The table as the engines see it: small integer codes, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from treewright.data.schema import Schema
from treewright.typing import Array, Codes, Floats, Ints, Mask


@dataclass(frozen=True)
class RowCopies:
    """Rows of a table by number, in any order and any number of times: the rows of another table."""

    rows: Ints
    n_rows: int  # of the table they are taken from

    @cached_property
    def _by_row(self) -> tuple[Ints, Ints, Ints]:
        """The copies in the order of the rows they are of, where those of each row start, and how many there are."""
        count = np.bincount(self.rows, minlength=self.n_rows)
        return np.argsort(self.rows, kind="stable"), np.cumsum(count) - count, count

    def in_order(self, order: Array) -> Array:
        """The copies in the order that rows have; those of one row in their own."""
        copies, start, count = self._by_row
        sizes = count[order]
        shift = np.repeat(start[order] - (np.cumsum(sizes) - sizes), sizes)
        return np.asarray(copies[np.arange(len(self.rows)) + shift].astype(order.dtype))


class ColumnEncoding(Protocol):
    """What the codes of a column stand for."""

    @property
    def n_codes(self) -> int:
        """With code 0."""
        ...

    @property
    def has_missing(self) -> bool: ...

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest number of every code of a numeric column; those of code 0 mean nothing."""
        ...


class Encoding(Protocol):
    """What is known of an encoded table without its rows: enough to choose splits from the cells of counts."""

    @property
    def schema(self) -> Schema: ...

    @property
    def columns(self) -> Sequence[ColumnEncoding]: ...

    @property
    def n_rows(self) -> int:
        """Of the whole table, wherever they are."""
        ...

    @property
    def class_factors(self) -> Floats | None:
        """What costs and priors have multiplied the weights of each class by."""
        ...


@dataclass(frozen=True)
class EncodedColumn:
    """One column as codes. Code 0 is missing or unseen; codes 1 … n_codes-1 are values, bins or levels in order.

    Numeric columns say which values a code stands for: code ``c`` covers the training values from ``lows[c-1]`` to
    ``highs[c-1]``. With every distinct value a code of its own the two are one array.

    Columns with an ``order``, the rows by code (ties by row), are searched along their sorted rows, all others by
    counting; these also have ``numbers``, the column as it came. See :class:`SortedColumn`.
    Nobody writes to any of them.
    """

    codes: Codes
    n_codes: int
    has_missing: bool
    lows: Array  # floats
    highs: Array  # floats
    order: Array | None = None
    numbers: Array | None = None
    beside: Array | None = None  # training values next to the edges of bins, where ``lows`` and ``highs`` are none

    @property
    def is_sorted(self) -> bool:
        return self.order is not None

    def new_ranks(self, workspace: Any = None) -> Ranks:
        """Codes and order for whoever will change the order: that is a copy."""
        assert self.order is not None
        return Ranks(self.codes, self.order.copy(), self.n_codes, self.has_missing, self._is_tied)

    @property
    def _is_tied(self) -> bool:
        """Whether rows share a code. Some rows of a table have fewer codes than the table: they have to be counted."""
        many = self.has_missing or self.n_codes <= len(self.codes)
        return many or bool((np.bincount(self.codes, minlength=1) > 1).any())

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest number of every code of a numeric column; those of code 0 mean nothing."""
        low, high = np.full(self.n_codes, -np.inf), np.full(self.n_codes, -np.inf)
        if self.lows.size:
            low[1:], high[1:] = self.lows, self.highs
        elif self.numbers is not None:
            low[self.codes] = self.numbers
            high = low
        return low, high

    def take(self, keep: Mask) -> EncodedColumn:
        """Some of the rows with the same codes: a value or level that none of them has keeps its own."""
        codes = self.codes[keep]
        if self.order is None or self.numbers is None:
            return self._of_codes(codes, keep)
        values = self.bounds[0][1:]
        order = (np.cumsum(keep) - 1)[self.order[keep[self.order]]].astype(self.order.dtype)
        return EncodedColumn(codes, self.n_codes, not codes.all(), values, values, order, self.numbers[keep])

    def copy_rows(self, copies: RowCopies) -> EncodedColumn:
        """Some of the rows, perhaps several times, with the same codes."""
        codes = self.codes[copies.rows]
        if self.order is None or self.numbers is None:
            return self._of_codes(codes, copies.rows)
        values, order = self.bounds[0][1:], copies.in_order(self.order)
        return EncodedColumn(codes, self.n_codes, not codes.all(), values, values, order, self.numbers[copies.rows])

    def _of_codes(self, codes: Codes, rows: Any) -> EncodedColumn:
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, codes=codes, has_missing=not codes.all(), numbers=numbers)


class Ranks(NamedTuple):
    """Numbers by rank."""

    codes: Codes  # 0 where missing, else the rank among the distinct values
    order: Array  # the rows by code, ties by row
    n_codes: int
    has_missing: bool
    is_tied: bool  # whether rows may share a code


@dataclass(frozen=True)
class SortedColumn:
    """A numeric column of more than 255 distinct values: the numbers as they came, ranked when that is asked for.

    It is read as an :class:`EncodedColumn` is. Ranks are as large as the table: whoever uses them up, as a store does
    that sorts them further, asks for new ones, and then nobody holds them twice.
    """

    numbers: Array

    @cached_property
    def _ranks(self) -> Ranks:
        return self.new_ranks()

    def new_ranks(self, workspace: Any = None) -> Ranks:
        from treewright.data.numeric import rank

        return rank(self.numbers, workspace)

    is_sorted = True
    lows = highs = np.empty(0)
    beside = None

    @property
    def codes(self) -> Codes:
        return self._ranks.codes

    @property
    def order(self) -> Array:
        return self._ranks.order

    @property
    def n_codes(self) -> int:
        return self._ranks.n_codes

    @cached_property
    def has_missing(self) -> bool:
        return bool(np.isnan(self.numbers).any())

    @property
    def _as_codes(self) -> EncodedColumn:
        codes, order, n_codes, has_missing, _ = self._ranks
        return EncodedColumn(codes, n_codes, has_missing, self.lows, self.highs, order, self.numbers)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        return self._as_codes.bounds

    def take(self, keep: Mask) -> EncodedColumn:
        return self._as_codes.take(keep)

    def copy_rows(self, copies: RowCopies) -> EncodedColumn:
        return self._as_codes.copy_rows(copies)


CodedColumn: TypeAlias = EncodedColumn | SortedColumn


@dataclass(frozen=True)
class Encoded:
    """Codes, target and weights of the rows to learn from.

    ``y`` holds class codes from 0 (unsigned integers) or, for a numeric target, float64. ``weights`` is None when
    every row counts once; rows of weight zero have been left out. ``class_factors`` is what costs and priors have
    multiplied the weights of each class by; statistics that a tree keeps are divided by it.
    """

    schema: Schema
    columns: tuple[CodedColumn, ...]
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
        columns = tuple(column.take(keep) for column in self.columns)
        weights = None if self.weights is None else self.weights[keep]
        return replace(self, columns=columns, y=self.y[keep], weights=weights)

    def copy_rows(self, rows: Ints) -> Encoded:
        """The rows of these numbers, in this order and as often as they are named, with the same codes."""
        copies = RowCopies(rows, self.n_rows)
        columns = tuple(column.copy_rows(copies) for column in self.columns)
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, columns=columns, y=self.y[rows], weights=weights)
