"""A tree that grows downwards, all its ends on one line."""

from __future__ import annotations

from treewright.drawing.card_shapes import Part
from treewright.drawing.plan import (
    LABEL,
    LABEL_LINE,
    PicturePlan,
    PlacedEdge,
    beside,
    card_group,
    card_height,
    card_width,
    edge_path,
    with_edges,
)  # fmt: skip
from treewright.drawing.scene import Group
from treewright.drawing.text_width import text_width
from treewright.drawing.tidy_layout import centres

_SPACE = 11.0  # between stretches of nodes
_BEND = 34.0  # height in which edges turn
_FOOT = 13.0  # between a label and its node
_LABEL_ROOM = 150.0
_LABEL_LINES = 3


def laid_down(plan: PicturePlan) -> tuple[list[Group], float, float]:
    """The groups of the tree, and the width and height they take."""
    places, every = plan.shown.places, range(len(plan.shown.places))
    parts = [plan.parts(at) for at in every]
    ends = [at for at in every if places[at].is_end]
    common = max(card_width(parts[at]) for at in ends)
    widths = [common if places[at].is_end else card_width(parts[at]) for at in every]
    labels = [plan.label_lines(at, _LABEL_ROOM, _LABEL_LINES) for at in every]
    breadth = [max(widths[at], max((text_width(line, LABEL) for line in labels[at]), default=0) + 8) for at in every]
    centre = centres(plan.children(), breadth, _SPACE)
    tops, bends = _levels(plan, parts, labels)
    base, tallest = tops[-1], max(card_height(parts[at]) for at in ends)
    edges, nodes = dict[int, PlacedEdge](), list[Group]()
    for at in every:
        place = places[at]
        y = base if place.is_end and at else tops[place.depth]
        if at:
            parent, bend = place.parent, bends[places[place.parent].depth]
            x = centre[parent] + beside(plan, at, widths[parent])
            foot = tops[places[parent].depth] + card_height(parts[parent])
            path = edge_path((x, foot), centre[at], bend, y, is_down=True)
            edges[at] = PlacedEdge(path, labels[at], (centre[at], bend))
        height = tallest if place.is_end else 0.0
        nodes.append(card_group(plan, at, parts[at], centre[at] - widths[at] / 2, y, widths[at], height))
    width = max(centre[at] + breadth[at] / 2 for at in every)
    return with_edges(plan, edges, nodes, is_down=True), width, base + tallest


def _levels(plan: PicturePlan, parts: list[list[Part]], labels: list[list[str]]) -> tuple[list[float], list[float]]:
    """The top of every level and, last, that of the ends; and where the edges of a level have turned."""
    places = plan.shown.places
    tops, bends = [0.0], []
    deepest = max((place.depth for place in places if not place.is_end), default=-1)
    for depth in range(deepest + 1):
        tallest = max(
            card_height(parts[at]) for at, place in enumerate(places) if place.depth == depth and place.children
        )
        lines = max(len(labels[child]) for place in places if place.depth == depth for child in place.children)
        bends.append(tops[-1] + tallest + _BEND)
        tops.append(bends[-1] + lines * LABEL_LINE + _FOOT)
    return tops, bends
