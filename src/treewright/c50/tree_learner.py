"""One C5.0 tree: grown, pruned, and made ready to be used."""

from __future__ import annotations

from treewright.c50.classification import Flattened
from treewright.c50.global_pruning import GlobalPruner, without_multipliers
from treewright.c50.node import C50Node
from treewright.c50.training import Training
from treewright.c50.value_sets import clean_sets, merge_leaves
from treewright.engines.workers import Workers
from treewright.typing import Ints


def prune_globally(root: C50Node, training: Training, cases: Ints, workers: Workers) -> None:
    pruner = GlobalPruner(root)
    pruner.prune(_training_errors(root, training, cases, workers), training.n_cases)


def relabel(root: C50Node, training: Training) -> None:
    assert training.costs is not None
    without_multipliers(root, training.factors, training.costs)


def tidy(root: C50Node, training: Training, *, only_empty: bool) -> None:
    """Sets of values made small, leaves of one class made one."""
    if not training.subset:
        merge_leaves(root, only_empty=only_empty)
    clean_sets(root, training.table, subset=training.subset)


def _training_errors(root: C50Node, training: Training, cases: Ints, workers: Workers) -> float:
    """Those of the leaves; where unknown values take several branches, those that classifying makes."""
    tested = {node.column for node in root.walk() if not node.is_leaf}
    if not any(training.table.has_unknown[column] for column in tested):
        return root.errors
    found = Flattened(root).classify(training.table.values, cases, workers=workers)
    return float(training.weights[cases][found.label != training.table.labels[cases]].sum())
