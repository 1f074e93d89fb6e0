"""What an edge says: which values take the branch, and whether missing ones do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Column, Kind, Schema
from treewright.explain.condition_text import condition, digits_for, level_text
from treewright.explain.number_text import format_number, format_share, format_threshold
from treewright.explain.region import Interval, MissingRoute, Region, region_of
from treewright.plot.text_width import clip, text_width, wrap
from treewright.split import Split
from treewright.tree.tree import Node, Tree

_LONGEST_LEVEL = 200  # characters, where a text is told in full


@dataclass(frozen=True)
class EdgeLabel:
    """``plain`` words, or ``levels`` of a column of which as many are shown as find room.

    ``is_rest`` marks the branch of most levels, which may be called other. ``missing`` is said where training rows had
    no value; ``takes_missing`` also where none did. ``about`` is the whole condition.
    """

    plain: str
    levels: tuple[str, ...]
    is_rest: bool
    missing: str
    takes_missing: bool
    about: str

    def lines(self, room: float, size: float, most: int) -> list[str]:
        """At most so many lines, the mark of missing values among them."""
        added = [clip(self.missing, room, size)] if self.missing else []
        if len(added) + 1 > most:  # all on one line
            tail = f" {self.missing}" if self.missing else ""
            return [clip(self._fitted(room - text_width(tail, size), size, 1)[0] + tail, room, size)]
        return self._fitted(room, size, most - len(added)) + added

    def _fitted(self, room: float, size: float, most: int) -> list[str]:
        if not self.levels:
            lines = wrap(self.plain.split(" "), room, size)
            return lines if len(lines) <= most else [clip(self.plain, room, size)]
        for shown in range(len(self.levels), 0, -1):
            lines = wrap(self._pieces(shown), room, size)
            if len(lines) <= most and (shown == 1 or not any(line.endswith("…") for line in lines)):
                return self._other() if self.is_rest and shown < min(len(self.levels), 3) else lines
        return self._other() if self.is_rest else [clip(self.levels[0], room, size)]

    def _pieces(self, shown: int) -> list[str]:
        left = len(self.levels) - shown
        pieces = [f"{level}," for level in self.levels[: shown - 1]] + [self.levels[shown - 1]]
        return [*pieces, f"+{left:,}"] if left else pieces

    def _other(self) -> list[str]:
        return [f"other ({len(self.levels):,})"]


def edge_label(tree: Tree, schema: Schema, child: int, digits: int | None = None) -> EdgeLabel:
    """The label of the edge that leads to a node; ``digits`` are those thresholds are written with."""
    node = Node(tree, child)
    parent = node.parent
    assert parent is not None and parent.split is not None
    split, column = parent.split, schema.columns[parent.split.column]
    region = region_of(split, column, node.branch)
    plain, levels = _accepted(split, region, digits)
    seen = bool(tree.missing[parent.id])
    says = seen and region.missing is not MissingRoute.ELSEWHERE and not region.is_nothing
    return EdgeLabel(
        plain=plain,
        levels=levels,
        is_rest=_has_most_levels(split, node.branch, len(levels)),
        missing=_missing_words(tree, parent, child, region) if says else "",
        takes_missing=region.missing is not MissingRoute.ELSEWHERE,
        about=_about(split, column, node.branch, region, seen),
    )


def _accepted(split: Split, region: Region, digits: int | None) -> tuple[str, tuple[str, ...]]:
    along = region.missing is not MissingRoute.ELSEWHERE
    if region.is_nothing:
        return ("missing" if along else "no value"), ()
    if region.is_everything:
        return ("any value" if along else "known"), ()
    if region.column.kind is Kind.NUMERIC:
        return _ranges(split, region, digits), ()
    codes = np.flatnonzero(region.levels)
    if region.column.kind is Kind.ORDINAL and len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1:
        return _run_of_levels(region.column, int(codes[0]), int(codes[-1])), ()
    return "", tuple(level_text(region.column.levels[code]) for code in codes)


def _ranges(split: Split, region: Region, digits: int | None) -> str:
    unit = region.column.unit
    digits = digits_for(split.edges.tolist(), unit) if digits is None else digits
    exact = digits > 15

    def written(interval: Interval) -> str:
        high = f"≤ {format_threshold(interval.high, unit, digits, exact=exact)}"
        if interval.low is None:
            return high
        low = f"> {format_threshold(interval.low, unit, digits, exact=exact)}"
        return low if interval.high == np.inf else f"{low}, {high}"

    words = " or ".join(written(interval) for interval in region.intervals)
    if split.bounds is None:
        return words
    return f"{words} [{', '.join(format_number(bound) for bound in split.bounds)}]"


def _run_of_levels(column: Column, first: int, last: int) -> str:
    if first == 0:
        return f"≤ {level_text(column.levels[last])}"
    low = f"> {level_text(column.levels[first - 1])}"
    return low if last == len(column.levels) - 1 else f"{low}, ≤ {level_text(column.levels[last])}"


def _has_most_levels(split: Split, branch: int, n_levels: int) -> bool:
    """Whether the branch is the first of those with most levels; of two levels none is another."""
    if n_levels < 2:
        return False
    branches = split.branch_of[1:]
    return bool(np.bincount(branches[branches >= 0]).argmax() == branch)


def _missing_words(tree: Tree, parent: Node, child: int, region: Region) -> str:
    """``or missing (37)`` with the rows, ``or missing (70 % of each)`` where they take every branch."""
    if region.missing is MissingRoute.SHARED:
        below = tree.weights[[node.id for node in parent.children]]
        share = float(tree.weights[child] / below.sum()) if below.sum() > 0 else 1 / len(below)
        return f"or missing ({format_share(share, ' ')} of each)"
    return "or missing" if parent.surrogates else f"or missing ({int(tree.missing[parent.id]):,})"


def _about(split: Split, column: Column, branch: int, region: Region, seen: bool) -> str:
    short = Column(column.name[:_LONGEST_LEVEL], column.kind, tuple(_short(x) for x in column.levels), column.unit)
    words = condition(split, short, branch, exact=True, missing=seen)
    if seen or region.missing is MissingRoute.ELSEWHERE:
        return words
    return f"{words}; none was missing in training, missing values come here"


def _short(level: object) -> object:
    is_long = isinstance(level, str) and len(level) > _LONGEST_LEVEL
    return f"{str(level)[:_LONGEST_LEVEL]}…" if is_long else level
