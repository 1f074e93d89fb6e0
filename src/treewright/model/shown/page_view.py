"""What the page shows of a fitted model: the tree, its errors, hold-out rows at its nodes and competing splits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.data.frame import read_frame
from treewright.errors import OptionError, TreewrightError
from treewright.explain.node_text import NodeText
from treewright.explain.significance_text import p_text
from treewright.model.model_pruning import fitted_rows
from treewright.model.shown.shown_members import shown_committee, shown_trials
from treewright.page.html_document import html_document
from treewright.page.node_histograms import node_histograms
from treewright.page.tree_view import Competing, tree_view
from treewright.rules.rule_view import rule_view
from treewright.typing import Floats

_MOST_ROWS = 1000  # to choose from
_MOST_NODES = 40  # whose columns are compared
_MOST_WORK = 2_000_000  # cells to look at for that
_MOST_COMPETITORS = 5
_MOST_HISTOGRAMS = 60  # nodes that have one
_MOST_BINNED_ROWS = 200_000  # beyond which showing a model would take long


def _shown_tree(model: Any, rows: Any) -> dict[str, Any]:
    """A tree, with the second set of rows that the model knows."""
    return tree_view(
        model.tree_,
        model.schema_,
        title=type(model).__name__,
        facts=[*NodeText(model.tree_, model.schema_).facts(model._training_error(model.tree_)), *model._more_facts()],
        holdout=model.__dict__.get("holdout_"),
        competitors=competing_splits(model),
        histograms=_histograms(model),
        rows=_cells(model, rows),
        answer=model._predictor,
    )


def _shown_rules(model: Any, rows: Any) -> dict[str, Any]:
    return rule_view(model.rule_set(), title=type(model).__name__, rows=_cells(model, rows))


# What models keep of a fit, and how that is shown. Another kind of model gets a line here, and one in VIEWS of
# page/static/page.mjs for the ``kind`` that its view says.
_VIEWS: dict[str, Callable[[Any, Any], dict[str, Any]]] = {
    "tree_": _shown_tree,
    "rule_set_": _shown_rules,
    "trees_": lambda model, rows: shown_trials(model, _cells(model, rows)),
    "rule_sets_": lambda model, rows: shown_trials(model, _cells(model, rows)),
    "cubist_": lambda model, rows: shown_committee(model, _cells(model, rows)),
    "members_": lambda model, rows: model._page_view(_cells(model, rows)),
}


def has_page(model: Any) -> bool:
    """Whether there is something to show."""
    return any(kept in model.__dict__ for kept in _VIEWS) and model._has_page()


def page_view(model: Any, *, rows: Any = None) -> dict[str, Any]:
    """All that a page shows of a model, as plain values. ``rows`` are rows to choose from."""
    view = next(view for kept, view in _VIEWS.items() if kept in model.__dict__)
    return view(model, rows)


def page_document(model: Any, rows: Any = None) -> str:
    """The file of HTML."""
    return html_document(page_view(model, rows=rows), f"{type(model).__name__}: {model.schema_.target.name}")


def _cells(model: Any, rows: Any) -> Floats | None:
    return None if rows is None else _matrix(model, rows)


def _matrix(model: Any, rows: Any) -> Floats:
    frame = read_frame(rows)
    if frame.n_rows > _MOST_ROWS:
        raise OptionError(
            f"a page offers up to {_MOST_ROWS:,} rows to choose from, got {frame.n_rows:,}", "pass fewer rows"
        )
    return np.asarray(model._matrix(frame, range(len(model.schema_.columns))), np.float64)


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
