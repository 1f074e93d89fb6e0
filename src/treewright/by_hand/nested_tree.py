"""A tree as nested dicts: ``{"outlook": {"Overcast": "Yes", …}}`` and ``{"x ≤ 2.5": …, "x > 2.5": …}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.by_hand.condition_reader import REST, ConditionReader
from treewright.by_hand.outline import Accepted, HandBranch, HandLeaf, HandSplit, Outline
from treewright.data.frame import listing
from treewright.errors import DataError, shown

_YES, _NO = ("yes", "y", "true"), ("no", "n", "false")
_DEEPEST = 200
_HINT = (
    'write {"column": {level: …}}, {"x ≤ 2.5": …, "x > 2.5": …} or {"x ≤ 2.5": {"yes": …, "no": …}}; '
    'a leaf is a class or a number, "else" takes the rest'
)


def read_nested(tree: Any, reader: ConditionReader, depth: int = 0) -> Outline:
    """The tree that nested mappings show; whatever is no mapping is a leaf, None one that its rows decide.

    >>> from treewright.data.schema import Column, Kind
    >>> reader = ConditionReader([Column("x", Kind.NUMERIC), Column("colour", Kind.NOMINAL, ("red", "blue"))])
    >>> made = read_nested({"x ≤ 2.5": "no", "else": {"colour": {"red": "yes", "blue": None}}}, reader)
    >>> made.column, made.branches[0].below
    (0, HandLeaf(answer='no', printed=False))
    """
    if not isinstance(tree, Mapping):
        return HandLeaf(_plain_answer(tree))
    if depth > _DEEPEST:
        raise DataError(f"the tree is nested more than {_DEEPEST} deep", "write it as indented text")
    if not tree:
        raise DataError("a split without branches", _HINT)
    column, branches = _by_column(tree, reader) or _by_answer(tree, reader) or _by_condition(tree, reader)
    made = tuple(HandBranch(accepted, read_nested(below, reader, depth + 1)) for accepted, below in branches)
    return HandSplit(column, made)


_Branches = tuple[int, list[tuple[Accepted, Any]]]


def _plain_answer(leaf: Any) -> Any:
    plain = leaf.item() if hasattr(leaf, "item") and not isinstance(leaf, (str, bytes)) else leaf
    if plain is None or isinstance(plain, (str, bool, int, float)):
        return plain
    raise DataError(f"a leaf is a class or a number, got {shown(leaf)}", _HINT)


def _by_column(tree: Mapping[Any, Any], reader: ConditionReader) -> _Branches | None:
    """``{"outlook": {"Sunny": …}}``."""
    (first, below), *more = tree.items()
    column = None if more else reader.column(first)
    if column is None:
        return None
    if not isinstance(below, Mapping) or not below:
        raise DataError(f"the split on {first!r} has no branches, got {shown(below)}", _HINT)
    return column, [(reader.of_column(column, key), subtree) for key, subtree in below.items()]


def _by_answer(tree: Mapping[Any, Any], reader: ConditionReader) -> _Branches | None:
    """``{"x ≤ 2.5": {"yes": …, "no": …}}``; the condition alone, without what else there is, is refused."""
    (first, below), *more = tree.items()
    if more or not isinstance(first, str):
        return None
    keys = {str(key).lower(): subtree for key, subtree in below.items()} if isinstance(below, Mapping) else {}
    yes, no = ([subtree for key, subtree in keys.items() if key in words] for words in (_YES, _NO))
    if len(keys) != 2 or not yes or not no:
        raise DataError(
            f"{first!r} is one branch, and a split has several" if reader.begin(first) else f"{first!r} is no column",
            f"{_HINT}; the columns are {listing([column.name for column in reader.columns])}",
        )
    column, accepted = reader.whole(first)
    return column, [(accepted, yes[0]), (Accepted(rest=True), no[0])]


def _by_condition(tree: Mapping[Any, Any], reader: ConditionReader) -> _Branches:
    """``{"x ≤ 2.5": …, "x > 2.5": …}``, the last of which may be ``"else"``."""
    columns, branches = set[int](), list[tuple[Accepted, Any]]()
    for key, below in tree.items():
        if isinstance(key, str) and key.strip().lower() in REST:
            branches.append((Accepted(rest=True), below))
            continue
        if not isinstance(key, str):
            raise reader.refusal(key)
        column, accepted = reader.whole(key)
        columns.add(column)
        branches.append((accepted, below))
    if len(columns) != 1:
        names = listing([reader.columns[j].name for j in sorted(columns)])
        raise DataError(f"the branches of a split test one column, got {names or 'none'}", _HINT)
    return columns.pop(), branches
