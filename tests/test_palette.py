"""Colours that everybody can tell apart, and text that everybody can read."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from treewright.errors import OptionError
from treewright.palette import DARK, LIGHT, MOST_HUES, palette_of

# Machado, Oliveira & Fernandes 2009: what is left of linear RGB without one kind of cone.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    low, high = sorted(float(XYZ[1] @ linear(c)) + 0.05 for c in (a, b))
    return high / low


def lab(rgb: np.ndarray) -> np.ndarray:
    x = XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(first: np.ndarray, second: np.ndarray) -> float:
    """Sharma, Wu & Dalal 2005, equations 2 to 22."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    c = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(c**7 / (c**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    lm, cm, hm = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360
    t = (
        1 - 0.17 * np.cos(np.radians(hm - 30)) + 0.24 * np.cos(np.radians(2 * hm))
        + 0.32 * np.cos(np.radians(3 * hm + 6)) - 0.2 * np.cos(np.radians(4 * hm - 63))
    )  # fmt: skip
    sl = 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rt = -2 * np.sqrt(cm**7 / (cm**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((hm - 275) / 25) ** 2))))
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh))


def test_the_difference_of_colours_is_the_published_one():
    assert ciede2000(np.array([50, 2.6772, -79.7751]), np.array([50, 0, -82.7485])) == pytest.approx(2.0425, abs=1e-4)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["normal", "deuteranopia", "protanopia"])
def test_classes_can_be_told_apart(palette, sight):
    assert len(palette.hues) == MOST_HUES
    seen = [lab(sight @ linear(colour)) for colour in palette.hues]
    assert min(ciede2000(a, b) for a, b in combinations(seen, 2)) >= 15


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_outlines_stand_out(palette):
    for ground in (palette.paper, palette.card):
        for colour in (palette.ink, palette.soft, palette.missing, palette.warning):
            assert contrast(colour, ground) >= 4.5
        for colour in (palette.outline, palette.edge):
            assert contrast(colour, ground) >= 3


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_labels_are_read_on_the_ribbon_of_their_edge(palette):
    assert all(contrast(colour, palette.ribbon) >= 4.5 for colour in (palette.ink, palette.missing))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_and_the_grid_stand_out_as_they_should(palette):
    assert min(contrast(palette.paper, palette.line(k)) for k in range(4)) >= 3
    assert contrast(palette.paper, palette.faint) < 1.6


def test_the_page_has_the_same_colours():
    script = (files("treewright.page") / "static" / "palette.mjs").read_text(encoding="utf-8")
    in_page = {name: tuple(json.loads(found)) for name, found in re.findall(r"^const (\w+) = (\[.*\]);$", script, re.M)}
    assert (in_page["HUES"], in_page["HUES_ON_DARK"]) == (LIGHT.hues, DARK.hues)
    assert (in_page["RAMP"], in_page["RAMP"][::-1]) == (LIGHT.ramp, DARK.ramp)


def test_an_unknown_theme_is_refused():
    with pytest.raises(OptionError, match="unknown theme 'blue'"):
        palette_of("blue")
