"""``treewright init``: a settings file for ``fit``, from a few questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.messages import cli_message
from treewright.cli.output import result, result_json, say
from treewright.cli.output_file import replacing
from treewright.errors import DataError, OptionError, TreewrightError, near_name

_T = TypeVar("_T")

_SETTINGS_FILE = "settings.toml"
_PURPOSES: dict[str, tuple[str, dict[str, Any]]] = {
    "accurate": ("a small and accurate tree, searched for", {"method": "auto"}),
    "readable": ("a tree that fits on a page, to be read", {"method": "cart", "max_depth": 4, "min_rows_leaf": 5}),
    "rules": ("rules instead of a tree", {"method": "c4.5rules"}),
    "segments": ("groups of customers and the like, by significance (CHAID)", {"method": "chaid"}),
    "forecast": ("the best forecasts, readable or not", {"method": "forest", "n_trees": 100}),
}
_NUMBERS: dict[str, dict[str, Any]] = {"rules": {"method": "m5rules"}}  # where the target is a number
EXAMPLES = """
\b
  treewright init loans.csv --target paid --purpose readable -o loans.toml
  treewright init loans.csv -t paid -p accurate --print
"""


@with_options(reading=Reading, talk=Talk)
def init(
    data: Annotated[str | None, typer.Argument(help="The table to learn from; asked for if left out.")] = None,
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")] = None,
    purpose: Annotated[str | None, typer.Option("--purpose", "-p", help=f"{', '.join(_PURPOSES)}.")] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the settings file is written.")] = _SETTINGS_FILE,
    force: Annotated[bool, typer.Option("--force", help="Replace a settings file that is there.")] = False,
    print_: Annotated[bool, typer.Option("--print", help="Print the settings file, and write no file.")] = False,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Write a settings file: a commented TOML file from which treewright fit --config learns.

    What is not said is asked: the file, the target, and what the model is for. The settings file lists the columns
    as they were understood, and the options that are changed most often, to be edited.
    """
    from treewright.data.frame import listing

    data, (table, names, words) = _answer(
        data, "DATA", "Which file holds the table?", None, lambda name: (name, _table(name, reading))
    )
    target = _answer(
        target, "--target", f"Columns: {listing(names)}\nWhich column is to be predicted?", names[-1],
        lambda name: _known(name, names, "there is no column", "the columns are"),
    )  # fmt: skip
    purpose = _answer(
        purpose, "--purpose", f"{_purposes()}\nWhat is it for?", next(iter(_PURPOSES)),
        lambda name: _known(name, list(_PURPOSES), "there is no --purpose", "choose one of"),
    )  # fmt: skip
    text = _settings_text(data, target, purpose, table, words, reading)
    if print_:
        result(text.rstrip("\n"))
        return
    _write(output, text, force)
    if talk.json:
        result_json({"settings_file": output, "data": data, "target": target, "purpose": purpose})
    say(talk, f"Written to {output}. Next: treewright fit --config {output}")


