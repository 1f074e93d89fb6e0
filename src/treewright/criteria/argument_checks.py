"""What the formulas take: refusals of everything else, once, at the edge."""

from __future__ import annotations

import math
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import DataError, OptionError
from treewright.table import N_MOMENTS, Table, floats
from treewright.typing import Floats

Base: TypeAlias = float | str


def log_of(base: Base) -> float:
    """Natural logarithm of the base: nats / this = the unit asked for."""
    if base == "e":
        return 1.0
    if not isinstance(base, Real) or not 1.0 < base < math.inf:
        raise OptionError(
            f"the base of a logarithm must be a number above 1 or 'e', got {base!r}",
            hint="2 gives bits, 'e' nats, 10 decimal digits",
        )
    return math.log(base)


def class_counts(counts: ArrayLike) -> Floats:
    return _not_negative(_array(counts, "counts"), "counts")


def moment_sums(moments: ArrayLike) -> Floats:
    cells = _array(moments, "moments")
    if cells.shape[-1] != N_MOMENTS:
        raise DataError(f"moments are (Σw, Σw·y, Σw·y²), got {cells.shape[-1]} numbers")
    _not_negative(cells[..., ::2], "Σw and Σw·y²")
    return cells


def event_moments(moments: Floats) -> Floats:
    _not_negative(moments[..., 1], "Σw·y of a Poisson target")
    return moments


def target_values(values: ArrayLike, n_targets: int) -> Floats:
    """Distinct target values in rising order, one for each column of the counts."""
    numbers = _array(values, "values")
    if numbers.shape != (n_targets,):
        raise DataError(f"values has shape {numbers.shape}, expected ({n_targets},)", hint="pass one value per column")
    if (np.diff(numbers) <= 0).any():
        raise DataError("values must be distinct and in rising order", hint="count over np.unique(y)")
    return numbers


def class_table(table: Table | ArrayLike) -> Table:
    checked = table if isinstance(table, Table) else Table(table)
    if checked.moments:
        raise DataError("this measure needs class weights, got a table of moments", hint="build it with Table.of")
    class_counts(checked.counts)
    class_counts(checked.missing)
    return checked


def moment_table(table: Table | ArrayLike) -> Table:
    checked = table if isinstance(table, Table) else Table(table, moments=True)
    if not checked.moments:
        raise DataError(
            "this measure needs moments, got a table of class weights", hint="build it with Table.of_moments"
        )
    moment_sums(checked.counts)
    moment_sums(checked.missing)
    return checked


def _array(values: ArrayLike, name: str) -> Floats:
    cells = floats(values, name)
    if cells.ndim == 0:
        raise DataError(f"{name} must be a row of numbers, got {cells}", hint="pass one number per class or moment")
    if not np.isfinite(cells).all():
        raise DataError(f"{name} must be finite, got {cells[~np.isfinite(cells)][0]}", hint="leave missing values out")
    return cells


def _not_negative(cells: Floats, name: str) -> Floats:
    if (cells < 0).any():
        raise DataError(f"{name} must not be negative, got {cells.min()}")
    return cells
