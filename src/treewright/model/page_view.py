"""What the page shows of a fitted model: the tree, its errors, hold-out rows at its nodes and competing splits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewright.data.frame import read_frame
from treewright.data.labelled import Labelled
from treewright.errors import OptionError, TreewrightError
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_number, format_share
from treewright.explain.significance_text import p_text
from treewright.leaves import decided
from treewright.model.model_pruning import fitted_rows, losses_at_nodes
from treewright.model.validation import share_interval
from treewright.page.html_document import html_document
from treewright.page.node_histograms import node_histograms
from treewright.page.tree_view import Competing, HoldOutAtNodes, tree_view
from treewright.prediction import decision_path, predicted_classes, predicted_values, reached
from treewright.prune.methods.bottom_up import sum_up
from treewright.rules.rule_view import rule_view
from treewright.tree.tree import LeafKind
from treewright.typing import Array, Floats, Ints, Mask

_MOST_ROWS = 1000  # to choose from
_MOST_NODES = 40  # whose columns are compared
_MOST_WORK = 2_000_000  # cells to look at for that
_MOST_COMPETITORS = 5
_MOST_HISTOGRAMS = 60  # nodes that have one
_MOST_BINNED_ROWS = 200_000  # beyond which showing a model would take long


def page_view(model: Any, *, rows: Any = None, holdout: HoldOutAtNodes | None = None) -> dict[str, Any]:
    """The view of a tree or of rules. ``holdout`` is what the model knows of a second set of rows, unless given."""
    title = type(model).__name__
    if not hasattr(model, "tree_"):
        return rule_view(model.rule_set(), title=title, rows=None if rows is None else _matrix(model, rows))
    return tree_view(
        model.tree_,
        model.schema_,
        title=title,
        facts=_facts(model),
        holdout=holdout or model.__dict__.get("holdout_"),
        competitors=competing_splits(model),
        histograms=_histograms(model),
        rows=None if rows is None else _matrix(model, rows),
    )


def page_document(model: Any, rows: Any = None) -> str:
    """The file of HTML."""
    return html_document(page_view(model, rows=rows), f"{type(model).__name__}: {model.schema_.target.name}")


def _facts(model: Any) -> tuple[str, ...]:
    """What the first line says beside the size of the tree."""
    answers, error = NodeText(model.tree_, model.schema_), model._training_error(model.tree_)
    words = f"{100 * error:.1f} %" if answers.classes else format_number(error, 4)
    priors = model.schema_.target.priors
    told = () if priors is None else ("priors " + ", ".join(format_share(share, " ") for share in priors),)
    return (f"training {answers.error_name} {words}", *model._more_facts(), *told)


def _matrix(model: Any, rows: Any) -> Floats:
    frame = read_frame(rows)
    if frame.n_rows > _MOST_ROWS:
        raise OptionError(
            f"a page offers up to {_MOST_ROWS:,} rows to choose from, got {frame.n_rows:,}", "pass fewer rows"
        )
    return np.asarray(model._matrix(frame, range(len(model.schema_.columns))), np.float64)


class NodeErrors(NamedTuple):
    """A second set of rows at every node, see ``HoldOutAtNodes``."""

    rows: Ints
    error: Floats
    differs: Mask
    total: float


def holdout_at_nodes(model: Any, rows: Labelled) -> HoldOutAtNodes:
    """How wrong every node of a tree is about rows that it was not grown from; what the model knows goes first."""
    known: HoldOutAtNodes | None = model.__dict__.get("holdout_")
    if known is not None:
        return known
    tree, matrix = model.tree_, model._tested(rows.frame)
    counts = np.bincount(decision_path(tree, matrix, model._n_jobs())[0], minlength=tree.n_nodes)
    if tree.leaf.of_classes:
        return _of_classes(model, rows, matrix, counts)
    lost = losses_at_nodes(model, rows)
    error = np.divide(lost.loss, lost.weight, out=np.full(tree.n_nodes, np.nan), where=lost.weight > 0)
    away = np.abs(rows.y - predicted_values(tree, matrix, model._n_jobs())[:, 0])
    if tree.leaf is LeafKind.MEDIANS:
        return NodeErrors(
            counts, error, np.zeros(tree.n_nodes, np.bool_), float(np.average(away, weights=rows.weights))
        )
    total = float(np.sqrt(np.average(away**2, weights=rows.weights)))
    return NodeErrors(counts, np.sqrt(error), np.zeros(tree.n_nodes, np.bool_), total)


def _of_classes(model: Any, rows: Labelled, matrix: Array, counts: Ints) -> NodeErrors:
    """Shares of wrong rows, and where that of training lies outside the 95 % interval of theirs."""
    tree, target = model.tree_, model.schema_.target
    if tree.models.exist:
        return _of_class_models(model, rows, matrix, counts)
    row, ends, part = reached(tree, matrix, model._n_jobs())
    truth, weight = rows.codes_among(target.classes), part if rows.weights is None else part * rows.weights[row]
    n_classes = tree.value.shape[1]
    known = truth[row] >= 0
    places = ends[known] * n_classes + truth[row][known]
    right_by_class = np.bincount(places, weight[known], tree.n_nodes * n_classes).reshape(-1, n_classes)
    here, right = (sum_up(tree, found, found) for found in (np.bincount(ends, weight, tree.n_nodes), right_by_class))
    answer = decided(tree.value, target)[:, None]
    error = 1 - np.divide(
        np.take_along_axis(right, answer, 1)[:, 0], here, out=np.full(len(here), np.nan), where=here > 0
    )
    trained = 1 - np.take_along_axis(tree.stats, answer, 1)[:, 0] / np.maximum(tree.weights, 1e-300)
    ends_of = [share_interval(share, n) if n else (0.0, 1.0) for share, n in zip(error, counts)]
    differs = [bool(n) and not low - 1e-9 <= t <= high + 1e-9 for (low, high), t, n in zip(ends_of, trained, counts)]
    wrong = predicted_classes(tree, target, matrix, model._n_jobs()) != truth
    return NodeErrors(counts, error, np.array(differs), float(np.average(wrong, weights=rows.weights)))


def _of_class_models(model: Any, rows: Labelled, matrix: Array, counts: Ints) -> NodeErrors:
    tree, target, lost = model.tree_, model.schema_.target, losses_at_nodes(model, rows)
    error = np.divide(lost.loss, lost.weight, out=np.full(tree.n_nodes, np.nan), where=lost.weight > 0)
    wrong = predicted_classes(tree, target, matrix, model._n_jobs()) != rows.codes_among(target.classes)
    same = np.zeros(tree.n_nodes, np.bool_)
    return NodeErrors(counts, error, same, float(np.average(wrong, weights=rows.weights)))


def _histograms(model: Any) -> dict[str, Any]:
    """The tested column at the nodes of most rows; none where the rows of the fit are gone, or are many."""
    tree = model.tree_
    inner = np.flatnonzero(tree.n_branches > 0)
    if not inner.size or tree.rows[0] > _MOST_BINNED_ROWS:
        return {}
    try:
        rows = fitted_rows(model, "histograms")
        matrix = model._tested(rows.frame)
    except TreewrightError:
        return {}
    classes = model.schema_.target.classes
    y = rows.y if classes is None else rows.codes_among(classes)
    largest = inner[np.argsort(-tree.rows[inner], kind="stable")][:_MOST_HISTOGRAMS].tolist()
    return node_histograms(tree, model.schema_, matrix, y, rows.weights, largest, model._n_jobs())


def competing_splits(model: Any) -> dict[int, list[Competing]]:
    """The best columns at the nodes of most rows, as long as that takes little time.

    None where the model does not compare columns, or the rows of its fit are gone.
    """
    tree, found = model.tree_, {}
    inner = np.flatnonzero(tree.n_branches > 0)
    largest = inner[np.argsort(-tree.rows[inner], kind="stable")][:_MOST_NODES]
    work = np.cumsum(tree.rows[largest] * len(model.schema_.columns))
    try:
        for v in largest[work <= _MOST_WORK].tolist():
            ranked = list(model.competitors(v))
            taken = model.schema_.columns[tree.column[v]].name
            found[v] = [_competing(row, taken) for row in ranked[:_MOST_COMPETITORS]]
    except (AttributeError, TreewrightError):
        return {}
    return found


def _competing(row: Any, taken: str) -> Competing:
    """A row of ``model.competitors``: by significance, or by gain."""
    if hasattr(row, "gain"):
        score, branches = f"gain {row.gain:.4g}", row.branches
    else:
        score, branches = f"p = {p_text(row.log_adjusted_p)}", row.groups
    return Competing(row.column, score if branches else "no split", " | ".join(branches), row.column == taken)
