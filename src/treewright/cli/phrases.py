"""The library's words where they name options as Python does: here they are written with dashes."""

from __future__ import annotations

import re

_NAMED = re.compile(r"(?<!['\w-])([a-z]+(?:_[a-z]+)+)(?:=(['\"]?)([\w.-]+)\2)?(?!['\w])")


def spoken(text: str) -> str:
    """A remark or an error in terms of the command line.

    >>> spoken("Hint: raise min_rows_leaf. class_weight='balanced' may help; column 'petal_width' does not.")
    "Hint: raise --min-rows-leaf. --class-weight balanced may help; column 'petal_width' does not."
    """
    return _NAMED.sub(_as_option, text) if _NAMED.search(text) else text


def _as_option(found: re.Match[str]) -> str:
    from treewright.cli.learners import all_options, written

    name, _, value = found.groups()
    if name not in all_options():
        return found[0]
    return f"{written(name)} {value}" if value else written(name)
