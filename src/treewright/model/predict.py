"""Rows down a tree, many at a time and side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.engines.workers import Workers
from treewright.tree.tree import Tree
from treewright.typing import Array, Ints

_CHUNK = 50_000  # rows a thread takes at a time


def apply(tree: Tree, matrix: Array, n_jobs: int) -> Ints:
    """The leaf each row reaches. ``matrix`` holds numbers and level codes, NaN where missing."""
    from treewright.kernels.route import apply_any, apply_binary

    n_rows = len(matrix)
    leaves = np.zeros(n_rows, np.int64)
    plain = _as_binary(tree)

    def send(chunk: int, worker: int) -> None:
        rows = chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)
        if plain is None:
            apply_any(matrix, rows[0], rows[1], tree, leaves)
        else:
            apply_binary(matrix, rows[0], rows[1], plain, leaves)

    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, send)
    return leaves


def _as_binary(tree: Tree) -> Any:
    """Dense arrays for a tree all of whose tests are ``x <= edge``; None for any other."""
    from treewright.kernels.route import BinaryTree

    inner = tree.n_branches > 0
    if not (np.diff(tree.edge_start)[inner] == 1).all() or not (np.diff(tree.branch_start)[inner] == 3).all():
        return None
    edge = np.zeros(tree.n_nodes)
    edge[inner] = tree.edges
    branches = np.zeros((tree.n_nodes, 3), np.int32)
    branches[inner] = tree.branch_of.reshape(-1, 3)
    return BinaryTree(tree.column, edge, branches, tree.first_child)


def decision_path(tree: Tree, leaves: Ints) -> tuple[Ints, Ints]:
    """Node ids from the root to each leaf, end to end, and where each row's path starts (one more start than rows)."""
    reached, which = np.unique(leaves, return_inverse=True)
    paths = [np.array([node.id for node in tree.node(int(leaf)).path()]) for leaf in reached]
    sizes = np.array([len(path) for path in paths], np.int64)[which]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    flat = np.concatenate(paths) if paths else np.empty(0, np.int64)
    path_start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(path) for path in paths])]).astype(np.int64)
    return flat[np.arange(int(start[-1])) + np.repeat(path_start[which] - start[:-1], sizes)], start
