"""The target: classes as codes, or numbers; rows whose target is missing are to be left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from treewright.data.column_findings import looks_like_identifier
from treewright.data.column_values import (
    InexactError,
    LevelValues,
    NumberValues,
    level_of,
    levels_of_numbers,
    occurring,
    smallest_unsigned,
)
from treewright.data.columns import read_column
from treewright.data.frame import as_series, describe
from treewright.data.objects import COMPLEX, MISSING, UNHASHABLE, MixedError, family_of
from treewright.data.schema import Kind, Level, Unit
from treewright.data.user_warnings import warn_user
from treewright.errors import DataError, OneClassError, shown
from treewright.typing import Array, Codes, Floats, Mask

_PLAIN_LABELS = {str, int, bool, float, type(None)}
_DENSE_RANGE = 1 << 16  # integer classes within so small a range are counted, not sorted
MOST_CLASSES = 10_000  # a tree that tells them all apart has twice as many nodes, and every node counts every class
_WIDEST_CLASS = 1024  # bytes
_MOST_CLASS_NUMBERS = 10  # of more different numbers a target is a number
_FIRST_LOOK = 1000  # rows, which tell most numbers from classes
LARGEST_NUMBER = 1e100  # the sum of w·y² has to be a float64, see LARGEST_TOTAL
SMALLEST_NUMBER = 1e-100  # likewise, if numbers differ at all


@dataclass(frozen=True)
class TargetColumn:
    """A target that was a column of the table: its name and its cells, already read."""

    name: str
    cells: NumberValues | LevelValues

    def __len__(self) -> int:
        return len(self.cells.values if isinstance(self.cells, NumberValues) else self.cells.codes)


def encode_classes(
    y: Any, n_rows: int | None = None, *, declared: bool = False
) -> tuple[tuple[Level, ...], Codes, Mask | None]:
    """The classes in order, the code of every row's class from 0, and which rows to keep (None: all).

    Classes are sorted, those of a categorical type in its order. Classes that do not occur are left out, unless those
    that such a type declares are asked for. The code of a row that is not kept means nothing.

    >>> classes, codes, keep = encode_classes(["yes", "no", "yes"])
    >>> classes, codes.tolist(), keep
    (('no', 'yes'), [1, 0, 1], None)
    """
    column = read_target(y, n_rows)
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        found = _count_integers(column)
        if found is not None:
            return found
    if not isinstance(column, TargetColumn):
        refuse_other_labels(column, "y")
    cells = _class_levels(column, declared)
    keep = _kept(cells.codes != 0, _called(column))
    codes = np.maximum(cells.codes, 1) - 1
    return cells.levels, codes.astype(smallest_unsigned(len(cells.levels)), copy=False), keep


def refuse_other_labels(column: Any, called: str) -> None:
    """Refuse labels that a prediction would give back as their text: only text, numbers and truth values are kept."""
    odd = next((label for label in _labels(column) if not _is_kept(label)), None)
    if odd is not None:
        raise DataError(
            f"{called} holds a {type(odd).__name__}, {shown(odd)}, and predictions could only be its text: classes are "
            "text, numbers or truth values",
            "make text of them, for example with y.astype(str); bytes with .decode()",
        )


def _labels(column: Any) -> Iterable[Any]:
    """Labels of a raw column whose types do not say that they are text, numbers or truth values."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufUMm":
        return column if column.dtype.kind in "Mm" else []
    if isinstance(column, (list, tuple, np.ndarray)):
        labels = list(column)
        return [] if set(map(type, labels)) <= _PLAIN_LABELS else labels
    import narwhals as nw

    if column.dtype in (nw.Categorical, nw.Enum):
        native = column.to_native()
        return list(native.cat.categories) if column.implementation.is_pandas_like() else []
    is_plain = column.dtype.is_numeric() or column.dtype in (nw.String, nw.Boolean)
    return [] if is_plain else column.to_list()


def _is_kept(label: Any) -> bool:
    if isinstance(label, Decimal) or family_of(type(label)) in (MISSING, COMPLEX, UNHASHABLE):
        return True  # what cannot be a cell at all is refused by whoever reads it
    try:
        return bool(label != label or level_of(label) == label)
    except (TypeError, ValueError, ArithmeticError):
        return False


def check_classes(classes: tuple[Level, ...], codes: Codes) -> None:
    """Refuse a target that has nothing to tell apart or too much; warn if it looks like an identifier.

    ``codes`` are those of the rows. Classes may be declared that none of them has.
    """
    occurring, n_rows = np.flatnonzero(np.bincount(codes, minlength=len(classes))), len(codes)
    if len(occurring) == 1:
        label = classes[occurring[0]]
        refusal = OneClassError(
            f"the target has only one class, {label!r}: there is nothing to tell apart",
            "check that the target is the right column",
        )
        refusal.label = label
        raise refusal
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"the target has {len(classes):,} classes, and every node counts each (the limit is {MOST_CLASSES:,})",
            "check that the target is the right column; if it is a number use a regressor, else group the classes",
        )
    if looks_like_identifier(len(occurring), n_rows):
        warn_user(
            f"the target looks like an identifier: {len(occurring)} different classes in {n_rows} rows. "
            "Hint: check that it is the right column."
        )


