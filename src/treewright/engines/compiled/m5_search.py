"""M5' trees and rules: the kernels' arrays made, and their answers read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.linear_terms import DesignColumns, step_columns
from treewright.engines.workers import Workers
from treewright.kernels import switch
from treewright.kernels.jit import Run, runner
from treewright.kernels.linear_kernels.cholesky import cholesky_solve
from treewright.kernels.linear_kernels.java_random import java_state, shuffle_rows
from treewright.kernels.linear_kernels.m5_growth import (
    NEVER_EQUAL,
    OFTEN_EQUAL,
    SELDOM_EQUAL,
    UNUSED,
    GrownM5,
    Waiting,
    grow_m5,
    spread_of,
)
from treewright.kernels.linear_kernels.m5_models import NodeModels, fit_nodes, path_errors, prune_nodes, smooth_models
from treewright.kernels.sorting.unstable_parts import sort_parts
from treewright.recipe_parts.recipe import ByFifthRoot
from treewright.tree.build import Round, TreeBuilder
from treewright.tree.linear_models import Term, packed_models
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints, Mask

_LEAST_SPREAD = 0.05  # of the spread of all rows
_DISTINCT = 0.9  # of the values of a column: from here on nodes seldom have equal ones
_SORTING = 1e-7  # that sorting equal values takes longer for a row, level and 0/1 column where its loop is plain,
_SOLVING = 1e-6  # and solving for models, for a row and column
_PLAIN_SECONDS = 1e-6  # that a value takes at every halving of the rows without compiled kernels
_PARTS = 8  # of the rows: subtrees of fewer are grown by one thread
_MANY_ROWS = 2_000  # in a subtree, or in nodes that get models: below that threads are not worth it


class M5Rows(NamedTuple):
    """The rows to learn from, prepared."""

    columns: DesignColumns
    y: Floats
    w: Floats | None
    order: Array  # int32: as M5P shuffles them


class M5Tree(NamedTuple):
    """A tree as grown and pruned; nodes that pruning took away are in the arrays still. See ``GrownM5``."""

    grown: GrownM5
    models: NodeModels
    is_leaf: Mask
    order: Array  # int32: the rows of node v are order[start[v]:stop[v]]
    by_node: M5Rows  # the rows in this order
    sorted_root: Array  # int32
    weight: Floats  # of the rows of every node
    spread: float  # of the target

    @property
    def own_error(self) -> Floats:
        """Σ w·e² of every node's own model."""
        return np.asarray(self.models.error)


class PathModels(NamedTuple):
    """Models of some nodes, smoothed with those above them; the terms of the k-th are [start[k], start[k + 1])."""

    start: Ints
    term: Ints
    slope: Floats
    intercept: Floats  # (nodes, 1)


def prepared(encoded: Encoded) -> M5Rows:
    """The table as M5P prepares it: 0/1 columns, and rows shuffled by a fixed seed."""
    order = np.arange(encoded.n_rows, dtype=np.int32)
    run = runner(1e-6 * encoded.n_rows, shuffle_rows)
    run(shuffle_rows, order, java_state(1))
    weights = None if encoded.weights is None else np.asarray(encoded.weights, np.float64)
    return M5Rows(step_columns(encoded), np.asarray(encoded.y, np.float64), weights, order)


def m5_tree(rows: M5Rows, order: Array, options: ByFifthRoot, workers: Workers) -> M5Tree:
    """Grow, model and prune on the rows in ``order``. The columns of ``rows`` are used up: see ``by_node``."""
    x, y, w, n = rows.columns.x, rows.y, rows.w, len(order)
    order, sorted_root = order.copy(), order.copy()
    run = runner(_PLAIN_SECONDS * n * max(len(x), 1) * np.log2(n + 2), grow_m5, fit_nodes)
    _compile_hot(x, n, linear=options.linear)
    spread = run(spread_of, y, w, order, 0, n)
    grown = _closed_up(_grown(rows, order, sorted_root, options.min_rows, _LEAST_SPREAD * spread, run, workers))
    for j in range(len(x)):
        x[j] = x[j, order]
    y, w = y[order], None if w is None else w[order]
    by_node = M5Rows(rows.columns, y, w, np.arange(n, dtype=np.int32))
    models = _models(by_node, grown, options.linear, run, workers)
    is_leaf = np.zeros(len(grown.start), np.bool_)
    run(prune_nodes, grown, models, options.prune, spread, is_leaf)
    return M5Tree(grown, models, is_leaf, order, by_node, sorted_root, _weights(grown, w), float(spread))


