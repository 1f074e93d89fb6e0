"""C45Classifier and C45RulesClassifier with every policy for missing values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from made_trees import same
from strategies import examples, problems
from treewright.split import EVERY_BRANCH, STOP

POLICIES = ("learned", "fractional", "every", "common", "branch", "surrogate", "stop", "drop")
STYLES = ({}, {"binary": True}, {"subset": True})
WHOLE = {"collapse": False, "prune": False}

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def rows_of(problem) -> list[dict]:
    cells = [[None if np.isnan(v) else v for v in column.values.tolist()] for column in problem.columns]
    return [{f"x{j}": v for j, v in enumerate(row)} for row in zip(*cells)]


def kinds_of(problem) -> dict:
    return {f"x{j}": list(range(1, 6)) if c.kind == "ordinal" else c.kind for j, c in enumerate(problem.columns)}


def mixed(n_rows: int = 300, gaps: float = 0.15, seed: int = 3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 9, n_rows), "b": rng.normal(size=n_rows).round(1), "c": rng.choice(list("wxyz"), n_rows)}
    ).astype({"a": float})
    y = np.where(X["a"] + 2 * X["b"] + (X["c"] == "x") + rng.normal(size=n_rows) > 5, "up", "down")
    return X.mask(rng.random(X.shape) < gaps), y


# ---------------------------------------------------------------- the worked example


@pytest.mark.parametrize(
    ("policy", "branches"),
    [
        ("drop", [[6, 1], [3, 3]]),
        ("stop", [[6, 1], [3, 3]]),
        ("common", [[6, 2], [3, 3]]),
        ("fractional", [[6, 1 + 7 / 13], [3, 3 + 6 / 13]]),
        ("every", [[6, 2], [3, 4]]),
        ("branch", [[6, 1], [3, 3], [0, 1]]),
        ("learned", [[6, 1], [3, 4]]),
        ("surrogate", [[6, 2], [3, 3]]),
    ],
)
def test_31_the_customer_whose_gender_is_not_known(policy, branches):
    """Without other columns surrogates leave it to the heavier branch."""
    table = tw.datasets.load("customer_loyalty")
    X = {"gender": table.X["gender"]}
    model = tw.C45Classifier(missing=policy, max_depth=1, **WHOLE).fit(X, table.y)
    np.testing.assert_allclose(model.tree_.stats[1:], branches)


def test_split_information_counts_missing_values_where_they_go():
    table = tw.datasets.load("customer_loyalty")
    X = {"gender": table.X["gender"]}

    def info(*sizes: float) -> float:
        shares = np.array(sizes) / sum(sizes)
        return float(-(shares * np.log2(shares)).sum())

    trees = {p: tw.C45Classifier(missing=p, max_depth=1, **WHOLE).fit(X, table.y).tree_ for p in POLICIES}
    gain = {p: tw.criteria.gain(tree.stats[1:]) for p, tree in trees.items()}
    for policy in ("fractional", "every", "stop", "surrogate"):
        assert trees[policy].gain[0] == pytest.approx(0.1025 / info(1, 6, 7), abs=5e-5)
    for policy, sizes in {"branch": (7, 6, 1), "common": (8, 6), "learned": (7, 7), "drop": (7, 6)}.items():
        assert trees[policy].gain[0] == pytest.approx(gain[policy] / info(*sizes))


# ---------------------------------------------------------------- any table


@settings(max_examples=examples(100), deadline=None)
@given(
    problems("classes", max_rows=25), st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4),
    st.sampled_from(STYLES), st.sampled_from([{}, {"soft_thresholds": True}, WHOLE]), st.booleans(),
)  # fmt: skip
def test_predictions_and_explanations_agree(problem, policies, style, options, blank):
    """The sums over all leaves that a row reaches, one by one as ``explain`` does it, are what is predicted."""
    assume(len(np.unique(problem.y)) > 1)
    rows = rows_of(problem)
    missing = dict(zip(rows[0], policies))
    dropped = [name for name, policy in missing.items() if policy == "drop"]
    assume(any(all(row[name] is not None for name in dropped) for row in rows))
    model = tw.C45Classifier(missing=missing, kinds=kinds_of(problem), min_cases=1, **style, **options)
    model.fit(rows, problem.y, sample_weight=problem.weights)
    asked = [dict.fromkeys(row) for row in rows[:2]] if blank else rows
    visited = model.decision_path(asked)
    for i, (p, leaf) in enumerate(zip(model.predict_proba(asked), model.apply(asked))):
        reasons = model.explain(asked[i])
        np.testing.assert_allclose(reasons.distribution, p, atol=1e-12)
        assert leaf in reasons.leaves
        assert set(visited[i].indices) == {0, *(step.child for step in reasons.steps)}


@settings(max_examples=examples(60), deadline=None)
@given(problems("classes", max_rows=40, missing=False), st.sampled_from(POLICIES), st.sampled_from(STYLES))
def test_where_nothing_is_missing_all_policies_make_one_model(problem, policy, style):
    assume(len(np.unique(problem.y)) > 1)
    rows, kinds = rows_of(problem), kinds_of(problem)
    plain, other = (
        tw.C45Classifier(kinds=kinds, min_cases=1, **style, **option).fit(rows, problem.y, problem.weights)
        for option in ({}, {"missing": policy})
    )
    assert str(plain).split("\n")[1:] == str(other).split("\n")[1:]
    np.testing.assert_array_equal(plain.predict_proba(rows), other.predict_proba(rows))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "options",
    [
        {}, {"flavour": "j48"}, {"subset": True}, {"binary": True}, {"raising": False}, {"criterion": "gain"},
        {"soft_thresholds": True}, {"prune": "reduced-error", "random_state": 0}, {"thresholds": "midpoints"},
        {"costs": {("up", "down"): 3}}, {"priors": "equal"}, {"laplace": True}, {"max_leaves": 5},
        {"attribute_costs": {"a": 9.0}}, {"min_gain": 0.02}, {"significance": 0.01}, {"max_depth": 2},
    ],
    ids=str,
)  # fmt: skip
def test_every_option_goes_with_every_policy(policy, options, tmp_path):
    X, y = mixed()
    model = tw.C45Classifier(missing=policy, **options).fit(X, y)
    other = tw.C45Classifier(missing=dict.fromkeys("abc", policy), n_jobs=1, **options).fit(X, y)
    assert same(model.tree_, other.tree_)
    assert model.score(X, y) > (0.6 if "costs" in options else 0.7)
    assert 1 < model.tree_.n_leaves <= options.get("max_leaves", 99)
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    assert same(loaded.tree_, model.tree_)
    assert loaded.get_params() == model.get_params()
    nothing = pd.DataFrame({name: [None] for name in X})
    np.testing.assert_array_equal(loaded.predict_proba(nothing), model.predict_proba(nothing))
    np.testing.assert_allclose(model.predict_proba(nothing).sum(), 1)
    assert len(model.rules()) == model.tree_.n_leaves


def test_each_column_has_its_own_policy():
    X, y = mixed()
    wanted = {"a": "branch", "b": "stop"}
    model = tw.C45Classifier(missing=wanted, prune=False).fit(X, y)
    marks = {name: set() for name in X}
    for node in model.tree_.nodes():
        if node.split is not None:
            marks[model.schema_.names[node.split.column]].add(int(node.split.branch_of[0]))
    assert min(marks["a"]) >= 0
    assert marks["b"] == {STOP}
    assert marks["c"] == {EVERY_BRANCH}  # not named: as in C4.5
    assert "a is missing" in str(model)


def test_drop_is_as_if_the_rows_had_never_been_there():
    X, y = mixed()
    whole = X["a"].notna().to_numpy()
    dropped = tw.C45Classifier(missing={"a": "drop"}).fit(X, y)
    never = tw.C45Classifier(missing={"a": "stop"}).fit(X[whole], y[whole])
    assert same(dropped.tree_, never.tree_)
    assert dropped.schema_ == never.schema_


def test_dropped_rows_may_still_be_pruned_with():
    X, y = mixed()
    held_out = np.arange(len(y)) % 3 == 0
    whole = X.notna().all(axis=1).to_numpy()
    model = tw.C45Classifier(missing="drop", prune="reduced-error").fit(X, y, prune_rows=held_out)
    assert model.tree_.rows[0] == (whole & ~held_out).sum()
    with pytest.raises(tw.DataError, match="rows are needed both to grow from"):
        tw.C45Classifier(missing="drop", prune="reduced-error").fit(X, y, prune_rows=whole)


def test_surrogates_stand_at_the_node_and_stay_when_a_branch_is_raised():
    X, y = mixed(gaps=0.25, seed=1)
    X["twin"] = X["a"] + np.random.default_rng(0).normal(size=len(X)) / 4
    X["twin"] = X["twin"].fillna(4.0)
    model = tw.C45Classifier(missing="surrogate", max_surrogates=1, min_cases=1).fit(X, y)
    assert model.pruned_.raised
    for node in model.tree_.nodes():
        assert len(node.surrogates) <= 1
    (surrogate,) = model.tree_.root.surrogates
    assert {model.schema_.names[s] for s in (model.tree_.column[0], surrogate.split.column)} == {"a", "twin"}
    row = X.iloc[0].to_dict() | {model.schema_.names[model.tree_.column[0]]: None}
    assert "stands in (agrees on" in str(model.explain(row))
    alone = tw.C45Classifier(missing="surrogate", surrogate_otherwise="stop", prune=False).fit(X[["a"]], y)
    assert alone.apply({"a": [None]}).tolist() == [0]


def test_costs_of_errors_do_not_forbid_branches():
    X, y = mixed()
    plain, dear = (
        tw.C45Classifier(missing="learned", prune=False, costs=costs).fit(X, y)
        for costs in (None, {("up", "down"): 1.0})
    )
    assert same(plain.tree_, dear.tree_)


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("policy", ["learned", "fractional", "common", "branch", "stop", "drop"])
def test_rules_of_every_policy_they_can_express(policy, tmp_path):
    X, y = mixed()
    model = tw.C45RulesClassifier(missing=policy).fit(X, y)
    assert model.score(X, y) > 0.7
    knows = [condition.missing for rule in model.rule_set_ for condition in rule.conditions]
    assert any(knows) == (policy in ("learned", "common", "branch"))
    model.save(tmp_path / "m.json")
    np.testing.assert_array_equal(tw.load(tmp_path / "m.json").predict_proba(X), model.predict_proba(X))


def test_rules_may_ask_whether_a_value_is_missing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(size=200), "age": rng.normal(size=200)})
    X.loc[::3, "income"] = None
    y = np.where(X["income"].isna(), "refused", np.where(X["age"] > 0, "old", "young"))
    model = tw.C45RulesClassifier(missing={"income": "branch"}).fit(X, y)
    assert "income is missing then y = refused" in str(model)
    assert model.score(X, y) == 1


def test_dropped_rows_are_no_rows_of_the_rules():
    X, y = mixed()
    whole = X.notna().all(axis=1).to_numpy()
    dropped = tw.C45RulesClassifier(missing="drop").fit(X, y)
    assert dropped.rule_set_ == tw.C45RulesClassifier(missing="stop").fit(X[whole], y[whole]).rule_set_


@pytest.mark.parametrize("missing", ["every", "surrogate", {"a": "surrogate"}])
def test_rules_that_would_need_more_than_conditions_are_refused(missing):
    with pytest.raises(tw.OptionError, match="rules cannot say missing=.*C45Classifier"):
        tw.C45RulesClassifier(missing=missing).fit([[1.0], [2.0]], [0, 1])