def means_classes(values: Array) -> bool:
    """Whether numbers are taken for classes where nobody says: whole numbers, two to ten different ones.

    >>> means_classes(np.array([0, 1, 1])), means_classes(np.array([0.5, 1])), means_classes(np.arange(11))
    (True, False, False)
    """
    if _n_whole(values[:_FIRST_LOOK]) > _MOST_CLASS_NUMBERS:
        return False
    return 1 < _n_whole(values) <= _MOST_CLASS_NUMBERS


def _n_whole(values: Array) -> float:
    """How many different numbers there are; infinitely many if one is not whole."""
    distinct = np.unique(values if values.dtype.kind in "iu" else values[~np.isnan(values)])
    is_whole = np.isfinite(distinct) & (distinct == np.rint(distinct))
    return len(distinct) if is_whole.all() else math.inf


def class_array(classes: tuple[Level, ...]) -> Array:
    """The classes as scikit-learn keeps them: an array of their common type, of objects if there is none.

    Nor is there one for integers beyond 64 bits, or for text that NumPy would shorten (it drops a NUL at the end) or
    make room for in every row of a prediction.
    """
    made = np.array(classes, dtype=None if len({type(label) for label in classes}) == 1 else object)
    as_given = made.tolist() == list(classes) and made.itemsize <= _WIDEST_CLASS
    return made if as_given else np.array(classes, dtype=object)


def encode_numbers(y: Any, n_rows: int | None = None) -> tuple[Floats, Mask | None]:
    """The numbers as float64 and which rows to keep (None: all); NaN in the rows that are not kept.

    >>> encode_numbers([1, 2.5, 4])[0].tolist()
    [1.0, 2.5, 4.0]
    """
    column = read_target(y, n_rows)
    called = _called(column)
    cells = _numbers_of_booleans(column.cells if isinstance(column, TargetColumn) else _read_numbers(column))
    if isinstance(cells, LevelValues):
        raise DataError(
            f"{called} holds {cells.levels[0]!r}, but a regressor predicts numbers",
            "use a classifier, or convert the target to numbers",
        )
    if cells.unit is not Unit.NUMBER:
        raise DataError(
            f"{called} holds dates or times, but a regressor predicts numbers", "pass days or seconds as numbers"
        )
    values = cells.values.astype(np.float64)
    _refuse_endless(values, called)
    _refuse_tiny(values, called)
    return values, _kept(~np.isnan(values), called)


def _read_numbers(column: Any) -> NumberValues | LevelValues:
    try:
        return read_column(column, "y")
    except InexactError as error:
        raise DataError(error.problem, "divide y, or pass it as floats") from None


def _numbers_of_booleans(cells: NumberValues | LevelValues) -> NumberValues | LevelValues:
    """Truth values are 0 and 1 to a regressor; anything else is returned as it is."""
    if isinstance(cells, LevelValues) and set(map(type, cells.levels)) == {bool}:
        return NumberValues(np.array([np.nan, *cells.levels])[cells.codes])
    return cells


def _refuse_endless(values: Floats, called: str) -> None:
    size = np.abs(values)
    if np.nanmax(size, initial=0.0) <= LARGEST_NUMBER:
        return
    row = int(np.nanargmax(size))
    what = "infinity" if np.isinf(values[row]) else f"a number too large to be squared: {values[row]:g}"
    raise DataError(
        f"Input {called} contains {what} in row {row}", "correct the row, or make it missing to leave it out"
    )


def _refuse_tiny(values: Floats, called: str) -> None:
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if 0 < largest < SMALLEST_NUMBER and np.nanmin(values) < np.nanmax(values):
        raise DataError(
            f"{called} holds numbers too small to be squared: none is beyond {largest:g}",
            "multiply the target, for example by a power of ten",
        )


def _called(column: Any) -> str:
    """The target's name in messages."""
    return f"column {column.name!r}" if isinstance(column, TargetColumn) else "y"


def read_target(y: Any, n_rows: int | None = None) -> Any:
    """The target as one raw column, checked for its shape and, if ``n_rows`` is given, its length."""
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None", "pass one target per row")
    column = y if isinstance(y, TargetColumn) else _one_column(y)
    if n_rows is not None and len(column) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y has {len(column)}",
            "give one target per row",
        )
    if len(column) == 0:
        raise DataError("y has no rows: found 0 sample(s) while a minimum of 1 is required", "pass at least one row")
    return column


