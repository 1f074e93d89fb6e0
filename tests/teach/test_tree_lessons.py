"""Whole trees by C4.5, CART and CHAID, of numbers, and likelihoods: the numbers shown are those of the trees."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright import teach
from treewright.explain.equation_text import model_text
from treewright.teach.lessons.chaid_lesson import chaid_lesson
from treewright.teach.lessons.tree_lessons import c45_lesson, cart_lesson

LEARNERS = {
    "c4.5": tw.C45Classifier(prune=False, collapse=False), "cart": tw.CARTClassifier(),
    "chaid": tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=1, alpha_merge=0.1, alpha_split=0.1),
}  # fmt: skip
BUNDLED = ["play_tennis", "robot", "temperature", "six_points", "food", "xor", "iris_rows", "isolated_point"]


def text_of(lesson):
    return "\n".join(line for step in lesson.steps for line in (step.title, *step.formulas, step.result, step.remark))


def random_rows(seed, *, numbers=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    table = {name: rng.choice(list("abc"), n).tolist() for name in ("u", "v")}
    table["x"] = rng.integers(0, 6, n).astype(float).tolist()
    table["y"] = rng.normal(size=n).round(1).tolist() if numbers else ["no", "yes", *rng.choice(["no", "yes"], n - 2)]
    return table


def learned(topic, table, target):
    X = {name: cells for name, cells in table.items() if name != target}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LEARNERS[topic].fit(X, table[target])


# ---------------------------------------------------------------- figures of the notes


def test_cart_at_the_root_of_play_tennis():
    """In two sets: .4592 − (10/14·.5 + 4/14·0) = .1020, where three branches would gain .1163."""
    lesson = teach.lesson("cart")
    assert round(lesson.values["GiniGain(outlook in {Rainy, Sunny})"], 4) == 0.1020
    assert round(lesson.values["GiniGain(humidity = High)"], 4) == 0.0918
    assert "outlook in {Rainy, Sunny} is taken" in lesson.steps[0].result


def test_c45_at_the_root_of_play_tennis():
    """002: the ratios, and only columns of at least average gain, (.2467 + .0292 + .1518 + .0481)/4 = .1190."""
    lesson = teach.lesson("c4.5")
    values = lesson.steps[0].values
    assert [round(values[f"GR({name})"], 4) for name in ("outlook", "temperature", "humidity", "windy")] == [
        0.1564, 0.0188, 0.1518, 0.0488,
    ]  # fmt: skip
    assert round(values["average gain"], 4) == 0.1190
    assert "in the running: outlook and humidity" in lesson.steps[0].formulas[-1]
    assert "outlook is taken" in lesson.steps[0].result


def test_c45_charges_for_the_choice_of_a_threshold():
    """002's six temperatures: three cuts have two cases on either side; the best gains .4591."""
    lesson = teach.lesson("c4.5", "temperature")
    assert "Gain'(temperature ≤ 48.3) = 0.4591 − log2(3)/6 = 0.1950" in lesson.steps[0].formulas
    assert round(lesson.values["GR(temperature ≤ 48.3)"], 4) == 0.2123


def test_chaid_at_the_root_of_play_tennis():
    """Humidity has p = .0943, outlook 3·.0778 = .2333 once two of its levels are merged."""
    lesson = teach.lesson("chaid")
    assert round(lesson.values["adjusted p(humidity) at 0"], 4) == 0.0943
    assert round(lesson.values["adjusted p(outlook) at 0"], 4) == 0.2333
    assert "humidity is taken" in text_of(lesson)
    assert "is above 0.05: a leaf that says Yes" in text_of(teach.lesson("chaid", alpha=0.05))
    with pytest.raises(tw.OptionError, match="alpha=1 is not accepted"):
        teach.lesson("chaid", alpha=1)


