"""What C5.0's released predictor says of rows: classes, class values and confidences, also of boosted models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_prediction import C50Routes, sum_leaves
from treewright.kernels.jit import runner
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_PLAIN_SECONDS = 2e-5  # that a row takes on the plain road for a tree


class Answers(NamedTuple):
    """Class, value of each class, and confidence in the class."""

    label: Ints
    value: Floats
    confidence: Floats


def printed_counts(stats: Floats) -> Floats:
    """Class counts with the six digits that the model text has."""
    return np.array([[float(np.float32(f"{count:.6g}")) for count in row] for row in stats.tolist()])


def routes_of(tree: Tree) -> C50Routes:
    counts, weight = printed_counts(tree.stats), np.zeros(tree.n_nodes)
    for c in range(counts.shape[1]):
        weight = np.float64(np.float32(weight + counts[:, c]))
    return C50Routes(
        tree.first_child, tree.n_branches, tree.column, tree.edge_start, tree.edges, tree.branch_start, tree.branch_of,
        tree.bounds, counts, weight,
    )  # fmt: skip


def answers_of_tree(tree: Tree, matrix: Array, costs: Floats | None) -> Answers:
    """``costs``: [predicted, true], None where every error costs the same."""
    routes = routes_of(tree)
    shares, weights = np.zeros((len(matrix), routes.counts.shape[1])), np.zeros(len(matrix))
    run = runner(_PLAIN_SECONDS * len(matrix) * tree.n_nodes.bit_length(), sum_leaves)
    run(sum_leaves, matrix, routes, shares, weights)
    prior = routes.counts[0] / routes.weight[0]
    label = _label(shares, costs, _root_label(routes.counts[0], costs))
    value = (weights[:, None] * shares + prior) / (weights[:, None] + 1)
    return Answers(label, value, value[np.arange(len(matrix)), label])


def _root_label(counts: Floats, costs: Floats | None) -> int:
    return int(counts.argmax() if costs is None else (costs @ counts).argmin())


def _label(shares: Floats, costs: Floats | None, default: int) -> Ints:
    """The greatest share, ties to the default; with costs the least expected cost among classes that have a share."""
    if costs is not None:
        expected = np.where(shares > 0, shares @ costs.T, np.inf)
        return np.asarray(expected.argmin(axis=1))
    return with_default(shares, default)


def with_default(amounts: Floats, default: int) -> Ints:
    """The class of the greatest amount, the default if it is among equals, else the first of them."""
    return np.where(amounts[:, default] == amounts.max(axis=1), default, amounts.argmax(axis=1))


def boosted(trials: Sequence[Answers], default: int) -> Answers:
    """Every trial votes for its class with its confidence; votes are added up in 32 bits."""
    n_rows, n_classes = trials[0].value.shape
    votes, rows = np.zeros((n_rows, n_classes)), np.arange(n_rows)
    for answers in trials:
        votes[rows, answers.label] = np.float32(votes[rows, answers.label] + answers.confidence)
    label = with_default(votes, default)
    whole = np.zeros(n_rows)
    for c in range(n_classes):
        whole = whole + votes[:, c]
    value = votes / whole[:, None]
    return Answers(label, value, value[rows, label])
