"""Where the nodes of a tree lie on a plane: what is left of it after the tests on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.explain.region import MissingRoute, Region, intersect, region_of
from treewright.plots.plane import Plane, PlaneAxis
from treewright.tree.tree import Node, Tree
from treewright.typing import Floats

Rectangle = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class NodeBox:
    """A node, and what the tests on the way to it accept of every tested column."""

    node: Node
    depth: int
    regions: dict[int, Region] = field(default_factory=dict)

    def rectangles(self, plane: Plane) -> list[Rectangle]:
        """The parts of the plane that reach the node; several where a branch takes several ranges of a column."""
        along_x, along_y = (axis.segments(self.regions.get(axis.place)) for axis in (plane.x, plane.y))
        return [(left, bottom, right, top) for left, right in along_x for bottom, top in along_y]


def node_boxes(tree: Tree, schema: Schema, held: Plane | None = None) -> Iterator[NodeBox]:
    """All nodes that can be reached, parents first; ``held`` is the plane whose other columns are held at a value."""
    waiting = [NodeBox(tree.root, 0)]
    while waiting:
        box = waiting.pop()
        yield box
        waiting += [child for child in reversed(children(box, schema)) if held is None or _is_reached(child, held)]


def children(box: NodeBox, schema: Schema) -> list[NodeBox]:
    split = box.node.split
    if split is None:
        return []
    column, before = schema.columns[split.column], box.regions.get(split.column)
    regions = [region_of(split, column, branch) for branch in range(len(box.node.children))]
    joined = [region if before is None else intersect(before, region) for region in regions]
    return [
        NodeBox(child, box.depth + 1, {**box.regions, split.column: region})
        for child, region in zip(box.node.children, joined)
    ]


def box_of(tree: Tree, schema: Schema, node: int) -> NodeBox:
    """One node."""
    box = NodeBox(tree.root, 0)
    for step in tree.node(node).path()[1:]:
        box = children(box, schema)[step.branch]
    return box


def _is_reached(box: NodeBox, plane: Plane) -> bool:
    """Whether the values at which the other columns are held pass the tests."""
    shown = (plane.x.place, plane.y.place)
    return all(place in shown or accepts(region, float(plane.held[place])) for place, region in box.regions.items())


def accepts(region: Region, value: float) -> bool:
    """Whether a value, a number or the code of a level, lies in a region; missing ones go where they are sent."""
    if np.isnan(value):
        return region.missing is not MissingRoute.ELSEWHERE
    if region.column.kind is Kind.NUMERIC:
        return any((i.low is None or value > i.low) and value <= i.high for i in region.intervals)
    return bool(region.levels[int(value) - 1])


def cuts(box: NodeBox, axis: PlaneAxis) -> Floats:
    """Where a node cuts an axis: at its thresholds, or between neighbouring levels that part."""
    split = box.node.split
    if split is None or split.column != axis.place:
        return np.empty(0)
    parts = np.diff(split.branch_of[1:]) != 0
    places = split.edges if split.is_numeric else np.arange(len(split.branch_of) - 2) + 0.5
    inside = [any(low < place < high for low, high in axis.segments(box.regions.get(axis.place))) for place in places]
    return np.asarray(places[parts & np.array(inside, np.bool_)], np.float64)
