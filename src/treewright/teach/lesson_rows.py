"""The rows that a calculation is about, and the tests that could split them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from treewright import datasets
from treewright.data.column_findings import finding_of, looks_like_identifier
from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.encode import encode, make_schema
from treewright.data.encoded import CodedColumn
from treewright.data.frame import Frame, read_frame
from treewright.data.kinds import cells_as_found
from treewright.data.labelled import Labelled, has_classes, labelled
from treewright.data.schema import Column, Kind, Level, Schema, Target
from treewright.data.target_column import TargetColumn, check_classes
from treewright.errors import DataError, TreewrightWarning
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import format_value
from treewright.explain.printed_cuts import cut_text
from treewright.model.fitting import prepare
from treewright.split import midway
from treewright.table import Table
from treewright.typing import Floats, Ints, Mask

NAMES_THE_ROWS = {"play_tennis": "day", "play_tennis_noisy": "day", "batman": "hero"}


@dataclass(frozen=True)
class CandidateTest:
    """A test: its name, the names of its branches, and the table of branches × classes.

    ``edge`` is the threshold of a cut; None where every level has a branch. A column of one value has one branch, which
    is no test, but shows that it gains nothing.
    """

    name: str
    of: str
    column: int
    branches: tuple[str, ...]
    table: Table
    edge: float | None = None

    @property
    def is_test(self) -> bool:
        return len(self.branches) > 1

    def condition(self, branch: int) -> str:
        """``outlook = Sunny`` or ``temperature > 54.25``."""
        return f"{self.of} {'= ' if self.edge is None else ''}{self.branches[branch]}"


@dataclass(frozen=True)
class LessonRows:
    """A table as codes. ``values[j]`` are the numbers or names that the codes of column j stand for, from code 1 on."""

    name: str
    schema: Schema
    codes: tuple[Ints, ...]
    values: tuple[Floats, ...]
    y: Ints
    left_out: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[Level, ...]:
        return self.schema.target.classes or ()

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(map(level_text, self.classes))

    @property
    def target(self) -> str:
        return one_line(self.schema.target.name)

    def counts(self, at: Mask | None = None) -> Floats:
        """Rows of each class."""
        y = self.y if at is None else self.y[at]
        return np.bincount(y, minlength=len(self.classes)).astype(np.float64)

    def is_pure(self, at: Mask | None = None) -> bool:
        """Whether these rows are of one class."""
        return int((self.counts(at) > 0).sum()) <= 1

    def table(self, column: int, at: Mask | None = None) -> Table:
        """Codes × classes of one column."""
        kept = slice(None) if at is None else at
        n_codes = len(self.values[column]) + 1
        return Table.of(self.codes[column][kept], self.y[kept], n_codes=n_codes, n_classes=len(self.classes))

    def candidates(self, column: int, at: Mask | None = None) -> list[CandidateTest]:
        """The tests of one column at these rows: one for all levels, or one per threshold between neighbours."""
        about, table = self.schema.columns[column], self.table(column, at)
        seen, name = np.flatnonzero(table.weights > 0).tolist(), one_line(about.name)
        if about.kind is not Kind.NOMINAL and len(seen) > 1:
            return [self._cut(column, table, below, above) for below, above in pairwise(seen)]
        names = tuple(self.value_text(column, code) for code in seen)
        return [CandidateTest(name, name, column, names, Table(table.counts[seen], table.missing))] if len(seen) else []

    def value_text(self, column: int, code: int) -> str:
        about = self.schema.columns[column]
        if about.kind is not Kind.NUMERIC:
            return level_text(about.levels[code])
        return format_value(float(self.values[column][code]), about.unit)

    def _cut(self, column: int, table: Table, below: int, above: int) -> CandidateTest:
        about, values = self.schema.columns[column], self.values[column]
        edge = float(midway(values[below], values[above]))
        text = level_text(about.levels[below]) if about.kind is Kind.ORDINAL else cut_text(edge, values, about.unit)
        sides = Table(np.stack([table.counts[:above].sum(0), table.counts[above:].sum(0)]), table.missing)
        name = one_line(about.name)
        return CandidateTest(f"{name} ≤ {text}", name, column, (f"≤ {text}", f"> {text}"), sides, edge)

    def some(self, at: Mask | None, columns: Sequence[int]) -> LessonRows:
        """Some of the rows and columns."""
        kept = slice(None) if at is None else at
        schema = Schema(tuple(self.schema.columns[j] for j in columns), self.schema.target)
        codes, values = tuple(self.codes[j][kept] for j in columns), tuple(self.values[j] for j in columns)
        return LessonRows(self.name, schema, codes, values, self.y[kept], self.left_out)

    def occurring(self) -> LessonRows:
        """The same rows with only the classes, levels and numbers that occur, as a tree of these rows knows them; an
        order of levels is kept whole.

        >>> rows = rows_of({"x": ["u", "v", "w"], "y": ["a", "b", "c"]}, "y", identifiers=True)
        >>> few = rows.some(np.array([True, False, True]), [0]).occurring()
        >>> few.schema.columns[0].levels, few.codes[0].tolist(), few.classes, few.y.tolist()
        (('u', 'w'), [1, 2], ('a', 'c'), [0, 1])
        """
        found = [_occurring(*column) for column in zip(self.schema.columns, self.codes, self.values)]
        target, y = self.schema.target, self.y
        if target.classes is not None:
            seen, y = np.unique(self.y, return_inverse=True)
            target = replace(target, classes=tuple(target.classes[code] for code in seen))
        columns, codes, values = zip(*found)
        return LessonRows(self.name, Schema(columns, target), codes, values, y.astype(np.int64), self.left_out)

    @property
    def target_column(self) -> TargetColumn:
        """The classes as an estimator takes them."""
        return TargetColumn(self.schema.target.name, LevelValues(self.y + 1, self.classes, declared=True))

    def filled(self) -> LessonRows:
        """Missing cells filled with the most common value of their column, numbers with their median."""
        codes = tuple(_filled(codes, column.kind) for codes, column in zip(self.codes, self.schema.columns))
        return LessonRows(self.name, self.schema, codes, self.values, self.y, self.left_out)

    @property
    def missing_columns(self) -> list[int]:
        """Columns in which something is missing and something is known."""
        return [j for j, codes in enumerate(self.codes) if codes.any() and not codes.all()]

    def frame(self) -> dict[str, list[Any]]:
        """The columns as an estimator takes them."""
        return {
            column.name: _cells(codes, column, values)
            for column, codes, values in zip(self.schema.columns, self.codes, self.values)
        }

    def kinds(self) -> dict[str, Any]:
        """The kinds as an estimator takes them."""
        return {
            column.name: list(column.levels) if column.kind is Kind.ORDINAL else column.kind.value
            for column in self.schema.columns
        }

    def labels(self) -> list[Level]:
        return [self.classes[code] for code in self.y]


def rows_of(
    columns: Any,
    target: str,
    *,
    name: str = "the table",
    drop: Sequence[str] = (),
    kinds: Mapping[str, Any] | None = None,
    identifiers: bool = False,
) -> LessonRows:
    """Read a table with its target, a class. Columns that only name the rows are left out unless they are asked for.

    >>> rows = rows_of({"x": [1, 2, 4], "y": ["a", "b", "b"]}, "y")
    >>> [candidate.name for candidate in rows.candidates(0)]
    ['x ≤ 1.5', 'x ≤ 3']
    """
    frame = read_frame(columns)
    place = frame.place(target)
    if place is None:
        raise DataError(f"{name} has no column {target!r} to be the target", frame.hint_for(target))
    _, y = prepare(frame, target, "id3", {"kinds": kinds} if kinds else {})
    if target not in (kinds or {}):
        _refuse_numbers(y, target)
    known = labelled(frame.without(place), y, is_classifier=True)
    check_classes(known.classes or (), known.y)
    coded = coded_columns(known, Target(target, known.classes), name, drop, kinds, identifiers=identifiers)
    return replace(coded, y=known.y.astype(np.int64))


def coded_columns(
    known: Labelled,
    target: Target,
    name: str,
    drop: Sequence[str],
    kinds: Mapping[str, Any] | None,
    *,
    identifiers: bool,
) -> LessonRows:
    """The columns of rows whose target is known, which is not put in."""
    gone = [*drop, *(_identifiers(known.frame, [*drop, *(kinds or {})], name) if not identifiers else ())]
    rest = known.frame
    for column in gone:
        rest = rest.without(_place(rest, column, name))
    if rest.n_columns == 0:
        raise DataError(f"{name} has no column but {target.name!r}", "a split needs another column")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # the lesson itself says what it makes of identifiers
        schema = make_schema(rest, target, _kinds_of(rest, kinds))
    coded = encode(rest, schema, known.y, None, max_bins=None)
    codes = tuple(column.codes.astype(np.int64) for column in coded.columns)
    values = tuple(_values(column, about) for column, about in zip(coded.columns, schema.columns))
    left_out = tuple(column for column in gone if column not in drop)
    return LessonRows(name, schema, codes, values, np.zeros(known.n_rows, np.int64), left_out)


def _refuse_numbers(y: TargetColumn, target: str) -> None:
    """A target with decimals, with many values, or with another number in every row is no class."""
    cells = y.cells
    if isinstance(cells, LevelValues) and not cells.codes.any():
        return  # it has no values at all, which is said elsewhere
    if _all_different(cells) or not has_classes(y):
        raise DataError(
            f"the target {target!r} is a number, and the lessons are about classes",
            "choose another target, turn it into bins, or say that its kind is nominal",
        )


def _all_different(cells: NumberValues | LevelValues) -> bool:
    """Whether the levels are numbers, another in every row."""
    if not isinstance(cells, LevelValues) or any(isinstance(level, (str, bool)) for level in cells.levels):
        return False
    seen = cells.codes[cells.codes > 0]
    return len(seen) > 2 and len(np.unique(seen)) == len(seen)


def bundled(name: str, *, target: str | None = None, **options: Any) -> LessonRows:
    """One of the tables of :mod:`treewright.datasets`.

    >>> bundled("play_tennis").left_out
    ('day',)
    """
    data = datasets.load(name)
    return rows_of(data.table, target or data.target, name=name, **options)


def _place(frame: Frame, column: str, name: str) -> int:
    place = frame.place(column)
    if place is None:
        raise DataError(f"{name} has no column {column!r} to leave out", frame.hint_for(column))
    return place


def _identifiers(frame: Frame, spoken_of: Sequence[Any], name: str) -> Iterator[str]:
    """Columns that only name the rows: those known to, those in which nearly every row has a level of its own, and
    numbers that are keys."""
    for place, column in enumerate(frame.names):
        if column in spoken_of:
            continue
        cells = cells_as_found(frame, place, leave_out=True)
        if NAMES_THE_ROWS.get(name) == column or _names_rows(cells) or _are_keys(frame, column, cells):
            yield column


def _are_keys(frame: Frame, column: str, cells: NumberValues | LevelValues) -> bool:
    if not isinstance(cells, NumberValues) or not frame.named:
        return False
    return finding_of(column, cells, named=True, leave_out=True).left_out


def _names_rows(cells: NumberValues | LevelValues) -> bool:
    if not isinstance(cells, LevelValues):
        return False
    known = cells.codes[cells.codes > 0]
    return looks_like_identifier(len(np.unique(known)), len(known))


def _kinds_of(frame: Frame, kinds: Mapping[str, Any] | None) -> dict[str, Any]:
    return {column: kind for column, kind in (kinds or {}).items() if frame.place(column) is not None}


def _values(column: CodedColumn, about: Column) -> Floats:
    """The numbers of the codes from 1 on, or the codes themselves for levels."""
    if about.kind is not Kind.NUMERIC:
        return np.arange(1.0, len(about.levels) + 1)
    if column.numbers is None:
        return np.asarray(column.lows, np.float64)
    return np.unique(column.numbers[~np.isnan(column.numbers)]).astype(np.float64)


def _occurring(column: Column, codes: Ints, values: Floats) -> tuple[Column, Ints, Floats]:
    """One column with only what occurs in it, and its codes anew."""
    if column.kind is Kind.ORDINAL:
        return column, codes, values
    seen = np.unique(codes[codes > 0])
    code_of = np.zeros(len(values) + 1, np.int64)
    code_of[seen] = np.arange(1, len(seen) + 1)
    if column.kind is Kind.NUMERIC:
        return column, code_of[codes], values[seen - 1]
    levels = tuple(column.levels[code - 1] for code in seen)
    return replace(column, levels=levels), code_of[codes], np.arange(1.0, len(seen) + 1)


def _filled(codes: Ints, kind: Kind) -> Ints:
    known = np.sort(codes[codes > 0])
    if not known.size:
        return codes
    usual = np.bincount(known).argmax() if kind is Kind.NOMINAL else known[(len(known) - 1) // 2]
    return np.where(codes == 0, usual, codes)


def _cells(codes: Ints, column: Column, values: Floats) -> list[Any]:
    cells: list[Any] = values.tolist() if column.kind is Kind.NUMERIC else list(column.levels)
    return [cells[code - 1] if code else None for code in codes]
