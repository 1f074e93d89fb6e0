"""Errors along reduced-error pruning: of rows grown from, rows pruned with, and rows that neither has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed
from treewright.errors import OptionError
from treewright.model.base import TreeModel
from treewright.model.model_pruning import losses_at_nodes
from treewright.plot_style import LINE_STYLES, MANY_POINTS, legend, new_axes, theme_of
from treewright.prune.methods.reduced_error import ReducedError, removal_path
from treewright.prune.pruning_path import PruningPath
from treewright.prune.refit import check_fitted_tree
from treewright.prune.training_counts import training_loss
from treewright.typing import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class PruningCurve(Displayed):
    """Mean losses of the trees that reduced-error pruning comes by, from the whole tree down to the root.

    A loss is 1 for a wrong class (or its cost), the squared error of a number. ``chosen`` is the place of the tree at
    which pruning stops. ``test`` is None without test rows.
    """

    nodes: Ints
    leaves: Ints
    training: Floats
    validation: Floats
    test: Floats | None
    chosen: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        names = ("nodes", "leaves", "training", "validation", "test")
        return {name: getattr(self, name).tolist() for name in names if getattr(self, name) is not None}

    def plot(self, ax: Any = None) -> Any:
        """The errors against the number of nodes, the tree at which pruning stops marked. Returns matplotlib's axes."""
        axes = new_axes(ax)
        colours, marker = theme_of(axes), "." if len(self.nodes) < MANY_POINTS else None
        lines = {"training": self.training, "validation": self.validation, "test": self.test}
        for place, (name, errors) in enumerate(lines.items()):
            if errors is not None:
                style, colour = LINE_STYLES[(1, 0, 2)[place]], colours.line(place)
                axes.plot(self.nodes, errors, style, color=colour, marker=marker, label=name)
        size, error = self.nodes[self.chosen], self.validation[self.chosen]
        axes.axvline(size, linestyle=":", color=colours.soft)
        axes.plot([size], [error], "o", color=colours.line(1), label=f"pruning stops: {size} nodes")
        axes.set_xlabel("nodes (pruning goes from right to left)")
        axes.set_ylabel("error")
        axes.set_ylim(bottom=0)
        legend(axes)
        return axes


def pruning_curve(model: TreeModel, X_val: Any, y_val: Any, X_test: Any = None, y_test: Any = None) -> PruningCurve:
    """Training, validation and test error along greedy reduced-error pruning of a fitted tree.

    X_val, y_val: rows the model was not fitted to, by which nodes are removed. X_test, y_test: others, which tell how
    well the tree really does. Beyond the tree at which pruning stops, the removal that harms least is shown.

    >>> import treewright as tw
    >>> points, more = tw.datasets.load("isolated_point"), tw.datasets.load("isolated_point_new")
    >>> curve = pruning_curve(tw.ID3Classifier().fit(points.X, points.y), more.X, more.y)
    >>> int(curve.nodes[0]), float(curve.validation[0]), int(curve.nodes[curve.chosen]), float(curve.validation.min())
    (11, 0.25, 3, 0.0)
    """
    check_fitted_tree(model)
    if (X_test is None) != (y_test is None):
        raise OptionError("X_test and y_test go together, got only one of them", "pass both")
    held_out = losses_at_nodes(model, _rows(model, X_val, y_val))
    path = removal_path(model.tree_, held_out)
    training = path.along(training_loss(model.tree_, model.schema_)) / model.tree_.weights[0]
    test = None if X_test is None else _mean_loss(model, path, _rows(model, X_test, y_test))
    pruned = ReducedError(order="greedy")(model.tree_, model.schema_, held_out)
    chosen = int(np.flatnonzero(path.nodes == pruned.n_nodes)[0])
    return PruningCurve(path.nodes, path.leaves, training, path.risks / held_out.total, test, chosen)


def _rows(model: TreeModel, X: Any, y: Any) -> Labelled:
    return labelled(X, y, is_classifier=model.schema_.target.classes is not None)


def _mean_loss(model: TreeModel, path: PruningPath, rows: Labelled) -> Floats:
    lost = losses_at_nodes(model, rows)
    return np.asarray(path.along(lost.loss, lost.stopped) / lost.total)
