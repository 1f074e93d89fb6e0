"""What pruning did."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from treewright.data.schema import Schema
from treewright.display import DisplayedRecord
from treewright.errors import ModelFileError
from treewright.prune.training_counts import training_error
from treewright.tree.edit import levels
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints


@dataclass(frozen=True, repr=False)
class PruningReport(DisplayedRecord):
    """What was cut. ``nodes`` are the numbers, in the tree as it was, of inner nodes that are leaves now, ``raised`` of
    those whose place a branch of theirs has taken. Where pruning was a part of fitting, the tree as it was is the one
    that would have been kept without it.

    Pairs are before and after. The error is that of the training rows: the share predicted wrongly, or the mean squared
    error (the mean absolute one in a tree grown by absolute error); NaN where rows came without a target.
    """

    method: str
    nodes: tuple[int, ...]
    n_nodes: tuple[int, int]
    n_leaves: tuple[int, int]
    training_error: tuple[float, float]
    raised: tuple[int, ...] = ()

    def __str__(self) -> str:
        (leaves, fewer), (error, now) = self.n_leaves, self.training_error
        told = "" if math.isnan(error) else f", training error {error:.4g} → {now:.4g}"
        return f"{self.method}: {leaves} → {fewer} leaves{told}"


def report_to_json(pruned: PruningReport) -> dict[str, Any]:
    """A report as plain data.

    >>> report_to_json(PruningReport("depth", (1,), (7, 3), (4, 2), (0.0, 0.5)))["n_leaves"]
    [4, 2]
    """
    return {name: list(part) if isinstance(part, tuple) else part for name, part in asdict(pruned).items()}


def report_from_json(told: Any) -> PruningReport:
    """The report of ``report_to_json``; anything else is refused."""
    kinds = {"method": _is_text, "nodes": _are_counts, "n_nodes": _is_pair, "n_leaves": _is_pair}
    kinds |= {"training_error": _are_errors, "raised": _are_counts}
    if not isinstance(told, dict) or told.keys() != kinds.keys() or not all(kinds[name](told[name]) for name in kinds):
        raise ModelFileError("the report of what was pruned is no such report", "save the model again")
    made: Any = {name: tuple(part) if isinstance(part, list) else part for name, part in told.items()}
    return PruningReport(**made)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(part) is int and part >= 0 for part in value)


def _is_pair(value: Any) -> bool:
    return _are_counts(value) and len(value) == 2


def _are_errors(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(part) in (int, float) for part in value)


class Traced(NamedTuple):
    """A pruned tree; for each of its nodes that of the old tree whose place it has and the one whose test it has."""

    tree: Tree
    place: Ints
    test: Ints

    @property
    def moved(self) -> bool:
        """Whether a branch has taken the place of its parent, so that nodes hold other rows than before."""
        return bool((self.place != self.test).any())

    def with_value(self, value: Floats) -> Traced:
        return self._replace(tree=self.tree._replace(value=value))


def untouched(after: Tree, before: Tree) -> Traced:
    """A tree in which nodes were made leaves and nothing else was done: branches are walked side by side."""
    old = np.zeros(after.n_nodes, np.int64)
    for level in levels(after):
        if level.start:
            nodes = np.arange(level.start, level.stop)
            parent = after.parent[level]
            old[level] = before.first_child[old[parent]] + nodes - after.first_child[parent]
    return Traced(after, old, old)


def report(before: Tree, after: Tree | Traced, schema: Schema, method: str) -> PruningReport:
    """Compare a tree with what a pruner made of it."""
    traced = after if isinstance(after, Traced) else untouched(after, before)
    tree, place = traced.tree, traced.place
    is_cut = (tree.n_branches == 0) & (before.n_branches[place] > 0)
    return PruningReport(
        method,
        tuple(place[is_cut].tolist()),
        (before.n_nodes, tree.n_nodes),
        (before.n_leaves, tree.n_leaves),
        (training_error(before, schema), training_error(tree, schema)),
        tuple(place[place != traced.test].tolist()),
    )
