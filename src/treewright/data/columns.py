"""One raw column, from whatever table it comes, to numbers or levels.

A raw column is a list of Python objects, a 1-D NumPy array or a narwhals Series.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.column_values import (
    LevelValues,
    NumberValues,
    declared_levels,
    exact_numbers,
    in_utc,
    levels_in_order,
    levels_of_numbers,
    numbers_of_times,
    require_exact,
)
from treewright.data.objects import SPLIT_COMPLEX, CellError, booleans, read_objects
from treewright.data.schema import Kind, Unit
from treewright.typing import Array

LEVELS = (Kind.NOMINAL, Kind.ORDINAL)
_FEW_TEXTS = 12  # that an array is compared with one after the other, which is quicker than looking up every row
_LONG = 2000  # rows of an array where that pays


def read_column(raw: Any, name: str, wanted: Kind | None = None) -> NumberValues | LevelValues:
    """The column's cells: of the kind it looks like, or as ``wanted``.

    >>> read_column(["b", "a", None, "b"], "grade").levels
    ('a', 'b')
    >>> read_column(np.array([3, 1, 2]), "zip", Kind.NOMINAL).levels
    (1, 2, 3)
    """
    if isinstance(raw, np.ndarray):
        return _read_array(raw, name, wanted)
    if isinstance(raw, (list, tuple)):
        return read_objects(raw, name, wanted)
    return _read_series(raw, name, wanted)


def number_unit(raw: Any) -> Unit | None:
    """The unit of a column whose type alone says that it is numeric, else None."""
    if isinstance(raw, (list, tuple)):
        return None
    if isinstance(raw, np.ndarray):
        kind = raw.dtype.kind
        if kind == "M":
            return Unit.DATE if np.datetime_data(raw.dtype)[0] in "YMWD" else Unit.DATETIME
        return Unit.NUMBER if kind in "fiu" else Unit.DURATION if kind == "m" else None
    return _series_unit(raw.dtype)


def _series_unit(dtype: Any) -> Unit | None:
    import narwhals as nw

    if dtype.is_numeric():
        return Unit.NUMBER
    if dtype == nw.Datetime and dtype.time_zone is not None:
        return Unit.UTC_DATETIME
    return {nw.Date: Unit.DATE, nw.Datetime: Unit.DATETIME, nw.Duration: Unit.DURATION}.get(dtype.base_type())


def _read_array(values: Array, name: str, wanted: Kind | None) -> NumberValues | LevelValues:
    kind = values.dtype.kind
    if kind in "fiu":
        numbers = exact_numbers(values, name) if wanted not in LEVELS or kind == "f" else NumberValues(values)
        return levels_of_numbers(numbers) if wanted in LEVELS else numbers
    if kind == "b":
        return NumberValues(values.astype(np.float32)) if wanted is Kind.NUMERIC else booleans(values)
    if kind in "Mm":
        return _read_times(values, name, wanted)
    if kind == "c":
        raise CellError(f"Complex data not supported: column {name!r} is of type {values.dtype}", SPLIT_COMPLEX)
    if kind == "U" and wanted is not Kind.NUMERIC and (few := _few_texts(values)):
        return levels_in_order(*few)
    return read_objects(values.tolist(), name, wanted)


def _few_texts(values: Array) -> tuple[Array, list[str]] | None:
    """Number the distinct texts of a long array as they appear; None where there are more than a few.

    >>> codes, texts = _few_texts(np.array(["no", "yes"] * 2000))
    >>> codes[:3].tolist(), texts
    ([0, 1, 0], ['no', 'yes'])
    """
    if len(values) < _LONG:
        return None
    codes, texts = np.full(len(values), -1, np.int64), list(dict.fromkeys(values[:_LONG].tolist()))
    for k in range(_FEW_TEXTS + 1):
        if k == len(texts):
            new = int(codes.argmin())
            if codes[new] >= 0:
                return codes, texts
            texts.append(str(values[new]))
        if len(texts) > _FEW_TEXTS:
            return None
        codes[values == texts[k]] = k
    return None


def _read_times(values: Array, name: str, wanted: Kind | None) -> NumberValues | LevelValues:
    if wanted not in LEVELS:
        return numbers_of_times(values)
    days = values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] in "YMWD"
    return read_objects(values.astype("M8[D]" if days else f"{values.dtype.kind}8[us]").tolist(), name, wanted)


def _read_series(series: Any, name: str, wanted: Kind | None) -> NumberValues | LevelValues:
    import narwhals as nw

    dtype = series.dtype
    if wanted is not Kind.NUMERIC:
        if dtype in (nw.Categorical, nw.Enum):
            return _categories(series)
        if dtype == nw.String:
            return levels_in_order(*_distinct(series))
    wide = dtype in (nw.Int128, nw.UInt128)  # NumPy has no such type
    if _series_unit(dtype) is None or (wanted in LEVELS and (wide or series.null_count())):
        has_missing = dtype != nw.Boolean or bool(series.null_count())
        return (
            read_objects(series.to_list(), name, wanted) if has_missing else _read_array(_bools(series), name, wanted)
        )
    if dtype.is_integer() and series.null_count() < len(series) and wanted not in LEVELS:
        require_exact(int(series.min()), int(series.max()), name)
    if dtype.is_decimal() or wide:
        series = series.cast(nw.Float64)
    read = _read_array(series.to_numpy(), name, wanted)
    return in_utc(read) if isinstance(read, NumberValues) and _series_unit(dtype) is Unit.UTC_DATETIME else read


def _bools(series: Any) -> Array:
    """Some tables keep booleans as objects even where none is missing."""
    return np.asarray(series.to_numpy(), dtype=np.bool_)


def _distinct(series: Any) -> tuple[Array, list[Any]]:
    """Number the distinct texts of a series, -1 for missing, without visiting the rows from Python."""
    import narwhals as nw

    if series.implementation.is_pandas_like():
        codes, uniques = series.to_native().factorize()
        return np.asarray(codes), list(uniques)
    uniques = series.drop_nulls().unique().to_list()
    if not uniques:
        return np.full(len(series), -1, dtype=np.int64), uniques
    numbered = series.replace_strict(uniques, list(range(len(uniques))), return_dtype=nw.Int64)
    return numbered.fill_null(-1).to_numpy(), uniques


def _categories(series: Any) -> LevelValues:
    """Declared levels where the table's type has them; polars' Categorical only pools texts, so it reads as text."""
    import narwhals as nw

    native = series.to_native()
    if series.implementation.is_pandas_like() and hasattr(native, "cat"):
        return declared_levels(native.cat.codes.to_numpy(), native.cat.categories.tolist(), bool(native.cat.ordered))
    if series.implementation.is_pyarrow():
        return _dictionary_array(native)
    if series.dtype == nw.Enum:
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return declared_levels(codes, series.dtype.categories, ordered=True)
    return levels_in_order(*_distinct(series.cast(nw.String)))


def _dictionary_array(native: Any) -> LevelValues:
    """An Arrow dictionary column; its chunks may each have had a dictionary of their own."""
    array = native.unify_dictionaries().combine_chunks()
    chunk = array.chunk(0) if hasattr(array, "chunk") else array
    codes = chunk.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return declared_levels(codes, chunk.dictionary.to_pylist(), bool(native.type.ordered))
