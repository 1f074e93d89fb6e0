"""Plots on matplotlib's axes: ``pip install "treewright[plot]"``. Each function takes ``ax`` or makes axes, and returns
them.

Colours are safe for colour-blind eyes, and everything a colour says is said by a marker, a line or a word as well. New
axes are light, or dark within ``with tw.plots.theme("dark"):``; axes that are passed in keep their paper, and the
colours follow it. What is drawn is computed by ``tw.evaluate``, ``tw.prune`` and ``tw.criteria``.
"""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.plot_style import theme
from treewright.plots.ensemble_plots import (
    boosting_rounds,
    member_curve,
    oob_curve,
    partial_dependence,
    permutation_importance,
)
from treewright.plots.kd_plots import kd_tree_cells
from treewright.plots.measure_plots import (
    attribute_ranking,
    branch_counts,
    candidate_cuts,
    gain_by_threshold,
    importance,
    impurity_curves,
)
from treewright.plots.metric_plots import calibration, confusion_matrix, gains_chart, lift, roc
from treewright.plots.neighbor_plots import case_shares, error_by_k, kd_search, neighbour_regions, search_times
from treewright.plots.region_plots import decision_regions, node_region, pruned_regions, tree_regions
from treewright.plots.size_plots import (
    bias_variance,
    complexity_curve,
    cost_complexity_path,
    learning_curve,
    model_comparison,
    pruning_comparison,
    pruning_errors,
    row_parts,
)
from treewright.plots.step_plots import regression_steps

__all__ = [
    "attribute_ranking",
    "bias_variance",
    "boosting_rounds",
    "branch_counts",
    "calibration",
    "candidate_cuts",
    "case_shares",
    "complexity_curve",
    "confusion_matrix",
    "cost_complexity_path",
    "decision_regions",
    "error_by_k",
    "gain_by_threshold",
    "gains_chart",
    "importance",
    "impurity_curves",
    "kd_search",
    "kd_tree_cells",
    "learning_curve",
    "lift",
    "member_curve",
    "model_comparison",
    "neighbour_regions",
    "node_region",
    "oob_curve",
    "partial_dependence",
    "permutation_importance",
    "pruned_regions",
    "pruning_comparison",
    "pruning_errors",
    "regression_steps",
    "roc",
    "row_parts",
    "search_times",
    "theme",
    "tree_regions",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
