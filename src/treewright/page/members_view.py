"""What the page shows of a model of many members, as plain values that JSON can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from treewright.data.schema import Schema
from treewright.page.tree_view import column_view, rows_view
from treewright.typing import Floats

_MOST_NODES = 50_000  # of all members together, or as many rules: beyond, the file has the first members only


class ShownMember(NamedTuple):
    """The view of a tree or of rules, what is said of it in a list, how much it counts, and how large it is."""

    view: dict[str, Any]
    facts: str
    weight: float = 1.0
    size: int = 1


class Together(NamedTuple):
    """Of all members: how many there are and what one is called, how they are combined, for the script and in words,
    the share of every column, and the error of the first, the first two, … of them."""

    n_members: int
    name: str
    combining: Mapping[str, Any]
    how: str
    stats: Sequence[float] = ()
    importance: Sequence[tuple[str, float]] = ()
    importance_name: str = ""
    curve: tuple[str, Floats] | None = None


def members_view(
    members: Iterable[ShownMember],
    schema: Schema,
    together: Together,
    *,
    title: str,
    facts: Sequence[str],
    rows: Floats | None = None,
) -> dict[str, Any]:
    """All that the page needs: as many members as keep the file light, at least one. Their columns are told once."""
    shown = list(_light(members))
    asked = {column["name"] for member in shown for column in member.view["columns"]}
    used = [j for j, column in enumerate(schema.columns) if column.name in asked]
    place = {schema.columns[j].name: at for at, j in enumerate(used)}
    classes = schema.target.classes
    target = {"name": schema.target.name, "classes": None if classes is None else list(classes)}
    return {
        "kind": "members",
        "title": title,
        "facts": list(facts),
        "target": {**target, "costs": schema.target.costs},
        "columns": [column_view(schema.columns[j]) for j in used],
        "members": [_told(member, place, classes) for member in shown],
        "n_members": together.n_members,
        "member_name": together.name,
        "combining": dict(together.combining),
        "how": together.how,
        "stats": [float(x) for x in together.stats],
        "importance": [[name, float(share)] for name, share in together.importance],
        "importance_name": together.importance_name,
        "curve": None if together.curve is None else _curve(*together.curve),
        "rows": [] if rows is None else rows_view(rows, used),
    }


def _light(members: Iterable[ShownMember]) -> Iterable[ShownMember]:
    size = 0
    for member in members:
        size += member.size
        if size > _MOST_NODES and size > member.size:
            return
        yield member


def _told(member: ShownMember, place: Mapping[str, int], classes: Sequence[Any] | None) -> dict[str, Any]:
    """A member whose columns are told by their places, and its classes where they are not those of all."""
    columns = member.view["columns"]
    told: dict[str, Any] = {
        "facts": member.facts,
        "weight": float(member.weight),
        "columns": [place[column["name"]] for column in columns],
        "view": {name: value for name, value in member.view.items() if name not in ("columns", "rows")},
    }
    if any("cuts" in column for column in columns):
        told["cuts"] = [column["cuts"] for column in columns]
    own = member.view["target"]["classes"]
    if classes is not None and own != list(classes):
        told["classes"] = [list(classes).index(label) for label in own]
    return told


def _curve(name: str, values: Floats) -> dict[str, Any]:
    return {"name": name, "values": [None if np.isnan(value) else float(value) for value in values]}
