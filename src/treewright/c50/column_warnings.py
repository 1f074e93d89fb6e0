"""What is told of columns of which C5.0 can make little."""

from __future__ import annotations

import numpy as np

from treewright.c50.case_table import TIMES, ColumnCoding
from treewright.data.frame import listing
from treewright.data.schema import Kind
from treewright.data.user_warnings import warn_user
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.typing import Array

_CLOSE = 2.0**-8  # of the largest number: within it 32 bits tell 65,536 numbers apart
_SMALLEST = 1e-36
MANY_MERGERS = 1_000_000_000  # levels² × classes, from which grouping the levels of a column takes seconds


def warn_of_columns(coded: list[ColumnCoding], matrix: Array, table: CaseTable, *, subset: bool) -> None:
    _warn_of_unusable(coded)
    if subset:
        _warn_of_mergers(coded, table)
    for j, coding in enumerate(coded):
        if coding.column.kind is Kind.NUMERIC and coding.column.unit not in TIMES:
            _warn_of_lost_differences(coding.column.name, matrix[:, j], table.values[j])


def _warn_of_unusable(coded: list[ColumnCoding]) -> None:
    names = [coding.column.name for coding in coded if not (coding.is_usable or coding.column.is_left_out)]
    if names:
        warn_user(f"C5.0 does not test columns of fewer than two levels: {listing(names)}. Hint: leave them out.")


def _warn_of_mergers(coded: list[ColumnCoding], table: CaseTable) -> None:
    """Where levels are grouped, every group is compared with every other, class by class."""
    for coding, n_values in zip(coded, table.n_values.tolist()):
        if coding.is_usable and n_values**2 * table.n_classes >= MANY_MERGERS:
            warn_user(
                f"column {coding.column.name!r} has {len(coding.column.levels):,} levels and the target "
                f"{table.n_classes:,} classes: every group of levels is compared with every other, and the time grows "
                "with levels² × classes. Hint: leave it out, or join rare levels beforehand."
            )


def _warn_of_lost_differences(name: str, numbers: Array, in_32_bits: Array) -> None:
    known = ~np.isnan(numbers)
    if not known.any() or not _may_be_lost(numbers[known]):
        return
    n, left = len(np.unique(numbers[known])), len(np.unique(in_32_bits[known]))
    if left < n:
        warn_user(
            f"column {name!r} holds {n:,} different numbers, of which C5.0 can tell {left:,} apart: it computes with "
            "32 bits. Hint: subtract the least of them, or scale the column."
        )


def _may_be_lost(known: Array) -> bool:
    """Whether numbers lie so close together, beside how large they are, that it is worth a look."""
    low, high = known.min(), known.max()
    largest = max(-low, high)
    return bool(high - low < largest * _CLOSE or largest < _SMALLEST)
