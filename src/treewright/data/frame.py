"""Any table in, columns out: pandas, polars, Arrow, NumPy, lists and dictionaries of columns or rows."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues, as_floats
from treewright.data.columns import LEVELS, number_unit, read_column
from treewright.data.objects import SPLIT_COMPLEX, CellError
from treewright.data.schema import Kind, Unit
from treewright.errors import DataError
from treewright.typing import Array, Mask

_DENSIFY = "densify it first, for example with X.toarray()"
_ACCEPTED = (
    "pass a pandas or polars DataFrame, an Arrow table, a 2-D NumPy array, a list of rows, a list of dictionaries "
    "or a dictionary of columns"
)


@dataclass(frozen=True)
class Frame:
    """A table as it came. ``matrix`` is a 2-D array of plain numbers, never copied; otherwise ``raw`` has the columns.

    ``named`` is False when the input had no names: they are then x0, x1, …
    """

    names: tuple[str, ...]
    n_rows: int
    named: bool
    matrix: Array | None = None
    raw: tuple[Any, ...] = ()
    # Reading text is slow and learning needs it twice, once for the schema and once for the codes.
    memo: dict[tuple[int, bool | None], NumberValues | LevelValues] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def n_columns(self) -> int:
        return len(self.names)

    def unit(self, column: int) -> Unit | None:
        """The unit of a column whose type alone says that it is numeric, else None."""
        return Unit.NUMBER if self.matrix is not None else number_unit(self.raw[column])

    def cells(self, column: int, wanted: Kind | None = None) -> NumberValues | LevelValues:
        """The column read as what it looks like, or as ``wanted``."""
        name = self.names[column]
        if self.matrix is not None:
            return read_column(self.matrix[:, column], name, wanted)
        if wanted not in LEVELS and self.unit(column) is not None:
            return read_column(self.raw[column], name, wanted)
        key = (column, None if wanted is None else wanted in LEVELS)
        if key not in self.memo:
            cells = read_column(self.raw[column], name, wanted)
            self.memo[key] = self.memo[column, isinstance(cells, LevelValues)] = cells
        return self.memo[key]

    def floats(self) -> Array:
        """The matrix as floats: itself if it holds floats."""
        assert self.matrix is not None
        if self.matrix.dtype in (np.float32, np.float64):
            return self.matrix
        columns = [as_floats(self.matrix[:, column], name) for column, name in enumerate(self.names)]
        return np.column_stack(columns)

    def place(self, key: Any) -> int | None:
        """Which column a name or a number means, 0 being the first and -1 the last; None if there is no such column.

        Where columns are labelled by numbers, a number is a label before it is a place.
        """
        if isinstance(key, (bool, np.bool_)) or not isinstance(key, (str, int, np.integer)):
            return None
        if isinstance(key, str) or (not self.named and str(key) in self.names):
            return self.names.index(str(key)) if str(key) in self.names else None
        return int(key) % self.n_columns if -self.n_columns <= key < self.n_columns else None

    def hint_for(self, key: Any) -> str:
        """What to write instead of a column that does not exist."""
        close = get_close_matches(str(key), self.names, n=1)
        names = listing(self.names)
        return f"did you mean {close[0]!r}? The columns are {names}" if close else f"the columns are {names}"

    def without(self, column: int) -> Frame:
        """All columns but one."""
        names = _but(self.names, column)
        if self.matrix is not None:
            return Frame(names, self.n_rows, self.named, np.delete(self.matrix, column, axis=1))
        return Frame(names, self.n_rows, self.named, raw=_but(self.raw, column))

    def only(self, places: Sequence[int]) -> Frame:
        """These columns, in this order."""
        names = tuple(self.names[place] for place in places)
        if self.matrix is not None:
            return Frame(names, self.n_rows, self.named, self.matrix[:, list(places)])
        return Frame(names, self.n_rows, self.named, raw=tuple(self.raw[place] for place in places))

    def take(self, keep: Mask) -> Frame:
        """The rows where ``keep`` is true."""
        return self.in_order(np.flatnonzero(keep))

    def in_order(self, rows: Array) -> Frame:
        """The rows of these numbers, in this order."""
        if self.matrix is not None:
            return Frame(self.names, len(rows), self.named, self.matrix[rows])
        return Frame(self.names, len(rows), self.named, raw=tuple(_taken(self.raw, rows)))

    def in_arrays(self) -> Frame:
        """The same with columns of floats as arrays. Of these rows are taken, and read, in a tenth of the time: it pays
        where parts of a wide table are taken again and again."""
        if self.matrix is not None:
            return self
        return Frame(self.names, self.n_rows, self.named, raw=tuple(map(_floats_in_array, self.raw)))


def listing(names: Sequence[str], most: int = 20) -> str:
    """Names for a message.

    >>> listing(["a", "b", "c"], most=2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _but(items: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    return items[:index] + items[index + 1 :]


def _taken(columns: Sequence[Any], rows: Array) -> Iterator[Any]:
    """These rows of all columns; those of polars together, which takes as long for one column as for all."""
    of_polars = {str(place): column for place, raw in enumerate(columns) if (column := _in_polars(raw)) is not None}
    together = iter(_rows_of_polars(of_polars, rows) if of_polars else ())
    for place, raw in enumerate(columns):
        if str(place) in of_polars:
            yield next(together)
        else:
            yield [raw[row] for row in rows] if isinstance(raw, (list, tuple)) else raw[rows]


def _floats_in_array(raw: Any) -> Any:
    """Where nothing is missing, so that the column reads as before whatever it is wanted as."""
    is_series = hasattr(raw, "to_native") and hasattr(raw, "dtype")
    return raw.to_numpy() if is_series and raw.dtype.is_float() and not raw.null_count() else raw


def _in_polars(raw: Any) -> Any:
    native = raw.to_native() if hasattr(raw, "to_native") else None
    return native if type(native).__module__.startswith("polars") else None


def _rows_of_polars(columns: dict[str, Any], rows: Array) -> Iterator[Any]:
    import narwhals as nw

    return iter(nw.from_native(sys.modules["polars"].DataFrame(columns)[rows], eager_only=True).iter_columns())


def read_frame(table: Any) -> Frame:
    """Read any table; a frame is returned as it is.

    >>> frame = read_frame({"outlook": ["sunny", "rain"], "humidity": [85, 96]})
    >>> frame.names, frame.n_rows, frame.named
    (('outlook', 'humidity'), 2, True)
    >>> read_frame(np.zeros((3, 2))).names
    ('x0', 'x1')
    """
    if type(table) is np.ndarray and table.ndim == 2 and table.dtype.kind in "fiu":
        return _from_matrix(table)
    frame = table if isinstance(table, Frame) else _from_any(table)
    _check_shape(frame.n_rows, frame.n_columns)
    return frame


@lru_cache(maxsize=64)
def default_names(n_columns: int) -> tuple[str, ...]:
    """x0, x1, …: the names of columns that have none."""
    return tuple(f"x{column}" for column in range(n_columns))


def _from_matrix(matrix: Array) -> Frame:
    n_rows, n_columns = matrix.shape
    if not n_rows or not n_columns:
        _check_shape(n_rows, n_columns)
    return Frame(default_names(n_columns), n_rows, named=False, matrix=matrix)


def _check_shape(n_rows: int, n_columns: int) -> None:
    for count, what in ((n_columns, "feature"), (n_rows, "sample")):
        if count == 0:
            raise DataError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {n_columns})) while a minimum of 1 is required",
                "the table is empty: pass at least one row and one column",
            )


