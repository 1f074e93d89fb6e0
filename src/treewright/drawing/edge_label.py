"""What an edge says: which values take the branch, and whether missing ones do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from treewright.data.schema import Column, Kind, Level, Schema
from treewright.drawing.text_width import clip, text_width, wrap
from treewright.explain.condition_text import condition, level_text
from treewright.explain.number_text import format_exactly, format_number, format_share
from treewright.explain.region import Interval, MissingRoute, Region, region_of
from treewright.split import Split
from treewright.tree.tree import Node, Tree
from treewright.typing import Mask

_MISSING, _ANY = "missing", "any value"
_LONGEST_LEVEL = 200  # characters, where a text is told in full


@dataclass(frozen=True)
class EdgeLabel:
    """``plain`` words, or ``levels`` of a column of which as many are shown as find room.

    ``is_rest`` marks the branch of most levels, which may be called other. ``missing`` is said where training rows had
    no value; ``route`` also where none did. ``about`` is the whole condition.
    """

    plain: str
    levels: tuple[str, ...]
    is_rest: bool
    missing: str
    route: MissingRoute
    about: str
    share: float = 0.0  # of the rows without a value that come here, where they take every branch

    @property
    def is_default(self) -> bool:
        """Whether missing values come here, though training had none."""
        return self.route is MissingRoute.HERE and not self.missing and self.plain not in (_MISSING, _ANY)

    @property
    def is_shared(self) -> bool:
        return self.route is MissingRoute.SHARED

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
                return self._other() if self.is_rest and shown < len(self.levels) else lines
        return self._other() if self.is_rest else [clip(self.levels[0], room, size)]

    def _pieces(self, shown: int) -> list[str]:
        left = len(self.levels) - shown
        pieces = [f"{level}," for level in self.levels[: shown - 1]] + [self.levels[shown - 1]]
        return [*pieces, f"+{left:,}"] if left else pieces

    def _other(self) -> list[str]:
        return [f"other ({len(self.levels):,})"]


def edge_label(tree: Tree, schema: Schema, child: int) -> EdgeLabel:
    """The label of the edge that leads to a node."""
    node = Node(tree, child)
    parent = node.parent
    assert parent is not None
    assert parent.split is not None
    split, column = parent.split, schema.columns[parent.split.column]
    region = region_of(split, column, node.branch)
    possible = _possible(parent, column)
    plain, levels = _accepted(split, _limited(region, possible))
    seen = bool(tree.missing[parent.id])
    says = seen and region.missing is not MissingRoute.ELSEWHERE and not region.is_nothing
    return EdgeLabel(
        plain=plain,
        levels=levels,
        is_rest=_has_most_levels(split, node.branch, possible),
        missing=_missing_words(tree, parent, child, region) if says else "",
        route=region.missing,
        about=_about(split, column, node.branch, region, seen),
        share=_share(tree, parent, child) if region.missing is MissingRoute.SHARED else 0.0,
    )


def joined_label(labels: Sequence[EdgeLabel]) -> EdgeLabel:
    """The label of the place that several branches share: their levels or, of numbers, how many they are."""
    levels = tuple(level for label in labels for level in label.levels)
    here = next((label for label in labels if label.route is MissingRoute.HERE), labels[0])
    plain = "" if levels else f"{len(labels):,} others"
    about = "; ".join(label.about for label in labels)
    missing = here.missing
    if missing and here.route is MissingRoute.SHARED:
        missing = _shared_words(sum(label.share for label in labels))
    return EdgeLabel(plain, levels, False, missing, here.route, about, sum(label.share for label in labels))


def _accepted(split: Split, region: Region) -> tuple[str, tuple[str, ...]]:
    along = region.missing is not MissingRoute.ELSEWHERE
    if region.is_nothing:
        return (_MISSING if along else "no value"), ()
    if region.is_everything:
        return (_ANY if along else "known"), ()
    if region.column.kind is Kind.NUMERIC:
        return _ranges(split, region), ()
    codes = np.flatnonzero(region.levels)
    if region.column.kind is Kind.ORDINAL and len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1:
        return _run_of_levels(region.column, int(codes[0]), int(codes[-1])), ()
    return "", tuple(level_text(region.column.levels[code]) for code in codes)


def _ranges(split: Split, region: Region) -> str:
    unit = region.column.unit

    def written(interval: Interval) -> str:
        low, high = interval.in_print
        up_to = f"≤ {format_exactly(high, unit)}"
        if low is None:
            return up_to
        above = f"> {format_exactly(low, unit)}"
        return above if interval.high == np.inf else f"{above}, {up_to}"

    words = " or ".join(written(interval) for interval in region.intervals)
    if split.bounds is None:
        return words
    return f"{words} [{', '.join(format_number(bound) for bound in split.bounds)}]"


def _run_of_levels(column: Column, first: int, last: int) -> str:
    if first == 0:
        return f"≤ {level_text(column.levels[last])}"
    low = f"> {level_text(column.levels[first - 1])}"
    return low if last == len(column.levels) - 1 else f"{low}, ≤ {level_text(column.levels[last])}"


def _possible(node: Node, column: Column) -> Mask:
    """The levels of the column that tests above have not sent elsewhere."""
    possible = np.ones(len(column.levels), np.bool_)
    for above, below in pairwise(node.path()):
        split = above.split
        if split is not None and len(column.levels) and above.tree.column[above.id] == node.tree.column[node.id]:
            possible &= split.branch_of[1:] == below.branch
    return possible


def _limited(region: Region, possible: Mask) -> Region:
    """The levels of a region that can come by; all where none can, as a branch always says something."""
    limited = region.levels & possible
    return replace(region, levels=limited) if limited.any() else region


def _has_most_levels(split: Split, branch: int, possible: Mask) -> bool:
    """Whether the branch is the first of those with most levels; a single level is never called other."""
    branches = split.branch_of[1:][possible] if possible.size else np.empty(0, np.int64)
    counts = np.bincount(branches[branches >= 0], minlength=branch + 1)
    return bool(counts[branch] > 1 and counts.argmax() == branch)


def _missing_words(tree: Tree, parent: Node, child: int, region: Region) -> str:
    """``or missing (37)`` with the rows, ``or missing (70 %)`` where they take every branch."""
    if region.missing is MissingRoute.SHARED:
        return _shared_words(_share(tree, parent, child))
    return "or missing" if parent.surrogates else f"or missing ({int(tree.missing[parent.id]):,})"


def _share(tree: Tree, parent: Node, child: int) -> float:
    below = tree.weights[[node.id for node in parent.children]]
    return float(tree.weights[child] / below.sum()) if below.sum() > 0 else 1 / len(below)


def _shared_words(share: float) -> str:
    return f"or missing ({format_share(share, ' ')})"


def _about(split: Split, column: Column, branch: int, region: Region, seen: bool) -> str:
    short = Column(column.name[:_LONGEST_LEVEL], column.kind, tuple(_short(x) for x in column.levels), column.unit)
    words = condition(split, short, branch, exact=True, missing=seen)
    if seen or region.missing is MissingRoute.ELSEWHERE:
        return words
    return f"{words}; none was missing in training, missing values come here"


def _short(level: Level) -> Level:
    return f"{level[:_LONGEST_LEVEL]}…" if isinstance(level, str) and len(level) > _LONGEST_LEVEL else level
