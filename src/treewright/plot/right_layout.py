"""A tree that grows to the right, its ends a table: a line for each, one below the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from treewright.explain.number_text import format_share, plural
from treewright.plot.card_shapes import HEADING, LINE, SMALL, Part
from treewright.plot.plan import (
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
from treewright.plot.scene import Group, Rectangle, Shape, Words
from treewright.plot.text_width import clip, text_width
from treewright.plot.tidy_layout import centres

_SPACE = 5.0
_BEND = 26.0  # width in which edges turn
_FOOT = 16.0  # between a label and its node
_LABEL_ROOM = 140.0
_LABEL_LINES = 2
_LINE_HEIGHT = 20.0
_HEAD = 20.0  # the names of the table's columns
_ANSWER, _OTHERS, _ROWS_BAR, _VALUES = 150.0, 170.0, 70.0, 90.0


def laid_right(plan: PicturePlan) -> tuple[list[Group], float, float]:
    """The groups of the tree, and the width and height they take."""
    plan = replace(plan, maker=replace(plan.maker, is_flat=True))
    places, every = plan.shown.places, range(len(plan.shown.places))
    parts = [[] if places[at].is_end else plan.parts(at) for at in every]
    labels = [plan.label_lines(at, _LABEL_ROOM, _LABEL_LINES) for at in every]
    breadth = [_breadth(plan, at, parts[at], labels[at]) for at in every]
    centre = [_HEAD + at for at in centres(plan.children(), breadth, _SPACE)]
    lefts, bends, end = _columns(plan, parts, labels)
    table = _Table.of(plan)
    edges, nodes = dict[int, PlacedEdge](), [Group("columns", tuple(table.head(end)))]
    for at in every:
        place, card = places[at], parts[at]
        x = end if place.is_end else lefts[at]
        if at:
            above = parts[place.parent]
            y = centre[place.parent] + beside(plan, at, card_height(above))
            start, bend = (lefts[place.parent] + card_width(above), y), bends[place.parent]
            path = edge_path(start, centre[at], bend, x, is_down=False)
            corner = (bend + 4, centre[at] - len(labels[at]) * LABEL_LINE / 2 - 1)
            edges[at] = PlacedEdge(path, labels[at], corner)
        if place.is_end:
            nodes.append(table.line(at, x, centre[at]))
        else:
            nodes.append(card_group(plan, at, card, x, centre[at] - card_height(card) / 2, card_width(card)))
    height = max(centre[at] + breadth[at] / 2 for at in every)
    return with_edges(plan, edges, nodes, is_down=False), end + table.width, height


def _breadth(plan: PicturePlan, at: int, parts: list[Part], label: list[str]) -> float:
    """The height that a node needs with the edge that leads to it."""
    words = len(label) * LABEL_LINE + 3 if len(label) > 1 else 0.0
    return max(_LINE_HEIGHT, plan.edge_width(at), words, card_height(parts) if parts else 0.0)


def _columns(
    plan: PicturePlan, parts: list[list[Part]], labels: list[list[str]]
) -> tuple[list[float], list[float], float]:
    """The left of every node, where the edges from it have turned, and the left of the table.

    Children begin where the longest of their labels ends, whatever stands above and below them: every subtree has lines
    of its own.
    """
    lefts, bends = [0.0] * len(parts), [0.0] * len(parts)
    for at, place in enumerate(plan.shown.places):
        if place.is_end:
            continue
        bends[at] = lefts[at] + card_width(parts[at]) + _BEND
        longest = max(text_width(line, LABEL) for child in place.children for line in labels[child])
        for child in place.children:
            lefts[child] = bends[at] + longest + _FOOT
    return lefts, bends, max(left for left, place in zip(lefts, plan.shown.places) if place.is_end)


@dataclass(frozen=True)
class _Table:
    """Columns of what ends say, each as wide as its widest text."""

    plan: PicturePlan
    cells: tuple[tuple[str, str, str, str, str, str], ...]  # by place: number, answer, share, others, rows, more
    starts: tuple[float, ...]  # of the columns, and the end of the last

    @classmethod
    def of(cls, plan: PicturePlan) -> _Table:
        cells = tuple(_cells(plan, at) for at in range(len(plan.cards)))
        ends = [at for at, place in enumerate(plan.shown.places) if place.is_end]
        widths = [
            max(text_width(cells[at][k], HEADING if k == 1 else LINE, bold=k == 1) for at in ends) for k in range(6)
        ]
        names = _names(plan)
        widths = [max(w, text_width(name, SMALL)) if name else w for w, name in zip(widths, names)]
        values = 0.0 if plan.maker.content == "text" or not _has_values(plan) else _VALUES
        number, answer, share, others, rows, more = widths
        sizes = [number, 6 if _has_values(plan) else 0, answer, share, values, others, rows, _ROWS_BAR, more]
        starts = [8.0]
        for size in sizes:
            starts.append(starts[-1] + (size + 10 if size else 0))
        return cls(plan, cells, tuple(starts))

    @property
    def width(self) -> float:
        return self.starts[-1]

    def head(self, left: float) -> list[Shape]:
        _, answer, share, others, rows, more = _names(self.plan)
        values = "" if self.starts[5] == self.starts[4] else "classes" if self.plan.maker.cards.has_hues else "spread"
        places = [
            (2, answer, "start"),
            (4, values, "start"),
            (3, share, "start"),
            (5, others, "start"),
            (8, more, "start"),
        ]
        colour = self.plan.palette.soft
        made: list[Shape] = [
            Words(left + self.starts[k], SMALL, name, SMALL, colour, anchor) for k, name, anchor in places if name
        ]
        return [*made, Words(left + self.starts[7] - 10, SMALL, rows, SMALL, colour, "end")]

    def line(self, at: int, left: float, y: float) -> Group:
        plan, card, place = self.plan, self.plan.cards[at], self.plan.shown.places[at]
        number, answer, share, others, rows, more = self.cells[at]
        palette, x, low = plan.palette, [left + start for start in self.starts], y + 0.36 * LINE
        shapes: list[Shape] = [
            Rectangle(left + 3, y - 9, self.width - 3, 18, palette.card, palette.outline if place.hidden else None,
                      3.0, bool(place.hidden), part="card"),
            Words(x[0], low, number, SMALL, palette.soft),
            Words(x[2], low, answer, HEADING, palette.ink, bold=True),
            Words(x[3], low, share, LINE, palette.ink),
            Words(x[5], low, others, LINE, palette.soft),
            Words(x[7] - 10, low, rows, LINE, palette.ink, "end"),
            Words(x[8], low, more, LINE, palette.warning if card.differs else palette.soft),
        ]  # fmt: skip
        if not place.branches:
            if _has_values(plan):
                fill = plan.maker.answer_fill(card)
                shapes.append(Rectangle(x[1], y - 6, 12, 12, fill, palette.outline, part="answer"))
            shapes += self._values(at, x[4], y)
        most = plan.maker.most_rows
        length = _ROWS_BAR * plan.rows_at(at) / most if most else 0.0
        shapes += [
            Rectangle(x[7], y - 3, _ROWS_BAR, 6, palette.ribbon),
            Rectangle(x[7], y - 3, length, 6, palette.edge, part="rows"),
        ]
        shown = (shape for shape in shapes if not isinstance(shape, Words) or shape.text)
        return Group("node", tuple(shown), plan.about(at), place.node)

    def _values(self, at: int, x: float, y: float) -> list[Shape]:
        plan, card = self.plan, self.plan.cards[at]
        if plan.maker.content == "text" or not _has_values(plan) or not (card.bars or card.spread):
            return []
        if card.spread is not None:
            return plan.maker.spread(plan.maker.rows.boxes.get(card.node, card.spread)).draw(x, y - 6, _VALUES)
        return plan.maker.stacked(card.bars).draw(x, y - 4.5, _VALUES)


def _has_values(plan: PicturePlan) -> bool:
    cards = plan.maker.cards
    return not cards.answers.classes or cards.has_hues


def _names(plan: PicturePlan) -> tuple[str, str, str, str, str, str]:
    is_classes = bool(plan.maker.cards.answers.classes)
    more = "hold-out" if plan.maker.cards.holdout is not None else ""
    others = "" if _has_values(plan) else "next classes"
    return (
        "",
        "prediction",
        "share" if is_classes else "MAE" if plan.maker.cards.answers.of_medians else "sd",
        others,
        "rows",
        more,
    )


def _cells(plan: PicturePlan, at: int) -> tuple[str, str, str, str, str, str]:
    place, card = plan.shown.places[at], plan.cards[at]
    if place.is_empty:
        return "", "no rows", "", "", "0", plan.maker.cards.answers.source(place.node)
    if place.branches:
        return "", f"{len(place.branches):,} more branches", "", "", f"{place.hidden_rows:,}", ""
    spread = plan.maker.cards.spread_text(card).rpartition(" ")[2]
    share = spread if card.share is None else format_share(card.share, " ")
    others = "" if _has_values(plan) else ", ".join(f"{b.name} {format_share(b.share, ' ')}" for b in card.bars[1:3])
    held_out = card.holdout.removeprefix("hold-out ")
    hidden = f"+{plural(place.hidden, 'node')}" if place.hidden else ""
    notes = () if place.hidden else card.notes
    more = ", ".join(text for text in (f"! {held_out}" if card.differs else held_out, hidden, *notes) if text)
    rows = card.rows_text.replace(" rows", "").replace(" row", "")
    return (
        f"[{card.node}]", clip(card.answer, _ANSWER, HEADING, bold=True), share, clip(others, _OTHERS, LINE), rows, more
    )  # fmt: skip
