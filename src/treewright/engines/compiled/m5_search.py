"""M5' trees and rules: the kernels' arrays made, and their answers read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.linear_terms import DesignColumns, step_columns
from treewright.kernels import switch
from treewright.kernels.jit import runner
from treewright.kernels.linear_kernels.java_random import java_state, shuffle_rows
from treewright.kernels.linear_kernels.least_squares import cholesky_solve, squared_error
from treewright.kernels.linear_kernels.m5_growth import GrownM5, grow_m5, spread_of
from treewright.kernels.linear_kernels.m5_models import (
    NodeModels,
    count_terms,
    model_and_prune,
    smooth_model,
)
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


class M5Rows(NamedTuple):
    """The rows to learn from, prepared."""

    columns: DesignColumns
    y: Floats
    w: Floats
    order: Array  # int32: as M5P shuffles them


class M5Tree(NamedTuple):
    """A tree as grown and pruned; nodes that pruning took away are in the arrays still. See ``GrownM5``."""

    grown: GrownM5
    models: NodeModels
    is_leaf: Mask
    own_error: Floats  # Σ w·e² of the node's own model
    order: Array  # int32
    sorted_root: Array  # int32
    weight: Floats  # of the rows of every node
    spread: float  # of the target


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
    weights = np.ones(encoded.n_rows) if encoded.weights is None else np.asarray(encoded.weights, np.float64)
    return M5Rows(step_columns(encoded), np.asarray(encoded.y, np.float64), weights, order)


def m5_tree(rows: M5Rows, order: Array, options: ByFifthRoot) -> M5Tree:
    """Grow, model and prune on the rows in ``order``."""
    x, y, w, n = rows.columns.x, rows.y, rows.w, len(order)
    order, sorted_root = order.copy(), order.copy()
    run = runner(_PLAIN_SECONDS * n * max(len(x), 1) * np.log2(n + 2), grow_m5, model_and_prune)
    _compile_hot(x, n, linear=options.linear)
    spread = run(spread_of, y, w, order, 0, n)
    grown = GrownM5(*(np.zeros(n, kind) for kind in _GROWN_TYPES))  # a branch has two rows at least
    presorted, place = _presorted(x, order)
    n_nodes = run(
        grow_m5, x, y, w, order, options.min_rows, _LEAST_SPREAD * spread, presorted, place, sorted_root, grown
    )
    del presorted
    grown = GrownM5(*(part[:n_nodes].copy() for part in grown))
    n_terms = run(count_terms, grown, n_nodes, len(x)) if options.linear else 0
    models = NodeModels(
        np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64), np.empty(n_terms, np.int32), np.empty(n_terms),
        np.empty(n_nodes),
    )  # fmt: skip
    is_leaf, own_error = np.zeros(n_nodes, np.bool_), np.empty(n_nodes)
    run(
        model_and_prune, x, y, w, order, grown, n_nodes, models, options.linear, options.prune, spread, is_leaf,
        own_error,
    )  # fmt: skip
    total = np.zeros(n + 1)
    np.cumsum(w[order], out=total[1:])
    return M5Tree(
        grown, models, is_leaf, own_error, order, sorted_root, total[grown.stop] - total[grown.start], float(spread)
    )


def _compile_hot(x: Floats, n: int, *, linear: bool) -> None:
    """Have the loops compiled that the plain road spends most time in, if that pays."""
    n_levels = float(np.log2(n + 2))
    if linear:
        switch.compile_hot(_SOLVING * n * len(x), cholesky_solve)
    n_tied = int(((x == 0) | (x == 1)).all(axis=1).sum())
    switch.compile_hot(_SORTING * n * n_levels * n_tied, sort_parts)


def _presorted(x: Floats, order: Array) -> tuple[Array, Ints]:
    """The rows by every column of which nearly all values differ, and which line of the array a column has, or -1."""
    made, place, n_made = np.empty((max(len(x), 1), len(order)), np.int32), np.full(len(x), -1), 0
    here = np.empty(len(order))
    for j, values in enumerate(x):
        by_value = np.argsort(np.take(values, order, out=here, mode="clip"))
        here[:] = here[by_value]
        if np.count_nonzero(here[1:] > here[:-1]) > _DISTINCT * len(order):
            place[j] = n_made
            np.take(order, by_value, out=made[n_made], mode="clip")  # lines that are not written take no memory
            n_made += 1
    return made, place


_GROWN_TYPES = tuple(np.float64 if name in ("cut", "below", "gain") else np.int32 for name in GrownM5._fields)


def kept_nodes(tree: M5Tree) -> Ints:
    """The nodes that pruning left, parents first and left before right."""
    kept = np.zeros(len(tree.is_leaf), np.bool_)
    kept[0] = True
    for v in range(len(kept)):
        if kept[v] and not tree.is_leaf[v]:
            kept[tree.grown.left[v]] = kept[tree.grown.right[v]] = True
    return np.flatnonzero(kept)


def smoothed(tree: M5Tree, nodes: Ints, n_terms: int, smooth: bool) -> PathModels:
    """The models by which nodes predict."""
    dense, start = np.empty(n_terms), np.zeros(len(nodes) + 1, np.int64)
    run = runner(1e-6 * len(nodes) * n_terms, smooth_model)
    terms: list[Array] = []
    slopes: list[Array] = []
    intercept = np.empty((len(nodes), 1))
    for k, v in enumerate(nodes):
        intercept[k, 0] = run(smooth_model, tree.grown, tree.weight, tree.models, int(v), smooth, dense)
        used = np.flatnonzero(dense)
        start[k + 1] = start[k] + len(used)
        terms.append(used)
        slopes.append(dense[used])
    none = np.empty(0, np.int64)
    return PathModels(start, np.concatenate([none, *terms]), np.concatenate([np.empty(0), *slopes]), intercept)


# ---- as a tree of the one form -----------------------------------------------------------------------------------


def m5_fit(encoded: Encoded, choice: ByFifthRoot) -> Tree:
    """The tree that M5' makes of the table, every node with the model by which it would predict as a leaf."""
    rows = prepared(encoded)
    return as_tree(encoded, rows, m5_tree(rows, rows.order, choice), choice)


