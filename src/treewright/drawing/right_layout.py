"""A tree that grows to the right, its ends a table: a line for each, one below the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from treewright.drawing.card_shapes import HEADING, LINE, SMALL, Part
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
from treewright.drawing.scene import Group, Rectangle, Shape, Words
from treewright.drawing.text_width import clip, text_width
from treewright.drawing.tidy_layout import centres
from treewright.explain.number_text import format_share, plural

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
class _EndLine:
    """What the table says of one end."""

    number: str = ""
    answer: str = ""
    share: str = ""
    others: str = ""
    rows: str = ""
    holdout: str = ""
    more: str = ""  # what is left out below, and other remarks


_TEXTS = ("number", "answer", "share", "others", "rows", "holdout", "more")
_ORDER = ("number", "fill", "answer", "share", "values", "others", "rows", "rows bar", "holdout", "more")


@dataclass(frozen=True)
class _Table:
    """Columns of what ends say, each as wide as its widest text."""

    plan: PicturePlan
    lines: tuple[_EndLine, ...]  # by place
    starts: dict[str, float]  # of the columns
    width: float

    @classmethod
    def of(cls, plan: PicturePlan) -> _Table:
        lines = tuple(_line(plan, at) for at in range(len(plan.cards)))
        ends = [lines[at] for at, place in enumerate(plan.shown.places) if place.is_end]
        heads = _heads(plan)
        sizes = {name: max(_text_width(name, getattr(end, name)) for end in ends) for name in _TEXTS}
        sizes = {name: max(w, text_width(heads.get(name, ""), SMALL)) if w else w for name, w in sizes.items()}
        sizes |= {"fill": 6.0 if _has_fill(plan) else 0.0, "rows bar": _ROWS_BAR}
        sizes["values"] = _VALUES if heads["values"] else 0.0
        starts, x = dict[str, float](), 8.0
        for name in _ORDER:
            starts[name] = x
            x += sizes[name] + 10 if sizes[name] else 0
        return cls(plan, lines, starts, x)

    def head(self, left: float) -> list[Shape]:
        colour = self.plan.palette.soft
        after = dict(zip(_ORDER, [*list(self.starts.values())[1:], self.width]))
        made = list[Shape]()
        for name, text in _heads(self.plan).items():
            if not text or after[name] == self.starts[name]:
                continue
            if name == "rows":
                made.append(Words(left + after[name] - 10, SMALL, text, SMALL, colour, "end"))
            else:
                made.append(Words(left + self.starts[name], SMALL, text, SMALL, colour))
        return made

    def line(self, at: int, left: float, y: float) -> Group:
        plan, card, place, said = self.plan, self.plan.cards[at], self.plan.shown.places[at], self.lines[at]
        palette, low = plan.palette, y + 0.36 * LINE
        x = {name: left + start for name, start in self.starts.items()}
        shapes: list[Shape] = [
            Rectangle(left + 3, y - 9, self.width - 3, 18, palette.card, palette.outline if place.hidden else None,
                      3.0, bool(place.hidden), part="card"),
            Words(x["number"], low, said.number, SMALL, palette.soft),
            Words(x["answer"], low, said.answer, HEADING, palette.ink, bold=True),
            Words(x["share"], low, said.share, LINE, palette.ink),
            Words(x["others"], low, said.others, LINE, palette.soft),
            Words(x["rows bar"] - 10, low, said.rows, LINE, palette.ink, "end"),
            Words(x["holdout"], low, said.holdout, LINE, palette.warning if card.differs else palette.soft),
            Words(x["more"], low, said.more, LINE, palette.soft),
        ]  # fmt: skip
        if not place.branches:
            if _has_fill(plan):
                fill = plan.maker.answer_fill(card)
                shapes.append(Rectangle(x["fill"], y - 6, 12, 12, fill, palette.outline, part="answer"))
            shapes += self._values(at, x["values"], y)
        most = plan.maker.most_rows
        length = _ROWS_BAR * plan.rows_at(at) / most if most else 0.0
        shapes += [
            Rectangle(x["rows bar"], y - 3, _ROWS_BAR, 6, palette.ribbon),
            Rectangle(x["rows bar"], y - 3, length, 6, palette.edge, part="rows"),
        ]
        shown = (shape for shape in shapes if not isinstance(shape, Words) or shape.text)
        return Group("node", tuple(shown), plan.about(at), place.node)

    def _values(self, at: int, x: float, y: float) -> list[Shape]:
        plan, card = self.plan, self.plan.cards[at]
        if plan.maker.content == "text" or not (card.bars or card.spread):
            return []
        if card.spread is not None:
            return plan.maker.spread(plan.maker.rows.boxes.get(card.node, card.spread)).draw(x, y - 6, _VALUES)
        return plan.maker.stacked(card.bars).draw(x, y - 4.5, _VALUES)


def _text_width(name: str, text: str) -> float:
    return text_width(text, HEADING if name == "answer" else LINE, bold=name == "answer")


def _has_fill(plan: PicturePlan) -> bool:
    """Whether a colour says the answer."""
    cards = plan.maker.cards
    return not cards.answers.classes or cards.has_hues


def _heads(plan: PicturePlan) -> dict[str, str]:
    cards, content = plan.maker.cards, plan.maker.content
    answers = cards.answers
    quality = "share" if answers.classes else "MAE" if answers.of_medians else "RMSE" if answers.of_models else "sd"
    values = "" if content == "text" else "classes" if answers.classes else "spread"
    return {
        "answer": "prediction", "values": values, "share": quality,
        "others": "" if _has_fill(plan) else "next classes", "holdout": "" if cards.holdout is None else "hold-out",
        "rows": "rows",
    }  # fmt: skip


def _line(plan: PicturePlan, at: int) -> _EndLine:
    place, card = plan.shown.places[at], plan.cards[at]
    if place.is_empty:
        return _EndLine(answer="no rows", rows="0", more=plan.maker.cards.answers.source(place.node))
    if place.branches:
        return _EndLine(answer=f"{len(place.branches):,} more branches", rows=f"{place.hidden_rows:,}")
    spread = plan.maker.cards.spread_text(card).rpartition(" ")[2]
    held_out = card.holdout.removeprefix("hold-out ")
    others = "" if _has_fill(plan) else ", ".join(f"{b.name} {format_share(b.share, ' ')}" for b in card.bars[1:3])
    return _EndLine(
        number=f"[{card.node}]",
        answer=clip(card.answer, _ANSWER, HEADING, bold=True),
        share=spread if card.share is None else format_share(card.share, " "),
        others=clip(others, _OTHERS, LINE),
        rows=card.rows_text.replace(" rows", "").replace(" row", ""),
        holdout=f"! {held_out}" if card.differs else held_out,
        more=f"+{plural(place.hidden, 'node')}" if place.hidden else ", ".join(card.notes),
    )
