"""The training cases, their weights and the options, as growing and pruning share them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from treewright.c50.node import EMPTY, C50Node, TestKind
from treewright.c50.rounding import single, singles
from treewright.kernels.c50_kernels import c50_division as division
from treewright.kernels.c50_kernels.c50_division import END, START
from treewright.kernels.c50_kernels.c50_information import extra_errors
from treewright.kernels.c50_kernels.c50_search import CaseTable, SearchOptions, TestsOfColumns
from treewright.kernels.jit import on_this_road
from treewright.typing import Array, Floats, Ints, Mask

_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
_FEWEST, _MOST = 500, 1000  # cases per class between which the least gain changes from the average to bits
_MANY = 1000, 10  # cases and branches of a node, above which light unknown cases are left out of growing
UNLIMITED = 1e18


class _Kernels:
    """What is called for every node, as functions of the road that the process is on."""

    def __init__(self) -> None:
        self.begin_division = on_this_road(division.begin_division)
        self.next_branch = on_this_road(division.next_branch)
        self.node_totals = on_this_road(division.node_totals)
        self.extra_errors = on_this_road(extra_errors)


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
    is_winnowing: bool = False
    leaves_per_case: float | None = None  # None in the first trial
    regrows: bool = True
    cases: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    found: TestsOfColumns = field(init=False)
    search: SearchOptions = field(init=False)
    deviation: float = field(init=False)

    def __post_init__(self) -> None:
        n_columns, most = len(self.table.kinds), int(self.table.n_values.max(initial=3))
        groups = np.full((n_columns, most + 1), division.NOWHERE, np.int64)
        gain, information, cut = np.zeros((3, n_columns))
        self.found = TestsOfColumns(gain, information, cut, np.zeros(n_columns, np.int64), groups)
        self.search = self._search_options()
        self.deviation = deviation(self.confidence)
        self._kernels = _Kernels()
        limit = -1.0 if self.leaves_per_case is None else self.leaves_per_case
        self._stops = division.Stops(float(self.least), float(limit))

    @property
    def n_classes(self) -> int:
        return int(self.table.n_classes)

    @property
    def has_factors(self) -> bool:
        """Whether costs of two classes have multiplied the weights."""
        return self.costs is not None and self.n_classes == 2

    def _search_options(self) -> SearchOptions:
        per_class = self.n_cases // self.n_classes
        part = min(max((per_class - _FEWEST) / (_MOST - _FEWEST), 0.0), 1.0)
        of_average, of_bits = (0.0, 0.0) if self.is_winnowing else (single(1 - part), single(0.9 * part))
        dropped = not self.subset and not self.all_many
        most_values = 0.3 * self.n_cases if dropped else UNLIMITED
        return SearchOptions(self.subset, self.least, float(of_average), float(of_bits), most_values)

    def allowance(self, weight: float) -> float:
        """How many leaves a node of this weight may have."""
        if self.leaves_per_case is None:
            return UNLIMITED
        return float(np.rint(single(self.leaves_per_case * weight)))

    def node_of(self, first: int, last: int) -> C50Node:
        found = self._kernels.node_totals(self.cases, first, last, self.table.labels, self.weights, self.n_classes)
        weight, label, errors = found[-3:].tolist()
        return C50Node(found[:-3], weight, int(label), errors)

    def is_final(self, node: C50Node) -> bool:
        """Whether a new node is a leaf: of one class, too light, or out of leaves."""
        is_one_class = node.counts[node.label] >= division.ONE_CLASS * node.weight
        return bool(is_one_class or node.weight < 2 * self.least or self.allowance(node.weight) < 2)

    def estimate(self, weight: float, errors: float, label: int) -> float:
        """Errors and extra errors; class multipliers are undone before and applied after."""
        if not self.has_factors:
            return float(single(errors + self._extra(weight, errors)))
        own, other = self.factors[label], self.factors[1 - label]
        real_errors = errors / other
        extra = other * self._extra((weight - errors) / own + real_errors, real_errors)
        return float(single(errors + extra))

    def _extra(self, weight: float, errors: float) -> float:
        return float(self._kernels.extra_errors(weight, errors, max(self.confidence, 1e-6), self.deviation))

    def column(self, node: C50Node) -> Array:
        return np.asarray(self.table.values[node.column])

    def divided(self, node: C50Node, first: int, last: int, *, count: bool) -> Iterator[Branch]:
        """Every branch of the node's test in turn, with the cases and their weights as they are in the branch.

        A node without branches is being grown. Of leaves the cases are not told, only their totals.
        """
        column, cut, groups = self.table.values[node.column], node.cut, node.groups
        labels, weights, cases, n_classes = self.table.labels, self.weights, self.cases, self.n_classes
        is_leaf = np.array([branch.is_leaf for branch in node.branches], np.bool_)
        n_branches = len(is_leaf) or self._n_branches(node)
        amounts, begin = self._kernels.begin_division(
            column, cut, groups, cases, first, last, labels, weights, self.factors, count, n_branches
        )
        shares, unknown = self._shares(node, amounts[1])
        is_many = not len(is_leaf) and last - first > _MANY[0] and n_branches >= _MANY[1]
        without_light = is_many and begin - first > 0.5 * (last - first)
        found, own = np.zeros((n_branches, n_classes + 3)), amounts[0]
        branch_weights = (own[1:] + shares * unknown).tolist()
        state, done, has_unknown = np.array([0, first, begin, last, 0, 0, 0]), 0, begin > first
        while True:
            b = self._kernels.next_branch(
                column, cut, groups, cases, labels, weights, n_classes, own, shares, unknown, is_leaf, self._stops,
                without_light, state, found,
            )  # fmt: skip
            for passed in range(done, b if b >= 0 else n_branches):
                yield Branch(passed, 0, 0, branch_weights[passed], has_unknown, found[passed])
            if b < 0:
                return
            yield Branch(b, int(state[START]), int(state[END]), branch_weights[b], has_unknown, found[b])
            done = b + 1

    def _shares(self, node: C50Node, amounts: Floats) -> tuple[Floats, float]:
        """The share of each branch for unknown cases, and their weight."""
        unknown = single(amounts[0])
        known = float(amounts[1:].sum()) if self.has_factors else single(node.weight - unknown)
        if unknown <= 0 or known <= 0:
            return np.zeros(len(amounts) - 1), unknown
        return singles(singles(amounts[1:]) / known), unknown

    def _n_branches(self, node: C50Node) -> int:
        if node.kind is TestKind.NUMBER:
            return 3
        if node.kind is TestKind.EACH_VALUE:
            return int(self.table.n_values[node.column])
        return int(node.groups.max())

    def start(self, cases: Ints) -> int:
        """All these cases, in their order, as those of the root; returns how many there are."""
        self.cases = cases.copy()
        return len(cases)


def deviation(confidence: float) -> float:
    """The square of the normal quantile that C4.5's table gives, in 32 bits."""
    quantile = float(np.interp(confidence, _CONFIDENCES, _DEVIATIONS))
    return float(single(quantile * quantile))
