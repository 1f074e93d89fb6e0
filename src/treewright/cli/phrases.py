"""The library's words where they name options as Python does: here they are written with dashes."""

from __future__ import annotations

import re

_NAMED = re.compile(r"(?<!['\w-])([a-z]+(?:_[a-z]+)+)(?:=(['\"]?)([\w.-]+)\2)?(?!['\w])")

_KIND = re.compile(r"""kinds=\{'([^']+)': ['"](\w+)['"]\}""")
_ROW = re.compile(r"\bin row (\d+)\b")  # the library counts from 0


def spoken(text: str) -> str:
    """A remark or an error in terms of the command line.

    >>> spoken("Hint: raise min_rows_leaf. class_weight='balanced' may help; column 'petal_width' does not.")
    "Hint: raise --min-rows-leaf. --class-weight balanced may help; column 'petal_width' does not."
    """
    text = _KIND.sub(r"--kinds \1=\2", text)
    text = _ROW.sub(lambda row: f"in row {int(row[1]) + 1} (rows are counted from 1, below the names)", text)
    return _NAMED.sub(_as_option, text) if _NAMED.search(text) else text


def _as_option(found: re.Match[str]) -> str:
    from treewright.cli.learners import all_options, written

    name, _, value = found.groups()
    if name not in all_options():
        return found[0]
    return f"{written(name)} {value}" if value else written(name)
