"""Rule sets by hand: predicting, simplifying, editing, printing, saving, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

import treewright as tw
from refusals import check_refused
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.region import Interval
from treewright.rules import Condition, Rule, RuleSet, rule_json
from treewright.tree import io
from treewright.tree.tree import LeafKind

SCHEMA = Schema(
    (Column("age", Kind.NUMERIC), Column("colour", Kind.NOMINAL, ("red", "green", "blue"))),
    Target("buys", ("no", "yes")),
)
X = {"age": [20, 35, 45, 60, None], "colour": ["red", "green", "blue", "red", "green"]}


def rule(number, prediction, *conditions, stats=(1.0, 3.0)):
    value = (1.0, 0.0) if prediction == "no" else (0.25, 0.75)
    return Rule(conditions, prediction, value, stats, number)


def rule_set(*rules):
    return RuleSet(SCHEMA, rules, rule(-1, "no"), (10.0, 10.0), LeafKind.CLASSES)


OLD = Condition.number("age", above=30)
OLDER = Condition.number("age", above=40)
RED = Condition.among("colour", "red")
RULES = rule_set(rule(1, "yes", OLD, OLDER), rule(2, "no", RED), rule(3, "yes", OLD))


def test_the_first_rule_that_is_met_decides():
    assert RULES.fired(X).tolist() == [2, 3, 1, 1, -1]
    assert RULES.predict(X).tolist() == ["no", "yes", "yes", "yes", "no"]
    assert RULES.predict_proba(X)[:2].tolist() == [[1.0, 0.0], [0.25, 0.75]]
    assert RULES.reorder(2).fired(X).tolist() == [2, 3, 1, 2, -1]
    assert RULES.drop(1).fired(X).tolist() == [2, 3, 3, 2, -1]
    assert RULES.matches(X).astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0]]


def test_a_score_is_that_of_estimators():
    truth = ["no", "yes", "no", "yes", "yes"]
    assert RULES.score(X, truth) == np.mean(RULES.predict(X) == truth)
    assert RULES.score(X, truth, [1, 0, 0, 0, 0]) == 1
    model = tw.CARTRegressor(max_depth=1).fit({"age": [20, 35, 45, 60]}, [1.0, 2.0, 4.0, 9.0])
    rows = {"age": [20, 50]}
    assert model.rule_set().score(rows, [1.0, 8.0]) == pytest.approx(model.score(rows, [1.0, 8.0]))


def test_missing_and_unseen_values_meet_what_says_so():
    rules = rule_set(rule(1, "yes", Condition.among("colour", "red", missing=True)))
    assert rules.fired({"age": [1, 1, 1], "colour": [None, "pink", "green"]}).tolist() == [1, 1, -1]


def test_conditions_on_a_column_become_one():
    simple = rule_set(
        rule(1, "yes", OLD, RED, OLDER, Condition.among("colour", "red", "blue")),
        rule(2, "yes", OLD, Condition.number("age", up_to=30)),
        rule(3, "no", Condition.number("age", missing=True), RED),
        rule(4, "no", Condition.among("colour", "red", "green", "blue", missing=True)),
        rule(5, "yes", OLD),
    ).simplify()
    assert [(one.number, one.conditions) for one in simple] == [(1, (OLDER, RED)), (3, (RED,)), (4, ())]


def test_known_at_all_is_a_condition():
    rules = rule_set(rule(1, "yes", Condition.number("age"))).simplify()
    assert rules[1].conditions == (Condition.number("age"),)
    assert "if age is known then" in str(rules)


def test_rules_are_added():
    more = RULES.add([Condition.among("colour", "green")], "yes", before=1)
    assert more.numbers == (4, 1, 2, 3)
    assert more.fired(X).tolist() == [2, 4, 1, 1, 4]
    assert more.predict_proba(X)[1].tolist() == [0.0, 1.0]
    assert rule_set().add([], "yes").predict(X).tolist() == ["yes"] * 5


def test_a_set_without_rules_predicts_the_default():
    nothing = RULES.drop(1, 2, 3)
    assert len(nothing) == 0
    assert nothing.predict(X).tolist() == ["no"] * 5
    assert nothing.fired(X).tolist() == [-1] * 5
    assert str(nothing).splitlines() == [
        "RuleSet: buys — 0 rules, the first that is met decides",
        "otherwise buys = no",
    ]
    report = nothing.report(X, ["no", "no", "yes", "no", "no"])
    assert (report.accuracy, report.uncovered.tolist(), report.rules) == (0.8, [0, 1, 2, 3, 4], ())


def test_print():
    either = Condition("age", (Interval(None, 1.0), Interval(2.0, np.inf)))
    rules = rule_set(rule(7, "yes", either, RED), rule(9, "no", OLD, stats=(0.0, 0.0)))
    assert str(rules).splitlines() == [
        "RuleSet: buys — 2 rules, the first that is met decides",
        "[7] if (age ≤ 1 or age > 2) and colour = red then buys = yes   (20 % of rows, 75 % right, lift 1.5)",
        "[9] if age > 30 then buys = no",
        "otherwise buys = no",
    ]
    short = rules.to_text(max_rules=1, ascii=True).splitlines()
    assert short[1].startswith("[7] if (age <= 1 or age > 2)")
    assert short[2] == "... 1 more rule"
    assert "".join(short).isascii()


def test_rules_of_numbers_print_their_spread():
    rules = tw.CARTRegressor(max_depth=1).fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0]).rule_set()
    assert str(rules).splitlines()[1:] == [
        "[1] if x0 ≤ 2.5 or missing then y = 1   (50 % of rows, sd 0)",
        "[2] if x0 > 2.5 then y = 6   (50 % of rows, sd 1)",
        "otherwise y = 3.5",
    ]
    check_refused(lambda: rules.predict_proba([[1]]), "have no probabilities", tw.OptionError)
    assert rules.add([Condition.number("x0", above=3)], 9, before=2).predict([[4]]).tolist() == [9.0]


def test_a_report_counts():
    weights = [1.0, 2.0, 1.0, 1.0, 1.0]
    report = RULES.report(X, ["no", "yes", "no", "yes", "no"], weights)
    first, second, third = report.rules
    assert (first.weight, first.coverage, first.decided, first.accuracy) == (2.0, 2 / 6, 2.0, 0.5)
    assert first.lift == pytest.approx(0.5 / 0.5)
    assert first.laplace == pytest.approx(2 / 4)
    assert 0 < first.pessimistic < 0.5
    assert (second.weight, second.decided, third.weight, third.decided) == (2.0, 1.0, 4.0, 2.0)
    np.testing.assert_array_equal(report.overlaps, [[2, 1, 2], [1, 2, 1], [2, 1, 4]])
    assert report.uncovered.tolist() == [4]
    assert report.conflicts == 1  # the last but one meets all three
    assert (report.n_rows, report.accuracy) == (5, pytest.approx(5 / 6))
    assert "5 rows: 83 % right, 1 row uncovered, 1 row in conflict" in str(report)


def test_a_report_knows_classes_the_rules_do_not_and_rows_without_a_target():
    report = RULES.report(X, ["maybe", "yes", None, "yes", "no"])
    assert report.n_rows == 4
    assert report.accuracy == 0.75
    assert report.rules[1].accuracy == 0.0
    assert report.rules[0].weight == 1.0


def test_a_report_on_numbers_is_in_errors():
    rules = tw.CARTRegressor(max_depth=1).fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0]).rule_set()
    report = rules.report([[1], [4], [5]], [3.0, 6.0, 6.0])
    assert [figures.error for figures in report.rules] == [2.0, 0.0]
    assert report.error == pytest.approx(np.sqrt(4 / 3))
    assert report.accuracy is None
    assert "error 1.15" in str(report)


# ---------------------------------------------------------------- files


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rules.json"


def test_rules_come_back(path):
    RULES.save(path)
    assert tw.load(path) == RULES
    document = json.loads(path.read_text("utf-8"))
    with open(io.__file__.replace("io.py", "model.schema.json"), encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))


def test_many_rules_are_checked_at_once(path, monkeypatch):
    """What takes a while for each rule would take minutes for a million: arrays are looked at once for all."""
    calls = []
    monkeypatch.setattr(rule_json, "check_weights", lambda leaf, stats: calls.append(len(stats)))
    many = replace(RULES, rules=tuple(replace(RULES.rules[0], number=number) for number in range(1000)))
    many.save(path)
    assert tw.load(path) == many
    assert calls == [1001, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["rules"].pop("otherwise"), "must have the entries"),
        (lambda d: d["rules"]["rules"][0].update(number="1"), "not a whole number"),
        (lambda d: d["rules"]["rules"][0].update(number=2), "same number"),
        (lambda d: d["rules"]["rules"][0].update(number=-1), "has the number -1"),
        (lambda d: d["rules"]["rules"][0].update(prediction="perhaps"), "no class"),
        (lambda d: d["rules"]["rules"][0].update(prediction=[1]), "no class and no number"),
        (lambda d: d["rules"]["rules"][0].update(value=[0.5, 0.6]), "not shares of 1"),
        (lambda d: d["rules"]["rules"][0].update(value=[1.0]), "must be 2 numbers"),
        (lambda d: d["rules"]["rules"][0].update(stats=[1.0, -1.0]), "negative"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(column="height"), "no column 'height'"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(intervals=[[3, 2]]), "interval is empty"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(intervals=[[3]]), "two ends"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(intervals=[[3, 10**400]]), "out of range"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(intervals=[[-(10**400), 3]]), "out of range"),
        (lambda d: d["rules"]["rules"][0].update(value=[10**400, 0]), "out of range"),
        (lambda d: d["rules"]["rules"][0].update(value=3), "must be 2 numbers"),
        (lambda d: d["rules"]["rules"][0].update(stats=[1e308, 1e308]), "a weight is larger than any"),
        (lambda d: d["rules"].update(stats=[1e308, 1e308]), "a weight is larger than any"),
        (lambda d: d["rules"]["rules"][0]["conditions"][0].update(levels=["red"]), "holds numbers"),
        (lambda d: d["rules"]["rules"][1]["conditions"][0].update(levels=["pink"]), "no level 'pink'"),
        (lambda d: d["rules"]["rules"][1]["conditions"][0].update(missing=1), "missing values"),
        (lambda d: d["rules"]["otherwise"].update(conditions=d["rules"]["rules"][0]["conditions"]), "has conditions"),
        (lambda d: d.update(estimator="CARTClassifier"), "not known here"),
        (lambda d: d.update(rules=[]), "not of the right type"),
        (lambda d: d.update(tree={}), "unknown entries"),
    ],
)
def test_damaged_files_are_refused(path, change, message):
    RULES.save(path)
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(tw.ModelFileError, match=message):
        tw.load(path)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: RULES[4], "no rule of number 4"),
        (lambda: RULES.drop(7), "no rule of number 7"),
        (lambda: rule_set().drop(1), "no rule of number 1"),
        (lambda: RULES.reorder(1, 1), "named twice"),
        (lambda: RULES.reorder(9), "no rule of number 9"),
        (lambda: RULES.add([], "perhaps"), "no class 'perhaps'"),
        (lambda: RULES.add([Condition.number("height")], "yes"), "no column 'height'"),
        (lambda: RULES.add([Condition.number("colour", above=1)], "yes"), "holds levels"),
        (lambda: RULES.add([Condition.among("age", 30)], "yes"), "holds numbers"),
        (lambda: RULES.add([Condition.among("colour", "pink")], "yes"), "no level 'pink'"),
        (lambda: rule_set(RULES[1], RULES[1]), "same number"),
        (lambda: Condition.number("age", above=3, up_to=3), "no number is above 3"),
        (lambda: Condition.number("age", above=np.nan), "no number is above nan"),
    ],
)
def test_what_makes_no_sense_is_refused(action, message):
    check_refused(action, message, tw.OptionError)


def test_other_columns_are_refused():
    check_refused(lambda: RULES.predict({"age": [1], "size": [2]}), "colour")
    check_refused(lambda: RULES.predict([[1, 2, 3]]), "RuleSet is expecting 2 features")
    check_refused(lambda: RULES.report(X, ["no"]), "1 .* 5|5 .* 1")


def test_rules_do_not_change():
    with pytest.raises(AttributeError):
        RULES.rules = ()
    assert replace(RULES) == RULES
    assert hash(RULES.rules[0]) == hash(replace(RULES.rules[0]))
