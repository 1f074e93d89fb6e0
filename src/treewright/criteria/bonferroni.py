"""The p-value of groups that were merged is the smallest of many: by what it is multiplied."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from treewright.typing import Floats, Ints

NOMINAL, ORDINAL, FLOATING = 0, 1, 2


def multiplier(levels: int, groups: int, kind: int, *, exhaustive: bool = False) -> int:
    """The number by which a p-value is multiplied, because it is the smallest of many (Bonferroni).

    The ways in which c levels can become r groups (Kass 1980, formulas 3.1 to 3.3): of nominal levels
    Σ (-1)^i·(r - i)^c / (i!·(r - i)!), of ordered ones C(c - 1, r - 1), of ordered ones among which missing values
    float C(c - 2, r - 2) + r·C(c - 2, r - 1). Exhaustive merging is charged for the pairs it compares on the way down:
    c·(c² - 1) / 6 of nominal and c·(c - 1) / 2 of ordered levels (Biggs et al. 1991).

    >>> multiplier(4, 2, NOMINAL), multiplier(4, 2, ORDINAL), multiplier(4, 2, FLOATING)
    (7, 3, 5)
    >>> multiplier(4, 2, NOMINAL, exhaustive=True), multiplier(4, 2, ORDINAL, exhaustive=True)
    (10, 6)
    """
    c, r = levels, groups
    if exhaustive:
        return c * (c * c - 1) // 6 if kind == NOMINAL else c * (c - 1) // 2
    if kind == NOMINAL:
        return int(sum((-1) ** i * math.comb(r, i) * (r - i) ** c for i in range(r)) // math.factorial(r))
    if kind == ORDINAL:
        return math.comb(c - 1, r - 1)
    return math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1)


@lru_cache(maxsize=4096)
def _log_multiplier(levels: int, groups: int, kind: int, exhaustive: bool) -> float:
    """Exact whole numbers up to the logarithm: the alternating sum has no digits left in floats."""
    return math.log(multiplier(levels, groups, kind, exhaustive=exhaustive))


def adjusted(log_p: Floats, levels: Ints, groups: Ints, kind: Ints, *, exhaustive: bool = False) -> Floats:
    """Logarithms of adjusted p-values, at most 0."""
    cases = zip(*(part.ravel().tolist() for part in (levels, groups, kind)))
    logs = np.array([_log_multiplier(c, r, k, exhaustive) if r > 1 else 0.0 for c, r, k in cases])
    return np.asarray(np.minimum(log_p + logs.reshape(log_p.shape), 0.0))