def _one_column(y: Any) -> Any:
    if isinstance(y, np.ndarray):
        return _flat(y)
    if isinstance(y, (str, bytes, Mapping, Set)) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise DataError(f"y should be a 1d array, got {describe(y)}", "pass one target per row, as a list or an array")
    if hasattr(y, "toarray") and hasattr(y, "nnz"):
        raise DataError("Sparse data is not supported: y is sparse", "densify it first, for example with y.toarray()")
    if isinstance(y, (list, tuple)):
        return _flat_rows(y) if y and all(isinstance(cell, (list, tuple, np.ndarray)) for cell in y) else y
    series = as_series(y)
    return series if series is not None else _flat_table(y)


def _flat_rows(y: Sequence[Any]) -> Any:
    """Rows of one cell each; rows that make no array are left to whoever reads cells."""
    try:
        rows = np.asarray(y)
    except ValueError:
        return y
    return _flat(rows)


def _flat_table(y: Any) -> Any:
    """A data frame of one column, or whatever NumPy makes of it."""
    import narwhals as nw

    frame = nw.from_native(y, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return _flat(np.asarray(y))
    if frame.shape[1] != 1:
        raise _several_targets(frame.shape)
    _warn_column_vector()
    return frame[:, 0]


def _flat(y: Array) -> Array:
    if y.ndim == 1:
        return np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        _warn_column_vector()
        return np.asarray(y).ravel()
    raise _several_targets(y.shape)


def _several_targets(shape: tuple[int, ...]) -> DataError:
    return DataError(f"y should be a 1d array, got an array of shape {shape} instead", "fit one model per target")


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warn_user(
        "A column-vector y was passed when a 1d array was expected. "
        "Please change the shape of y to (n_samples, ), for example using ravel().",
        DataConversionWarning,
    )


def _count_integers(y: Array) -> tuple[tuple[Level, ...], Codes, None] | None:
    """Classes and codes by counting, without sorting; None if the integers are far apart."""
    low = int(y.min())
    span = int(y.max()) - low + 1
    if span > _DENSE_RANGE:
        return None
    offsets = (y - y.dtype.type(low) if y.dtype.kind == "u" else y.astype(np.int64) - low).astype(np.int64, copy=False)
    present = np.flatnonzero(np.bincount(offsets, minlength=span))
    code_of = np.zeros(span, dtype=smallest_unsigned(len(present)))
    code_of[present] = np.arange(len(present))
    return tuple((present + low).tolist()), code_of[offsets], None


def _class_levels(column: Any, declared: bool) -> LevelValues:
    """The target as levels that occur or are ``declared``; numbers only where they can be meant as classes."""
    cells = column.cells if isinstance(column, TargetColumn) else _read_levels(column)
    levels = levels_of_numbers(cells) if isinstance(cells, NumberValues) else cells
    _refuse_continuous(levels.levels, _called(column))
    return occurring(levels) if levels.declared and not declared else levels


def _read_levels(column: Any) -> LevelValues:
    """A mixture of types is refused, as no order of the classes would be right."""
    try:
        cells = read_column(column, "y", Kind.NOMINAL if _is_plain(column) else None)
    except MixedError as error:
        raise DataError(error.problem, "convert y to one type, for example with astype(str)") from None
    except InexactError:  # integers of any size tell classes apart
        cells = read_column(column, "y", Kind.NOMINAL)
    if isinstance(cells, NumberValues):
        cells = read_column(column, "y", Kind.NOMINAL)
    assert isinstance(cells, LevelValues)
    return cells


def _is_plain(column: Any) -> bool:
    """NumPy arrays but for objects are of one type, so that they cannot be mixed."""
    return isinstance(column, np.ndarray) and column.dtype.kind not in "OV"


def _refuse_continuous(classes: tuple[Level, ...], called: str) -> None:
    odd = next((level for level in classes if isinstance(level, float) and not level.is_integer()), None)
    if odd is None:
        return
    if math.isinf(odd):
        raise DataError(f"Input {called} contains infinity, which is no class", "correct it or make it missing")
    raise DataError(
        f"Unknown label type: continuous. A classifier expects classes, but {called} holds numbers such as {odd!r}",
        "use a regressor, or turn the target into text or into bins",
    )


def _kept(known: Mask, called: str) -> Mask | None:
    if known.all():
        return None
    n_missing = int(len(known) - np.count_nonzero(known))
    if n_missing == len(known):
        raise DataError(
            f"Input {called} contains NaN only: the target of every row is missing", "pass the target values"
        )
    warn_user(f"{n_missing} of {len(known)} rows have no target and are left out. Hint: drop them to silence this.")
    return known
