"""A table is the same before a tree is grown from it and after."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import treewright as tw
from engine_roads import grown_by
from made_trees import same
from oracle import Column
from recipes_by_hand import by_median, by_merging, by_score, c45_of
from strategies import Problem
from tables import encode_problem
from treewright.data.encoded import Encoded
from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.stores.row_store import Renumbering
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.prune.methods.error_based import ErrorBased
from treewright.recipe_parts.merging import ByMerging

RECIPES = {
    "score of classes": (3, lambda problem: by_score(problem, "gini")),
    "score of numbers": (None, lambda problem: by_score(problem, "squared_error")),
    "best first": (3, lambda problem: by_score(problem, "entropy", max_leaves=6)),
    "parts": (3, lambda problem: by_score(problem, "gini", missing="fractional")),
    "surrogates": (3, lambda problem: by_score(problem, "gini", missing="surrogate")),
    "median": (None, by_median),
    "ratio": (3, c45_of),
    "ratio, best first": (3, lambda problem: c45_of(problem, stop=by_score(problem, "gini", max_leaves=6).stop)),
    "merging": (3, lambda problem: by_merging(problem, ByMerging(alpha_split=0.9))),
}


def table(n_classes: int | None, *, weighted: bool) -> Problem:
    rng = np.random.default_rng(0)
    numbers = np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60))
    columns = [
        Column("numeric", numbers),
        Column("nominal", rng.integers(0, 5, 60)),
        Column("ordinal", rng.integers(0, 4, 60)),
    ]
    y = rng.normal(size=60) if n_classes is None else rng.integers(0, n_classes, 60)
    return Problem(columns, y, rng.integers(1, 4, 60) / 2 if weighted else None, n_classes)


def arrays_of(encoded: Encoded) -> dict[str, np.ndarray]:
    found = {"y": encoded.y, "weights": encoded.weights}
    for j, column in enumerate(encoded.columns):
        found |= {f"{field.name} of column {j}": getattr(column, field.name) for field in fields(column)}
    return {name: values for name, values in found.items() if isinstance(values, np.ndarray)}


@pytest.mark.parametrize("kind", RECIPES)
@pytest.mark.parametrize("sorted_columns", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_no_engine_writes_to_the_table(engine, kind, sorted_columns, weighted):
    n_classes, make = RECIPES[kind]
    problem = table(n_classes, weighted=weighted)
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    assert {"y", "codes of column 0", "numbers of column 0"} <= set(arrays_of(encoded))
    assert ("order of column 0" in arrays_of(encoded)) == sorted_columns
    before = {name: values.copy() for name, values in arrays_of(encoded).items()}
    tree = grown_by(engine, encoded, make(problem))
    assert tree.depth > 1
    for name, values in arrays_of(encoded).items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)


def rows_of_text(n_rows: int):
    rng = np.random.default_rng(7)
    X = {name: rng.choice(list("abcdefgh"), n_rows) for name in ("colour", "shape", "size", "taste")}
    wanted = (X["colour"] < "d") ^ (X["shape"] > "e") ^ (rng.random(n_rows) < 0.2)
    return X, np.where(wanted, "yes", "no")


def check_pruned(n_rows: int) -> None:
    X, y = rows_of_text(n_rows)
    option = tw.CARTClassifier(prune=ErrorBased(), min_rows_leaf=max(1, n_rows // 500)).fit(X, y)
    grown = tw.CARTClassifier(min_rows_leaf=max(1, n_rows // 500)).fit(X, y)
    assert 1 < option.tree_.n_leaves < grown.tree_.n_leaves
    assert same(option.tree_, grown.prune("error-based").tree_)
    leaves = option.tree_.n_branches == 0
    assert option.tree_.stats[leaves].sum(0).tolist() == [(y == "no").sum(), (y == "yes").sum()]


def test_a_tree_pruned_with_its_rows_is_pruned_with_the_rows_it_was_grown_from(monkeypatch):
    """Rows are numbered anew while the tree grows; whoever prunes it must not get them in that order."""
    changed = {"least_rows": 1, "shrunk": 1}
    monkeypatch.setattr(Renumbering.__init__, "__defaults__", tuple(changed.values()))
    monkeypatch.setattr(SmallNodes.__init__, "__defaults__", (0, 0, 4))
    assert Renumbering() == Renumbering(**changed)
    check_pruned(300)


def test_a_large_tree_too():
    check_pruned(60_000)


def test_growing_twice_from_one_table_gives_one_tree(engine):
    problem = table(3, weighted=True)
    encoded = encode_problem(problem, sorted_columns=True)
    one, two = (grown_by(engine, encoded, by_score(problem, "gini")) for _ in range(2))
    assert same(one, two)
    assert same(one, fit_tree(encoded, by_score(problem, "gini"), Workers(1)))
