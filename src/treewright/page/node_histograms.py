"""The tested column at a node, in bins: how many rows of each class there are. Rows themselves are not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.page.packing import packed
from treewright.prediction import decision_path
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_BINS = 16
_MOST_LEVELS = 12  # that a node shows, those of most rows
_MOST_CLASSES = 8  # of more classes only the sums are told


def node_histograms(
    tree: Tree, schema: Schema, matrix: Floats, y: Array, weights: Floats | None, nodes: Sequence[int], n_jobs: int
) -> dict[str, dict[str, Any]]:
    """For each of the nodes, which split: bins of the tested column with the weight of every class, or the mean.

    ``y`` holds class codes or numbers. Bins of numbers lie between the least and the greatest value at the node; of
    levels there is a bin each, named by its code.

    >>> import treewright as tw
    >>> table = tw.datasets.load("temperature")
    >>> model = tw.ID3Classifier().fit(table.X, table.y)
    >>> matrix, codes = model._matrix(table.X), np.array([label == "Yes" for label in table.y], int)
    >>> found = node_histograms(model.tree_, model.schema_, matrix, codes, None, [0], 1)["0"]
    >>> found["low"], found["high"]
    (40.1, 90.4)
    """
    visited, start = decision_path(tree, matrix, n_jobs)
    rows = np.repeat(np.arange(len(matrix)), np.diff(start))
    weight = np.ones(len(matrix)) if weights is None else weights
    sums = _sums(tree, y, weight)
    made = ((v, _histogram(tree, schema, v, matrix, rows[visited == v], sums)) for v in nodes)
    return {str(v): found for v, found in made if found is not None}


def _sums(tree: Tree, y: Array, weight: Floats) -> Floats:
    """What each row adds to a bin: its weight by class, or its weight and its weighted number."""
    if not tree.leaf.of_classes:
        return np.stack([weight, weight * y], axis=1)
    n_classes = tree.value.shape[1]
    if n_classes > _MOST_CLASSES:
        return weight[:, None]
    known = np.where(y < 0, n_classes, y)
    return np.asarray(np.eye(n_classes + 1)[known][:, :n_classes] * weight[:, None])


def _histogram(tree: Tree, schema: Schema, v: int, matrix: Floats, rows: Ints, sums: Floats) -> dict[str, Any] | None:
    column = int(tree.column[v])
    values = matrix[rows, column].astype(np.float64)
    known = np.isfinite(values)
    values, sums = values[known], sums[rows][known]
    if not values.size:
        return None
    if schema.columns[column].kind is not Kind.NUMERIC:
        return _of_levels(values.astype(np.int64), sums)
    low, high = float(values.min()), float(values.max())
    bins = np.minimum(((values - low) / ((high - low) or 1.0) * _BINS).astype(np.int64), _BINS - 1)
    return {"low": low, "high": high, "width": sums.shape[1], "sums": packed(_added(bins, sums, _BINS), short=True)}


def _of_levels(codes: Ints, sums: Floats) -> dict[str, Any]:
    counts = np.bincount(codes)
    shown = np.sort(np.argsort(-counts, kind="stable")[: min(_MOST_LEVELS, int((counts > 0).sum()))])
    added = _added(codes, sums, len(counts)).reshape(len(counts), -1)[shown]
    return {"codes": shown.tolist(), "width": sums.shape[1], "sums": packed(added.ravel(), short=True)}


def _added(bins: Ints, sums: Floats, n_bins: int) -> Floats:
    return np.stack([np.bincount(bins, part, n_bins) for part in sums.T], axis=1).ravel().astype(np.float64)
