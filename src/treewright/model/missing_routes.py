"""Where missing values go when predicting, if that is not where training sent them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.frame import listing
from treewright.data.schema import Kind, Schema
from treewright.errors import DataError
from treewright.prediction import reached
from treewright.prune.training_rows import training_rows
from treewright.recipe_parts.missing import Missing, policies_of
from treewright.split import EVERY_BRANCH, STOP
from treewright.tree.build import pack_surrogates
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask


def policies_at_predict(choice: Any, schema: Schema, trained: tuple[Missing, ...]) -> tuple[Missing, ...]:
    """The policy of every column when predicting; None: that of training."""
    if choice is None:
        return trained
    asked = policies_of(choice, schema.names, Missing.STOP, "missing_at_predict")
    if not isinstance(choice, Mapping):
        return asked
    return tuple(new if name in choice else old for name, new, old in zip(schema.names, asked, trained))


def rerouted(
    tree: Tree, encoded: Encoded, trained: tuple[Missing, ...], predicting: tuple[Missing, ...], n_jobs: int
) -> Tree:
    """The tree with missing values sent by the policies of prediction. Statistics and predictions of nodes stay.

    What is refused goes nowhere, so that its way does not matter.
    """
    changed = np.array([new is not old and new is not Missing.ERROR for new, old in zip(predicting, trained)])
    nodes = np.flatnonzero((tree.n_branches > 0) & np.append(changed, False)[tree.column])
    if not nodes.size:
        return tree
    to = _marks(tree, predicting, nodes)
    common = nodes[[predicting[j] is Missing.COMMON for j in tree.column[nodes]]]
    to[common] = _commonest_branches(tree, encoded, common, n_jobs)
    branch_of = tree.branch_of.copy()
    for v in nodes:
        here = branch_of[tree.branch_start[v] : tree.branch_start[v + 1]]
        as_missing = (here == here[0]) & (here < 0)  # levels that did not occur at the node go the same way
        as_missing[0] = True
        here[as_missing] = to[v]
    return _without_surrogates(tree._replace(branch_of=branch_of), nodes)


def _marks(tree: Tree, policies: tuple[Missing, ...], nodes: Ints) -> Ints:
    by_column = np.array([STOP if policy.stops else EVERY_BRANCH for policy in policies])
    to = np.zeros(tree.n_nodes, np.int64)
    to[nodes] = by_column[tree.column[nodes]]
    return to


def _without_surrogates(tree: Tree, nodes: Ints) -> Tree:
    if not tree.surrogates.exist:
        return tree
    kept = {v: tree.surrogates.of(v) for v in range(tree.n_nodes) if v not in set(nodes.tolist())}
    return tree._replace(surrogates=pack_surrogates({v: tests for v, tests in kept.items() if tests}, tree.n_nodes))


# ---- the commonest value ---------------------------------------------------------------------------------------------


def _commonest_branches(tree: Tree, encoded: Encoded, nodes: Ints, n_jobs: int) -> Ints:
    """The branch of the commonest value at some nodes, of the median where values are ordered; where no row has a
    value, the heaviest branch."""
    ordered = np.array([column.kind is not Kind.NOMINAL for column in encoded.schema.columns])
    node, value, weight = _values_at(tree, encoded, nodes, n_jobs)
    start = np.searchsorted(node, nodes)
    stop = np.searchsorted(node, nodes, side="right")
    found = np.empty(len(nodes), np.int64)
    for k, v in enumerate(nodes):
        mine = slice(start[k], stop[k])
        if start[k] == stop[k]:
            children = tree.first_child[v] + np.arange(tree.n_branches[v])
            found[k] = int(tree.weights[children].argmax())
            continue
        split = tree.node(int(v)).split
        assert split is not None
        place = _median_place(weight[mine]) if ordered[split.column] else int(weight[mine].argmax())
        found[k] = int(split.branches(value[mine][place : place + 1])[0])
    return found


def _median_place(weight: Floats) -> int:
    """The first value with which half of the weight is reached."""
    below = weight.cumsum()
    return int(np.searchsorted(below, below[-1] / 2 * (1 - 1e-12)))


def _values_at(tree: Tree, encoded: Encoded, nodes: Ints, n_jobs: int) -> tuple[Ints, Floats, Floats]:
    """The known values that some nodes test, with their weights: node, value and weight, in order of node and value."""
    rows = training_rows(tree, encoded)
    row, node, part = reached(tree, np.ascontiguousarray(rows.cells.T), n_jobs)
    part = part if rows.weights is None else part * rows.weights[row]
    wanted: Mask = np.zeros(tree.n_nodes, np.bool_)
    wanted[nodes] = True
    pieces: list[tuple[Ints, Floats, Floats]] = []
    while len(node):
        at = np.flatnonzero(wanted[node])
        cells: Array = rows.cells[tree.column[node[at]], row[at]]
        known = ~np.isnan(cells)
        pieces.append((node[at][known], cells[known], part[at][known]))
        above = tree.parent[node]
        inside = above >= 0
        row, node, part = row[inside], above[inside], part[inside]
    return _added_up(*(np.concatenate(parts) for parts in zip(*pieces)))


def _added_up(node: Ints, value: Floats, weight: Floats) -> tuple[Ints, Floats, Floats]:
    order = np.lexsort((value, node))
    node, value, weight = node[order], value[order], weight[order]
    new = np.ones(len(node), np.bool_)
    new[1:] = (node[1:] != node[:-1]) | (value[1:] != value[:-1])
    first = np.flatnonzero(new)
    return node[first], value[first], np.add.reduceat(weight, first) if len(first) else weight


# ---- rows that are refused -------------------------------------------------------------------------------------------


def refuse_missing_cells(matrix: Array, schema: Schema, policies: tuple[Missing, ...], tested: Ints) -> None:
    """Refuse rows that miss a value which is tested and must not be missing."""
    bad = [j for j in tested if policies[j] is Missing.ERROR and np.isnan(matrix[:, j]).any()]
    if bad:
        names, rows = [schema.names[j] for j in bad], int(np.isnan(matrix[:, bad]).any(1).sum())
        raise DataError(
            f"{rows} of {len(matrix)} rows miss a value, or have a level that was not seen, in {listing(names)}",
            'fill them in, or use another missing_at_predict, as "fractional"',
        )
