"""One style: colours that everybody tells apart, names as they are, light and dark."""

import sys
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb

import treewright as tw
from treewright.plot_style import DARK, LIGHT, MARKERS, ink_on, label_text, new_axes, theme, theme_of

matplotlib.use("Agg")

# Machado, Oliveira & Fernandes (2009): what somebody without a kind of cone sees, in linear RGB.
SEEN = {
    "all cones": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}


def linear(colour):
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    t = np.array(to_xyz) @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a, b):
    low, high = sorted(0.05 + linear(c) @ np.array([0.2126, 0.7152, 0.0722]) for c in (a, b))
    return high / low


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("paper", [LIGHT, DARK], ids=lambda paper: paper.name)
def test_classes_are_told_apart(eyes, paper):
    seen = [lab(SEEN[eyes] @ linear(colour)) for colour in paper.hues]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 15
    assert len(set(MARKERS)) == len(MARKERS) >= len(paper.hues)


@pytest.mark.parametrize("paper", [LIGHT, DARK], ids=lambda paper: paper.name)
def test_words_are_read_on_every_fill(paper):
    for colour in paper.hues:
        for strength in (0.3, 0.6, 0.75):
            fill = paper.tint(colour, strength)
            assert contrast(fill, ink_on(fill)) >= 4.5
    assert contrast(paper.paper, paper.ink) >= 7
    assert contrast(paper.paper, paper.soft) >= 4.5
    assert min(contrast(paper.paper, paper.line(k)) for k in range(4)) >= 3


def test_the_theme_is_that_of_new_axes_or_of_those_given():
    assert theme_of(new_axes()) is LIGHT
    with theme("dark"):
        dark = new_axes()
    assert theme_of(dark) is DARK
    assert dark.get_figure().get_facecolor() == matplotlib.colors.to_rgba(DARK.paper)
    assert theme_of(new_axes()) is LIGHT
    with pyplot.style.context("dark_background"):
        assert theme_of(new_axes(pyplot.figure().add_subplot())) is DARK
    with pytest.raises(tw.OptionError, match="unknown theme 'darkk'.*did you mean 'dark'"), theme("darkk"):
        pass
    pyplot.close("all")


@pytest.mark.parametrize("name", ["$x$", r"$\frac{$", "_id", "a", "x" * 10_000, "$", r"\$"])
def test_names_are_shown_as_they_are(name):
    axes = new_axes()
    axes.set_xlabel(label_text(name))
    axes.plot([0, 1], [0, 1], label=label_text(name))
    axes.legend()
    axes.get_figure().canvas.draw()  # a formula that is none would be an error here
    (shown,) = axes.get_legend().get_texts()
    assert shown._preprocess_math(shown.get_text())[1] in (False, None)
    literal = shown._preprocess_math(shown.get_text())[0].strip()
    assert literal == (name if len(name) <= 40 else name[:39] + "…")
    pyplot.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tw.TreewrightError, match=r"drawing needs matplotlib.*treewright\[plot\]"):
        tw.plots.impurity_curves()
    table = tw.datasets.load("isolated_point")
    model = tw.ID3Classifier().fit(table.X, table.y)
    for draw in (tw.plots.tree_regions, tw.plots.decision_regions, tw.plots.confusion_matrix):
        with pytest.raises(tw.TreewrightError, match=r"treewright\[plot\]"):
            draw(model, table.X, table.y)
