"""The picture of overfitting: errors against the size of the tree, or against the number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed, Sheet
from treewright.errors import OptionError, shown
from treewright.model.base import TreeModel
from treewright.model.model_pruning import LeftOut, fold_paths, losses_at_nodes
from treewright.plot_style import MANY_POINTS, legend, new_axes, theme_of
from treewright.prune.growth_path import growth_path
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.option_checks import check_choice
from treewright.prune.refit import RowSource, check_estimators, check_fitted_tree, like, losses
from treewright.prune.training_counts import training_loss
from treewright.prune.tree_selection import SelectedTree, by_alpha, by_folds, by_hold_out, by_leaves
from treewright.typing import Floats, Ints

_WAYS = ("pruning", "growth")


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Displayed):
    """Training and validation error, a mean per point with its standard error, against ``sizes``.

    ``what`` says what the sizes count. ``chosen`` is the place of the point that was chosen, if one was.
    """

    what: str
    sizes: Ints
    training: Floats
    validation: Floats
    standard_error: Floats
    chosen: int | None = None

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        names = ("sizes", "training", "validation", "standard_error")
        return {name: getattr(self, name).tolist() for name in names}

    def plot(self, ax: Any = None) -> Any:
        """Both errors against size, validation in a band of its standard error, the chosen point marked.

        Returns matplotlib's axes.
        """
        axes = new_axes(ax)
        colours, marker = theme_of(axes), "." if len(self.sizes) < MANY_POINTS else None
        axes.plot(self.sizes, self.training, "--", color=colours.line(0), marker=marker, label="training")
        axes.plot(self.sizes, self.validation, color=colours.line(1), marker=marker, label="validation")
        low, high = self.validation - self.standard_error, self.validation + self.standard_error
        axes.fill_between(self.sizes, low, high, color=colours.line(1), alpha=0.15, linewidth=0)
        if self.chosen is not None:
            size, error = self.sizes[self.chosen], self.validation[self.chosen]
            axes.axvline(size, linestyle=":", color=colours.soft)
            axes.plot([size], [error], "o", color=colours.line(1), label=f"chosen: {size} {self.what}")
        axes.set_xlabel(self.what)
        axes.set_ylabel("error")
        axes.set_ylim(bottom=0)
        legend(axes)
        return axes

    def _sheet(self) -> Sheet:
        columns = self.to_dict()
        shown: dict[str, list[Any]] = {self.what: columns.pop("sizes"), **columns}
        if self.chosen is not None:
            shown["chosen"] = ["*" if place == self.chosen else "" for place in range(len(self.sizes))]
        return Sheet(shown, f"error against {self.what}")


def complexity_curve(
    model: TreeModel,
    X: Any,
    y: Any,
    cv: Any = None,
    *,
    along: str = "pruning",
    risk: str | None = None,
    rule: Any = "1se",
) -> Curve:
    """Errors of smaller and larger trees of a model, against the number of nodes; the smallest tree is the first point.

    ``along="pruning"`` follows the cost-complexity sequence of ``risk``. ``"growth"`` adds one split after the other,
    the one that gains most first, as ``max_leaves`` does.

    Without ``cv``, X and y are rows the model was not fitted to; with it they are the rows of the fit, and validation
    errors are those of trees grown without each fold: for the same α or, along growth, of as many leaves. ``rule`` is
    how the point is chosen: "0se" is the least error, "1se" the smallest tree within a standard error of it; so is any
    number of standard errors.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = complexity_curve(tw.CARTClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> bool(curve.training[0] > curve.training[-1] == 0)
    True
    """
    check_fitted_tree(model)
    check_choice("along", along, _WAYS)
    rows = labelled(X, y, is_classifier=is_classifier(model))
    pruner = CostComplexity(risk=risk, rule=rule)
    find, match = (pruner.path, by_alpha) if along == "pruning" else (growth_path, by_leaves)
    path = find(model.tree_, model.schema_)
    choice: SelectedTree
    if cv is None:
        choice = by_hold_out(path, losses_at_nodes(model, rows), rule)
    else:
        choice = by_folds(path, fold_paths(model, find, rows, LeftOut(cv)), rule, match)
    training = path.along(training_loss(model.tree_, model.schema_)) / model.tree_.weights[0]
    errors = training[::-1], choice.error[::-1], choice.standard_error[::-1]
    return Curve("nodes", path.nodes[::-1], *errors, chosen=len(path) - 1 - choice.place)


def learning_curve(model: Any, X: Any, y: Any, sizes: Any = 5, cv: Any = 5, random_state: Any = None) -> Curve:
    """Errors of models like this one, fitted to more and more rows: means over the folds.

    sizes: shares of the training part, or how many of them, evenly from a fifth (of 5) to all.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> learning_curve(tw.CARTClassifier(), *load_iris(return_X_y=True), sizes=[0.5, 1.0]).sizes.tolist()
    [60, 120]
    """
    check_estimators([model])
    shares = _shares(sizes)
    rows, source = labelled(X, y, is_classifier=is_classifier(model)), RowSource(X, y)
    folds = list(rows.folds(cv, random_state))
    points = [[_one_fit(model, _first(rest, share), part, source) for rest, part in folds] for share in shares]
    trained, validated = np.moveaxis(np.array(points), -1, 0)
    spread = validated.std(-1, ddof=1) / np.sqrt(len(folds))
    counts = np.array([round(np.mean([_count(fold.n_rows, share) for fold, _ in folds])) for share in shares])
    return Curve("rows", counts, trained.mean(-1), validated.mean(-1), spread)


def _shares(sizes: Any) -> Floats:
    try:
        whole = isinstance(sizes, int) and not isinstance(sizes, bool)
        shares = np.arange(1, sizes + 1) / sizes if whole else np.asarray(sizes, np.float64)
    except (TypeError, ValueError, ZeroDivisionError):
        shares = np.empty(0)
    if shares.ndim != 1 or shares.size == 0 or not ((shares > 0) & (shares <= 1)).all():
        raise OptionError(
            f"sizes are shares of the rows, above 0 and at most 1, got {shown(sizes)}", "try sizes=[0.1, 0.3, 1.0]"
        )
    return shares


def _count(n_rows: int, share: float) -> int:
    return max(2, round(n_rows * share))


def _first(training: Labelled, share: float) -> Labelled:
    """A share of the rows, the same for every model and nested in larger shares; a class each comes first."""
    order = np.random.default_rng(0).permutation(training.n_rows)
    if training.classes is not None:
        _, firsts = np.unique(training.y[order], return_index=True)
        order = np.concatenate([order[firsts], np.delete(order, firsts)])
    return training.take(order[: _count(training.n_rows, share)])


def _one_fit(model: Any, training: Labelled, scoring: Labelled, source: RowSource) -> tuple[float, float]:
    fitted = like(model, training, source)
    return float(losses(fitted, training, source).mean()), float(losses(fitted, scoring, source).mean())
