"""A drawing as data: shapes in pixels, the origin at the top left. Writers make SVG of it, or paint it on axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from treewright.drawing.text_width import text_width

_ABOVE, _BELOW = 0.8, 0.24  # how far letters reach above and below their line, in font sizes
POINTS = 0.75  # of a pixel


@dataclass(frozen=True)
class Box:
    """What a shape covers."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box, slack: float = 0.0) -> bool:
        return (
            self.left < other.right - slack
            and other.left < self.right - slack
            and self.top < other.bottom - slack
            and other.top < self.bottom - slack
        )

    def contains(self, other: Box, slack: float = 0.0) -> bool:
        return (
            self.left <= other.left + slack
            and self.top <= other.top + slack
            and self.right >= other.right - slack
            and self.bottom >= other.bottom - slack
        )


@dataclass(frozen=True)
class Rectangle:
    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    radius: float = 0.0
    dashed: bool = False
    part: str = ""  # what it is: "card", "bar", "rows", …

    @property
    def box(self) -> Box:
        return Box(self.x, self.y, self.x + self.width, self.y + self.height)

    def moved(self, dx: float, dy: float) -> Rectangle:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Words:
    """One line of text; ``x`` is where it starts, ends or has its middle, as ``anchor`` says."""

    x: float
    y: float  # of the line the letters stand on
    text: str
    size: float
    colour: str
    anchor: str = "start"
    bold: bool = False

    @property
    def box(self) -> Box:
        width = text_width(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return Box(left, self.y - _ABOVE * self.size, left + width, self.y + _BELOW * self.size)

    def moved(self, dx: float, dy: float) -> Words:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Stroke:
    """A line through points: straight where a step is one point, a cubic curve where it is three."""

    start: tuple[float, float]
    steps: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    colour: str
    dashed: bool = False

    @property
    def points(self) -> Iterator[tuple[float, float]]:
        yield self.start
        for step in self.steps:
            yield from step

    @property
    def box(self) -> Box:
        xs, ys = zip(*self.points)
        return Box(min(xs), min(ys), max(xs), max(ys))

    def moved(self, dx: float, dy: float) -> Stroke:
        start = self.start[0] + dx, self.start[1] + dy
        return replace(self, start=start, steps=tuple(tuple((x + dx, y + dy) for x, y in step) for step in self.steps))


Shape = Rectangle | Words | Stroke


@dataclass(frozen=True)
class Group:
    """Shapes that belong together, with what is said about them in full."""

    kind: str  # "node", "edge", "header", "caption"
    shapes: tuple[Shape, ...]
    about: str = ""
    node: int = -1  # the number of the node, or of the one that an edge leads to


@dataclass(frozen=True)
class Scene:
    width: float
    height: float
    background: str
    title: str
    description: str
    groups: tuple[Group, ...] = field(default=())

    def of_kind(self, kind: str) -> list[Group]:
        return [group for group in self.groups if group.kind == kind]

    def words(self) -> Iterator[Words]:
        for group in self.groups:
            yield from (shape for shape in group.shapes if isinstance(shape, Words))
