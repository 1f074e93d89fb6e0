"""The report of a model as one file of HTML: sections of tables around the interactive page. It prints well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from treewright.page.html_document import page_frame

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 260, 56, 40  # of a chart, and its margins


@dataclass(frozen=True)
class TableSection:
    """Rows of cells under a heading; ``numbers`` are columns that stand to the right."""

    heading: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    numbers: Sequence[int] = ()
    shades: Sequence[Sequence[float]] = ()  # 0 to 1 by cell, the first column left out
    bars: Sequence[float] = ()  # 0 to 1 by row, drawn in a last column

    def html(self) -> str:
        head = "".join(f"<th scope='col'{self._side(j)}>{_text(cell)}</th>" for j, cell in enumerate(self.head))
        head += "<th></th>" if self.bars else ""
        rows = "".join(self._row(i, row) for i, row in enumerate(self.rows))
        note = f"<p class='note'>{_text(self.note)}</p>" if self.note else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"

    def _row(self, i: int, row: Sequence[str]) -> str:
        cells = "".join(f"<td{self._side(j)}{self._shade(i, j)}>{_text(cell)}</td>" for j, cell in enumerate(row))
        bar = f"<td class='bar'><span style='width:{100 * self.bars[i]:.1f}%'></span></td>" if self.bars else ""
        return f"<tr>{cells}{bar}</tr>"

    def _side(self, j: int) -> str:
        return " class='number'" if j in self.numbers else ""

    def _shade(self, i: int, j: int) -> str:
        if not self.shades or j == 0:
            return ""
        share = min(max(self.shades[i][j - 1], 0.0), 1.0)
        return f" style='background:rgba(47,109,181,{0.55 * share:.3f})'"


@dataclass(frozen=True)
class TextSection:
    """Lines of text: a list, or as they are."""

    heading: str
    lines: Sequence[str]
    as_is: bool = False

    def html(self) -> str:
        if self.as_is:
            return f"<pre>{escape(chr(10).join(self.lines))}</pre>"
        return "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in self.lines) + "</ul>"


@dataclass(frozen=True)
class ChartSection:
    """Lines over numbers: each a name and its heights; ``chosen`` is a place to mark."""

    heading: str
    what: str
    places: Sequence[float]
    lines: dict[str, Sequence[float]]
    chosen: int | None = None
    note: str = ""

    def html(self) -> str:
        top = max((y for ys in self.lines.values() for y in ys), default=0.0) or 1.0
        low, high = min(self.places), max(self.places)
        parts = [*self._axes(low, high, top), *self._mark(low, high)]
        for number, (name, ys) in enumerate(self.lines.items()):
            points = " ".join(f"{_across(x, low, high):.1f},{_up(y, top):.1f}" for x, y in zip(self.places, ys))
            parts.append(f"<polyline class='line-{number}' points='{points}'/>")
            parts.append(f"<text class='key-{number}' x='{_WIDTH - 8}' y='{20 + 16 * number}'>{_text(name)}</text>")
        label = escape(f"{self.heading}: {', '.join(self.lines)} against {self.what}", quote=True)
        drawing = f"<svg role='img' aria-label='{label}' viewBox='0 0 {_WIDTH} {_HEIGHT}'>{''.join(parts)}</svg>"
        return drawing + (f"<p class='note'>{_text(self.note)}</p>" if self.note else "")

    def _axes(self, low: float, high: float, top: float) -> list[str]:
        floor = _HEIGHT - _BOTTOM
        words = [
            (_LEFT - 6, floor, "0", "end"),
            (_LEFT - 6, 20, f"{top:.3g}", "end"),
            (_LEFT, floor + 16, f"{low:g}", "middle"),
        ]
        words += [
            (_WIDTH - 10, floor + 16, f"{high:g}", "end"),
            ((_LEFT + _WIDTH) // 2, floor + 32, self.what, "middle"),
        ]
        lines = f"<path class='axis' d='M{_LEFT} 12V{floor}H{_WIDTH - 8}'/>"
        return [
            lines,
            *(f"<text x='{x}' y='{y}' text-anchor='{side}'>{_text(word)}</text>" for x, y, word, side in words),
        ]

    def _mark(self, low: float, high: float) -> list[str]:
        if self.chosen is None:
            return []
        x = _across(self.places[self.chosen], low, high)
        return [f"<path class='mark' d='M{x:.1f} 12V{_HEIGHT - _BOTTOM}'/>"]


Section = TableSection | TextSection | ChartSection


@dataclass(frozen=True)
class Report:
    """A title, facts in words, sections before and after the interactive page, and its view."""

    title: str
    facts: Sequence[str]
    view: dict[str, Any]
    before: Sequence[Section] = field(default_factory=tuple)
    after: Sequence[Section] = field(default_factory=tuple)

    def html(self) -> str:
        """The file."""
        body = [
            "<div class='report'>",
            f"<h1>{_text(self.title)}</h1>",
            f"<p>{' · '.join(map(_text, self.facts))}</p>",
            *map(_section, self.before),
            "<section><h2>The model</h2><div id='tw'></div></section>",
            *map(_section, self.after),
            "</div>",
        ]
        return page_frame(self.title, body, self.view, classes="report-page")


def _section(section: Section) -> str:
    return f"<section><h2>{_text(section.heading)}</h2>{section.html()}</section>"


def _across(x: float, low: float, high: float) -> float:
    return _LEFT + (x - low) / ((high - low) or 1.0) * (_WIDTH - _LEFT - 12)


def _up(y: float, top: float) -> float:
    floor = _HEIGHT - _BOTTOM
    return floor - y / top * (floor - 16)


def _text(words: str) -> str:
    """Text from the data, which cannot disturb the direction of what is around it."""
    return f"<bdi>{escape(str(words))}</bdi>" if not str(words).isascii() else escape(str(words))
