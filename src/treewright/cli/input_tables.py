"""Tables for commands: read as the options say, columns chosen, and what was understood put into words."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.cli.arguments.option_values import parsed
from treewright.cli.arguments.shared_options import Choosing, Reading, Talk
from treewright.cli.output import columns, detail, say, warn
from treewright.cli.saved_models import schema_of
from treewright.errors import DataError, OptionError, TreewrightWarning

_MOST_LEVELS = 6  # that are shown
_MOST_COLUMNS = 40


@dataclass(frozen=True)
class Chosen:
    """A table to learn from: all columns but those dropped and the weights, and what is known about them."""

    frame: Any
    target: str
    kinds: dict[str, Any]
    weights: Any
    words: str


def told(reading: Reading, **more: Any) -> Any:
    """The options as the readers take them."""
    from treewright.data.readers import Told

    missing: dict[str, Any] = {} if reading.na is None else {"missing": tuple(reading.na)}
    return Told(
        reading.format, reading.delimiter, reading.quote, reading.encoding, reading.decimal, not reading.no_header,
        sheet=reading.sheet, **missing, **more,
    )  # fmt: skip


def choose(data: str, reading: Reading, choosing: Choosing, talk: Talk) -> Chosen:
    """Read a table whole and find the target in it."""
    from treewright.data.frame import read_frame
    from treewright.data.readers import read_table
    from treewright.data.readers.contents import ColumnNote

    contents = read_table(data, told(reading, types=as_written(choosing.kinds)))
    table = _without(contents.table, choosing.drop or [])
    target = _target(table, contents.target if choosing.target is None else choosing.target, talk)
    if table[target].null_count() == table.height:
        raise DataError(f"the target {target!r} of {data!r} is empty", "choose another column with --target")
    weights, table = _weights(table, choosing.weights, target)
    kinds = kinds_of(contents, table, choosing.kinds)
    for note in contents.notes:
        if not isinstance(note, ColumnNote) or (note.column in table.columns and note.column not in kinds):
            warn(talk, note)
    if table.width == 1:
        raise DataError(
            f"{data!r} has no column but {target!r} to learn from",
            "if there should be more, say what separates them with --delimiter",
        )
    return Chosen(read_frame(table), target, kinds, weights, contents.words)


def parts_of(chosen: Chosen, talk: Talk | None = None) -> tuple[Any, Any, Any]:
    """The columns, the target and the kinds of columns, as ``fit`` would see them; without ``talk`` nothing is said, as
    whoever uses the parts says it all again."""
    from treewright.model.fitting import prepare

    with remarks(talk or Talk(quiet=True)):
        estimator, y = prepare(chosen.frame, chosen.target, "cart", {"kinds": chosen.kinds or None})
    return chosen.frame.without(chosen.frame.names.index(chosen.target)), y, estimator.kinds


def is_numbers(y: Any) -> bool:
    """Whether a target was read as numbers, not as classes."""
    from treewright.data.column_values import NumberValues

    return isinstance(y.cells, NumberValues)


def split_names(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """Names that are given one by one or between commas; a name may hold a comma itself.

    >>> split_names(["a,b", "c,d"], ["a", "b", "c,d"])
    ['a', 'b', 'c,d']
    """
    return [name for text in texts for name in ([text] if text in known else text.split(","))]


def _without(table: Any, texts: list[str]) -> Any:
    names = split_names(texts, table.columns)
    for name in names:
        _require(name, table.columns, "--drop")
    return table.drop(names)


def _require(name: str, known: list[str], option: str) -> None:
    from difflib import get_close_matches

    from treewright.data.frame import listing

    if name not in known:
        close = get_close_matches(name, known, n=1)
        names = listing(known)
        hint = f"did you mean {close[0]!r}? The columns are {names}" if close else f"the columns are {names}"
        raise DataError(f"there is no column {name!r} for {option}", hint)


def _target(table: Any, wanted: str | None, talk: Talk) -> str:
    if wanted is None:
        name = str(table.columns[-1])
        say(talk, f"The target is {name!r}, the last column; --target chooses another.")
        return name
    _require(wanted, table.columns, "--target")
    return wanted


def _weights(table: Any, name: str | None, target: str) -> tuple[Any, Any]:
    if name is None:
        return None, table
    _require(name, table.columns, "--weights")
    if name == target:
        raise OptionError(f"{name!r} cannot be both the target and the weights", "choose another column")
    column = table[name]
    if not column.dtype.is_numeric():
        raise DataError(f"the weights {name!r} are not all numbers", "give a column of numbers without missing values")
    odd = (column.is_null() | ~column.cast(float).is_finite() | (column < 0)).fill_null(True)
    if odd.any():
        place = int(odd.arg_max() or 0)
        words = "missing" if column[place] is None else column[place]
        raise DataError(
            f"the weight {name!r} of row {place + 1} (the first below the names is 1) is {words}",
            "weights are numbers of zero or more, none of them missing",
        )
    return column.to_numpy(), table.drop(name)


def read_kinds(given: list[str], names: list[str]) -> dict[str, Any]:
    """Kinds from the command line: ``zip=nominal``, ``size=S<M<L``, or a JSON file with such a mapping."""
    kinds = _kinds_told(given)
    for name in kinds:
        _require(name, names, "--kinds")
    return kinds


def _kinds_told(given: list[str]) -> dict[str, Any]:
    kinds: dict[str, Any] = {}
    for text in (part for whole in given for part in re.split(r",(?=[^,=<]+=)", whole)):
        name, _, kind = text.rpartition("=")
        if not name and text.endswith(".json"):
            kinds |= _kinds_file(text)
        elif not name or not kind:
            raise OptionError(
                f"--kinds {text!r} is not accepted", "write COLUMN=nominal, COLUMN='S<M<L' or COLUMN=%m/%d/%Y"
            )
        else:
            kinds[name] = kind.split("<") if "<" in kind else kind
    return kinds


def as_written(given: list[str] | None) -> dict[str, Any]:
    """Columns of dates of which the user says how they are written: the reader is to leave them as texts."""
    from treewright.data.readers.contents import polars
    from treewright.data.written_dates import is_date_format

    return {name: polars().String for name, kind in _kinds_told(given or []).items() if is_date_format(kind)}


def kinds_of(contents: Any, table: Any, given: list[str] | None) -> dict[str, Any]:
    """Kinds as the file declares them, or as the user says."""
    declared = {name: kind for name, kind in contents.kinds.items() if name in table.columns}
    return declared | _levels_as_read(read_kinds(given or [], table.columns), table)


def _levels_as_read(kinds: dict[str, Any], table: Any) -> dict[str, Any]:
    """An order of levels is written as text; where the column holds numbers, so does the order."""
    return {
        name: list(map(parsed, kind)) if isinstance(kind, list) and table[name].dtype.is_numeric() else kind
        for name, kind in kinds.items()
    }


def _kinds_file(path: str) -> dict[str, Any]:
    try:
        kinds = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read kinds from {path!r}: {error}", 'write {"zip": "nominal"}') from error
    if not isinstance(kinds, dict):
        raise DataError(f"{path!r} holds no object", 'write {"zip": "nominal"}')
    return kinds


def rows_for(model: Any, data: str, reading: Reading, weights: str | None = None) -> Any:
    """The rows of a file with their target, as the model wants them, each counting as a column says."""
    from treewright.data.labelled import labelled
    from treewright.data.readers.contents import polars

    schema, typed = schema_of(model), {} if weights is None else {weights: polars().Float64}
    if weights == schema.target.name:
        raise OptionError(f"{weights!r} cannot be both the target and the weights", "choose another column")
    table = table_for(model, data, reading, typed)
    name = schema.target.name
    if name not in table.columns:
        raise DataError(f"{data!r} has no column {name!r}, which the model predicts", "add it, or use predict instead")
    if table[name].null_count() == table.height:
        raise DataError(f"the column {name!r} of {data!r} is empty", "give rows whose target is known, or use predict")
    counting, rest = _weights(table, weights, name)
    table = table if weights in schema.names else rest  # what the model tests may be a weight too
    is_classifier = schema.target.classes is not None
    return labelled(table.drop(name), table[name], is_classifier=is_classifier, sample_weight=counting)


def table_for(model: Any, data: str, reading: Reading, types: Mapping[str, Any] | None = None) -> Any:
    """A file whole, its columns read in the types the model learned, just as predict reads them."""
    from treewright.data.readers import read_chunks
    from treewright.data.readers.column_types import cast_texts, expected_types
    from treewright.data.readers.contents import polars

    wanted = {**expected_types(schema_of(model)), **(types or {})}
    parts = list(read_chunks(data, told(reading, types=wanted)).chunks or ())
    table = polars().concat(parts, how="diagonal_relaxed") if parts else polars().DataFrame()
    if not table.height:
        raise DataError(f"{data!r} has no rows", "give at least one row")
    require_columns(table, schema_of(model), data)
    return cast_texts(table, wanted)


def require_columns(table: Any, schema: Any, data: str) -> None:
    """Refuse a table without all columns of the model."""
    wanted = [c.name for c in schema.columns if c.name not in table.columns and not c.is_left_out]
    if wanted:
        more = f" and {len(wanted) - 3} more" if len(wanted) > 3 else ""
        raise DataError(
            f"{data!r} does not have {', '.join(map(repr, wanted[:3]))}{more}, which the model was learned with",
            f"its columns are {', '.join(table.columns[:20])}; check names, --delimiter and --no-header",
        )


@contextmanager
def remarks(talk: Talk) -> Iterator[None]:
    """Warnings of the library as messages, each once and in one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TreewrightWarning)
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                warn(talk, text)


