"""How a node looks: a card of parts one below the other, each with its size and what it draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from treewright.drawing.cut_tree import ShownNode
from treewright.drawing.node_card import Cards, ClassBar, NodeCard, Spread
from treewright.drawing.node_rows import Histogram, NodeRows
from treewright.drawing.scene import Rectangle, Shape, Stroke, Words
from treewright.drawing.text_width import clip, text_width, wrap_name
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import format_share, plural
from treewright.palette import Palette

HEADING, LINE, SMALL = 12.0, 11.0, 10.0  # font sizes in pixels; ten are 7.5 points
PAD = 9.0
_WIDEST = 170.0  # text of a card
_WIDEST_END = 128.0  # that of an end: as many as there are stand side by side
_BEFORE_NUMBER = 8.0
_BAR = 9.0  # height
_NAME, _PERCENT, _RANKED_BAR = 84.0, 36.0, 40.0  # widths of a bar of many classes: at most, and of what is beside it
_FLAT_CLASSES = 104.0  # width of the names in a low card
_HISTOGRAM = 38.0
_PARTING = 1.0  # between the classes of a bar


def heading_of(text: str, node: int, room: float = _WIDEST_END) -> list[str]:
    """The lines of a heading beside the number of its node; by default that of an end."""
    return wrap_name(text, room - text_width(f"[{node}]", SMALL) - _BEFORE_NUMBER, HEADING, bold=True)


@dataclass(frozen=True)
class Part:
    """A piece of a card: at least as wide as ``width``; ``draw(x, y, width)`` makes its shapes."""

    width: float
    height: float
    draw: Callable[[float, float, float], list[Shape]]


@dataclass(frozen=True)
class CardMaker:
    """Makes the parts of cards in one picture: its colours, what cards contain, the axis all numbers share."""

    cards: Cards
    palette: Palette
    content: str
    rows: NodeRows
    axis: tuple[float, float]
    most_rows: int  # of an end: the longest bar of rows
    heading_lines: int = 1  # of every end, so that their bars stand side by side
    is_flat: bool = False  # cards are to be as low as they can

    def parts(self, place: ShownNode, card: NodeCard) -> list[Part]:
        if place.is_empty:
            said = ["no rows", self.cards.answers.source(place.node)]
            return [*(self.text(words, LINE, bold=True) for words in said if words), self._foot(0)]
        if place.branches:
            return [
                self.text(f"{len(place.branches):,} more branches", LINE, bold=True),
                self.text(f"{place.hidden_rows:,} rows", LINE),
                self._foot(place.hidden_rows),
            ]
        return self._end(place, card) if place.is_end else self._inner(card)

    def _inner(self, card: NodeCard) -> list[Part]:
        made = [self._heading(card.test, card.node, _WIDEST)]
        if self.content == "histogram" and card.node in self.rows.histograms:
            made.append(self._histogram(self.rows.histograms[card.node]))
        made += self._values(card)
        return [*made, *self._answer_and_rows(card), *self._notes(card)]

    def _answer_and_rows(self, card: NodeCard) -> list[Part]:
        """``No 68 % · 2,201 rows``, on two lines if need be; the rows alone where bars name the classes."""
        if card.bars and not self.cards.has_hues and self.content != "text":
            return [self.text(card.rows_text, LINE)]
        share = "" if card.share is None else f" {format_share(card.share, ' ')}"
        together = f"{card.answer}{share} · {card.rows_text}"
        if clip(together, _WIDEST, LINE) == together:
            return [self.text(together, LINE)]
        answer = clip(card.answer, _WIDEST - text_width(share, LINE), LINE)
        return [self.text(f"{answer}{share}", LINE), self.text(card.rows_text, LINE)]

    def _end(self, place: ShownNode, card: NodeCard) -> list[Part]:
        share = f"{format_share(card.share, ' ')} of " if card.share is not None and card.rows else ""
        made = [self._strip(card), self._heading(card.answer, card.node, _WIDEST_END, self.heading_lines)]
        made.append(self.text(f"{share}{card.rows_text}", LINE))
        if spread := self.cards.spread_text(card):
            made.append(self.text(spread, SMALL, self.palette.soft))
        made += self._values(card)
        if place.hidden:
            made.append(self.text(f"+{plural(place.hidden, 'node')}, {place.hidden_rows:,} rows", SMALL, bold=True))
        else:
            made += [self.text(note, SMALL, self.palette.soft) for note in card.notes]
        rows, _, error = card.holdout.partition(", ")  # on two lines
        made += [self._hold_out(card, rows)] if rows else []
        made += [self._hold_out(card, f"! {error}" if card.differs else error)] if error else []
        return [*made, self._foot(card.rows)]

    def _notes(self, card: NodeCard) -> list[Part]:
        notes = [self.text(note, SMALL, self.palette.soft) for note in card.notes]
        if not card.holdout:
            return notes
        return [*notes, self._hold_out(card, f"! {card.holdout}" if card.differs else card.holdout)]

    def _hold_out(self, card: NodeCard, words: str) -> Part:
        return self.text(words, SMALL, self.palette.warning if card.differs else self.palette.soft)

    def _values(self, card: NodeCard) -> list[Part]:
        if self.content == "text":
            return []
        if card.spread is not None:
            return [self.spread(self.rows.boxes.get(card.node, card.spread))]
        if not card.bars:
            return []
        if self.cards.has_hues:
            return [self.stacked(card.bars)]
        if self.is_flat:
            names = [f"{bar.name} {format_share(bar.share, ' ')}" for bar in card.bars if bar.place is not None]
            fitting = [k for k in range(1, len(names) + 1) if text_width(", ".join(names[:k]), LINE) <= _FLAT_CLASSES]
            return [self.stacked(card.bars), self.text(", ".join(names[: max(fitting, default=1)]), LINE)]
        return [self._ranked(rank, bar) for rank, bar in enumerate(card.bars)]

    # ---- pieces ------------------------------------------------------------------------------------------------

    def text(self, text: str, size: float, colour: str | None = None, *, bold: bool = False) -> Part:
        shown, colour = clip(text, _WIDEST, size, bold=bold), colour or self.palette.ink

        def draw(x: float, y: float, width: float) -> list[Shape]:
            return [Words(x, y + 0.85 * size, shown, size, colour, bold=bold)]

        return Part(text_width(shown, size, bold=bold), size + 3, draw)

    def _heading(self, text: str, node: int, room: float, least_lines: int = 1) -> Part:
        number, lines = f"[{node}]", heading_of(text, node, room)
        beside = text_width(number, SMALL) + _BEFORE_NUMBER

        def draw(x: float, y: float, width: float) -> list[Shape]:
            names = [
                Words(x, y + (k + 0.85) * HEADING + 3 * k, line, HEADING, self.palette.ink, bold=True)
                for k, line in enumerate(lines)
            ]
            return [*names, Words(x + width, y + 0.85 * HEADING, number, SMALL, self.palette.soft, "end")]

        widest = max(text_width(line, HEADING, bold=True) for line in lines)
        return Part(widest + beside, max(len(lines), least_lines) * (HEADING + 3) + 1, draw)

    def _strip(self, card: NodeCard) -> Part:
        """The colour of the answer, at the top of a leaf."""
        fill = self.answer_fill(card)
        return Part(
            0, 7, lambda x, y, width: [Rectangle(x, y - 2, width, 5, fill, self.palette.outline, part="answer")]
        )

    def answer_fill(self, card: NodeCard) -> str:
        if card.spread is not None:
            return self.palette.on_ramp(self._along(card.spread.centre))
        return self.palette.of_class(card.place) if self.cards.has_hues else self.palette.ranks[0]

    def _foot(self, rows: int) -> Part:
        """A bar as long as the rows of an end."""
        share = rows / self.most_rows if self.most_rows else 0.0

        def draw(x: float, y: float, width: float) -> list[Shape]:
            ground = Rectangle(x, y + 2, width, 4, self.palette.ribbon)
            return [ground, Rectangle(x, y + 2, width * share, 4, self.palette.edge, part="rows")]

        return Part(0, 8, draw)

    def stacked(self, bars: tuple[ClassBar, ...], height: float = _BAR) -> Part:
        """The shares of all classes side by side."""
        starts = list(accumulate((bar.share for bar in bars), initial=0.0))

        def draw(x: float, y: float, width: float) -> list[Shape]:
            made: list[Shape] = [
                Rectangle(x + start * width, y, bar.share * width, height, self._fill(rank, bar), part="class")
                for rank, (start, bar) in enumerate(zip(starts, bars))
                if bar.share > 0
            ]
            between = [  # in grey print neighbours may look alike
                Stroke((x + start * width, y), (((x + start * width, y + height),),), _PARTING, self.palette.card)
                for start in starts[1:-1]
                if _PARTING <= start * width <= (1 - 1e-9) * width - _PARTING
            ]
            return [*made, *between, Rectangle(x, y, width, height, "none", self.palette.outline)]

        return Part(90, height + 5, draw)

    def _fill(self, rank: int, bar: ClassBar) -> str:
        if self.cards.has_hues:
            return self.palette.of_class(bar.place)
        return self.palette.rest if bar.place is None else self.palette.ranks[rank]

    @cached_property
    def _name_room(self) -> float:
        """The width of the names beside bars, the same in all cards, so that bars can be compared."""
        names = [level_text(label) for label in self.cards.answers.classes] + [
            f"{len(self.cards.answers.classes)} others"
        ]
        return min(_NAME, max(text_width(name, SMALL) for name in names))

    def _ranked(self, rank: int, bar: ClassBar) -> Part:
        """One of the most frequent classes, with its name: where there are too many for colours."""
        beside = self._name_room + 4
        name = clip(bar.name, self._name_room, SMALL)

        def draw(x: float, y: float, width: float) -> list[Shape]:
            return [
                Words(x, y + 0.85 * SMALL, name, SMALL, self.palette.ink),
                Rectangle(x + beside, y + 1, _RANKED_BAR * bar.share, SMALL - 2, self._fill(rank, bar), part="class"),
                Words(x + width, y + 0.85 * SMALL, format_share(bar.share, " "), SMALL, self.palette.ink, "end"),
            ]

        return Part(beside + _RANKED_BAR + _PERCENT, SMALL + 3, draw)

    def spread(self, spread: Spread, height: float = 12.0) -> Part:
        """A number on the axis that all nodes share: a tick, a band around it, and lines to the ends if known."""

        def draw(x: float, y: float, width: float) -> list[Shape]:
            low, centre, high = (x + width * self._along(at) for at in (spread.low, spread.centre, spread.high))
            middle = y + height / 2
            least, most = (x, x + width) if spread.ends is None else [x + width * self._along(e) for e in spread.ends]
            colour = self.palette.ribbon if spread.ends is None else self.palette.outline
            band = Rectangle(
                low, y + 2, high - low, height - 4, self.palette.ranks[1], self.palette.outline, part="band"
            )
            return [
                Stroke((least, middle), (((most, middle),),), 1.0, colour),
                band,
                Stroke((centre, y), (((centre, y + height),),), 2.0, self.palette.ink),
            ]

        return Part(100, height + 4, draw)

    def _along(self, value: float) -> float:
        low, high = self.axis
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5

    def _histogram(self, histogram: Histogram) -> Part:
        tallest = max(sum(line) for line in histogram.counts)

        def draw(x: float, y: float, width: float) -> list[Shape]:
            base, step, made = y + _HISTOGRAM, width / len(histogram.counts), []
            for place, line in enumerate(histogram.counts):
                top = base
                for k, count in enumerate(line):
                    height = (_HISTOGRAM - 4) * count / tallest
                    top -= height
                    fill = self.palette.of_class(k) if self.cards.has_hues else self.palette.ranks[1]
                    if height > 0:
                        made.append(Rectangle(x + place * step + 0.4, top, step - 0.8, height, fill, part="bin"))
            made.append(Rectangle(x, base, width, 0.8, self.palette.outline))
            cuts = [Stroke((x + cut * width, y), (((x + cut * width, base + 3),),), 1.6, self.palette.ink, dashed=True)
                    for cut in histogram.cuts]  # fmt: skip
            room = width / 2 - 4
            low, high = clip(histogram.low, room, SMALL), clip(histogram.high, room, SMALL)
            ends = [
                Words(x, base + 12, low, SMALL, self.palette.soft),
                Words(x + width, base + 12, high, SMALL, self.palette.soft, "end"),
            ]
            return [*made, *cuts, *(ends if len(histogram.counts) > 1 else ends[:1])]

        return Part(126, _HISTOGRAM + 18, draw)
