"""Cubist's modelled tree: grown, every node given a model, smoothed, rounded and pruned; on several threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.cubist.cubist_table import CubistTable
from treewright.engines.workers import Workers
from treewright.kernels import switch
from treewright.kernels.cubist_kernels.cubist_fit import eliminate
from treewright.kernels.cubist_kernels.cubist_growth import (
    CubistTree,
    GrowingCases,
    chosen_attribute,
    gather_first,
    grow_cubist,
    large_residuals,
    link_nodes,
    mark_right,
    partition_large,
    score_large,
    tidy,
)
from treewright.kernels.cubist_kernels.cubist_growth_in_numpy import score_levels, score_numbers
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NUMERIC
from treewright.kernels.cubist_kernels.cubist_models import SmoothingRows, model_nodes, smooth_and_round
from treewright.kernels.cubist_kernels.cubist_pruning import prune_cubist
from treewright.kernels.cubist_kernels.cubist_spreads import least_correlations
from treewright.kernels.jit import Run, runner
from treewright.typing import Array, Floats, Ints, Mask

_HOT_SECONDS = 7e-7  # that a case and attribute take in loops that may be compiled by themselves
_PLAIN_SECONDS = 2e-6  # that a case and attribute take on a level of the tree without compiled kernels
_PIECE = 8000  # cases of a node from which on its tree is grown in one go
_SAFE = 1e10 / 3  # targets below this always leave a model to be taken, so that fits do not depend on each other


class ModelledTree(NamedTuple):
    """The nodes that are left, the first branch before the second, with the models by which they predict."""

    order: Array
    start: Ints
    stop: Ints
    attribute: Ints  # -1 at a leaf
    cut: Array
    left: Ints
    right: Ints
    parent: Ints
    parameters: Floats  # of each model
    models: Floats  # intercept and a slope per attribute


def modelled_tree(
    table: CubistTable, target: Array, sorted_rows: Array, most_rules: int, workers: Workers
) -> ModelledTree:
    """The tree of ``target``; ``sorted_rows`` are used up. Of how many threads work on it nothing depends."""
    x, columns, n = table.x, table.columns, len(target)
    limits = (table.target.floor, table.target.ceiling)
    facts = np.array([*limits, table.target.spread, table.target.unit, table.least_rule], np.float64)
    run = runner(_PLAIN_SECONDS * n * max(1, len(x)) * np.log2(n + 2), grow_cubist, model_nodes, smooth_and_round)
    is_even = bool((table.w == 1).all())
    apart = max(np.abs(target).max(), *map(abs, limits)) < _SAFE
    cases = GrowingCases(
        x, target, table.w, columns.kind, columns.n_levels, table.preference, facts, run(least_correlations, n),
        np.arange(n, dtype=np.int32), sorted_rows, np.zeros(n, np.float32), np.zeros(n, np.bool_),
        table.w[:0] if is_even else table.w,
    )  # fmt: skip
    grown = _Growth(cases, run, workers).grown(_PIECE if apart else n)
    order, n_nodes = cases.order, len(grown.start)
    del cases, sorted_rows
    kept = np.zeros(n_nodes, np.bool_)
    run(tidy, grown, n_nodes, table.least_rule, kept)
    nodes = np.flatnonzero(kept)
    raw = np.zeros((len(nodes), len(x) + 1))
    parts = _parts((grown.stop - grown.start)[nodes]) if apart else [np.arange(len(nodes))]

    def model(part: int, _: int) -> None:
        run(model_nodes, x, target, table.w, columns.kind, order, grown, nodes, parts[part], facts, raw)

    workers.each(len(parts), model)
    tree = _compact(grown, nodes, kept, order, raw)
    finished, leaf_error = np.empty_like(raw), np.empty(len(nodes), np.float32)
    rows = SmoothingRows(
        x, target, table.w, order, tree.start, tree.stop, tree.parent, facts, table.least, table.unit,
        is_even,
    )  # fmt: skip
    workers.each(len(parts), lambda part, _: run(smooth_and_round, rows, parts[part], raw, finished, leaf_error))
    cost = np.where(tree.attribute < 0, 0.0, np.where(columns.kind[tree.attribute] == BINARY, 3.0, 4.0))
    is_leaf = tree.attribute < 0
    run(
        prune_cubist, tree.left, tree.right, tree.parent, cost.astype(np.float32), tree.parameters.astype(np.float32),
        leaf_error, float(n), most_rules, is_leaf,
    )  # fmt: skip
    return tree._replace(models=finished, attribute=np.where(is_leaf, -1, tree.attribute))


def _parts(size: Ints) -> list[Ints]:
    """Nodes in parts of about equal work, the largest nodes first."""
    largest_first = np.argsort(-size, kind="stable")
    work = np.cumsum(size[largest_first] + 20)
    return np.split(largest_first, np.flatnonzero(np.diff(work // (2 * _PIECE))) + 1)


def prepare_growing(table: CubistTable, n_trees: int) -> None:
    """Have the loops compiled that so many trees spend most time in, if that pays."""
    n, kind = len(table.y), table.columns.kind
    numeric = int(np.count_nonzero(kind == NUMERIC))
    seconds = _HOT_SECONDS * n_trees * n * np.log2(n + 2)
    switch.compile_hot(seconds * numeric, score_numbers, eliminate)
    switch.compile_hot(seconds * np.count_nonzero(kind != IGNORED) - seconds * numeric, score_levels)


class _Growth:
    """Large nodes are divided one after the other, threads sharing their attributes; smaller ones are grown side by
    side, each with all that is below it."""

    def __init__(self, cases: GrowingCases, run: Run, workers: Workers) -> None:
        self.cases, self.run, self.workers = cases, run, workers
        self.numeric = np.flatnonzero(cases.kind == NUMERIC)
        self.nodes: list[tuple[int, int, int, float]] = []  # start, stop, attribute and cut of large ones
        self.pieces: list[tuple[int, int, Mask]] = []  # start, stop and the attributes tested above

    def grown(self, piece: int) -> CubistTree:
        waiting = [(0, len(self.cases.order), np.zeros(len(self.cases.x), np.bool_))]
        while waiting:
            start, stop, above = waiting.pop()
            if stop - start <= piece:
                self.pieces.append((start, stop, above))
            else:
                waiting += self._divide(start, stop, above)
        self.pieces.sort(key=lambda one: one[0] - one[1])
        parts: list[list[Array]] = [[]] * len(self.pieces)

        def grow(piece: int, _: int) -> None:
            parts[piece] = self._piece(*self.pieces[piece])

        self.workers.each(len(self.pieces), grow)
        tree = _joined([np.array(one) for one in zip(*self.nodes)], parts)
        self.run(link_nodes, tree)
        return tree

    def _piece(self, start: int, stop: int, above: Mask) -> list[Array]:
        """Start, stop, attribute and cut of the nodes of a tree."""
        n = stop - start
        tree = CubistTree(*(np.zeros(2 * n, np.float32 if name == "cut" else np.int32) for name in CubistTree._fields))
        is_root = n == len(self.cases.order)
        n_nodes = self.run(grow_cubist, self.cases, start, stop, above, is_root, tree)
        return [part[:n_nodes].copy() for part in (tree.start, tree.stop, tree.attribute, tree.cut)]

    def _divide(self, start: int, stop: int, above: Mask) -> list[tuple[int, int, Mask]]:
        """The branches of a large node."""
        cases, run, n = self.cases, self.run, stop - start
        candidates = np.flatnonzero(above & (cases.kind == NUMERIC))
        is_root = n == len(cases.order)
        spread = run(large_residuals, cases, start, stop, candidates, is_root)
        taken, middle, cut = -1, start, 0.0
        if spread != -1.0:
            taken, middle, cut = self._best(start, stop, above, spread)
        self.nodes.append((start, stop, taken, cut))
        if taken < 0:
            return []
        tested = above.copy()
        tested[taken] = True
        return [(middle, stop, tested), (start, middle, tested)]

    def _best(self, start: int, stop: int, above: Mask, spread: float) -> tuple[int, int, float]:
        """The attribute that divides a node, where its second branch begins, and the cut."""
        cases, run, k = self.cases, self.run, len(self.cases.x)
        second = np.zeros((k, max(1, int(cases.n_levels.max()))), np.bool_)
        scores, thresholds = np.empty(k, np.float32), np.empty(k, np.float32)

        def score(j: int, _: int) -> None:
            scores[j], thresholds[j] = run(score_large, cases, j, start, stop, above[j], spread, second[j])

        self.workers.each(k, score)
        taken = run(chosen_attribute, scores, cases.preference)
        if taken < 0:
            return -1, start, 0.0
        run(mark_right, cases, start, stop, taken, thresholds[taken], second[taken])
        halves = [cases.order, *(cases.sorted_rows[j] for j in self.numeric)]
        n_left = np.zeros(len(halves), np.int64)

        def divide(part: int, _: int) -> None:
            divided = partition_large if part else gather_first
            n_left[part] = run(divided, halves[part][start:stop], cases.goes_right)

        self.workers.each(len(halves), divide)
        return taken, start + int(n_left[0]), float(thresholds[taken])


def _joined(large: list[Array], pieces: list[list[Array]]) -> CubistTree:
    """One tree. Every node comes before those of its cases, and these in their order; links are still to be made."""
    start, stop, attribute, cut = (np.concatenate(parts) for parts in zip(*([large] if large else []), *pieces))
    place = np.lexsort((-stop, start))
    start, stop, attribute = (part[place].astype(np.int32) for part in (start, stop, attribute))
    left, right, parent, last = (np.full(len(place), -1, np.int32) for _ in range(4))
    return CubistTree(start, stop, attribute, cut[place].astype(np.float32), left, right, parent, last)


def _compact(grown: CubistTree, nodes: Ints, kept: Mask, order: Array, raw: Floats) -> ModelledTree:
    new = np.cumsum(kept) - 1
    inner = (grown.attribute[nodes] >= 0) & kept[np.maximum(grown.left[nodes], 0)] & (grown.left[nodes] > 0)
    return ModelledTree(
        order=order,
        start=grown.start[nodes].astype(np.int64),
        stop=grown.stop[nodes].astype(np.int64),
        attribute=np.where(inner, grown.attribute[nodes], -1).astype(np.int64),
        cut=grown.cut[nodes],
        left=np.where(inner, new[grown.left[nodes]], -1),
        right=np.where(inner, new[grown.right[nodes]], -1),
        parent=np.where(nodes > 0, new[np.maximum(grown.parent[nodes], 0)], -1),
        parameters=1.0 + (raw[:, 1:] != 0).sum(1),
        models=raw,
    )
