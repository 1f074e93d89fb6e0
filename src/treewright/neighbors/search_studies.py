"""Two studies of a search: what more columns do to a KD-tree, and how long comparing all rows takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from treewright.display import Displayed
from treewright.neighbors.search_options import whole
from treewright.neighbors.space_tree import BallTree, KDTree
from treewright.plot_style import count_axis, legend, new_axes, theme_of, title
from treewright.typing import Floats, Ints

_COLUMNS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
_ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)


@dataclass(frozen=True, eq=False, repr=False)
class CaseStudy(Displayed):
    """Rows at random, of ever more columns: the share of the queries in each of the four cases, and of the rows whose
    distance a query takes. ``case_shares`` has a row for each number of columns."""

    columns: Ints
    case_shares: Floats
    kd_distances: Floats
    ball_distances: Floats
    n_rows: int
    k: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        cases = {f"case {c + 1}": self.case_shares[:, c].tolist() for c in range(4)}
        distances = {"kd distances": self.kd_distances.tolist(), "ball distances": self.ball_distances.tolist()}
        return {"columns": self.columns.tolist(), **cases, **distances}

    def __str__(self) -> str:
        lines = ["columns  case 1  case 2  case 3  case 4  distances: KD-tree  ball tree"]
        for d, shares, kd, ball in zip(self.columns, self.case_shares, self.kd_distances, self.ball_distances):
            cases = "  ".join(f"{share:6.1%}" for share in shares)
            lines.append(f"{d:7}  {cases}             {kd:7.1%}    {ball:7.1%}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """The share of case 4, and of the rows compared, against the number of columns. Returns matplotlib's axes."""
        axes = new_axes(ax)
        theme = theme_of(axes)
        lines = (
            (self.case_shares[:, 3], "o-", "case 4: all cells are to be looked at"),
            (self.kd_distances, "s--", "rows compared, KD-tree"),
            (self.ball_distances, "^-.", "rows compared, ball tree"),
        )
        for place, (shares, style, words) in enumerate(lines):
            axes.plot(self.columns, 100 * shares, style, color=theme.line(place), label=words)
        axes.set_xlabel("columns")
        axes.set_ylabel("% of queries, % of rows")
        axes.set_ylim(-3, 103)
        legend(axes, loc="lower right")
        title(axes, f"{self.n_rows:,} rows at random, k = {self.k}: the curse of dimensionality")
        return axes


def case_study(
    columns: Sequence[int] = _COLUMNS,
    n_rows: int = 2_000,
    n_queries: int = 200,
    *,
    k: int = 1,
    leaf_size: int = 16,
    random_state: int = 0,
) -> CaseStudy:
    """How often a search is of case 4, as bad as comparing all rows, by the number of columns. Rows are uniform.

    >>> study = case_study([2, 12], 500, 50)
    >>> study.case_shares[:, 3].tolist()
    [0.0, 1.0]
    """
    for name, value in (("n_rows", n_rows), ("n_queries", n_queries), ("k", k)):
        whole(name, value)
    numbers = [whole("columns", d) for d in columns]
    rng, shares, kd, ball = np.random.default_rng(whole("random_state", random_state, least=0)), [], [], []
    for d in numbers:
        rows, queries = rng.random((n_rows, d)), rng.random((n_queries, d))
        found = KDTree(rows, leaf_size).report(queries, k)
        shares.append(found.case_shares)
        kd.append(found.n_distances.mean() / n_rows)
        ball.append(BallTree(rows, leaf_size).report(queries, k).n_distances.mean() / n_rows)
    return CaseStudy(np.array(numbers), np.array(shares), np.array(kd), np.array(ball), n_rows, k)


@dataclass(frozen=True, eq=False, repr=False)
class TimeStudy(Displayed):
    """Seconds per query, a row for each number of rows and a column for each number of columns."""

    rows: Ints
    columns: Ints
    brute_seconds: Floats
    kd_seconds: Floats

    @property
    def per_cell(self) -> float:
        """Seconds that comparing all rows takes for each cell of the table, by the largest one."""
        return float(self.brute_seconds[-1, -1] / (self.rows[-1] * self.columns[-1]))

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {
            "rows": np.repeat(self.rows, len(self.columns)).tolist(),
            "columns": np.tile(self.columns, len(self.rows)).tolist(),
            "seconds, comparing all": self.brute_seconds.ravel().tolist(),
            "seconds, KD-tree": self.kd_seconds.ravel().tolist(),
        }

    def __str__(self) -> str:
        lines = ["    rows  columns  comparing all  KD-tree   (microseconds per query)"]
        for i, n in enumerate(self.rows):
            for j, d in enumerate(self.columns):
                brute, kd = 1e6 * self.brute_seconds[i, j], 1e6 * self.kd_seconds[i, j]
                lines.append(f"{n:8,}  {d:7}  {brute:13.1f}  {kd:7.1f}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Seconds against rows × columns, both on logarithmic axes: O(N·D) is a straight line. Returns the axes."""
        axes = new_axes(ax)
        theme = theme_of(axes)
        cells = self.rows[:, np.newaxis] * self.columns
        order = np.argsort(cells.ravel(), kind="stable")
        x = cells.ravel()[order]
        axes.plot(x, x * self.per_cell * 1e6, ":", color=theme.soft, label="proportional to N·D")
        axes.plot(x, 1e6 * self.brute_seconds.ravel()[order], "o", color=theme.line(0), label="comparing all rows")
        for place, d in enumerate(self.columns):
            words = f"KD-tree, {d} column{'s' if d > 1 else ''}"
            kd = 1e6 * self.kd_seconds[:, place]
            axes.plot(cells[:, place], kd, "s--", markersize=4, color=theme.line(place + 1), label=words)
        axes.set(xscale="log", yscale="log", xlabel="rows × columns (N·D)", ylabel="microseconds per query")
        for axis in (axes.xaxis, axes.yaxis):
            count_axis(axis)
        axes.tick_params(axis="x", labelrotation=30)
        legend(axes)
        title(axes, "one query among N rows of D columns")
        return axes


def time_study(
    rows: Sequence[int] = _ROWS,
    columns: Sequence[int] = (2, 8),
    n_queries: int = 50,
    *,
    k: int = 1,
    repeats: int = 3,
    random_state: int = 0,
) -> TimeStudy:
    """How long a query takes by comparing all rows, and by a KD-tree; in one thread, the best of ``repeats``."""
    sizes, widths = ([whole(name, n) for n in given] for name, given in (("rows", rows), ("columns", columns)))
    rng = np.random.default_rng(whole("random_state", random_state, least=0))
    brute, kd = np.empty((2, len(sizes), len(widths)))
    for j, d in enumerate(widths):
        for i, n in enumerate(sizes):
            points, queries = rng.random((n, d)), rng.random((whole("n_queries", n_queries), d))
            trees = KDTree(points, n, n_jobs=1), KDTree(points, n_jobs=1)
            for tree, seconds in zip(trees, (brute, kd)):
                tree.query(queries[:1], k)  # whatever is compiled or loaded for it
                seconds[i, j] = _best(partial(tree.query, queries, k), repeats) / n_queries
    return TimeStudy(np.array(sizes), np.array(widths), brute, kd)


def _best(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(whole("repeats", repeats)):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
