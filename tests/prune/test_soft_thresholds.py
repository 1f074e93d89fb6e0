"""Soft thresholds: bounds against a plain search, and rows that go down both branches against a plain walk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import treewright as tw
from treewright.data.schema import Column, Kind
from treewright.explain.condition_text import condition
from treewright.prune.soft_thresholds import _short_bounds, bounds_of
from treewright.split import Split


def plain_bounds(values, on_left, on_right, edge):
    """C4.5's bounds, row by row: errors with the threshold at a value, then where they pass the limit."""
    places = sorted(set(values))
    errors = [sum(a if x <= t else b for x, a, b in zip(values, on_left, on_right)) for t in places]
    base = sum(a if x <= edge + 1e-6 else b for x, a, b in zip(values, on_left, on_right))
    limit = base + np.sqrt((base + 0.5) * (len(values) - base + 0.5) / (len(values) + 1))
    lower, upper, found = min(edge, places[0]), max(edge, places[-1]), False
    for (t, before), (u, after) in zip(zip(places, errors), zip(places[1:], errors[1:])):
        if not found and before > limit >= after and u <= edge + 1e-6:
            lower, found = u - (u - t) * (limit - after) / (before - after), True
        elif before <= limit < after and u > edge + 1e-6:
            upper = max(edge, t + (u - t) * (limit - before) / (after - before))
    return lower, upper


rows = st.tuples(st.integers(0, 12).map(float), st.booleans(), st.booleans())


@given(st.lists(rows, min_size=1, max_size=40), st.integers(0, 12).map(float))
def test_bounds_are_where_errors_pass_the_limit(rows, edge):
    values, on_left, on_right = (np.array(part, np.float64) for part in zip(*rows))
    found = bounds_of(values, np.ones(len(values)), on_left, on_right, edge)
    assert found == pytest.approx(plain_bounds(values, on_left, on_right, edge))
    assert found[0] <= edge <= found[1]


@pytest.fixture(scope="module")
def gaps():
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.fixture(scope="module")
def model(gaps):
    return tw.C45Classifier(soft_thresholds=True).fit(*gaps)


def part_on_left(split, x: float) -> float:
    edge = split.edges[0]
    lower, upper = split.bounds or (edge, edge)
    if x <= lower or x > upper:
        return float(x <= lower)
    return 1 - (x - lower) / (edge - lower) / 2 if x <= edge else (upper - x) / (upper - edge) / 2


def mixed(node, row) -> np.ndarray:
    if node.is_leaf:
        return node.value
    x = row[node.split.column]
    weights = np.array([child.stats.sum() for child in node.children])
    left = part_on_left(node.split, x)
    parts = weights / weights.sum() if np.isnan(x) else np.array([left, 1 - left])
    return sum(part * mixed(child, row) for part, child in zip(parts, node.children) if part > 0)


def test_rows_near_a_threshold_go_down_both_branches(model, gaps):
    X, _ = gaps
    random = np.random.default_rng(0)
    near = X[random.integers(0, len(X), 300)] + random.normal(scale=0.2, size=(300, 4))
    for table in (X, near):
        expected = [mixed(model.tree_.root, row) for row in table]
        np.testing.assert_allclose(model.predict_proba(table), expected, atol=1e-12)
    assert [model.explain(row).prediction for row in near[:20].tolist()] == model.predict(near[:20]).tolist()


def test_at_the_threshold_both_branches_have_a_half(model):
    tree = model.tree_
    row = np.full(4, np.nan)
    row[tree.column[0]] = tree.edges[0]
    assert tree.bounds[0, 0] < tree.edges[0] < tree.bounds[0, 1]
    shares = [step.share for step in model.explain(row.tolist()).steps if step.node == 0]
    assert shares == [0.5, 0.5]
    assert model.decision_path(row[None])[0, [1, 2]].toarray().all()


def test_bounds_are_printed_saved_and_kept_when_the_tree_is_cut(model, gaps, tmp_path):
    lower, upper = model.tree_.bounds[0]
    assert f"[{lower}, {upper}]" in str(model)
    assert len(f"{lower}") <= 8
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_proba(gaps[0]), model.predict_proba(gaps[0]))
    cut = model.prune("depth", depth=1).tree_
    assert cut.bounds.tolist() == [[lower, upper]]


def test_without_the_option_nothing_is_soft(gaps):
    tree = tw.C45Classifier().fit(*gaps).tree_
    assert not tree.bounds.size
    assert tree.root.split.bounds is None


def test_bounds_are_told_in_full():
    """A number just outside of the bounds is not said to be between them."""
    split = Split(0, np.array([1.5]), np.array([-1, 0, 1]), bounds=(1.23456789, 2.3456789))
    assert "[1.23456789, 2.3456789]" in condition(split, Column("x", Kind.NUMERIC), 0)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6)
)
def test_short_bounds_part_the_same_values(values, edge, below, above):
    lower, upper, values = edge - below, edge + above, np.array(values)
    short = _short_bounds(lower, upper, edge, values)
    assert short[0] <= edge <= short[1]
    for end, told in zip((lower, upper), short):
        assert told == pytest.approx(end, abs=1e-5 * (upper - lower))
    np.testing.assert_array_equal((lower < values) & (values < upper), (short[0] < values) & (values < short[1]))
