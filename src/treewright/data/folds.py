"""Parts of rows that are left out in turn.

The folds are those of scikit-learn for the same seed. They are dealt here, since to import its splitters takes longer
than to search for a tree of a small table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError, TreewrightError
from treewright.typing import Array, Ints

_LEAST_FOLDS = 2


@dataclass(frozen=True)
class Folds:
    """Folds of the same size, each with its share of every class; the same for the same rows and seed.

    Any rows can be dealt, those of rare classes too: rows are shuffled within their class and dealt one by one, the
    next class going on where the last one stopped.
    """

    n_folds: int
    random_state: int = 0

    @classmethod
    def of(cls, n_folds: Any, n_rows: int, random_state: int = 0) -> Folds:
        """So many folds of so many rows, or "loo", one per row; more than rows there cannot be."""
        n_folds = n_rows if is_leave_one_out(n_folds) else n_folds
        if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds < _LEAST_FOLDS:
            raise OptionError(f"{n_folds!r} folds cannot be made", "cv is a whole number of at least 2, or 'loo'")
        if n_folds > n_rows:
            raise OptionError(f"{n_folds} folds cannot be made of {n_rows} rows", f"{n_rows} folds leave out one each")
        return cls(n_folds, random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_folds

    def split(self, X: Any, y: Array, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Row numbers of the training and of the validation part in turn.

        >>> [part.tolist() for _, part in Folds(2).split(None, np.array([0, 0, 1, 1]))]
        [[0, 2], [1, 3]]
        """
        fold = np.empty(len(y), np.int64)
        fold[self._shuffled(np.asarray(y))] = np.arange(len(y)) % self.n_folds
        for k in range(self.n_folds):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _shuffled(self, y: Array) -> Ints:
        """Rows at random, by class if ``y`` holds classes."""
        order = np.random.default_rng(self.random_state).permutation(len(y))
        return order if y.dtype.kind == "f" else order[np.argsort(y[order], kind="stable")]


