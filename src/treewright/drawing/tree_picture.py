"""The picture of a tree: what is shown, where it stands, and what is said around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from treewright.data.schema import Schema
from treewright.drawing.card_shapes import CardMaker, heading_of
from treewright.drawing.cut_tree import CutTree, cut_to
from treewright.drawing.down_layout import laid_down
from treewright.drawing.edge_label import EdgeLabel, edge_label, joined_label
from treewright.drawing.node_card import Cards, NodeCard
from treewright.drawing.node_rows import NodeRows
from treewright.drawing.plan import PicturePlan
from treewright.drawing.right_layout import laid_right
from treewright.drawing.scene import Group, Rectangle, Scene, Shape, Words
from treewright.drawing.text_width import clip, text_width, wrap
from treewright.errors import OptionError, unknown
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.leaf_rules import path_conditions
from treewright.explain.number_text import plural
from treewright.palette import palette_of
from treewright.tree.tree import Node, Tree

AUTO = "auto"
CONTENTS = ("auto", "bars", "histogram", "box", "text")
ORIENTATIONS = ("auto", "down", "right")
MOST_DOWN = 16  # ends, beyond which the tree grows to the right
_MARGIN = 18.0
_LEAST_WIDTH = 440.0
_LONGEST_PATH = 2000.0  # pixels, on several lines
_TITLE, _FACTS, _CAPTION = 16.0, 11.0, 10.0


@dataclass(frozen=True)
class Style:
    """What a user may choose of a picture."""

    content: str = "auto"
    orientation: str = "auto"
    theme: str = "light"
    depth: int | None = None
    max_leaves: int | str | None = AUTO
    node: int = 0  # what the picture begins with

    def check(self) -> None:
        if self.content not in CONTENTS:
            raise unknown("content", self.content, CONTENTS)
        if self.orientation not in ORIENTATIONS:
            raise unknown("orientation", self.orientation, ORIENTATIONS)
        palette_of(self.theme)
        for name, least in (("depth", 0), ("max_leaves", 1), ("node", 0)):
            given = getattr(self, name)
            if name == "max_leaves" and given == AUTO:
                continue
            if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < least):
                raise OptionError(f"{name}={given!r} is not accepted", f"a whole number from {least} on, or None")


def style_of(options: Mapping[str, Any]) -> Style:
    """A style from what a user gives, checked."""
    known = {option.name for option in fields(Style)}
    for name in options:
        if name not in known:
            raise unknown("option", name, known)
    style = Style(**options)
    style.check()
    return style


@dataclass(frozen=True)
class Heading:
    """What the model says about itself, above its tree."""

    title: str
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())  # in the caption


def shown_part(tree: Tree, style: Style) -> CutTree:
    """What a picture in this style shows of the tree."""
    style.check()
    if style.node is None or style.node >= tree.n_nodes:
        raise OptionError(f"there is no node {style.node!r}", f"nodes are numbered from 0 to {tree.n_nodes - 1}")
    return cut_to(tree, style.depth, style.max_leaves, style.node)


def picture(
    shown: CutTree,
    schema: Schema,
    told: Heading,
    style: Style,
    holdout: HoldOutStatistics | None = None,
    rows: NodeRows | None = None,
) -> Scene:
    """The drawing. ``rows`` has histograms and quartiles, where the content wants them."""
    plan = _plan(shown, schema, style, Cards(shown.tree, schema, holdout), rows or NodeRows())
    is_down = style.orientation == "down" or (style.orientation == "auto" and shown.n_ends <= MOST_DOWN)
    body, width, height = laid_down(plan) if is_down else laid_right(plan)
    room = max(width, _LEAST_WIDTH)
    header, top = _header(plan, _placed(told, shown, schema), room)
    caption, bottom = _caption(plan, told, style, room, top + height)
    shifted = [_moved(group, _MARGIN + (room - width) / 2, top) for group in body]
    return Scene(
        width=round(room + 2 * _MARGIN),
        height=round(bottom + _MARGIN),
        background=plan.palette.paper,
        title=told.title,
        description=_description(shown, schema, told),
        groups=(header, *shifted, caption),
    )


def _plan(shown: CutTree, schema: Schema, style: Style, cards: Cards, rows: NodeRows) -> PicturePlan:
    made = [cards.card(place.node) for place in shown.places]
    ends = [(place, card) for place, card in zip(shown.places, made) if place.is_end]
    most_rows = max(place.hidden_rows if place.branches else card.rows for place, card in ends)
    lines = max(len(heading_of(card.answer, card.node)) for _, card in ends)
    content = _content(style.content, rows)
    maker = CardMaker(cards, palette_of(style.theme), content, rows, _axis(made, rows), most_rows, lines)
    labels = [_label(shown, schema, at) for at in range(len(shown.places))]
    return PicturePlan(shown, maker, tuple(made), tuple(labels))


def _content(content: str, rows: NodeRows) -> str:
    if content == "auto":
        return "histogram" if rows.histograms else "bars"
    return content


def _axis(cards: list[NodeCard], rows: NodeRows) -> tuple[float, float]:
    """From the least to the greatest of what is drawn, for all nodes."""
    spreads = [rows.boxes.get(card.node, card.spread) for card in cards if card.spread is not None]
    ends = [end for spread in spreads if spread is not None for end in (spread.ends or (spread.low, spread.high))]
    return (min(ends), max(ends)) if ends else (0.0, 1.0)


def _label(shown: CutTree, schema: Schema, at: int) -> EdgeLabel | None:
    place = shown.places[at]
    if place.parent < 0:
        return None
    if not place.branches:
        return edge_label(shown.tree, schema, place.node)
    first = int(shown.tree.first_child[shown.places[place.parent].node])
    return joined_label([edge_label(shown.tree, schema, first + branch) for branch in place.branches])


def _placed(told: Heading, shown: CutTree, schema: Schema) -> Heading:
    """What is said above a part of a tree: where it belongs."""
    if not shown.top:
        return told
    path = clip(" and ".join(path_conditions(shown.tree, schema, shown.top)), _LONGEST_PATH, _FACTS)
    return replace(told, facts=(*told.facts, f"below node {shown.top:,}, where {path}"))


# ---- around the tree -------------------------------------------------------------------------------------------------


def _header(plan: PicturePlan, told: Heading, room: float) -> tuple[Group, float]:
    palette, made = plan.palette, list[Shape]()
    y = _MARGIN + _TITLE * 0.8
    made.append(Words(_MARGIN, y, clip(one_line(told.title), room, _TITLE, bold=True), _TITLE, palette.ink, bold=True))
    for line in wrap(" · ".join(told.facts).split(" "), room, _FACTS):
        y += _FACTS + 6
        made.append(Words(_MARGIN, y, line, _FACTS, palette.soft))
    legend, y = _legend(plan, room, y + 9)
    return Group("header", (*made, *legend)), y + 12


def _legend(plan: PicturePlan, room: float, y: float) -> tuple[list[Shape], float]:
    cards, palette = plan.maker.cards, plan.palette
    if cards.answers.classes:
        if not cards.has_hues:
            return [], y
        names = [(level_text(label), palette.of_class(k)) for k, label in enumerate(cards.answers.classes)]
    else:
        low, high = plan.maker.axis
        names = [(cards.answers.number(low + s * (high - low)), palette.on_ramp(s)) for s in (0.0, 0.5, 1.0)]
    made, x = list[Shape](), _MARGIN
    y += 12
    for name, fill in [(one_line(cards.schema.target.name), ""), *names]:
        shown = clip(name if fill else f"{name}:", 180, _FACTS)
        width = text_width(shown, _FACTS) + (18 if fill else 0)
        if x > _MARGIN and x + width > _MARGIN + room:
            x, y = _MARGIN, y + _FACTS + 6
        if fill:
            made.append(Rectangle(x, y - 9, 11, 11, fill, palette.outline, part="legend"))
        made.append(Words(x + (15 if fill else 0), y, shown, _FACTS, palette.ink))
        x += width + 14
    return made, y


def _caption(plan: PicturePlan, told: Heading, style: Style, room: float, y: float) -> tuple[Group, float]:
    sentences = [*_cut_sentences(plan.shown, style), *_reading(plan), *told.notes]
    lines = [line for words in (" ".join(sentences), *_models(plan)) for line in wrap(words.split(" "), room, _CAPTION)]
    y += 10
    made = [
        Words(_MARGIN, y + (k + 1) * (_CAPTION + 4), line, _CAPTION, plan.palette.soft) for k, line in enumerate(lines)
    ]
    return Group("caption", tuple(made)), y + len(lines) * (_CAPTION + 4)


def _models(plan: PicturePlan) -> list[str]:
    """The models by which the leaves predict."""
    cards = plan.maker.cards
    if not cards.answers.of_models:
        return []
    name, ends = one_line(cards.schema.target.name), [p for p in plan.shown.places if p.is_end and not p.branches]
    start = "" if cards.answers.classes else f"{name} = "
    return ["The leaves predict by these models:", *(f"[{p.node}] {start}{cards.answers.text(p.node)}" for p in ends)]


def _cut_sentences(shown: CutTree, style: Style) -> list[str]:
    if not shown.n_hidden:
        return []
    why = f"depth={style.depth}" if style.depth is not None else f"{shown.n_ends:,} ends, the nodes of most rows"
    left_out = plural(shown.n_hidden, "node")
    return [
        f"The tree is cut ({why}): {left_out} of {shown.tree.n_nodes:,} are left out; dashed boxes say where. "
        "node=NUMBER draws what is below one."
    ]


def _reading(plan: PicturePlan) -> list[str]:
    """How to read the signs that occur."""
    cards, maker, labels = plan.maker.cards, plan.maker, [label for label in plan.labels if label is not None]
    said = ["Numbers in brackets name nodes."]
    if labels:
        said.append("Edges are as wide as their share of the rows.")
    longest = f"{maker.most_rows:,}"
    said.append(f"The grey bar of a leaf is as long as its rows (the longest: {longest}).")
    if not cards.answers.classes and maker.content != "text":
        said.append(_band(plan))
    if cards.answers.classes and not cards.has_hues and maker.content != "text":
        said.append("Nodes name their most frequent classes.")
    if any(place.is_empty for place in plan.shown.places):
        said.append("Branches that no row takes share a place; max_leaves=None shows each.")
    if any(label.missing for label in labels):
        said.append("Dashed edges take missing values.")
    if any(label.is_default for label in labels):
        said.append("◇ takes missing values, of which training had none there.")
    if any(label.is_shared for label in labels):
        said.append("Missing values take every branch, by its share of the rows.")
    if any((test := Node(cards.tree, card.node).test) and test.log_adjusted_p > test.log_p for card in plan.cards):
        said.append("p is adjusted for the ways in which levels could be merged (Bonferroni).")
    if any(card.differs for card in plan.cards):
        said.append("! marks where the training value is outside the 95 % interval of the hold-out.")
    return said


def _band(plan: PicturePlan) -> str:
    answers, (low, high) = plan.maker.cards.answers, plan.maker.axis
    axis = f"on one axis from {answers.number(low)} to {answers.number(high)}"
    if plan.maker.rows.boxes:
        return f"Boxes: quartiles and median, lines to the least and the greatest, {axis}."
    what = "median ± mean distance" if answers.of_medians else "mean ± standard deviation"
    return f"Bands: {what}, {axis}."


def _description(shown: CutTree, schema: Schema, told: Heading) -> str:
    tree = shown.tree
    start = f"Decision tree for {one_line(schema.target.name)}: {plural(tree.n_leaves, 'leaf', 'leaves')}"
    split = tree.root.split
    first = "no split" if split is None else f"first split on {one_line(schema.columns[split.column].name)}"
    cut = f" {plural(shown.n_hidden, 'node')} are not shown." if shown.n_hidden else ""
    return f"{start}, depth {tree.depth}, {first}; {', '.join(told.facts)}.{cut}"


def _moved(group: Group, dx: float, dy: float) -> Group:
    return replace(group, shapes=tuple(shape.moved(dx, dy) for shape in group.shapes))
