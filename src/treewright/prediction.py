"""Rows down a tree, many at a time and side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.schema import Target
from treewright.engines.workers import Workers
from treewright.leaves import decided
from treewright.split import EVERY_BRANCH
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from treewright.kernels.jit import Kernel, Run

_MOST_NODES = 100_000  # nodes of a tree that is kept as lists too
_FEW_NODES = 500  # to make lists of more takes longer than to send one row down arrays
_CHUNK = 50_000  # rows a thread takes at a time
_PLAIN_SECONDS = 4e-8  # what a row takes longer for a level without compiled kernels
_PLAIN_START = 2e-5  # … and a table, however small


class TreeRouter:
    """A tree and what it takes to send rows down, worked out once for all predictions; ``once``: there is only one."""

    def __init__(self, tree: Tree, *, once: bool = False) -> None:
        self.tree, self._most_nodes = tree, _FEW_NODES if once else _MOST_NODES

    @cached_property
    def columns(self) -> Ints:
        return self.tree.columns_used

    @cached_property
    def shares_missing(self) -> bool:
        return shares_missing(self.tree)

    @cached_property
    def depends_on_row(self) -> bool:
        """Whether what a row is told is more than the value of the leaf it reaches."""
        return self.tree.models.exist or self.shares_missing

    @cached_property
    def _binary(self) -> Any:
        return _as_binary(self.tree)

    @cached_property
    def _walk(self) -> Callable[[Sequence[float]], int] | None:
        """How to send one row down in plain Python, quicker than an array of one; None: too large, or not binary."""
        small = not self.shares_missing and self._binary is not None and self.tree.n_nodes <= self._most_nodes
        return _walk_of(self._binary) if small else None

    def apply(self, matrix: Array, n_jobs: int) -> Ints:
        """See ``apply``."""
        from treewright.kernels.row_routing.routing import apply_any, apply_binary, spread

        if len(matrix) == 1 and self._walk is not None:
            return np.array([self._walk(matrix[0].tolist())])
        tree, leaves, routes = self.tree, np.zeros(len(matrix), np.int64), self.tree.routes
        if self.shares_missing:
            share, no_values = branch_shares(tree), np.empty((len(matrix), 0))
            send = _runner(spread, tree, matrix)
            of_rows = lambda a, b: send(spread, matrix, a, b, routes, 0, share, leaves, no_values)  # noqa: E731
        elif (plain := self._binary) is not None:
            send = _runner(apply_binary, tree, matrix)
            of_rows = lambda a, b: send(apply_binary, matrix, a, b, plain, leaves)  # noqa: E731
        else:
            send = _runner(apply_any, tree, matrix)
            of_rows = lambda a, b: send(apply_any, matrix, a, b, routes, leaves)  # noqa: E731
        _in_chunks(len(matrix), n_jobs, of_rows)
        return leaves

    def values(self, matrix: Array, n_jobs: int) -> Floats:
        """See ``predicted_values``."""
        if not self.depends_on_row:
            return np.take(self.tree.value, self.apply(matrix, n_jobs), axis=0)
        return predicted_values(self.tree, matrix, n_jobs)

    def classes(self, target: Target, matrix: Array, n_jobs: int) -> Ints:
        """The class that is predicted for each row."""
        if self.depends_on_row:
            return decided(predicted_values(self.tree, matrix, n_jobs), target)
        leaf = self.apply(matrix, n_jobs)
        if len(leaf) < self.tree.n_nodes:
            return decided(self.tree.value[leaf], target)
        return np.take(decided(self.tree.value, target), leaf)


def _walk_of(binary: Any) -> Callable[[Sequence[float]], int]:
    first_child, column, edge, branches = (
        part.tolist() for part in (binary.first_child, binary.column, binary.edge, binary.branches)
    )

    def walk(row: Sequence[float]) -> int:
        v: int = 0
        while first_child[v] >= 0:
            x = row[column[v]]
            code = 1 if x <= edge[v] else 2 if x > edge[v] else 0  # neither: missing
            v = first_child[v] + branches[v][code]
        return v

    return walk


def apply(tree: Tree, matrix: Array, n_jobs: int) -> Ints:
    """The leaf each row reaches, that of the largest share if it reaches several, the first of equals.

    ``matrix`` holds numbers and level codes, NaN where missing.
    """
    return TreeRouter(tree, once=True).apply(matrix, n_jobs)


def _runner(kernel: Kernel, tree: Tree, matrix: Array) -> Run:
    """How to run the kernel that sends these rows down the tree."""
    from treewright.kernels.jit import runner

    levels = tree.n_nodes.bit_length()  # about
    return runner(_PLAIN_START + _PLAIN_SECONDS * len(matrix) * levels, kernel)


def reached(tree: Tree, matrix: Array, n_jobs: int) -> tuple[Ints, Ints, Floats]:
    """Every leaf that a row reaches: row, leaf and the part of the row that does. Rows are in order."""
    from treewright.kernels.row_routing.routing import reach

    if not shares_missing(tree):
        return np.arange(len(matrix)), apply(tree, matrix, n_jobs), np.ones(len(matrix))
    share, start = branch_shares(tree), np.zeros(len(matrix) + 1, np.int64)
    run = _runner(reach, tree, matrix)
    run(reach, matrix, tree.routes, share, start, np.empty(0, np.int64), np.empty(0))
    sizes, start = start[1:], np.cumsum(start)
    leaves, parts = np.empty(int(start[-1]), np.int64), np.empty(int(start[-1]))
    if len(leaves):
        run(reach, matrix, tree.routes, share, start, leaves, parts)
    return np.repeat(np.arange(len(matrix)), sizes), leaves, parts


def predicted_values(tree: Tree, matrix: Array, n_jobs: int, root: int = 0) -> Floats:
    """What the leaf of each row predicts, or all its leaves by their shares. Rows start at node ``root``."""
    from treewright.kernels.row_routing.routing import spread

    if tree.models.exist:
        return _by_models(tree, matrix, n_jobs)
    if not shares_missing(tree) and root == 0:
        return np.take(tree.value, apply(tree, matrix, n_jobs), axis=0)
    leaves, values = np.zeros(len(matrix), np.int64), np.zeros((len(matrix), tree.value.shape[1]))
    share, send, routes = branch_shares(tree), _runner(spread, tree, matrix), tree.routes
    _in_chunks(len(matrix), n_jobs, lambda a, b: send(spread, matrix, a, b, routes, root, share, leaves, values))
    return values


def _by_models(tree: Tree, matrix: Array, n_jobs: int) -> Floats:
    if not shares_missing(tree):
        return model_values(tree, apply(tree, matrix, n_jobs), matrix, n_jobs)
    rows, leaves, parts = reached(tree, matrix, n_jobs)
    found = parts[:, None] * model_values(tree, leaves, matrix[rows], n_jobs)
    values = np.zeros((len(matrix), found.shape[1]))
    np.add.at(values, rows, found)
    return values


def model_values(tree: Tree, nodes: Ints, matrix: Array, n_jobs: int = 1) -> Floats:
    """What the model of a node says of each row, whether the row would come by it or not.

    Numbers are limited as the model says; scores of classes become probabilities, exp(s_k) / Σ exp(s).
    """
    from treewright.kernels.jit import runner
    from treewright.kernels.row_routing.linear_values import linear_values

    models, values = tree.models, np.empty((len(matrix), tree.models.n_outputs))
    run = runner(_PLAIN_SECONDS * len(matrix) * len(models.term_column), linear_values)
    _in_chunks(len(matrix), n_jobs, lambda a, b: run(linear_values, matrix, a, b, nodes, models, values))
    if not tree.leaf.of_classes:
        # Of infinite cells that cancel each other nothing is known but the mean.
        values = np.where(np.isnan(values), tree.value[nodes], values)
        return np.clip(values, models.low[nodes, None], models.high[nodes, None])
    odds = np.exp(values - values.max(-1, keepdims=True, initial=-np.inf))
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def depends_on_row(tree: Tree) -> bool:
    """Whether what a row is told is more than the value of the leaf it reaches."""
    return tree.models.exist or shares_missing(tree)


def predicted_classes(tree: Tree, target: Target, matrix: Array, n_jobs: int) -> Ints:
    return TreeRouter(tree).classes(target, matrix, n_jobs)


def shares_missing(tree: Tree) -> bool:
    """Whether a row may reach several leaves: missing values take every branch, or thresholds are soft."""
    return tree.bounds.size > 0 or bool((tree.branch_of == EVERY_BRANCH).any())


def branch_shares(tree: Tree) -> Floats:
    """The part of its parent's weight that each node has; of nodes whose siblings are all empty, an equal part."""
    weight, parent = tree.weights, np.maximum(tree.parent, 0)
    family = np.bincount(parent[1:], weight[1:], minlength=tree.n_nodes)[parent]
    return np.divide(weight, family, out=1 / np.maximum(tree.n_branches[parent], 1), where=family > 0)


