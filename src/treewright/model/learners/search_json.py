"""What a search leaves behind, in model files."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.leaves import Leaf
from treewright.prune.search_curve import KeptTrees, SearchCurve
from treewright.prune.tree_search import CostedTree
from treewright.tree.and_or_tree import AndOrTree
from treewright.tree.build import Round
from treewright.tree.check import check_tree, require
from treewright.tree.tree import IN_FULL
from treewright.typing import Array

_CURVE = {
    "alphas": np.float64, "leaves": np.int64, "training_errors": np.float64, "errors": np.float64,
    "standard_errors": np.float64,
}  # fmt: skip
_NODES = {"rows": np.int64, "parent": np.int64}
_SPLITS = {
    "id": np.int64, "first_child": np.int64, "column": np.int64, "edge_size": np.int64, "edges": np.float64,
    "gain": np.float64, "missing": np.int64, "branch_size": np.int64, "branch_of": np.int32,
}  # fmt: skip


def search_to_json(curve: SearchCurve, kept: KeptTrees) -> dict[str, Any]:
    """Plain values by name."""
    tree = kept.whole.tree
    return {
        "place": curve.place,
        **{name: getattr(curve, name).tolist() for name in _CURVE},
        "alternative_cost": kept.whole.alternative_cost,
        "places": kept.places.tolist(),
        "chosen": kept.chosen.tolist(),
        "compared": kept.compared.tolist(),
        **{name: getattr(tree, name).tolist() for name in _NODES},
        "stats": tree.stats.tolist(),
        "splits": {name: getattr(tree.splits, name).tolist() for name in _SPLITS},
        "n_branches": tree.n_branches.tolist(),
        "printed": np.asarray(tree.printed).tolist(),
    }


def search_from_json(data: Any, schema: Schema, leaf: Leaf) -> dict[str, Any]:
    """Attributes of the model; every tree that is kept is checked as one of a file is."""
    require(isinstance(data, dict), "the search is no object")
    curve = SearchCurve(**{name: _array(data, name, kind) for name, kind in _CURVE.items()}, place=_place(data))
    require(len({len(getattr(curve, name)) for name in _CURVE}) == 1, "the arrays of the curve differ in length")
    kept = KeptTrees(
        CostedTree(_tree(data, leaf), leaf, schema.target, _alternative_cost(data)), _array(data, "places", np.int64),
        _array(data, "chosen", np.int8, 2), _array(data, "compared", np.bool_),
    )  # fmt: skip
    _check_kept(kept, curve, schema)
    return {"curve_": curve, "searched_": kept}


def _alternative_cost(data: Any) -> float:
    """Models of before it was asked for were searched for without."""
    cost = data.get("alternative_cost", 0.0)
    is_number = isinstance(cost, (int, float)) and not isinstance(cost, bool)
    require(is_number and 0 <= cost < float("inf"), "what alternatives cost is no number")
    return float(cost)


def _place(data: Any) -> int:
    place = data.get("place")
    require(isinstance(place, int) and 0 <= place < len(data.get("alphas", ())), "the chosen tree is not on the curve")
    return int(place)


def _tree(data: Any, leaf: Leaf) -> AndOrTree:
    parts = data.get("splits")
    require(isinstance(parts, dict), "the search has no splits")
    given = {name: _array(parts, name, kind) for name, kind in _SPLITS.items()}
    n = len(given["id"])
    require(
        {len(given[name]) for name in _SPLITS if name not in ("edges", "branch_of")} == {n}, "splits differ in number"
    )
    for name, size in (("edges", "edge_size"), ("branch_of", "branch_size")):
        require((given[size] >= 0).all() and given[size].sum() == len(given[name]), f"{name!r} of splits is too short")
    splits = Round(**given, below=np.full(len(given["edges"]), np.nan), test=np.empty((n, 0)))
    nodes = {name: _array(data, name, kind) for name, kind in _NODES.items()}
    tree = AndOrTree(
        **nodes, stats=_array(data, "stats", np.float64, 2), splits=splits,
        n_branches=_array(data, "n_branches", np.int64), leaf=leaf.kind,
        printed=_array(data, "printed", np.float64) if data.get("printed") else IN_FULL,
    )  # fmt: skip
    _check_numbers(tree)
    return tree


def _check_numbers(tree: AndOrTree) -> None:
    """Children come after their node, and every node but the root is a child of one split."""
    splits, n, children = tree.splits, tree.n_nodes, []
    require(len(tree.parent) == len(tree.stats) == n >= 1, "nodes differ in number")
    require(len(tree.n_branches) == len(splits.id) and (tree.n_branches >= 1).all(), "splits differ in number")
    require((np.diff(splits.id) >= 0).all() and ((splits.id >= 0) & (splits.id < n)).all(), "splits are out of order")
    for owner, first, count in zip(splits.id, splits.first_child, tree.n_branches):
        require(owner < first and first + count <= n, "a split has children that are none")
        require((tree.parent[first : first + count] == owner).all(), "a split has the children of another node")
        children.append(np.arange(first, first + count))
    found = np.sort(np.concatenate([np.zeros(1, np.int64), *children]))
    require(np.array_equal(found, np.arange(n)) and tree.parent[0] == -1, "a node belongs to no split, or to several")
    require(not tree.printed.size or len(tree.printed) == len(splits.edges), "printed edges differ in number")


def _check_kept(kept: KeptTrees, curve: SearchCurve, schema: Schema) -> None:
    places, chosen, tree = kept.places, kept.chosen, kept.whole.tree
    require(
        len(places) == len(chosen) == len(kept.compared) and chosen.shape[1] == tree.n_nodes, "trees differ in number"
    )
    require(
        ((places >= 0) & (places < len(curve.alphas))).all() and curve.place in places, "a tree is not on the curve"
    )
    require(((chosen >= -1) & (chosen < np.diff(tree.split_start))).all(), "a tree has a split that is none")
    for place in places:
        check_tree(kept.tree(int(place))[0], schema)


def _array(data: Any, name: str, kind: Any, n_axes: int = 1) -> Array:
    given = data.get(name)
    require(isinstance(given, list), f"{name!r} of the search must be a list")
    try:
        made = np.array(given, kind)
    except (TypeError, ValueError, OverflowError):
        made = np.empty((0,) * (n_axes + 1))
    require(made.ndim == n_axes or not given, f"{name!r} of the search must hold numbers only")
    return made
