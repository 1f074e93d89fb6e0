"""What a table was understood to hold: its columns, their kinds and levels, what is missing, and what is odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.argument_text import describe
from treewright.data.column_findings import Finding, finding_of
from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.frame import Frame, read_frame
from treewright.data.kinds import Wanted, cells_as_found, ordered_levels, read_kinds
from treewright.data.objects import MixedError
from treewright.data.schema import Kind, Level, Unit, text_of
from treewright.data.written_dates import DateFormat, dates_of
from treewright.display import Displayed, DisplayedRecord, Sheet, row_at

LEFT_OUT = "left out"
REFUSED = "refused"
_MOST_EXAMPLES = 3


@dataclass(frozen=True, repr=False)
class ColumnSummary(DisplayedRecord):
    """``levels`` of a column of levels, else ``low`` and ``high``; ``rows`` include those without a value.

    ``distinct`` is the number of different values, ``examples`` are a few of them as text. ``remarks`` say what is odd
    about the column; ``kind`` is "left out" of one that is not learned from, "refused" of one that cannot be.
    """

    name: str
    kind: str
    rows: int
    missing: int
    levels: tuple[Level, ...] = ()
    low: float | None = None
    high: float | None = None
    unit: str = Unit.NUMBER.value
    distinct: int = 0
    examples: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0


@dataclass(frozen=True, repr=False)
class Inspection(Displayed, Sequence[ColumnSummary]):
    """The columns of a table as fitting would take them; ``print`` and notebooks show them as a table."""

    columns: tuple[ColumnSummary, ...]
    n_rows: int

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnSummary]:
        return iter(self.columns)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name or its place."""
        return row_at(key, self.columns, [column.name for column in self.columns], "column")

    def with_remarks(self, remarks: Sequence[tuple[str, str]]) -> Inspection:
        """The same with further remarks on columns, by name: what a reader of files has to say."""
        columns = tuple(
            replace(column, remarks=(*(text for name, text in remarks if name == column.name), *column.remarks))
            for column in self.columns
        )
        return replace(self, columns=columns)

    @property
    def warnings(self) -> list[str]:
        """What is odd about the columns, and what to do."""
        return [remark for column in self.columns for remark in column.remarks]

    def _sheet(self) -> Sheet:
        cells: dict[str, list[Any]] = {
            "column": [column.name for column in self.columns],
            "kind": [column.kind for column in self.columns],
            "levels": [column.distinct for column in self.columns],
            "missing": [f"{column.missing_share:.1%}" for column in self.columns],
            "examples": [", ".join(column.examples) for column in self.columns],
            "warnings": ["!" if column.remarks else "" for column in self.columns],
        }
        if not self.warnings:
            del cells["warnings"]
        return Sheet(
            cells, f"{self.n_rows:,} rows, {len(self.columns)} columns", tuple(f"! {w}" for w in self.warnings)
        )

    def to_dict(self) -> dict[str, Any]:
        """Columns by name: the missing share as a number, examples and warnings as text."""
        return {
            **super().to_dict(),
            "missing": [column.missing_share for column in self.columns],
            "warnings": ["\n".join(column.remarks) for column in self.columns],
        }

    def to_frame(self) -> Any:
        from treewright.display import data_frame

        return data_frame(self.to_dict())


def inspect(table: Any, kinds: Mapping[Any, Any] | None = None) -> Inspection:
    """What fitting would take the columns of a table for: kind, number of levels, missing share, examples and warnings.

    A column is "left out" if it names the rows: text that differs in every row, or whole numbers that do
    and have the name of a key. Texts that are all dates are read as dates. Text that holds numbers or percentages,
    running numbers, and columns of very many levels are taken as they are, and warned about.

    >>> table = {"customer_id": [f"K{n}" for n in range(12)], "joined": [f"{n}.3.2024" for n in range(1, 13)]}
    >>> print(inspect({**table, "size": ["S", "M", "L", None] * 3}))
    12 rows, 3 columns
    column       kind      levels  missing  examples                            warnings
    customer_id  left out      12  0.0%     K0, K1, K10                         !
    joined       numeric       12  0.0%     2024-03-01, 2024-03-07, 2024-03-12  !
    size         nominal        3  25.0%    L, M, S
    ! column 'customer_id' looks like an identifier: 12 different values in 12 rows. It is left out. Hint: ...
    ! column 'joined' holds dates as text, such as '1.3.2024', and is read as dates, the day before the month. Hint: ...
    """
    frame = read_frame(table)
    return Inspection(summarise(frame, kinds), frame.n_rows)


