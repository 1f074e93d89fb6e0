"""Missing values at prediction, by another policy than in training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright.split import AS_MISSING

LOYALTY = tw.datasets.load("customer_loyalty")
FIRST = {name: cells[:1] for name, cells in LOYALTY.X.items()}


@pytest.mark.parametrize(
    ("policy", "high"),
    [
        ("stop", 9 / 13), ("drop", 9 / 13),  # as the thirteen customers whose gender is known
        ("common", 1 / 2),  # as a woman: urban, and none below 21, hence as her parent
        ("fractional", 7 / 13 / 2), ("every", 7 / 13 / 2),  # 7/13 as a woman, 6/13 as a man, who is low
    ],
)  # fmt: skip
def test_the_first_customer_of_the_notes(policy, high):
    """002: gender is not known; trained without that case, predicted by each policy."""
    options = {"missing": "drop", "missing_at_predict": policy, "force": {0: "gender"}}
    model = tw.ID3Classifier(**options).fit(LOYALTY.X, LOYALTY.y)
    assert model.predict_proba(FIRST)[0, 0] == pytest.approx(high)
    assert model.tree_.rows[0] == 13
    again = tw.fit(LOYALTY.table, "loyalty", "id3", **options)
    assert again.predict_proba(FIRST)[0, 0] == pytest.approx(high)


def test_a_missing_value_is_refused_where_it_is_tested():
    model = tw.ID3Classifier(missing_at_predict={"gender": "error"}, force={0: "gender"}).fit(LOYALTY.X, LOYALTY.y)
    for predict in (model.predict, model.predict_proba, model.apply, model.explain):
        with pytest.raises(tw.DataError, match="1 of 1 rows miss a value.*in gender"):
            predict(FIRST)
    assert model.predict({**FIRST, "gender": ["Male"], "age": [None]}).tolist() == ["Low"]


def test_it_is_saved_and_printed(tmp_path):
    model = tw.CARTClassifier(missing_at_predict="fractional", max_depth=1).fit(LOYALTY.X, LOYALTY.y)
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    gone = {name: [None] for name in LOYALTY.X}
    assert loaded.get_params()["missing_at_predict"] == "fractional"
    np.testing.assert_array_equal(loaded.predict_proba(gone), model.predict_proba(gone))
    np.testing.assert_allclose(model.predict_proba(gone)[0], model.tree_.value[0])  # all branches by share
    assert "missing (shared)" in str(model.explain(gone))


@pytest.mark.parametrize("value", ["learned", "branch", "surrogate", "x", {"gender": "learned"}, 3])
def test_what_is_learned_cannot_be_chosen_later(value):
    with pytest.raises(tw.OptionError, match="missing_at_predict=.*'fractional', 'every', 'common'"):
        tw.CARTClassifier(missing_at_predict=value).fit(LOYALTY.X, LOYALTY.y)
    with pytest.raises(tw.OptionError, match="missing_at_predict names 'zz'"):
        tw.CARTClassifier(missing_at_predict={"zz": "stop"}).fit(LOYALTY.X, LOYALTY.y)


# ---------------------------------------------------------------- beside a walk by hand


def walked(tree, columns, row, policy, training, weights):
    """The value of a row that starts at the root, its missing values sent by the policy."""

    def common(node, rows, name):
        known = [i for i in rows if not is_missing(training[name][i])]
        values = [training[name][i] for i in known]
        if not values:
            return int(np.argmax([tree.weights[child.id] for child in node.children]))
        if isinstance(values[0], str):
            levels = sorted(set(values))
            best = max(levels, key=lambda level: sum(weights[i] for i in known if training[name][i] == level))
            return branch_of(node, name, best)
        order = sorted(known, key=lambda i: training[name][i])
        half, seen = sum(weights[i] for i in known) / 2, 0.0
        for i in order:
            seen += weights[i]
            if seen >= half - 1e-9:
                return branch_of(node, name, training[name][i])
        raise AssertionError

    def branch_of(node, name, value):
        split = node.split
        if is_missing(value):
            return int(split.branch_of[0])
        code = 1 + np.searchsorted(split.edges, value) if split.is_numeric else 1 + columns[name].index(value)
        return int(split.branch_of[code])

    def go(node, rows):
        if node.is_leaf:
            return tree.value[node.id]
        name = list(columns)[node.split.column]
        value = row[name]
        old = int(node.split.branch_of[0])
        branch = branch_of(node, name, value)
        inside = [[i for i in rows if branch_of(node, name, training[name][i]) == b] for b in range(len(node.children))]
        if not is_missing(value) and branch >= 0:
            return go(node.children[branch], inside[branch])
        if branch not in (old, AS_MISSING):
            raise AssertionError
        if policy in ("stop", "drop"):
            return tree.value[node.id]
        if policy == "common":
            at = common(node, rows, name)
            return go(node.children[at], inside[at])
        weight = np.array([tree.weights[child.id] for child in node.children])
        share = weight / weight.sum()
        return sum(s * go(child, part) for s, child, part in zip(share, node.children, inside))

    return go(tree.root, range(len(weights)))


def is_missing(value):
    return value is None or value != value


@pytest.mark.parametrize("policy", ["fractional", "common", "stop"])
@pytest.mark.parametrize("trained", ["learned", "drop", "branch", "stop", "common"])
@given(seed=st.integers(0, 10**6), splits=st.sampled_from(["multiway", "subset"]))
@settings(max_examples=examples(15))
def test_rows_go_as_by_hand(policy, trained, seed, splits):
    """Of training rows that go one way each, so that the commonest value can be counted row by row."""
    rng = np.random.default_rng(seed)
    n = 40
    columns = {"u": ["a", "b", "c"], "x": []}
    X = {"u": rng.choice(["a", "b", "c", None], n, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
         "x": np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n).round(1)).tolist()}  # fmt: skip
    y, weights = rng.choice(["n", "y"], n), rng.integers(1, 4, n).astype(float)
    options = {"splits": splits, "missing": trained, "min_rows_leaf": 3, "max_depth": 3}
    plain = tw.TreeClassifier(**options).fit(X, y, weights)
    model = tw.TreeClassifier(**options, missing_at_predict=policy).fit(X, y, weights)
    whole = [i for i in range(n) if trained != "drop" or not any(is_missing(X[name][i]) for name in X)]
    training = {name: [cells[i] for i in whole] for name, cells in X.items()}
    new = {"u": [None, "a", None, "c"], "x": [0.1, np.nan, np.nan, -0.5]}
    if trained == policy:
        np.testing.assert_array_equal(model.predict_proba(new), plain.predict_proba(new))
        return
    for i in range(4):
        row = {name: cells[i] for name, cells in new.items()}
        expected = walked(plain.tree_, columns, row, policy, training, weights[whole])
        found = model.predict_proba({name: [cells[i]] for name, cells in new.items()})[0]
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_median_of_chaid_s_bins():
    """Two thirds of the rows are above every edge, so missing values go there."""
    x = np.repeat([1.0, 2.0, 3.0], [20, 20, 80])
    y = np.repeat(["a", "b"], [40, 80])
    X = {"x": [*x, None], "z": ["q"] * 121}
    options = {"bins": {"x": [1.5, 2.5]}, "missing": "stop"}
    model = tw.CHAIDClassifier(missing_at_predict="common", **options).fit(X, [*y, "a"])
    assert model.predict_proba({"x": [None], "z": ["q"]}).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("make", [
    lambda **o: tw.CARTClassifier(missing="surrogate", **o), lambda **o: tw.C45Classifier(**o),
    lambda **o: tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=2, alpha_split=0.5, **o),
    lambda **o: tw.ID3Classifier(missing="every", **o), lambda **o: tw.CARTClassifier(engine="histogram", **o),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_every_learner_has_it(make):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((200, 3)) < 0.1, np.nan, rng.normal(size=(200, 3)))
    y = np.where(np.nan_to_num(X[:, 0]) + rng.normal(size=200) / 3 > 0, "yes", "no")
    gone = [[np.nan] * 3]
    stopped, shared = (make(missing_at_predict=policy).fit(X, y) for policy in ("stop", "fractional"))
    np.testing.assert_allclose(stopped.predict_proba(gone)[0], stopped.tree_.value[0])
    assert stopped.apply(gone).tolist() == [0]
    assert shared.decision_path(gone).sum() == shared.tree_.n_nodes
    assert make(missing_at_predict="common").fit(X, y).decision_path(gone).sum() <= 1 + shared.tree_.depth
    np.testing.assert_array_equal(
        stopped.predict(X[~np.isnan(X).any(1)]), make().fit(X, y).predict(X[~np.isnan(X).any(1)])
    )
