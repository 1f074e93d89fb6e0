"""Splits of one column that might be taken, at all open nodes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import HEAVIEST, NO_ROWS
from treewright.recipe_parts.missing import Missing
from treewright.split import EVERY_BRANCH, STOP
from treewright.typing import Array, Floats, Ints, Mask

Turns = Callable[[Ints, Ints], Ints]
BranchOf = Callable[[Ints], Array]  # from proposals to the branch of every code, ABSENT where that is not known
_PER_BRANCH = ("stats", "rows", "number")
_PER_PROPOSAL = ("node", "n_branches", "missing_to", "cut", "above", "place", "turn")
NO_PLACE, KNOWN_OR_NOT = -1, -2


@dataclass(frozen=True)
class Proposals:
    """``c`` proposals, whose branches have statistics here. Where some have fewer than others they have empty ones.

    They come in any order: it is ``turn`` that ranks the proposals of a node. To sort them all would take longer than
    to score them.
    """

    node: Ints  # (c,)
    stats: Ints  # (c, branches, n_stats)
    rows: Ints  # (c, branches)
    number: Ints  # (c, branches) the number a branch has in the tree
    n_branches: Ints  # (c,) how many branches the tree has, those of levels that do not occur included
    missing_to: Ints  # (c,) number of the branch of missing values, or HEAVIEST, EVERY_BRANCH, STOP
    cut: Ints  # (c,) ordered columns: last code of the left branch
    above: Ints  # (c,) ordered columns: first code of the right branch; 0 where only missing values are there
    place: Ints  # (c,) of the last cell on the left, or the one alone, among the cells in their order; negative: a mark
    turn: Ints  # (c,) of equals at a node the one of the lowest turn is taken
    branch_of: BranchOf | None  # nominal columns
    edge: ClassVar[None] = None  # of numeric columns: midway between the codes beside the cut

    def __len__(self) -> int:
        return len(self.node)

    def __getitem__(self, pick: Array) -> Proposals:
        parts = {name: getattr(self, name)[pick] for name in (*_PER_BRANCH, *_PER_PROPOSAL)}
        branch_of = self.branch_of
        return Proposals(**parts, branch_of=None if branch_of is None else lambda chosen: branch_of(pick[chosen]))

    def where(self, mask: Mask) -> Proposals:
        return self if mask.all() else self[np.flatnonzero(mask)]

    def in_turn(self) -> Proposals:
        """By node, and within a node by turn."""
        return self[np.lexsort((self.turn, self.node))]

    def branches(self, n_codes: int, *, is_cut: bool) -> Array:
        """The branch of every code, of three codes where the proposals are cuts of numbers; see ``Tests``."""
        if self.branch_of is None:
            return _of_cuts(self.cut, self.missing_to, n_codes, is_cut=is_cut)
        branches = self.branch_of(np.arange(len(self)))
        own = np.where(branches[:, 0] == NO_ROWS, HEAVIEST, branches[:, 0])
        branches[:, 0] = np.where(self.missing_to == HEAVIEST, own, self.missing_to)
        return branches


class FoundSplits(NamedTuple):
    """One split for each of some nodes, found by other means than proposals."""

    n_branches: Ints | int
    cut: Ints
    above: Ints
    missing_to: Ints | int = HEAVIEST  # of cuts
    branch_of: Array | None = None  # nominal columns: (nodes, codes) that of missing values as ``missing_to``
    edge: tuple[Floats, Floats] | None = None  # numeric columns: threshold and number below, if known already

    def branches(self, n_codes: int, *, is_cut: bool) -> Array:
        """See ``Proposals``."""
        if self.branch_of is not None:
            return self.branch_of
        return _of_cuts(self.cut, self.missing_to, n_codes, is_cut=is_cut)


def found_levels(n_branches: Ints | int, branch_of: Array) -> FoundSplits:
    none = np.zeros(len(branch_of), np.int64)
    return FoundSplits(n_branches, none, none, branch_of=branch_of)


def _of_cuts(cut: Ints, missing_to: Ints | int, n_codes: int, *, is_cut: bool) -> Array:
    if is_cut:
        branches = np.empty((len(cut), 3), np.int32)
        branches[:, 1], branches[:, 2] = 0, 1
    else:
        branches = (np.arange(n_codes) > cut[:, None]).astype(np.int32)
    branches[:, 0] = missing_to
    return branches


def two_branches(
    node: Ints,
    left: tuple[Ints, Ints],
    total: tuple[Ints, Ints],
    cut: Ints,
    above: Ints,
    branch_of: BranchOf | None,
    place: Ints,
    turn: Ints,
) -> Proposals:
    """A left branch of these rows and statistics, and the rest of the total on the right."""
    rows, stats = (_beside(mine, whole) for mine, whole in zip(left, total))
    n = len(node)
    number = np.broadcast_to(np.arange(2), (n, 2))
    return Proposals(node, stats, rows, number, np.full(n, 2), np.full(n, HEAVIEST), cut, above, place, turn, branch_of)


def _beside(left: Ints, total: Ints) -> Ints:
    both = np.empty((len(left), 2, *left.shape[1:]), np.int64)
    both[:, 0] = left
    np.subtract(total, left, out=both[:, 1])
    return both


def joined(parts: list[Proposals]) -> Proposals:
    parts = [part for part in parts if len(part)] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    most = max(part.rows.shape[1] for part in parts)
    per_branch = {name: np.concatenate([_padded(getattr(p, name), most) for p in parts]) for name in _PER_BRANCH}
    per_proposal = {name: np.concatenate([getattr(p, name) for p in parts]) for name in _PER_PROPOSAL}
    return Proposals(**per_branch, **per_proposal, branch_of=_joined_branches(parts))


def _joined_branches(parts: list[Proposals]) -> BranchOf | None:
    sources = [part.branch_of for part in parts]
    start = np.cumsum([0, *map(len, parts)])

    def branch_of(chosen: Ints) -> Array:
        which = np.searchsorted(start, chosen, side="right") - 1
        return np.array([sources[k](np.array([i - start[k]]))[0] for k, i in zip(which, chosen)])

    return None if None in sources else branch_of


def _padded(values: Ints, n_branches: int) -> Ints:
    if values.shape[1] == n_branches:
        return values
    return np.pad(values, [(0, 0), (0, n_branches - values.shape[1]), *[(0, 0)] * (values.ndim - 2)])


def known_or_not(cells: Cells, n_nodes: int, n_codes: int, *, nominal: bool = False, turn: int = 0) -> Proposals:
    """All known values on the left, the missing ones on the right, at nodes that have both."""
    known, (rows, stats) = cells.known, cells.missing(n_nodes)
    node = np.flatnonzero(rows)
    node = node[np.isin(node, known.node)] if len(node) else node
    left = known.totals(node, n_nodes)
    cut = np.full(len(node), n_codes - 1)
    none = np.zeros(len(node), np.int64)
    total = left[0] + rows[node], left[1] + stats[node]
    branch_of = (lambda chosen: _zeros(chosen, n_codes)) if nominal else None
    found = two_branches(node, left, total, cut, none, branch_of, none + KNOWN_OR_NOT, none + turn)
    return replace(found, missing_to=none + 1)


def _zeros(chosen: Ints, n_codes: int) -> Array:
    return np.zeros((len(chosen), n_codes), np.int32)


def missing_mark(policy: Missing) -> int:
    """What stands in place of a branch where missing values do not take one; 0 where they do."""
    return EVERY_BRANCH if policy.is_shared else STOP if policy.stops else 0


def with_missing(known: Proposals, rows: Ints, stats: Ints, policy: Missing, turns: Turns) -> list[Proposals]:
    """Say where missing values go. ``rows`` and ``stats`` are those of the missing values at every node; ``turns`` says
    when proposals of some turns come whose missing values go down some branches."""
    if policy.is_shared or policy.stops:
        return [replace(known, missing_to=np.full(len(known), missing_mark(policy)))]
    some = rows[known.node] > 0
    if policy not in (Missing.LEARNED, Missing.BRANCH) or not some.any():
        return [known]
    untold, told = known[np.flatnonzero(~some)], known.where(some)
    if policy is Missing.BRANCH:
        return [untold, _with_own_branch(told, rows, stats)]
    return [untold, _into_each(told, rows, stats, turns)]


def _with_own_branch(known: Proposals, rows: Ints, stats: Ints) -> Proposals:
    own = known.n_branches
    return replace(
        known,
        stats=np.concatenate([known.stats, stats[known.node][:, None]], axis=1),
        rows=np.concatenate([known.rows, rows[known.node][:, None]], axis=1),
        number=np.concatenate([known.number, own[:, None]], axis=1),
        n_branches=own + 1,
        missing_to=own,
    )


def _into_each(known: Proposals, rows: Ints, stats: Ints, turns: Turns) -> Proposals:
    """Missing values go down one branch, each in turn to which others go."""
    branch, place = np.nonzero(known.rows.T > 0)
    told, each = known[place], np.arange(len(place))  # a copy, which may be changed
    told.stats[each, branch] += stats[told.node]
    told.rows[each, branch] += rows[told.node]
    return replace(told, missing_to=told.number[each, branch], turn=turns(told.turn, branch))


def like_code(known: Proposals, code: Ints) -> Proposals:
    """Missing values go where this code of their node goes, the code being one that occurs there."""
    mine = code[known.node]
    if known.branch_of is None:
        return replace(known, missing_to=(mine > known.cut).astype(np.int64))
    branch_of = known.branch_of

    def with_missing_like_code(chosen: Ints) -> Array:
        branches = branch_of(chosen)
        branches[:, 0] = branches[np.arange(len(chosen)), mine[chosen]]
        return branches

    return replace(known, branch_of=with_missing_like_code)