@pytest.mark.parametrize("seed", range(5))
def test_mergers_of_chaid_end_in_the_groups_of_the_table(seed):
    rng = np.random.default_rng(seed)
    table = {name: rng.choice(list("abcdefg")[: 3 + k], 60).tolist() for k, name in enumerate(("one", "two", "three"))}
    rows = teach.rows_of({**table, "said": rng.choice(["no", "yes"], 60).tolist()}, "said")
    found = 0
    for step in teach.lesson("chaid", rows, alpha=0.05).steps:
        groups = {row[0]: row[1] for row in step.table[1:]}
        for column in {line.partition(": ")[0] for line in step.formulas if step.node is not None}:
            merged = [line for line in step.formulas if line.startswith(f"{column}: ") and "are merged" in line]
            last = merged[-1].partition(": ")[2].partition(" are merged")[0]
            names = sorted(last.replace("{", "").replace("}", "").replace(" and ", ", ").split(", "))
            assert "in {" + ", ".join(names) + "}" in groups[column]
            found += 1
    assert found


def test_chaid_merges_the_pair_of_the_largest_p_first():
    """Of outlook's levels Rainy (3 of 5 Yes) and Sunny (2 of 5) differ least: χ² = 0.4."""
    lines = teach.lesson("chaid").steps[1].formulas
    assert lines[0] == "outlook: Rainy and Sunny are merged: p = 0.5271, the largest of 3 pairs"
    assert lines[1] == "temperature: Cool and Mild are merged: p = 0.7782, the largest of 3 pairs"


def test_the_likelihood_of_the_roommate_s_food():
    """001: ℓ = m₊·ln p + m₋·ln(1 − p) = −m·H(p), and what each column adds to it."""
    lesson = teach.lesson("likelihood")
    assert round(lesson.values["ℓ(one leaf)"], 4) == -3.8191 == round(-6 * lesson.values["H"], 4)
    gains = [lesson.values[f"LL({name})"] for name in ("hunger", "like", "healthy", "price")]
    assert [round(gain, 4) for gain in gains] == [1.5697, 1.3171, 1.9095, 0.5232]
    assert "healthy is taken" in text_of(lesson)
    assert lesson.values["ℓ(T)"] == 0
    assert "ℓ(like = n) = 1·ln 1/5 + 4·ln 4/5 = −2.5020" in text_of(lesson)


def test_the_likelihood_of_a_tree_is_that_of_its_predictions():
    table = tw.datasets.load("play_tennis_noisy")
    X = {name: cells for name, cells in table.X.items() if name != "day"}
    shares = tw.ID3Classifier().fit(X, table.y).predict_proba(X)
    expected = np.log([share[["No", "Yes"].index(label)] for share, label in zip(shares, table.y)]).sum()
    assert teach.lesson("likelihood", "play_tennis_noisy").values["ℓ(T)"] == pytest.approx(expected)
    at_node = teach.lesson("likelihood", "play_tennis", node=3)
    assert at_node.values["LL(humidity)"] == pytest.approx(5 * 0.970951 * np.log(2), abs=1e-5)


def test_regression_has_the_variance_of_the_notes():
    """003: L(R) = (1/|R|) Σ (y − ȳ)²; Batman's heights have 166.6667, and 145.8 of it is the smoker's."""
    lesson = teach.lesson("regression")
    assert round(lesson.values["V 0"], 4) == 166.6667
    assert round(lesson.values["Gain(smokes = Y)"], 4) == 145.8
    assert "smokes = Y is taken: it has the largest Gain, 145.8000; the next is label = Evil with 64." in text_of(
        lesson
    )
    assert "a leaf that says the mean, 145" in text_of(lesson)


# ---------------------------------------------------------------- the trees


@pytest.mark.parametrize("topic", LEARNERS)
@pytest.mark.parametrize("table", BUNDLED)
def test_the_tree_of_the_lesson_is_that_of_the_learner(topic, table):
    data = tw.datasets.load(table)
    columns = {name: cells for name, cells in data.table.items() if name != "day"}
    printed = teach.lesson(topic, table)
    (tree,) = [step for step in printed.steps if step.title == "The tree"]
    model = learned(topic, columns, data.target)
    assert tree.formulas[1:] == tuple(str(model).splitlines()[1:])
    rules = [step for step in printed.steps if step.title == "The tree as rules"]
    assert len(rules[0].formulas) == model.tree_.n_leaves