@dataclass(frozen=True)
class ShuffledFolds:
    """Random folds of the same size, as ``KFold(n_folds, shuffle=True)`` of scikit-learn deals them."""

    n_folds: int
    random_state: Any = 0

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_folds

    def split(self, X: Any, y: Array, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Row numbers of the training and of the validation part in turn.

        >>> [part.tolist() for _, part in ShuffledFolds(2).split(None, np.array([0.5, 0.1, 0.2, 0.7]))]
        [[2, 3], [0, 1]]
        """
        fold = self._fold_of_rows(np.asarray(y))
        for k in range(self.n_folds):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _fold_of_rows(self, y: Array) -> Ints:
        """The fold of every row."""
        order = np.arange(len(y))
        self._random().shuffle(order)
        fold = np.empty(len(y), np.int64)
        for k, rows in enumerate(np.array_split(order, self.n_folds)):
            fold[rows] = k
        return fold

    def _random(self) -> Any:
        return random_of(self.random_state)


@dataclass(frozen=True)
class StratifiedFolds(ShuffledFolds):
    """The same with the share of every class in all folds, as ``StratifiedKFold(n_folds, shuffle=True)``.

    >>> [part.tolist() for _, part in StratifiedFolds(2).split(None, np.array([0, 0, 1, 1]))]
    [[1, 2], [0, 3]]
    """

    def _fold_of_rows(self, y: Array) -> Ints:
        """Classes take turns in the order of their first rows; a class gives each fold the rows it would have got if
        rows sorted by class were dealt one by one, and which rows these are is random."""
        first, codes = np.unique(y, return_index=True, return_inverse=True)[1:]
        codes = np.argsort(np.argsort(first))[codes]
        in_order = np.sort(codes)
        counts = [np.bincount(in_order[k :: self.n_folds], minlength=len(first)) for k in range(self.n_folds)]
        fold, random = np.empty(len(y), np.int64), self._random()
        for label in range(len(first)):
            folds = np.arange(self.n_folds).repeat([count[label] for count in counts])
            random.shuffle(folds)
            fold[codes == label] = folds
        return fold


@dataclass(frozen=True)
class OneOut:
    """Every row is left out in turn."""

    def get_n_splits(self, X: Any, y: Any = None, groups: Any = None) -> int:
        return len(X)

    def split(self, X: Any, y: Array, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Row numbers of the training and of the validation part in turn.

        >>> [part.tolist() for _, part in OneOut().split(None, np.array([0, 0, 1]))]
        [[0], [1], [2]]
        """
        rows = np.arange(len(y))
        for k in rows:
            yield np.delete(rows, k), rows[k : k + 1]


def splitter_of(cv: Any, y: Array, random_state: Any = None) -> Any:
    """A splitter of scikit-learn as it is, or as many random folds as ``cv`` says, the same for the same
    ``random_state`` (None: 0): stratified where ``y`` holds class codes, and also where a class has fewer rows than
    there are folds."""
    if isinstance(cv, type):
        raise OptionError(f"cv is a class, {cv.__name__}, not a splitter", f"pass one of its objects: {cv.__name__}(…)")
    if hasattr(cv, "get_n_splits"):
        return cv
    if _leaves_one_out(cv, len(y)):
        return OneOut()
    if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < _LEAST_FOLDS:
        raise OptionError(
            f"cv={cv!r} is not accepted", "cv is a whole number of at least 2, 'loo' or a splitter of scikit-learn"
        )
    if cv > len(y):
        raise OptionError(f"{cv} folds cannot be made of {len(y)} rows", "pass a smaller cv")
    if y.dtype.kind == "f":
        return ShuffledFolds(int(cv), seed_of(random_state))
    counts = np.bincount(y)
    if (counts[counts > 0] < cv).any():
        return Folds(int(cv), random_of(seed_of(random_state)).randint(2**31 - 1))
    return StratifiedFolds(int(cv), seed_of(random_state))


def parts_of(cv: Any, y: Array, random_state: Any = None) -> Iterator[tuple[Ints, Ints]]:
    """Rows to learn from and rows left out in turn, see ``splitter_of``."""
    splitter = splitter_of(cv, y, random_state)
    parts = splitter.split(np.zeros(len(y)), y)
    return _checked(splitter, parts, len(y)) if splitter is cv else parts


def _checked(splitter: Any, parts: Iterator[tuple[Any, Any]], n_rows: int) -> Iterator[tuple[Ints, Ints]]:
    """What a splitter that was given deals."""
    hint = "pass a splitter that needs rows and target alone, such as KFold(5), or a number of folds"
    n_parts = 0
    try:
        for rest, part in parts:
            if not len(rest) or not len(part):
                raise OptionError(f"cv={splitter!r} deals an empty part of {n_rows} rows", hint)
            n_parts += 1
            yield rest, part
    except (ValueError, TypeError) as problem:
        if isinstance(problem, TreewrightError):
            raise
        raise OptionError(f"cv={splitter!r} cannot deal {n_rows} rows: {problem}".rstrip("."), hint) from problem
    if not n_parts:
        raise OptionError(f"cv={splitter!r} leaves no rows out", hint)


def _leaves_one_out(cv: Any, n_rows: int) -> bool:
    return is_one_out(cv, n_rows) and (is_leave_one_out(cv) or cv == n_rows)


def is_one_out(cv: Any, n_rows: int) -> bool:
    """Whether rows are left out one by one, where more folds than rows are as many as rows.

    >>> is_one_out("loo", 5), is_one_out(5, 5), is_one_out(9, 5), is_one_out(4, 5)
    (True, True, True, False)
    """
    is_number = isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    return n_rows >= _LEAST_FOLDS and (bool(cv >= n_rows) if is_number else is_leave_one_out(cv))


def is_leave_one_out(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "loo"


def random_of(random_state: Any) -> Any:
    from sklearn.utils import check_random_state

    return check_random_state(random_state)


def seed_of(random_state: Any) -> Any:
    return 0 if random_state is None else random_state
