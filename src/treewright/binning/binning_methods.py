"""Where to cut a column of numbers: from runs of values to thresholds, ``x <= threshold`` being the lower bin.

References
----------
Fayyad, Irani (1993). Multi-interval discretization of continuous-valued attributes for classification learning.
*IJCAI*, 1022–1027.
Fisher (1958). On grouping for maximum homogeneity. *Journal of the American Statistical Association* 53, 789–798.
Kerber (1992). ChiMerge: discretization of numeric attributes. *AAAI*, 123–128.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from treewright.binning.value_runs import Runs, quantile_cuts
from treewright.criteria import chi2, gain, unchecked
from treewright.ties import TIE
from treewright.typing import Floats, Ints

MOST_RUNS = 1000  # that are merged or put into bins; neighbouring runs of a column with more are merged first
_LARGE = 1e300


def equal_width(runs: Runs, bins: int) -> Floats:
    """Bins of one width between the smallest and the largest value.

    >>> column = np.array([0.0, 1, 10])
    >>> equal_width(Runs(column, column, np.ones((3, 1))), 4).tolist()
    [2.5, 5.0, 7.5]
    """
    place, low, high = np.arange(1.0, bins), float(runs.lows[0]), float(runs.highs[-1])
    if abs(low) + abs(high) < _LARGE / bins:
        return np.unique(low + (high - low) * place / bins)  # exact where whole numbers are cut at whole numbers
    return np.unique(low * (1.0 - place / bins) + high * (place / bins))


def quantiles(runs: Runs, bins: int) -> Floats:
    """Bins of even weight, as near as equal values allow.

    >>> column = np.arange(6.0)
    >>> quantiles(Runs(column, column, np.ones((6, 1))), 3).tolist()
    [1.5, 3.5]
    """
    return runs.edges(quantile_cuts(runs.weights, bins))


# ---------------------------------------------------------------- description length


def mdl(runs: Runs, bins: int | None = None) -> Floats:
    """Cut where the information gain is largest, then each part, while the description gets shorter.

    Source: Fayyad & Irani 1993.

    A cut of N rows of k classes with entropy H into parts of k₁, k₂ classes with entropies H₁, H₂ is made if

        gain > (log₂(N − 1) + log₂(3^k − 2) − (k·H − k₁·H₁ − k₂·H₂)) / N.

    With ``bins``, cuts that gain most in total are taken first, until there are so many bins.
    """
    waiting = _Cuts(runs.counts)
    waiting.consider(0, len(runs))
    taken: list[int] = []
    while waiting.found and (bins is None or len(taken) < bins - 1):
        start, cut, stop = waiting.pop()
        taken.append(cut)
        waiting.consider(start, cut + 1)
        waiting.consider(cut + 1, stop)
    return runs.edges(np.array(sorted(taken), np.int64))


class _Cuts:
    """Cuts that shorten the description, by their total gain."""

    def __init__(self, counts: Floats) -> None:
        self.counts = counts
        self.found: list[tuple[float, int, int, int]] = []

    def pop(self) -> tuple[int, int, int]:
        return heapq.heappop(self.found)[1:]

    def consider(self, start: int, stop: int) -> None:
        """Find the best cut of the runs from ``start`` up to ``stop``."""
        if stop - start < 2:
            return
        left = self.counts[start : stop - 1].cumsum(0)
        whole = left[-1] + self.counts[stop - 1]
        branches = np.stack([left, np.maximum(whole - left, 0.0)], axis=-2)
        gains = gain(branches)
        best = int(np.argmax(gains >= gains.max() * (1 - TIE)))
        if _is_shorter(float(gains[best]), whole, *branches[best]):
            heapq.heappush(self.found, (-float(gains[best]) * float(whole.sum()), start, start + best, stop))


def _is_shorter(gained: float, whole: Floats, left: Floats, right: Floats) -> bool:
    n = float(whole.sum())
    if n <= 1.0:
        return False
    bits = [int((part > 0).sum()) * float(unchecked.entropy(part)) / math.log(2) for part in (whole, left, right)]
    k = int((whole > 0).sum())
    told = k * math.log2(3) + math.log2(1 - 2 * 3.0**-k) - (bits[0] - bits[1] - bits[2])
    return gained > (math.log2(n - 1) + told) / n


# ---------------------------------------------------------------- merging


def chi_merge(runs: Runs, alpha: float, bins: int | None = None) -> Floats:
    """Merge the neighbours whose classes differ least by χ², the lowest of equals, while p > alpha (Kerber 1992).

    As published, every test has one degree of freedom less than there are classes, even if a pair has no rows of some
    class. Such a class adds nothing. With ``bins``, merging goes on until there are at most so many. As with
    :func:`optimal`, the neighbours of a column with very many values are merged first.
    """
    from scipy.special import chdtri

    start = runs.without_copies().at_most(MOST_RUNS)
    limit = float(chdtri(max(start.counts.shape[-1] - 1, 1), alpha))
    counts, last = start.counts.copy(), np.arange(len(start))
    apart = chi2(np.stack([counts[:-1], counts[1:]], axis=1))
    while len(apart) and (apart.min() < limit or (bins is not None and len(last) > bins)):
        place = int(np.argmax(apart <= apart.min() * (1 + TIE)))
        counts[place] += counts[place + 1]
        counts, last = np.delete(counts, place + 1, axis=0), np.delete(last, place)
        apart = np.delete(apart, place)
        for pair in range(max(place - 1, 0), min(place + 1, len(apart))):
            apart[pair] = chi2(counts[pair : pair + 2])
    return start.edges(last[:-1])


# ---------------------------------------------------------------- the best of all


def optimal(runs: Runs, bins: int, min_weight: float = 0.0) -> Floats:
    """The bins, at most so many, that leave least entropy of classes, or least variance of a number, within them.

    No other cuts into as many bins leave less: all are tried, by dynamic programming (Fisher 1958). That is exact for
    up to 1000 runs of values; the neighbours of a column with more are first merged into 1000 groups of equal
    weight. A bin holds at least ``min_weight``. Of equals the fewest bins are taken.
    """
    alike = runs if runs.moments or min_weight > 0 else runs.without_copies()
    start = alike.at_most(MOST_RUNS)
    cost, previous = _best_partition(start, min(bins, len(start)), min_weight)
    n_bins = int(np.argmax(cost <= cost.min() + TIE * (abs(cost[0]) + 1.0))) + 1
    return start.edges(_read_off(previous, n_bins))


def _best_partition(runs: Runs, bins: int, min_weight: float) -> tuple[Floats, Ints]:
    """What the best 1, 2, … bins of all runs leave, and for each number of bins and runs where the last bin begins."""
    n = len(runs)
    sums = np.concatenate([np.zeros((1, runs.counts.shape[1])), runs.counts.cumsum(0)])
    weight = sums[:, 0] if runs.moments else sums.sum(-1)
    within = unchecked.variance if runs.moments else unchecked.entropy
    best = np.full((bins + 1, n + 1), np.inf)  # best[b, j]: the first j runs in b bins
    best[0, 0] = 0.0
    previous = np.zeros((bins + 1, n + 1), np.int64)
    for stop in range(1, n + 1):
        inside = np.maximum(weight[stop] - weight[:stop], 0.0)
        part = sums[stop] - sums[:stop]
        if not runs.moments:
            part = np.maximum(part, 0.0)
        last = np.where(inside >= min_weight * (1 - TIE), inside * within(part), np.inf)
        choices = best[:-1, :stop] + last
        previous[1:, stop] = choices.argmin(1)
        best[1:, stop] = choices.min(1)
    return best[1:, n], previous


def _read_off(previous: Ints, n_bins: int) -> Ints:
    """The last runs of the bins but the top one."""
    stop, cuts = previous.shape[1] - 1, []
    for b in range(n_bins, 1, -1):
        stop = int(previous[b, stop])
        cuts.append(stop - 1)
    return np.array(cuts[::-1], np.int64)
