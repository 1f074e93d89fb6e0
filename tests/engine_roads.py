"""Every engine, by name, with thresholds so low that tables of fifty rows take the roads of fifty million."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.dispatch import compiled_engine, plain_engine
from treewright.engines.stores.row_store import Renumbering
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe.recipe import Recipe
from treewright.tree.tree import Tree

ENGINES = ("plain", "compiled", "compiled, rounds", "compiled, renumbered", "compiled, threads")


def grown_by(name: str, encoded: Any, recipe: Recipe) -> Tree:
    """The tree that an engine grows; the plain pair's where there is no compiled engine."""
    n_jobs = 2 if name == "compiled, threads" else 1
    with Workers(n_jobs, small_work=0 if n_jobs > 1 else 20_000) as workers:
        engine = None
        if name != "plain":
            engine = compiled_engine(encoded, recipe, workers, **_options(name))
        return grow(engine or plain_engine(encoded, recipe, workers), recipe)


def _options(name: str) -> dict[str, Any]:
    rounds, anew = SmallNodes(most_rows=0), Renumbering(least_rows=1, shrunk=1)
    return {
        "compiled, rounds": {"small_nodes": rounds},
        "compiled, renumbered": {"small_nodes": rounds, "renumbering": anew},
    }.get(name, {})


def assert_same_tree(one: Tree, other: Tree) -> None:
    for name in one._fields:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert one.leaf == other.leaf
    for mine, theirs in zip(one.surrogates, other.surrogates):
        np.testing.assert_array_equal(mine, theirs)
