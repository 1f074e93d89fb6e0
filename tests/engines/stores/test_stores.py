"""Every store tells the same sums: of cells, of branches, and of the children that were kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import Column
from recipes_by_hand import by_score
from strategies import Problem, examples, problems
from tables import encode_problem
from treewright.engines.dispatch import target_of
from treewright.engines.stores import store as stores
from treewright.engines.stores.case_store import CaseStore
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.row_store import Renumbering, RowStore
from treewright.engines.target_stats import target_stats
from treewright.engines.workers import Workers
from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets

WHOLE = ("plain", "rows", "rows, renumbered")
STORES = (*WHOLE, "cases")
ANEW = Renumbering(least_rows=1, shrunk=1)


def store_of(name: str, problem: Problem, *, sorted_columns: bool):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    if name == "cases":
        return CaseStore(encoded, target_stats(encoded, "entropy", fine=True), Workers(1))
    target = target_of(encoded, by_score(problem, "gini" if problem.n_classes else "squared_error"))
    if name == "plain":
        return PlainStore(encoded, target)
    return RowStore(encoded, target, Workers(1), renumbering=ANEW if "renumbered" in name else None)


def root_of(store) -> stores.Frontier:
    zero = np.zeros(1, np.int64)
    return stores.Frontier(zero, zero, np.array([store.encoded.n_rows]), store.totals()[None, :], np.zeros(1, bool))


def odd_codes_left(store, column: int, nodes: int, of_missing: int) -> stores.Tests:
    """Every node tests one column: odd codes left, even ones right."""
    n_codes, n = store.encoded.columns[column].n_codes, nodes
    branches = np.tile((np.arange(n_codes) % 2 == 0).astype(np.int32), (n, 1))
    branches[:, 0] = of_missing
    return stores.Tests(
        np.full(n, column), np.full(n, 2), np.zeros(n, bool), np.zeros(n, np.int64), *np.full((2, n), np.nan),
        offsets(np.full(n, n_codes)), branches.ravel(), np.zeros(n, bool),
    )  # fmt: skip


def what_rows_add(problem: Problem, store) -> np.ndarray:
    """(rows, statistics), in the store's integers."""
    amounts, labels = store.target.case_amounts, store.target.case_labels
    if problem.n_classes is None:
        return amounts
    stats = np.zeros((problem.n_rows, problem.n_classes), np.int64)
    stats[np.arange(problem.n_rows), labels] = amounts[:, 0]
    return stats


def check_cells(found: Cells, codes: np.ndarray, node: np.ndarray, stats: np.ndarray) -> None:
    expected = sorted({(int(f), int(c)) for f, c in zip(node, codes)})
    assert list(zip(found.node.tolist(), found.code.tolist())) == expected
    for k, (f, c) in enumerate(expected):
        here = (node == f) & (codes == c)
        assert found.rows[k] == here.sum()
        np.testing.assert_array_equal(found.stats[k], stats[here].sum(0))


@pytest.mark.parametrize("name", STORES)
@settings(max_examples=examples(30))
@given(data=st.data(), sorted_columns=st.booleans())
def test_cells_and_branches_hold_the_sums_of_their_rows(name, data, sorted_columns):
    """At the root, and again at its two children."""
    target = "classes" if name == "cases" else data.draw(st.sampled_from(["classes", "counts"]))
    problem = data.draw(problems(target, missing=False))
    store = store_of(name, problem, sorted_columns=sorted_columns)
    stats = what_rows_add(problem, store)
    first, last = 0, len(problem.columns) - 1
    codes = [column.codes.astype(int) for column in store.encoded.columns]
    root, nobody = root_of(store), np.zeros(problem.n_rows, np.int64)
    store.open(root)
    for j, mine in enumerate(codes):
        check_cells(store.cells(j), mine, nobody, stats)
    tests = odd_codes_left(store, first, 1, EVERY_BRANCH if name == "cases" else 0)
    sent, side = store.send(tests), (codes[first] % 2 == 0).astype(int)
    check_branches(sent, side, stats, 2)
    children = stores.Frontier(np.array([1, 2]), np.ones(2, int), sent.rows, sent.stats, np.zeros(2, bool))
    wanted = children.rows > 0
    store.keep(root, sent, tests, np.array([0]), children, wanted)
    kept = children[np.flatnonzero(wanted)]
    store.open(kept)
    node = side if wanted.all() else nobody
    for j, mine in enumerate(codes):
        check_cells(store.cells(j), mine, node, stats)
    below = store.send(odd_codes_left(store, last, len(kept), EVERY_BRANCH if name == "cases" else 0))
    check_branches(below, 2 * node + (codes[last] % 2 == 0), stats, 2 * len(kept))


def check_branches(sent: stores.Sent, branch: np.ndarray, stats: np.ndarray, n: int) -> None:
    assert sent.rows.tolist() == np.bincount(branch, minlength=n).tolist()
    sums = np.zeros((n, stats.shape[1]), np.int64)
    np.add.at(sums, branch, stats)
    np.testing.assert_array_equal(sent.stats, sums)
    assert not sent.n_missing.any()


@settings(max_examples=examples(40))
@given(problem=problems("classes", kinds=("nominal", "ordinal")))
def test_rows_in_parts_are_the_same_parts_in_both_stores(problem):
    encoded = encode_problem(problem, sorted_columns=False)
    target = target_stats(encoded, "entropy", fine=True)
    plain, cases = PlainStore(encoded, target), CaseStore(encoded, target, Workers(1))
    tests = odd_codes_left(plain, 0, 1, EVERY_BRANCH)
    if not encoded.columns[0].codes.any():
        return  # nobody is there to share out by
    for store in (plain, cases):
        store.open(root_of(store))
    one, other = plain.send(tests), cases.send(tests)
    assert one.rows.tolist() == other.rows.tolist()
    np.testing.assert_array_equal(one.stats, other.stats)
    np.testing.assert_array_equal(one.stats.sum(0), plain.totals())
    assert one.n_missing.tolist() == other.n_missing.tolist() == [(encoded.columns[0].codes == 0).sum()]
    assert one.of_missing.tolist() == other.of_missing.tolist() == [EVERY_BRANCH]


@pytest.mark.parametrize("name", WHOLE)
def test_where_nothing_is_missing_missing_values_go_with_the_heavier_branch(name):
    problem = Problem([Column("nominal", [1, 1, 2, 2, 2])], np.array([0, 0, 1, 1, 1]), None, 2)
    store = store_of(name, problem, sorted_columns=False)
    store.open(root_of(store))
    assert store.send(odd_codes_left(store, 0, 1, stores.HEAVIEST)).of_missing.tolist() == [1]
