"""The arithmetic of the formulas, on arrays that were checked. Entropies are in nats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from treewright.table import Table, added, ratio
from treewright.typing import Floats

Measure: TypeAlias = Callable[[Floats], Floats]


def entropy(counts: Floats) -> Floats:
    shares = fractions(counts)
    return 0.0 - total(shares * np.log(np.where(shares > 0, shares, 1.0)))


def kl_divergence(counts: Floats, other: Floats) -> Floats:
    """A class without weight in ``counts`` adds nothing, whatever ``other`` has of it."""
    shares, others = np.broadcast_arrays(fractions(counts), fractions(other))
    seen, known = shares > 0, others > 0
    logs = np.log(shares, out=np.zeros(shares.shape), where=seen)
    other_logs = np.log(others, out=np.full(others.shape, -np.inf), where=known)
    return total(np.multiply(shares, logs - other_logs, out=np.zeros(shares.shape), where=seen))


def gini(counts: Floats) -> Floats:
    shares = fractions(counts)
    # p·(1 − p) and not 1 − Σ p²: exactly 0 when pure and when empty.
    return total(shares * (1.0 - shares))


def misclassification(counts: Floats) -> Floats:
    weight = total(counts)
    return ratio(weight - counts.max(-1, initial=0.0), weight)


def dkm(counts: Floats) -> Floats:
    shares = fractions(counts)
    return total(np.sqrt(shares * (1.0 - shares)))


def variance(moments: Floats) -> Floats:
    mean = ratio(moments[..., 1], moments[..., 0])
    return not_below_zero(ratio(moments[..., 2], moments[..., 0]) - mean * mean)


def poisson_deviance(moments: Floats) -> Floats:
    mean = ratio(moments[..., 1], moments[..., 0])
    logs = np.log(mean, out=np.zeros_like(mean), where=mean > 0)
    return 0.0 - mean * logs


def absolute_error(counts: Floats, values: Floats) -> Floats:
    """The least mean distance from any one value: a weighted median is among the values."""
    if not values.size:
        return np.zeros(counts.shape[:-1])[()]
    weight, below = counts.sum(-1, keepdims=True), counts.cumsum(-1)
    sums = counts * (values - values[0])
    sum_below = sums.cumsum(-1)
    distance = (values - values[0]) * (2.0 * below - weight) + sums.sum(-1, keepdims=True) - 2.0 * sum_below
    return not_below_zero(ratio(distance.min(-1), weight[..., 0]))


def code_length(counts: Floats) -> Floats:
    """ln of the number of ways to give N rows their classes, plus ln of the number of ways to choose the counts."""
    from scipy.special import gammaln

    rows, n_classes = total(counts), max(counts.shape[-1], 1)
    which = gammaln(rows + 1) - total(gammaln(counts + 1))
    how_many = gammaln(rows + n_classes) - gammaln(rows + 1) - gammaln(n_classes)
    return np.asarray(which + how_many)[()]


def split_info(table: Table) -> Floats:
    missing = total(table.missing)[..., None]
    return entropy(np.concatenate([table.weights, missing], axis=-1))


def within(table: Table, measure: Measure) -> Floats:
    return total(table.shares * measure(table.counts))


def decrease(table: Table, measure: Measure) -> Floats:
    """All measures are concave, so that only rounding can take a decrease below zero."""
    return not_below_zero(table.known_fraction * (measure(table.pooled) - within(table, measure)))


def total(counts: Floats) -> Floats:
    return added(counts, -1)[()]


def fractions(counts: Floats) -> Floats:
    return ratio(counts, added(counts, -1)[..., None])


def not_below_zero(values: Floats) -> Floats:
    return np.maximum(values, 0.0)
