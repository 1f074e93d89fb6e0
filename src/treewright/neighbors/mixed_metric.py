"""Distances between rows of numbers and levels, some of them missing.

HEOM (Wilson & Martinez 1997): √Σ d², d being |x − z| / range for numbers, 0 or 1 for equal or different levels, and 1
where either is missing. VDM, theirs for mixed tables (HVDM): numbers |x − z| / 4σ, levels √Σ (P(class | one) −
P(class | other))² over the classes (Stanfill & Waltz 1986). Gower (1971): the mean of d, as in HEOM, over the columns
that both rows have; 1 if there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.engines.workers import Workers
from treewright.kernels.jit import runner
from treewright.kernels.neighbor_kernels.mixed_nearest import MixedQueries, MixedRows, mixed_powers, search_mixed
from treewright.kernels.neighbor_kernels.nearest import EVERY_PART, NOBODY
from treewright.kernels.switch import should_compile
from treewright.neighbors.brute_force import of_own_part, smallest
from treewright.neighbors.column_scaling import ColumnScaling, column_scaling
from treewright.typing import Floats, Ints

MIXED_METRICS = ("heom", "gower", "vdm")
IBK = "ibk"  # Weka's: HEOM, but a missing number is as far off as it could be
_OWN_SCALE = {"heom": "minmax", "gower": "minmax", "vdm": "standard", IBK: "minmax"}
_SIGMAS = 4.0  # by which VDM divides numbers
_CHUNK = 200  # queries a thread takes at a time
_CELLS = 2_000_000  # distances that are held at a time
_PLAIN = 2e-8  # seconds a cell takes in NumPy


@dataclass(frozen=True, eq=False)
class MixedSearch:
    """Rows to be searched by one of the metrics; ``classes`` are those of the rows, which VDM needs."""

    metric: str
    schema: Schema
    rows: MixedRows
    scaling: ColumnScaling
    n_rows: int
    n_jobs: int

    @property
    def as_numbers(self) -> list[int]:
        return numbers_among(self.schema, self.metric)

    @property
    def as_levels(self) -> list[int]:
        taken = set(self.as_numbers)
        return [j for j in range(len(self.schema.columns)) if j not in taken]

    def nearest(
        self, matrix: Floats, k: int, parts: Ints | None = None, query_parts: Ints | None = None
    ) -> tuple[Floats, Ints]:
        """Distances and numbers of the k nearest rows, of equals the lowest number first; as ``SpaceTree._nearest``."""
        queries = self._queries(matrix, query_parts)
        cells = len(matrix) * self.n_rows * len(self.schema.columns)
        if not should_compile(_PLAIN * cells, search_mixed):
            return self._by_powers(queries, k, parts)
        powers, found = np.empty((len(matrix), k)), np.empty((len(matrix), k), np.int64)
        own = np.empty(0, np.int64) if parts is None else parts

        def search(chunk: int, _: int) -> None:
            first, last = chunk * _CHUNK, min((chunk + 1) * _CHUNK, len(matrix))
            search_mixed(self.rows, own, queries, first, last, powers, found)

        with Workers(self.n_jobs) as workers:
            workers.each(-(-len(matrix) // _CHUNK), search, cells=cells)
        nobody = found == NOBODY
        powers[nobody], found[nobody] = np.inf, self.n_rows
        return self._distances(powers), found

    def distances(self, matrix: Floats) -> Floats:
        """Of every query (down) to every row (across)."""
        return self._distances(self._powers(self._queries(matrix, None), 0, len(matrix)))

    def _by_powers(self, queries: MixedQueries, k: int, parts: Ints | None) -> tuple[Floats, Ints]:
        n = len(queries.numbers)
        powers, found = np.empty((n, k)), np.empty((n, k), np.int64)
        step = max(1, _CELLS // self.n_rows)
        for first in range(0, n, step):
            last = min(first + step, n)
            block = self._powers(queries, first, last)
            nobody = np.zeros(block.shape, np.bool_)
            hidden = nobody if parts is None else of_own_part(parts, queries.part[first:last])
            powers[first:last], found[first:last] = smallest(block, hidden, k)
        return self._distances(powers), found

    def _powers(self, queries: MixedQueries, first: int, last: int) -> Floats:
        out = np.empty((last - first, self.n_rows))
        run = runner(_PLAIN * out.size * len(self.schema.columns), mixed_powers)
        run(mixed_powers, self.rows, queries, first, last, out)
        return out

    def _distances(self, powers: Floats) -> Floats:
        return powers if self.metric == "gower" else np.sqrt(powers)

    def _queries(self, matrix: Floats, parts: Ints | None) -> MixedQueries:
        numbers = np.ascontiguousarray(self.scaling(matrix[:, self.as_numbers]))
        part = np.full(len(matrix), EVERY_PART) if parts is None else parts
        return MixedQueries(numbers, _codes(matrix[:, self.as_levels]), part)


def numbers_among(schema: Schema, metric: str) -> list[int]:
    """Columns that are compared by their differences: numbers and, but for VDM and Weka, ordinal levels by place."""
    kinds = (Kind.NUMERIC,) if metric in ("vdm", IBK) else (Kind.NUMERIC, Kind.ORDINAL)
    return [j for j, column in enumerate(schema.columns) if column.kind in kinds]


def mixed_search(
    metric: str,
    schema: Schema,
    matrix: Floats,
    *,
    classes: Ints | None = None,
    scale: str | None = "auto",
    weights: Sequence[float] | None = None,
    n_jobs: int = 1,
) -> MixedSearch:
    """Rows of a prediction matrix, made ready. ``scale`` "auto" is the metric's own."""
    numbers = numbers_among(schema, metric)
    levels = [j for j in range(len(schema.columns)) if j not in set(numbers)]
    chosen = _OWN_SCALE[metric] if scale == "auto" else scale
    scaling = column_scaling(chosen, matrix[:, numbers], _SIGMAS if metric == "vdm" and scale == "auto" else 1.0)
    of_columns = np.ones(len(schema.columns)) if weights is None else np.array(weights, np.float64)
    codes = _codes(matrix[:, levels])
    shares, start = _shares(codes, [len(schema.columns[j].levels) for j in levels], classes)
    rows = MixedRows(
        np.ascontiguousarray(scaling(matrix[:, numbers]).T),
        np.ascontiguousarray(codes.T),
        of_columns[numbers],
        of_columns[levels],
        shares if metric == "vdm" else np.empty((0, 0)),
        start,
        metric == "gower",
        metric == IBK,
    )
    return MixedSearch(metric, schema, rows, scaling, len(matrix), n_jobs)


def _codes(levels: Floats) -> Any:
    return np.ascontiguousarray(np.where(np.isnan(levels), 0, levels).astype(np.int32))


def _shares(codes: Ints, n_levels: Sequence[int], classes: Ints | None) -> tuple[Floats, Ints]:
    """P(class | level) of every level of every column, one below the other, each column from its code 0 on."""
    start = np.concatenate([[0], np.cumsum(np.array(n_levels, np.int64) + 1)]).astype(np.int64)
    if classes is None:
        return np.empty((0, 0)), start
    counts = np.zeros((int(start[-1]), int(classes.max()) + 1))
    for j in range(codes.shape[1]):
        np.add.at(counts, (start[j] + codes[:, j], classes), 1.0)
    return counts / np.maximum(counts.sum(1, keepdims=True), 1.0), start