describe([inspect])


def summarise(frame: Frame, kinds: Mapping[Any, Any] | None = None) -> tuple[ColumnSummary, ...]:
    """One record per column, kinds as ``fit`` would find them.

    >>> from treewright.data.frame import read_frame
    >>> for column in summarise(read_frame({"size": ["S", "L", None], "price": [3, 5, 4]})):
    ...     print(column.name, column.kind, column.missing, column.levels, column.low, column.high)
    size nominal 1 ('L', 'S') None None
    price numeric 0 () 3.0 5.0
    """
    wanted = read_kinds(kinds, frame)
    return tuple(_summary(frame, index, wanted.get(index)) for index in range(frame.n_columns))


def cells_of(frame: Frame, index: int, wanted: Wanted | None) -> NumberValues | LevelValues:
    """A column as the user wants it."""
    if isinstance(wanted, tuple):
        return ordered_levels(frame, index, wanted)
    if isinstance(wanted, DateFormat):
        return dates_of(frame, index, wanted)
    return frame.cells(index, wanted)


def _summary(frame: Frame, index: int, wanted: Wanted | None) -> ColumnSummary:
    name = frame.names[index]
    try:
        cells = cells_as_found(frame, index, leave_out=True) if wanted is None else cells_of(frame, index, wanted)
    except MixedError as error:  # fitting refuses it; the other columns are told of all the same
        return ColumnSummary(name, REFUSED, frame.n_rows, 0, (), remarks=(str(error),))
    found = Finding() if wanted is not None else finding_of(name, cells, named=frame.named, leave_out=True)
    if found.unit is not None:
        cells = frame.cells(index, Kind.NUMERIC)
    if isinstance(cells, NumberValues):
        return _of_numbers(name, cells, found)
    kind = wanted if isinstance(wanted, Kind) else Kind.ORDINAL if cells.ordered else Kind.NOMINAL
    missing = int(len(cells.codes) - np.count_nonzero(cells.codes))
    seen = cells.occurring_levels
    return ColumnSummary(
        name, LEFT_OUT if found.left_out else kind.value, len(cells.codes), missing, cells.levels, distinct=len(seen),
        examples=tuple(map(text_of, seen[:_MOST_EXAMPLES])), remarks=found.remarks,
    )  # fmt: skip


def _of_numbers(name: str, cells: NumberValues, found: Finding) -> ColumnSummary:
    values = cells.values
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
    kind = LEFT_OUT if found.left_out else Kind.NUMERIC.value
    distinct = np.unique(known)
    return ColumnSummary(
        name, kind, len(values), len(values) - len(known), (), low, high, cells.unit.value, len(distinct),
        _number_examples(distinct, cells.unit), found.remarks,
    )  # fmt: skip


def _number_examples(distinct: Any, unit: Unit) -> tuple[str, ...]:
    """The least, the middle and the greatest."""
    places = sorted({0, len(distinct) // 2, len(distinct) - 1}) if len(distinct) else []
    return tuple(_number_text(float(distinct[place]), unit) for place in places)


def _number_text(value: float, unit: Unit) -> str:
    if unit is Unit.DATE:
        return str(np.datetime64(int(value), "D"))
    if unit in (Unit.DATETIME, Unit.UTC_DATETIME):
        return str(np.datetime64(int(value), "s"))
    return f"{value:.6g}"
