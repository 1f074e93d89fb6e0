"""Colours, for light and for dark backgrounds.

The eight colours of classes differ by at least 15 (CIEDE2000) from one another to people with normal sight, with
deuteranopia and with protanopia; ``tests/plot/test_palette.py`` computes it. Colour is never the only sign of a class.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.errors import unknown

MOST_HUES = 8  # more classes than this have no colours of their own


@dataclass(frozen=True)
class Palette:
    background: str
    card: str  # fill of nodes
    text: str
    quiet: str  # text of less weight
    outline: str  # of bars and of nodes
    line: str  # edges
    ribbon: str  # the width of edges
    missing: str  # what becomes of missing values
    warning: str
    rest: str  # all classes that have no colour
    ranks: tuple[str, str, str]  # the most frequent, second and third class, where colour does not mean class
    classes: tuple[str, ...]
    low: tuple[int, int, int]  # ends of the ramp of a numeric target
    high: tuple[int, int, int]

    def of_class(self, place: int | None) -> str:
        return self.rest if place is None else self.classes[place]

    def on_ramp(self, share: float) -> str:
        """A colour between low (0) and high (1).

        >>> LIGHT.on_ramp(0.0), LIGHT.on_ramp(1.0)
        ('#d4e4f7', '#12406f')
        """
        share = min(max(share, 0.0), 1.0)
        return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(self.low, self.high))


LIGHT = Palette(
    background="#ffffff",
    card="#fbfcfd",
    text="#1b222b",
    quiet="#57606c",
    outline="#6b7480",
    line="#7b8490",
    ribbon="#d3dbe4",
    missing="#8a2be2",
    warning="#b3261e",
    rest="#b5bcc5",
    ranks=("#2f6db5", "#7ba4d4", "#bcd0e8"),
    classes=("#2f6db5", "#e58a2e", "#009988", "#cc3355", "#88ddff", "#663300", "#772255", "#44eebb"),
    low=(0xD4, 0xE4, 0xF7),
    high=(0x12, 0x40, 0x6F),
)
DARK = Palette(
    background="#15191f",
    card="#1d232b",
    text="#eceff3",
    quiet="#a9b2be",
    outline="#8b95a2",
    line="#7d8794",
    ribbon="#3a4452",
    missing="#c79bff",
    warning="#ff8a80",
    rest="#6b7480",
    ranks=("#6ea8f0", "#4a78b4", "#35517a"),
    classes=("#6ea8f0", "#f0a35e", "#99ffcc", "#cc8899", "#3366dd", "#776600", "#995577", "#99eeff"),
    low=(0x27, 0x3A, 0x52),
    high=(0x9C, 0xCB, 0xFF),
)
_THEMES = {"light": LIGHT, "dark": DARK}


def palette_of(theme: str) -> Palette:
    if theme not in _THEMES:
        raise unknown("theme", theme, _THEMES)
    return _THEMES[theme]
