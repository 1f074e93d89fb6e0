"""What is to be laid out: places, their cards and the labels of the edges that lead to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from treewright.drawing.card_shapes import PAD, CardMaker, Part
from treewright.drawing.cut_tree import CutTree
from treewright.drawing.edge_label import EdgeLabel
from treewright.drawing.node_card import NodeCard
from treewright.drawing.scene import Group, Rectangle, Shape, Stroke, Words
from treewright.palette import Palette

LABEL = 11.0  # font size
LABEL_LINE = LABEL + 3
WIDEST_EDGE = 20.0  # that of all rows


@dataclass(frozen=True)
class PicturePlan:
    shown: CutTree
    maker: CardMaker
    cards: tuple[NodeCard, ...]
    labels: tuple[EdgeLabel | None, ...]  # by place; none at the root

    @property
    def palette(self) -> Palette:
        return self.maker.palette

    def parts(self, at: int) -> list[Part]:
        return self.maker.parts(self.shown.places[at], self.cards[at])

    def label_lines(self, at: int, room: float, most: int) -> list[str]:
        """The label of the edge to a place, on up to so many lines."""
        label = self.labels[at]
        return [] if label is None else label.lines(room, LABEL, most)

    def children(self) -> list[list[int]]:
        return [place.children for place in self.shown.places]

    def rows_at(self, at: int) -> int:
        place = self.shown.places[at]
        return place.hidden_rows if place.branches else self.cards[at].rows

    def edge_width(self, at: int) -> float:
        return WIDEST_EDGE * self.rows_at(at) / self.most_rows if self.most_rows else 0.0

    @cached_property
    def most_rows(self) -> int:
        """Those of the root, unless a tree made by hand or rows in several branches make others larger."""
        return max(self.rows_at(at) for at in range(len(self.cards)))

    def about(self, at: int) -> str:
        place = self.shown.places[at]
        if place.is_empty:
            return f"{len(place.branches):,} branches that no row takes"
        if place.branches:
            return f"{len(place.branches):,} more branches, {place.hidden:,} nodes, {place.hidden_rows:,} rows"
        return self.cards[at].about


def card_group(
    plan: PicturePlan, at: int, parts: list[Part], x: float, y: float, width: float, height: float = 0.0
) -> Group:
    """A card with its parts one below the other; dashed where the tree goes on. In a higher one the last part is at its
    foot."""
    place = plan.shown.places[at]
    height = max(height, card_height(parts))
    shapes: list[Shape] = [
        Rectangle(x, y, width, height, plan.palette.card, plan.palette.outline, 5.0, bool(place.hidden), part="card")
    ]
    below = y + PAD
    for part in parts[:-1]:
        shapes += part.draw(x + PAD, below, width - 2 * PAD)
        below += part.height
    shapes += parts[-1].draw(x + PAD, y + height - PAD + 3 - parts[-1].height, width - 2 * PAD)
    return Group("node", tuple(shapes), plan.about(at), place.node)


def beside(plan: PicturePlan, at: int, room: float) -> float:
    """Where an edge leaves its parent, from the middle: side by side with the others, as wide as it is if it can."""
    siblings = plan.shown.places[plan.shown.places[at].parent].children
    widths = [plan.edge_width(child) for child in siblings]
    place, total = siblings.index(at), sum(widths)
    start = sum(widths[:place]) + widths[place] / 2 - total / 2
    return start * min(1.0, (room - 12) / total) if total else 0.0


def card_height(parts: list[Part]) -> float:
    return sum(part.height for part in parts) + 2 * PAD - 3


def card_width(parts: list[Part]) -> float:
    return max(part.width for part in parts) + 2 * PAD


@dataclass(frozen=True)
class PlacedEdge:
    """Where an edge runs, and what it says; ``corner`` is where the first line of its label begins."""

    path: Stroke
    lines: list[str]
    corner: tuple[float, float]


def edge_path(start: tuple[float, float], across: float, bend: float, end: float, *, is_down: bool) -> Stroke:
    """A line that moves over from its start until the bend, and then runs straight to its end."""
    at, along = start if is_down else start[::-1]
    half = (along + bend) / 2
    points = [(at, along), (at, half), (across, half), (across, bend), (across, end)]
    first, *turn, last = points if is_down else [point[::-1] for point in points]
    return Stroke(first, (tuple(turn), (last,)), 1.0, "")


def with_edges(plan: PicturePlan, edges: dict[int, PlacedEdge], nodes: list[Group], *, is_down: bool) -> list[Group]:
    """The groups of a tree: edges below nodes, wide ones below narrow ones."""
    order = sorted(edges, key=lambda at: -plan.edge_width(at))
    return [*(_edge_group(plan, at, edges[at], is_down) for at in order), *nodes]


def _edge_group(plan: PicturePlan, at: int, edge: PlacedEdge, is_down: bool) -> Group:
    """The ribbon of an edge, its line, and its label on a plate."""
    palette, label, path = plan.palette, plan.labels[at], edge.path
    assert label is not None
    ribbon = Stroke(path.start, path.steps, plan.edge_width(at), palette.ribbon)
    is_missing = bool(label.missing) or label.plain == "missing"
    line = Stroke(path.start, path.steps, 1.2, palette.missing if is_missing else palette.edge, dashed=is_missing)
    shapes: list[Shape] = [*([ribbon] if ribbon.width > 0 else []), line]
    (x, y), anchor = edge.corner, "middle" if is_down else "start"
    words = [
        Words(x, y + (k + 0.82) * LABEL_LINE, text, LABEL, _colour(plan, label, text), anchor)
        for k, text in enumerate(edge.lines)
    ]
    if words:
        shapes += _plates(words, path, ribbon, palette.paper, is_down)
    if label.is_default:
        shapes.append(_diamond(path, palette.missing, is_down))
    return Group("edge", (*shapes, *words), label.about, plan.shown.places[at].node)


def _plates(words: list[Words], path: Stroke, ribbon: Stroke, fill: str, is_down: bool) -> list[Shape]:
    """What a label stands on. It interrupts the line of its edge, and the ribbon where that would strike words out."""
    left, right = min(line.box.left for line in words) - 3, max(line.box.right for line in words) + 3
    top, bottom = words[0].box.top - 2, words[-1].box.bottom + 1
    if is_down:
        plate, x = Rectangle(left, top, right - left, bottom - top, fill, part="plate"), path.steps[-1][-1][0]
        across = Rectangle(x - ribbon.width / 2, top, ribbon.width, bottom - top, ribbon.colour, part="plate")
        return [plate, across] if ribbon.width else [plate]
    more = max(ribbon.width + 2 - (bottom - top), 0) / 2
    return [Rectangle(left, top - more, right - left, bottom - top + 2 * more, fill, part="plate")]


def _colour(plan: PicturePlan, label: EdgeLabel, line: str) -> str:
    return plan.palette.missing if line == label.missing or line == "missing" else plan.palette.ink


def _diamond(path: Stroke, colour: str, is_down: bool) -> Stroke:
    """At the end of the edge: this way go missing values, though training had none."""
    x, y = path.steps[-1][-1]
    x, y = (x, y - 5) if is_down else (x - 5, y)
    corners = (((x + 3.2, y),), ((x, y + 3.2),), ((x - 3.2, y),), ((x, y - 3.2),))
    return Stroke((x, y - 3.2), corners, 1.0, colour)
