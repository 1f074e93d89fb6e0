"""A scene as SVG: text as text, a title and a description, nothing that is fetched."""

from __future__ import annotations

import re

from treewright.drawing.scene import Group, Rectangle, Scene, Shape, Stroke, Words
from treewright.explain.condition_text import one_line

_FONT = "'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_CODES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_TABLE = str.maketrans(_CODES)
_TO_THE_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"  # scripts that are written from right to left
_RUN = re.compile(f"[{_TO_THE_LEFT}](?:[{_TO_THE_LEFT}\\s]*[{_TO_THE_LEFT}])?")
_LEFT_TO_RIGHT = "\u200e"  # a mark that is not seen


def to_svg(scene: Scene) -> str:
    """The text of an SVG file.

    >>> print(to_svg(Scene(20, 10, "#ffffff", "A tree", "One leaf.", (Group("node", (), "All rows", 0),))))
    <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A tree" width="20" height="10"
    viewBox="0 0 20 10" font-family="...">
    <title>A tree</title>
    <desc>One leaf.</desc>
    <rect width="100%" height="100%" fill="#ffffff"/>
    <g class="node" data-node="0"><title>All rows</title>
    </g>
    </svg>
    """
    size = f'width="{_n(scene.width)}" height="{_n(scene.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escaped(scene.title)}" {size} '
        f'viewBox="0 0 {_n(scene.width)} {_n(scene.height)}" font-family="{_FONT}">',
        f"<title>{escaped(scene.title)}</title>",
        f"<desc>{escaped(scene.description)}</desc>",
        f'<rect width="100%" height="100%" fill="{scene.background}"/>',
        *(_group(group) for group in scene.groups),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that is text, whatever it says: no character of it is taken for markup, and names from right to left do not
    turn the numbers behind them.

    >>> escaped("<script>")
    '&lt;script&gt;'
    """
    return _RUN.sub(lambda run: run[0] + _LEFT_TO_RIGHT, one_line(text).translate(_TABLE))


def _group(group: Group) -> str:
    number = f' data-node="{group.node}"' if group.node >= 0 else ""
    about = f"<title>{escaped(group.about)}</title>" if group.about else ""
    return "\n".join([f'<g class="{group.kind}"{number}>{about}', *map(_shape, group.shapes), "</g>"])


def _shape(shape: Shape) -> str:
    if isinstance(shape, Words):
        return _words(shape)
    return _rectangle(shape) if isinstance(shape, Rectangle) else _curve(shape)


def _words(words: Words) -> str:
    anchor = "" if words.anchor == "start" else f' text-anchor="{words.anchor}"'
    bold = ' font-weight="bold"' if words.bold else ""
    place = f'x="{_n(words.x)}" y="{_n(words.y)}" font-size="{_n(words.size)}"'
    return f'<text {place} fill="{words.colour}"{anchor}{bold}>{escaped(words.text)}</text>'


def _rectangle(shape: Rectangle) -> str:
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
    part = f' class="{shape.part}"' if shape.part else ""
    stroke = f' stroke="{shape.stroke}"' if shape.stroke else ""
    radius = f' rx="{_n(shape.radius)}"' if shape.radius else ""
    return f'<rect {place} fill="{shape.fill}"{part}{stroke}{radius}{_dashes(shape.dashed)}/>'


def _curve(curve: Stroke) -> str:
    steps = (f"{'C' if len(step) == 3 else 'L'}{' '.join(_point(point) for point in step)}" for step in curve.steps)
    path = f"M{_point(curve.start)}{''.join(steps)}"
    width = f'stroke-width="{_n(curve.width)}"'
    return f'<path d="{path}" fill="none" stroke="{curve.colour}" {width}{_dashes(curve.dashed)}/>'


def _dashes(dashed: bool) -> str:
    return ' stroke-dasharray="4 3"' if dashed else ""


def _point(point: tuple[float, float]) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    """A hundredth of a pixel is enough."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if number else "0"
