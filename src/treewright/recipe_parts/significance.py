"""Is a split more than chance? Tests of independence between branch and target, for many splits at once."""

from __future__ import annotations

import numpy as np

from treewright.criteria import chi2_p, f_p
from treewright.table import N_MOMENTS, Table
from treewright.typing import Floats, Ints


def p_values(stats: Floats, start: Ints, *, moments: bool) -> Floats:
    """How probable so strong a split is if branch and target have nothing to do with each other.

    ``stats`` has a row per branch: the weight of each class, or Σw, Σw·y, Σw·y² (what follows them is not looked at);
    the branches of split f are the rows from ``start[f]`` up to ``start[f + 1]``. Classes: Pearson's χ² of branches ×
    classes, those without rows left out. Numbers: the F test of one-way analysis of variance. Weights count as rows. A
    split into fewer than two branches, or one that leaves the test no degrees of freedom, has p = 1.

    >>> p_values(np.array([[8.0, 2], [2, 8], [5, 5], [5, 5]]), np.array([0, 2, 4]), moments=False).round(4).tolist()
    [0.0073, 1.0]
    """
    stats = stats[:, :N_MOMENTS] if moments else stats
    test, n_branches = f_p if moments else chi2_p, np.diff(start)
    p = np.ones(len(n_branches))
    for size in np.unique(n_branches[n_branches > 1]):  # splits into as many branches make one stack of tables
        alike = np.flatnonzero(n_branches == size)
        p[alike] = test(Table(stats[start[alike][:, None] + np.arange(size)], moments=moments))
    return p
