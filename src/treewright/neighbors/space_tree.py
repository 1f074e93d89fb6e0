"""KD-trees and ball trees: rows cut at medians, searched for the nearest ones."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from treewright.data.frame import default_names
from treewright.engines.workers import Workers
from treewright.errors import DataError, unknown
from treewright.explain.number_text import plural
from treewright.kernels.jit import Kernel, runner
from treewright.kernels.neighbor_kernels.median_cells import LEAF, NOT_THERE, SpaceCells
from treewright.kernels.neighbor_kernels.nearest import (
    NOBODY,
    Queries,
    Searched,
    enclose,
    home_cells,
    search_balls,
    search_boxes,
)
from treewright.kernels.neighbor_kernels.radius_search import search_cases, search_within
from treewright.kernels.switch import should_compile
from treewright.neighbors.brute_force import nearest, of_own_part
from treewright.neighbors.cell_build import PLAIN_BUILD, cut_cells, levels, uncut
from treewright.neighbors.distance_metric import distance_metric
from treewright.neighbors.search_options import (
    TREE_PARAMETERS,
    check_k,
    distance,
    parts_or_none,
    reaches,
    threads,
    whole,
)
from treewright.neighbors.search_points import search_points
from treewright.neighbors.search_report import SearchReport
from treewright.neighbors.search_trace import SearchTrace, trace_search
from treewright.option_text import WithParameters
from treewright.typing import Array, Floats, Ints

SPLITS = ("variance", "rotate")
_CHUNK = 1_000  # queries a thread takes at a time
_SORTED = 2_000  # queries from which on they are answered cell by cell, which keeps the rows of a cell in the cache
_PLAIN_QUERY = 6e-9  # seconds a distance takes per column, of all rows
_PLAIN_POWER = 3e-7  # the same where p is neither 1, 2 nor infinite


class SpaceTree:
    """What KD-trees and ball trees share: the cells, and questions about the nearest rows.

    Nodes of more than ``leaf_size`` rows are cut at the median of one column. Rows that are all equal stay together.
    Arrays of the tree cannot be changed.
    """

    _LEAF_SIZE: ClassVar[int] = 32
    _searching: ClassVar[Kernel] = search_boxes

    def __init_subclass__(cls, **given: Any) -> None:
        """Let the docstring of every tree end with its options."""
        super().__init_subclass__(**given)
        setattr(cls, "__doc__", WithParameters(str(cls.__doc__), lambda kind: TREE_PARAMETERS))  # noqa: B010 - no str

    def __init__(
        self,
        X: Any,
        leaf_size: int | None = None,
        metric: str = "euclidean",
        *,
        p: float | None = None,
        weights: Any = None,
        split: str = "variance",
        n_jobs: int | None = None,
    ) -> None:
        self.names = tuple(map(str, getattr(X, "columns", ()))) or default_names(np.shape(X)[-1] if np.ndim(X) else 0)
        points = search_points(X)
        self.leaf_size = whole("leaf_size", self._LEAF_SIZE if leaf_size is None else leaf_size)
        if split not in SPLITS:
            raise unknown("split", split, SPLITS)
        self.split = split
        self.metric = distance_metric(metric, p, weights, points.shape[1])
        self.n_jobs = threads(n_jobs)
        self._build(points)

    # ---- build -------------------------------------------------------------------------------------------------

    def _build(self, points: Floats) -> None:
        points = points.copy()
        order = np.arange(len(points))
        cells = uncut(len(points), self.leaf_size)
        cut_cells(points, order, cells, self.leaf_size, self.split == "rotate", self.n_jobs)
        self._set(cells, np.ascontiguousarray(points.T), order)

    def _set(self, cells: SpaceCells, columns: Floats, order: Ints) -> None:
        """Take the cells as they are; nothing of them changes from here on."""
        nothing = np.empty((0, len(columns)))
        self.searched = Searched(
            cells, columns, order, np.empty(0, np.int64), columns.min(1), columns.max(1), nothing, np.empty(0),
            self.metric.column_weights(len(columns)), self.metric.p,
        )  # fmt: skip
        self._enclose()
        for array in (*cells, *(part for part in self.searched if isinstance(part, np.ndarray))):
            array.flags.writeable = False

    def _enclose(self) -> None:
        """What the kind of tree adds to the cells."""

    # ---- what it holds -----------------------------------------------------------------------------------------

    @property
    def cells(self) -> SpaceCells:
        return self.searched.cells

    @property
    def n_rows(self) -> int:
        return len(self.searched.order)

    @property
    def n_columns(self) -> int:
        return len(self.searched.columns)

    @cached_property
    def n_leaves(self) -> int:
        return int((self.cells.axis == LEAF).sum())

    @cached_property
    def depth(self) -> int:
        """Cuts on the longest way to a leaf."""
        return int(np.flatnonzero(self.cells.axis != NOT_THERE)[-1] + 1).bit_length() - 1

    @cached_property
    def data(self) -> Floats:
        """The rows as they were given."""
        rows = np.empty((self.n_rows, self.n_columns))
        rows[self.searched.order] = self.searched.columns.T
        rows.flags.writeable = False
        return rows

    def __repr__(self) -> str:
        counts = plural(self.n_rows, "row"), plural(self.n_columns, "column"), plural(self.n_leaves, "leaf", "leaves")
        words = f"{', '.join(counts)}, depth {self.depth}"
        return f"{type(self).__name__}({words}, {self.metric.name})"

    # ---- questions ---------------------------------------------------------------------------------------------

    def query(
        self, X: Any, k: int = 1, return_distance: bool = True, *, bound: float | None = None, n_jobs: int | None = None
    ) -> Any:
        """Distances and numbers of the ``k`` nearest rows of each row of X: (distances, indices), the nearest first.

        Of rows equally far the one of the lowest number comes first. ``bound``: rows farther than this do not count;
        where there are fewer than k others, the rest has an infinite distance and the number ``n_rows``.

        >>> from treewright.neighbors import KDTree
        >>> distances, indices = KDTree([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]).query([[0.0, 1.0]], k=2)
        >>> indices.tolist(), distances.round(2).tolist()
        ([[0, 1]], [[1.0, 4.24]])
        """
        queries = search_points(X, n_columns=self.n_columns)
        check_k(k, self.n_rows)
        limit = np.inf if bound is None else self.metric.power(distance("bound", bound))
        powers, rows, _ = self._nearest(queries, k, limit=limit, n_jobs=n_jobs)
        distances = self.metric.distances(powers)
        if bound is not None:
            beyond = distances > bound
            distances[beyond], rows[beyond] = np.inf, self.n_rows
        return (distances, rows) if return_distance else rows

    def _nearest(
        self,
        queries: Floats,
        k: int,
        *,
        limit: float = np.inf,
        parts: Ints | None = None,
        query_parts: Ints | None = None,
        n_jobs: int | None = None,
        counting: bool = False,
    ) -> tuple[Floats, Ints, Ints]:
        """Powers and rows of the nearest, and how many distances and cells each took (if ``counting``).

        A query finds no row of its own part. Where nothing more is found: an infinite power, and ``n_rows``.
        """
        each = _PLAIN_QUERY if self.metric.p in (1, 2, np.inf) else _PLAIN_POWER
        kernel, seconds = self._searching, each * len(queries) * self.n_rows * self.n_columns
        if not should_compile(seconds, kernel) and not counting:
            hidden = None if parts is None or query_parts is None else of_own_part(parts, query_parts)
            powers, rows = nearest(self.data, queries, k, self.metric, hidden, limit)
            return powers, rows, np.zeros((len(queries), 2), np.int64)
        asked = Queries(queries, self._turn(queries), parts_or_none(query_parts, len(queries)), limit)
        searched = self.searched if parts is None else self.searched._replace(part=parts[self.searched.order])
        powers, rows = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        taken, run = np.empty((len(queries), 2), np.int64), runner(seconds, kernel)
        jobs = self.n_jobs if n_jobs is None else threads(n_jobs)
        _in_chunks(len(queries), jobs, lambda a, b: run(kernel, searched, asked, a, b, powers, rows, taken))
        nobody = rows == NOBODY
        powers[nobody], rows[nobody] = np.inf, self.n_rows
        return powers, rows, taken

    def query_radius(
        self, X: Any, r: Any, return_distance: bool = False, count_only: bool = False, *, n_jobs: int | None = None
    ) -> Any:
        """All rows within the distance ``r`` (one, or one per query) of each row of X: an array of numbers for each.

        The nearest comes first, of equals the lowest number. With ``return_distance`` (numbers, distances), in
        scikit-learn's order; with ``count_only`` how many there are.

        >>> from treewright.neighbors import KDTree
        >>> tree = KDTree([[0.0], [1.0], [4.0]])
        >>> tree.query_radius([[1.0]], 1.0)[0].tolist(), tree.query_radius([[1.0]], 3.0, count_only=True).tolist()
        ([1, 0], [3])
        """
        queries, reach = search_points(X, n_columns=self.n_columns), reaches(r, len(np.asarray(X)))
        query, rows, distances = self._within(queries, reach, self.n_jobs if n_jobs is None else threads(n_jobs))
        counts = np.bincount(query, minlength=len(queries))
        if count_only:
            return counts
        ends = np.cumsum(counts)[:-1]
        found = _in_an_array(np.split(rows, ends), len(queries))
        return (found, _in_an_array(np.split(distances, ends), len(queries))) if return_distance else found

    def _within(self, queries: Floats, reach: Floats, n_jobs: int) -> tuple[Ints, Ints, Floats]:
        """Query, row and distance of every pair that is near enough, in this order."""
        limits = np.array([self.metric.power(each) for each in reach])
        seconds = _PLAIN_QUERY * len(queries) * self.n_rows * self.n_columns
        if not should_compile(seconds, search_within):
            powers = self.metric.powers(queries, self.data)
            query, rows = np.nonzero(powers <= limits[:, np.newaxis])
            distances = self.metric.distances(powers[query, rows])
        else:
            query, rows, distances = self._collected(queries, limits, reach, n_jobs)
        near = distances <= reach[query]
        query, rows, distances = query[near], rows[near], distances[near]
        order = np.lexsort((rows, distances, query))
        return query[order], rows[order], distances[order]

    def _collected(self, queries: Floats, limits: Floats, reach: Floats, n_jobs: int) -> tuple[Ints, Ints, Floats]:
        """The same by the tree: first how many there are, then which."""
        start, reaches = np.zeros(len(queries) + 1, np.int64), reach * (1 + 1e-9)
        powers, rows = np.empty(0), np.empty(0, np.int64)

        def work(first: int, last: int) -> None:
            search_within(self.searched, queries, limits, reaches, first, last, start, powers, rows)

        _in_chunks(len(queries), n_jobs, work)
        counts, start = start[1:].copy(), np.cumsum(start)
        powers, rows = np.empty(int(start[-1])), np.empty(int(start[-1]), np.int64)
        if len(rows):
            _in_chunks(len(queries), n_jobs, work)
        return np.repeat(np.arange(len(queries)), counts), rows, self.metric.distances(powers)

    def report(self, X: Any, k: int = 1) -> SearchReport:
        """What the search for the ``k`` nearest rows of each row of X takes: its case of four, distances, cells.

        >>> import numpy as np
        >>> from treewright.neighbors import KDTree
        >>> rng = np.random.default_rng(0)
        >>> print(KDTree(rng.random((1000, 2))).report(rng.random((100, 2))))
        case 1 (stop: the cell of the query has its nearest rows): 73%
        case 2 (through t2: on to cells on the same side of the first cut): 20%
        case 3 (through t1: on to the other side of the first cut): 4%
        case 4 (all: both cuts are nearer than the nearest rows of the cell): 3%
        40.4 of 1000 distances and 1.3 of 32 cells per query
        """
        queries = search_points(X, n_columns=self.n_columns)
        check_k(k, self.n_rows)
        taken, case = self._nearest(queries, k, counting=True)[2], np.empty(len(queries), np.int64)
        run = runner(1e-4 * len(queries), search_cases)
        _in_chunks(len(queries), self.n_jobs, lambda a, b: run(search_cases, self.searched, queries, a, b, k, case))
        return SearchReport(case, taken[:, 0], taken[:, 1], self.n_rows, self.n_leaves)

    def options(self) -> dict[str, Any]:
        """The options that make the same tree of the same rows."""
        p = self.metric.p if self.metric.name == "minkowski" else None
        weights = None if self.metric.weights is None else list(self.metric.weights)
        return {
            "leaf_size": self.leaf_size, "metric": self.metric.name, "p": p, "weights": weights, "split": self.split
        }  # fmt: skip

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tree to a file, as JSON or .npz by its name; ``tw.neighbors.load(path)`` reads it back."""
        from treewright.neighbors.tree_files import save

        save(self, path)

    def _turn(self, queries: Floats) -> Ints:
        """The order in which queries are answered: of many, those of the same cell one after the other."""
        if len(queries) < _SORTED:
            return np.arange(len(queries))
        return np.argsort(self._home(queries), kind="stable")

    def _home(self, queries: Floats) -> Ints:
        """The leaf that the values of each query lead to."""
        home = np.empty(len(queries), np.int64)
        run = runner(1e-5 * len(queries) * (self.depth + 1), home_cells)
        _in_chunks(len(queries), self.n_jobs, lambda a, b: run(home_cells, self.searched, queries, a, b, home))
        return home


