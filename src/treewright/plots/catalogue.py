"""The plots by the name they have on the command line: what files each is made of, and which options it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright import plots
from treewright.errors import unknown

_OF_FILES = ("model", "models", "pruned", "X", "y", "X_val", "y_val", "X_test", "y_test", "ax", "axes", "options")


@dataclass(frozen=True)
class PlotEntry:
    """``files`` are what stands on the command line, in order: MODEL, PRUNED, DATA (rows for the model), VALIDATION,
    TEST or TABLE (rows without a model); those in brackets may be left out. MODELS are one or more."""

    name: str
    draw: Callable[..., Any]
    files: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The first sentence of what is said of the function."""
        text = " ".join((inspect.getdoc(self.draw) or "").replace("``", "").split())
        return re.split(r"\. |; see| \(:func", text, maxsplit=1)[0].removesuffix(".") + "."

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all arguments."""
        return tuple(inspect.signature(self.draw).parameters)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the arguments that are no files."""
        names = (*self.parameters, *_MORE_OPTIONS.get(self.name, ()))
        return tuple(name for name in names if name not in _OF_FILES)

    @property
    def usage(self) -> str:
        return " ".join(("treewright plot", self.name, *self.files))


_MORE_OPTIONS = {
    "complexity-curve": ("along", "risk", "rule"),
    "pruning-comparison": ("cv", "rule"),
    "attribute-ranking": ("sample_weight",),
    "neighbour-regions": ("metric", "scale"),
}  # options that a function hands on
_FILES: dict[Callable[..., Any], tuple[str, ...]] = {
    plots.decision_regions: ("MODEL", "DATA"),
    plots.tree_regions: ("MODEL", "[DATA]"),
    plots.node_region: ("MODEL", "[DATA]"),
    plots.pruned_regions: ("MODEL", "PRUNED", "DATA"),
    plots.regression_steps: ("MODEL", "DATA"),
    plots.kd_tree_cells: ("TABLE",),
    plots.kd_search: ("TABLE",),
    plots.neighbour_regions: ("TABLE",),
    plots.error_by_k: ("MODEL", "DATA", "[VALIDATION]"),
    plots.case_shares: (),
    plots.search_times: (),
    plots.impurity_curves: (),
    plots.gain_by_threshold: ("TABLE",),
    plots.candidate_cuts: ("TABLE",),
    plots.branch_counts: ("TABLE",),
    plots.attribute_ranking: ("TABLE",),
    plots.importance: ("MODEL",),
    plots.permutation_importance: ("MODEL", "DATA"),
    plots.partial_dependence: ("MODEL", "DATA"),
    plots.oob_curve: ("MODEL",),
    plots.member_curve: ("MODEL", "DATA", "[TEST]"),
    plots.boosting_rounds: ("MODEL",),
    plots.complexity_curve: ("MODEL", "DATA"),
    plots.learning_curve: ("MODEL", "DATA"),
    plots.bias_variance: ("MODEL", "DATA"),
    plots.pruning_errors: ("MODEL", "VALIDATION", "[TEST]"),
    plots.pruning_comparison: ("MODEL", "DATA"),
    plots.cost_complexity_path: ("MODEL", "[DATA]"),
    plots.model_comparison: ("MODELS", "DATA"),
    plots.row_parts: ("TABLE",),
    plots.confusion_matrix: ("MODEL", "DATA"),
    plots.roc: ("MODEL", "DATA"),
    plots.calibration: ("MODEL", "DATA"),
    plots.gains_chart: ("MODEL", "DATA"),
    plots.lift: ("MODEL", "DATA"),
}
PLOTS = {
    name: PlotEntry(name, draw, files) for draw, files in _FILES.items() for name in [draw.__name__.replace("_", "-")]
}


def plot_entry(name: str) -> PlotEntry:
    """The plot of this name; underscores are as good as dashes."""
    wanted = name.replace("_", "-").lower()
    if wanted not in PLOTS:
        raise unknown("plot", name, PLOTS, command="treewright plot")
    return PLOTS[wanted]
