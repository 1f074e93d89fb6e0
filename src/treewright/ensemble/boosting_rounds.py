"""One round of AdaBoost: from the weights of the rows and a member's errors to its weight and the next weights.

Freund & Schapire, *A decision-theoretic generalization of on-line learning*, 1997 (M1); Zhu, Zou, Rosset & Hastie,
*Multi-class AdaBoost*, 2009 (SAMME); Drucker, *Improving regressors using boosting techniques*, 1997 (R2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.typing import Floats, Mask

M1, SAMME = "m1", "samme"
LOSSES = ("linear", "square", "exponential")
_CHANCE = 1e-12  # an error so near to that of chance is chance: its say would be rounding, and decide alone
_LEAST_WEIGHT = float(np.finfo(np.float64).eps)  # no row that counts is lost to rounding


class BoostingRound(NamedTuple):
    """``say`` is how much the member counts among the others; 0 if it is no better than chance."""

    error: float  # the weight of what it gets wrong, of a whole of 1
    say: float
    weights: Floats  # of the rows in the next round, adding up to 1


def boosting_round(
    weights: Floats, wrong: Mask, n_classes: int, method: str = SAMME, learning_rate: float = 1.0
) -> BoostingRound:
    """A round of M1 or SAMME. Rows that were wrong weigh exp(say) times more, then all are divided by their sum.

    M1: say = ln((1 − error) / error). SAMME adds ln(K − 1) for K classes, so that a member only has to be better than
    one in K. Both times ``learning_rate``. A member without errors has a say of 1 and ends the boosting.

    >>> made = boosting_round(np.full(4, 0.25), np.array([True, False, False, False]), 2)
    >>> round(made.error, 3), round(made.say, 3), made.weights.round(3).tolist()
    (0.25, 1.099, [0.5, 0.167, 0.167, 0.167])
    """
    error = float(np.average(wrong, weights=weights))
    if error <= 0:
        return BoostingRound(0.0, 1.0, weights)
    if error >= (0.5 if method == M1 else 1 - 1 / n_classes) - _CHANCE:
        return BoostingRound(error, 0.0, weights)
    say = learning_rate * (np.log((1 - error) / error) + (np.log(n_classes - 1) if method == SAMME else 0.0))
    return BoostingRound(error, float(say), _normalised(np.where(wrong, weights * np.exp(say), weights)))


def regression_round(
    weights: Floats, distance: Floats, loss: str = LOSSES[0], learning_rate: float = 1.0
) -> BoostingRound:
    """A round of R2: rows are the less wrong the closer they are, the farthest being wrong altogether.

    loss = distance / greatest distance, its square, or 1 − exp(−that); β = error / (1 − error); say = ln(1/β) and
    weights are multiplied by β^(1 − loss).

    >>> made = regression_round(np.full(4, 0.25), np.array([0.0, 0.0, 0.0, 2.0]))
    >>> round(made.error, 3), round(made.say, 3), made.weights.round(3).tolist()
    (0.25, 1.099, [0.167, 0.167, 0.167, 0.5])
    """
    lost = distance / distance[weights > 0].max() if distance[weights > 0].any() else distance
    lost = {"linear": lost, "square": lost**2, "exponential": 1 - np.exp(-lost)}[loss]
    error = float((weights * lost).sum())
    if error <= 0:
        return BoostingRound(0.0, 1.0, weights)
    if error >= 0.5 - _CHANCE:
        return BoostingRound(error, 0.0, weights)
    beta = error / (1 - error)
    return BoostingRound(
        error, float(-learning_rate * np.log(beta)), _normalised(weights * beta ** ((1 - lost) * learning_rate))
    )


def _normalised(weights: Floats) -> Floats:
    weights = np.asarray(weights / weights.sum())
    return np.where(weights > 0, np.maximum(weights, _LEAST_WEIGHT), 0.0)