def describe(chosen: Chosen, data: str, talk: Talk) -> Any:
    """Say what was understood, and return it."""
    from treewright.data.summary import summarise

    summary = summarise(chosen.frame, chosen.kinds)
    if not talk.quiet:
        say(talk, f"{data}: {chosen.words}; {chosen.frame.n_rows:,} rows, {chosen.frame.n_columns} columns")
        say(talk, _columns_text(summary, chosen.target))
        say(talk)
    detail(talk, f"Columns are tested as their kind allows; --kinds changes it. Target: {chosen.target!r}.")
    return summary


def _columns_text(summary: Any, target: str) -> str:
    shown = [column for column in summary if column.name != target][:_MOST_COLUMNS]
    shown += [column for column in summary if column.name == target]
    rows = [("column", "kind", "missing", "values")]
    rows += [(_name(column, target), column.kind, f"{column.missing:,}", _values(column)) for column in shown]
    text = columns(rows, right=[2])
    left = len(summary) - len(shown)
    return f"{text}\n… and {left} more columns" if left else text


def _name(column: Any, target: str) -> str:
    return f"{column.name} (target)" if column.name == target else str(column.name)


def _values(column: Any) -> str:
    from treewright.data.schema import Unit
    from treewright.explain.condition_text import level_text
    from treewright.explain.number_text import format_value, plural

    if column.levels:
        more = ", …" if len(column.levels) > _MOST_LEVELS else ""
        levels = ", ".join(level_text(level)[:30] for level in column.levels[:_MOST_LEVELS])
        return f"{plural(len(column.levels), 'level')}: {levels}{more}"
    if column.low is None:
        return "none"
    low, high = (format_value(end, Unit(column.unit)) for end in (column.low, column.high))
    return f"{low} to {high}"
