"""The worked examples of the lecture notes, by number: the trees. Their formulas are in ``test_worked_examples.py``."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treewright as tw
from treewright import criteria


def near(expected):
    return pytest.approx(expected, abs=5e-5)


def id3(name, *, without=(), **options):
    """ID3 of a bundled table."""
    data = tw.datasets.load(name)
    X = {column: cells for column, cells in data.X.items() if column not in without}
    return tw.ID3Classifier(**options).fit(X, data.y)


def asked_at(model, node):
    """The cut of a node in words, or the column of any other test."""
    split = node.split
    name = model.schema_.columns[split.column].name
    return f"{name} <= {split.edges[0]:.6g}" if split.is_numeric else name


def accuracy(model, name):
    data = tw.datasets.load(name)
    return model.score({column: data.X[column] for column in model.schema_.names}, data.y)


def cut_that_tells(X, asked):
    """The test of a stump whose target is the answer to ``column <= threshold``."""
    column, threshold = asked
    y = ["left" if x <= threshold else "right" for x in X[column]]
    stump = tw.ID3Classifier(max_depth=1).fit(X, y)
    assert stump.score(X, y) == 1
    return asked_at(stump, stump.tree_.root)


def test_05_tree_of_seven_points():
    model = id3("seven_points", base=math.e)
    root, lower = model.tree_.root, model.tree_.root.children[0]
    assert (asked_at(model, root), root.gain) == ("x2 <= 0.5", near(0.3255))
    assert (asked_at(model, lower), lower.gain) == ("x1 <= 1.5", near(criteria.entropy([2, 1], "e")))
    assert (model.tree_.n_leaves, accuracy(model, "seven_points")) == (3, 1)


def test_06_tree_of_four_points():
    model = id3("four_points")
    node = model.tree_.root.children[0]
    assert asked_at(model, model.tree_.root) == "x1 <= 0.5"
    assert (asked_at(model, node), node.stats.tolist()) == ("x2 <= 0.5", [1, 1])


@pytest.mark.parametrize("asked", [("x1", 0.5), ("x1", 1.5), ("x2", 0.5)], ids=str)
def test_06_every_candidate_can_be_chosen(asked):
    X = tw.datasets.load("four_points").X
    assert cut_that_tells(X, asked) == f"{asked[0]} <= {asked[1]}"


@pytest.mark.parametrize("seed", range(8))
def test_06_one_candidate_is_left_at_the_node(seed):
    X = {name: cells[:2] for name, cells in tw.datasets.load("four_points").X.items()}
    model = tw.ID3Classifier(tie="random", random_state=seed).fit(X, ["1", "0"])
    assert asked_at(model, model.tree_.root) == "x2 <= 0.5"


@pytest.mark.parametrize("tie", ["first", "random"])
@pytest.mark.parametrize("method", [tw.ID3Classifier, tw.CARTClassifier])
def test_07_tree_of_xor(method, tie):
    data = tw.datasets.load("xor")
    model = method(tie=tie, random_state=1).fit(data.X, data.y)
    assert model.tree_.root.gain == 0
    assert (model.tree_.depth, model.tree_.n_leaves, model.score(data.X, data.y)) == (2, 4, 1)


def test_07_the_tie_of_xor():
    def roots(**options):
        models = [id3("xor", random_state=seed, **options) for seed in range(20)]
        return {asked_at(model, model.tree_.root) for model in models}

    assert roots(tie="random") == {"a <= 0.5", "b <= 0.5"}
    assert roots() == {"a <= 0.5"}


def test_09_12_tree_of_play_tennis(capsys):
    model = id3("play_tennis", without=["day"])
    assert (asked_at(model, model.tree_.root), model.tree_.root.gain) == ("outlook", near(0.2467))
    print(model)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "outlook = Overcast: Yes [1] (4)",
        "outlook = Rainy [2]",
        "│  windy = Strong: No [4] (2)",
        "│  windy = Weak: Yes [5] (3)",
        "outlook = Sunny [3]",
        "│  humidity = High: No [6] (3)",
        "│  humidity = Normal: Yes [7] (2)",
    ]


def test_12_rules_of_play_tennis():
    model = id3("play_tennis", without=["day"])
    assert {(rule.conditions, rule.prediction) for rule in model.rules()} == {
        (("outlook = Sunny", "humidity = High"), "No"),
        (("outlook = Sunny", "humidity = Normal"), "Yes"),
        (("outlook = Overcast",), "Yes"),
        (("outlook = Rainy", "windy = Strong"), "No"),
        (("outlook = Rainy", "windy = Weak"), "Yes"),
    }
    assert len(model.rules()) == 5


def test_15_tree_of_the_robot():
    model = id3("robot")
    root = model.tree_.root
    (inner,) = [child for child in root.children if not child.is_leaf]
    assert (asked_at(model, root), root.gain) == ("forward", near(0.9183))
    assert (asked_at(model, inner), inner.gain) == ("left", near(1.0))


def test_16_tree_of_temperature():
    model = id3("temperature")
    root = model.tree_.root
    assert (asked_at(model, root), root.gain) == ("temperature <= 54.25", near(1 - 4 / 6 * criteria.entropy([3, 1])))
    assert asked_at(model, root.children[1]) == "temperature <= 85.3"


@pytest.mark.parametrize("threshold", [44.2, 54.25, 66.05, 76.05, 85.3])
def test_16_every_candidate_can_be_chosen(threshold):
    X = tw.datasets.load("temperature").X
    assert cut_that_tells(X, ("temperature", threshold)) == f"temperature <= {threshold}"


def test_17_day_wins_unless_it_is_left_out():
    with pytest.warns(tw.TreewrightWarning, match="'day' looks like an identifier"):
        model = id3("play_tennis")
    assert asked_at(model, model.tree_.root) == "outlook"
    model = id3("play_tennis", kinds={"day": "nominal"})
    root = model.tree_.root
    assert (asked_at(model, root), root.gain) == ("day", near(0.9403))
    assert model.tree_.n_leaves == 14


def test_18_tree_of_ab():
    model = id3("ab", max_depth=1)
    assert (asked_at(model, model.tree_.root), model.tree_.root.gain) == ("b <= 0.5", near(0.3113))


def test_19_tree_of_food():
    model = id3("food", base=math.e)
    assert asked_at(model, model.tree_.root) == "healthy"
    assert 6 * model.tree_.root.gain == near(1.9095)


def test_20_a_leaf_answers_with_its_fraction():
    model = id3("play_tennis", without=["day"], max_depth=1)
    sunny = {"outlook": ["Sunny"], "temperature": ["Hot"], "humidity": ["High"], "windy": ["Weak"]}
    assert model.classes_.tolist() == ["No", "Yes"]
    assert model.predict_proba(sunny)[0] == pytest.approx([3 / 5, 2 / 5])


# At a = p no row has b = z, which occurs only at a = q. Yes: 2 of 3 rows at p, 2 of 7 overall.
GAP = {"a": list("pppqqqq"), "b": list("xyyxyzy")}, ["no", "yes", "yes", "no", "no", "no", "no"]


@pytest.mark.parametrize(("empty", "p_yes", "answer"), [("parent", 2 / 3, "yes"), ("overall", 2 / 7, "no")])
def test_20_an_empty_branch_answers_as_asked(empty, p_yes, answer):
    model = tw.ID3Classifier(empty=empty).fit(*GAP)
    row = {"a": ["p"], "b": ["z"]}
    assert model.tree_.rows[model.apply(row)] == [0]
    assert model.predict_proba(row)[0] == pytest.approx([1 - p_yes, p_yes])
    assert model.predict(row).tolist() == [answer]


@pytest.mark.parametrize(
    ("smoothing", "p_yes"), [(0.0, 1.0), ("laplace", (2 + 1) / (2 + 2)), (3.0, (2 + 3 * 2 / 7) / (2 + 3))], ids=str
)
def test_20_smoothed_fractions(smoothing, p_yes):
    model = tw.TreeClassifier(criterion="entropy", splits="multiway", smoothing=smoothing).fit(*GAP)
    assert model.predict_proba({"a": ["p"], "b": ["y"]})[0] == pytest.approx([1 - p_yes, p_yes])


def test_20_log_likelihood_of_a_tree():
    """By outlook alone: overcast is certain; sunny and rainy are 2 against 3."""
    data = tw.datasets.load("play_tennis")
    model = id3("play_tennis", without=["day"], max_depth=1)
    by_hand = 2 * (2 * math.log(2 / 5) + 3 * math.log(3 / 5))
    assert model.log_likelihood(data.X, data.y) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(sum(criteria.log_likelihood(leaf.stats) for leaf in model.tree_.leaves()))
    doubled = model.log_likelihood(data.X, data.y, sample_weight=[2] * 14)
    assert doubled == pytest.approx(2 * by_hand)
    assert id3("play_tennis", without=["day"]).log_likelihood(data.X, data.y) == 0
    assert model.log_likelihood({name: cells[2:3] for name, cells in data.X.items()}, ["No"]) == -math.inf


def test_21_tree_of_batman_fits_all_six():
    assert accuracy(id3("batman", without=["hero"]), "batman") == 1


def test_22_tree_of_numbers():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    stump = tw.CARTRegressor(max_depth=1).fit(np.arange(4.0)[:, None], y)
    left, right = stump.tree_.root.children
    assert stump.tree_.edges.tolist() == [2.5]
    assert stump.tree_.root.gain == pytest.approx(np.var(y) - (3 * np.var(y[:3]) + 0) / 4)
    assert [left.value[0], right.value[0]] == pytest.approx([7 / 3, 9])
    assert criteria.variance(left.stats) == pytest.approx(((y[:3] - 7 / 3) ** 2).sum() / 3)