@pytest.mark.parametrize(("topic", "make"), [("c4.5", c45_lesson), ("cart", cart_lesson), ("chaid", chaid_lesson)])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(15), deadline=None)
def test_scores_are_those_by_which_the_tree_was_grown(topic, make, seed):
    table = random_rows(seed)
    lesson, tree = make(teach.rows_of(table, "y")), learned(topic, table, "y").tree_
    for step in lesson.steps:
        if step.node is None or tree.node(step.node).is_leaf:
            continue
        node, taken = tree.node(step.node), step.result.partition(" is taken")[0]
        if topic == "chaid":
            assert step.values[f"adjusted p({taken}) at {node.id}"] == pytest.approx(node.test.adjusted_p)
            continue
        symbol = "GR" if topic == "c4.5" else "GiniGain"
        assert step.values[f"{symbol}({taken})"] == pytest.approx(node.gain, abs=1e-6)
        assert max(value for key, value in step.values.items() if key.startswith(symbol)) >= node.gain - 1e-6
        first = next(s for s in lesson.steps if s.node == node.children[0].id)
        if node.split.is_numeric:  # sets of levels at a node name only those that are there
            assert first.title.endswith(taken)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(15), deadline=None)
def test_gains_of_numbers_are_those_of_the_tree(seed):
    table = random_rows(seed, numbers=True)
    lesson = teach.lesson("regression", teach.numbers_of(table, "y"))
    model = tw.CARTRegressor().fit({name: table[name] for name in ("u", "v", "x")}, table["y"])
    (printed,) = [step for step in lesson.steps if step.title == "The tree"]
    assert printed.formulas[1:] == tuple(str(model).splitlines()[1:])
    root = lesson.steps[0]
    taken = root.result.partition(" is taken")[0]
    assert root.values[f"Gain({taken})"] == pytest.approx(model.tree_.gain[0])
    for node in model.tree_.nodes():
        assert lesson.values[f"mean {node.id}"] == pytest.approx(node.value[0])


@pytest.mark.parametrize("topic", ["c4.5", "cart", "chaid"])
def test_missing_values_are_filled_and_it_is_said(topic):
    lesson = teach.lesson(topic, "customer_loyalty", depth=1)
    assert "most common value is put in for them (gender)" in lesson.steps[0].remark
    assert lesson.values["depth"] <= 1


def test_rows_of_the_other_kind_are_refused():
    with pytest.raises(tw.OptionError, match="about other rows.*numbers_of"):
        teach.lesson("regression", teach.bundled("play_tennis"))
    with pytest.raises(tw.OptionError, match="about other rows.*rows_of"):
        teach.lesson("cart", teach.bundled_numbers("batman"))
    with pytest.raises(tw.DataError, match="holds classes"):
        teach.lesson("regression", "play_tennis")
    with pytest.raises(tw.DataError, match="no column 'zz'"):
        teach.bundled_numbers("batman", target="zz")
    with pytest.raises(tw.DataError, match="all values of y are the same"):
        teach.lesson("regression", teach.numbers_of({"x": [1, 2], "y": [3.5, 3.5]}, "y"))


def test_m5_prunes_and_smooths_as_the_learner_does():
    random = np.random.default_rng(3)
    x = random.normal(size=40).round(2)
    table = {
        "x": x.tolist(),
        "c": list("abcd" * 10),
        "y": (np.where(x > 0, 3 * x, -x) + random.normal(size=40)).tolist(),
    }
    lesson = teach.lesson("m5", teach.numbers_of(table, "y"))
    model = tw.M5Regressor().fit({name: table[name] for name in ("x", "c")}, table["y"])
    smoothed = [step.result for step in lesson.steps if step.title.startswith("Smooth")]
    assert len(smoothed) == lesson.values["leaves"] == model.tree_.n_leaves
    for leaf in model.tree_.leaves():
        assert f"y = {model_text(model.tree_, model.schema_, leaf.id)}" in smoothed
    assert lesson.values["score(x)"] == model.competitors(0).rows[0].gain
