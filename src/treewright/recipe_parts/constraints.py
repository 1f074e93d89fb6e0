"""Which splits are admissible at all. Constraints filter proposals; they never touch a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.errors import OptionError
from treewright.typing import Ints, Mask


@dataclass(frozen=True)
class Constraints:
    """Columns by number; ``constraints_of`` reads them by name."""

    monotone: Ints  # (columns,) 1: predictions may only rise with the column, -1: only fall, 0: free
    groups: Mask | None  # (groups, columns) columns that may meet on one path; None: all may
    forced: Mapping[int, int]  # depth → the column to be tested there, where it can be
    forbidden: Mask  # (columns,)
    min_branch_share: float

    @property
    def depends_on_path(self) -> bool:
        return self.groups is not None or bool(self.monotone.any())

    def allowed(self, depth: Ints, used: Mask) -> Mask:
        """Columns × nodes that may be tested, forced columns aside; ``used`` (nodes × columns) were on the way."""
        free: Mask = np.tile(self.forbidden, (len(depth), 1)).T == 0
        if self.groups is not None:
            outside = (
                used.astype(np.int64) @ np.where(self.groups, 0, 1).T
            )  # (nodes, groups) used, and not in the group
            free &= ((outside == 0).astype(np.int64) @ self.groups).T > 0
        return free

    def forced_at(self, depth: Ints) -> Ints:
        """The forced column of every node, -1 where there is none."""
        return np.array([self.forced.get(int(d), -1) for d in depth], np.int64)


def constraints_of(
    schema: Schema,
    monotone: Mapping[str, int] | None,
    interactions: Sequence[Sequence[str]] | None,
    force: Mapping[int, str] | None,
    forbid: Iterable[str] | None,
    min_branch_share: float,
    max_levels: int | None,
) -> Constraints | None:
    """The constraints on the columns of a schema; None where there are none."""
    if not (monotone or interactions or force or forbid or min_branch_share or max_levels is not None):
        return None
    place = {name: j for j, name in enumerate(schema.names)}
    signs = np.zeros(len(place), np.int64)
    for name, sign in (monotone or {}).items():
        signs[_column(place, name, "monotone")] = sign
    _check_monotone(schema, signs)
    forbidden = np.zeros(len(place), np.bool_)
    forbidden[[_column(place, name, "forbid") for name in forbid or ()]] = True
    if max_levels is not None:
        forbidden |= np.array([len(column.levels) > max_levels for column in schema.columns], np.bool_)
    forced = {int(depth): _column(place, name, "force") for depth, name in (force or {}).items()}
    for depth, column in forced.items():
        if forbidden[column]:
            name = schema.names[column]
            raise OptionError(f"column {name!r} is forced at depth {depth} and forbidden", "drop one of the two")
    return Constraints(signs, _groups(place, interactions), forced, forbidden, float(min_branch_share))


def _groups(place: Mapping[str, int], interactions: Sequence[Sequence[str]] | None) -> Mask | None:
    """Columns that are in no group may be tested only with themselves."""
    if not interactions:
        return None
    items = [{_column(place, name, "interactions") for name in group} for group in interactions]
    alone = [{column} for column in range(len(place)) if not any(column in group for group in items)]
    groups = np.zeros((len(items) + len(alone), len(place)), np.bool_)
    for row, group in zip(groups, items + alone):
        row[list(group)] = True
    return groups


def _column(place: Mapping[str, int], name: object, option: str) -> int:
    if name not in place:
        known = ", ".join(map(repr, list(place)[:20]))
        raise OptionError(f"{option} names {name!r}, which is no column", f"the columns are {known}")
    return place[str(name)]


def _check_monotone(schema: Schema, signs: Ints) -> None:
    if not signs.any():
        return
    classes = schema.target.classes
    if classes is not None and len(classes) > 2:
        raise OptionError(
            f"monotone needs a number or two classes to predict, got {len(classes)} classes",
            "leave monotone out, or declare no classes but two",
        )
    for column, sign in zip(schema.columns, signs):
        if sign and column.kind is Kind.NOMINAL:
            raise OptionError(
                f"column {column.name!r} is nominal and has no order to be monotone in",
                f'give its levels an order: kinds={{{column.name!r}: ["low", "high"]}}',
            )
