"""How ensembles keep their trees: each array in its smallest type, without what follows from others.

A tree of a forest takes a hundred bytes a node, and a quarter of that if it is kept so. Whoever asks for a tree is
given an ordinary one, number by number the tree that was kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from treewright.leaves import class_shares, means, medians
from treewright.tree.build import offsets
from treewright.tree.narrow_arrays import narrow
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints, Mask

_BY_STATISTICS = {
    LeafKind.CLASSES: class_shares,
    LeafKind.MEANS: means,
    LeafKind.MEDIANS: medians,
    LeafKind.LINEAR: means,
    LeafKind.LOGISTIC: class_shares,
}


@dataclass(frozen=True)
class NarrowTree:
    """A tree of tests. ``column``, ``n_edges``, ``n_codes``, ``gain`` and ``missing`` are of inner nodes only, unless a
    leaf has some. Parents and children follow from the number of branches, since nodes are numbered level by level.
    ``value`` is None where it is the shares, or the mean or median, of the statistics."""

    leaf: LeafKind
    n_branches: Array
    column: Array
    n_edges: Array
    edges: Floats  # as in the tree: what is printed may share them
    n_codes: Array
    branch_of: Array
    stats: Array
    rows: Array
    missing: Array
    gain: Array
    value: Array | None
    printed: Any
    below: Array
    test: Floats

    @staticmethod
    def of(tree: Tree) -> NarrowTree:
        inner = np.flatnonzero(tree.n_branches)

        def of_inner(values: Array, of_leaves: int) -> Array:
            among = values[inner]
            is_all = np.count_nonzero(values != of_leaves) == np.count_nonzero(among != of_leaves)
            return narrow(among if is_all else values)

        follows = np.array_equal(_BY_STATISTICS[tree.leaf](tree.stats, tree.parent), tree.value)
        return NarrowTree(
            leaf=tree.leaf,
            n_branches=narrow(tree.n_branches),
            column=of_inner(tree.column, -1),
            n_edges=of_inner(np.diff(tree.edge_start), 0),
            edges=tree.edges,
            n_codes=of_inner(np.diff(tree.branch_start), 0),
            branch_of=narrow(tree.branch_of),
            stats=narrow(tree.stats),
            rows=narrow(tree.rows),
            missing=of_inner(tree.missing, 0),
            gain=of_inner(tree.gain, 0),
            value=None if follows else narrow(tree.value),
            printed=narrow(tree.printed) if isinstance(tree.printed, np.ndarray) else tree.printed,
            below=narrow(tree.below),
            test=tree.test,
        )

    def tree(self) -> Tree:
        """The ordinary tree."""
        parent, first_child, stats = self._parents(), np.full(self.n_nodes, -1, np.int32), self.stats.astype(np.float64)
        first_child[self.inner] = self.first_children
        value = _BY_STATISTICS[self.leaf](stats, parent) if self.value is None else self.value.astype(np.float64)
        return Tree(
            parent=parent,
            first_child=first_child,
            n_branches=self.n_branches.astype(np.int32),
            column=self._at_nodes(self.column, -1, np.int32),
            edge_start=offsets(self._at_nodes(self.n_edges, 0, np.int64)),
            edges=self.edges,
            branch_start=offsets(self._at_nodes(self.n_codes, 0, np.int64)),
            branch_of=self.branch_of.astype(np.int32),
            stats=stats,
            rows=self.rows.astype(np.int64),
            missing=self._at_nodes(self.missing, 0, np.int64),
            gain=self._at_nodes(self.gain, 0, np.float64),
            value=value,
            leaf=self.leaf,
            printed=self.printed.astype(np.float64) if isinstance(self.printed, np.ndarray) else self.printed,
            below=self.below.astype(np.float64),
            test=self.test,
        )

    def _at_nodes(self, values: Array, of_leaves: int, dtype: type) -> Array:
        if len(values) == self.n_nodes:
            return values.astype(dtype)
        full: Array = np.full(self.n_nodes, of_leaves, dtype)
        full[self.inner] = values
        return full

    def _parents(self) -> Array:
        parent = np.full(self.n_nodes, -1, np.int32)
        parent[1:] = np.repeat(self.inner, self.n_branches[self.inner])
        return parent

    # ---- what is asked without making the tree -----------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return len(self.n_branches)

    @property
    def inner(self) -> Ints:
        """Nodes that are split."""
        return np.flatnonzero(self.n_branches > 0)  # of truths they are counted faster

    @property
    def first_children(self) -> Ints:
        """The first child of every inner node."""
        return self.first_children_of(self.inner)

    def first_children_of(self, inner: Ints) -> Ints:
        """The same for whoever has the inner nodes, all of them, at hand."""
        return 1 + offsets(self.n_branches[inner].astype(np.int64))[:-1]

    @property
    def columns_used(self) -> Ints:
        return np.flatnonzero(np.bincount(self.tested + 1)[1:])

    @property
    def tested(self) -> Ints:
        """The column that each inner node tests."""
        return self._among_inner(self.column)

    @property
    def is_by_order(self) -> Mask:
        """Which inner nodes test numbers, by their order; others test levels."""
        return np.asarray(self._among_inner(self.n_edges) > 0)

    @property
    def code_sizes(self) -> Ints:
        """Of how many codes each inner node knows the branch."""
        return self._among_inner(self.n_codes)

    def _among_inner(self, values: Array) -> Ints:
        return (values[self.inner] if len(values) == self.n_nodes else values).astype(np.int64)

    @property
    def leaf_values(self) -> Floats:
        """What the leaves predict."""
        leaves = np.flatnonzero(self.n_branches == 0)
        if self.value is not None:
            return self.value[leaves].astype(np.float64)
        stats = self.stats[leaves].astype(np.float64)
        if (self.leaf.weight(stats) > 0).all():  # of none the parent is asked
            return _BY_STATISTICS[self.leaf](stats, np.zeros(len(leaves), np.int64))
        return self.tree().value[leaves]

    @property
    def goes_one_way(self) -> bool:
        """Whether every row goes one way, and by one threshold where a test has some: left up to it, right above, and
        where the number is missing left or right too."""
        by_order, sizes = self.is_by_order, self.code_sizes
        if (self.branch_of < 0).any() or not (self._among_inner(self.n_edges)[by_order] == 1).all():
            return False
        if not (sizes[by_order] == 3).all():
            return False
        first = offsets(sizes)[:-1][by_order]
        missing, left, right = (self.branch_of[first + code] for code in range(3))
        return bool((left == 0).all() and (right == 1).all() and (missing <= 1).all())

    def arrays(self) -> Iterator[Any]:
        """All arrays, one after the other."""
        return (getattr(self, one.name) for one in fields(self) if one.name != "leaf")


class NarrowTrees(Sequence[Tree]):
    """Trees, narrow where they are no more than tests; as a sequence they are ordinary trees.

    >>> import treewright as tw
    >>> tree = tw.C45Classifier().fit({"x": [1, 2, 3, 4]}, list("aabb")).tree_
    >>> NarrowTrees([tree])[0]
    <Tree of 3 nodes, 2 of them leaves, of depth 1>
    """

    def __init__(self, trees: Iterable[Tree | NarrowTree]) -> None:
        """``trees`` are made narrow one after the other: an iterator's are never all in memory as they come."""
        self.kept = tuple(map(narrowed, trees))

    def __len__(self) -> int:
        return len(self.kept)

    def __repr__(self) -> str:
        return f"<{len(self)} trees of {sum(tree.n_nodes for tree in self.kept):,} nodes>"

    @overload
    def __getitem__(self, place: int) -> Tree: ...
    @overload
    def __getitem__(self, place: slice) -> NarrowTrees: ...

    def __getitem__(self, place: int | slice) -> Tree | NarrowTrees:
        if isinstance(place, slice):
            return NarrowTrees(self.kept[place])
        one = self.kept[place]
        return one.tree() if isinstance(one, NarrowTree) else one


def narrowed(tree: Tree | NarrowTree) -> Tree | NarrowTree:
    """The tree as it is kept: narrow, unless it holds more than tests."""
    if isinstance(tree, NarrowTree) or not _is_of_tests(tree):
        return tree
    return NarrowTree.of(tree)


def _is_of_tests(tree: Tree) -> bool:
    return not (tree.bounds.size or tree.surrogates.exist or tree.leaf.has_models)


def tree_bytes(tree: Tree | NarrowTree) -> int:
    """What a tree takes as it is kept. What is printed is made when it is looked at, and counted with the edges."""
    plain = sum(array.nbytes for array in tree.arrays() if isinstance(array, np.ndarray))
    return plain + (0 if isinstance(tree.printed, np.ndarray) else tree.edges.nbytes)
