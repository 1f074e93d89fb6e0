"""Many trees in few bytes: arrays of all trees end to end, each in the smallest type that holds it, compressed.

A packed array is ``{"type": "uint16", "data": …}``: little-endian bytes, compressed by zlib, as base64. What follows
from other arrays is left out: parents and children (nodes are numbered level by level), where the edges and branches of
a node start, and what nodes predict where that is the share or the mean of their statistics.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.leaves import Leaf
from treewright.tree.check import check_tree, require
from treewright.tree.io import tree_from_json, tree_to_json
from treewright.tree.narrow_arrays import WHOLE_TYPES, narrow
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints

_TYPES = (*WHOLE_TYPES, "float32", "float64")
_MOST_ITEMS = 2**31


def packed(array: Array) -> dict[str, str]:
    """An array in the smallest type that holds it exactly.

    >>> packed(np.array([1, 2, 300]))["type"]
    'uint16'
    """
    small = np.ascontiguousarray(narrow(array.ravel()))
    data = zlib.compress(small.astype(small.dtype.newbyteorder("<")).tobytes(), 1)
    return {"type": small.dtype.name, "data": base64.b64encode(data).decode("ascii")}


def unpacked(data: Any, size: int, name: str) -> Array:
    """The array of that many numbers; ModelFileError if it is something else."""
    require(isinstance(data, dict) and data.keys() == {"type", "data"}, f"{name!r} must be a packed array")
    require(data["type"] in _TYPES, f"{name!r} is of unknown type")
    require(isinstance(data["data"], str) and 0 <= size <= _MOST_ITEMS, f"{name!r} must be a packed array")
    dtype = np.dtype(data["type"]).newbyteorder("<")
    try:
        raw = base64.b64decode(data["data"], validate=True)
        stream = zlib.decompressobj()
        found = stream.decompress(raw, size * dtype.itemsize + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        require(False, f"{name!r} is damaged ({error})")
    require(len(found) == size * dtype.itemsize and not stream.unused_data, f"{name!r} must hold {size} numbers")
    return np.frombuffer(found, dtype).astype(dtype.newbyteorder("="))


# ---- trees -----------------------------------------------------------------------------------------------------------


def trees_to_json(trees: Sequence[Tree], schema: Schema) -> dict[str, Any]:
    """All trees as one section; trees of more than tests and statistics, such as CHAID's, each by itself."""
    trees = list(trees)  # each is looked at several times
    if not all(map(_is_simple, trees)):
        return {"single": [tree_to_json(tree, schema) for tree in trees]}
    for tree in trees:
        check_tree(tree, schema)
    inner = np.concatenate([tree.n_branches > 0 for tree in trees])
    joined = {name: np.concatenate([np.asarray(getattr(tree, name)) for tree in trees]) for name in _JOINED}
    joined |= {name: np.concatenate([getattr(tree, name) for tree in trees])[inner] for name in _OF_INNER}
    edges = np.concatenate([np.diff(tree.edge_start) for tree in trees])[inner]
    made: dict[str, Any] = {
        "leaf": trees[0].leaf.value,
        "nodes": [tree.n_nodes for tree in trees],
        **{name: packed(array) for name, array in joined.items()},
        "edge_number": packed(edges),
    }
    if not all(_predicts_its_statistics(tree, schema) for tree in trees):
        made["value"] = packed(np.concatenate([tree.value for tree in trees]))
    if all(len(tree.printed) == len(tree.edges) for tree in trees):
        made["printed"] = packed(np.concatenate([np.asarray(tree.printed) for tree in trees]))
    return made


_JOINED = ("n_branches", "edges", "branch_of", "stats", "rows")
_OF_INNER = ("column", "gain", "missing")


def _is_simple(tree: Tree) -> bool:
    return (
        not (tree.test.size or tree.bounds.size or tree.surrogates.exist or tree.leaf.has_models)
        and not tree.missing[tree.n_branches == 0].any()
    )


def _predicts_its_statistics(tree: Tree, schema: Schema) -> bool:
    return bool(np.array_equal(Leaf(tree.leaf).values(tree.stats, tree.parent, schema.target), tree.value))


def trees_from_json(data: Any, schema: Schema) -> list[Tree]:
    """The trees, each checked as if it were in a file of its own."""
    require(isinstance(data, dict), "trees must be an object")
    if "single" in data:
        require(isinstance(data["single"], list) and data["single"], "trees must be a list")
        return [tree_from_json(tree, schema) for tree in data["single"]]
    wanted = {"leaf", "nodes", "edge_number", *_JOINED, *_OF_INNER}
    require(wanted <= data.keys() <= wanted | {"value", "printed"}, "trees do not have the arrays of trees")
    require(data["leaf"] in {kind.value for kind in LeafKind}, "leaves are of unknown kind")
    sizes = data["nodes"]
    require(
        isinstance(sizes, list) and sizes and all(type(size) is int and size > 0 for size in sizes),
        "'nodes' must be a number of nodes for every tree",
    )
    trees = _Unpacking(data, schema, np.array(sizes)).trees()
    for tree in trees:
        check_tree(tree, schema)
    return trees


