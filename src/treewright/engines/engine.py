"""Who counts: the seam between growing a tree and the place where its rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from treewright.split import Surrogate
from treewright.tree.build import spans
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class Frontier:
    """Nodes of one round, as arrays. The statistics are the engine's integers."""

    id: Ints
    depth: Ints
    rows: Ints
    stats: Ints  # (n, n_stats)
    pure: Mask

    def __len__(self) -> int:
        return len(self.id)

    def __getitem__(self, pick: Array) -> Frontier:
        return Frontier(self.id[pick], self.depth[pick], self.rows[pick], self.stats[pick], self.pure[pick])


@dataclass(frozen=True)
class Found:
    """The best split of every node of a frontier; ``column`` is -1 where there is none worth taking.

    Ragged parts are stored end to end: the branches of node f are ``[child_start[f]:child_start[f+1]]`` of ``stats``
    and ``rows``; the branches of its codes ``branch_of[branch_start[f]:branch_start[f+1]]``.
    """

    column: Ints
    gain: Floats
    priority: Floats  # gain times the weight of the node: what the whole tree gains
    edge: Floats  # NaN where the column is not numeric
    missing: Ints
    child_start: Ints
    stats: Ints
    rows: Ints
    branch_start: Ints
    branch_of: Array
    edge_start: Ints | None = None  # splits of several edges: those of node f are from here up to the next start
    edges: Floats | None = None
    test: Floats | None = None  # (n, N_TEST): the significance of the splits, where they were tested
    surrogates: Sequence[tuple[Surrogate, ...]] = ()  # of every node, best first; none at all for most engines

    @property
    def taken(self) -> Ints:
        return np.flatnonzero(self.column >= 0)

    def edges_of(self, taken: Ints) -> tuple[Ints, Floats]:
        """How many edges the taken splits have, and these end to end."""
        if self.edge_start is None or self.edges is None:
            has_edge = ~np.isnan(self.edge[taken])
            return has_edge.astype(np.int64), self.edge[taken][has_edge]
        sizes = np.diff(self.edge_start)[taken]
        return sizes, self.edges[spans(self.edge_start[taken], sizes)]


@dataclass(frozen=True)
class Subtrees:
    """All splits below some nodes. Split s has two branches, ``2·s`` and ``2·s + 1`` of ``rows`` and ``stats``."""

    owner: Ints  # the branch that is split, or -1 - f for node f of the frontier
    column: Ints  # always a numeric one
    edge: Floats
    gain: Floats
    missing: Ints
    missing_branch: Array
    rows: Ints
    stats: Ints


class Engine(Protocol):
    """Counts, finds the best splits and sorts rows into branches, for all open nodes of a round at once."""

    moments: bool  # whether statistics are those of a numeric target

    def root(self) -> Frontier: ...

    def best(self, frontier: Frontier) -> Found: ...

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        """The children of the taken nodes, numbered from ``first_id`` on."""
        ...

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        """Send the rows of the taken nodes down; returns the wanted children, ready to be searched."""
        ...

    def floats(self, stats: Ints) -> Floats:
        """Statistics as a tree keeps them."""
        ...


@runtime_checkable
class Finisher(Protocol):
    """What an engine may do besides: grow small nodes to the end in one go, as rounds would have done."""

    def finish(self, frontier: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """The nodes left to be split in rounds, the nodes that were finished, and all splits below these."""
        ...
