"""The types in which a model expects to read its columns."""

from __future__ import annotations

from typing import Any

from treewright.data.readers.contents import polars
from treewright.data.schema import Kind, Level, Schema, Unit


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
    return polars().Float64 if unit in (Unit.NUMBER, Unit.DURATION) else polars().String


def _of_levels(levels: tuple[Level, ...]) -> Any:
    pl = polars()
    kinds = {type(level) for level in levels}
    if kinds == {bool}:
        return pl.Boolean
    if kinds == {int}:
        return pl.Int64
    return pl.Float64 if kinds and kinds <= {int, float} else pl.String
