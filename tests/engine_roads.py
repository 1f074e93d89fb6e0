"""Every engine, by name, with thresholds so low that tables of fifty rows take the roads of fifty million."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.choices import one_pass_search
from treewright.engines.choices.one_pass_search import OnePassSearch
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.dispatch import compiled_engine, plain_engine
from treewright.engines.engine import Engine
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.row_store import Renumbering
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.tree import Tree

ENGINES = ("plain", "compiled", "compiled, rounds", "compiled, renumbered", "compiled, threads", "plain, in one pass")


@contextmanager
def engine_by(name: str, encoded: Encoded, recipe: Recipe, n_jobs: int | None = None) -> Iterator[Engine]:
    """An engine of that name; the plain pair where there is no compiled engine."""
    n_jobs = n_jobs or (2 if name == "compiled, threads" else 1)
    with Workers(n_jobs, small_work=0 if n_jobs > 1 else 20_000) as workers:
        engine = None
        if name.startswith("compiled"):
            engine = compiled_engine(encoded, recipe, workers, **_options(name))
        engine = engine or plain_engine(encoded, recipe, workers)
        if name == "plain, in one pass" and one_pass_search.serves(encoded, recipe):
            choice, store = engine.choice, engine.store
            assert isinstance(choice, ScoreChoice)
            assert isinstance(store, PlainStore)
            engine.shortcut = OnePassSearch(encoded, recipe, store, choice, lambda loop: True)
        yield engine


def grown_by(name: str, encoded: Encoded, recipe: Recipe, n_jobs: int | None = None) -> Tree:
    with engine_by(name, encoded, recipe, n_jobs) as engine:
        return grow(engine, recipe)


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
