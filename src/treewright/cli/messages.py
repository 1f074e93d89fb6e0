"""The library's words where they name options as Python does: here they are written with dashes."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright.errors import DataError

_VALUE = r"(['\"]?)([\w.-]+?)\2(?=[\s,;:)\].]|$)"
_NAMED = re.compile(rf"(?<!['\w:,-])(?:([a-z]+(?:_[a-z]+)*)={_VALUE}|([a-z]+(?:_[a-z]+)+))(?!['\w=])")
_KIND = re.compile(r"""kinds=\{'([^']+)': ['"](\w+|[^'"]*%[^'"]*)['"]\}""")
_DROP = re.compile(  # a remark on a column that is to be left out
    r"(column '([^']+)' (?:numbers the rows|looks like an identifier|has \d+ levels)[^\n]*Hint: [^\n]*?)"
    r"(?:leave it out|drop it)"
)
_NONE = re.compile(r"make '([^']*)' None if it is missing")  # a word among the numbers of a column
_EXTRA = re.compile(r"unexpected extra arguments?(?:\(s\))? \((.+)\)")
_ROW = re.compile(r"(?:\bin|:) row (\d+)\b")  # the library counts from 0


def cli_message(text: str) -> str:
    """A remark or an error in terms of the command line.

    >>> cli_message("Hint: raise min_rows_leaf. class_weight='balanced' may help; column 'petal_width' does not.")
    "Hint: raise --min-rows-leaf. --class-weight balanced may help; column 'petal_width' does not."
    >>> cli_message("flavour='pypi' goes with bonferroni=False")
    '--flavour pypi goes with --no-bonferroni'
    >>> cli_message("write --prune cost-complexity:alpha=0.01,relative=true")
    'write --prune cost-complexity:alpha=0.01,relative=true'
    """
    text = re.sub(r'task="(?:classes|numbers)" or ', "", text)
    text = _DROP.sub(lambda found: f"{found[1]}leave it out with --drop {shlex.quote(found[2])}", text)
    text = _KIND.sub(lambda found: f"--kinds {shlex.quote(f'{found[1]}={found[2]}')}", text)
    text = _ROW.sub(
        lambda row: f"{row[0].partition(' ')[0]} row {int(row[1]) + 1} (the first below the names is 1)", text
    )
    text = text.replace("model.save(path)", "treewright fit -o FILE").replace("to_frame() has", "--json has")
    text = _NONE.sub(lambda found: f"say --na {shlex.quote(found[1])} if it means missing", text)
    text = re.sub(r'kinds=\{target: "(\w+)"\}', r"--kinds TARGET=\1", text)
    return _NAMED.sub(_as_option, text) if _NAMED.search(text) else text


def usage_message(error: Any) -> str:
    """A call that typer does not understand; an option is only suggested where its name is near."""
    from treewright.errors import near_name

    context = getattr(error, "ctx", None)
    help = f"{getattr(context, 'command_path', None) or 'treewright'} --help"
    own = [name for parameter in getattr(getattr(context, "command", None), "params", ()) for name in parameter.opts]
    option = getattr(error, "option_name", None)
    if option is not None:
        near = near_name(option, [name for name in own if name.startswith("--")]) if option.startswith("--") else None
        return f"no such option: {option}. Hint: {f'did you mean {near}? See' if near else 'see'} {help}."
    problem = error.format_message().rstrip(".")
    extra = _EXTRA.search(problem)
    if extra:
        return f"{problem}. Hint: {_meant_by(extra[1].split(), own)}; see {help}."
    return f"{problem}. Hint: see {help}."


def _meant_by(extra: list[str], own: list[str]) -> str:
    """What words are for that belong to no option: the shell takes patterns and names with blanks apart."""
    if "--data" in own:
        return f"a table is given by --data {extra[0]}"
    if any(os.path.exists(word) for word in extra):
        more = ", and rows to test on by --test FILE" if "--test" in own else ""
        return f"several files are read as one by a pattern in quotes, such as 'part-*.csv'{more}"
    target = "; the column to predict is named by --target" if "--target" in own else ""
    return f"names with blanks are written in quotes{target}"


@contextmanager
def after(n_rows: int) -> Iterator[None]:
    """Rows that errors name are counted from the beginning of a table, of which so many were read before."""
    try:
        yield
    except DataError as error:
        shifted = _ROW.sub(lambda row: row[0].replace(row[1], str(int(row[1]) + n_rows)), error.problem)
        raise DataError(shifted, error.hint) from error


def _as_option(found: re.Match[str]) -> str:
    from treewright.cli.arguments.learner_options import all_options, written

    alone, name, value = found[4], found[1] or found[4], found[3]
    if name not in all_options():
        return found[0]
    if value in ("True", "False"):
        return written(name) if value == "True" else written(f"no_{name}")
    return written(name) if alone else f"{written(name)} {value}"