def _from_any(table: Any) -> Frame:
    if hasattr(table, "toarray") and hasattr(table, "nnz"):
        raise DataError(f"Sparse data is not supported: got a {type(table).__name__}", _DENSIFY)
    if isinstance(table, Mapping):
        return _from_columns(table)
    if isinstance(table, np.ndarray):
        return _from_array(table)
    if isinstance(table, (list, tuple)):
        return _from_rows(table)
    frame = _from_dataframe(table)
    if frame is not None:
        return frame
    if hasattr(table, "__array__") and not isinstance(table, np.generic):
        return _from_array(np.asarray(table))
    raise DataError(f"not a table: got {describe(table)}", _ACCEPTED)


def describe(value: Any) -> str:
    """A value in a message: small ones as they are, others by their type."""
    return f"{value!r}"[:60] if isinstance(value, (str, bytes, int, float, type(None))) else f"a {type(value).__name__}"


def _not_two_dimensional(shape: tuple[int, ...]) -> DataError:
    return DataError(
        f"Expected a 2-D table, got a {len(shape)}-D array of shape {shape}",
        "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row",
    )


def _from_array(array: Array) -> Frame:
    if array.dtype.names and array.ndim == 1:
        return _from_columns({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise _not_two_dimensional(array.shape)
    if array.dtype.kind == "c":
        raise CellError(f"Complex data not supported: the array is of type {array.dtype}", SPLIT_COMPLEX)
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64 if array.dtype.kind in "fiu" else object), np.nan)
    if array.dtype.kind in "fiu":
        return _from_matrix(np.asarray(array))
    names = default_names(array.shape[1])
    plain = np.asarray(array)
    return Frame(names, len(plain), named=False, raw=tuple(plain[:, column] for column in range(len(names))))


def _from_columns(columns: Mapping[Any, Any]) -> Frame:
    raw = tuple(_raw_column(name, values) for name, values in columns.items())
    lengths = {len(values) for values in raw}
    if len(lengths) > 1:
        described = ", ".join(f"{name!r} {len(values)}" for name, values in zip(columns, raw, strict=True))
        raise DataError(f"the columns differ in length: {described}", "give every column one cell per row")
    names, named = column_names(list(columns))
    return Frame(names, lengths.pop() if lengths else 0, named, raw=raw)


