"""The training cases, their weights and the options, as growing and pruning share them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from treewright.c50.node import EMPTY, C50Node
from treewright.c50.rounding import single
from treewright.kernels.c50_kernels import c50_division as division
from treewright.kernels.c50_kernels.c50_division import AMOUNT, CLASS, END, START
from treewright.kernels.c50_kernels.c50_frames import Estimates
from treewright.kernels.c50_kernels.c50_node_search import UNLIMITED
from treewright.kernels.c50_kernels.c50_partitions import all_partitions
from treewright.kernels.c50_kernels.c50_search import CaseTable, SearchOptions
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns
from treewright.kernels.jit import on_this_road
from treewright.typing import Array, Floats, Ints, Mask

_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
_FEWEST, _MOST = 500, 1000  # cases per class between which the least gain changes from the average to bits


class Branch(NamedTuple):
    """A branch while it is worked on: its cases are ``cases[first:last]``, the unknown ones first."""

    number: int
    first: int
    last: int
    weight: float  # own cases and the share of unknown ones
    has_unknown: bool
    found: Floats  # totals of its cases

    @property
    def is_empty(self) -> bool:
        return self.weight < EMPTY

    @property
    def is_leaf(self) -> bool:
        """Whether its cases are not told, because no more is done with them."""
        return self.last == 0

    @property
    def node(self) -> C50Node:
        """A leaf of its totals."""
        weight, label, errors = self.found[-3:].tolist()
        return C50Node(self.found[:-3], weight, int(label), errors)


@dataclass
class Training:
    """Cases, weights and options of one tree. Weights and the order of cases change while it is made."""

    table: CaseTable
    weights: Floats  # 64-bit, holding 32-bit numbers
    factors: Floats  # class multipliers of costs, 1 without
    costs: Floats | None  # [predicted, true], 0 on the diagonal
    subset: bool
    confidence: float
    least: float  # weight of a branch
    in_use: Mask
    n_cases: int
    all_many: bool  # every column has values for a third of the cases
    unit_weights: bool  # every case started with weight 1
    sorted: SortedColumns
    is_winnowing: bool = False
    leaves_per_case: float | None = None  # None in the first trial
    regrows: bool = True
    cases: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    branches: Ints = field(default_factory=lambda: np.empty(0, np.int32))  # of the cases of a node that is divided
    moves: Ints = field(default_factory=lambda: np.empty(0, np.int32))  # scratch of the same
    weighed: Array = field(default_factory=lambda: np.empty((0, 2), np.float32))  # weights beside classes, as moved

    @property
    def n_classes(self) -> int:
        return int(self.table.n_classes)

    @property
    def has_factors(self) -> bool:
        """Whether costs of two classes have multiplied the weights."""
        return self.costs is not None and self.n_classes == 2

    @property
    def stops(self) -> division.Stops:
        """When a new node is not divided."""
        return division.Stops(float(self.least), -1.0 if self.leaves_per_case is None else float(self.leaves_per_case))

    @property
    def estimates(self) -> Estimates:
        return Estimates(max(self.confidence, 1e-6), deviation(self.confidence), self.has_factors)

    @property
    def search(self) -> SearchOptions:
        per_class = self.n_cases // self.n_classes
        part = min(max((per_class - _FEWEST) / (_MOST - _FEWEST), 0.0), 1.0)
        of_average, of_bits = (0.0, 0.0) if self.is_winnowing else (single(1 - part), single(0.9 * part))
        dropped = not self.subset and not self.all_many
        most_values = 0.3 * self.n_cases if dropped else UNLIMITED
        most = int(self.table.n_values.max(initial=0)) if self.subset else 0
        numbers = float(self.least), float(of_average), float(of_bits), float(most_values)
        return SearchOptions(bool(self.subset), *numbers, all_partitions(most))

    def column(self, node: C50Node) -> Array:
        return np.asarray(self.table.values[node.column])

    def divided(self, node: C50Node, first: int, last: int) -> Iterator[Branch]:
        """Every branch of the node's test in turn, with the cases and their weights as they are in the branch.

        Of leaves the cases are not told, only their totals.
        """
        column, cut, groups = self.table.values[node.column], node.cut, node.groups
        is_unknown, weighed, cases, n_classes = (
            self.table.is_unknown[node.column],
            self.weighed,
            self.cases,
            self.n_classes,
        )
        is_leaf = np.array([branch.is_leaf for branch in node.branches], np.bool_)
        n_branches = len(is_leaf)
        own, real, sizes = np.zeros((3, n_branches + 1))
        begin = on_this_road(division.begin_division)(
            column, cut, groups, cases, self.branches, first, last, weighed, self.factors, self.has_factors, False, own,
            real, sizes,
        )  # fmt: skip
        shares, unknown = self._shares(node, real)
        found, sums = np.zeros((n_branches, n_classes + 3)), np.zeros(n_classes)
        branch_weights, next_branch = (own[1:] + shares * unknown).tolist(), on_this_road(division.next_branch)
        state, done, has_unknown = np.array([0, first, begin, last, 0, 0, 0]), 0, begin > first
        while True:
            b = next_branch(
                is_unknown, cases, self.branches, self.moves, weighed, n_classes, own, sizes, shares, unknown,
                is_leaf, self.stops, False, state, found, sums,
            )  # fmt: skip
            for passed in range(done, b if b >= 0 else n_branches):
                yield Branch(passed, 0, 0, branch_weights[passed], has_unknown, found[passed])
            if b < 0:
                return
            yield Branch(b, int(state[START]), int(state[END]), branch_weights[b], has_unknown, found[b])
            done = b + 1

    def _shares(self, node: C50Node, real: Floats) -> tuple[Floats, float]:
        """The share of each branch for unknown cases, and their weight."""
        shares = np.zeros(len(real) - 1)
        unknown = division.set_shares.plain(real, node.weight, self.has_factors, shares)
        return shares, float(unknown)

    def start(self, cases: Ints) -> int:
        """All these cases, in their order, as those of the root; returns how many there are."""
        self.cases, self.branches = cases.copy(), np.empty(len(cases), np.int32)
        self.moves = np.empty_like(self.branches)
        self.weighed = weighed_cases(self.table.labels)
        self.weighed[:, AMOUNT] = self.weights
        return len(cases)

    def moved_weights(self, cases: Ints) -> Floats:
        """What these cases weigh at present, while the cases of a node are divided."""
        return np.asarray(self.weighed[cases, AMOUNT], np.float64)

    def keep_weights(self) -> None:
        """Keep the weights as moving cases has left them."""
        self.weights[:] = self.weighed[:, AMOUNT]


def weighed_cases(labels: Ints) -> Array:
    """The classes of cases, with room for their weights beside them."""
    made = np.zeros((len(labels), 2), np.float32)
    made[:, CLASS] = labels
    return made


def deviation(confidence: float) -> float:
    """The square of the normal quantile that C4.5's table gives, in 32 bits."""
    quantile = float(np.interp(confidence, _CONFIDENCES, _DEVIATIONS))
    return float(single(quantile * quantile))
