"""Distances between rows of numbers: Minkowski's, of which Manhattan, Euclid and Chebyshev are members."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError, shown, unknown
from treewright.typing import Array, Floats

METRICS = {"manhattan": 1.0, "euclidean": 2.0, "chebyshev": math.inf, "minkowski": None}
_ALSO_CALLED = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean", "infinity": "chebyshev"}


@dataclass(frozen=True)
class DistanceMetric:
    """d(x, z) = (Σ w·|x − z|ᵖ)^(1/p); the greatest w·|x − z| where p is infinite. ``weights`` are those of the columns.

    The sum before the root is called the *power* of a distance: it is cheaper and gives the same order.

    >>> metric = DistanceMetric(2.0)
    >>> powers = metric.powers(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 0.0]]))
    >>> powers.tolist(), metric.distances(powers).tolist()
    ([[25.0, 1.0]], [[5.0, 1.0]])
    """

    p: float
    weights: tuple[float, ...] | None = None

    @property
    def name(self) -> str:
        """As the options call it."""
        known = [name for name, p in METRICS.items() if p == self.p]
        return known[0] if known else "minkowski"

    def column_weights(self, n_columns: int) -> Floats:
        return np.ones(n_columns) if self.weights is None else np.array(self.weights)

    def powers(self, queries: Array, rows: Array) -> Floats:
        """Of every query (down) to every row (across). Columns are added in their order."""
        found = np.zeros((len(queries), len(rows)))
        with np.errstate(over="ignore"):
            for j, weight in enumerate(self.column_weights(rows.shape[1]).tolist()):
                term = self.term(rows[:, j] - queries[:, j, np.newaxis], weight)
                found = np.maximum(found, term) if self.p == math.inf else found + term
        return found

    def term(self, apart: Any, weight: float) -> Any:
        """What a column adds whose values are so far apart."""
        if self.p == 2:
            return weight * (apart * apart)
        return weight * np.abs(apart) if self.p in (1, math.inf) else weight * _raised(np.abs(apart), self.p)

    def distances(self, powers: Any) -> Any:
        if self.p == 2:
            return np.sqrt(powers)
        return powers if self.p in (1, math.inf) else np.asarray(powers) ** (1 / self.p)

    def power(self, distance: float) -> float:
        """The power of a distance, and a little more: rounding must not lose a row that is just so far."""
        with np.errstate(over="ignore"):
            exact = distance if self.p in (1, math.inf) else np.float64(distance) ** self.p
        return float(exact * (1 + 1e-12) + 1e-300)


def _raised(numbers: Any, p: float) -> Any:
    """To a power by the C library, as compiled kernels do it: NumPy's own may differ in the last digit."""
    made = np.frompyfunc(lambda number: _pow(number, p), 1, 1)(numbers)
    return np.asarray(made, np.float64)


def _pow(number: float, p: float) -> float:
    try:
        return math.pow(number, p)
    except OverflowError:
        return math.inf


def distance_metric(metric: Any, p: Any = None, weights: Any = None, n_columns: int | None = None) -> DistanceMetric:
    """A metric by its name; ``p`` goes with "minkowski", ``weights`` are one number per column.

    >>> distance_metric("manhattan").p, distance_metric("minkowski", 3).name
    (1.0, 'minkowski')
    """
    name = _ALSO_CALLED.get(str(metric), metric)
    if not isinstance(name, str) or name not in METRICS:
        raise unknown("metric", metric, METRICS)
    return DistanceMetric(_p_of(name, p), _weights_of(weights, n_columns))


def _p_of(name: str, p: Any) -> float:
    own = METRICS[name]
    if own is None:
        if p is None:
            return 2.0
        if isinstance(p, bool) or not isinstance(p, (int, float, np.number)) or not p >= 1:
            raise OptionError(f"p={shown(p)} is not accepted", "p is a number of at least 1; less is no metric")
        return float(p)
    if p is not None and p != own:
        raise OptionError(f"p={shown(p)} does not go with metric={name!r}", 'leave it out, or use metric="minkowski"')
    return own


def _weights_of(weights: Any, n_columns: int | None) -> tuple[float, ...] | None:
    if weights is None:
        return None
    try:
        made = np.asarray(weights, np.float64) if isinstance(weights, (Sequence, np.ndarray)) else np.array(np.nan)
    except (TypeError, ValueError):
        made = np.array(np.nan)
    if made.ndim != 1 or not np.isfinite(made).all() or (made < 0).any() or not (made > 0).any():
        raise OptionError(
            f"weights of columns {shown(weights)} are not accepted", "they are numbers of at least 0, not all of them 0"
        )
    if n_columns is not None and len(made) != n_columns:
        raise OptionError(f"there are {len(made)} weights for {n_columns} columns", "give one for each column")
    return tuple(made.tolist())
