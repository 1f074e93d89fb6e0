"""What the page shows of a tree, as plain values that JSON can hold: no rows, only what the tree keeps of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from treewright.data.schema import Column, Schema, Unit
from treewright.explain.equation_text import model_text
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_exactly
from treewright.page.packing import packed
from treewright.prediction import branch_shares, shares_missing
from treewright.tree.tree import TEST_NAMES, LeafKind, Tree
from treewright.typing import Floats

_FEW_CLASSES = 4  # of more classes a node's weights are told only of those that it has


class Competing(NamedTuple):
    """One column at a node in words: what its best split scores, what it looks like, and whether it was taken."""

    column: str
    score: str
    split: str
    taken: bool


def tree_view(
    tree: Tree,
    schema: Schema,
    *,
    title: str = "Tree",
    facts: Sequence[str] = (),
    holdout: HoldOutStatistics | None = None,
    competitors: Mapping[int, Sequence[Competing]] | None = None,
    histograms: Mapping[str, Any] | None = None,
    rows: Floats | None = None,
    answer: str = "",
) -> dict[str, Any]:
    """All that the page needs. ``rows`` are rows of a prediction matrix to choose from. ``answer`` says by whose
    predictor the leaves that a row reaches become an answer: "c5.0", or that of all other trees.

    Only columns that the tree asks for are told.

    >>> import treewright as tw
    >>> ages, buys = [20, 22, 25, 30, 31, 40, 45, 50, 60], ["no"] * 4 + ["yes", "yes", "no", "yes", "yes"]
    >>> model = tw.CARTClassifier(max_depth=1).fit({"age": ages}, buys)
    >>> view = tree_view(model.tree_, model.schema_)
    >>> view["facts"], sorted(view["nodes"])
    (['9 rows', '2 leaves', 'depth 1'], ['branch_of', 'branches', 'codes', 'column', ...])
    """
    used, answers = tree.columns_used.tolist(), NodeText(tree, schema)
    return {
        "kind": "tree",
        "title": title,
        "facts": list(facts) or answers.facts(),
        "target": _target(schema, answers),
        "leaf": tree.leaf.value,
        "answer": answer,
        "columns": [column_view(schema.columns[j]) for j in used],
        "nodes": {
            **_splits(tree, used),
            **_cut_words(tree, schema),
            **_answers(tree),
            **_tests(tree),
            **_surrogates(tree, used),
            **_models(tree, schema, used),
        },
        "holdout": None if holdout is None else _holdout(holdout, answers),
        "competitors": {str(v): [list(one) for one in found] for v, found in (competitors or {}).items()},
        "histograms": dict(histograms or {}),
        "rows": [] if rows is None else rows_view(rows, used),
    }


def column_view(column: Column) -> dict[str, Any]:
    return {"name": column.name, "kind": column.kind.value, "levels": list(column.levels), "unit": column.unit.value}


def _target(schema: Schema, answers: NodeText) -> dict[str, Any]:
    target = schema.target
    return {
        "name": target.name,
        "classes": None if target.classes is None else list(target.classes),
        "costs": target.costs,
        "decimals": 0 if target.classes is not None else answers.decimals,
        "error": answers.error_name,
    }


def _splits(tree: Tree, used: list[int]) -> dict[str, str]:
    """Where rows go. Columns are told by their place among those used, and only of nodes that split."""
    inner = tree.n_branches > 0
    place = np.zeros(max(used, default=0) + 1, np.int64)
    place[used] = np.arange(len(used))
    told = {
        "branches": packed(tree.n_branches),
        "column": packed(place[tree.column[inner]]),
        "n_edges": packed(np.diff(tree.edge_start)[inner]),
        "edges": packed(tree.edges),
        "codes": packed(np.diff(tree.branch_start)[inner]),
        "branch_of": packed(tree.branch_of),
        "gain": packed(tree.gain[inner], short=True),
    }
    in_order = 1 + np.cumsum(tree.n_branches) - tree.n_branches
    if not np.array_equal(tree.first_child[inner], in_order[inner]):
        told["first_child"] = packed(tree.first_child)
    if tree.missing.any():
        told["missing"] = packed(tree.missing[inner])
    if tree.bounds.size:
        told["bounds"] = packed(tree.bounds.ravel())
    printed = np.asarray(tree.printed if tree.printed.size else tree.edges)
    if not np.array_equal(printed, tree.edges):
        told["printed"] = packed(printed)
    if shares_missing(tree):
        told["share"] = packed(branch_shares(tree))
    return told


def _cut_words(tree: Tree, schema: Schema) -> dict[str, Any]:
    """What is printed for cuts of dates, times and durations; the script prints numbers itself."""
    tested = np.repeat(tree.column, np.diff(tree.edge_start))
    printed = np.asarray(tree.printed if tree.printed.size else tree.edges)
    units = [schema.columns[column].unit for column in tested]
    words = {k: format_exactly(float(printed[k]), unit) for k, unit in enumerate(units) if unit is not Unit.NUMBER}
    return {"cut_words": words} if words else {}


def _answers(tree: Tree) -> dict[str, str]:
    """What nodes predict, and the rows behind it."""
    return _class_weights(tree) if tree.leaf.of_classes else _moments(tree)


def _class_weights(tree: Tree) -> dict[str, str]:
    """The weight of every class and, where these are not the shares that a node predicts, its prediction."""
    stats, weight = tree.stats, tree.stats.sum(-1, keepdims=True)
    shares = np.divide(stats, weight, out=np.zeros_like(stats), where=weight > 0)
    other = np.flatnonzero((shares != tree.value).any(-1))
    told = {"other_value": packed(other), "values": packed(tree.value[other].ravel())} if other.size else {}
    if not np.array_equal(weight[:, 0], tree.rows):
        told["rows"] = packed(tree.rows)
    if stats.shape[1] <= _FEW_CLASSES:
        return {**told, "stats": packed(stats.ravel())}
    v, k = np.nonzero(stats)
    n_classes = np.bincount(v, minlength=tree.n_nodes)
    return {**told, "n_classes": packed(n_classes), "class": packed(k), "stats": packed(stats[v, k])}


def _moments(tree: Tree) -> dict[str, str]:
    """The predicted number, and the standard deviation or the mean distance from it."""
    weight = tree.weights
    safe = np.where(weight > 0, weight, 1.0)
    if tree.leaf is LeafKind.MEDIANS:
        spread = tree.stats[:, 4] / safe
    else:
        variance = tree.stats[:, 2] / safe - (tree.stats[:, 1] / safe) ** 2
        # What is left of subtracting two nearly equal numbers is rounding, not spread.
        rounding = 1e-12 * (tree.stats[:, 2] / safe)
        spread = np.sqrt(np.where(variance > rounding, variance, 0.0))
    told = {
        "rows": packed(tree.rows),
        "value": packed(tree.value[:, 0]),
        "spread": packed(np.where(weight > 0, spread, 0.0), short=True),
    }
    return told if np.array_equal(weight, tree.rows) else {**told, "weight": packed(weight, short=True)}


def _tests(tree: Tree) -> dict[str, Any]:
    if not tree.test.size:
        return {}
    inner = tree.n_branches > 0
    return {"tests": packed(tree.test[inner].ravel(), short=True), "test_names": list(TEST_NAMES)}


def _surrogates(tree: Tree, used: list[int]) -> dict[str, str]:
    surrogates = tree.surrogates
    if not surrogates.exist:
        return {}
    place = {column: at for at, column in enumerate(used)}
    return {
        "n_surrogates": packed(np.diff(surrogates.start)),
        "surrogate_column": packed(np.array([place[int(j)] for j in surrogates.column], np.int64)),
        "surrogate_edge": packed(surrogates.edge),
        "surrogate_codes": packed(np.diff(surrogates.branch_start)),
        "surrogate_branch_of": packed(surrogates.branch_of),
        "agreement": packed(surrogates.agreement, short=True),
    }


def _models(tree: Tree, schema: Schema, used: list[int]) -> dict[str, Any]:
    """Linear models of the nodes, as arrays to compute with and in words."""
    models = tree.models
    if not models.exist:
        return {}
    place = {column: at for at, column in enumerate(used)}
    return {
        "equations": [model_text(tree, schema, v) for v in range(tree.n_nodes)],
        "term_column": packed(np.array([place.get(int(j), 0) for j in models.term_column], np.int64)),
        "term_start": packed(models.term_start),
        "scores": packed(models.scores),
        "model_start": packed(models.start),
        "term": packed(models.term),
        "slope": packed(models.slope),
        "intercept": packed(models.intercept.ravel()),
        "low": packed(models.low),
        "high": packed(models.high),
        "model_error": packed(_model_errors(tree), short=True),
    }


def _model_errors(tree: Tree) -> Floats:
    """The root mean squared error of every node's model on its rows, or the share of them it gets wrong."""
    mean = tree.models.error / np.where(tree.weights > 0, tree.weights, 1.0)
    return np.asarray(mean if tree.leaf.of_classes else np.sqrt(mean))


def _holdout(found: HoldOutStatistics, answers: NodeText) -> dict[str, Any]:
    return {
        "rows": packed(found.rows),
        "errors": packed(np.asarray(found.error, np.float64), short=True),
        "differs": packed(np.asarray(found.differs, np.int64)),
        "error": found.total,
        "fact": found.fact(answers),
    }


def rows_view(matrix: Floats, used: Sequence[int]) -> list[list[float | None]]:
    """Rows of a prediction matrix to choose from: numbers and level codes, None where missing."""
    return [[None if np.isnan(cell) else float(cell) for cell in row] for row in matrix[:, used]]
