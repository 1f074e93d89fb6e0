"""Error-based pruning (Quinlan 1993, chapter 4): leaves and branches are judged by the errors they might well make."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from treewright.compat.c45_programs import FLAVOURS
from treewright.costs import altered_factors
from treewright.data.schema import Schema
from treewright.engines.fixed_point import Fixed, to_fine
from treewright.engines.target_stats import without_factors
from treewright.prune.methods.bottom_up import better_as_leaf, sum_up
from treewright.prune.option_checks import check_choice, check_share, check_yes_no
from treewright.prune.pruning_report import Traced, untouched
from treewright.prune.training_counts import class_weights, where_rows_end
from treewright.prune.training_rows import TrainingRows, needed_for_raising
from treewright.tree.build import level_order, reorder_splits
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints

_PLAIN_SECONDS = 7e-6  # what a row takes longer for a level, or a node for its errors, without compiled kernels
_SAVES_NONE = 1e-3  # training errors
_WORSE_AT_MOST = 0.1  # pessimistic errors by which the smaller tree may be worse

_NONE = np.empty(0, np.bool_)

# C4.5's table of one-sided normal quantiles, read with linear interpolation.
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def collapse(tree: Tree, schema: Schema) -> Tree:
    """Cut nodes below which no fewer training rows are wrong than there would be at a leaf."""
    counts = class_weights(tree, schema, "error-based")
    wrong, stopped = counts.sum(-1) - counts.max(-1), _stopped(tree, schema)
    of_stopped = stopped.sum(-1) - np.take_along_axis(stopped, counts.argmax(-1)[:, None], -1)[:, 0]
    return cut(tree, (tree.n_branches > 0) & (sum_up(tree, wrong, of_stopped) >= wrong - _SAVES_NONE))


def _stopped(tree: Tree, schema: Schema) -> Floats:
    """Class weights of the rows that a missing value stops at each inner node, altered by costs and priors."""
    ended, factors = where_rows_end(tree), altered_factors(tree.stats[0], schema.target)
    ended[tree.n_branches == 0] = 0.0
    return ended if factors is None else ended * factors


def recounted(tree: Tree, schema: Schema, rows: TrainingRows) -> Tree:
    """The same tree with the statistics that the rows have at its nodes."""
    from treewright.kernels.jit import runner
    from treewright.kernels.pruning.subtree_raising import count_cases

    cases = TrainingCases.of(tree, schema, rows)
    found = cases.unpruned()._replace(rows=np.zeros_like(tree.rows), missing=np.zeros_like(tree.missing))
    run = runner(cases.plain_seconds, count_cases)
    run(count_cases, cases.rows, cases.weights.values, tree.routes, found)
    return tree._replace(stats=cases.floats(found.stats), rows=found.rows, missing=found.missing)


@dataclass(frozen=True)
class TrainingCases:
    """The training rows as kernels send them down a tree, with weights altered by costs and priors."""

    tree: Tree
    rows: Any
    weights: Fixed
    factors: Floats | None

    @classmethod
    def of(cls, tree: Tree, schema: Schema, given: TrainingRows) -> TrainingCases:
        from treewright.kernels.pruning.subtree_raising import RaisingRows

        labels = given.y.astype(np.int64)  # of whatever type, the kernel is compiled once
        factors = altered_factors(tree.stats[0], schema.target)
        own = np.ones(given.n_rows) if given.weights is None else given.weights
        weights = to_fine(own if factors is None else own * factors[labels])
        return cls(tree, RaisingRows(given.cells, labels, given.in_full), weights, factors)

    @property
    def unit(self) -> float:
        return 1 / self.weights.scale

    @property
    def plain_seconds(self) -> float:
        """What it takes to send the rows down the tree without compiled kernels."""
        return _PLAIN_SECONDS * len(self.weights.values) * self.tree.n_nodes.bit_length()

    def unpruned(self) -> Any:
        """The tree as it was grown, its statistics still to be counted."""
        from treewright.kernels.pruning.subtree_raising import PrunedArrays

        tree = self.tree
        test = np.where(tree.n_branches > 0, np.arange(tree.n_nodes), -1)
        return PrunedArrays(test, np.zeros(tree.stats.shape, np.int64), tree.rows.copy(), tree.missing.copy())

    def floats(self, stats: Ints) -> Floats:
        known = stats / self.weights.scale
        return known if self.factors is None else without_factors(known, self.factors)


@dataclass(frozen=True)
class ErrorBased:
    """A node becomes a leaf, or with ``raising`` its largest branch takes its place, where that makes no more errors.

    Errors are pessimistic: as many as the upper end of a confidence interval around those seen in training. Less
    ``confidence`` is more pessimism and a smaller tree; above 0.5 J48 counts the errors as they are. ``flavour`` is
    whose numbers are followed, "c4.5" or "j48". Raising needs the rows the tree was grown from, since the parent's rows
    are sent down the branch that takes its place; without it the statistics of the nodes suffice.

    >>> ErrorBased(0.1)
    ErrorBased(confidence=0.1, flavour='c4.5', raising=True)
    """

    confidence: float = 0.25
    flavour: str = "c4.5"
    raising: bool = True

    needs_data = False

    def __post_init__(self) -> None:
        check_share("confidence", self.confidence, hint="0.25 is usual")
        check_choice("flavour", self.flavour, FLAVOURS)
        check_yes_no("raising", self.raising)

    @property
    def needs_training(self) -> bool:
        return self.raising

    def __call__(self, tree: Tree, schema: Schema, data: TrainingRows | None = None) -> Tree:
        """The pruned tree, with the statistics that the training rows have at its nodes."""
        return self.traced(tree, schema, data).tree

    def traced(self, tree: Tree, schema: Schema, data: TrainingRows | None = None) -> Traced:
        """The same, and which nodes of the tree as it was are in which place."""
        counts = class_weights(tree, schema, "error-based")
        if not self.raising:
            of_stopped = self._of_stopped(_stopped(tree, schema), counts)
            cost = self.expected(counts)
            return untouched(cut(tree, better_as_leaf(tree, cost, of_split=of_stopped, slack=self._slack())), tree)
        return self._raised(tree, schema, needed_for_raising(data))

    def expected(self, counts: Floats) -> Floats:
        """How many rows leaves of these class weights might well get wrong.

        >>> ErrorBased(0.25).expected(np.array([[6.0, 0.0], [15.0, 1.0]])).round(4).tolist()
        [1.2378, 2.5069]
        """
        from treewright.kernels.jit import runner
        from treewright.kernels.pruning.subtree_raising import errors_of_leaves

        errors, run = np.empty(len(counts)), runner(_PLAIN_SECONDS * len(counts), errors_of_leaves)
        run(errors_of_leaves, counts, self._pessimism(1.0), errors)
        return errors

    def _of_stopped(self, stopped: Floats, counts: Floats) -> Floats:
        """The same of rows that stop at inner nodes, whose class they get."""
        from treewright.kernels.jit import runner
        from treewright.kernels.pruning.subtree_raising import errors_of_stopped

        errors, run = np.empty(len(counts)), runner(_PLAIN_SECONDS * len(counts), errors_of_stopped)
        run(errors_of_stopped, stopped, counts, self._pessimism(1.0), errors)
        return errors

    def _raised(self, tree: Tree, schema: Schema, rows: TrainingRows) -> Traced:
        """Rows count as they did in growing, by costs and priors; the statistics are given back without these.

        A row that takes every branch in full is one row all the same, and is judged by its shares.
        """
        from treewright.kernels.jit import runner
        from treewright.kernels.pruning.subtree_raising import count_cases, prune_errors

        cases = TrainingCases.of(tree, schema, rows)
        pruned, whole = cases.unpruned(), cases.rows._replace(in_full=_NONE)
        run = runner(cases.plain_seconds, prune_errors)
        run(prune_errors, whole, cases.weights.values, tree.routes, self._pessimism(cases.unit), pruned)
        if rows.in_full.any():
            pruned = pruned._replace(stats=np.zeros_like(pruned.stats), rows=np.zeros_like(pruned.rows))
            run(count_cases, cases.rows, cases.weights.values, tree.routes, pruned)
        return _rebuilt(tree, pruned.test, cases.floats(pruned.stats), pruned.rows, pruned.missing)

    def _slack(self) -> float:
        return _WORSE_AT_MOST + FLAVOURS[self.flavour].tolerance

    def _pessimism(self, unit: float) -> Any:
        from treewright.kernels.pruning.subtree_raising import ErrorBound

        small = FLAVOURS[self.flavour]
        return ErrorBound(
            unit, float(self.confidence), self.z, small.hopeless, small.tolerance, _WORSE_AT_MOST, self.raising
        )

    @property
    def z(self) -> float:
        """The number of standard errors for this confidence."""
        if FLAVOURS[self.flavour].exact_quantile:
            return NormalDist().inv_cdf(1 - self.confidence) if self.confidence < 1 else -np.inf
        return float(np.interp(self.confidence, _CONFIDENCES, _DEVIATIONS))


def _rebuilt(tree: Tree, test: Ints, stats: Floats, rows: Ints, missing: Ints) -> Traced:
    """The tree in which node v tests what ``test[v]`` tested, -1 making it a leaf."""
    inner = test >= 0
    first_child = np.where(inner, tree.first_child[test], -1)
    order = level_order(first_child, np.where(inner, tree.n_branches[test], 0))
    any_leaf = int(np.flatnonzero(tree.n_branches == 0)[0])
    new = np.zeros(tree.n_nodes, np.int64)
    new[order] = np.arange(len(order))
    inner = inner[order]
    made = reorder_splits(tree, np.where(inner, test[order], any_leaf))
    n_branches = made.n_branches.astype(np.int64)
    rebuilt = made._replace(
        parent=np.concatenate([[-1], np.repeat(np.arange(len(order)), n_branches)]).astype(np.int32),
        first_child=np.where(inner, new[first_child[order]], -1).astype(np.int32),
        stats=stats[order],
        rows=rows[order],
        missing=np.where(inner, missing[order], 0),
        value=tree.value[order],
    )
    return Traced(rebuilt, order, np.where(inner, test[order], order))
