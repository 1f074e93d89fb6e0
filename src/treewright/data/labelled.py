"""Rows with their target, to be split: for growing and pruning, training and validation, or into folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.folds import parts_of, seed_of
from treewright.data.frame import Frame, read_frame
from treewright.data.schema import Level
from treewright.data.target_column import TargetColumn, encode_classes, encode_numbers, means_classes, read_target
from treewright.data.user_warnings import warn_user
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError, OptionError, shown
from treewright.typing import Array, Floats, Ints, Mask

_MOST_NAMED = 3  # classes in a warning


@dataclass(frozen=True)
class Labelled:
    """``y`` holds class codes from 0, or numbers when ``classes`` is None, and ``row`` the numbers of the rows in the
    table that was given."""

    frame: Frame
    y: Array
    classes: tuple[Level, ...] | None
    weights: Floats | None
    row: Ints
    name: str = "y"

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def target(self) -> TargetColumn:
        """The target as an estimator takes it."""
        if self.classes is None:
            return TargetColumn(self.name, NumberValues(self.y))
        return TargetColumn(self.name, LevelValues(self.y.astype(np.int64) + 1, self.classes, declared=True))

    @property
    def labels(self) -> Array:
        """The classes themselves, or the numbers."""
        if self.classes is None:
            return self.y
        labels = np.empty(len(self.classes), object)
        labels[:] = self.classes
        return np.asarray(labels[self.y])

    def take(self, rows: Ints) -> Labelled:
        """The rows of these numbers, in the order of the table."""
        keep = np.zeros(self.n_rows, np.bool_)
        keep[rows] = True
        weights = None if self.weights is None else self.weights[keep]
        return Labelled(self.frame.take(keep), self.y[keep], self.classes, weights, self.row[keep], self.name)

    @property
    def classes_seen(self) -> tuple[Level, ...]:
        """The classes that rows have; none for a numeric target."""
        counts = np.bincount(self.y, minlength=len(self.classes)) if self.classes is not None else ()
        return tuple(label for label, count in zip(self.classes or (), counts) if count)

    def codes_among(self, classes: tuple[Level, ...]) -> Ints:
        """Class codes by another list of classes, -1 for those not in it."""
        place = {label: code for code, label in enumerate(classes)}
        return np.array([place.get(label, -1) for label in self.classes or ()], np.int64)[self.y]

    def folds(self, cv: Any, random_state: Any = None) -> Iterator[tuple[Labelled, Labelled]]:
        """Training and validation part in turn. ``cv`` is a number of folds or one of scikit-learn's splitters.

        "loo" and as many folds as rows leave one row out in turn. With another number the folds are random, but always
        the same for the same ``random_state`` (None: 0), and stratified: every fold has its share of each class. Rows
        of a class that is rarer than folds are dealt out, with a warning: some folds have none of them.
        """
        rows = replace(self, frame=self.frame.in_arrays())
        if not hasattr(cv, "get_n_splits"):
            self._warn_of_rare_classes(cv)
        for rest, part in parts_of(cv, self.y, random_state):
            yield rows.take(rest), rows.take(part)

    def samples(self, n_samples: int, random_state: Any = None) -> Iterator[tuple[Labelled, Labelled]]:
        """Bootstrap samples, rows weighing as often as they were picked, each with the rows that were not."""
        random, rows = np.random.default_rng(seed_of(random_state)), replace(self, frame=self.frame.in_arrays())
        for _ in range(n_samples):
            times = np.bincount(random.integers(self.n_rows, size=self.n_rows), minlength=self.n_rows)
            picked = rows.take(np.flatnonzero(times))
            once: Floats = np.ones(picked.n_rows) if picked.weights is None else picked.weights
            if not times.all():
                yield replace(picked, weights=once * times[times > 0]), rows.take(np.flatnonzero(times == 0))

    def part(self, share: float, random_state: Any = None) -> tuple[Labelled, Labelled]:
        """All but a share of the rows, and the share; by class where every class has rows enough for both."""
        codes = None if self.classes is None else self.y
        rest, part = split_rows(np.arange(self.n_rows), codes, share, random_state)
        return self.take(rest), self.take(part)

    def _warn_of_rare_classes(self, n_folds: Any) -> None:
        """Tell the user of classes with fewer rows than there are folds; leaving out one row at a time no fold could
        have them all."""
        if self.classes is None or not isinstance(n_folds, (int, np.integer)) or not n_folds < self.n_rows:
            return
        counts = np.bincount(self.y, minlength=len(self.classes))
        rare = np.flatnonzero((counts > 0) & (counts < n_folds))
        if len(rare):
            warn_user(_rare_classes([(shown(self.classes[k]), int(counts[k])) for k in rare], int(n_folds)))


def labelled(X: Any, y: Any, *, is_classifier: bool, sample_weight: Any = None) -> Labelled:
    """Read a table and its target; rows without a target or of no weight are left out.

    >>> rows = labelled({"x": [1, 2, 3]}, ["a", "b", "a"], is_classifier=True, sample_weight=[1, 1, 0])
    >>> rows.n_rows, rows.classes, rows.labels.tolist()
    (2, ('a', 'b'), ['a', 'b'])
    """
    frame = read_frame(X)
    classes: tuple[Level, ...] | None = None
    if is_classifier:
        classes, codes, known = encode_classes(y, frame.n_rows, declared=True)
        values: Array = codes.astype(np.int64)
    else:
        values, known = encode_numbers(y, frame.n_rows)
    weights = row_weights(sample_weight, None, None, None, frame.n_rows, known)
    rows = Labelled(frame, values, classes, weights, np.arange(frame.n_rows), _name_of(y))
    keep = kept_rows(known, weights)
    return rows if keep is None else rows.take(np.flatnonzero(keep))


def has_classes(y: Any, target: str | None = None) -> bool:
    """Whether the target is "classes" or "numbers"; if that is not said, numbers as ``means_classes`` takes them.

    >>> has_classes([1, 2, 2]), has_classes([1.5, 2.0]), has_classes(range(100)), has_classes(["1.5", "2"])
    (True, False, False, True)
    """
    if target not in (None, "classes", "numbers"):
        raise OptionError(f"target={shown(target)} is not accepted", "target is None, 'classes' or 'numbers'")
    if target is not None:
        return target == "classes"
    read_target(y)
    try:
        classes = encode_classes(y)[0]
    except DataError:  # numbers with decimals
        return False
    return isinstance(classes[0], (str, bool)) or len(classes) == 1 or means_classes(np.array(classes))


def _rare_classes(rare: list[tuple[str, int]], n_folds: int) -> str:
    named = ", ".join(f"{label} ({n})" for label, n in rare[:_MOST_NAMED])
    others = f" and {len(rare) - _MOST_NAMED} more" if len(rare) > _MOST_NAMED else ""
    what = "class has" if len(rare) == 1 else "classes have"
    return (
        f"{len(rare)} {what} fewer rows than the {n_folds} folds: {named}{others}. Their rows are dealt out, so "
        "that some folds have none. Hint: pass a smaller cv to have some in each."
    )


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def split_rows(rows: Ints, codes: Array | None, share: float, random_state: Any = None) -> tuple[Ints, Ints]:
    """Row numbers in two parts at random, the second a share of all; ``codes`` are their classes, if they have any."""
    from sklearn.model_selection import train_test_split

    if not isinstance(share, Real) or not 0 < share < 1:
        raise OptionError(f"a share of the rows must be between 0 and 1, got {shown(share)}", "0.3 is usual")
    if len(rows) < 2:
        raise DataError(f"{len(rows)} row cannot be split into two parts", "pass more rows")
    strata = codes if codes is not None and _can_be_stratified(codes, share) else None
    rest, part = train_test_split(rows, test_size=share, random_state=seed_of(random_state), stratify=strata)
    return np.sort(rest), np.sort(part)


def row_mask(rows: Any, n_rows: int, name: str) -> Mask:
    """A mask over the rows, from a mask or from row numbers.

    >>> row_mask([0, 2], 3, "rows").tolist()
    [True, False, True]
    """
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.shape == (n_rows,):
        return given
    is_numbers = given.ndim == 1 and given.dtype.kind in "iu"
    if not is_numbers or (given < -n_rows).any() or (given >= n_rows).any():
        raise DataError(f"{name} does not name rows of a table of {n_rows}", "pass a mask or the numbers of rows")
    mask = np.zeros(n_rows, np.bool_)
    mask[given] = True
    return mask


def _can_be_stratified(codes: Array, share: float) -> bool:
    counts = np.unique(codes, return_counts=True)[1]
    return bool(counts.min() >= 2 and int(len(codes) * min(share, 1 - share)) >= len(counts))
