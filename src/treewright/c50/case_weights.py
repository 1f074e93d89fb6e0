"""What each case weighs at the start, and what costs of two classes multiply it by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.c50.rounding import single
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class StartWeights:
    weights: Floats
    factors: Floats  # class multipliers
    least: float  # weight of a branch
    costs: Floats | None  # [predicted, true]; None: every error costs the same

    @property
    def all_one(self) -> bool:
        return bool((self.weights == 1).all())


def start_weights(
    labels: Ints, n_classes: int, raw: Floats | None, costs: Floats | None, min_cases: float
) -> StartWeights:
    """Weights of mean 1; with costs of two classes, a class counts as much as it costs to miss it."""
    weights = np.ones(len(labels)) if raw is None else _of_mean_one(raw)
    factors = np.ones(n_classes)
    costs = None if costs is None else used_costs(costs)
    if costs is not None and n_classes == 2:
        factors = _multipliers(labels, raw, costs)
        weights = _singles(weights * factors[labels])
    return StartWeights(weights, factors, float(single(min_cases * float(factors.min()))), costs)


def used_costs(costs: Floats) -> Floats | None:
    """Only costs above 1 are used, all others are 1; None if there is none."""
    kept = _singles(np.where(costs > 1, costs, 1.0))
    np.fill_diagonal(kept, 0.0)
    off = ~np.eye(len(costs), dtype=bool)
    return kept if (kept[off] > 1).any() else None


def _of_mean_one(raw: Floats) -> Floats:
    """A weight that is not known or not above 0 counts as 1."""
    good = np.isfinite(raw) & (raw > 0)
    mean = float(raw[good].mean()) if good.any() else 1.0
    return np.asarray(np.where(good, _singles(_singles(np.where(good, raw, 1.0)) / mean), 1.0))


def _multipliers(labels: Ints, raw: Floats | None, costs: Floats) -> Floats:
    missed = np.array([costs[1, 0], costs[0, 1]])  # what it costs to miss each class
    amount = np.bincount(labels, raw, minlength=2)
    mean = single(float(amount @ missed) / float(amount.sum()))
    return _singles(missed / mean)


def _singles(numbers: Floats) -> Floats:
    return np.asarray(np.float32(numbers), np.float64)
