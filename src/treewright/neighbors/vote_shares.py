"""What neighbours say together: shares of classes, or a mean of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.typing import Floats, Ints

VOTE_WEIGHTS = ("uniform", "distance")


def vote_weights(distances: Floats, kind: str) -> Floats:
    """How much each neighbour counts: 1, or 1/d. At a distance of 0 only neighbours at that distance count.

    >>> vote_weights(np.array([[0.5, 1.0], [0.0, 2.0]]), "distance").tolist()
    [[2.0, 1.0], [1.0, 0.0]]
    """
    if kind == "uniform":
        return np.ones(distances.shape)
    with np.errstate(divide="ignore"):
        inverse = 1 / distances
    exact = np.isinf(inverse)  # also of distances whose inverse is no finite number
    return np.where(exact.any(1, keepdims=True), exact.astype(np.float64), inverse)


def class_shares(classes: Ints, counts: Floats, n_classes: int) -> Floats:
    """The share k_c / k of each class among the neighbours of each query, by what they count.

    >>> class_shares(np.array([[0, 1, 1]]), np.ones((1, 3)), 2).round(3).tolist()
    [[0.333, 0.667]]
    """
    votes = np.zeros((len(classes), n_classes))
    for place in range(classes.shape[1]):
        votes[np.arange(len(votes)), classes[:, place]] += counts[:, place]
    return _shares(votes)


def shares_by_k(classes: Ints, counts: Floats, n_classes: int) -> Iterator[Floats]:
    """The same for 1, 2, … neighbours, one after the other: a neighbour more is a vote more."""
    votes = np.zeros((len(classes), n_classes))
    each = np.arange(len(votes))
    for place in range(classes.shape[1]):
        votes[each, classes[:, place]] += counts[:, place]
        yield _shares(votes)


def means(numbers: Floats, counts: Floats) -> Floats:
    """Of the numbers of the neighbours, by what they count."""
    return np.asarray((numbers * counts).sum(1) / counts.sum(1))


def means_by_k(numbers: Floats, counts: Floats) -> Iterator[Floats]:
    total, weight = np.zeros(len(numbers)), np.zeros(len(numbers))
    for place in range(numbers.shape[1]):
        total = total + numbers[:, place] * counts[:, place]
        weight = weight + counts[:, place]
        yield total / weight


def _shares(votes: Floats) -> Floats:
    total = votes.sum(1, keepdims=True)
    return np.asarray(np.divide(votes, total, out=np.full(votes.shape, 1 / votes.shape[1]), where=total > 0))
