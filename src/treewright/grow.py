"""The grower: one loop over frontiers, or over the most promising node when the number of leaves is limited."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.user_warnings import warn_user
from treewright.engines.compiled.forest_search import ForestSearch
from treewright.engines.compiled.m5_search import m5_fit
from treewright.engines.dispatch import engine_for, in_one_call, known_in_one_call, target_of, without_cells
from treewright.engines.engine import Engine, Found, Subtrees
from treewright.engines.stores.store import Frontier
from treewright.engines.workers import Workers
from treewright.errors import OptionError, shown
from treewright.recipe_parts.recipe import ByFifthRoot, OpenNode, Recipe
from treewright.recipe_parts.significance import p_values
from treewright.tree.build import Round, TreeBuilder
from treewright.tree.tree import Tree
from treewright.typing import Ints, Mask

Report = Callable[[int], None]
MANY_COUNTS = 50_000_000  # nodes × classes, from which a tree takes seconds to grow, and gigabytes
MANY_PER_ROW, MANY_LEAVES = 5, 10_000  # leaves, from which a tree of rows in several branches is told of


def fit_tree(encoded: Encoded, recipe: Recipe, workers: Workers, report: Report | None = None) -> Tree:
    """A tree of the table by the recipe, grown and pruned. ``report`` is told how many more rows are settled."""
    return grown_and_pruned(encoded, recipe, workers, report)[0]


def grown_and_pruned(
    encoded: Encoded, recipe: Recipe, workers: Workers, report: Report | None = None
) -> tuple[Tree, Any]:
    """The same, and the report of what was cut; None where nothing was to be."""
    if isinstance(recipe.choice, ByFifthRoot):  # the choice is the whole of M5': its sums go by the order of rows
        tree = m5_fit(encoded, recipe.choice)
        if report is not None:
            report(encoded.n_rows)
        return tree, None
    tree = _grown(encoded, recipe, workers, report)
    _warn_of_divided(tree, encoded.n_rows, recipe)
    if recipe.models is not None:
        tree = recipe.models(tree, encoded, recipe)
    return (tree, None) if recipe.prune is None else recipe.prune(tree, encoded, recipe)


def _warn_of_divided(tree: Tree, n_rows: int, recipe: Recipe) -> None:
    """Where rows with missing values go down several branches, a tree may have far more leaves than the table rows."""
    n_leaves = tree.n_leaves
    if n_leaves > max(MANY_PER_ROW * n_rows, MANY_LEAVES) and any(policy.is_shared for policy in recipe.missing):
        warn_user(
            f"the tree has {n_leaves:,} leaves for {n_rows:,} rows, since rows with missing values go down several "
            'branches: that takes long. Hint: set min_rows_leaf or max_depth, or use missing="learned".'
        )


def _grown(encoded: Encoded, recipe: Recipe, workers: Workers, report: Report | None) -> Tree:
    tree = _grown_in_one_call(encoded, recipe, workers)
    if tree is None and without_cells(encoded, recipe):
        search = ForestSearch(encoded, recipe, workers, compiled=False)
        return next(search.trees([(recipe.seed, None, None)], report)).tree()
    if tree is None:
        return grow(engine_for(encoded, recipe, workers), recipe, report)
    if report is not None:
        report(encoded.n_rows)
    return tree


def _grown_in_one_call(encoded: Encoded, recipe: Recipe, workers: Workers) -> Tree | None:
    """None where rounds are better, or are all there is."""
    if in_one_call(encoded, recipe):
        return ForestSearch(encoded, recipe, workers).tree(recipe.seed, None, None).tree()
    if known_in_one_call(encoded, recipe):
        from treewright.engines.compiled.known_trees import known_tree

        return known_tree(encoded, recipe, target_of(encoded, recipe), workers)
    return None


def grow(engine: Engine, recipe: Recipe, report: Report | None = None) -> Tree:
    """Grow a tree with the engine's rows by the recipe's choices."""
    growth = Growth(engine, recipe, report or (lambda rows: None))
    root = growth.start()
    if recipe.stop.max_leaves is None:
        growth.level_by_level(root)
    else:
        growth.best_first(root, recipe.stop.max_leaves)
    return growth.finish()


class Growth:
    """A tree while it grows."""

    def __init__(self, engine: Engine, recipe: Recipe, report: Report) -> None:
        self.engine = engine
        self.recipe = recipe
        self.report = report
        self.builder = TreeBuilder()
        self.has_warned = False

    def start(self) -> Frontier:
        return self.start_at(self.engine.root())

    def start_at(self, nodes: Frontier) -> Frontier:
        """Begin with these nodes, numbered from 0; returns those that may be split."""
        self.builder.add_nodes(nodes.rows, nodes.stats)
        return self.open(nodes)

    def open(self, nodes: Frontier) -> Frontier:
        return nodes[np.flatnonzero(self.may_split(nodes))]

    def may_split(self, nodes: Frontier) -> Mask:
        wanted = self.recipe.stop.open(nodes.rows, nodes.depth, nodes.settled)
        if self.recipe.halt is not None:
            stats = self.engine.floats(nodes.stats)
            for i in np.flatnonzero(wanted):
                node = OpenNode(int(nodes.id[i]), int(nodes.depth[i]), int(nodes.rows[i]), stats[i])
                wanted[i] = not _answer(self.recipe.halt(node))
        return wanted

    def best(self, frontier: Frontier) -> Found:
        """The best split of every node, those that may be chance left out."""
        return self.significant(self.engine.best(frontier))

    def significant(self, found: Found) -> Found:
        """Splits without those that may be chance: by their own p, or by that of any column."""
        level = self.recipe.stop.significance
        if level is None:
            return found
        p = p_values(self.engine.floats(found.stats), found.child_start, moments=self.engine.target.moments)
        p = p if found.least_p is None else found.least_p
        return replace(found, column=np.where(p <= level, found.column, -1))

    def level_by_level(self, frontier: Frontier) -> None:
        frontier = self.finish_small(frontier)
        while len(frontier):
            found = self.best(frontier)
            children = self.split(frontier, found, found.taken)
            self.report(int(frontier.rows.sum() - children.rows.sum()))
            frontier = self.finish_small(children)

    def finish_small(self, frontier: Frontier) -> Frontier:
        """Have small nodes grown to the end if the engine can do that; returns the others."""
        rest, small, grown = self.engine.finish(frontier)
        if grown is not None:
            self.add_subtrees(small, grown)
            self.report(int(small.rows.sum()))
        return rest

    def add_subtrees(self, roots: Frontier, grown: Subtrees) -> None:
        first, n = self.builder.n_nodes, len(grown.owner)
        branch_of = np.zeros((n, 3), np.int32)
        branch_of[:, 0], branch_of[:, 2] = grown.missing_branch, 1
        self.builder.add_splits(
            Round(
                id=np.concatenate([roots.id[::-1], first + np.arange(2 * n)])[len(roots) + grown.owner],
                first_child=first + 2 * np.arange(n),
                column=grown.column,
                edge_size=np.ones(n, np.int64),
                edges=grown.edge,
                below=grown.below,
                gain=grown.gain,
                missing=grown.missing,
                branch_size=np.full(n, 3),
                branch_of=branch_of.ravel(),
                test=np.empty((n, 0)),
            )
        )
        self.builder.add_nodes(grown.rows, grown.stats)

    def best_first(self, frontier: Frontier, max_leaves: int) -> None:
        """Always split the node whose split gains most, until there are enough leaves."""
        waiting: list[tuple[float, int, Frontier, Found, Ints]] = []
        n_leaves = 1
        while True:
            if len(frontier):
                found = self.best(frontier)
                self.report(int(frontier.rows[found.column < 0].sum()))
                for f in found.taken:
                    entry = (-float(found.priority[f]), int(frontier.id[f]), frontier, found, np.array([f]))
                    heapq.heappush(waiting, entry)
            if not waiting:
                return
            _, _, nodes, found, picked = heapq.heappop(waiting)
            added = int(np.diff(found.child_start)[picked[0]]) - 1
            if n_leaves + added > max_leaves:
                frontier = nodes[np.empty(0, np.int64)]
                continue
            n_leaves += added
            frontier = self.split(nodes, found, picked)
            self.report(int(nodes.rows[picked].sum() - frontier.rows.sum()))

    def split(self, frontier: Frontier, found: Found, taken: Ints) -> Frontier:
        """Take splits; returns the children that may be split further."""
        children = self.children(frontier, found, taken)
        return self.engine.keep(frontier, found, taken, children, self.may_split(children))

    def children(self, frontier: Frontier, found: Found, taken: Ints) -> Frontier:
        """Take splits without sending the rows; returns all children."""
        children = self.engine.split(frontier, found, taken, self.builder.n_nodes)
        sizes, splits = np.diff(found.child_start)[taken], self.engine.written(found, taken)
        self.builder.add_splits(
            Round(
                id=frontier.id[taken],
                first_child=self.builder.n_nodes + np.cumsum(sizes) - sizes,
                column=found.column[taken],
                edge_size=splits.edge_size,
                edges=splits.edges,
                below=splits.below,
                gain=found.gain[taken],
                missing=found.sent.n_missing[taken],
                branch_size=splits.branch_size,
                branch_of=splits.branch_of,
                test=np.empty((len(taken), 0)) if found.significance is None else found.significance[taken],
            )
        )
        if found.tests.stand_in is not None:
            surrogates = found.tests.stand_in.by_node()
            self.builder.surrogates.update({int(frontier.id[f]): surrogates[f] for f in taken})
        self.builder.add_nodes(children.rows, children.stats)
        self.warn_of_counts(children.stats.shape[1])
        return children

    def warn_of_counts(self, n_classes: int) -> None:
        """Every node counts every class: a branch for each of many levels, twice on a path, has no room."""
        n_nodes = self.builder.n_nodes
        if n_nodes * n_classes < MANY_COUNTS or self.has_warned:
            return
        self.has_warned = True
        warn_user(
            f"the tree has {n_nodes:,} nodes that count {n_classes:,} classes each: time and memory grow with nodes × "
            f"classes, and are {8 * n_nodes * n_classes / 2**30:.1f} GB for each copy by now. Hint: join rare levels "
            "or classes beforehand, or set max_depth."
        )

    def finish(self) -> Tree:
        leaf, target = self.recipe.leaf, self.engine.encoded.schema.target
        tree, counts = self.builder.freeze(leaf.kind)
        stats = self.engine.floats(counts)[:, : leaf.kind.n_stats(len(target.classes or ()))]
        value = leaf.values(stats, tree.parent, target)
        return tree._replace(stats=stats, value=value, gain=self.engine.gains(tree, counts))


def _answer(made: Any) -> bool:
    """What the user's function says of a node; one that returns nothing does not stop."""
    if made is None or isinstance(made, (bool, int, np.bool_)):
        return bool(made)
    raise OptionError(f"stop returned {shown(made)}", "return True to stop at the node, or False")
