"""Trees in the place of leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.tree.build import level_order, offsets, pack_surrogates, reorder_splits
from treewright.tree.linear_models import joined_models
from treewright.tree.tree import CRISP, NO_TESTS, Tree
from treewright.typing import Floats, Ints

_FLAT = ("n_branches", "column", "edges", "branch_of", "stats", "rows", "missing", "gain", "value")


def graft(tree: Tree, grown: Mapping[int, Tree]) -> Tree:
    """The tree with others in the place of some of its leaves, by their number. All have leaves of the same kind.

    What such a leaf held is replaced by what the root of its tree holds.
    """
    trees = (tree, *grown.values())
    start = offsets(np.array([one.n_nodes for one in trees]))
    first_child = np.concatenate([np.where(t.first_child < 0, -1, t.first_child + s) for t, s in zip(trees, start)])
    content = np.arange(start[-1])
    for leaf, root in zip(grown, start[1:]):
        first_child[leaf], content[leaf] = first_child[root], root
    joined = _joined(trees)
    order = level_order(first_child, joined.n_branches[content])
    whole = reorder_splits(joined, content[order])
    return whole._replace(
        parent=np.concatenate([[-1], np.repeat(np.arange(len(order)), whole.n_branches)]).astype(np.int32),
        first_child=_first_children(whole.n_branches),
        stats=joined.stats[content[order]],
        value=joined.value[content[order]],
        models=joined.models.take(content[order]),
    )


def _first_children(n_branches: Ints) -> Ints:
    first = offsets(n_branches)[:-1] + 1
    return np.where(n_branches > 0, first, -1).astype(np.int32)


def _joined(trees: Sequence[Tree]) -> Tree:
    """The arrays of all trees end to end; parents and children are the caller's business."""
    flat: dict[str, Any] = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in _FLAT}
    n_nodes = sum(tree.n_nodes for tree in trees)
    by_node = [tree.surrogates.of(v) for tree in trees for v in range(tree.n_nodes)]
    return trees[0]._replace(
        **flat,
        edge_start=offsets(np.concatenate([np.diff(tree.edge_start) for tree in trees])),
        branch_start=offsets(np.concatenate([np.diff(tree.branch_start) for tree in trees])),
        test=_tests(trees),
        bounds=_bounds(trees),
        printed=_printed(trees),
        surrogates=pack_surrogates(dict(enumerate(by_node)), n_nodes),
        models=joined_models([tree.models for tree in trees]),
    )


def _tests(trees: Sequence[Tree]) -> Floats:
    width = max(tree.test.shape[1] for tree in trees)
    if not width:
        return NO_TESTS
    return np.concatenate([tree.test if tree.test.size else np.zeros((tree.n_nodes, width)) for tree in trees])


def _printed(trees: Sequence[Tree]) -> Floats:
    """In full where one of them does not say."""
    return np.concatenate([t.printed if t.printed.size else t.edges for t in trees])


def _bounds(trees: Sequence[Tree]) -> Floats:
    """Hard thresholds are their own bounds."""
    if not any(tree.bounds.size for tree in trees):
        return CRISP
    if any((np.diff(tree.edge_start) > 1).any() for tree in trees):
        raise OptionError(
            "soft thresholds are between two branches, and one of the trees cuts numbers into more",
            "grow on with a learner that cuts in two",
        )
    return np.concatenate([t.bounds if t.bounds.size else np.stack([t.edges, t.edges], 1) for t in trees])
