"""KD-trees and ball trees: rows cut at medians, searched for the nearest ones."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright.engines.workers import Workers, available_cores
from treewright.errors import OptionError, shown, unknown
from treewright.kernels.jit import Kernel, runner
from treewright.kernels.median_cells import LEAF, NOT_THERE, SpaceCells, cut_all_in_numpy, cut_nodes
from treewright.kernels.nearest import (
    EVERY_PART,
    NOBODY,
    Queries,
    Searched,
    enclose,
    home_cells,
    search_balls,
    search_boxes,
)
from treewright.kernels.switch import should_compile
from treewright.neighbors.brute_force import nearest, of_own_part
from treewright.neighbors.distance_metric import distance_metric
from treewright.neighbors.search_points import search_points
from treewright.typing import Floats, Ints

Self = TypeVar("Self", bound="SpaceTree")

SPLITS = ("variance", "rotate")
_CHUNK = 1_000  # queries a thread takes at a time
_SORTED = 2_000  # queries from which on they are answered cell by cell, which keeps the rows of a cell in the cache
_PLAIN_BUILD = 4e-7  # seconds a row takes per level without compiled kernels
_PLAIN_QUERY = 6e-9  # seconds a distance takes per column, of all rows
_PLAIN_POWER = 3e-7  # the same where p is neither 1, 2 nor infinite
_SMALL = 20_000  # rows below which threads are not woken


class SpaceTree:
    """What KD-trees and ball trees share: the cells, and questions about the nearest rows.

    X: a table of numbers, none of them missing or infinite. Nodes of more than ``leaf_size`` rows are cut at the median
    of one column: with ``split="variance"`` of the one whose values vary most, with "rotate" of each in turn. Rows that
    are all equal stay together. ``metric`` is "euclidean", "manhattan", "chebyshev" or "minkowski" with its ``p``;
    ``weights`` are one number per column. Arrays of the tree cannot be changed.
    """

    _LEAF_SIZE: ClassVar[int] = 16
    _searching: ClassVar[Kernel] = search_boxes

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
        points = search_points(X)
        self.leaf_size = _whole("leaf_size", self._LEAF_SIZE if leaf_size is None else leaf_size)
        if split not in SPLITS:
            raise unknown("split", split, SPLITS)
        self.split = split
        self.metric = distance_metric(metric, p, weights, points.shape[1])
        self.n_jobs = _threads(n_jobs)
        self._build(points)

    # ---- build -------------------------------------------------------------------------------------------------

    def _build(self, points: Floats) -> None:
        points = points.copy()
        order = np.arange(len(points))
        cells = _uncut(len(points), self.leaf_size)
        _cut(points, order, cells, self.leaf_size, self.split == "rotate", self.n_jobs)
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
        words = f"{self.n_rows} rows, {self.n_columns} columns, {self.n_leaves} leaves, depth {self.depth}"
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
        _check_k(k, self.n_rows)
        limit = np.inf if bound is None else self.metric.power(_distance("bound", bound))
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
        asked = Queries(queries, self._turn(queries), _or(query_parts, len(queries)), limit)
        searched = self.searched if parts is None else self.searched._replace(part=parts[self.searched.order])
        powers, rows = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        taken, run = np.empty((len(queries), 2), np.int64), runner(seconds, kernel)
        jobs = self.n_jobs if n_jobs is None else _threads(n_jobs)
        _in_chunks(len(queries), jobs, lambda a, b: run(kernel, searched, asked, a, b, powers, rows, taken))
        nobody = rows == NOBODY
        powers[nobody], rows[nobody] = np.inf, self.n_rows
        return powers, rows, taken

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

    It is for few columns. See :class:`SpaceTree` for the options.

    >>> from treewright.neighbors import KDTree
    >>> KDTree([[1.0], [2.0], [3.0], [4.0]], leaf_size=1)
    KDTree(4 rows, 1 columns, 4 leaves, depth 2, euclidean)
    """


