"""Every picture is drawn, the page shows them all, and hostile names are text in each plot."""

import io
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import treewright as tw
from treewright.plots.catalogue import PLOTS, plot_entry
from treewright.plots.gallery import PICTURES, picture
from treewright.plots.picture_files import format_of, write_picture

DOCS = Path(__file__).parents[2] / "docs"
HOSTILE = [
    "<script>alert(1)</script>", "$\\frac{", "_first", "a 'quoted'", "two\nlines", "مرحبا", "🌳 tree", "x" * 10_000,
]  # fmt: skip


DRAWN_IN_DARK = (
    "dark-paper",
    "complexity",
    "temperature",
    "number-regions",
)  # the others are slow tests


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if k % 2 or name == "dimensions" else [])
        for k, name in enumerate(PICTURES)
    ],
)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_a_picture_of_the_gallery_is_drawn(name):
    drawn_on(name, "light", "png")


@pytest.mark.parametrize(
    "name", [name if name in DRAWN_IN_DARK else pytest.param(name, marks=pytest.mark.slow) for name in PICTURES]
)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_a_picture_of_the_gallery_is_drawn_in_the_dark(name):
    drawn_on(name, "dark", "svg")


def drawn_on(name, paper, ending):
    with tw.plots.theme(paper):
        axes = picture(name).draw()
    check_words(axes[0] if isinstance(axes, list) else axes)
    file = io.BytesIO()
    write_picture(axes, file, ending, dpi=40)
    assert len(file.getvalue()) > 1000


def check_words(axes):
    """No word under 7 pt, and none outside the picture."""
    whole = axes.get_figure()
    whole.draw_without_rendering()
    beyond = labels_beyond(whole)
    for text in whole.findobj(Text):
        if text.get_visible() and text.get_text() and text not in beyond:
            assert text.get_fontsize() >= 7, text
            box = text.get_window_extent()
            assert min(box.x0, box.y0) >= -1, text
            assert box.x1 <= whole.bbox.x1 + 1, text
            assert box.y1 <= whole.bbox.y1 + 1, text


def labels_beyond(whole):
    """Ticks beyond the ends of an axis exist and are not drawn."""
    hidden = [tick for axes in whole.axes for axis in (axes.xaxis, axes.yaxis) for tick in ticks_beyond(axis)]
    return {label for tick in hidden for label in (tick.label1, tick.label2)}


def ticks_beyond(axis):
    shown = axis._update_ticks()  # those that are drawn
    return [tick for tick in (*axis.majorTicks, *axis.minorTicks) if tick not in shown]


def test_the_page_shows_every_picture():
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(gallery/([\w-]+)\.png\)", page)
    assert sorted(shown) == sorted(PICTURES)
    files = {path.stem: path.stat().st_size for path in (DOCS / "gallery").glob("*.png")}
    assert sorted(files) == sorted(PICTURES)
    assert sum(files.values()) < 1_500_000


def test_every_plot_has_a_picture_and_a_name():
    named = {entry.draw.__name__ for entry in PLOTS.values()} | {"theme"}
    assert named == set(tw.plots.__all__)
    assert {shown.plot for shown in PICTURES.values()} == set(tw.plots.__all__)
    assert plot_entry("decision_regions") is PLOTS["decision-regions"]
    assert all(re.fullmatch(r"[^`:]+(: [^`:]+)?\.", entry.summary) for entry in PLOTS.values())
    with pytest.raises(tw.OptionError, match="did you mean 'lift'"):
        plot_entry("lifts")
    with pytest.raises(tw.OptionError, match="unknown example"):
        picture("nothing")


def test_the_same_drawing_is_the_same_file():
    def drawn():
        file = io.BytesIO()
        write_picture(tw.plots.impurity_curves(), file, "svg")
        return file.getvalue()

    assert drawn() == drawn()
    assert b">entropy</text>" in drawn()  # real text
    with pytest.raises(tw.OptionError, match=r"\.png, \.svg, \.pdf"):
        format_of("picture.doc")


@pytest.fixture(scope="module")
def hostile():
    """A table whose columns, levels, classes and target have hostile names, and trees of it."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(160, 2))
    levels = np.array(HOSTILE, object)[rng.integers(0, len(HOSTILE), 160)]
    table = pd.DataFrame({HOSTILE[0]: numbers[:, 0], HOSTILE[1]: numbers[:, 1], HOSTILE[7]: levels})
    classes = np.array([HOSTILE[2], HOSTILE[4], HOSTILE[6]], object)
    y = pd.Series(classes[(numbers[:, 0] > 0).astype(int) + (levels == HOSTILE[5])], name=HOSTILE[1])
    number = pd.Series(numbers.sum(1), name=HOSTILE[1])
    return table, y, tw.CARTClassifier().fit(table, y), number, tw.CARTRegressor(max_depth=3).fit(table, number)


def test_hostile_names_are_text_in_every_plot(hostile):
    table, y, model, number, regressor = hostile
    plane, plots = list(table.columns), tw.plots
    drawn = {
        "decision_regions": lambda: [
            plots.decision_regions(model, table, y, plane[:2]),
            plots.decision_regions(model, table, y, [plane[0], plane[2]]),
            plots.decision_regions(model, table, y, [plane[2], plane[0]]),
            plots.decision_regions(regressor, table, number, plane[:2]),
        ],
        "tree_regions": lambda: [plots.tree_regions(model, table, y, [plane[0], plane[2]])],
        "node_region": lambda: [plots.node_region(model, model.tree_.n_nodes - 1, table, y)],
        "pruned_regions": lambda: [
            plots.pruned_regions(model, model.prune("depth", depth=1), table, y, plane[:2], names=(HOSTILE[1], "_T"))[0]
        ],
        "regression_steps": lambda: [plots.regression_steps(regressor, table, number, plane[1])],
        "kd_tree_cells": lambda: [plots.kd_tree_cells(table, plane[:2], leaf_size=9)],
        "gain_by_threshold": lambda: [plots.gain_by_threshold(table, y, plane[1])],
        "candidate_cuts": lambda: [plots.candidate_cuts(table[:9], y[:9], plane[:2])],
        "branch_counts": lambda: [plots.branch_counts(table, y, plane[2])],
        "attribute_ranking": lambda: [plots.attribute_ranking(table, y)],
        "importance": lambda: [plots.importance(model)],
        "confusion_matrix": lambda: [plots.confusion_matrix(model, table, y)],
        "roc": lambda: [plots.roc(model, table, y)],
        "calibration": lambda: [plots.calibration(model, table, y)],
        "gains_chart": lambda: [plots.gains_chart(model, table, y, positive=HOSTILE[2])],
        "lift": lambda: [plots.lift(model, table, y, positive=HOSTILE[4])],
        "model_comparison": lambda: [plots.model_comparison({HOSTILE[1]: model, HOSTILE[7]: model}, table, y, cv=2)],
        "complexity_curve": lambda: [plots.complexity_curve(model, table, y)],
    }
    for draw in drawn.values():
        for axes in draw():
            file = io.BytesIO()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # glyphs that the font of the test machine does not have
                write_picture(axes, file, "svg")
            text = file.getvalue().decode()
            assert "<script>" not in text
            assert "x" * 100 not in text
            assert len(text) < 400_000


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # that the font of the test machine does not have
def test_the_first_name_is_whole_in_the_picture(hostile):
    table, y, *_ = hostile
    file = io.BytesIO()
    write_picture(tw.plots.gain_by_threshold(table, y, HOSTILE[0]), file, "svg")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in file.getvalue().decode()
