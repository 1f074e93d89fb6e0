"""Trees made by hand or at random, without growing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from treewright.data.schema import Column, Kind, Schema, Target, Unit
from treewright.tree.tree import LeafKind, Tree


@dataclass
class Made:
    """A node by hand; a leaf has no children. ``rows`` and ``value`` follow from ``stats`` unless given."""

    stats: Sequence[float]
    column: int = -1
    edges: Sequence[float] = ()
    branch_of: Sequence[int] = ()
    children: Sequence[Made] = ()
    missing: int = 0
    rows: int | None = None
    value: Sequence[float] | None = None


def tree_of(root: Made, *, regression: bool = False) -> Tree:
    """The flat form, level by level."""
    nodes, parent, first_child = [root], [-1], []
    for v, node in enumerate(nodes):  # grows while it is walked
        first_child.append(len(nodes) if node.children else -1)
        nodes += node.children
        parent += [v] * len(node.children)
    weights = [node.stats[0] if regression else sum(node.stats) for node in nodes]
    rows = [round(w) if node.rows is None else node.rows for node, w in zip(nodes, weights)]
    return Tree(
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        n_branches=np.array([len(node.children) for node in nodes], np.int32),
        column=np.array([node.column for node in nodes], np.int32),
        edge_start=np.cumsum([0] + [len(node.edges) for node in nodes]),
        edges=np.array([edge for node in nodes for edge in node.edges], np.float64),
        branch_start=np.cumsum([0] + [len(node.branch_of) for node in nodes]),
        branch_of=np.array([branch for node in nodes for branch in node.branch_of], np.int32),
        stats=np.array([node.stats for node in nodes], np.float64),
        rows=np.array(rows, np.int64),
        missing=np.array([node.missing for node in nodes], np.int64),
        gain=np.array([0.25 if node.children else 0.0 for node in nodes]),
        value=np.array([_value(node, weight, regression) for node, weight in zip(nodes, weights)], np.float64),
        leaf=LeafKind.MEANS if regression else LeafKind.CLASSES,
    )


def of_scikit_learn(fitted: Any) -> tuple[Tree, Schema]:
    """A tree that scikit-learn grew, in our form. Its classes are known by their places."""
    theirs, classes = fitted.tree_, getattr(fitted, "classes_", None)
    share = theirs.value[:, 0, :]
    weight = theirs.weighted_n_node_samples[:, np.newaxis]
    if classes is None:
        share = np.hstack([np.ones_like(share), share, theirs.impurity[:, np.newaxis] + share**2])

    def made(v: int) -> Made:
        stats = (share[v] * weight[v]).tolist()
        if theirs.children_left[v] < 0:
            return Made(stats)
        children = made(theirs.children_left[v]), made(theirs.children_right[v])
        return Made(stats, theirs.feature[v], (theirs.threshold[v],), (0, 0, 1), children)

    columns = tuple(Column(f"x{j}", Kind.NUMERIC) for j in range(theirs.n_features))
    target = Target("y", None if classes is None else tuple(range(len(classes))))
    return tree_of(made(0), regression=classes is None), Schema(columns, target)


def _value(node: Made, weight: float, regression: bool) -> list[float]:
    if node.value is not None:
        return list(node.value)
    return [node.stats[1] / weight] if regression else [w / weight for w in node.stats]


PLAY_TENNIS = Schema(
    (
        Column("outlook", Kind.NOMINAL, ("sunny", "overcast", "rainy")),
        Column("temperature", Kind.NOMINAL, ("hot", "mild", "cool")),
        Column("humidity", Kind.NOMINAL, ("high", "normal")),
        Column("windy", Kind.NOMINAL, ("strong", "weak")),
    ),
    Target("play", ("no", "yes")),
)


def play_tennis() -> Tree:
    """The ID3 tree of the fourteen days."""
    sunny = Made((3, 2), 2, (), (0, 0, 1), (Made((3, 0)), Made((0, 2))))
    rainy = Made((2, 3), 3, (), (1, 0, 1), (Made((2, 0)), Made((0, 3))))
    return tree_of(Made((5, 9), 0, (), (0, 0, 1, 2), (sunny, Made((0, 4)), rainy)))


AGES = Schema((Column("age", Kind.NUMERIC), Column("income", Kind.NUMERIC)), Target("buys", ("no", "yes")))


def stump(edge: float = 30.5, *, missing_branch: int = 1, missing: int = 0) -> Tree:
    """``age <= edge``, over AGES."""
    children = (Made((4, 0)), Made((1, 4)))
    return tree_of(Made((5, 4), 0, (edge,), (missing_branch, 0, 1), children, missing=missing))


def chain(depth: int) -> Tree:
    """A tree as deep as asked, over AGES: each left child is a leaf, each right child tests on."""
    n = 2 * depth + 1
    v = np.arange(n)
    inner = (v % 2 == 0) & (v < n - 1)
    stats = np.stack([(n - v).astype(np.float64), np.ones(n)], axis=1)
    return Tree(
        parent=np.where(v, (v - 1) // 2 * 2, -1).astype(np.int32),
        first_child=np.where(inner, v + 1, -1).astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        column=np.where(inner, 0, -1).astype(np.int32),
        edge_start=np.concatenate([[0], np.cumsum(inner)]),
        edges=np.arange(depth, dtype=np.float64),
        branch_start=np.concatenate([[0], 3 * np.cumsum(inner)]),
        branch_of=np.tile(np.array([0, 0, 1], np.int32), depth),
        stats=stats,
        rows=stats.sum(axis=1).astype(np.int64),
        missing=np.zeros(n, np.int64),
        gain=np.where(inner, 0.1, 0.0),
        value=stats / stats.sum(axis=1, keepdims=True),
        leaf=LeafKind.CLASSES,
    )


def bushy(levels: int) -> Tree:
    """A full binary tree, over AGES."""
    n = 2**levels - 1
    v = np.arange(n)
    inner = v < 2 ** (levels - 1) - 1
    depth = np.floor(np.log2(v + 1))
    stats = np.stack([2.0 ** (levels - depth) + v % 7, np.ones(n)], axis=1)
    return chain(1)._replace(
        parent=np.where(v, (v - 1) // 2, -1).astype(np.int32),
        first_child=np.where(inner, 2 * v + 1, -1).astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        column=np.where(inner, v % 2, -1).astype(np.int32),
        edge_start=np.concatenate([[0], np.cumsum(inner)]),
        edges=np.linspace(0, 100, int(inner.sum())),
        branch_start=np.concatenate([[0], 3 * np.cumsum(inner)]),
        branch_of=np.tile(np.array([0, 0, 1], np.int32), int(inner.sum())),
        stats=stats,
        rows=stats.sum(axis=1).astype(np.int64),
        missing=np.zeros(n, np.int64),
        gain=np.where(inner, 0.1, 0.0),
        value=stats / stats.sum(axis=1, keepdims=True),
    )


def same(first: Tree, second: Tree) -> bool:
    """Equal to the bit, types and shapes included."""
    pairs = zip(first.arrays(), second.arrays(), strict=True)
    alike = (
        a.dtype == b.dtype and a.shape == b.shape and np.asarray(a).tobytes() == np.asarray(b).tobytes()
        for a, b in pairs
    )
    return first.leaf is second.leaf and all(alike)


NAMES = st.text(max_size=6) | st.sampled_from(["age", "or missing", "a, b", "{x}", "two\nlines", "größe", "年"])
LEVEL = NAMES | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
FINITE = st.floats(-1e12, 1e12)


def levels(least: int = 1, most: int = 5) -> st.SearchStrategy[tuple[Any, ...]]:
    """Distinct values, in the sense that a mapping of them to codes tells them apart."""
    return st.lists(LEVEL, min_size=least, max_size=most, unique=True).map(tuple)


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(Kind))
    if kind is Kind.NUMERIC:
        return Column(name, kind, (), draw(st.sampled_from(Unit)))
    return Column(name, kind, draw(levels()))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    classes = draw(st.none() | levels(1, 6))
    return Schema(tuple(draw(columns(name)) for name in names), Target(draw(NAMES), classes))


@st.composite
def trees(draw: st.DrawFn, schema: Schema, *, every_branch: bool = False, max_inner: int = 6) -> Tree:
    """A valid tree over the schema, its statistics adding up; rows without a value where the tests say so."""
    inner = draw(st.integers(0, max_inner))
    root = Made(draw(_stats(schema)))
    leaves = [root]
    for _ in range(inner):
        leaf = leaves.pop(draw(st.integers(0, len(leaves) - 1)))
        leaf.column = draw(st.integers(0, len(schema.columns) - 1))
        leaf.edges, leaf.branch_of = draw(_tests(schema.columns[leaf.column], every_branch))
        leaf.children = [Made(draw(_stats(schema))) for _ in range(max(leaf.branch_of) + 1)]
        leaves += leaf.children
    return _filled(draw, root, schema)


def _filled(draw: st.DrawFn, root: Made, schema: Schema) -> Tree:
    waiting = [root]
    for node in waiting:
        waiting += node.children
        regression = schema.target.classes is None
        weight = node.stats[0] if regression else sum(node.stats)
        node.rows = draw(st.integers(0, 2**40)) if weight else 0
        node.missing = draw(st.integers(0, node.rows)) if node.children else 0
        if not weight:
            node.value = [0.5] if regression else [1.0] + [0.0] * (len(node.stats) - 1)
    return tree_of(root, regression=schema.target.classes is None)


@st.composite
def _stats(draw: st.DrawFn, schema: Schema) -> list[float]:
    if schema.target.classes is not None:
        weights = st.integers(0, 9) | st.floats(0, 1e9, allow_subnormal=False).map(lambda w: w if w > 1e-6 else 0.0)
        size = len(schema.target.classes)
        return [float(w) for w in draw(st.lists(weights, min_size=size, max_size=size))]
    weight, mean, spread = draw(st.floats(1e-3, 1e6)), draw(FINITE), draw(st.floats(0, 1e6))
    return [weight, weight * mean, weight * (mean**2 + spread**2)]


@st.composite
def _tests(draw: st.DrawFn, column: Column, every_branch: bool) -> tuple[list[float], list[int]]:
    edges: list[float] = []
    if column.kind is Kind.NUMERIC:
        edges = sorted(draw(st.lists(st.floats(allow_nan=False), min_size=1, max_size=3, unique=True)))
    n_codes = len(edges) + 1 if edges else len(column.levels)
    branches = draw(st.lists(st.integers(0, 2), min_size=n_codes, max_size=n_codes))
    missing = draw(st.integers(-1 if every_branch else 0, 2))
    used = sorted({*branches, missing} - {-1})
    return edges, [used.index(b) if b >= 0 else -1 for b in [missing, *branches]]


@st.composite
def cases(draw: st.DrawFn, *, every_branch: bool = False) -> tuple[Schema, Tree]:
    """A schema and a tree over it."""
    schema = draw(schemas())
    return schema, draw(trees(schema, every_branch=every_branch))


@st.composite
def rows_of(draw: st.DrawFn, schema: Schema) -> np.ndarray:
    """A row of a prediction matrix."""
    cells = []
    for column in schema.columns:
        if column.kind is Kind.NUMERIC:
            cells.append(draw(st.floats()))
        else:
            cells.append(draw(st.sampled_from([np.nan, *map(float, range(len(column.levels) + 1))])))
    return np.array(cells, np.float64)
