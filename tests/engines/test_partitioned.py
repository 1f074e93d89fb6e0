"""The same tree, byte for byte, where rows are in other processes: the seam for Dask, SQL and Spark is right."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine_roads import assert_same_tree, grown_by
from engines.partitioned import PartitionedStore, Worker
from oracle import Column
from strategies import Problem
from tables import encode_problem, leaf_of
from treewright.data.encoded import Encoded
from treewright.engines.dispatch import choice_of, paths_of, target_of
from treewright.engines.engine import Engine
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.grow import grow
from treewright.recipe_parts.constraints import Constraints
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByRatio, ByScore, Limits, Recipe, Splits

N_ROWS = 211
PARTS = {1: [N_ROWS], 2: [150, N_ROWS], 3: [140, 143, N_ROWS]}  # where they end; one is tiny, and lacks a level
DEEP, SHALLOW, BEST_FIRST = Limits(min_rows_leaf=4), Limits(max_depth=3), Limits(max_leaves=9)
CHI2 = ByMerging(test="chi2", alpha_split=1.0, alpha_merge=0.5, min_rows=2)
CHAID_LIMITS = Limits(min_weight_split=5)
MONOTONE = {"constraints": Constraints(np.array([0, 1, 0, 0]), None, {}, np.zeros(4, np.bool_), 0.05)}

# The target, and of the recipe: choice, splits, missing values, limits and what else there is.
RECIPES: dict[str, tuple[str, Any, str, str, Limits, dict[str, Any]]] = {
    "CART": ("classes", ByScore("gini"), "subset", "learned", DEEP, {}),
    "CART, best first": ("classes", ByScore("entropy"), "subset", "learned", BEST_FIRST, {}),
    "CART, at random": ("classes", ByScore("gini"), "subset", "common", SHALLOW, {"tie": "random", "seed": 7}),
    "CART, heavy leaves": ("classes", ByScore("gini"), "subset", "stop", Limits(min_weight_fraction_leaf=0.05), {}),
    "CART, shared": ("classes", ByScore("gini"), "subset", "fractional", BEST_FIRST, {}),
    "ID3": ("classes", ByScore("entropy"), "multiway", "learned", DEEP, {}),
    "ID3, in full": ("classes", ByScore("entropy"), "multiway", "every", SHALLOW, {}),
    "gain ratio": ("classes", ByScore("gain_ratio"), "multiway", "learned", SHALLOW, {}),
    "C4.5": ("classes", ByRatio(narrow=True), "multiway", "fractional", Limits(), {}),
    "C4.5, subset": ("classes", ByRatio(), "groups", "fractional", Limits(), {}),
    "C4.5, best first": ("classes", ByRatio(at_values=False), "one-vs-rest", "fractional", BEST_FIRST, {}),
    "CHAID": ("classes", CHI2, "groups", "learned", CHAID_LIMITS, {}),
    "CHAID, exhaustive": ("classes", replace(CHI2, exhaustive=True), "groups", "learned", CHAID_LIMITS, {}),
    "CHAID, left out": ("classes", replace(CHI2, max_branches=3), "groups", "fractional", BEST_FIRST, {}),
    "CHAID, F": ("numbers", replace(CHI2, test="f"), "groups", "learned", CHAID_LIMITS, {}),
    "regression": ("numbers", ByScore("squared_error"), "subset", "learned", DEEP, {}),
    "regression, best first": ("numbers", ByScore("squared_error"), "subset", "fractional", BEST_FIRST, {}),
    "regression, monotone": ("numbers", ByScore("squared_error"), "subset", "learned", SHALLOW, MONOTONE),
    "Poisson": ("counts", ByScore("poisson"), "subset", "learned", DEEP, {}),
}  # fmt: skip


@cache
def table(
    target: str, *, weighted: bool, sorted_columns: bool = False, factors: tuple[float, ...] | None = None
) -> Encoded:
    """Numbers with ties and without, ordered levels and five levels, the last of which only the last rows have."""
    rng = np.random.default_rng(11)
    levels = rng.integers(0, 5, N_ROWS)
    levels[-20::3] = 5
    ties, numbers = rng.integers(-4, 5, N_ROWS) / 2, rng.normal(size=N_ROWS)
    signal = numbers + 0.8 * ties * (levels > 2) + rng.normal(size=N_ROWS)
    columns = [
        Column("numeric", np.where(rng.random(N_ROWS) < 0.15, np.nan, ties)),
        Column("numeric", np.where(rng.random(N_ROWS) < 0.1, np.nan, numbers)),
        Column("ordinal", rng.integers(0, 5, N_ROWS)),
        Column("nominal", levels),
    ]
    y = {"classes": np.digitize(signal, [-0.7, 0.7]), "numbers": signal, "counts": np.maximum(np.rint(signal + 1), 0)}
    weights = rng.choice([0.1, 0.25, 1.5, 7.3], N_ROWS) if weighted else None
    problem = Problem(columns, y[target], weights, 3 if target == "classes" else None)
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    if factors is None:
        return encoded
    by_row = np.array(factors)[encoded.y]
    return replace(encoded, weights=by_row * (1 if weights is None else weights), class_factors=np.array(factors))


def recipe_of(name: str) -> Recipe:
    target, choice, splits, policy, stop, pieces = RECIPES[name]
    leaf = leaf_of(Problem([], np.empty(0), None, 3 if target == "classes" else None))
    return Recipe(choice, leaf, (Missing(policy),) * 4, Splits(splits), stop, **pieces)


# ---- the driver ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutlineColumn:
    """See ``ColumnEncoding``."""

    n_codes: int
    has_missing: bool
    bounds: Any


@dataclass(frozen=True)
class Outline:
    """See ``Encoding``: what the driver knows."""

    schema: Any
    columns: tuple[OutlineColumn, ...]
    n_rows: int
    class_factors: Any


def outline(encoded: Encoded) -> Outline:
    numeric = [column.kind.value == "numeric" for column in encoded.schema.columns]
    columns = tuple(
        OutlineColumn(column.n_codes, column.has_missing, column.bounds if is_numeric else None)
        for column, is_numeric in zip(encoded.columns, numeric, strict=True)
    )
    return Outline(encoded.schema, columns, encoded.n_rows, encoded.class_factors)


def written_parts(encoded: Encoded, recipe: Recipe, n_parts: int, folder: Any) -> list[Any]:
    """Files with the rows of the parts."""
    target, part = target_of(encoded, recipe), np.searchsorted(PARTS[n_parts], np.arange(N_ROWS), side="right")
    paths = [folder / f"part{p}.pickle" for p in range(n_parts)]
    for p, path in enumerate(paths):
        path.write_bytes(pickle.dumps((encoded.take(part == p), target.take(part == p))))
    return paths


def driver(encoded: Encoded, recipe: Recipe, n_parts: int, workers: list[Worker], folder: Any) -> Engine:
    store = PartitionedStore(workers, written_parts(encoded, recipe, n_parts, folder))
    known, target = outline(encoded), target_of(encoded, recipe).take(np.zeros(N_ROWS, np.bool_))
    paths = paths_of(known, recipe)
    return Engine(known, recipe, target, store, choice_of(known, recipe, target, paths, store), Workers(1), paths)


@pytest.fixture(scope="module")
def workers():
    started = [Worker() for _ in range(max(PARTS))]
    yield started
    for worker in started:
        worker.stop()


def assert_same_bytes(one: Any, other: Any) -> None:
    assert_same_tree(one, other)
    assert [array.tobytes() for array in one.arrays()] == [array.tobytes() for array in other.arrays()]


# ---- tests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("name", RECIPES)
def test_same_tree(name, weighted, workers, tmp_path):
    encoded, recipe = table(RECIPES[name][0], weighted=weighted), recipe_of(name)
    compiled = grown_by("compiled", encoded, recipe)
    assert compiled.n_nodes > 5
    assert_same_bytes(compiled, grown_by("plain", encoded, recipe))
    for n_parts in PARTS:
        assert_same_bytes(grow(driver(encoded, recipe, n_parts, workers, tmp_path), recipe), compiled)


@pytest.mark.parametrize("name", ["CART", "C4.5", "regression"])
def test_numbers_of_sorted_columns(name, workers, tmp_path):
    """Only rows say what the codes of such columns stand for: the driver is told before these are taken apart."""
    encoded, recipe = table(RECIPES[name][0], weighted=False, sorted_columns=True), recipe_of(name)
    encoded = replace(encoded, columns=tuple(_as_encoded(column) for column in encoded.columns))
    assert_same_bytes(
        grow(driver(encoded, recipe, 3, workers, tmp_path), recipe), grown_by("compiled", encoded, recipe)
    )


def _as_encoded(column):
    return column if column.order is None else replace(column, lows=np.empty(0), highs=np.empty(0))


@pytest.mark.parametrize("name", ["CART", "CART, shared", "C4.5"])
def test_costs(name, workers, tmp_path):
    """Where missing values go by weight, this is that of rows, not what costs have made of them."""
    encoded, recipe = table("classes", weighted=False, factors=(0.3, 1.0, 1.7)), recipe_of(name)
    assert_same_bytes(
        grow(driver(encoded, recipe, 3, workers, tmp_path), recipe), grown_by("compiled", encoded, recipe)
    )


def test_no_rows_in_the_driver(workers, tmp_path):
    encoded, recipe = table("classes", weighted=True), recipe_of("C4.5")
    engine = driver(encoded, recipe, 3, workers, tmp_path)
    grow(engine, recipe)
    assert len(engine.target.labels) == len(engine.target.weight.values) == 0
    held = pickle.dumps([engine.encoded, engine.target, [worker.told for worker in workers]])
    columns = [column.codes for column in encoded.columns]
    for rows in (*columns, encoded.y, encoded.weights, target_of(encoded, recipe).weight.values):
        for part in np.split(rows, PARTS[3][:-1]):
            assert part.tobytes() not in held


@pytest.mark.parametrize("name", ["CART, best first", "C4.5"])
def test_worker_lost(name, workers, tmp_path):
    """A worker that dies while a tree grows is replaced, and the tree is the same."""
    encoded, recipe = table("classes", weighted=True), recipe_of(name)
    engine = driver(encoded, recipe, 2, workers, tmp_path)
    sent, send = [], engine.store.send

    def send_and_lose(tests):
        sent.append(tests)
        if len(sent) == 3:
            workers[1].process.kill()
        return send(tests)

    engine.store.send = send_and_lose
    assert_same_bytes(grow(engine, recipe), grown_by("compiled", encoded, recipe))
    assert len(sent) >= 3


def test_sends_are_forgotten(workers, tmp_path):
    """A worker keeps no rows of sends whose nodes wait no more."""
    encoded, recipe = table("classes", weighted=False), recipe_of("CART")
    engine = driver(encoded, recipe, 2, workers, tmp_path)
    grow(engine, recipe)
    forgotten = [number for name, given in workers[0].told if name == "send_missing" for number in given[2]]
    n_sends = sum(name == "send_known" for name, _ in workers[0].told)
    assert len(forgotten) >= n_sends - 2 > 0


@pytest.mark.parametrize(
    ("target", "choice", "policy", "said"),
    [
        ("numbers", ByMedian(), "learned", "medians are found by looking at rows"),
        ("classes", ByScore("gini"), "surrogate", "surrogates look at rows one by one"),
    ],
)
def test_what_needs_all_rows_in_one_place_is_refused(target, choice, policy, said, workers, tmp_path):
    leaf = leaf_of(Problem([], np.empty(0), None, 3 if target == "classes" else None))
    recipe = Recipe(choice, leaf, (Missing(policy),) * 4, Splits.SUBSET, DEEP)
    with pytest.raises(OptionError, match=said):
        grow(driver(table(target, weighted=False), recipe, 2, workers[:2], tmp_path), recipe)
