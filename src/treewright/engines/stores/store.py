"""Where rows are: a store counts the cells of columns at the open nodes, sends rows by tests and keeps children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from treewright.engines.stores.node_cells import Cells
from treewright.split import AS_MISSING, STOP, Surrogate
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints, Mask

NO_ROWS = -9  # branch of a level that does not occur at the node: it will go where missing values go
HEAVIEST = -8  # no missing value was there to go by: the heaviest branch
MAJORITY = -7  # the heaviest branch, and nowhere where two are equally heavy


@dataclass(frozen=True)
class Frontier:
    """Nodes of one round, as arrays. The statistics are integers, see ``target_stats``."""

    id: Ints
    depth: Ints
    rows: Ints
    stats: Ints  # (n, n_stats)
    settled: Mask  # no split is wanted

    def __len__(self) -> int:
        return len(self.id)

    def __getitem__(self, pick: Array | slice) -> Frontier:
        return Frontier(self.id[pick], self.depth[pick], self.rows[pick], self.stats[pick], self.settled[pick])


class StandIn(Protocol):
    """Surrogates of the open nodes: tests on other columns that stand in where the tested value is missing."""

    def decide(self, rows: Ints, nodes: Ints) -> Ints:
        """The branch of rows at nodes by the first surrogate that names one; -1 where none does."""
        ...

    def by_node(self) -> Sequence[tuple[Surrogate, ...]]:
        """Of every node, best first."""
        ...


@dataclass(frozen=True)
class Tests:
    """The test of every open node; nodes without one have column -1 and no branches.

    The branches of the codes of node f are ``branch_of[branch_start[f]:branch_start[f+1]]``, or of three codes where
    the test is a cut: missing, up to the cut, above it. A branch may be ABSENT (nobody is there), and that of missing
    values HEAVIEST, MAJORITY, EVERY_BRANCH or STOP.
    """

    column: Ints
    n_branches: Ints
    is_cut: Mask
    cut: Ints  # last code on the left
    edge: Floats  # the number that a cut is at; NaN where the column is not numeric
    below: Floats  # the training value next below a cut; NaN: not known
    branch_start: Ints
    branch_of: Array
    in_full: Mask  # missing values take every branch with all their weight, not a share
    stand_in: StandIn | None = None

    @cached_property
    def child_start(self) -> Ints:
        """Branches stand end to end: those of node f begin here."""
        return offsets(self.n_branches)

    @cached_property
    def columns(self) -> Ints:
        """Those that are tested somewhere."""
        return np.flatnonzero(np.bincount(self.column + 1)[1:])

    def of_missing(self, weight: Floats) -> Ints:
        """The branch of missing values at every node, if the branches have these weights of known values."""
        tested = np.flatnonzero(self.column >= 0)
        to = np.full(len(self.column), STOP)
        to[tested] = self.branch_of[self.branch_start[tested]]
        by_weight, first = tested[to[tested] < AS_MISSING], self.child_start
        sizes = self.n_branches[by_weight]
        for size in np.flatnonzero(np.bincount(sizes)):  # tests of as many branches make one table
            alike = by_weight[sizes == size]
            table = weight[first[alike][:, None] + np.arange(size)]
            torn = (to[alike] == MAJORITY) & ((table == table.max(-1, keepdims=True)).sum(-1) > 1)
            to[alike] = np.where(torn, STOP, table.argmax(-1))
        return to


@dataclass(frozen=True)
class Sent:
    """What the branches of the tests hold, end to end."""

    rows: Ints
    stats: Ints
    n_missing: Ints  # (nodes,) rows whose tested value is missing
    of_missing: Ints  # (nodes,) the branch of missing values, EVERY_BRANCH or STOP
    place: Any = None  # the store's own: where the rows went


class Store(Protocol):
    """Knows where rows are. It is asked for the totals, then in every round: ``open``, ``cells``, ``send``, ``keep``.

    Totals, cells and what was sent are sums of integers: where rows are in parts they are added up, and the tree is the
    same. Only where missing values go depends on all rows: by the statistics of the branches without them.
    """

    def totals(self) -> Ints:
        """The statistics of all rows; asked before any row is sent."""
        ...

    def open(self, nodes: Frontier) -> None:
        """Ask about these nodes from now on: the root, or the wanted children that were kept last."""
        ...

    def cells(self, column: int, worker: int = 0) -> Cells:
        """The cells of a column at the open nodes."""
        ...

    def send(self, tests: Tests) -> Sent:
        """Send the rows of the open nodes by their tests. The nodes stay open, and any of them may be kept later: also
        after others were opened, and one by one."""
        ...

    def keep(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints, children: Frontier, wanted: Mask) -> None:
        """Keep the rows of the wanted children of the taken nodes. ``sent`` is what came of the ``tests`` of the
        ``nodes``, and ``children`` are all branches of those taken."""
        ...


@runtime_checkable
class MedianStore(Protocol):
    """A store that also tells medians, which do not add up over parts."""

    def medians(self, sums: Ints, centre: Floats, tests: Tests | None = None, sent: Sent | None = None) -> Floats:
        """Of the root, or of all branches of the tests: the median of y, the distance Σ w·|y − median| from it, and
        that from the ``centre`` of each node. ``sums`` are the statistics of the same."""
        ...


@runtime_checkable
class BranchStore(Protocol):
    """A store of whole rows that can begin at several nodes, and says which rows of the table it sent where."""

    def begin_at(self, nodes: Frontier) -> None:
        """In place of the root: the rows of the table lie node by node."""
        ...

    def branch_rows(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints) -> Ints:
        """The rows that were sent last to the branches of the taken nodes, end to end, each branch in the order of the
        table. Asked before anything else is sent."""
        ...
