"""``treewright predict``: a table a part at a time, as it may be larger than memory, or rows that are written out."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import IO, Annotated, Any

import typer

from treewright.cli.arguments.row_option import unseen_levels, written_row
from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import require_columns, split_names, told
from treewright.cli.messages import after
from treewright.cli.output import bar, detail, result_json, say, warn
from treewright.cli.output_file import STDOUT, check_place, replacing
from treewright.cli.prefetch import prefetch
from treewright.cli.saved_models import ModelPath, load, rule_texts, schema_of
from treewright.cli.startup import resume_collection
from treewright.errors import DataError, OptionError

EXAMPLES = """
\b
  treewright predict loans.json new.csv -o answers.csv
  treewright predict loans.json new.csv --probabilities --rule --keep income
  cat new.csv | treewright predict loans.json - --leaf
  treewright predict loans.json --row 'income=2300, size=M'
"""
_PIECE = 10_000  # rows of a slow model between two steps of the bar
_PREDICTION = "prediction"


@dataclass(frozen=True)
class Wanted:
    """What is written beside the prediction."""

    probabilities: Annotated[bool, typer.Option("--probabilities", "-p", help="Add a column per class.")] = False
    leaf: Annotated[bool, typer.Option("--leaf", help="Add the number of the leaf, rule or nearest row.")] = False
    rule: Annotated[bool, typer.Option("--rule", help="Add the leaf's rule in words.")] = False
    keep: Annotated[list[str] | None, typer.Option(help="Copy columns of DATA, between commas, or all.")] = None


@with_options(wanted=Wanted, reading=Reading, talk=Talk)
def predict(
    model: ModelPath,
    data: Annotated[
        str | None, typer.Argument(help="A file, a pattern in quotes, a database's URL, or - for standard input.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A .csv, .tsv or .jsonl file, packed if .gz or .zst.")
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(help="A row in place of DATA, 'column=value, …' or a JSON object. May be repeated for more rows."),
    ] = None,
    *,
    wanted: Wanted,
    reading: Reading,
    talk: Talk,
) -> None:
    """Predict every row of a table, in its order, or rows that are written out.

    Rows of a table are read, predicted and written a part at a time, so that memory does not depend on the size of
    the file. Columns that --row does not give are missing.
    """
    _check_source(data, row)
    check_place(output, model, *([] if data is None else [data]))
    fitted = load(model)
    written = _format(output, talk)
    parts = _read(fitted, data, wanted, reading, talk) if data is not None else _written_out(fitted, row or [], talk)
    table = PredictionTable(fitted, wanted, data or "--row")
    resume_collection()
    n_rows, made = 0, None
    with _bar(data, talk) as step, replacing(output) as file:
        for part in _pieces(parts, fitted):
            with after(n_rows):
                made = table(part)
            if part.height:
                _write(made, file, written, first=n_rows == 0)
            n_rows += part.height
            step(part.height)
        if not n_rows:
            _write(table.of_no_part() if made is None else made, file, written, first=True)
    _finish(output, n_rows, talk)


def _pieces(parts: Iterator[Any], fitted: Any) -> Iterator[Any]:
    """Parts in smaller pieces for models that are slow, so that it is told how far they are; trees take parts whole."""
    if hasattr(fitted, "tree_"):
        yield from parts
        return
    for part in parts:
        yield from part.iter_slices(_PIECE) if part.height else [part]


def _check_source(data: str | None, row: list[str] | None) -> None:
    if data is None and not row:
        raise OptionError("no rows are given", "name a table, or write --row 'column=value, column=value'")
    if data is not None and "=" in data and not row and not os.path.exists(data) and "://" not in data:
        raise OptionError(f"there is no file {data!r}", f"a row is written --row {data!r}")
    if data is not None and row:
        raise OptionError(f"a table, {data!r}, and --row are given", "give one of them")


def _read(fitted: Any, data: str, wanted: Wanted, reading: Reading, talk: Talk) -> Iterator[Any]:
    """A table a part at a time; what is odd about it is said at once."""
    from treewright.data.readers.contents import ColumnNote

    contents = _chunks(fitted, data, wanted, reading)
    for note in contents.notes:
        if not isinstance(note, ColumnNote):  # of columns that the model does not know
            warn(talk, note)
    detail(talk, f"{data}: {contents.words}")
    return prefetch(contents.chunks or ())


def _written_out(fitted: Any, texts: list[str], talk: Talk) -> Iterator[Any]:
    """Rows of the command line as a table of one part, all cells as texts, as a file has them."""
    from treewright.data.readers.contents import polars
    from treewright.data.schema import text_of

    pl, schema = polars(), schema_of(fitted)
    rows = [written_row(text, schema) for text in texts]
    for remark in (text for row in rows for text in unseen_levels(row, schema)):
        warn(talk, remark)
    yield pl.DataFrame(
        {name: [None if row[name] is None else text_of(row[name]) for row in rows] for name in schema.names},
        schema=dict.fromkeys(schema.names, pl.String),
    )


def _bar(data: str | None, talk: Talk) -> Any:
    """Rows that are predicted, of about as many as the size of the file promises; nothing where nobody looks."""
    import sys
    from contextlib import nullcontext

    from treewright.data.readers.row_estimate import estimated_rows

    if data is None or talk.quiet or not sys.stderr.isatty():
        return nullcontext(lambda rows: None)
    return bar("predicting", estimated_rows(data))


def _finish(output: str | None, n_rows: int, talk: Talk) -> None:
    if output not in (None, STDOUT):
        if talk.json:
            result_json({"rows": n_rows, "saved": output})
        say(talk, f"Predicted {n_rows:,} rows; saved as {output}.")


def _format(output: str | None, talk: Talk) -> str:
    """csv, tsv or jsonl, by the name of the output."""
    if output is None or output == STDOUT:
        return "jsonl" if talk.json else "csv"
    name = output.lower().removesuffix(".gz").removesuffix(".zst").removesuffix(".zstd")
    if name.endswith((".bz2", ".xz", ".zip", ".7z")):
        raise OptionError(f"predictions are not packed as {output!r}", "use a name in .gz or .zst")
    for ending, format in ((".tsv", "tsv"), (".jsonl", "jsonl"), (".ndjson", "jsonl")):
        if name.endswith(ending):
            return format
    if name.endswith((".parquet", ".arrow", ".feather", ".xlsx", ".json")):
        raise OptionError(f"predictions are not written as {output!r}", "use a name in .csv, .tsv or .jsonl")
    return "csv"


def _chunks(fitted: Any, data: str, wanted: Wanted, reading: Reading) -> Any:
    from treewright.data.readers import read_chunks
    from treewright.data.readers.column_types import expected_types

    schema = schema_of(fitted)
    types, everything = expected_types(schema), "all" in (wanted.keep or ())
    types.pop(schema.target.name, None)
    keep = split_names(wanted.keep or (), ())
    for name in list(types) if everything else keep:
        types.pop(name, None)  # what is copied is read as it is written
    columns = None if everything else [*schema.names, *keep]
    return read_chunks(data, told(reading, types=types, columns=columns))


class PredictionTable:
    """From rows to what is written about them."""

    def __init__(self, fitted: Any, wanted: Wanted, data: str) -> None:
        self.fitted, self.wanted, self.data = fitted, wanted, data
        self.classes = schema_of(fitted).target.classes
        self.types = _other_types(schema_of(fitted))
        if hasattr(fitted, "members_") and (wanted.leaf or wanted.rule):
            raise OptionError(
                f"{'--leaf' if wanted.leaf else '--rule'} is of one tree, and the model has {len(fitted)} members",
                "leave it out; treewright explain tells how they vote",
            )
        self.rules = rule_texts(fitted) if wanted.rule else {}

    def __call__(self, part: Any) -> Any:
        from treewright.data.readers.column_types import cast_texts
        from treewright.data.readers.contents import polars
        from treewright.model.batch_prediction import no_predictions, predictions_of

        require_columns(part, schema_of(self.fitted), self.data)
        typed = cast_texts(part, self.types)
        found = predictions_of(self.fitted, typed) if part.height else no_predictions(len(self.classes or ()))
        made = dict(self._columns(found))
        return polars().DataFrame({**{name: part[name] for name in self._kept(part, made)}, **made})

    def of_no_part(self) -> Any:
        """For a list of no objects, which does not say what columns it has: those that are wanted of it."""
        from treewright.data.readers.contents import polars

        keep = [name for name in split_names(self.wanted.keep or (), ["all"]) if name != "all"]
        return self(polars().DataFrame(schema=dict.fromkeys([*schema_of(self.fitted).names, *keep], polars().String)))

    def _kept(self, part: Any, made: Collection[str]) -> list[str]:
        """The columns to copy; all means all that do not get in the way of what is added."""
        keep = split_names(self.wanted.keep or [], ["all", *part.columns])
        both = [name for name in keep if name in made and name in part.columns]
        if both:
            raise OptionError(f"--keep {both[0]} and a column of the answers have one name", "rename the column")
        for name in keep:
            if name != "all" and name not in part.columns:
                raise DataError(
                    f"there is no column {name!r} to keep", f"the columns are {', '.join(part.columns[:20])}"
                )
        return [name for name in (part.columns if "all" in keep else keep) if name not in made]

    def _columns(self, found: Any) -> Iterator[tuple[str, Any]]:
        pl_series = _series()
        if self.classes is None:
            yield _PREDICTION, found.values[:, 0]
        else:
            yield _PREDICTION, pl_series(_PREDICTION, list(self.classes)).gather(found.codes)
            if self.wanted.probabilities:
                yield from ((f"p_{label}", found.values[:, k]) for k, label in enumerate(self.classes))
        if self.wanted.leaf:
            yield "leaf", found.leaves
        if self.wanted.rule:
            places, numbers = _places(found.leaves)
            yield "rule", pl_series("rule", [self.rules.get(number, "") for number in numbers]).gather(places)


def _places(numbers: Any) -> tuple[Any, list[int]]:
    """Numbers as places in a list of those that occur."""
    import numpy as np

    known, places = np.unique(numbers, return_inverse=True)
    return places, known.tolist()


def _other_types(schema: Any) -> dict[str, Any]:
    from treewright.data.readers.column_types import expected_types
    from treewright.data.readers.contents import polars

    types = expected_types(schema)
    return {name: types[name] for name in schema.names if types[name] != polars().String}


def _series() -> Any:
    from treewright.data.readers.contents import polars

    return polars().Series


def _write(table: Any, file: IO[bytes], format: str, *, first: bool) -> None:
    made = io.BytesIO()  # polars would write to the file itself, and say nothing that can be told from other errors
    if format == "jsonl":
        table.write_ndjson(made)
    else:
        table.write_csv(made, include_header=first, separator="\t" if format == "tsv" else ",")
    file.write(made.getbuffer())
