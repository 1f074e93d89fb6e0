"""How the predictions of many members become one: the mean, votes, or a weighted median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Target
from treewright.leaves import decided
from treewright.typing import Floats


@dataclass(frozen=True)
class Voting:
    """What one member adds: its probabilities or number (``hard=False``), or a vote for the class it decides for.

    >>> Voting(hard=True).said(np.array([[0.6, 0.4]]), Target("y", ("no", "yes"))).tolist()
    [[1.0, 0.0]]
    """

    hard: bool = False

    def said(self, values: Floats, target: Target) -> Floats:
        if not self.hard or target.classes is None:
            return values
        return np.asarray(np.eye(len(target.classes))[decided(values, target)])


def weighted_median(predicted: Floats, weights: Floats) -> Floats:
    """The least prediction whose members, and those below, have half of the weight; rows × members in.

    >>> weighted_median(np.array([[1.0, 5.0, 9.0]]), np.array([1.0, 1.0, 3.0])).tolist()
    [9.0]
    """
    order = np.argsort(predicted, axis=1, kind="stable")
    below = np.cumsum(weights[order], axis=1)
    place = (below >= 0.5 * below[:, -1:]).argmax(axis=1)
    rows = np.arange(len(predicted))
    return np.asarray(predicted[rows, order[rows, place]])
