"""One style: colours that everybody tells apart, names as they are, light and dark."""

import sys

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb

import treewright as tw
from treewright.palette import DARK, LIGHT, MOST_HUES
from treewright.plot_style import MARKERS, ink_on, label_text, new_axes, theme, theme_of

matplotlib.use("Agg")


def linear(colour):
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    low, high = sorted(0.05 + linear(c) @ np.array([0.2126, 0.7152, 0.0722]) for c in (a, b))
    return high / low


def test_every_class_has_a_marker_of_its_own():
    assert len(set(MARKERS)) == len(MARKERS) >= MOST_HUES


@pytest.mark.parametrize("paper", [LIGHT, DARK], ids=lambda paper: paper.name)
def test_words_are_read_on_every_fill(paper):
    for colour in paper.hues:
        for strength in (0.3, 0.6, 0.75):
            fill = paper.tint(colour, strength)
            assert contrast(fill, ink_on(fill)) >= 4.5
    assert contrast(paper.paper, paper.ink) >= 7
    assert contrast(paper.paper, paper.soft) >= 4.5


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
