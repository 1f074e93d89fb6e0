"""Which tree of an and/or tree: for every α the one of least loss + α·leaves, and the α by rows that were left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from treewright.alternatives import (
    MOST_CELLS,
    grow_alternatives,
    grow_side_by_side,
    may_grow_side_by_side,
    plain_seconds_of,
)
from treewright.costs import error_costs, mean_cost, prior_factors, with_priors
from treewright.data.encoded import Encoded
from treewright.data.folds import parts_of
from treewright.data.schema import Target
from treewright.engines.choices.one_pass_search import seconds_with_loops
from treewright.engines.workers import Workers
from treewright.grow import Report
from treewright.kernels import switch
from treewright.kernels.jit import hot_runner, runner
from treewright.kernels.pruning.and_or import add_losses, choose_splits, sum_along
from treewright.leaves import Leaf, decided
from treewright.prune.methods.bottom_up import ROUNDING
from treewright.prune.training_counts import loss_of
from treewright.prune.training_rows import rows_of_columns
from treewright.recipe_parts.recipe import Recipe
from treewright.split import STOP
from treewright.tree.and_or_tree import AndOrTree
from treewright.tree.build import offsets
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints

N_ALPHAS = 36
_LEAST, _MOST = 0.2, 0.15  # α of classes: from so many errors of all rows up to such a share of them
_LEAST_OF_SPREAD = 1e-3  # α of numbers: from such a part of a row's spread
_BITS = 0.5  # errors that a doubling of the leaves is charged with
_CELLS_TOGETHER = 60_000  # of samples that are grown as one tree of several roots
_PLAIN_SECONDS = 2e-7  # what a node takes for one α without compiled kernels
_PLAIN_SECONDS_OF_ROW = 3e-6  # … and a row for the splits of a level


@dataclass(frozen=True, eq=False)
class CostedTree:
    """An and/or tree with what its nodes predict, and what their rows lose if they are leaves.

    It may have several roots: the trees of several samples of the rows. Of many splits some look good by chance: to
    take another split of a node than its best costs as much as ``alternative_cost`` leaves for every doubling of its
    rank.
    """

    tree: AndOrTree
    leaf: Leaf
    target: Target
    alternative_cost: float = 0.0

    @cached_property
    def value(self) -> Floats:
        return self.leaf.values(self.tree.stats, self.tree.parent, self.target)

    @cached_property
    def counts(self) -> Floats:
        """Statistics by the priors."""
        is_classes = self.leaf.kind is LeafKind.CLASSES
        return with_priors(self.tree.stats, self.target) if is_classes else self.tree.stats

    @cached_property
    def weights(self) -> Floats:
        """Of the rows of every root."""
        return np.asarray(self.leaf.kind.weight(self.counts[: self.tree.n_roots]), np.float64)

    @property
    def weight(self) -> float:
        """Of all rows."""
        return float(self.weights[0])

    def of_root(self, root: int) -> CostedTree:
        return replace(self, tree=self.tree.of_root(root))

    @cached_property
    def loss(self) -> Floats:
        """Of every node: errors in the class, by their costs and weights, or squared or absolute errors."""
        if self.leaf.kind is LeafKind.MEDIANS:
            return np.asarray(self.tree.stats[:, 4])
        return loss_of(self.counts, self.value, self.leaf.kind, self.target)

    @cached_property
    def stopped(self) -> Floats:
        """Of every split: what those of its rows lose that a missing value stops."""
        tree, splits = self.tree, self.tree.splits
        lost = np.zeros(len(splits.id))
        stops = splits.branch_of[offsets(splits.branch_size)[:-1]] == STOP
        for s in np.flatnonzero(stops & (splits.missing > 0)):
            node, children = splits.id[s], slice(splits.first_child[s], splits.first_child[s] + tree.n_branches[s])
            if self.leaf.kind is LeafKind.MEDIANS:
                lost[s] = max(tree.stats[node, 4] - tree.stats[children, 5].sum(), 0.0)
            else:
                rest = self.counts[node] - self.counts[children].sum(0)
                lost[s] = loss_of(rest[None], self.value[[node]], self.leaf.kind, self.target)[0]
        return lost

    @cached_property
    def charge(self) -> Floats:
        """Of every split: how many leaves it costs to take it."""
        start = self.tree.split_start
        rank = np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
        return self.alternative_cost * np.log2(1.0 + rank)

    # ---- the trees for some α --------------------------------------------------------------------------------------

    def choose(self, alphas: Floats) -> tuple[Array, Floats]:
        """Of every α, a share of the weight, the split of every node (see ``AndOrTree.tree``); and of every α and root
        the loss and the leaves of the tree."""
        of_root = self.loss[: self.tree.n_roots]
        most = 2 * of_root / self.weights + 1
        per_leaf = np.where(np.isinf(alphas)[:, None], most, alphas[:, None]) * self.weights
        chosen = np.empty((len(alphas), self.tree.n_nodes), np.int8)
        total = np.empty((*per_leaf.shape, 2))
        slack = ROUNDING * (of_root + per_leaf)
        run = hot_runner(_PLAIN_SECONDS * chosen.size, choose_splits)
        lists, root = self.tree.lists[:3], self.tree.root
        if not self.charge.any():
            run(choose_splits, *lists, root, self.loss, self.stopped, per_leaf, slack, chosen, total)
            return chosen, total
        of_split = root[self.tree.splits.id]
        for a in range(len(alphas)):  # what is charged depends on α
            stopped, one = self.stopped + self.charge * per_leaf[a, of_split], slice(a, a + 1)
            run(choose_splits, *lists, root, self.loss, stopped, per_leaf[one], slack[one], chosen[one], total[one])
        total[:, :, 0] = self._sums(chosen, self.loss[:, None], self.stopped[:, None])[:, :, 0]
        return chosen, total

    def grown(self, chosen: Array) -> tuple[Tree, Ints]:
        """The tree of these splits, and the nodes here that its nodes are."""
        tree, nodes = self.tree.tree(chosen)
        return tree._replace(value=self.value[nodes]), nodes

    def losses_along(self, chosen: Array, rows: Encoded, root: Ints) -> tuple[Floats, float]:
        """Of every α and root: loss and squared loss of its rows, ``root`` being that of every row; and the weight of
        all these rows."""
        at_leaf, at_split, weight = self._losses_at_nodes(rows, root)
        return self._sums(chosen, at_leaf, at_split), weight

    def _sums(self, chosen: Array, at_leaf: Floats, at_split: Floats) -> Floats:
        """Of every α and root what the leaves of the tree add, and its splits; (…, k)."""
        sums = np.empty((len(chosen), self.tree.n_roots, at_leaf.shape[1]))
        run = runner(_PLAIN_SECONDS * len(chosen) * self.tree.n_roots * 100, sum_along)
        run(sum_along, self.tree.lists, chosen, at_leaf, at_split, sums)
        return sums

    def _losses_at_nodes(self, rows: Encoded, root: Ints) -> tuple[Floats, Floats, float]:
        splits, kind = self.tree.splits, self.leaf.kind
        given = rows_of_columns(np.unique(splits.column), rows)
        weight = np.ones(rows.n_rows) if given.weights is None else given.weights
        of_class, y = np.empty((self.tree.n_nodes, 0)), given.y
        if kind is LeafKind.CLASSES:
            of_class = error_costs(self.target).T[decided(self.value, self.target)]
            weight = weight * prior_factors(self.tree.stats[0], self.target)[y]
        at_leaf, at_split = np.zeros((self.tree.n_nodes, 2)), np.zeros((len(splits.id), 2))
        run = runner(_PLAIN_SECONDS_OF_ROW * rows.n_rows, add_losses)
        run(
            add_losses, np.ascontiguousarray(given.cells.T), root, self.tree.lists, np.ascontiguousarray(of_class),
            np.ascontiguousarray(self.value[:, 0]), 1 if kind is LeafKind.MEDIANS else 2,
            y.astype(np.float64), weight, at_leaf, at_split,
        )  # fmt: skip
        return at_leaf, at_split, float(weight.sum())

    def alphas(self) -> Floats:
        """Values of α to choose from, rising, infinity last; shares of the weight, times what an error costs.

        For classes from a fifth of an error of one row to 15 % of all. For numbers in terms of the root's spread.
        """
        n_rows = int(self.tree.rows[0])
        if self.leaf.kind is LeafKind.CLASSES:
            unit, least = mean_cost(self.tree.stats[0], self.target), _LEAST
        else:
            unit, least = float(self.loss[0]) / self.weight or 1.0, _LEAST_OF_SPREAD
        return np.append(unit * np.geomspace(min(least / n_rows, _MOST / 2), _MOST, N_ALPHAS), np.inf)


# ---- rows that were left out -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Resampling:
    """How rows are left out: ``repeats`` times all in turn, in stratified folds, or as many bootstrap samples."""

    cv: Any = 10
    repeats: int = 1
    out_of_bag: bool = False
    seed: int = 0

    def parts(self, y: Array) -> Iterator[tuple[Ints, Ints]]:
        """Rows to grow from, some of them several times if they are a bootstrap sample, and rows left out."""
        for repeat in range(self.repeats):
            if self.out_of_bag:
                yield from self._samples(len(y), self.seed + repeat)
            else:
                yield from parts_of(self.cv, y, self.seed + repeat)

    def _samples(self, n_rows: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
        random = np.random.default_rng(seed)
        for _ in range(self.cv):
            rows = np.sort(random.integers(n_rows, size=n_rows))
            left_out = np.flatnonzero(np.bincount(rows, minlength=n_rows) == 0)
            if len(left_out):
                yield rows, left_out


@dataclass(frozen=True, eq=False)
class AndOrGrower:
    """Grows and/or trees by a recipe: of small tables several at a time."""

    recipe_of: Callable[[Encoded], Recipe]
    search: tuple[int, ...]
    alternative_cost: float = 0.0

    def grow(
        self,
        encoded: Encoded,
        samples: Sequence[Ints],
        workers: Workers,
        report: Report | None = None,
        most_cells: int = MOST_CELLS,
    ) -> CostedTree:
        """A tree with a root for each of these samples of the rows."""
        if len(samples) > 1:
            recipe = self.recipe_of(encoded)
            tree = grow_side_by_side(encoded, recipe, self.search, workers, samples, report, most_cells)
        else:
            rows = _taken(encoded, samples[0])
            recipe = self.recipe_of(rows)
            tree = grow_alternatives(rows, recipe, self.search, workers, report, most_cells)
        return CostedTree(tree, recipe.leaf, encoded.schema.target, self.alternative_cost)

    def expect(self, encoded: Encoded, times: int) -> None:
        """Have compiled beforehand what pays for growing from all rows so many times."""
        recipe = self.recipe_of(encoded)
        seconds = times * plain_seconds_of(encoded, recipe, self.search)
        switch.expect(seconds_with_loops(encoded, recipe, seconds, expected=True))

    def groups(self, encoded: Encoded, samples: Sequence[Ints]) -> list[range]:
        """Places of samples that are grown together, in order."""
        if not may_grow_side_by_side(encoded, self.recipe_of(encoded)):
            return [range(k, k + 1) for k in range(len(samples))]
        cells = np.cumsum([len(rows) * len(encoded.columns) for rows in samples])
        starts, before = [0], 0
        for k in range(1, len(samples)):
            if cells[k] - before > _CELLS_TOGETHER:
                starts.append(k)
                before = cells[k - 1]
        return [range(start, stop) for start, stop in zip(starts, [*starts[1:], len(samples)])]


@dataclass(frozen=True, eq=False)
class LeftOutErrors:
    """Of every α: the error of rows that were left out, and its standard error."""

    error: Floats
    standard_error: Floats


@dataclass(frozen=True, eq=False)
class SearchedTrees:
    """The and/or tree of all rows; for each α the split of every node, and the loss and leaves of the tree; and the
    errors of rows that were left out, None where none were."""

    whole: CostedTree
    alphas: Floats
    chosen: Array
    total: Floats
    errors: LeftOutErrors | None


def search_trees(
    encoded: Encoded,
    grower: AndOrGrower,
    alpha: float | None,
    resampling: Resampling | None,
    workers: Workers,
    report: Report = lambda rows: None,
    most_cells: int = MOST_CELLS,
) -> SearchedTrees:
    """Grow from all rows, then without some of them in turn, and see what these lose in the tree for every α.

    Samples are grown side by side, those of small tables several at a time; the first of these groups has all rows.
    Those that grow at the same time share ``most_cells``, see ``grow_alternatives``.
    """
    none = np.empty(0, np.int64)
    parts = [(np.arange(encoded.n_rows), none), *(() if resampling is None else resampling.parts(encoded.y))]
    groups = grower.groups(encoded, [rest for rest, _ in parts])
    grower.expect(encoded, len(parts))

    telling = Lock()

    def tell(rows: int) -> None:
        with telling:
            report(rows)

    def grown(group: range, workers: Workers, most_cells: int) -> CostedTree:
        return grower.grow(encoded, [parts[k][0] for k in group], workers, tell, most_cells)

    first = grown(groups[0], workers, most_cells)
    whole = first.of_root(0)
    alphas = np.unique(whole.alphas() if alpha is None else np.append(whole.alphas(), alpha))
    chosen, total = whole.choose(alphas)
    if resampling is None:
        return SearchedTrees(whole, alphas, chosen, total[:, 0], None)
    found: dict[int, tuple[Floats, float]] = {0: _lost(first, alphas, encoded, [parts[k][1] for k in groups[0]])}

    at_a_time = max(min(workers.n_jobs, len(groups) - 1), 1)

    def try_group(place: int, worker: int) -> None:
        with Workers(1) as alone:
            made = grown(groups[1 + place], alone, most_cells // at_a_time)
        found[1 + place] = _lost(made, alphas, encoded, [parts[k][1] for k in groups[1 + place]])

    workers.each(len(groups) - 1, try_group, cells=encoded.n_rows * len(encoded.columns) * len(parts))
    sums = np.concatenate([found[k][0] for k in range(len(groups))], axis=1)
    weight, n_rows = sum(found[k][1] for k in range(len(groups))), sum(len(left_out) for _, left_out in parts)
    errors = _averaged(sums.swapaxes(0, 1).sum(0), weight, min(n_rows / resampling.repeats, encoded.n_rows))
    return SearchedTrees(whole, alphas, chosen, total[:, 0], errors)


def _lost(grown: CostedTree, alphas: Floats, encoded: Encoded, left_out: Sequence[Ints]) -> tuple[Floats, float]:
    """What the rows that are left out of each tree lose in it, and their weight."""
    rows = np.concatenate(left_out)
    if not len(rows):
        return np.zeros((len(alphas), len(left_out), 2)), 0.0
    root = np.repeat(np.arange(len(left_out)), [len(part) for part in left_out])
    return grown.losses_along(grown.choose(alphas)[0], encoded.copy_rows(rows), root)


def _averaged(sums: Floats, total: float, n_rows: float) -> LeftOutErrors:
    error, square = (sums / total).T
    return LeftOutErrors(error, np.sqrt(np.maximum(square - error**2, 0.0) / n_rows))


def _taken(encoded: Encoded, rows: Ints) -> Encoded:
    if len(rows) == encoded.n_rows and (np.diff(rows) == 1).all():
        return encoded
    if len(rows) and (np.diff(rows) == 0).any():
        return encoded.copy_rows(rows)
    keep = np.zeros(encoded.n_rows, np.bool_)
    keep[rows] = True
    return encoded.take(keep)


def place_of(errors: LeftOutErrors, leaves: Floats, unit: float, rule: float, most_leaves: float = np.inf) -> int:
    """Which α: the error, charged with half an error per doubling of the leaves and averaged with that of its two
    neighbours, is least; then of those that are at most ``rule`` standard errors worse, the best of fewest leaves.

    ``unit`` is what one error adds to the error of all rows. Trees of more than ``most_leaves`` are left out.
    """
    score = smoothed(errors.error + _BITS * unit * np.log2(leaves))
    score = np.where(leaves <= most_leaves, score, np.inf)
    best = int(len(score) - 1 - np.argmin(score[::-1]))
    limit = score[best] + rule * errors.standard_error[best]
    near = np.flatnonzero(score <= limit + ROUNDING * abs(limit))
    fewest = near[leaves[near] == leaves[near].min()]
    return int(fewest[::-1][np.argmin(score[fewest[::-1]])])


def smoothed(values: Floats) -> Floats:
    """Each value averaged with its two neighbours, or its one.

    >>> smoothed(np.array([1.0, 4.0, 1.0, 3.0])).round(3).tolist()
    [2.5, 2.0, 2.667, 2.0]
    """
    kernel = np.ones(3)
    return np.asarray(np.convolve(values, kernel, "same") / np.convolve(np.ones(len(values)), kernel, "same"))
