"""The trees that greedy reduced-error pruning comes by."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright.data.labelled import labelled
from treewright.model.model_pruning import losses_at_nodes
from treewright.prune.methods.reduced_error import removal_path


def grown(seed, n=60):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2 * n, 3)), rng.integers(0, 3, 2 * n)
    y[:n] = np.where(X[:n, 0] > 0, 0, y[:n])
    return tw.CARTClassifier().fit(X[:n], y[:n]), X[n:], y[n:]


def one_by_one(model, X, y):
    """The same by trying every removal."""
    trees = [model]
    while trees[-1].tree_.n_nodes > 1:
        tried = [trees[-1].prune("nodes", nodes=[v]) for v in np.flatnonzero(trees[-1].tree_.n_branches > 0).tolist()]
        wrong = [(smaller.predict(X) != y).sum() for smaller in tried]
        trees.append(tried[int(np.argmin(wrong))])
    return trees


@settings(max_examples=examples(12), deadline=None)
@given(st.integers(0, 1000))
def test_every_step_removes_the_node_that_improves_most(seed):
    model, X, y = grown(seed, 30)
    path = removal_path(model.tree_, losses_at_nodes(model, labelled(X, y, is_classifier=True)))
    expected = one_by_one(model, X, y)
    assert path.nodes.tolist() == [smaller.tree_.n_nodes for smaller in expected]
    assert path.risks.tolist() == [(smaller.predict(X) != y).sum() for smaller in expected]


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 1000))
def test_pruning_stops_on_the_path(seed):
    model, X, y = grown(seed)
    curve = tw.evaluate.pruning_curve(model, X, y)
    pruned = model.prune(tw.prune.ReducedError(order="greedy"), X, y)
    assert curve.nodes[curve.chosen] == pruned.tree_.n_nodes
    assert curve.validation[curve.chosen] == pytest.approx(1 - pruned.score(X, y))
    assert (np.diff(curve.nodes) < 0).all()
    assert (np.diff(curve.training) >= -1e-12).all()
    assert curve.nodes[-1] == 1
    assert (curve.validation[curve.chosen + 1 :] >= curve.validation[curve.chosen] - 1e-12).all()


def test_numbers_lose_their_squared_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    model = tw.CARTRegressor().fit(X[:100], y[:100])
    curve = tw.evaluate.pruning_curve(model, X[100:150], y[100:150], X[150:], y[150:])
    assert curve.validation[0] == pytest.approx(np.mean((model.predict(X[100:150]) - y[100:150]) ** 2))
    assert curve.test[-1] == pytest.approx(np.mean((y[150:] - y[:100].mean()) ** 2))
    assert curve.training[0] == pytest.approx(0)
    assert set(curve.to_dict()) == {"nodes", "leaves", "training", "validation", "test"}
