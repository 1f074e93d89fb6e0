"""Linear and logistic models for the nodes of a grown tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treewright.costs import prior_factors
from treewright.data.encoded import Encoded
from treewright.data.schema import Target
from treewright.engines.linear_terms import DesignColumns, indicator_columns, step_columns
from treewright.kernels import switch
from treewright.kernels.jit import runner
from treewright.leaves import decided
from treewright.prediction import model_values, reached
from treewright.prune.training_rows import training_rows
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.edit import levels
from treewright.tree.linear_models import LinearModels, packed_models
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

# Seconds without compiled kernels: of a model however few its rows, and of every term of it that may be eliminated.
_PLAIN_MODEL, _PLAIN_TERM = 2e-4, 5e-5
_SOLVING = 1.2e-4  # that solving for one term takes longer without its loop compiled, whenever a term is eliminated
_PLAIN_PRODUCT = 1e-8  # that a row takes for two terms
_PLAIN_STEPS = 4e-3  # that climbing takes to the logistic model of a few rows
_PLAIN_CLIMB = 3e-7  # that it takes more for a row, a term and a class


class _NodeRows(NamedTuple):
    """Rows in the order of the nodes they end in, so that those of every node stand together."""

    row: Ints
    weight: Floats
    start: Ints
    stop: Ints


@dataclass(frozen=True)
class LinearLeaves:
    """Least squares at every node, on all columns or, where rows are few, the third of their number that is correlated
    most; see ``tw.TreeRegressor`` for the options. ``extrapolation`` is a share."""

    ridge: float
    eliminate: bool
    extrapolation: float

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> Tree:
        from treewright.kernels.linear_kernels.cholesky import cholesky_solve
        from treewright.kernels.linear_kernels.leaf_models import ROWS_PER_TERM, linear_nodes

        design, rows = step_columns(encoded), _rows_of(tree, encoded)
        x, y = np.ascontiguousarray(design.x[:, rows.row]), np.asarray(encoded.y, np.float64)[rows.row]
        n = tree.n_nodes
        slopes, intercept, low, high = np.empty((n, len(x))), np.empty(n), np.empty(n), np.empty(n)
        size = rows.stop - rows.start
        terms = np.minimum(len(x), size // ROWS_PER_TERM)
        if self.eliminate:
            switch.compile_hot(_SOLVING * float(terms.sum()), cholesky_solve)
        by_term = _PLAIN_TERM * float(terms.sum()) * self.eliminate
        products = float((size * (1 + terms) ** 2).sum())
        run = runner(_PLAIN_MODEL * n + by_term + _PLAIN_PRODUCT * products, linear_nodes)
        run(
            linear_nodes, x, y, rows.weight, rows.start, rows.stop, self.ridge, self.eliminate, slopes, intercept, low,
            high,
        )  # fmt: skip
        models = _packed(design, slopes[:, None], intercept[:, None])
        beyond = self.extrapolation * (high - low)
        models = models._replace(low=low - beyond, high=high + beyond)
        return _with_errors(tree, models, rows, encoded)


@dataclass(frozen=True)
class LogisticLeaves:
    """Multinomial logistic regression at every node; see ``tw.TreeClassifier`` for the options."""

    ridge: float
    eliminate: bool

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> Tree:
        from threadpoolctl import threadpool_limits

        from treewright.kernels.linear_kernels.leaf_models_in_numpy import logistic_nodes

        design, rows = indicator_columns(encoded), _rows_of(tree, encoded)
        x, y = np.ascontiguousarray(design.x[:, rows.row]), np.asarray(encoded.y, np.int64)[rows.row]
        n, n_classes = tree.n_nodes, encoded.n_classes
        slopes, intercept = np.empty((n, n_classes, len(x))), np.zeros((n, n_classes))
        climbed = int((rows.stop - rows.start).sum()) * (1 + len(x)) * n_classes
        run = runner(_PLAIN_STEPS * n + _PLAIN_CLIMB * climbed, logistic_nodes)
        weight = rows.weight * prior_factors(tree.stats[0], encoded.schema.target)[y]
        with threadpool_limits(1, "blas"):  # threads would wait for each other longer than small products take
            run(
                logistic_nodes, x, y, weight, rows.start, rows.stop, n_classes, self.ridge, self.eliminate, slopes,
                intercept,
            )  # fmt: skip
        return _with_errors(tree, _packed(design, slopes, intercept), rows, encoded)


def _rows_of(tree: Tree, encoded: Encoded) -> _NodeRows:
    """The training rows at every node; a row that takes several branches counts at each by its part."""
    given = training_rows(tree, encoded)  # weights as they came: costs decide later, between probabilities
    row, end, part = reached(tree, np.ascontiguousarray(given.cells.T), 1)
    weight = part if given.weights is None else part * given.weights[row]
    first, last = _intervals(tree)
    order = np.argsort(first[end], kind="stable")
    place = first[end][order]
    return _NodeRows(row[order], weight[order], np.searchsorted(place, first), np.searchsorted(place, last))


def _intervals(tree: Tree) -> tuple[Ints, Ints]:
    """Numbers by which the nodes below v are those from first[v] up to, not including, last[v]."""
    size, first = np.ones(tree.n_nodes, np.int64), np.zeros(tree.n_nodes, np.int64)
    for level in reversed(list(levels(tree))):
        if level.start:
            np.add.at(size, tree.parent[level], size[level])
    for level in levels(tree):
        for v in range(level.start, level.stop):
            child = int(tree.first_child[v])
            count = int(tree.n_branches[v])
            if count:
                sizes = size[child : child + count]
                first[child : child + count] = first[v] + 1 + np.cumsum(sizes) - sizes
    return first, first + size


def _packed(design: DesignColumns, slopes: Floats, intercept: Floats) -> LinearModels:
    """Models of dense slopes (nodes, outputs, terms)."""
    used = slopes != 0
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(used.sum(-1).ravel())])
    return packed_models(design.terms, start, np.nonzero(used)[2], slopes[used], intercept)


def _with_errors(tree: Tree, models: LinearModels, rows: _NodeRows, encoded: Encoded) -> Tree:
    """The tree with its models; a node without rows has that of the node above. Errors are those of training rows."""
    source = np.arange(tree.n_nodes)
    for empty in np.flatnonzero(rows.stop <= rows.start):
        source[empty] = source[tree.parent[empty]]
    tree = tree._replace(models=models.take(source))
    given = training_rows(tree, encoded)
    cells = np.ascontiguousarray(given.cells[:, rows.row].T) if len(given.cells) else np.empty((len(rows.row), 0))
    error = np.zeros(tree.n_nodes)
    for v in range(tree.n_nodes):
        here = slice(rows.start[v], rows.stop[v])
        if rows.stop[v] > rows.start[v]:
            error[v] = _loss(tree, encoded.schema.target, v, cells[here], encoded.y[rows.row[here]], rows.weight[here])
    return tree._replace(models=tree.models._replace(error=error))


def _loss(tree: Tree, target: Target, v: int, cells: Array, y: Array, w: Floats) -> float:
    said = model_values(tree, np.full(len(cells), v), cells)
    away = (decided(said, target) != y) if tree.leaf.of_classes else (said[:, 0] - y) ** 2
    return float((w * away).sum())
