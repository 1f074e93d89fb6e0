"""Texts are never wider than they are said to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.drawing.text_width import clip, text_width, wrap


@pytest.mark.parametrize("bold", [False, True])
def test_widths_are_those_of_the_widest_usual_font(bold):
    pytest.importorskip("matplotlib", reason="its fonts are measured, and it is in the extra plot")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", size=100, weight="bold" if bold else "normal")
    for text in ("petal length (cm) ≤ 2.45", "[17] 1,234 rows · 88 %", "éàüßñ Жщ", "WAVE quickly"):
        width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
        assert width <= text_width(text, 100, bold=bold) * 1.01


@given(st.text(), st.floats(30, 300), st.booleans())
def test_what_is_clipped_fits(text, room, bold):
    assert text_width(clip(text, room, 10, bold=bold), 10, bold=bold) <= room


@given(st.lists(st.text(min_size=1, max_size=12)), st.floats(40, 200))
def test_lines_fit_and_lose_nothing_short(words, room):
    lines = wrap(words, room, 10)
    assert all(text_width(line, 10) <= room for line in lines)
    if all(text_width(word, 10) <= room for word in words):
        assert " ".join(lines) == " ".join(words)
