"""What is known about a file before and after it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from treewright.errors import DataError, TreewrightError

MISSING_TEXTS = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")


@dataclass(frozen=True)
class Told:
    """What the user says about a source; None is found out.

    ``missing`` are the texts that stand for no value. ``types`` are those columns shall have, ``columns`` the ones that
    are wanted, by name: a file of which they are a part is read faster.
    """

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool = True
    missing: Sequence[str] = MISSING_TEXTS
    sheet: str | None = None
    types: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] | None = None


class ColumnNote(str):
    """A remark on a file that is about one of its columns."""

    column: str

    @classmethod
    def of(cls, column: str, text: str) -> ColumnNote:
        made = cls(text)
        made.column = column
        return made


@dataclass(frozen=True)
class Contents:
    """A table as it was read, and what its file says about it: the target, kinds of columns, in words how it is kept.

    ``table`` is a polars data frame, ``chunks`` the same in parts; one of them is None.
    """

    words: str
    table: Any = None
    chunks: Iterator[Any] | None = None
    target: str | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def wanted_columns(told: Told, names: Sequence[str]) -> Sequence[str]:
    """The columns to read: all of them where one that is wanted is not there, so that an error can list them."""
    if told.columns is None or not set(told.columns) <= set(names):
        return names
    return [name for name in names if name in set(told.columns)]


def needed(module: str, what: str, extra: str = "cli") -> Any:
    """A package that is not always installed.

    >>> needed("no_such_package", "reading this")
    Traceback (most recent call last):
    ...
    treewright.errors.TreewrightError: reading this needs the package no_such_package. Hint: pip install
    'treewright[cli]'.
    """
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise TreewrightError(f"{what} needs the package {name}", f"pip install 'treewright[{extra}]'") from None


def polars() -> Any:
    return needed("polars", "reading files")


def unreadable(source: str, error: Exception, hint: str) -> DataError:
    """What a reader of somebody else's says, in one line."""
    reason = " ".join(str(error).partition("\n")[0].split()).rstrip(".")[:200]
    return DataError(f"cannot read {source!r}: {reason or type(error).__name__}", hint)
