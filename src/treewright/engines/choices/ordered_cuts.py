"""Ordered columns: codes up to a cut against codes above it."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import ColumnEncoding
from treewright.engines.choices.promising_cuts import FEW_CELLS, PromisingCuts
from treewright.engines.choices.proposals import Proposals, joined, known_or_not, two_branches, with_missing
from treewright.engines.stores.node_cells import Cells, Sums, up_to_each
from treewright.recipe_parts.missing import Missing
from treewright.split import midway
from treewright.typing import Floats, Ints


def cuts(
    cells: Cells, n_nodes: int, n_codes: int, policy: Missing, promising: PromisingCuts | None = None
) -> Proposals:
    """A cut between any two neighbouring codes of a node and, where missing values count, all known against them. Of
    equals the lowest cut is taken, and first those with missing values on the right. Those that are not ``promising``
    are left out."""

    def missing_right_first(cut: Ints, branch: Ints) -> Ints:
        return cut + np.where(branch, 0, n_codes)

    missing = cells.missing(n_nodes)
    proposed = with_missing(_between(cells.known, missing, promising), *missing, policy, missing_right_first)
    if policy not in (Missing.LEARNED, Missing.BRANCH):
        return joined(proposed)
    return joined([*proposed, known_or_not(cells, n_nodes, n_codes, turn=n_codes)])


def _between(known: Cells, missing: Sums, promising: PromisingCuts | None) -> Proposals:
    if promising is None or len(known) <= FEW_CELLS:
        here, left, total = up_to_each(known)
    else:
        here, left, total = promising.up_to_each(known, missing)
    cut = known.code[here]
    return two_branches(known.node[here], left, total, cut, known.code[here + 1], None, here, cut)


def edges_between(column: ColumnEncoding, cut: Ints, above: Ints) -> tuple[Floats, Floats]:
    """Midway between the numbers beside each cut, infinite where only missing values are above it; and those below."""
    low, high = column.bounds
    only_missing = above == 0
    return np.where(only_missing, np.inf, midway(high[cut], low[above])), np.where(only_missing, np.inf, high[cut])
