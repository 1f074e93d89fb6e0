"""Options of a search: what they accept."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.engines.workers import available_cores
from treewright.errors import OptionError, shown
from treewright.kernels.neighbor_kernels.nearest import EVERY_PART
from treewright.option_text import Parameter
from treewright.typing import Floats, Ints

TREE_PARAMETERS = (
    Parameter("X", "table", "", "A table of numbers, none of them missing or infinite.", "", "[[1.0], [2.0]]"),
    Parameter("leaf_size", "int or None", "None", "The most rows of a leaf; None is 32 or, of a ball tree, 64.",
              "a whole number of at least 1 or None", "16"),
    Parameter("metric", "str", "'euclidean'", "The distance.",
              "one of 'euclidean', 'manhattan', 'chebyshev', 'minkowski'", "'manhattan'"),
    Parameter("p", "float or None", "None", "The exponent of minkowski.", "a number of at least 1 or None", "3"),
    Parameter("weights", "array-like or None", "None", "How much each column counts, a number each.",
              "numbers of at least 0", "[1, 2]"),
    Parameter("split", "str", "'variance'",
              "Which column a node is cut at: the one whose values vary most (variance), or each in turn (rotate).",
              "one of 'variance', 'rotate'", "'rotate'"),
    Parameter("n_jobs", "int or None", "None", "How many threads may run; None is as many as there are cores.",
              "None, -1 or a whole number of at least 1", "2"),
)  # fmt: skip


def parts_or_none(parts: Ints | None, n_rows: int) -> Ints:
    return np.full(n_rows, EVERY_PART) if parts is None else parts


def whole(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"{name}={shown(value)} is not accepted", f"{name} is a whole number of at least {least}")
    return int(value)


def check_k(k: Any, n_rows: int) -> None:
    if whole("k", k) > n_rows:
        raise OptionError(
            f"k={shown(k)} neighbours are asked for, and there are {n_rows} rows", f"k is at most {n_rows}"
        )


def distance(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not value >= 0:
        raise OptionError(f"{name}={shown(value)} is not accepted", f"{name} is a distance, a number of at least 0")
    return float(value)


def reaches(r: Any, n: int) -> Floats:
    """A distance for each query."""
    try:
        made = np.asarray(r, np.float64)
    except (TypeError, ValueError):
        made = np.array(np.nan)
    if isinstance(r, bool) or made.ndim > 1 or not (made >= 0).all() or (made.ndim == 1 and len(made) != n):
        raise OptionError(f"r={shown(r)} is not accepted", "r is a distance of at least 0, or one for each query")
    return np.array(np.broadcast_to(made, n))


def threads(n_jobs: Any) -> int:
    if n_jobs is None or (isinstance(n_jobs, (int, np.integer)) and n_jobs == -1):
        return available_cores()
    return min(whole("n_jobs", n_jobs), max(available_cores(), 64))
