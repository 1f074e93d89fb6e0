"""C45RulesClassifier: figures of C4.5 on well-known tables, weights, options, and scikit-learn's manners."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import treewright as tw
from refusals import check_refused

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)


def mixed(n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    colour, size = random.choice(["red", "green", "blue"], n_rows), random.normal(size=n_rows).round(1)
    y = np.where((colour == "red") ^ (size > 0.3) ^ (random.random(n_rows) < 0.1), "yes", "no")
    table = pd.DataFrame({"colour": colour, "size": size})
    return table.mask(random.random(table.shape) < 0.1), y


def test_iris():
    """C4.5 release 8: four rules, four training errors, and setosa by default."""
    model = tw.C45RulesClassifier().fit(IRIS, SPECIES)
    assert model.rule_set_.numbers == (1, 2, 5, 3)
    assert int((model.predict(IRIS) != SPECIES).sum()) == 4
    assert model.rule_set_.otherwise.prediction == 0
    assert [tuple(condition.column for condition in rule.conditions) for rule in model.rule_set_] == [
        ("petal width (cm)",),
        ("petal width (cm)", "petal width (cm)", "petal length (cm)"),
        ("petal width (cm)",),
        ("petal length (cm)",),
    ]


def test_the_other_flavour_has_its_own_errors():
    X, y = mixed()
    ours, weka = (tw.C45RulesClassifier(flavour=flavour).fit(X, y) for flavour in ("c4.5", "j48"))
    assert ours.score(X, y) > 0.8
    assert weka.score(X, y) > 0.8
    least = tw.C45RulesClassifier(confidence=0.01).fit(X, y)
    assert least.rule_set_ != ours.rule_set_


def test_weights_are_worth_as_many_rows():
    X, y = mixed(120)
    times = np.arange(120) % 3 + 1
    repeated = np.repeat(np.arange(120), times)
    options = {"thresholds": "midpoints"}
    weighted = tw.C45RulesClassifier(**options).fit(X, y, sample_weight=times)
    plain = tw.C45RulesClassifier(**options).fit(X.iloc[repeated], y[repeated])
    assert [rule.conditions for rule in weighted.rule_set_] == [rule.conditions for rule in plain.rule_set_]
    np.testing.assert_allclose(weighted.rule_set_.stats, plain.rule_set_.stats)


def test_rows_without_weight_or_target_do_not_count():
    X, y = mixed(100)
    extra = pd.concat([X, X.iloc[:5]], ignore_index=True)
    plain = tw.C45RulesClassifier().fit(X, y).rule_set_
    weights = np.r_[np.ones(100), np.zeros(5)]
    assert tw.C45RulesClassifier().fit(extra, np.r_[y, ["no"] * 5], sample_weight=weights).rule_set_ == plain
    assert tw.C45RulesClassifier().fit(extra, [*y, *[None] * 5]).rule_set_ == plain


def test_options_of_rules():
    X, y = mixed(400, seed=3)
    sizes = [len(tw.C45RulesClassifier(theory_weight=weight).fit(X, y).rule_set_) for weight in (0.0, 0.5, 20.0)]
    assert sizes[0] >= sizes[1] >= sizes[2]
    again = [tw.C45RulesClassifier(random_state=7).fit(X, y).rule_set_ for _ in range(2)]
    assert again[0] == again[1]
    assert tw.C45RulesClassifier(max_depth=1).fit(X, y).rule_set_.rules


def test_levels_in_sets():
    random = np.random.default_rng(1)
    colour = random.choice(list("abcdef"), 200)
    y = np.where(np.isin(colour, ["a", "b", "c"]), "yes", "no")
    model = tw.C45RulesClassifier(subset=True).fit({"colour": colour.tolist(), "size": random.normal(size=200)}, y)
    sets = {condition.levels for rule in model.rule_set_ for condition in rule.conditions}
    assert sets <= {("a", "b", "c"), ("d", "e", "f")}
    assert sets
    both = tw.C45RulesClassifier(subset=True, binary=True)
    check_refused(lambda: both.fit({"colour": colour.tolist()}, y), "exclude each other", tw.OptionError)


def test_where_nothing_can_be_told_apart_there_are_no_rules():
    model = tw.C45RulesClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert len(model.rule_set_) == 0
    assert model.predict([[9.0], [None]]).tolist() == ["b", "b"]
    assert model.predict_proba([[9.0]])[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_probabilities_are_those_of_the_rule():
    model = tw.C45RulesClassifier().fit(IRIS, SPECIES)
    rules = model.rule_set()
    fired = rules.fired(IRIS)
    for row in (0, 60, 149):
        np.testing.assert_array_equal(model.predict_proba(IRIS)[row], rules[fired[row]].value)
    assert rules is model.rule_set_
    np.testing.assert_array_equal(rules.predict(IRIS), model.predict(IRIS))


@pytest.mark.parametrize("copied", [lambda m, path: pickle.loads(pickle.dumps(m)), lambda m, path: saved(m, path)])
def test_copies_are_equal(copied, tmp_path):
    X, y = mixed()
    model = tw.C45RulesClassifier(confidence=0.1, theory_weight=1.0, random_state=3).fit(X, y)
    other = copied(model, tmp_path / "rules.json")
    assert other.get_params() == model.get_params()
    assert other.rule_set_ == model.rule_set_
    assert other.feature_names_in_.tolist() == ["colour", "size"]
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "rule_set_")


def saved(model, path):
    model.save(path)
    return tw.load(path)


def test_play_tennis_and_cross_validation():
    table = tw.datasets.load("play_tennis")
    X = {name: column for name, column in table.X.items() if name != "day"}
    assert tw.C45RulesClassifier().fit(X, table.y).score(X, table.y) == 1.0
    assert cross_val_score(tw.C45RulesClassifier(), IRIS, SPECIES, cv=5).mean() > 0.9


def test_levels_not_seen_before_are_refused_if_asked():
    X, y = mixed()
    model = tw.C45RulesClassifier(unseen="error").fit(X, y)
    check_refused(lambda: model.predict({"colour": ["pink"], "size": [1.0]}), "pink")


def test_what_is_refused():
    X, y = mixed(30)
    with pytest.raises(NotFittedError):
        tw.C45RulesClassifier().predict(X)
    with pytest.raises(NotFittedError):
        tw.C45RulesClassifier().rule_set()
    for options, message in (
        ({"theory_weight": -1}, "theory_weight"),
        ({"confidence": 0}, "confidence"),
        ({"flavour": "c5.0"}, "flavour"),
    ):
        check_refused(lambda options=options: tw.C45RulesClassifier(**options).fit(X, y), message, tw.OptionError)
    check_refused(lambda: tw.C45RulesClassifier().fit(X, None), "requires y")
    check_refused(lambda: tw.C45RulesClassifier().fit(X, y).predict(X[["size"]]), "feature names should match those")


def test_print():
    assert str(tw.C45RulesClassifier(confidence=0.1)) == "C45RulesClassifier(confidence=0.1)"
    assert str(tw.C45RulesClassifier().fit(IRIS, SPECIES)).splitlines()[-1] == "otherwise target = 0"
