"""Held-out rows that a missing value stops on their way are lost at the node where they stop."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.data.labelled import labelled
from treewright.model.model_pruning import losses_at_nodes
from treewright.prune.tree_selection import by_hold_out
from treewright.tree.edit import cut


def table(n_rows: int, seed: int):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, (n_rows, 3)).astype(float)
    y = X[:, 0] + X[:, 1] * (X[:, 2] > 3) + rng.normal(size=n_rows)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y


@pytest.fixture(params=["classes", "numbers"])
def fitted(request):
    (X, y), (X_val, y_val) = table(80, 1), table(60, 2)
    if request.param == "numbers":
        return tw.CARTRegressor(missing="stop").fit(X, y), X_val, y_val
    return tw.CARTClassifier(missing="stop").fit(X, y > 5), X_val, y_val > 5


def error(model, tree, X, y) -> float:
    smaller = model.__class__(missing="stop")
    smaller.__dict__.update(model.__dict__, tree_=tree)
    predicted = smaller.predict(X)
    return float(np.mean(predicted != y) if y.dtype == bool else np.mean((predicted - y) ** 2))


def test_every_tree_of_the_sequence_loses_what_it_predicts_wrongly(fitted):
    model, X, y = fitted
    path = model.pruning_path()
    rows = losses_at_nodes(model, labelled(X, y, is_classifier=y.dtype == bool))
    choice = by_hold_out(path, rows, "0se")
    assert rows.stopped.any()
    np.testing.assert_allclose(choice.error, [error(model, tree, X, y) for tree in path.trees], atol=1e-9)


@pytest.mark.parametrize("order", ["bottom-up", "greedy"])
def test_no_node_is_better_as_a_leaf_after_reduced_error_pruning(fitted, order):
    model, X, y = fitted
    tree = model.prune("reduced-error", X, y, order=order).tree_
    now = error(model, tree, X, y)
    assert now < error(model, model.tree_, X, y)
    for v in np.flatnonzero(tree.n_branches > 0):
        is_cut = np.zeros(tree.n_nodes, np.bool_)
        is_cut[v] = True
        assert error(model, cut(tree, is_cut), X, y) > now - 1e-9