def _in_chunks(n_rows: int, n_jobs: int, send: Callable[[int, int], None]) -> None:
    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, lambda chunk, worker: send(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)))


def _as_binary(tree: Tree) -> Any:
    """Dense arrays for a tree all of whose tests are ``x <= edge``; None for any other."""
    from treewright.kernels.row_routing.routing import BinaryTree

    inner = tree.n_branches > 0
    if tree.surrogates.exist or (tree.branch_of < 0).any():
        return None
    if not (np.diff(tree.edge_start)[inner] == 1).all() or not (np.diff(tree.branch_start)[inner] == 3).all():
        return None
    edge = np.zeros(tree.n_nodes)
    edge[inner] = tree.edges
    branches = np.zeros((tree.n_nodes, 3), np.int32)
    branches[inner] = tree.branch_of.reshape(-1, 3)
    return BinaryTree(tree.column, edge, branches, tree.first_child)


def decision_path(tree: Tree, matrix: Array, n_jobs: int) -> tuple[Ints, Ints]:
    """Nodes each row comes by, end to end, and where each row's begin (one more start than rows)."""
    return _all_visited(tree, matrix) if shares_missing(tree) else _paths_to(tree, apply(tree, matrix, n_jobs))


def _all_visited(tree: Tree, matrix: Array) -> tuple[Ints, Ints]:
    from treewright.kernels.row_routing.routing import visit

    share, start = branch_shares(tree), np.zeros(len(matrix) + 1, np.int64)
    run = _runner(visit, tree, matrix)
    run(visit, matrix, tree.routes, share, start, np.empty(0, np.int64))
    start = np.cumsum(start)
    visited = np.empty(int(start[-1]), np.int64)
    if len(visited):
        run(visit, matrix, tree.routes, share, start, visited)
    return visited, start


def _paths_to(tree: Tree, leaves: Ints) -> tuple[Ints, Ints]:
    reached, which = np.unique(leaves, return_inverse=True)
    paths = [np.array([node.id for node in tree.node(int(leaf)).path()]) for leaf in reached]
    sizes = np.array([len(path) for path in paths], np.int64)[which]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    flat = np.concatenate(paths) if paths else np.empty(0, np.int64)
    path_start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(path) for path in paths])]).astype(np.int64)
    return flat[np.arange(int(start[-1])) + np.repeat(path_start[which] - start[:-1], sizes)], start
