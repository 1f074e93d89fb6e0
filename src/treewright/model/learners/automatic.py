"""``method="auto"``: the options that suit the size of a table."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

FEW_ROWS = 30  # below, cross-validation says nothing
_LEAST_ERRORS = 0.2  # per leaf: the smallest tree of least training error
_OF_CROSS_VALIDATION = frozenset(("cv", "repeats", "choose", "rule"))
MANY_ROWS = 50_000  # above, numbers go into bins

LEAST_CELLS = 1_000  # that a column counts as: to look at one takes time however few the rows
# Cells of the table up to which nodes keep so many columns, and the folds.
_SIZES: tuple[tuple[float, tuple[int, ...], int], ...] = (
    (250_000, (5, 3, 2), 10),
    (1_500_000, (5, 3, 2), 5),
    (6_000_000, (3, 2), 3),
    (float("inf"), (), 3),  # a search cannot pay: one split per node
)


def options_for(n_rows: int, n_columns: int, *, classes: bool, given: Collection[str] = ()) -> dict[str, Any]:
    """Options of ``SearchTreeClassifier`` and ``SearchTreeRegressor`` where they differ from the defaults. Where it is
    ``given`` how rows are left out, they are, however few.

    >>> options_for(1_000, 20, classes=True), options_for(100_000, 20, classes=True)
    ({'search': (5, 3, 2), 'cv': 10, 'repeats': 1}, {'search': (3, 2), 'cv': 3, 'repeats': 1, 'engine': 'histogram'})
    >>> options_for(60, 2_000, classes=True)
    {'search': (3, 2), 'cv': 3, 'repeats': 1}
    >>> options_for(14, 4, classes=True), options_for(14, 4, classes=True, given=["cv"])
    ({'alpha': 0.0142...}, {'search': (5, 3, 2), 'cv': 10, 'repeats': 1})
    """
    if classes and n_rows < FEW_ROWS and not _OF_CROSS_VALIDATION.intersection(given):
        return {"alpha": _LEAST_ERRORS / max(n_rows, 1)}
    cells = max(n_rows, LEAST_CELLS) * n_columns
    search, cv = next((search, cv) for most, search, cv in _SIZES if cells <= most)
    return {"search": search, "cv": cv, "repeats": 1, **({"engine": "histogram"} if n_rows > MANY_ROWS else {})}
