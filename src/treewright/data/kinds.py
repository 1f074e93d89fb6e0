"""Which kind each column is: what its type suggests, or what the user says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from treewright.data.column_findings import (
    IDENTIFIER_ROWS,
    RUNNING_ROWS,
    finding_of,
    is_running,
    named_like_key,
    warn_of_columns,
)
from treewright.data.column_values import InexactError, LevelValues, NumberValues, level_of
from treewright.data.frame import Frame
from treewright.data.level_codes import match_levels, require_known
from treewright.data.schema import Column, Kind, Level, Schema, Target, Unit, left_out
from treewright.data.written_dates import DateFormat, dates_of, is_date_format
from treewright.errors import OptionError, shown

_KINDS = "'numeric', 'ordinal', 'nominal', a list of levels in order, or how dates are written, such as '%m/%d/%Y'"
_FOUND_DATES = "dates such as 2024-05-31 or 31.5.2024 are recognised"
_DATES = ("date", "dates", "datetime", "time")
Wanted: TypeAlias = Kind | tuple[Level, ...] | DateFormat


def make_schema(
    frame: Frame,
    target: Target,
    kinds: Mapping[Any, Any] | None = None,
    *,
    unused: bool = False,
    leave_out: bool = False,
) -> Schema:
    """Say what every column is.

    Text, booleans and unordered categories are nominal, ordered categories (pandas ordered, polars Enum) ordinal with
    their declared levels, numbers numeric, dates and times numeric with a unit. ``kinds`` overrules this by column name
    (or by index): "numeric", "ordinal", "nominal", for ordinal the list of levels in order, or how dates are written,
    such as "%m/%d/%Y". ``unused``: nominal columns have all levels that are declared, not only those that occur.

    What is odd about a column is warned about (see ``column_findings``); texts that are all dates are read as such.
    With ``leave_out`` columns that name the rows, text that differs in every row or whole numbers that do
    and are named like a key, are left out: they have no levels. What ``kinds`` says is done, without a remark.

    >>> from treewright.data.frame import read_frame
    >>> frame = read_frame({"size": ["S", "L", "M"], "price": [3, 5, 4]})
    >>> [column.kind.value for column in make_schema(frame, Target("bought"), {"size": ["S", "M", "L"]}).columns]
    ['ordinal', 'numeric']
    """
    if frame.matrix is not None and not kinds:
        return Schema(_numeric_columns(frame.names), target)
    wanted = read_kinds(kinds, frame)
    told: list[tuple[str, str]] = []
    columns = [
        _ordinary_column(frame, index, unused, leave_out, told)
        if wanted.get(index) is None
        else _wanted_column(frame, index, wanted[index], unused)
        for index in range(frame.n_columns)
    ]
    warn_of_columns(told)
    return Schema(tuple(columns), target)


@lru_cache(maxsize=64)
def _numeric_columns(names: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(Column(name, Kind.NUMERIC) for name in names)


def read_kinds(kinds: Mapping[Any, Any] | None, frame: Frame) -> dict[int, Wanted]:
    """The user's ``kinds`` by column index."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise OptionError(f"kinds must be a dictionary, got {shown(kinds)}", 'for example kinds={"zip": "nominal"}')
    return {_index_of(key, frame): _read_kind(key, kind) for key, kind in kinds.items()}


def _index_of(key: Any, frame: Frame) -> int:
    place = frame.place(key)
    if place is None:
        raise OptionError(f"kinds names a column that does not exist: {key!r}", frame.hint_for(key))
    return place


def _read_kind(key: Any, kind: Any) -> Wanted:
    if isinstance(kind, (list, tuple)):
        levels = tuple(level_of(level) for level in kind)
        if not levels or len(set(levels)) < len(levels):
            raise OptionError(
                f"kinds={{{key!r}: {shown(kind)}}} is not accepted", "list every level of the column once"
            )
        return levels
    if is_date_format(kind):
        return DateFormat(kind)
    try:
        return Kind(kind)
    except ValueError:
        hint = f"a kind is {_KINDS}"
        if kind in _DATES:
            hint = (
                "dates are recognised where they are written as 2024-05-31 or 31.5.2024; for others say how they are "
            )
            hint += f'written, as in kinds={{{key!r}: "%m/%d/%Y"}}'
        raise OptionError(f"kinds={{{key!r}: {shown(kind)}}} is not accepted", hint) from None