class _Unpacking:
    """Arrays of all trees, cut into those of each."""

    def __init__(self, data: dict[str, Any], schema: Schema, sizes: Ints) -> None:
        self.leaf, self.schema, self.sizes = LeafKind(data["leaf"]), schema, sizes
        n_classes, n_nodes = len(schema.target.classes or ()), int(sizes.sum())
        require(n_nodes <= _MOST_ITEMS, "the trees have more nodes than can be numbered")
        self.n_branches = unpacked(data["n_branches"], n_nodes, "n_branches").astype(np.int32)
        self.inner = self.n_branches > 0
        n_inner = int(self.inner.sum())
        column = unpacked(data["column"], n_inner, "column").astype(np.int64)
        require(((column >= 0) & (column < len(schema.columns))).all(), "a node tests an unknown column")
        edge_number = unpacked(data["edge_number"], n_inner, "edge_number").astype(np.int64)
        require((edge_number >= 0).all(), "a node has fewer than no edges")
        is_numeric = np.array([one.kind is Kind.NUMERIC for one in schema.columns])[column]
        levels = np.array([len(one.levels) for one in schema.columns], np.int64)[column]
        self.column = self._spread(column, -1, np.int32)
        self.n_edges = self._spread(edge_number, 0, np.int64)
        self.n_codes = self._spread(np.where(is_numeric, edge_number + 2, levels + 1), 0, np.int64)
        self.edges = unpacked(data["edges"], int(edge_number.sum()), "edges").astype(np.float64)
        self.branch_of = unpacked(data["branch_of"], int(self.n_codes.sum()), "branch_of").astype(np.int32)
        n_stats = self.leaf.n_stats(n_classes)
        self.stats = unpacked(data["stats"], n_nodes * n_stats, "stats").astype(np.float64).reshape(-1, n_stats)
        self.rows = unpacked(data["rows"], n_nodes, "rows").astype(np.int64)
        self.missing = self._spread(unpacked(data["missing"], n_inner, "missing"), 0, np.int64)
        self.gain = self._spread(unpacked(data["gain"], n_inner, "gain"), 0.0, np.float64)
        n_values = self.leaf.n_values(n_classes)
        self.value: Floats | None = None
        if "value" in data:
            self.value = unpacked(data["value"], n_nodes * n_values, "value").astype(np.float64).reshape(-1, n_values)
        self.printed = np.empty(0)
        if "printed" in data:
            self.printed = unpacked(data["printed"], len(self.edges), "printed").astype(np.float64)

    def _spread(self, of_inner: Array, of_leaves: float, dtype: Any) -> Array:
        """Numbers of inner nodes, among those of leaves."""
        made = np.full(len(self.inner), of_leaves, dtype)
        made[self.inner] = of_inner
        return made

    def trees(self) -> list[Tree]:
        ends = np.cumsum(self.sizes)
        edge_ends = np.concatenate([[0], np.cumsum(self.n_edges)])
        code_ends = np.concatenate([[0], np.cumsum(self.n_codes)])
        return [self._one(int(end - size), int(end), edge_ends, code_ends) for size, end in zip(self.sizes, ends)]

    def _one(self, a: int, b: int, edge_ends: Ints, code_ends: Ints) -> Tree:
        n_branches, n = self.n_branches[a:b], b - a
        inner = np.flatnonzero(n_branches > 0)
        sizes = n_branches[inner].astype(np.int64)
        require(sizes.sum() == n - 1, "the branches do not add up to the nodes of the tree")
        parent, first_child = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        parent[1:] = np.repeat(inner, sizes)
        first_child[inner] = 1 + np.cumsum(sizes) - sizes
        require((parent[1:] < np.arange(1, n)).all(), "a node comes before its parent")
        edges = slice(int(edge_ends[a]), int(edge_ends[b]))
        codes = slice(int(code_ends[a]), int(code_ends[b]))
        stats = self.stats[a:b]
        value = Leaf(self.leaf).values(stats, parent, self.schema.target) if self.value is None else self.value[a:b]
        return Tree(
            parent=parent, first_child=first_child, n_branches=n_branches, column=self.column[a:b],
            edge_start=edge_ends[a : b + 1] - edge_ends[a], edges=self.edges[edges],
            branch_start=code_ends[a : b + 1] - code_ends[a], branch_of=self.branch_of[codes], stats=stats,
            rows=self.rows[a:b], missing=self.missing[a:b], gain=self.gain[a:b], value=value, leaf=self.leaf,
            printed=self.printed[edges] if len(self.printed) else self.printed,
        )  # fmt: skip
