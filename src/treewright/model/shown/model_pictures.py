"""Pictures of a fitted tree, and a second set of rows at its nodes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.data.user_warnings import warn_user
from treewright.drawing.cut_tree import CutTree
from treewright.drawing.node_rows import NodeRows, node_rows
from treewright.drawing.scene import Scene
from treewright.drawing.tree_picture import Heading, Style, picture, shown_part
from treewright.errors import DataError, OptionError
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.node_text import NodeText
from treewright.leaves import decided
from treewright.model.model_pruning import fitted_rows, losses_at_nodes
from treewright.model.validation import share_interval
from treewright.prediction import decision_path, predicted_classes, predicted_values, reached
from treewright.prune.methods.bottom_up import sum_up
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Mask

_NORMAL = 1.959964  # of a 95 % interval


# ---- pictures --------------------------------------------------------------------------------------------------------


def scene_of(model: Any, style: Style, X: Any = None, y: Any = None, sample_weight: Any = None) -> Scene:
    """The drawing of a model's tree."""
    shown = shown_part(model.tree_, style)
    rows = _rows_at_nodes(model, style, shown, X, y, sample_weight)
    return picture(shown, model.schema_, _told(model), style, model.__dict__.get("holdout_"), rows)


def _rows_at_nodes(model: Any, style: Style, shown: CutTree, X: Any, y: Any, sample_weight: Any) -> NodeRows | None:
    """Histograms and quartiles, where the content wants them or rows are given."""
    if (X is None) != (y is None):
        raise OptionError("X and y go together, got only one of them", "pass both, or neither")
    is_classifier = model.schema_.target.classes is not None
    if style.content == "box" and is_classifier:
        raise OptionError('content="box" is for numbers, and the target is of classes', 'use "bars" or "histogram"')
    if X is None and style.content not in ("histogram", "box"):
        return None
    if X is None:
        rows = fitted_rows(model, f'content="{style.content}"', "pass X and y")
    else:
        rows = labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight)
    codes = rows.codes_among(model.schema_.target.classes) if is_classifier else rows.y
    nodes = [place.node for place in shown.places if not place.branches]
    return node_rows(model.tree_, model.schema_, model._tested(rows.frame), codes, rows.weights, nodes)


def _told(model: Any) -> Heading:
    answers, holdout = NodeText(model.tree_, model.schema_), model.__dict__.get("holdout_")
    facts = answers.facts(model._training_error(model.tree_))
    facts += [holdout.fact(answers)] if holdout is not None else []
    return Heading(f"{model.schema_.target.name} — {type(model).__name__}", (*facts, *model._more_facts()))


# ---- hold-out --------------------------------------------------------------------------------------------------------


def with_holdout(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """A copy of the model that knows what a second set of rows says at every node."""
    is_classifier = model.schema_.target.classes is not None
    rows = labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight)
    if not rows.n_rows:
        raise DataError("the hold-out has no rows", "pass at least one row whose target is known")
    made = copy.copy(model)
    for name in ("_fitted_to", "_coded"):  # of the fit: a copy leaves them out
        if name in model.__dict__:
            made.__dict__[name] = model.__dict__[name]
    made.__dict__["holdout_"] = _statistics(model, rows)
    if _are_training_rows(model.tree_, made.holdout_):
        warn_user(
            "the hold-out looks like the rows the model was learned from: every node has as many of each class. "
            "Hint: pass rows the model has not seen; the error of these says little."
        )
    return made


def _are_training_rows(tree: Tree, holdout: HoldOutStatistics) -> bool:
    """Of a tree of several leaves of classes. Numbers are not compared: their sums are rounded on the way."""
    known = holdout.stats[:, :-1]
    same_counts = tree.n_leaves > 2 and np.array_equal(holdout.rows, tree.rows) and known.shape == tree.stats.shape
    return bool(same_counts and tree.leaf.of_classes and np.allclose(known, tree.stats))