class KDTree(SpaceTree):
    """A KD-tree (Bentley 1975): cells are boxes; those whose boundary is farther than the k-th distance are skipped.

    It is for few columns.

    >>> from treewright.neighbors import KDTree
    >>> KDTree([[1.0], [2.0], [3.0], [4.0]], leaf_size=1)
    KDTree(4 rows, 1 column, 4 leaves, depth 2, euclidean)
    """

    def trace(self, row: Any, k: int = 1) -> SearchTrace:
        """The search for the ``k`` nearest rows of one row, step by step; ``print`` shows it.

        >>> from treewright.neighbors import KDTree
        >>> print(KDTree([[1.0], [2.0], [4.0], [8.0]], leaf_size=1).trace([4.5]))
        The nearest of (4.5):
        1. [0] x0 = 4.5 > t = 3, right first; the other side begins at 2
        2. [2] x0 = 4.5 ≤ t = 6, left first; the other side begins at 8
        3. [5] cell of 1 row: 2 at 0.5; the very nearest is 0.5 away
        4. [6] x0 ≥ 8 begins 3.5 away, farther than 0.5: skipped with its 1 row
        5. [1] x0 ≤ 2 begins 2.5 away, farther than 0.5: skipped with its 2 rows
        Found: row 2 at 0.5; 1 of 4 distances.
        Case 1 (d = 0.5, d(t1) = 1.5, d(t2) = 1.5): stop: the cell of the query has its nearest rows.
        """
        query = search_points([row] if np.ndim(row) == 1 else row, "the row", self.n_columns)
        if len(query) != 1:
            raise DataError(f"one row is traced at a time, got {len(query)}", "pass a single row")
        check_k(k, self.n_rows)
        return trace_search(self, query[0], k)


class BallTree(SpaceTree):
    """A ball tree (Omohundro 1989): cells are balls around the mean of their rows.

    It is for more columns than a KD-tree.

    >>> from treewright.neighbors import BallTree
    >>> distances, indices = BallTree([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]).query([[5.0, 5.0]])
    >>> indices.tolist()
    [[1]]
    """

    _LEAF_SIZE = 64
    _searching = search_balls

    def _enclose(self) -> None:
        n_nodes = len(self.cells.axis)
        centre, radius = np.zeros((n_nodes, self.n_columns)), np.zeros(n_nodes)
        run = runner(PLAIN_BUILD * self.n_rows * (self.depth + 1), enclose)
        with Workers(self.n_jobs) as workers, np.errstate(over="ignore"):
            parts = levels(n_nodes)
            workers.each(len(parts), lambda i, _: run(enclose, self.searched, *parts[i], centre, radius))
        self.searched = self.searched._replace(centre=centre, radius=radius)


def _in_chunks(n_rows: int, n_jobs: int, work: Any) -> None:
    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, lambda chunk, _: work(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)))


def _in_an_array(parts: list[Array], n: int) -> Array:
    made = np.empty(n, object)
    for i in range(n):
        made[i] = parts[i]
    return made
