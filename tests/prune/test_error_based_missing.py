"""Error-based pruning of trees whose missing values go any way, against a plain recursion over rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from made_trees import same
from plain_pruning import Plain, asked_below, counted_below
from recipes_by_hand import c45_of
from strategies import problems
from tables import encode_problem
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.prune.methods.error_based import ErrorBased, collapse, recounted
from treewright.prune.training_rows import training_rows
from treewright.recipe_parts.missing import Missing

POLICIES = [policy for policy in Missing if policy not in (Missing.DROP, Missing.ERROR)]  # those leave no gaps


@settings(deadline=None)
@given(
    problems("classes", max_rows=40), st.sampled_from(["c4.5", "j48"]), st.booleans(),
    st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4),
)  # fmt: skip
def test_the_pruned_tree_is_that_of_the_plain_recursion(problem, flavour, raising, policies):
    encoded, policies = encode_problem(problem, sorted_columns=True), tuple(policies[: len(problem.columns)])
    recipe = c45_of(problem, policies, flavour=flavour, min_cases=1.0, mdl=False)
    tree = fit_tree(encoded, recipe, Workers(1))
    given_rows = training_rows(tree, encoded, policies)
    if raising:
        pruned = ErrorBased(flavour=flavour)(tree, encoded.schema, given_rows)
    else:  # the statistics decide, by shares
        by_share = recounted(tree, encoded.schema, training_rows(tree, encoded))
        smaller = ErrorBased(flavour=flavour, raising=False)(by_share, encoded.schema)
        pruned = recounted(smaller, encoded.schema, given_rows)
    plain, cases = (
        Plain(tree.root, problem, policies, flavour),
        np.ones(problem.n_rows) if problem.weights is None else problem.weights,
    )
    plain.prune(cases, raising)
    assert list(asked_below(pruned.root)) == list(plain.asked())
    for mine, theirs in zip(counted_below(pruned.root), plain.counted(cases), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_rows_that_stop_are_errors_of_the_split():
    """Four known rows come apart, ten do not know: the split saves one error, and as a leaf it makes as many."""
    X = {"a": [1.0, 2.0, 3.0, 4.0] + [None] * 10}
    y = ["x", "x", "y", "y"] + ["x"] * 6 + ["y"] * 4
    model = tw.CARTClassifier(missing="stop", max_depth=1).fit(X, y)
    assert collapse(model.tree_, model.schema_).n_leaves == 2  # 4 of those that stop are wrong, of all together 6
    of_split = ErrorBased()._of_stopped(np.array([[6.0, 4.0]]), np.array([[8.0, 6.0]]))[0]
    below = of_split + ErrorBased().expected(np.array([[2.0, 0.0], [0.0, 2.0]])).sum()
    as_leaf = ErrorBased().expected(np.array([[8.0, 6.0]]))[0]
    kept = {raising: model.prune("error-based", raising=raising).tree_.n_leaves for raising in (False, True)}
    assert kept == dict.fromkeys((False, True), 1 if as_leaf <= below + 0.1 else 2)


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.C45Classifier])
@pytest.mark.parametrize("policy", [p.value for p in Missing if p is not Missing.ERROR])
def test_the_option_and_the_method_send_rows_alike(make, policy):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (120, 3)).astype(float)
    y = ((X[:, 0] > 2) ^ (rng.random(120) < 0.2)).astype(int)
    X[rng.random(X.shape) < 0.15] = np.nan
    own = make is tw.C45Classifier
    option = make(missing=policy, **({"collapse": False} if own else {"prune": ErrorBased()})).fit(X, y)
    method = make(missing=policy, **({"collapse": False, "prune": False} if own else {})).fit(X, y).prune("error-based")
    assert same(option.tree_, method.tree_)
    assert option.tree_.n_leaves > 1