def _statistics(model: Any, rows: Labelled) -> HoldOutStatistics:
    tree, classes = model.tree_, model.schema_.target.classes
    matrix = model._tested(rows.frame)
    y = rows.y if classes is None else rows.codes_among(classes)
    visited, _ = decision_path(tree, matrix, model._n_jobs())
    counts = np.bincount(visited, minlength=tree.n_nodes)
    stats = _stats(model, matrix, y, rows.weights)
    of_numbers = classes is None or model.tree_.models.exist
    error, differs = _of_numbers(model, rows, stats) if of_numbers else _of_classes(model, counts, stats)
    return HoldOutStatistics(counts, stats, error, differs, _total(model, matrix, y, rows.weights))


def _stats(model: Any, matrix: Array, y: Array, weights: Floats | None) -> Floats:
    """Per node: the weight of each class, unknown ones in a column of their own, or the moments of the numbers."""
    tree = model.tree_
    row, ends, part = reached(tree, matrix, model._n_jobs())
    w = part if weights is None else part * weights[row]
    if tree.leaf.of_classes:
        n_classes = tree.value.shape[1] + 1
        places = np.where(y < 0, n_classes - 1, y)[row]
        ended = np.bincount(ends * n_classes + places, w, tree.n_nodes * n_classes).reshape(-1, n_classes)
    else:
        ended = np.stack([np.bincount(ends, w * y[row] ** k, tree.n_nodes) for k in range(3)], axis=1)
    return np.asarray(sum_up(tree, ended, ended), np.float64)


def _of_classes(model: Any, counts: Array, stats: Floats) -> tuple[Floats, Mask]:
    tree = model.tree_
    predicted = decided(tree.value, model.schema_.target)
    wrong = _wrong(stats, predicted)
    trained = _wrong(tree.stats, predicted)
    ends = [share_interval(share, n) if n else (0.0, 1.0) for share, n in zip(wrong, counts)]
    low, high = np.array(ends).T
    differs = (counts > 0) & (tree.weights > 0) & ((trained < low - 1e-9) | (trained > high + 1e-9))
    return wrong, differs


def _wrong(stats: Floats, predicted: Array) -> Floats:
    total = stats.sum(-1)
    right = np.take_along_axis(stats, predicted[:, None], -1)[:, 0]
    shares: Floats = np.divide(total - right, total, out=np.full(len(total), np.nan), where=total > 0)
    return shares


def _of_numbers(model: Any, rows: Labelled, stats: Floats) -> tuple[Floats, Mask]:
    """The error at every node, and whether its answer is outside the interval of the hold-out's mean there."""
    tree, lost = model.tree_, losses_at_nodes(model, rows)
    mean_loss = np.divide(lost.loss, lost.weight, out=np.full(tree.n_nodes, np.nan), where=lost.weight > 0)
    error = np.sqrt(mean_loss) if tree.leaf in (LeafKind.MEANS, LeafKind.LINEAR) else mean_loss
    if tree.leaf is not LeafKind.MEANS:
        return error, np.zeros(tree.n_nodes, np.bool_)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = stats[:, 1] / stats[:, 0]
        variance = np.maximum(stats[:, 2] / stats[:, 0] - mean**2, 0.0)
        far = np.abs(mean - tree.value[:, 0]) > _NORMAL * np.sqrt(variance / (stats[:, 0] - 1))
    return error, (stats[:, 0] >= 3) & far


def _total(model: Any, matrix: Array, y: Array, weights: Floats | None) -> float:
    """The error of the whole tree, as the header says it."""
    tree, jobs = model.tree_, model._n_jobs()
    if tree.leaf.of_classes:
        return float(np.average(predicted_classes(tree, model.schema_.target, matrix, jobs) != y, weights=weights))
    away = y - predicted_values(tree, matrix, jobs)[:, 0]
    if tree.leaf is LeafKind.MEDIANS:
        return float(np.average(np.abs(away), weights=weights))
    return float(np.sqrt(np.average(away**2, weights=weights)))
