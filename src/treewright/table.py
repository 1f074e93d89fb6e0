"""A table is what a criterion sees of a node: how much of every target value falls into every group of a column.

::

                 target →            class weights, or the moments (w, w·y, w·y²) of a numeric target
    group  ↓   counts[..., g, t]     one row per value, bin, level or branch
    missing    missing[..., t]       the rows whose value is missing, kept apart

Leading axes stand for columns, cuts or nodes: everything here broadcasts over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import DataError
from treewright.typing import Array, Floats

N_MOMENTS = 3
_SHORT = 7  # NumPy adds so many one after the other, so that the sums are the same to the last digit
_MANY_CELLS = 1000


@dataclass(frozen=True, init=False, eq=False)
class Table:
    """Groups × target, with the rows of missing value apart.

    Parameters
    ----------
    counts : array-like
        The weight of every group and class, ``counts[..., group, class]``; of a number (w, w·y, w·y²) in place of
        classes.
    missing : array-like or None, default None
        The same of the rows whose value is missing; None is none.
    moments : bool, default False
        Whether the last axis holds moments of a number.

    Examples
    --------
    >>> table = Table([[2, 3], [4, 0], [3, 2]])  # outlook sunny, overcast, rain × play yes, no
    >>> table.pooled.tolist(), table.weights.tolist()
    ([9.0, 5.0], [5.0, 4.0, 5.0])
    >>> table.group([0, 1, 0]).counts.tolist()
    [[5.0, 5.0], [4.0, 0.0]]
    """

    counts: Floats  # (..., groups, targets)
    missing: Floats  # (..., targets)
    moments: bool  # the target axis is (w, w·y, w·y²) instead of class weights

    def __init__(self, counts: ArrayLike, missing: ArrayLike | None = None, *, moments: bool = False) -> None:
        cells = floats(counts, "counts")
        if cells.ndim < 2:
            raise DataError(
                f"a table needs groups and targets, got an array of shape {cells.shape}",
                hint="pass counts[group, target]",
            )
        if moments and cells.shape[-1] != N_MOMENTS:
            raise DataError(
                f"a table of moments has {N_MOMENTS} targets (w, w·y, w·y²), got {cells.shape[-1]}",
                hint="build it with Table.of_moments",
            )
        object.__setattr__(self, "counts", cells)
        object.__setattr__(self, "missing", _missing_row(missing, cells.shape))
        object.__setattr__(self, "moments", moments)

    @classmethod
    def of(
        cls,
        codes: ArrayLike,
        y: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        n_codes: int | None = None,
        n_classes: int | None = None,
    ) -> Table:
        """The table of one column: ``codes`` (0 = missing) against class codes ``y`` from 0. Code c is group c - 1.

        >>> Table.of([1, 1, 2, 0], [0, 1, 1, 0])
        Table(counts=array([[1., 1.],
               [0., 1.]]), missing=array([1., 0.]), moments=False)
        """
        code, n_codes = _codes(codes, n_codes, "codes")
        target, n_classes = _codes(y, n_classes, "y")
        w = _row_weights(weights, code.size)
        cells = _sums(code * n_classes + _same_length(target, code.size, "y"), w, n_codes * n_classes)
        rows = cells.reshape(n_codes, n_classes)
        return cls(rows[1:], rows[0])

    @classmethod
    def of_moments(
        cls, codes: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None, *, n_codes: int | None = None
    ) -> Table:
        """The table of one column against a numeric target: Σw, Σw·y and Σw·y² of every code (0 = missing).

        Differences of squares lose digits when y lies far from zero: subtract its mean beforehand if it does
        (not for a Poisson target).

        >>> Table.of_moments([1, 1, 2], [2.0, 4.0, 3.0]).counts.tolist()
        [[2.0, 6.0, 20.0], [1.0, 3.0, 9.0]]
        """
        code, n_codes = _codes(codes, n_codes, "codes")
        value = _same_length(floats(y, "y"), code.size, "y")
        w = _row_weights(weights, code.size)
        rows = np.stack([_sums(code, part, n_codes) for part in (w, w * value, w * value * value)], axis=-1)
        return cls(rows[1:], rows[0], moments=True)

    @property
    def pooled(self) -> Floats:
        """All groups as one; rows of known value only."""
        return added(self.counts, -2)

    @property
    def weights(self) -> Floats:
        """Weight of every group."""
        return self._weight(self.counts)

    @property
    def shares(self) -> Floats:
        """Weight of every group as a part of the known weight; 0 where nothing is known.

        >>> Table([[1, 2], [0, 1]]).shares.tolist()
        [0.75, 0.25]
        """
        weights = self.weights
        return ratio(weights, added(weights, -1)[..., None])

    @property
    def known_fraction(self) -> Floats:
        """Weight of the rows of known value as a part of all rows; 0 where there are none."""
        known = self._weight(self.pooled)
        return ratio(known, known + self._weight(self.missing))

    def group(self, branch_of: ArrayLike, n_branches: int | None = None) -> Table:
        """Merge groups into branches: group g goes to ``branch_of[g]``. The missing row stays apart.

        >>> Table([[1, 0], [2, 0], [0, 3]], missing=[1, 1]).group([0, 0, 1]).counts.tolist()
        [[3.0, 0.0], [0.0, 3.0]]
        """
        branch, n_branches = _codes(branch_of, n_branches, "branch_of")
        _same_length(branch, self.counts.shape[-2], "branch_of")
        belongs = (branch == np.arange(n_branches)[:, None]).astype(np.float64)  # (branches, groups)
        return self._with(belongs @ self.counts, self.missing)

    def scale(self, factors: ArrayLike) -> Table:
        """Multiply the target columns by ``factors``, as misclassification costs and prior probabilities do.

        >>> Table([[1, 2], [3, 4]]).scale([10, 1]).counts.tolist()
        [[10.0, 2.0], [30.0, 4.0]]
        """
        factor = _same_length(floats(factors, "factors"), self.counts.shape[-1], "factors")
        return self._with(self.counts * factor, self.missing * factor)

    def with_missing_in(self, branch: int) -> Table:
        """Send the rows of missing value down one branch.

        >>> Table([[1, 0], [0, 3]], missing=[2, 0]).with_missing_in(1).counts.tolist()
        [[1.0, 0.0], [2.0, 3.0]]
        """
        n_groups = self.counts.shape[-2]
        if not 0 <= branch < n_groups:
            raise DataError(f"there is no branch {branch}", hint=f"the table has the branches 0 to {n_groups - 1}")
        counts = self.counts.copy()
        counts[..., branch, :] += self.missing
        return self._with(counts, np.zeros_like(self.missing))

    def __add__(self, other: Table) -> Table:
        """The table of both sets of rows."""
        self._check_alike(other)
        return self._with(self.counts + other.counts, self.missing + other.missing)

    def __sub__(self, other: Table) -> Table:
        """The table of the rows that ``other`` leaves over."""
        self._check_alike(other)
        return self._with(self.counts - other.counts, self.missing - other.missing)

    def _weight(self, cells: Floats) -> Floats:
        return np.asarray(cells[..., 0]) if self.moments else added(cells, -1)

    def _with(self, counts: Floats, missing: Floats) -> Table:
        return Table(counts, missing, moments=self.moments)

    def _check_alike(self, other: Table) -> None:
        if self.counts.shape[-2:] != other.counts.shape[-2:] or self.moments != other.moments:
            raise DataError(
                f"tables of different form: {self._form()} and {other._form()}",
                hint="group both alike before adding or subtracting them",
            )

    def _form(self) -> str:
        n_groups, n_targets = self.counts.shape[-2:]
        return f"{n_groups} groups by {n_targets} {'moments' if self.moments else 'classes'}"


def largest(cells: Array) -> Array:
    """The maximum along the last axis. As with sums, NumPy's own is slow along a short one.

    >>> largest(np.array([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [2.0, 4.0]
    """
    if _is_quick(cells, -1):
        return np.asarray(cells.max(-1))
    return reduce(np.maximum, np.moveaxis(cells, -1, 0))


def _is_quick(cells: Array, axis: int) -> bool:
    """Whether NumPy's own reductions are, or are the only ones that come to the same digits."""
    return not 1 < cells.shape[axis] <= _SHORT or cells.size < _MANY_CELLS


def added(cells: Array, axis: int) -> Array:
    """The sum along an axis. NumPy's own is slow along a short one: starting each sum costs more than the adding.

    >>> added(np.array([[1.0, 2.0], [3.0, 4.0]]), -1).tolist()
    [3.0, 7.0]
    """
    if _is_quick(cells, axis):
        return np.asarray(cells.sum(axis))
    first, second, *others = np.moveaxis(cells, axis, 0)
    total: Array = first + second
    for other in others:
        total += other
    return total


def ratio(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, and 0 where the whole is 0. A number, not an array without axes, when both are numbers.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    is_empty = np.equal(whole, 0)
    if not is_empty.any():  # numpy is quicker where nothing is left out
        return np.divide(part, whole)
    return np.where(is_empty, 0.0, np.divide(part, np.where(is_empty, 1.0, whole)))[()]


def floats(values: ArrayLike, name: str) -> Floats:
    """Any array-like as float64.

    >>> floats([[1, 2]], "counts")
    array([[1., 2.]])
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers ({error})", hint="pass rows of equal length") from None


def _missing_row(missing: ArrayLike | None, shape: tuple[int, ...]) -> Floats:
    wanted = (*shape[:-2], shape[-1])
    row = np.zeros(shape[-1]) if missing is None else floats(missing, "missing")
    try:
        return np.broadcast_to(row, wanted)
    except ValueError:
        raise DataError(
            f"missing has shape {row.shape}, but counts of shape {shape} need {wanted}",
            hint="pass one number per target",
        ) from None


def _codes(values: ArrayLike, n_codes: int | None, name: str) -> tuple[Array, int]:
    codes = np.asarray(values)
    if codes.size == 0:
        codes = np.zeros(0, dtype=np.int64)
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise DataError(
            f"{name} must be one row of whole numbers, got shape {codes.shape} of {codes.dtype}",
            hint="encode the values first",
        )
    low, high = (int(codes.min()), int(codes.max())) if codes.size else (0, 0)
    limit = high + 1 if n_codes is None else n_codes
    if low < 0:
        raise DataError(f"{name} must not be negative, got {low}")
    if high >= limit:
        raise DataError(f"{name} must lie between 0 and {limit - 1}, got {high}")
    return codes.astype(np.int64), limit


def _row_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    return np.ones(n_rows) if weights is None else _same_length(floats(weights, "weights"), n_rows, "weights")


def _same_length(values: Array, length: int, name: str) -> Array:
    if values.shape != (length,):
        raise DataError(f"{name} has shape {values.shape}, expected ({length},)")
    return values


def _sums(code: Array, w: Floats, n_cells: int) -> Floats:
    return np.bincount(code, weights=w, minlength=n_cells).astype(np.float64)