def _ordinary_column(frame: Frame, index: int, unused: bool, leave_out: bool, told: list[tuple[str, str]]) -> Column:
    """A column whose kind nobody has given; ``told`` gets the remarks on it, by its name."""
    unit = frame.unit(index)
    if unit is not None and not _may_name_rows(frame, index, unit):
        return Column(frame.names[index], Kind.NUMERIC, unit=unit)  # without reading it whole
    name, cells = frame.names[index], cells_as_found(frame, index, leave_out=leave_out)
    found = finding_of(name, cells, named=frame.named, leave_out=leave_out)
    told.extend((name, remark) for remark in found.remarks)
    if found.left_out:
        return left_out(name)
    if isinstance(cells, NumberValues):
        return Column(name, Kind.NUMERIC, unit=cells.unit)
    if found.unit is not None:
        return Column(name, Kind.NUMERIC, unit=found.unit)
    return Column(name, Kind.ORDINAL, cells.levels) if cells.ordered else _nominal(cells, name, unused)


def _may_name_rows(frame: Frame, index: int, unit: Unit) -> bool:
    """Whether numbers have the name of a key, or begin as running numbers do."""
    if not frame.named or unit is not Unit.NUMBER or frame.n_rows < IDENTIFIER_ROWS or frame.matrix is not None:
        return False
    if named_like_key(frame.names[index]):
        return True
    raw = frame.raw[index]
    values = raw if isinstance(raw, np.ndarray) else getattr(raw.to_native(), "values", None)  # quick in pandas
    if not isinstance(values, np.ndarray):
        values = raw.to_numpy()
    return values.dtype.kind in "fiu" and is_running(values[:RUNNING_ROWS])


def names_rows(frame: Frame, index: int) -> bool:
    """Whether fitting would leave the column out, if nobody gave its kind: it names the rows."""
    unit = frame.unit(index)
    if unit is not None and not _may_name_rows(frame, index, unit):
        return False
    cells = cells_as_found(frame, index, leave_out=True)
    return finding_of(frame.names[index], cells, named=frame.named, leave_out=True).left_out


def cells_as_found(frame: Frame, index: int, *, leave_out: bool) -> NumberValues | LevelValues:
    """The column as it looks. Keys may be numbers too large to compare; they are none to compare."""
    try:
        return frame.cells(index)
    except InexactError:
        if not leave_out or not named_like_key(frame.names[index]):
            raise
        cells = frame.cells(index, Kind.NOMINAL)
        assert isinstance(cells, LevelValues)
        return LevelValues(cells.codes, tuple(map(str, cells.levels)), declared=True)


def _wanted_column(frame: Frame, index: int, wanted: Wanted, unused: bool) -> Column:
    name = frame.names[index]
    if isinstance(wanted, tuple):
        return Column(name, Kind.ORDINAL, ordered_levels(frame, index, wanted).levels)
    if isinstance(wanted, DateFormat):
        return Column(name, Kind.NUMERIC, unit=dates_of(frame, index, wanted).unit, format=wanted.text)
    cells = frame.cells(index, wanted)
    if not isinstance(cells, LevelValues):
        return Column(name, Kind.NUMERIC, unit=cells.unit)
    return _ordinal(cells, name) if wanted is Kind.ORDINAL else _nominal(cells, name, unused)


def ordered_levels(frame: Frame, index: int, levels: tuple[Level, ...]) -> LevelValues:
    """The column with its levels in the order the user lists them; one that is not in the list is an error."""
    column = Column(frame.names[index], Kind.ORDINAL, levels)
    cells = frame.cells(index, Kind.ORDINAL)
    assert isinstance(cells, LevelValues)
    require_known(cells, column, "the list given in kinds")
    return LevelValues(match_levels(cells, column), levels, declared=True, ordered=True)


def _ordinal(cells: LevelValues, name: str) -> Column:
    if not cells.declared and any(isinstance(level, str) for level in cells.levels):
        raise OptionError(
            f"column {name!r} cannot be ordinal: the order of its levels is not known",
            f"list the levels in order: kinds={{{name!r}: {list(cells.levels[:6])}}}",
        )
    return Column(name, Kind.ORDINAL, cells.levels)


def _nominal(cells: LevelValues, name: str, unused: bool) -> Column:
    return Column(name, Kind.NOMINAL, cells.levels if unused else cells.occurring_levels)
