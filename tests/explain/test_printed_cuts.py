"""What is printed for a cut separates the same training rows, wherever it is printed."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.schema import Unit
from treewright.explain.number_text import format_exactly, rounded_numbers
from treewright.explain.printed_cuts import printed_cuts

CLOSE = [2615.3111, 2615.3119, 2615.3131, 2615.3139]
LEARNERS = [
    tw.CARTClassifier(),
    tw.CARTClassifier(engine="histogram"),
    tw.ID3Classifier(),
    tw.C45Classifier(min_cases=1, prune=False),
    tw.C45Classifier(min_cases=1, flavour="j48"),
    tw.C45Classifier(min_cases=1, raising=True, confidence=0.4),
    tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=1, alpha_split=0.99, alpha_merge=0.99, bins=4),
    tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=1, alpha_split=0.99, bins={"x": [2615.31249, 2615.31351]}),
]


@st.composite
def close_numbers(draw):
    """Numbers that differ in the seventh digit or later, around anything; and a class for each."""
    base = draw(st.sampled_from([0.0, 1.0, 2615.3125, -77.7, 1e-7, 123456.7, 1e9 + 0.3, 1e15, 3e22]))
    step = draw(st.sampled_from([1e-12, 1e-9, 1e-7, 1e-6, 1e-4, 0.1])) * max(abs(base), 1.0)
    steps = draw(st.lists(st.integers(0, 40), min_size=4, max_size=24))
    x = [base + step * k for k in steps]
    y = draw(st.lists(st.sampled_from("ab"), min_size=len(x), max_size=len(x)))
    y[:2] = "ab"
    return x, y


def meets(words, x):
    """Whether a number passes a printed test: ``a < x ≤ b``, ``x ≤ b or x > a``, ``(x > a or missing)``."""
    return any(_meets_one(part, x) for part in words.strip("()").split(" or ") if not part.startswith("missing"))


def _meets_one(words, x):
    between = re.fullmatch(r"(\S+) < x ≤ (\S+)", words)
    if between:
        return float(between[1]) < x <= float(between[2])
    sign, bound = re.fullmatch(r"x (≤|>|is) (\S+)", words).groups()
    if sign == "is":
        return bound == "known"
    return x <= float(bound) if sign == "≤" else x > float(bound)


def leaf_by_text(text, x):
    """Where the printed tree sends a number."""
    open_level, lines = 0, text.splitlines()[1:]
    for line in lines:
        level = line.count("│")
        test = re.match(r"(?:│  )*(.+?)(?:: \S+)? \[(\d+)\]", line)
        if level != open_level or test is None or not meets(test[1], x):
            continue
        if re.search(r": \S+ \[\d+\]", line):
            return int(test[2])
        open_level += 1
    raise AssertionError(f"{x!r} takes no branch of\n{text}")


def checked(model, X, x):
    """Every print of the model sends every training row where the model sends it."""
    leaves = model.apply(X).tolist()
    text, rules, rule_set = model.to_text(max_lines=None), model.rules(), model.rule_set()
    for value, leaf in zip(x, leaves):
        if model.tree_.n_leaves > 1:
            assert leaf_by_text(text, value) == leaf
        met = [rule.leaf for rule in rules if all(meets(words, value) for words in rule.conditions)]
        assert met == [leaf]
    assert _fired(str(rule_set), x) == leaves
    for row, value in zip(range(len(x)), x):
        told = model.explain({"x": X["x"][row]})
        for step in told.steps:
            assert meets(step.condition, value), (step.condition, value)
            assert meets(step.condition, float(step.value)), (step.condition, step.value)


def _fired(text, x):
    rules = [re.match(r"\[(\d+)\] (?:if (.+?) then|always)", line) for line in text.splitlines()[1:-1]]
    split = [(int(rule[1]), re.split(r" and ", rule[2] or "")) for rule in rules]
    return [
        next(number for number, tests in split if all(meets(words, value) for words in tests if words)) for value in x
    ]


def test_a_cut_is_not_rounded_onto_the_wrong_side():
    model = tw.CARTClassifier().fit({"x": CLOSE}, list("aabb"))
    assert "x ≤ 2615.312: a" in str(model)
    assert [rule.conditions for rule in model.rules()] == [("x ≤ 2615.312",), ("x > 2615.312",)]
    assert "if x > 2615.312 then y = b" in str(model.rule_set())
    assert "so x > 2615.312 " in str(model.explain({"x": 2615.3131}))
    checked(model, {"x": CLOSE}, CLOSE)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@given(table=close_numbers())
@example(table=(CLOSE, list("aabb")))
@example(table=([2615.3111, 2615.31249, 2615.312491, 2615.3139] * 3, list("aabb") * 3))
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_every_print_separates_the_training_rows_as_the_cut_does(learner, table):
    x, y = table
    checked(learner.fit({"x": x}, y), {"x": x}, x)


@given(table=close_numbers())
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_a_saved_model_and_its_rules_print_the_same(table, tmp_path_factory):
    x, y = table
    path = tmp_path_factory.mktemp("printed") / "model.json"
    model = tw.CARTClassifier().fit({"x": x}, y)
    for one in (model, model.rule_set()):
        one.save(path)
        assert str(tw.load(path)) == str(one)


@given(table=close_numbers())
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_rules_that_lost_conditions_are_met_by_the_same_rows(table):
    x, y = table
    rules = tw.C45RulesClassifier(min_cases=1, confidence=1.0).fit({"x": x}, y).rule_set()
    for rule, met in zip(rules, rules.matches({"x": x}).T):
        line = next(line for line in str(rules).splitlines() if line.startswith(f"[{rule.number}]"))
        tests = re.match(r"\[\d+\] if (.+?) then", line)[1].split(" and ")
        assert [all(meets(words, value) for words in tests) for value in x] == met.tolist()


@given(table=close_numbers(), where=st.floats(0, 1))
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_of_any_other_row_the_explanation_is_true_too(table, where):
    x, y = table
    model, value = tw.CARTClassifier().fit({"x": x}, y), min(x) + where * (max(x) - min(x))
    for step in model.explain({"x": value}).steps:
        assert meets(step.condition, value)
        assert meets(step.condition, float(step.value))
    told = model.rule_set().explain({"x": value})
    tests = re.search(r"(?:if (.+?) then|always)", told.words)[1]
    for words in tests.split(" and ") if tests else ():
        assert meets(words, value)
        assert all(meets(words, float(text)) for _, text in told.values)


@given(table=close_numbers(), method=st.sampled_from(["quantile", "width", "optimal"]))
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_labels_of_bins_hold_the_values_they_were_made_of(table, method):
    x, y = table
    bins = tw.Discretizer(method=method, bins=4, output="labels").fit({"x": x}, y)
    for value, label in zip(x, bins.transform({"x": x}).ravel()):
        low, high = -np.inf, np.inf
        if label != "any":
            low, high = (float(end) for end in re.fullmatch(r"\((\S+), (\S+)\]", _interval(label)).groups())
        assert low < value <= high, label


def _interval(label):
    return re.sub(r"^<= (\S+)$", r"(-inf, \1]", re.sub(r"^> (\S+)$", r"(\1, inf]", label))


@given(table=close_numbers())
def test_the_test_of_a_ranked_column_separates_its_rows(table):
    x, y = table
    test = next(iter(tw.rank_attributes({"x": x}, y))).test
    if test.startswith("<= "):
        gap = np.diff(np.unique([value <= float(test[3:]) for value in sorted(x)]))
        assert gap.size == 1


@pytest.mark.parametrize("unit", ["us", "ms", "s"])
@given(steps=st.lists(st.integers(0, 50), min_size=4, max_size=12, unique=True))
def test_times_are_printed_as_finely_as_the_rows_need(unit, steps):
    start = np.datetime64("2024-02-29T23:59:59.999990", "us")
    times = start + np.array(sorted(steps)).astype(f"m8[{unit}]").astype("m8[us]")
    y = ["a"] * (len(times) // 2) + ["b"] * (len(times) - len(times) // 2)
    model = tw.CARTClassifier().fit(pd.DataFrame({"t": times}), y)
    printed = np.datetime64(model.rules()[0].conditions[0].removeprefix("t ≤ ").replace(" ", "T"), "us")
    assert (times <= printed).tolist() == [label == "a" for label in y]


@given(seconds=st.lists(st.integers(0, 10**6), min_size=4, max_size=12, unique=True), sign=st.sampled_from([1, -1]))
def test_durations_are_printed_as_finely_as_the_rows_need(seconds, sign):
    spans = np.sort(sign * np.array(seconds)).astype("m8[us]")
    y = ["a"] * 2 + ["b"] * (len(spans) - 2)
    model = tw.CARTClassifier().fit(pd.DataFrame({"t": spans}), y)
    printed = pd.Timedelta(model.rules()[0].conditions[0].removeprefix("t ≤ "))
    assert (spans <= printed.to_timedelta64()).tolist() == [label == "a" for label in y]


@given(
    cuts=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8),
    values=st.lists(st.floats(allow_nan=True) | st.floats(-1e6, 1e6), max_size=40),
    unit=st.sampled_from(Unit),
    near=st.lists(st.integers(-3, 3), max_size=8),
    few_values=st.sampled_from([0, 1000]),
)
def test_no_value_lies_between_a_cut_and_what_is_printed(cuts, values, unit, near, few_values):
    cuts = np.array(cuts)
    rounded = rounded_numbers(cuts, unit)
    around = [np.nextafter(end, np.inf * (k or 1)) for end in (*cuts, *rounded) for k in near]
    values = np.array([*values, *cuts, *around])
    printed = printed_cuts(cuts, values, unit, few_values)
    known = values[~np.isnan(values)]
    assert ((known[:, None] <= cuts) == (known[:, None] <= printed)).all()


@given(
    values=st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=20, unique=True),
    few_values=st.sampled_from([0, 1000]),
)
def test_columns_of_32_bits_are_compared_as_they_are(values, few_values):
    values = np.sort(np.array(values, np.float32))
    cuts = values[:-1].astype(np.float64)
    printed = printed_cuts(cuts, values, few_values=few_values)
    assert ((values[:, None] <= cuts) == (values[:, None].astype(np.float64) <= printed)).all()


def test_six_digits_are_enough_where_nothing_is_in_between():
    assert printed_cuts(np.array([1.23456789]), np.array([1.0, 2.0])).tolist() == [1.23457]
    assert format_exactly(printed_cuts(np.array([1.23456789]), np.array([1.234568]))[0]) == "1.2345679"


def test_files_of_version_2_print_thresholds_in_full(tmp_path):
    path = tmp_path / "model.json"
    model = tw.CARTClassifier().fit({"x": CLOSE}, list("aabb"))
    model.save(path)
    document = json.loads(path.read_text())
    del document["tree"]["printed"]
    document["version"] = 2
    path.write_text(json.dumps(document))
    assert "x ≤ 2615.3125: a" in str(tw.load(path))


def test_surrogates_are_printed_so_too():
    table = {"x": CLOSE, "z": CLOSE}
    model = tw.CARTClassifier(missing="surrogate").fit(table, list("aabb"))
    assert "z ≤ 2615.312 stands in" in str(model.explain({"x": None, "z": 2615.3111}))


def test_a_cut_of_times_with_a_zone_says_its_own(tmp_path):
    times = pd.date_range("2024-03-31", periods=6, freq="h", tz="Europe/Berlin")  # the night of the change to summer
    model = tw.CARTClassifier().fit({"t": times}, list("aaabbb"))
    assert "t ≤ 2024-03-31 01:30:00 UTC: a" in str(model)
    assert "t is 2024-03-30 23:00:00 UTC, so t ≤ 2024-03-31 01:30:00 UTC" in str(model.explain({"t": times[0]}))
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict({"t": times}).tolist() == list("aaabbb")
