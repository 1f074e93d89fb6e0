"""How wide a text is, and how to make it fit: layout comes before any program has chosen a font.

Widths are those of DejaVu Sans, the widest of the usual fonts: whatever font a viewer has, the text is no wider.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

DOTS = "…"
_FIRST = 32
# Hundredths of the font size, of the characters from space to tilde; regular and bold.
_REGULAR = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61,
    69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59,
    82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_BOLD = (
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84,
    84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77,
    72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71,
    65, 92, 65, 65, 58, 71, 37, 71, 84,
)  # fmt: skip
_OTHER = 85
_WIDE = 130  # East Asian characters and emoji
_BREAKS = re.compile(r"[\s_/.-]+")
_FAMILIAR = {"≤": 84, "·": 38, "–": 50, "—": 100, "…": 100, "²": 44}


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of one line, never less than what is drawn.

    >>> text_width("ill", 100), text_width("WWW", 100, bold=True)
    (84.0, 330.0)
    """
    table = _BOLD if bold else _REGULAR
    return sum(_hundredths(c, table) for c in text) * size / 100


def _hundredths(character: str, table: Sequence[int]) -> int:
    place = ord(character) - _FIRST
    if 0 <= place < len(table):
        return table[place]
    if character in _FAMILIAR:
        return _FAMILIAR[character]
    if unicodedata.combining(character):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF else _OTHER


def clip(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """The text, or as much of its start as there is room for, then dots.

    >>> clip("a very long name", 60, 10)
    'a very lon…'
    """
    if text_width(text[:400], size, bold=bold) <= room and len(text) <= 400:
        return text
    table, left = _BOLD if bold else _REGULAR, room - text_width(DOTS, size, bold=bold)
    for place, character in enumerate(text):
        left -= _hundredths(character, table) * size / 100
        if left < 0:
            return text[:place].rstrip() + DOTS
    return text + DOTS


def wrap(words: Sequence[str], room: float, size: float, *, bold: bool = False, between: str = " ") -> list[str]:
    """Words put on lines, each as long as there is room for. A word that is too long has a line of its own, clipped.

    >>> wrap(["one", "two", "three"], 50, 10)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]}{between}{word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(clip(word, room, size, bold=bold))
    return lines


def wrap_name(name: str, room: float, size: float, *, bold: bool = False, most: int = 2) -> list[str]:
    """A name on up to so many lines, broken behind blanks, hyphens and the like; the last line is clipped.

    >>> wrap_name("compensated_hypothyroid", 80, 10), wrap_name("one two three", 45, 10)
    (['compensated_', 'hypothyroid'], ['one two', 'three'])
    """
    lines: list[str] = []
    while len(lines) < most - 1 and clip(name, room, size, bold=bold) != name:
        ends = (found.end() for found in _BREAKS.finditer(name[:400]))
        end = max((end for end in ends if text_width(name[:end].rstrip(), size, bold=bold) <= room), default=0)
        if end in (0, len(name)):
            break
        lines.append(name[:end].rstrip())
        name = name[end:]
    return [*lines, clip(name, room, size, bold=bold)]