class BallTree(SpaceTree):
    """A ball tree (Omohundro 1989): cells are balls around the mean of their rows.

    It is for more columns than a KD-tree. See :class:`SpaceTree` for the options.

    >>> from treewright.neighbors import BallTree
    >>> distances, indices = BallTree([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]).query([[5.0, 5.0]])
    >>> indices.tolist()
    [[1]]
    """

    _searching = search_balls

    def _enclose(self) -> None:
        n_nodes = len(self.cells.axis)
        centre, radius = np.zeros((n_nodes, self.n_columns)), np.zeros(n_nodes)
        run = runner(_PLAIN_BUILD * self.n_rows * (self.depth + 1), enclose)
        with Workers(self.n_jobs) as workers:
            parts = _levels(n_nodes)
            workers.each(len(parts), lambda i, _: run(enclose, self.searched, *parts[i], centre, radius))
        self.searched = self.searched._replace(centre=centre, radius=radius)


# ---- the build ---------------------------------------------------------------------------------------------------


def _uncut(n_rows: int, leaf_size: int) -> SpaceCells:
    """Room for all nodes of a tree that halves its rows; the root has them all."""
    depth = 0
    while -(-n_rows // (1 << depth)) > leaf_size:
        depth += 1
    n_nodes = (2 << depth) - 1
    axis = np.full(n_nodes, NOT_THERE, np.int32)
    axis[0] = LEAF
    start, end = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    end[0] = n_rows
    return SpaceCells(axis, np.zeros(n_nodes), np.zeros(n_nodes), start, end, np.zeros(n_nodes, np.bool_))


def _cut(points: Floats, order: Ints, cells: SpaceCells, leaf_size: int, rotate: bool, n_jobs: int) -> None:
    depth = (len(cells.axis) + 1).bit_length() - 2
    if not should_compile(_PLAIN_BUILD * len(points) * (depth + 1), cut_nodes):
        cut_all_in_numpy(points, order, leaf_size, rotate, cells)
        return
    top = min(depth + 1, n_jobs.bit_length() + 2) if n_jobs > 1 and len(points) > _SMALL else 0
    with Workers(n_jobs) as workers:
        for level in range(top + 1):  # the first levels node by node, then whatever is below each
            n_levels = 1 if level < top else depth + 1 - level
            workers.each(1 << level, partial(_cut_one, points, order, cells, leaf_size, rotate, level, n_levels))


def _cut_one(
    points: Floats, order: Ints, cells: SpaceCells, leaf_size: int, rotate: bool, level: int, n_levels: int,
    place: int, _: int,
) -> None:  # fmt: skip
    """Cut one node of a level, and so many levels from it on."""
    node = (1 << level) - 1 + place
    if n_levels > 0:
        cut_nodes(points, order, node, node + 1, n_levels, leaf_size, rotate, cells)


def _levels(n_nodes: int) -> list[tuple[int, int]]:
    """Numbers of nodes in parts of about equal work: a level each, that of the leaves being the last."""
    depth = (n_nodes + 1).bit_length() - 1
    return [((1 << level) - 1, (2 << level) - 1) for level in range(depth)]


def _in_chunks(n_rows: int, n_jobs: int, work: Any) -> None:
    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, lambda chunk, _: work(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)))


# ---- checks ------------------------------------------------------------------------------------------------------


def _or(parts: Ints | None, n_rows: int) -> Ints:
    return np.full(n_rows, EVERY_PART) if parts is None else parts


def _whole(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"{name}={shown(value)} is not accepted", f"{name} is a whole number of at least {least}")
    return int(value)


def _check_k(k: Any, n_rows: int) -> None:
    if _whole("k", k) > n_rows:
        raise OptionError(f"k={k} neighbours are asked for, and there are {n_rows} rows", f"k is at most {n_rows}")


def _distance(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not value >= 0:
        raise OptionError(f"{name}={shown(value)} is not accepted", f"{name} is a distance, a number of at least 0")
    return float(value)


def _threads(n_jobs: Any) -> int:
    if n_jobs is None or (isinstance(n_jobs, (int, np.integer)) and n_jobs == -1):
        return available_cores()
    return min(_whole("n_jobs", n_jobs), max(available_cores(), 64))
