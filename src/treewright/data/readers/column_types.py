"""The types in which a model expects to read its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.data.readers.contents import polars
from treewright.data.schema import Kind, Level, Schema, Unit
from treewright.data.written_numbers import written_number
from treewright.errors import DataError


def expected_types(schema: Schema) -> dict[str, Any]:
    """polars' type of every column and of the target: levels as they were learned, so that 01 is read as 1 again.

    >>> from treewright.data.schema import Column, Target
    >>> schema = Schema((Column("age", Kind.NUMERIC), Column("zip", Kind.NOMINAL, (1, 20))), Target("y", ("no", "yes")))
    >>> expected_types(schema)
    {'age': Float64, 'zip': Int64, 'y': String}
    """
    pl = polars()
    types = {column.name: _type(column.kind, column.unit, column.levels) for column in schema.columns}
    classes = schema.target.classes
    return {**types, schema.target.name: pl.Float64 if classes is None else _of_levels(classes)}


def _type(kind: Kind, unit: Unit, levels: tuple[Level, ...]) -> Any:
    if kind is not Kind.NUMERIC:
        return _of_levels(levels)
    return polars().Float64 if unit is Unit.NUMBER else polars().String


def _of_levels(levels: tuple[Level, ...]) -> Any:
    pl = polars()
    kinds = {type(level) for level in levels}
    if kinds == {bool}:
        return pl.Boolean
    if kinds == {int}:
        return pl.Int64
    return pl.Float64 if kinds and kinds <= {int, float} else pl.String


def cast_texts(table: Any, types: Mapping[str, Any]) -> Any:
    """Columns of text in other types; a text that does not fit is an error."""
    pl = polars()
    for name, kind in types.items():
        if name in table.columns and table.schema[name] == pl.String and kind != pl.String:
            table = table.with_columns(_cast(table[name], kind))
    return table


def _cast(column: Any, kind: Any) -> Any:
    pl = polars()
    texts = column
    if kind == pl.Boolean:
        texts = column.str.to_lowercase().replace({"true": "1", "false": "0"}).cast(pl.Int8, strict=False)
    made = texts.cast(kind, strict=False)
    odd = column.filter(made.is_null() & column.is_not_null())
    if kind == pl.Float64:  # a model may have learned from percentages and numbers with a decimal comma
        odd = odd.filter(pl.Series([not _is_number(text) for text in odd], dtype=pl.Boolean))
    if len(odd):
        raise OddCellError(column.name, str(odd[0]), kind)
    if kind == pl.Float64 and made.null_count() > column.null_count():
        return pl.Series(column.name, [None if text is None else written_number(text) for text in column], kind)
    return made


def _is_number(text: str) -> bool:
    try:
        written_number(text)
    except ValueError:
        return False
    return True


class OddCellError(DataError):
    """A text that is not of the type of its column."""

    def __init__(self, column: str, text: str, kind: Any, place: str | None = None) -> None:
        told = not_of_type(column, text, place, kind)
        super().__init__(told.problem, told.hint)
        self.column, self.text, self.kind = column, text, kind

    def __reduce__(self) -> Any:
        return type(self), (self.column, self.text, self.kind)


def not_of_type(column: str, text: str, place: str | None = None, kind: Any = None) -> DataError:
    wanted = "neither true nor false" if kind == polars().Boolean else "no number"
    return DataError(
        f"column {column!r} holds {text[:60]!r}{f' in {place}' if place else ''}, which is {wanted}",
        f"correct it, or say that it means missing with --na {text[:60]!r}",
    )
