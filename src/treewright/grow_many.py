"""Many trees of one table: each of its own rows and columns, drawn beforehand."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.compiled.forest_search import ForestSearch, MemberParts, serves, serves_side_by_side
from treewright.engines.dispatch import seconds_of_tree
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.narrow_trees import NarrowTree
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.tree import Tree
from treewright.typing import Ints

_AHEAD = 4  # trees for each thread that may be finished before the next one is asked for
_ROWS_AT_ONCE = 2**18  # of trees that are grown side by side

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Member:
    """What one tree is grown from. A row that was drawn twice counts as one row of twice the weight."""

    key: int  # the seed of all that is random in the tree, from 0 up to 2**63
    counts: Ints | None = None  # (rows,) how often each was drawn, 0: out of bag; None: every row once
    columns: Ints | None = None  # the columns it may test; None: all


def fit_trees(
    encoded: Encoded, recipe: Recipe, members: Sequence[Member], workers: Workers, progress: Progress | None = None
) -> Iterator[Tree | NarrowTree]:
    """The trees of the members, in their order, grown and pruned by the recipe. A tree is that which ``fit_tree`` makes
    of ``rows_of`` and ``recipe_of`` the member, however many threads there are; it comes narrow where it is made so.
    ``progress`` is told of every tree."""
    trees: Iterator[Tree | NarrowTree]
    if not serves_side_by_side(encoded, recipe):
        trees = (fit_tree(rows_of(encoded, member), recipe_of(recipe, member), workers) for member in members)
    elif in_one_call_each(encoded, recipe, len(members)):
        trees = _in_threads(encoded, recipe, members, workers)
    else:
        trees = _side_by_side(encoded, recipe, members, workers)
    for tree in trees:
        if progress is not None:
            progress(1)
        yield tree


def in_one_call_each(encoded: Encoded, recipe: Recipe, n_trees: int) -> bool:
    """Whether a kernel knows the recipe, and compiling it pays for so many trees."""
    from treewright.kernels import switch
    from treewright.kernels.forest_kernels.forest import grow_tree

    return serves(encoded, recipe) and switch.should_compile(n_trees * seconds_of_tree(encoded, recipe), grow_tree)


def _side_by_side(
    encoded: Encoded, recipe: Recipe, members: Sequence[Member], workers: Workers
) -> Iterator[NarrowTree]:
    """Without kernels: as many trees at once as have so many rows in all, and draw from equally many columns."""
    search, waiting = ForestSearch(encoded, recipe, workers, compiled=False), list[MemberParts]()
    for member in members:
        parts = (member.key, member.counts, member.columns)
        full = len(waiting) * encoded.n_rows >= _ROWS_AT_ONCE
        if waiting and (full or _n_columns(waiting[0]) != _n_columns(parts)):
            yield from search.trees(waiting)
            waiting.clear()
        waiting.append(parts)
    yield from search.trees(waiting)


def _n_columns(member: MemberParts) -> int | None:
    return None if member[2] is None else len(member[2])


def _in_threads(encoded: Encoded, recipe: Recipe, members: Sequence[Member], workers: Workers) -> Iterator[NarrowTree]:
    """Every thread grows a tree of its own. This one only waits, so that Ctrl-C is heard at once: then all stop."""
    search = ForestSearch(encoded, recipe, workers)
    waiting: deque[Future[NarrowTree]] = deque()
    pool = ThreadPoolExecutor(workers.n_jobs, thread_name_prefix="treewright")
    try:
        for member in members:
            waiting.append(pool.submit(search.tree, member.key, member.counts, member.columns))
            if len(waiting) > _AHEAD * workers.n_jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        search.interrupt()
        pool.shutdown(cancel_futures=True)


def rows_of(encoded: Encoded, member: Member) -> Encoded:
    """The rows of the draw, each weighing as much as it was drawn often; codes are those of the whole table."""
    if member.counts is None:
        return encoded
    keep = member.counts > 0
    rows = encoded if keep.all() else encoded.take(keep)
    if (member.counts[keep] == 1).all():
        return rows
    counts = member.counts[keep].astype(np.float64)
    return replace(rows, weights=counts if rows.weights is None else rows.weights * counts)


def recipe_of(recipe: Recipe, member: Member) -> Recipe:
    """With the member's own seed, and draws from its columns only."""
    if member.columns is None:
        return replace(recipe, seed=member.key)
    draw = recipe.draw or ColumnDraw(len(member.columns))
    return replace(recipe, seed=member.key, draw=replace(draw, among=tuple(member.columns.tolist())))