def _answer(given: str | None, option: str, question: str, default: str | None, use: Callable[[str], _T]) -> _T:
    """What is made of the option or, where it is not given, of an answer; one that is no good is told of, and another
    asked for."""
    if given:
        return use(given)
    if not sys.stdin.isatty():
        raise OptionError(f"{option} is not given, and there is no terminal to ask", f"give {option}")
    while True:
        sys.stderr.write(f"{question}{f' [{default}]' if default else ''} ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip() or default
        if not answer:
            raise OptionError(f"{option} was left out", f"answer the question, or give {option}")
        try:
            return use(answer)
        except TreewrightError as error:
            if not line:  # nothing more will be typed
                raise
            sys.stderr.write(f"{cli_message(str(error))}\n")


def _known(name: str, names: list[str], problem: str, listing: str) -> str:
    if name in names:
        return name
    near = near_name(name, names)
    raise OptionError(f"{problem} {name!r}", f"did you mean {near!r}?" if near else f"{listing} {', '.join(names)}")


def _purposes() -> str:
    return "\n".join(f"  {name:9} {words}" for name, (words, _) in _PURPOSES.items())


def _table(data: str, reading: Reading) -> tuple[Any, list[str], str]:
    from treewright.cli.input_tables import told
    from treewright.data.frame import read_frame
    from treewright.data.readers import read_table
    from treewright.data.summary import summarise

    contents = read_table(data, told(reading))
    if not contents.table.height:
        raise DataError(f"{data!r} has no rows", "give a table with rows")
    return summarise(read_frame(contents.table), {}), list(contents.table.columns), contents.words


def _settings_text(data: str, target: str, purpose: str, table: Any, words: str, reading: Reading) -> str:
    of_numbers = _NUMBERS.get(purpose, {}) if purpose in _NUMBERS and _is_number(data, target, reading) else {}
    options: dict[str, Any] = dict(of_numbers or _PURPOSES[purpose][1])
    method = options.pop("method")
    lines = [
        "# A settings file of treewright. Learn with: treewright fit --config FILE",
        "# Options on the command line count more than these, and these more than TREEWRIGHT_… in the environment.",
        "",
        f"data = {_quoted(data)}  # {words}",
        f"target = {_quoted(target)}",
        *_reading_lines(reading),
        "",
        f"# {_PURPOSES[purpose][0]}; treewright methods lists all methods",
        f"method = {_quoted(method)}",
        '# prune = "cost-complexity"  # make the tree smaller; or none, pessimistic, error-based, …',
        "# drop = []  # columns to leave out",
        "# cv = 10  # folds of the cross-validation that says how well it predicts; 0: none",
        'output = "model.json"',
        "",
        f"# Options of the method: treewright methods {method} lists them all.",
        "[options]",
        *(f"{name} = {value}" for name, value in options.items()),
        *([] if options else [f"# {_FREQUENT.get(method, 'max_depth = 5')}"]),
        "",
        "# Columns as they were understood. To change one: nominal, numeric, an order of levels such as 'S<M<L',",
        "# or how its dates are written, such as %m/%d/%Y.",
        "[kinds]",
        *(line for column in table if column.name != target for line in _kind_lines(column)),
    ]
    return "\n".join(lines) + "\n"


def _kind_lines(column: Any) -> list[str]:
    """What is odd about a column, and below it the line that says its kind."""
    return [*(f"# ! {_in_toml(remark, column.name)}" for remark in column.remarks), _kind_line(column)]


def _in_toml(remark: str, name: str) -> str:
    """A remark of the library, what it says of ``kinds`` as it stands in this file."""
    import re

    one_line = " ".join(remark.split())
    kinds = re.sub(r"kinds=\{.*: \"(.*)\"\}", lambda kind: f"{_key(name)} = {_quoted(kind[1])}", one_line)
    return kinds.replace("leave it out", f"drop = [{_quoted(name)}]").replace("drop it,", f"drop = [{_quoted(name)}],")


def _kind_line(column: Any) -> str:
    """A line that does what it says once it is no comment any more: of a column that is left out, what keeps it."""
    from treewright.data.summary import LEFT_OUT, REFUSED

    usual = "nominal" if column.levels or column.kind == REFUSED else "numeric"
    kind, words = (usual, f"{column.kind}; ") if column.kind in (LEFT_OUT, REFUSED) else (column.kind, "")
    return f"# {_key(column.name)} = {_quoted(kind)}  # {words}{_told(column)}"


def _is_number(data: str, target: str, reading: Reading) -> bool:
    """Whether fit would predict a number."""
    from treewright.cli.input_tables import choose, is_numbers, parts_of

    quiet = Talk(quiet=True)
    return is_numbers(parts_of(choose(data, reading, Choosing(target=target), quiet))[1])


_FREQUENT = {"c4.5rules": "confidence = 0.25", "m5rules": "min_rows = 4", "chaid": "max_depth = 4"}


def _reading_lines(reading: Reading) -> list[str]:
    from dataclasses import asdict

    given = {name: value for name, value in asdict(reading).items() if value not in (None, False)}
    return [f"{name} = {_value(value)}" for name, value in given.items()]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(_quoted, value))}]" if isinstance(value, list) else _quoted(str(value))


def _told(column: Any) -> str:
    from treewright.explain.condition_text import level_text, one_line

    missing = f", {column.missing:,} missing" if column.missing else ""
    if column.levels:
        shown = ", ".join(level_text(level)[:20] for level in column.levels[:5])
        return one_line(f"{len(column.levels)} levels: {shown}{', …' if len(column.levels) > 5 else ''}{missing}")
    if column.missing == column.rows:
        return "no values"
    return f"{'numbers' if column.unit == 'number' else f'{column.unit}s'}{missing}"


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    import re

    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _write(output: str, text: str, force: bool) -> None:
    import os

    if os.path.exists(output) and not force:
        raise DataError(f"{output!r} is there already", "give another name with -o, or --force to replace it")
    with replacing(output) as file:
        file.write(text.encode("utf-8"))
