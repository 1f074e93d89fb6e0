"""The error rate a rule might well have, from the errors it was seen to make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.compat.c45_programs import FLAVOURS
from treewright.kernels.pruning.subtree_raising import ErrorBound, extra_errors
from treewright.prune.methods.error_based import ErrorBased
from treewright.typing import Floats


@dataclass(frozen=True)
class PessimisticRate:
    """The upper end of a confidence interval around an error rate, as C4.5 ("c4.5") or Weka ("j48") computes it.

    >>> PessimisticRate().rate(np.array([14.0, 6.0]), np.array([5.0, 0.0])).round(4).tolist()
    [0.4854, 0.2063]
    """

    confidence: float = 0.25
    flavour: str = "c4.5"

    def rate(self, weight: Floats, wrong: Floats) -> Floats:
        """The pessimistic error rate of rules that cover so much weight, so much of it wrong; 1 where none is covered.

        Without errors the binomial is exact: 1 - CF^(1/n). With at least one it is approximated by a normal, and in
        between the two are mixed (Quinlan 1993, chapter 4).
        """
        n, e = np.broadcast_arrays(np.asarray(weight, np.float64), np.asarray(wrong, np.float64))
        known, n = n > 0, np.where(n > 0, n, 1.0)
        z = self._z
        if z < 0:  # a confidence of more than a half asks for fewer errors than were seen
            return np.where(known, e / n, 1.0)
        none = n * (1 - self.confidence ** (1 / n))
        few = none + e * (self._normal(n, np.ones_like(e), z) - none)
        more = np.where(e < 1, few, self._normal(n, np.maximum(e, 1.0), z))
        return np.where(known, (e + more) / n, 1.0)

    def rate_of(self, weight: float, wrong: float) -> float:
        """The same of one rule that covers some weight; quicker than an array of one."""
        return float(wrong + extra_errors.plain(weight, wrong, self._bound)) / weight

    @cached_property
    def _bound(self) -> ErrorBound:
        return ErrorBound(1.0, float(self.confidence), self._z, FLAVOURS[self.flavour].hopeless, 0.0, 0.0, False)

    @cached_property
    def _z(self) -> float:
        return ErrorBased(self.confidence, flavour=self.flavour).z

    def _normal(self, n: Floats, e: Floats, z: float) -> Floats:
        """How many more errors there may be than the e that were seen."""
        seen = np.minimum((e + 0.5) / n, 1.0)
        root = np.sqrt(seen / n - seen * seen / n + z * z / (4 * n * n))
        upper = (seen + z * z / (2 * n) + z * root) / (1 + z * z / n)
        hopeless = FLAVOURS[self.flavour].hopeless * np.maximum(n - e, 0.0)
        return np.where(e + 0.5 >= n, hopeless, upper * n - e)
