"""Which nodes a picture shows: all of a small tree, those of most rows of a large one."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from treewright.prune.methods.bottom_up import sum_up
from treewright.split import EVERY_BRANCH
from treewright.tree.tree import Node, Tree
from treewright.typing import Ints

MOST_LEAVES = 60  # of a tree that is shown whole
CUT_ENDS, CUT_LEVELS = 24, 7  # what is shown of a larger one
MOST_LEVELS = 16  # below the root
MOST_BRANCHES = 8  # of one node; of more the largest are shown, and one place for the others


@dataclass
class ShownNode:
    """A place in the picture. ``node`` is the number in the tree; the place of several branches has that of the first.

    ``branches`` are those that share the place, none of an ordinary one: the smaller ones of many, or leaves without
    rows. ``hidden`` nodes of ``hidden_rows`` rows are left out below it.
    """

    node: int
    parent: int  # place of the parent, -1 at the root
    depth: int
    children: list[int] = field(default_factory=list)
    branches: tuple[int, ...] = ()
    hidden: int = 0
    hidden_rows: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether it is the place of branches that no row takes."""
        return bool(self.branches) and not self.hidden

    @property
    def is_end(self) -> bool:
        return not self.children


@dataclass(frozen=True)
class CutTree:
    """The places in the order of a print: parents before children, branches in order."""

    tree: Tree
    places: tuple[ShownNode, ...]

    @property
    def n_ends(self) -> int:
        return sum(place.is_end for place in self.places)

    @property
    def n_hidden(self) -> int:
        return sum(place.hidden for place in self.places)

    @property
    def top(self) -> int:
        """The node that the picture begins with."""
        return self.places[0].node


def cut_to(tree: Tree, depth: int | None, max_leaves: int | str | None, top: int = 0) -> CutTree:
    """What is shown of the tree below a node: at most ``max_leaves`` ends, nodes of most rows first, ``depth`` levels.

    "auto" shows all of up to MOST_LEAVES leaves, and CUT_ENDS ends of more. Without limits, None, all nodes are shown;
    else no more than MOST_BRANCHES branches of a node.
    """
    one = np.ones(tree.n_nodes, np.int64)
    sizes, n_leaves = sum_up(tree, one, one), int(sum_up(tree, one)[top])
    levels, ends, widest = _limits(tree.n_nodes, n_leaves, max_leaves)
    opened = _opened(tree, top, levels if depth is None else depth, ends, widest)
    return CutTree(tree, tuple(_places(tree, top, opened, sizes, widest)))


def _limits(n_nodes: int, n_leaves: int, max_leaves: int | str | None) -> tuple[int, int, int | None]:
    """Most levels, ends and branches of a node; None: all of them."""
    if max_leaves is None:
        return n_nodes, n_leaves, None
    if isinstance(max_leaves, str):
        is_large = n_leaves > MOST_LEAVES
        return (CUT_LEVELS, CUT_ENDS, MOST_BRANCHES) if is_large else (MOST_LEVELS, MOST_LEAVES, MOST_BRANCHES)
    return MOST_LEVELS, max(max_leaves, 1), MOST_BRANCHES


def _opened(tree: Tree, top: int, limit: int, ends: int, widest: int | None) -> set[int]:
    """The nodes whose children are shown."""
    opened: set[int] = set()
    waiting = [(-int(tree.rows[top]), top, 0)] if tree.n_branches[top] and limit > 0 else []
    ends -= 1
    while waiting:
        _, v, level = heappop(waiting)
        count = int(tree.n_branches[v])
        more = (count if widest is None else min(count, widest)) - 1
        if more > ends:
            continue
        opened.add(v)
        ends -= more
        for child in _named(tree, v, widest) if level + 1 < limit else ():
            if tree.n_branches[child]:
                heappush(waiting, (-int(tree.rows[child]), child, level + 1))
    return opened


def _named(tree: Tree, v: int, widest: int | None) -> list[int]:
    """The children that have a place of their own, in the order of the branches: of too many those of most rows, and
    leaves without rows only where everything is shown."""
    first, count = int(tree.first_child[v]), int(tree.n_branches[v])
    if widest is None:
        return list(range(first, first + count))
    empty = _empty(tree, v)
    full = [child for child in range(first, first + count) if child not in empty]
    if len(full) + bool(empty) <= widest:
        return full
    largest = np.argsort(-tree.rows[full], kind="stable")[: widest - 1]
    return sorted(full[at] for at in largest.tolist())


def _empty(tree: Tree, v: int) -> set[int]:
    """The leaves below a node that no row comes to, if there are several: they share a place."""
    first, count = int(tree.first_child[v]), int(tree.n_branches[v])
    found = {child for child in range(first, first + count) if not tree.rows[child] and not tree.n_branches[child]}
    return found if len(found) > 1 and tree.rows[v] else set()


def _places(tree: Tree, top: int, opened: set[int], sizes: Ints, widest: int | None) -> list[ShownNode]:
    places: list[ShownNode] = []
    waiting = [ShownNode(top, -1, 0)]
    while waiting:
        place = waiting.pop()
        here = len(places)
        places.append(place)
        if place.parent >= 0:
            places[place.parent].children.append(here)
        if place.branches:
            continue
        if place.node in opened:
            waiting += reversed(_below(tree, place, here, sizes, widest))
        elif tree.n_branches[place.node]:
            place.hidden, place.hidden_rows = int(sizes[place.node]) - 1, int(tree.rows[place.node])
    return places


def _rows_of(tree: Tree, v: int, branches: list[int]) -> int:
    """The rows that take some branches of a node; those without a value, which may take each by share, once."""
    split, rows = Node(tree, v).split, tree.rows[branches]
    again = 0
    if split is not None and split.branch_of[0] == EVERY_BRANCH:
        again = int(tree.missing[v]) * max(int(np.count_nonzero(tree.weights[branches])) - 1, 0)
    return max(int(rows.sum()) - again, 0)


def _below(tree: Tree, place: ShownNode, here: int, sizes: Ints, widest: int | None) -> list[ShownNode]:
    named = _named(tree, place.node, widest)
    below = [ShownNode(child, here, place.depth + 1) for child in named]
    first, count = int(tree.first_child[place.node]), int(tree.n_branches[place.node])
    others = [child for child in range(first, first + count) if child not in set(named)]
    if others:
        hidden = 0 if set(others) <= _empty(tree, place.node) else int(sizes[others].sum())
        rows = _rows_of(tree, place.node, others)
        branches = tuple(child - first for child in others)
        below.append(ShownNode(others[0], here, place.depth + 1, [], branches, hidden, rows))
    return below
