"""What a search took: the four cases of the lecture notes, and how many distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.display import Displayed, Sheet
from treewright.explain.number_text import format_share
from treewright.typing import Floats, Ints

CASES = {
    1: "stop: the cell of the query has its nearest rows",
    2: "through t2: on to cells on the same side of the first cut",
    3: "through t1: on to the other side of the first cut",
    4: "all: both cuts are nearer than the nearest rows of the cell",
}


@dataclass(frozen=True, eq=False, repr=False)
class SearchReport(Displayed):
    """Of every query its case (1 to 4), how many distances were computed and how many cells were looked at.

    With d the distance to the k-th nearest row in the cell of the query, t1 the first cut and t2 the nearest of the
    other cuts on the way to the cell: case 1 is d < d(t1) and d < d(t2), case 2 has only d < d(t1), case 3 only
    d < d(t2), and case 4 neither. A cell that has no k rows has an infinite d. The search knows more than the cuts,
    namely where the rows beyond them begin, so that it may skip what a case would look at; it never looks at more.
    """

    case: Ints
    n_distances: Ints
    n_cells: Ints
    n_rows: int
    n_leaves: int

    @property
    def case_shares(self) -> Floats:
        """The share of the queries in case 1, 2, 3 and 4."""
        return np.bincount(self.case, minlength=5)[1:] / max(len(self.case), 1)

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "case": list(CASES),
            "what it means": list(CASES.values()),
            "share of queries": self.case_shares.tolist(),
        }
        return Sheet(columns, notes=(self._work(),))

    def _work(self) -> str:
        distances, cells = float(np.mean(self.n_distances)), float(np.mean(self.n_cells))
        return f"{distances:.1f} of {self.n_rows} distances and {cells:.1f} of {self.n_leaves} cells per query"

    def __str__(self) -> str:
        lines = [f"case {case} ({words}): {format_share(share)}" for (case, words), share in
                 zip(CASES.items(), self.case_shares.tolist())]  # fmt: skip
        return "\n".join([*lines, self._work()])
