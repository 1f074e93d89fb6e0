"""A column of numbers as runs of neighbouring values, with what falls into each: what methods of binning work on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.criteria import unchecked
from treewright.split import midway
from treewright.table import N_MOMENTS
from treewright.typing import Array, Floats, Ints

_MOST_BINS = 2**48  # more than any column has values


@dataclass(frozen=True)
class Runs:
    """Run r holds the values from ``lows[r]`` to ``highs[r]``, in rising order. There has to be one to be cut.

    ``counts[r]`` is its class weights or, where ``moments`` is true, (Σw, Σw·y, Σw·y²); without a target, its weight.
    """

    lows: Floats
    highs: Floats
    counts: Floats
    moments: bool = False

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def weights(self) -> Floats:
        return np.asarray(self.counts[:, 0] if self.moments else self.counts.sum(-1))

    def merged(self, first: Ints) -> Runs:
        """Longer runs, which begin at these."""
        last = np.append(first[1:], len(self)) - 1
        return Runs(self.lows[first], self.highs[last], np.add.reduceat(self.counts, first), self.moments)

    def edges(self, after: Ints) -> Floats:
        """Thresholds midway between these runs and the next."""
        return midway(self.highs[after], self.lows[after + 1])

    def without_copies(self) -> Runs:
        """Neighbours of the same class fractions as one: no measure of classes gains by a cut between them."""
        shares = unchecked.fractions(self.counts)
        return self.merged(np.append(0, np.flatnonzero((shares[1:] != shares[:-1]).any(-1)) + 1))

    def at_most(self, most: int) -> Runs:
        """Neighbours put together into groups of even weight, if there are more than ``most``."""
        if len(self) <= most:
            return self
        return self.merged(np.append(0, quantile_cuts(self.weights, most) + 1))


def runs_of(values: Floats, y: Array | None, weights: Floats | None, n_classes: int | None) -> Runs:
    """A run for every distinct value; missing ones are left out. ``n_classes`` None: y is a number, or there is none.

    >>> runs_of(np.array([2.0, 1.0, 2.0, np.nan]), np.array([0, 1, 1, 0]), None, 2).counts.tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    known = ~np.isnan(values)
    distinct, code = np.unique(values[known], return_inverse=True)
    w = np.ones(len(code)) if weights is None else weights[known]
    if y is None:
        return Runs(distinct, distinct, _sums(code, w, len(distinct))[:, None])
    target = y[known]
    if n_classes is not None:
        cells = _sums(code * n_classes + target, w, len(distinct) * n_classes)
        return Runs(distinct, distinct, cells.reshape(len(distinct), n_classes))
    centred = target - np.average(target, weights=w) if len(target) else target
    sums = [_sums(code, w * centred**power, len(distinct)) for power in range(N_MOMENTS)]
    return Runs(distinct, distinct, np.stack(sums, axis=-1), moments=True)


def _sums(code: Array, w: Floats, n_codes: int) -> Floats:
    return np.bincount(code, w, n_codes).astype(np.float64)


def quantile_cuts(weights: Floats, bins: int) -> Ints:
    """The last runs of bins of even weight but the top one.

    A bin is closed as soon as it holds an even share of what is left, so that a run heavier than a bin's share takes a
    bin of its own and the others still share all the rest. With more bins than there are runs each has its own.

    >>> quantile_cuts(np.array([1.0, 1, 6, 1, 1, 1, 1]), 4).tolist()
    [2, 4, 5]
    """
    total = np.cumsum(weights)
    cuts: list[int] = []
    done = 0.0
    for left in range(min(bins, _MOST_BINS), 1, -1):
        share = (total[-1] - done) / left
        beyond = cuts[-1] + 1 if cuts else 0  # a share too small to be added to the sum would give the same cut again
        cut = max(beyond, int(np.searchsorted(total, done + share * (1 - 1e-12))))
        if cut >= len(weights) - 1:
            break
        cuts.append(cut)
        done = total[cut]
    return np.array(cuts, np.int64)