def as_tree(encoded: Encoded, rows: M5Rows, found: M5Tree, choice: ByFifthRoot) -> Tree:
    nodes = kept_nodes(found)
    inner = nodes[~found.is_leaf[nodes]]
    new = np.zeros(len(found.is_leaf), np.int64)  # numbers as the builder wants them: children side by side
    new[found.grown.left[inner]] = 1 + 2 * np.arange(len(inner))
    new[found.grown.right[inner]] = 2 + 2 * np.arange(len(inner))
    by_number = nodes[np.argsort(new[nodes])]
    builder = TreeBuilder()
    n_rows = (found.grown.stop - found.grown.start)[by_number].astype(np.int64)
    builder.add_nodes(n_rows, by_number[:, None])
    if len(inner):
        builder.add_splits(_splits(encoded, rows.columns.terms, found, inner, new[inner]))
    kind = LeafKind.LINEAR if choice.linear else LeafKind.MEANS
    tree, numbers = builder.freeze(kind)
    order = numbers[:, 0]
    stats = _moments(rows, found, order)
    models = smoothed(found, order, len(rows.columns.terms), choice.smooth)
    if not choice.linear:  # the model of every node is a number
        return tree._replace(stats=stats, value=models.intercept)
    packed = packed_models(rows.columns.terms, *models)._replace(error=_errors(rows, found, order, models))
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


def _moments(rows: M5Rows, found: M5Tree, nodes: Ints) -> Floats:
    stats = np.empty((len(nodes), 3))
    for power in range(3):
        terms = rows.y**power
        terms *= rows.w
        stats[:, power] = [terms[_rows(found, v)].sum() for v in nodes]
    return stats


def _errors(rows: M5Rows, found: M5Tree, nodes: Ints, models: PathModels) -> Floats:
    """Σ w·e² of the models by which nodes predict."""
    run = runner(1e-6 * len(found.order), squared_error)
    errors = np.empty(len(nodes))
    for k, v in enumerate(nodes):
        own = slice(models.start[k], models.start[k + 1])
        errors[k] = run(
            squared_error, rows.columns.x, rows.y, rows.w, _rows(found, v), models.term[own], models.slope[own],
            float(models.intercept[k, 0]),
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


def m5_rules(rows: M5Rows, choice: ByFifthRoot) -> list[M5Rule]:
    """M5Rules (Holmes, Hall & Frank 1999): the leaf of most rows of a tree, then again on the rows that are left."""
    order, made = rows.order, []
    while len(order):
        tree = m5_tree(rows, order, choice)
        leaves = [int(v) for v in kept_nodes(tree) if tree.is_leaf[v]]
        leaf = max(leaves, key=lambda v: int(tree.grown.stop[v] - tree.grown.start[v]))  # the first of equals
        covered = _rows(tree, leaf)
        models = smoothed(tree, np.array([leaf]), len(rows.columns.terms), choice.smooth)
        made.append(M5Rule(tree, leaf, _path(tree, leaf), covered, models))
        out = np.zeros(len(rows.y), np.bool_)
        out[covered] = True
        order = tree.sorted_root[~out[tree.sorted_root]]
    return made


def _path(tree: M5Tree, v: int) -> list[tuple[int, float, bool]]:
    path = []
    while (parent := int(tree.grown.parent[v])) >= 0:
        path.append(
            (int(tree.grown.column[parent]), float(tree.grown.cut[parent]), bool(tree.grown.right[parent] == v))
        )
        v = parent
    return path[::-1]
