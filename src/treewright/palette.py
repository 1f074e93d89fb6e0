"""The colours of trees, plots and pages, on light and on dark paper.

The eight hues of classes differ by at least 15 (CIEDE2000) from one another to people with normal sight, with
deuteranopia and with protanopia; ``tests/test_palette.py`` computes it. Colour is never the only sign of a class. The
ramp of numbers is ColorBrewer's YlGnBu, whose low end is near the paper. ``page/static/palette.mjs`` has the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.errors import unknown

MOST_HUES = 8  # more classes than this have no colours of their own
_RAMP = ("#ffffcc", "#c7e9b4", "#7fcdbb", "#41b6c4", "#2c7fb8", "#253494")


@dataclass(frozen=True)
class Palette:
    """Colours of one paper. ``ink`` is for text and outlines, ``soft`` for what stands back, ``faint`` for the grid."""

    name: str
    paper: str
    card: str  # fill of nodes
    ink: str
    soft: str
    faint: str
    outline: str  # of bars and of nodes
    edge: str  # the line in an edge
    ribbon: str  # the width of edges
    missing: str  # what becomes of missing values
    warning: str
    rest: str  # all classes that have no colour
    ranks: tuple[str, str, str]  # the most frequent, second and third class, where colour does not mean class
    hues: tuple[str, ...]  # a colour per class
    as_lines: tuple[int, ...]  # hues that show as a thin line, the best first
    ramp: tuple[str, ...]  # of a numeric target, from low to high

    def of_class(self, place: int | None) -> str:
        return self.rest if place is None else self.hues[place]

    def on_ramp(self, share: float) -> str:
        """A colour between low (0) and high (1).

        >>> LIGHT.on_ramp(0.0), LIGHT.on_ramp(0.1), LIGHT.on_ramp(1.0)
        ('#ffffcc', '#e3f4c0', '#253494')
        """
        place = min(max(share, 0.0), 1.0) * (len(self.ramp) - 1)
        start = min(int(place), len(self.ramp) - 2)
        return mixed(self.ramp[start], self.ramp[start + 1], place - start)

    def line(self, place: int) -> str:
        """The colour of a line."""
        return self.hues[self.as_lines[place % len(self.as_lines)]]

    def tint(self, colour: str, strength: float = 0.3) -> str:
        """A colour as an area behind rows and words."""
        return mixed(self.paper, colour, strength)


def mixed(one: str, other: str, share: float) -> str:
    """Part of the way from one colour to another.

    >>> mixed("#000000", "#ff8000", 0.5)
    '#804000'
    """
    ends = zip(_channels(one), _channels(other))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in ends)


def _channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


LIGHT = Palette(
    name="light",
    paper="#ffffff",
    card="#fbfcfd",
    ink="#1b222b",
    soft="#57606c",
    faint="#e3e6ea",
    outline="#6b7480",
    edge="#7b8490",
    ribbon="#d3dbe4",
    missing="#7818c8",
    warning="#b3261e",
    rest="#b5bcc5",
    ranks=("#2f6db5", "#7ba4d4", "#bcd0e8"),
    hues=("#2f6db5", "#e58a2e", "#009988", "#cc3355", "#88ddff", "#663300", "#772255", "#44eebb"),
    as_lines=(0, 3, 2, 6, 5, 1),
    ramp=_RAMP,
)
DARK = Palette(
    name="dark",
    paper="#15191f",
    card="#1d232b",
    ink="#eceff3",
    soft="#a9b2be",
    faint="#343b45",
    outline="#8b95a2",
    edge="#7d8794",
    ribbon="#3a4452",
    missing="#d2adff",
    warning="#ff8a80",
    rest="#6b7480",
    ranks=("#6ea8f0", "#4a78b4", "#35517a"),
    hues=("#6ea8f0", "#f0a35e", "#99ffcc", "#cc8899", "#3366dd", "#776600", "#995577", "#99eeff"),
    as_lines=(0, 1, 2, 3, 7, 6),
    ramp=_RAMP[::-1],
)
PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}


def palette_of(theme: str) -> Palette:
    """The colours of "light" or "dark" paper."""
    if theme not in PALETTES:
        raise unknown("theme", theme, PALETTES)
    return PALETTES[theme]
