"""One search, step by step: every cut, every cell looked at, and why the others were skipped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.explain.number_text import format_number, plural
from treewright.kernels.neighbor_kernels.median_cells import SpaceCells
from treewright.neighbors.distance_metric import DistanceMetric
from treewright.neighbors.search_report import CASES
from treewright.typing import Floats

_SLACK, _TINY = 1e-10, 1e-290  # as in kernels/neighbor_kernels/nearest.py
CUT, CELL, SKIPPED = "cut", "cell", "skipped"


@dataclass(frozen=True, repr=False)
class TraceStep(DisplayedRecord):
    """A step of a search.

    ``kind`` is "cut" (the query goes to one side, the other begins ``off`` away), "cell" (``rows`` are compared, at
    ``distances``) or "skipped" (all rows below ``node`` are at least ``off`` away, and the k-th is nearer). ``reach``
    is the distance to the k-th nearest row known after the step, infinite before there are k.
    """

    kind: str
    node: int
    off: float
    reach: float
    text: str
    rows: tuple[int, ...] = ()
    distances: tuple[float, ...] = ()


@dataclass(frozen=True, repr=False)
class SearchTrace(Displayed):
    """``rows`` and ``distances`` are the neighbours found, the nearest first; ``case`` as in ``SearchReport``.

    ``own`` is the distance to the k-th nearest row in the cell of the query, ``t1`` that to the first cut and ``t2``
    that to the nearest of the other cuts on the way to the cell; infinite where there is none.
    """

    query: tuple[float, ...]
    k: int
    steps: tuple[TraceStep, ...]
    rows: tuple[int, ...]
    distances: tuple[float, ...]
    n_rows: int
    own: float
    t1: float
    t2: float

    @property
    def case(self) -> int:
        return 1 + (not self.own < self.t2) + 2 * (not self.own < self.t1)

    @property
    def looked_at(self) -> list[int]:
        """The leaves that were looked at, in this order."""
        return [step.node for step in self.steps if step.kind == CELL]

    @property
    def skipped(self) -> dict[int, TraceStep]:
        """The nodes that were skipped with all below them."""
        return {step.node: step for step in self.steps if step.kind == SKIPPED}

    @property
    def n_distances(self) -> int:
        return sum(len(step.distances) for step in self.steps)

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "step": list(range(1, len(self.steps) + 1)),
            "kind": [step.kind for step in self.steps],
            "node": [step.node for step in self.steps],
            "what is done": [step.text for step in self.steps],
        }
        heading, *_, found, case = str(self).splitlines()
        return Sheet(columns, heading, (found, case))

    def __str__(self) -> str:
        where = ", ".join(map(format_number, self.query))
        lines = [f"The {self.k} nearest of ({where}):" if self.k > 1 else f"The nearest of ({where}):"]
        lines += [f"{place}. {step.text}" for place, step in enumerate(self.steps, 1)]
        found = ", ".join(f"{row} at {format_number(d)}" for row, d in zip(self.rows, self.distances))
        lines.append(f"Found: row {found}; {self.n_distances} of {self.n_rows} distances.")
        shown = ", ".join(f"{name} = {'∞' if np.isinf(d) else format_number(d)}" for name, d in
                          (("d", self.own), ("d(t1)", self.t1), ("d(t2)", self.t2)))  # fmt: skip
        return "\n".join([*lines, f"Case {self.case} ({shown}): {CASES[self.case]}."])


@dataclass
class _Searching:
    """A search under way. Rows are found in the order of the kernel, whose results these are."""

    cells: SpaceCells
    columns: Floats
    order: Any
    metric: DistanceMetric
    names: tuple[str, ...]
    query: Floats
    k: int
    found: list[tuple[float, int]] = field(default_factory=list)
    steps: list[TraceStep] = field(default_factory=list)

    @property
    def power(self) -> float:
        """Of the k-th nearest so far."""
        return self.found[self.k - 1][0] if len(self.found) >= self.k else np.inf

    @property
    def reach(self) -> float:
        return float(self.metric.distances(self.power))

    def visit(self, node: int, offsets: Floats, how: str) -> None:
        """All that is below a node, the nearer side of its cut first."""
        axis = int(self.cells.axis[node])
        if axis < 0:
            return self._look(node, how)
        x, below, above = self.query[axis], float(self.cells.below[node]), float(self.cells.above[node])
        left = x <= below or (x < above and x - below <= above - x)
        near, far = (2 * node + 1, 2 * node + 2) if left else (2 * node + 2, 2 * node + 1)
        begins = above if left else below
        weight = float(self.metric.column_weights(len(self.columns))[axis])
        beyond = offsets.copy()
        beyond[axis] = max(float(self.metric.term(begins - x, weight)), offsets[axis])
        bound = beyond.max() if self.metric.p == np.inf else beyond.sum()
        off = float(self.metric.distances(bound))
        self._cut(node, axis, left, begins, off, how)
        self.visit(near, offsets, "")
        side = f"{self.names[axis]} {'≥' if left else '≤'} {format_number(begins)}"
        if bound > self.power * (1 + _SLACK) + _TINY:
            n = int(self.cells.end[far] - self.cells.start[far])
            text = (
                f"[{far}] {side} begins {format_number(off)} away, farther than {format_number(self.reach)}: "
                f"skipped with its {plural(n, 'row')}"
            )
            self.steps.append(TraceStep(SKIPPED, far, off, self.reach, text))
            return None
        known = "nothing is known yet" if np.isinf(self.power) else f"not farther than {format_number(self.reach)}"
        return self.visit(far, beyond, f"{side} begins {format_number(off)} away, {known}: ")

    def _cut(self, node: int, axis: int, left: bool, begins: float, off: float, how: str) -> None:
        cut = (float(self.cells.below[node]) + float(self.cells.above[node])) / 2
        told = f"{self.names[axis]} = {format_number(float(self.query[axis]))} {'≤' if left else '>'}"
        text = (
            f"[{node}] {how}{told} t = {format_number(cut)}, {'left' if left else 'right'} first; "
            f"the other side begins at {format_number(begins)}"
        )
        self.steps.append(TraceStep(CUT, node, off, self.reach, text))

    def _look(self, node: int, how: str) -> None:
        places = slice(int(self.cells.start[node]), int(self.cells.end[node]))
        rows = self.order[places].tolist()
        powers = self.metric.powers(self.query[np.newaxis], self.columns[:, places].T)[0]
        distances = np.asarray(self.metric.distances(powers)).tolist()
        self.found = sorted([*self.found, *zip(powers.tolist(), rows)])[: self.k]
        shown = ", ".join(f"{row} at {format_number(d)}" for row, d in zip(rows, distances))
        then = f"the {_th(self.k)} nearest is {format_number(self.reach)} away" if np.isfinite(self.reach) else (
            f"{len(self.found)} of {self.k} known")  # fmt: skip
        taken = tuple(distances[:1] if self.cells.same[node] else distances)  # equal rows take one distance
        text = f"[{node}] {how}cell of {plural(len(rows), 'row')}: {shown}; {then}"
        self.steps.append(TraceStep(CELL, node, 0.0, self.reach, text, tuple(rows), taken))


def _th(k: int) -> str:
    ending = "th" if 10 <= k % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}" if k > 1 else "very"


def _own_cell(tree: Any, query: Floats, k: int) -> tuple[float, float, float]:
    """What the four cases compare: the k-th distance in the cell of the query, and those to t1 and t2."""
    cells, node, off = tree.cells, 0, []
    weights = tree.metric.column_weights(len(query)).tolist()
    while cells.axis[node] >= 0:
        axis, below, above = int(cells.axis[node]), float(cells.below[node]), float(cells.above[node])
        cut = below + (above - below) / 2
        off.append(float(tree.metric.distances(tree.metric.term(query[axis] - cut, weights[axis]))))
        node = 2 * node + 1 if query[axis] <= cut else 2 * node + 2
    inside = tree.searched.columns[:, int(cells.start[node]) : int(cells.end[node])].T
    powers = np.sort(tree.metric.powers(query[np.newaxis], inside)[0])
    own = float(tree.metric.distances(powers[k - 1])) if len(powers) >= k else np.inf
    return own, off[0] if off else np.inf, min(off[1:], default=np.inf)


def trace_search(tree: Any, query: Floats, k: int) -> SearchTrace:
    """The search of a KD-tree for the k nearest rows of one query."""
    searched = tree.searched
    under_way = _Searching(tree.cells, searched.columns, searched.order, tree.metric, tree.names, query, k)
    outside = np.maximum(np.maximum(searched.low - query, query - searched.high), 0.0)
    weights = tree.metric.column_weights(len(query))
    offsets = np.array([float(tree.metric.term(off, weight)) for off, weight in zip(outside, weights.tolist())])
    under_way.visit(0, offsets, "")
    rows = tuple(row for _, row in under_way.found)
    distances = tuple(float(tree.metric.distances(power)) for power, _ in under_way.found)
    own, t1, t2 = _own_cell(tree, query, k)
    return SearchTrace(tuple(query.tolist()), k, tuple(under_way.steps), rows, distances, tree.n_rows, own, t1, t2)