def _raw_column(name: Any, values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, (str, bytes, Mapping, Set)) or not hasattr(values, "__len__"):
        raise DataError(
            f"column {name!r} is not a sequence: got {describe(values)}",
            "give a list or an array for every column; for a single row pass a list with one dictionary",
        )
    series = as_series(values)
    if series is not None:
        return series
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"column {name!r} has shape {array.shape}", "give one cell per row")
    return array


def as_series(values: Any) -> Any:
    """A narwhals Series over a pandas, polars or Arrow column, else None."""
    import narwhals as nw

    if isinstance(values, np.ndarray):
        return None
    if type(values).__module__.startswith("pandas") and not hasattr(values, "iloc"):
        values = sys.modules["pandas"].Series(values)  # an Index, a Categorical or another bare array
    wrapped = nw.from_native(values, allow_series=True, pass_through=True)
    return wrapped if isinstance(wrapped, nw.Series) else None


def _from_rows(rows: Sequence[Any]) -> Frame:
    if not rows:
        return Frame((), 0, named=False)
    if all(isinstance(row, Mapping) for row in rows):
        names = dict.fromkeys(chain.from_iterable(rows))
        return _from_columns({name: [row.get(name) for row in rows] for name in names})
    odd = [row for row in rows if not _is_row(row)]
    if odd:
        raise _not_rows(rows, odd[0])
    _check_ragged(rows)
    if not len(rows[0]):
        return Frame((), len(rows), named=False)
    types = set(map(type, chain.from_iterable(rows)))
    if all(issubclass(kind, (int, float, np.integer, np.floating)) and kind is not bool for kind in types):
        matrix = np.asarray(rows)
        if matrix.dtype.kind != "O":  # integers beyond 64 bits stay objects, to be named when they are read
            return _from_matrix(matrix)
    raw = tuple(list(cells) for cells in zip(*rows, strict=True))
    return Frame(default_names(len(raw)), len(rows), named=False, raw=raw)


def _is_row(row: Any) -> bool:
    """Cells in order: no set, and no table within the table."""
    flat = hasattr(row, "__len__") and not hasattr(row, "columns") and getattr(row, "ndim", 1) == 1
    return flat and not isinstance(row, (str, bytes, Mapping, Set))


def _not_rows(rows: Sequence[Any], odd: Any) -> DataError:
    if all(isinstance(row, (str, bytes)) or not hasattr(row, "__len__") for row in rows):
        return _not_two_dimensional((len(rows),))
    return DataError(f"the list holds {describe(odd)}, which is not a row like the others", _ACCEPTED)


def _check_ragged(rows: Sequence[Any]) -> None:
    width = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) != width:
            raise DataError(
                f"the rows differ in length: row 0 has {width} cells, row {number} has {len(row)}",
                "give every row the same columns, with None for a missing cell",
            )


def _from_dataframe(table: Any) -> Frame | None:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    if type(table).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        table = sys.modules["pyarrow"].Table.from_batches([table])
    try:
        wrapped = nw.from_native(table, allow_series=True, pass_through=True)
        if isinstance(wrapped, nw.LazyFrame):
            wrapped = _collected(wrapped)
        if isinstance(wrapped, nw.Series):
            raise _not_two_dimensional((len(wrapped),))
        if not isinstance(wrapped, nw.DataFrame):
            return None
        labels: list[Any] = list(wrapped.columns)
    except DuplicateError:
        raise _duplicates(list(getattr(table, "column_names", getattr(table, "columns", ())))) from None
    names, named = column_names(labels)
    raw = tuple(wrapped.iter_columns())  # one by one would look through all names each time
    return Frame(names, len(wrapped), named, raw=raw)


def _collected(lazy: Any) -> Any:
    """The rows of a table that is still a query; what goes wrong then is told by whoever runs the query."""
    try:
        return lazy.collect()
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"the lazy table cannot be collected: {reason}", "call collect() to see more") from error


def column_names(labels: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    """Text labels are names. Labels that are all something else, such as 0, 1, …, only number the columns."""
    if len(set(labels)) < len(labels):
        raise _duplicates(labels)
    if all(isinstance(label, str) for label in labels):
        return tuple(str(label) for label in labels), True
    if any(isinstance(label, str) for label in labels):
        raise DataError(
            f"Feature names are only supported if all input features have string names, got {list(labels)}",
            "rename the columns, for example with X.columns = X.columns.astype(str)",
        )
    plain = list(labels) == list(range(len(labels)))
    return (default_names(len(labels)) if plain else tuple(str(label) for label in labels)), False


def _duplicates(labels: Sequence[Any]) -> DataError:
    twice = [label for label, times in Counter(labels).items() if times > 1]
    names = ", ".join(map(repr, twice))
    return DataError(f"column names must be unique: {names} occurs more than once", "rename the columns")
