"""Is this a tree? Every fact the kernels and views rely on, checked over whole arrays before anything uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema, Target
from treewright.data.weights import LARGEST_TOTAL
from treewright.errors import ModelFileError
from treewright.split import AS_MISSING, EVERY_BRANCH, STOP
from treewright.tree.tree import N_TEST, TEST_NAMES, LeafKind, Tree
from treewright.typing import Array, Floats, Ints

_TOLERANCE = 1e-6  # how far the probabilities of a node may be from adding up to 1
_LARGEST_WEIGHT = 2 * LARGEST_TOTAL  # a sum of weights that fits accept, and what rounding may add
_SIGNED: dict[LeafKind, list[int]] = {  # Σ w·y and medians may be negative
    LeafKind.CLASSES: [],
    LeafKind.LOGISTIC: [],
    LeafKind.MEANS: [1],
    LeafKind.LINEAR: [1],
    LeafKind.MEDIANS: [1, 3],
}
HINT = "the file is damaged or was changed by hand; save the model again"


def require(holds: object, problem: str) -> None:
    if not holds:
        raise ModelFileError(problem, HINT)


def required_list(data: Any, name: str) -> list[Any]:
    require(isinstance(data, list), f"{name!r} must be a list")
    made: list[Any] = data
    return made


def check_tree(tree: Tree, schema: Schema) -> None:
    """Raise ModelFileError unless the arrays are a tree over the columns and the target of the schema.

    The order matters: each check may rely on the ones before it.
    """
    checks: tuple[Callable[[Tree, Schema], None], ...] = (
        _check_shapes,
        _check_starts,
        _check_shape_of_tree,
        _check_columns,
        _check_edges,
        _check_branches,
        _check_rows,
        _check_leaves,
        _check_tests,
        _check_surrogates,
        _check_bounds,
        _check_printed,
        _check_models,
    )
    for check in checks:
        check(tree, schema)


def _check_shapes(tree: Tree, schema: Schema) -> None:
    n = len(tree.parent)
    require(n >= 1, "the tree has no nodes")
    require(n <= np.iinfo(np.int32).max, f"the tree has {n:,} nodes, more than can be numbered")
    for name in ("first_child", "n_branches", "column", "stats", "rows", "missing", "gain", "value"):
        found = len(getattr(tree, name))
        require(found == n, f"the tree has {n} nodes but {found} entries in {name!r}")


def _check_starts(tree: Tree, schema: Schema) -> None:
    for name, start, end in (
        ("edge_start", tree.edge_start, len(tree.edges)),
        ("branch_start", tree.branch_start, len(tree.branch_of)),
    ):
        require(len(start) == len(tree.parent) + 1, f"{name!r} must have one entry more than there are nodes")
        in_order = start[0] == 0 and start[-1] == end and (start[1:] >= start[:-1]).all()
        require(in_order, f"{name!r} must rise from 0 to {end}")


def _check_shape_of_tree(tree: Tree, schema: Schema) -> None:
    """Nodes level by level: the children of the first inner node are 1, 2, …, then come those of the next."""
    inner = np.flatnonzero(tree.n_branches > 0)
    sizes = tree.n_branches[inner].astype(np.int64)
    require((tree.n_branches >= 0).all(), "a node has fewer than no branches")
    require(sizes.sum() == len(tree.parent) - 1, "the branches do not add up to the nodes of the tree")
    require((tree.first_child[tree.n_branches == 0] == -1).all(), "a leaf has children")
    require(
        (tree.first_child[inner] == 1 + np.cumsum(sizes) - sizes).all(), "the children are not numbered level by level"
    )
    require((tree.first_child[inner] > inner).all(), "a node comes before its parent")
    require(tree.parent[0] == -1 and (tree.parent[1:] == np.repeat(inner, sizes)).all(), "parents and children differ")


def _check_columns(tree: Tree, schema: Schema) -> None:
    is_leaf = tree.n_branches == 0
    require((tree.column[is_leaf] == -1).all(), "a leaf tests a column")
    tested = tree.column[~is_leaf]
    known = (tested >= 0) & (tested < len(schema.columns))
    require(known.all(), f"a node tests a column that is not among the {len(schema.columns)} of the schema")


def _check_edges(tree: Tree, schema: Schema) -> None:
    sizes = np.diff(tree.edge_start)
    numeric = np.array([column.kind is Kind.NUMERIC for column in schema.columns] + [False])[tree.column]
    require(((sizes > 0) == numeric).all(), "edges belong to nodes that test a numeric column, and only to those")
    require(not np.isnan(tree.edges).any(), "an edge is not a number")
    rising = tree.edges[1:] > tree.edges[:-1]
    starts = tree.edge_start[(tree.edge_start > 0) & (tree.edge_start < len(tree.edges))]
    rising[starts - 1] = True  # between the last edge of one node and the first of the next
    require(rising.all(), "the edges of a node do not rise")


def _check_branches(tree: Tree, schema: Schema) -> None:
    """One branch for every code of the column, none beyond the children there are, and the last child reachable."""
    sizes, inner = np.diff(tree.branch_start), tree.n_branches > 0
    levels = np.array([len(column.levels) for column in schema.columns] + [-1], dtype=np.int64)[tree.column]
    edges = np.diff(tree.edge_start)
    codes = np.where(inner, np.where(edges > 0, edges + 2, levels + 1), 0)
    require((sizes == codes).all(), "a node does not name a branch for every value of its column")
    marks = np.isin(tree.branch_of, (EVERY_BRANCH, STOP))
    numeric_code = np.repeat(edges > 0, sizes)
    numeric_code[tree.branch_start[:-1][inner]] = False  # missing numbers may take every branch or none, others may not
    as_missing = (tree.branch_of == AS_MISSING) & ~np.repeat(edges > 0, sizes)
    as_missing[tree.branch_start[:-1][inner]] = False
    require(((tree.branch_of >= 0) | marks & ~numeric_code | as_missing).all(), "a branch is negative")
    if inner.any():
        last = np.maximum.reduceat(tree.branch_of, tree.branch_start[:-1][inner])
        require((last == tree.n_branches[inner] - 1).all(), "the branches of a node are not those of its children")


def _check_rows(tree: Tree, schema: Schema) -> None:
    require((tree.rows >= 0).all(), "a node has fewer than no rows")
    require(((tree.missing >= 0) & (tree.missing <= tree.rows)).all(), "a node misses more values than it has rows")
    require(not np.isnan(tree.gain).any(), "a gain is not a number")


def _check_leaves(tree: Tree, schema: Schema) -> None:
    """The target, the statistics and the values are such as leaves of this kind have."""
    check_leaf_kind(tree.leaf, schema.target)
    n_classes = len(schema.target.classes or ())
    widths = {"stats": tree.leaf.n_stats(n_classes), "value": tree.leaf.n_values(n_classes)}
    for name, width in widths.items():
        matrix = getattr(tree, name)
        fits = matrix.ndim == 2 and matrix.shape[1] == width
        require(fits, f"{name!r} must have {width} numbers per node, as leaves are {tree.leaf.value}")
        require(np.isfinite(matrix).all(), f"{name!r} holds a number that is not finite")
    check_weights(tree.leaf, tree.stats)
    if tree.leaf.of_classes:
        shares = (tree.value >= 0).all() and (abs(tree.value.sum(axis=1) - 1) <= _TOLERANCE).all()
        require(shares, "the probabilities of a node are not shares of 1")


def check_leaf_kind(leaf: LeafKind, target: Target) -> None:
    """Leaves are of classes where the target has some, and only there."""
    what = "a number" if target.classes is None else "one of several classes"
    fits = leaf.of_classes == (target.classes is not None)
    require(fits, f"the leaves are {leaf.value}, and the target {target.name!r} is {what}")


def check_weights(leaf: LeafKind, stats: Floats) -> None:
    require((np.delete(stats, _SIGNED[leaf], axis=-1) >= 0).all(), "a weight is negative")
    weights = stats if leaf.of_classes else stats[..., :1]
    require((weights <= _LARGEST_WEIGHT).all(), "a weight is larger than any that was learned from")


def _check_tests(tree: Tree, schema: Schema) -> None:
    """Six numbers for every node or, where nothing was tested, none at all."""
    if not tree.test.size:
        return
    require(tree.test.shape == (len(tree.parent), N_TEST), f"'test' must have {N_TEST} numbers per node")
    require(not np.isnan(tree.test).any(), "a test holds a number that is not one")
    kind, statistic, freedom, within, log_p, adjusted = tree.test.T
    require(np.isin(kind, range(len(TEST_NAMES))).all(), "a test is of unknown kind")
    require((np.stack([statistic, freedom, within]) >= 0).all(), "a test statistic or its freedom is negative")
    require(((log_p <= adjusted) & (adjusted <= 0)).all(), "a p-value is not between 0 and its adjusted value")


def _check_surrogates(tree: Tree, schema: Schema) -> None:
    """Each tests a column of the schema, by one edge or by level, and names branches that its node has."""
    found = tree.surrogates
    if not found.exist:
        require(not len(found.column), "there are surrogates of no node")
        return
    n = len(found.column)
    lengths = {len(part) for part in (found.edge, found.agreement, found.adjusted)} | {len(found.branch_start) - 1}
    require(lengths == {n}, "the surrogates are not described alike")
    for start, size, end in ((found.start, tree.n_nodes, n), (found.branch_start, n, len(found.branch_of))):
        in_order = len(start) == size + 1 and start[0] == 0 and start[-1] == end and (start[1:] >= start[:-1]).all()
        require(in_order, f"the surrogates do not start in order from 0 to {end}")
    require(((found.column >= 0) & (found.column < len(schema.columns))).all(), "a surrogate tests an unknown column")
    numeric = np.array([column.kind is Kind.NUMERIC for column in schema.columns])[found.column]
    require((~np.isnan(found.edge) == numeric).all(), "surrogates on numeric columns have an edge, and only those")
    levels = np.array([len(column.levels) for column in schema.columns], np.int64)[found.column]
    sizes = np.diff(found.branch_start)
    require((sizes == np.where(numeric, 3, levels + 1)).all(), "a surrogate does not name a branch for every value")
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(found.start))
    most = np.repeat(tree.n_branches[owner], sizes)
    require(((found.branch_of >= -1) & (found.branch_of < most)).all(), "a surrogate names a branch there is not")


def _check_bounds(tree: Tree, schema: Schema) -> None:
    """A pair around every edge or, where thresholds are hard, none at all."""
    if not tree.bounds.size:
        return
    require(tree.bounds.shape == (len(tree.edges), 2), "'bounds' must have two numbers per edge")
    lower, upper = tree.bounds.T
    require(((lower <= tree.edges) & (tree.edges <= upper)).all(), "an edge is not between its bounds")
    several = np.repeat(np.diff(tree.edge_start) > 1, np.diff(tree.edge_start))
    require((lower == upper)[several].all(), "a test of several edges has soft bounds")


def _check_printed(tree: Tree, schema: Schema) -> None:
    """A number for every threshold or, where it is not known what to print, none at all."""
    found = tree.surrogates
    for edges, printed in ((tree.edges, tree.printed), (found.edge, found.printed)):
        if printed.size:
            require(len(printed) == len(edges), "'printed' must have a number per threshold")
            alike = np.where(np.isfinite(edges), np.isfinite(printed), (printed == edges) | np.isnan(edges))
            require(alike.all(), "what is printed for a threshold is not a number")


def _check_models(tree: Tree, schema: Schema) -> None:
    """A model for every node and output where leaves are models, and nowhere else; terms fit their columns."""
    models, n = tree.models, tree.n_nodes
    require(
        models.exist == tree.leaf.has_models,
        f"the leaves are {tree.leaf.value}, and models are {'there' if models.exist else 'missing'}",
    )
    if not models.exist:
        return
    n_outputs = len(schema.target.classes or (0,))
    require(models.intercept.shape == (n, n_outputs), f"'intercept' must have {n_outputs} numbers per node")
    for name in ("low", "high", "error"):
        require(getattr(models, name).shape == (n,), f"models must have a number per node in {name!r}")
    n_terms, n_slopes = len(models.term_column), len(models.term)
    require(len(models.slope) == n_slopes, "the slopes of models are not as many as their terms")
    for start, size, end in ((models.start, n * n_outputs, n_slopes), (models.term_start, n_terms, len(models.scores))):
        in_order = len(start) == size + 1 and start[0] == 0 and start[-1] == end and (start[1:] >= start[:-1]).all()
        require(in_order, f"the models do not start in order from 0 to {end}")
    require(((models.term >= 0) & (models.term < n_terms)).all(), "a model has a term there is not")
    known = (models.term_column >= 0) & (models.term_column < len(schema.columns))
    require(known.all(), "a term is of a column that is not in the schema")
    levels = np.array([len(column.levels) for column in schema.columns], np.int64)[models.term_column]
    require((np.diff(models.term_start) == levels + 1).all(), "a term does not have a number for every level")
    finite = all(np.isfinite(part).all() for part in (models.slope, models.intercept, models.scores, models.error))
    require(finite and (models.error >= 0).all(), "a model holds a number that is not finite, or an error below 0")
    require((models.low <= models.high).all(), "the limits of a model are in the wrong order")


def as_dtype(values: Ints, dtype: type, name: str) -> Array:
    """The whole numbers in a smaller type, if they fit."""
    limits = np.iinfo(dtype)
    require(((values >= limits.min) & (values <= limits.max)).all(), f"a number in {name!r} is out of range")
    return values.astype(dtype)