def _compile_hot(x: Floats, n: int, *, linear: bool) -> None:
    """Have the loops compiled that the plain road spends most time in, if that pays."""
    n_levels = float(np.log2(n + 2))
    if linear:
        switch.compile_hot(_SOLVING * n * len(x), cholesky_solve)
    n_tied = int(((x == 0) | (x == 1)).all(axis=1).sum())
    switch.compile_hot(_SORTING * n * n_levels * n_tied, sort_parts)


def _weights(grown: GrownM5, w: Floats | None) -> Floats:
    if w is None:
        return np.asarray(grown.stop - grown.start, np.float64)
    total = np.append(np.zeros(1), np.cumsum(w))
    return np.asarray(total[grown.stop] - total[grown.start])


def _grown(
    rows: M5Rows, order: Array, sorted_root: Array, min_rows: float, least_spread: float, run: Run, workers: Workers
) -> GrownM5:
    """Large nodes first, then the subtrees below them, each by one thread."""
    x, n = rows.columns.x, len(order)
    lines, ties = _presorted(x, order, workers)
    grown = GrownM5(*(np.zeros(n, kind) for kind in _GROWN_TYPES))
    grown.column[:] = UNUSED
    goes_right = np.empty(len(rows.y), np.bool_)
    most_later = max(n // _PARTS, _MANY_ROWS) if workers.n_jobs > 1 and n > _MANY_ROWS else 0
    waiting = Waiting(*np.zeros((4, 1 + (5 * n // most_later if most_later else 0)), np.int64))
    waiting.stop[0], waiting.parent[0] = n, -1

    def grow(waiting: Waiting, most_later: int) -> int:
        return int(
            run(
                grow_m5, x, rows.y, rows.w, order, lines, ties, min_rows, least_spread, most_later, waiting,
                sorted_root, goes_right, grown,
            )
        )  # fmt: skip

    def grow_part(k: int, worker: int) -> None:
        part = largest_first[k]
        grow(Waiting(*(values[part : part + 1] for values in waiting)), 0)

    n_later = grow(waiting, most_later)
    largest_first = np.argsort(waiting.start[:n_later] - waiting.stop[:n_later])
    workers.each(n_later, grow_part)
    return grown


def _presorted(x: Floats, order: Array, workers: Workers) -> tuple[Array, Array]:
    """The rows by every column of which values are not often equal, and how often they are."""
    lines, ties = np.empty((len(x), len(order)), np.int32), np.full(len(x), OFTEN_EQUAL)

    rooms = [np.empty(len(order)) for _ in range(workers.n_jobs)]  # that are used again: fresh memory adds up

    def sort(j: int, worker: int) -> None:
        here = rooms[worker]
        by_value = np.argsort(np.take(x[j], order, out=here, mode="clip"))
        np.take(order, by_value, out=lines[j], mode="clip")
        np.take(x[j], lines[j], out=here, mode="clip")
        n_differ = np.count_nonzero(here[1:] > here[:-1])
        if n_differ > _DISTINCT * len(order):
            ties[j] = NEVER_EQUAL if n_differ == len(order) - 1 else SELDOM_EQUAL

    workers.each(len(x), sort, cells=x.size)
    return lines, ties


_GROWN_TYPES = tuple(np.float64 if name in ("cut", "below", "gain") else np.int32 for name in GrownM5._fields)


def _closed_up(grown: GrownM5) -> GrownM5:
    """Nodes numbered without gaps, in the same order: the left child of v is v + 1."""
    used = np.flatnonzero(grown.column != UNUSED)
    number = np.full(len(grown.column) + 1, -1, np.int32)  # the last one stands for no node
    number[used] = np.arange(len(used), dtype=np.int32)
    found = GrownM5(*(part[used] for part in grown))
    return found._replace(right=number[found.right], parent=number[found.parent])


def _last_below(grown: GrownM5) -> Array:
    """The nodes below v are v + 1 … last[v]: the last one is the leaf whose rows end where those of v do."""
    leaves, last = np.flatnonzero(grown.column < 0), np.zeros(int(grown.stop[0]) + 1, np.int32)
    last[grown.stop[leaves]] = leaves
    return np.asarray(last[grown.stop])


def _models(rows: M5Rows, grown: GrownM5, linear: bool, run: Run, workers: Workers) -> NodeModels:
    """The model of every node. Threads take nodes of about the same number of rows in turn."""
    n_nodes, last, n_columns = len(grown.start), _last_below(grown), len(rows.columns.x)
    most = np.minimum(last - np.arange(n_nodes), n_columns) if linear else np.zeros(n_nodes, np.int64)
    start = np.cumsum(most) - most
    models = NodeModels(
        start, np.zeros(n_nodes, np.int64), np.empty(most.sum(), np.int32), np.empty(most.sum()),
        *np.empty((3, n_nodes)),
    )  # fmt: skip
    n_before = np.cumsum(grown.stop - grown.start, dtype=np.int64)
    first = np.searchsorted(n_before, np.arange(0, n_before[-1], max(_MANY_ROWS, n_before[-1] // 64)))
    first = np.unique(np.append(first, n_nodes))

    def fit(k: int, worker: int) -> None:
        run(
            fit_nodes, rows.columns.x, rows.y, rows.w, grown, last, first[k], first[k + 1], linear, models,
        )  # fmt: skip

    workers.each(len(first) - 1, fit)
    return models


def kept_nodes(tree: M5Tree) -> Ints:
    """The nodes that pruning left, parents first and left before right."""
    last, n_nodes = _last_below(tree.grown), len(tree.is_leaf)
    cut = np.flatnonzero(tree.is_leaf)
    depth = np.zeros(n_nodes + 1, np.int64)  # in how many subtrees that were cut off a node is
    np.add.at(depth, cut + 1, 1)
    np.subtract.at(depth, last[cut] + 1, 1)
    return np.flatnonzero(np.cumsum(depth)[:n_nodes] == 0)


def smoothed(tree: M5Tree, nodes: Ints, n_terms: int, smooth: bool) -> PathModels:
    """The models by which nodes predict."""
    n = len(nodes)
    start, intercept = np.zeros(n + 1, np.int64), np.empty(n)
    term, slope = np.empty(n * n_terms, np.int32), np.empty(n * n_terms)  # of what is not written there is no memory
    run = runner(1e-6 * n * n_terms, smooth_models)
    run(
        smooth_models, tree.grown, tree.weight, tree.models, nodes, smooth, np.empty(n_terms), start, term, slope,
        intercept,
    )  # fmt: skip
    found = int(start[-1])
    return PathModels(start, term[:found].astype(np.int64), slope[:found].copy(), intercept[:, None])


# ---- as a tree of the one form -----------------------------------------------------------------------------------


def m5_fit(encoded: Encoded, choice: ByFifthRoot, workers: Workers) -> Tree:
    """The tree that M5' makes of the table, every node with the model by which it would predict as a leaf."""
    rows = prepared(encoded)
    return as_tree(encoded, m5_tree(rows, rows.order, choice, workers), choice)


def as_tree(encoded: Encoded, found: M5Tree, choice: ByFifthRoot) -> Tree:
    nodes, terms = kept_nodes(found), found.by_node.columns.terms
    inner = nodes[~found.is_leaf[nodes]]
    new = np.zeros(len(found.is_leaf), np.int64)  # numbers as the builder wants them: children side by side
    new[inner + 1] = 1 + 2 * np.arange(len(inner))
    new[found.grown.right[inner]] = 2 + 2 * np.arange(len(inner))
    by_number = nodes[np.argsort(new[nodes])]
    builder = TreeBuilder()
    n_rows = (found.grown.stop - found.grown.start)[by_number].astype(np.int64)
    builder.add_nodes(n_rows, by_number[:, None])
    if len(inner):
        builder.add_splits(_splits(encoded, terms, found, inner, new[inner]))
    kind = LeafKind.LINEAR if choice.linear else LeafKind.MEANS
    tree, numbers = builder.freeze(kind)
    order = numbers[:, 0]
    stats = _moments(found, order)
    models = smoothed(found, order, len(terms), choice.smooth)
    if not choice.linear:  # the model of every node is a number
        return tree._replace(stats=stats, value=models.intercept)
    packed = packed_models(terms, *models)._replace(error=_errors(found, order, models))
    return tree._replace(stats=stats, value=stats[:, 1:2] / stats[:, :1], models=packed)


def _splits(encoded: Encoded, terms: list[Term], found: M5Tree, inner: Ints, id: Ints) -> Round:
    grown, columns = found.grown, [terms[j] for j in found.grown.column[inner]]
    branches = [branches_of(term, float(cut)) for term, cut in zip(columns, grown.cut[inner])]
    numeric = np.array([not term.scores.size for term in columns])
    missing = _missing(encoded, columns)
    return Round(
        id=id,
        first_child=1 + 2 * np.arange(len(inner)),
        column=np.array([term.column for term in columns]),
        edge_size=numeric.astype(np.int64),
        edges=grown.cut[inner][numeric],
        below=grown.below[inner][numeric],
        gain=grown.gain[inner],
        missing=np.array(
            [
                int(missing[term.column][_rows(found, v)].sum()) if term.column in missing else 0
                for term, v in zip(columns, inner)
            ]
        ),
        branch_size=np.array([len(part) for part in branches]),
        branch_of=np.concatenate(branches),
        test=np.empty((len(inner), 0)),
    )


def branches_of(term: Term, cut: float) -> Array:
    """The branch of every code, that of a missing value first."""
    values = np.append(np.array([term.missing]), term.scores if term.scores.size else [-np.inf, np.inf])
    return (values > cut).astype(np.int32)


def _rows(found: M5Tree, v: int) -> Ints:
    return found.order[found.grown.start[v] : found.grown.stop[v]]


def _moments(found: M5Tree, nodes: Ints) -> Floats:
    """Σ w·y⁰, Σ w·y and Σ w·y² of the nodes."""
    y, w, stats = found.by_node.y, found.by_node.w, np.empty((len(nodes), 3))
    rows = list(zip(found.grown.start[nodes].tolist(), found.grown.stop[nodes].tolist()))
    for power in range(3):
        terms = y**power
        if w is not None:
            terms *= w
        stats[:, power] = [np.add.reduce(terms[start:stop]) for start, stop in rows]
    return stats


def _errors(found: M5Tree, nodes: Ints, models: PathModels) -> Floats:
    """Σ w·e² of the models by which nodes predict."""
    rows, errors = found.by_node, np.empty(len(nodes))
    run = runner(1e-6 * len(found.order), path_errors)
    run(
        path_errors, rows.columns.x, rows.y, rows.w, found.grown, nodes, models.start, models.term, models.slope,
        models.intercept[:, 0], errors,
    )  # fmt: skip
    return errors


def _missing(encoded: Encoded, terms: list[Term]) -> dict[int, Mask]:
    """Which rows miss a value, by column."""
    made = {}
    for j in {term.column for term in terms}:
        column = encoded.columns[j]
        if column.has_missing:
            made[j] = np.isnan(column.numbers) if column.numbers is not None else np.asarray(column.codes) == 0
    return made


# ---- rules -------------------------------------------------------------------------------------------------------


class M5Rule(NamedTuple):
    """A leaf that was taken out of a tree: the tests on its path, from the root, and its model."""

    tree: M5Tree
    leaf: int
    path: list[tuple[int, float, bool]]  # term, cut, and whether the value is above it
    rows: Ints
    models: PathModels  # one


def m5_rules(rows: M5Rows, choice: ByFifthRoot, workers: Workers) -> list[M5Rule]:
    """M5Rules (Holmes, Hall & Frank 1999): the leaf of most rows of a tree, then again on the rows that are left."""
    order, made = rows.order, []
    while len(order):
        tree = m5_tree(_some(rows, order), np.arange(len(order), dtype=np.int32), choice, workers)
        leaves = [int(v) for v in kept_nodes(tree) if tree.is_leaf[v]]
        leaf = max(leaves, key=lambda v: int(tree.grown.stop[v] - tree.grown.start[v]))  # the first of equals
        covered = _rows(tree, leaf)
        models = smoothed(tree, np.array([leaf]), len(rows.columns.terms), choice.smooth)
        made.append(M5Rule(tree, leaf, _path(tree, leaf), order[covered], models))
        out = np.zeros(len(order), np.bool_)
        out[covered] = True
        order = order[tree.sorted_root[~out[tree.sorted_root]]]
    return made


def _some(rows: M5Rows, order: Array) -> M5Rows:
    """A copy of some rows, in this order."""
    columns = DesignColumns(rows.columns.terms, rows.columns.x[:, order])
    weights = None if rows.w is None else rows.w[order]
    return M5Rows(columns, rows.y[order], weights, np.arange(len(order), dtype=np.int32))


def _path(tree: M5Tree, v: int) -> list[tuple[int, float, bool]]:
    path = []
    while (parent := int(tree.grown.parent[v])) >= 0:
        path.append(
            (int(tree.grown.column[parent]), float(tree.grown.cut[parent]), bool(tree.grown.right[parent] == v))
        )
        v = parent
    return path[::-1]
