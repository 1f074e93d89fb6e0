"""A tree as a person writes it: nested splits and leaves, before any row has gone down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from treewright.data.schema import Level
from treewright.explain.region import Interval, MissingRoute


@dataclass(frozen=True)
class HandLeaf:
    """What a leaf predicts; None leaves that to its rows. ``printed`` answers are text, as prints have them."""

    answer: Any = None
    printed: bool = False


@dataclass(frozen=True)
class Accepted:
    """What one branch takes of its column: intervals of numbers, single numbers, or levels.

    ``missing`` is where missing values go, seen from the branch; None: nothing was said. ``rest`` branches take what no
    other does: ``else``, or a list of levels that ends in ``+3``. Between ``bounds`` a number takes both branches.
    """

    intervals: tuple[Interval, ...] = ()
    numbers: tuple[float, ...] = ()
    levels: tuple[Level, ...] = ()
    missing: MissingRoute | None = None
    rest: bool = False
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class HandBranch:
    accepted: Accepted
    below: Outline


@dataclass(frozen=True)
class HandSplit:
    """The place of a column in the schema, and its branches."""

    column: int
    branches: tuple[HandBranch, ...]


Outline: TypeAlias = HandLeaf | HandSplit


def level_by_level(outline: Outline) -> Iterator[Outline]:
    """The nodes in the order in which a tree numbers them."""
    level: list[Outline] = [outline]
    while level:
        yield from level
        level = [branch.below for node in level if isinstance(node, HandSplit) for branch in node.branches]
