"""The worked examples of the lecture notes, by number, at the level of the formulas. Four decimals.

The tables are typed in as the notes print them, so that nothing but the formulas is under test.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import oracle
from treewright import costs, criteria
from treewright.table import Table


def columns_of(text):
    """A printed table as ``{name: values}``; ``?`` is missing."""
    names, *rows = (line.split() for line in text.strip().splitlines())
    return {name: [None if row[i] == "?" else row[i] for row in rows] for i, name in enumerate(names)}


def codes_of(values):
    levels = sorted({value for value in values if value is not None})
    return [0 if value is None else 1 + levels.index(value) for value in values]


def table_of(values, y):
    return Table.of(codes_of(values), np.array(codes_of(y)) - 1)


def cut(values, threshold):
    return [value <= threshold for value in values]


def near(expected):
    return pytest.approx(expected, abs=5e-5)


TENNIS = columns_of("""
day outlook  temperature humidity windy  play
D1  Sunny    Hot         High     Weak   No
D2  Sunny    Hot         High     Strong No
D3  Overcast Hot         High     Weak   Yes
D4  Rainy    Mild        High     Weak   Yes
D5  Rainy    Cool        Normal   Weak   Yes
D6  Rainy    Cool        Normal   Strong No
D7  Overcast Cool        Normal   Strong Yes
D8  Sunny    Mild        High     Weak   No
D9  Sunny    Cool        Normal   Weak   Yes
D10 Rainy    Mild        Normal   Weak   Yes
D11 Sunny    Mild        Normal   Strong Yes
D12 Overcast Mild        High     Strong Yes
D13 Overcast Hot         Normal   Weak   Yes
D14 Rainy    Mild        High     Strong No
""")

ROBOT = columns_of("""
left     right    forward  back     action
Obstacle Free     Obstacle Free     Turn-right
Free     Free     Obstacle Free     Turn-left
Free     Obstacle Free     Free     Move-forward
Free     Obstacle Free     Obstacle Move-forward
Obstacle Free     Free     Free     Move-forward
Free     Free     Free     Obstacle Move-forward
""")

FOOD = columns_of("""
hunger   like healthy price     eat
full     y    n       free      n
starving n    y       expensive y
hungry   n    y       free      y
hungry   n    y       expensive y
hungry   n    n       cheap     y
hungry   n    n       expensive n
""")

LOYALTY = columns_of("""
gender loyalty
?      Low
Male   Low
Female High
Female High
Female High
Male   Low
Male   High
Female Low
Female High
Female High
Male   High
Male   High
Female High
Male   Low
""")

SEVEN_POINTS = {"x1": [0, 1, 2, 1, 2, 1, 2], "x2": [0, 0, 0, 1, 1, 2, 2], "y": list("••*****")}
TEMPERATURE = {"x": [40.1, 48.3, 60.2, 71.9, 80.2, 90.4], "y": ["No", "No", "Yes", "Yes", "Yes", "No"]}


def test_01_entropy_of_a_coin():
    assert criteria.entropy([1 / 2, 1 / 2], "e") == near(0.6931)


@pytest.mark.parametrize(
    ("joint", "expected", "exact"),
    [
        pytest.param([[1 / 3, 1 / 3], [1 / 3, 0]], 0.4621, 2 / 3 * math.log(2), id="02"),
        pytest.param([[0, 1 / 2, 1 / 4], [1 / 12] * 3], 0.7520, math.log(3) - math.log(2) / 2, id="03"),
    ],
)
def test_02_03_conditional_entropy_of_joint_distributions(joint, expected, exact):
    assert criteria.conditional_entropy(joint, "e") == near(expected)
    assert criteria.conditional_entropy(joint, "e") == pytest.approx(exact)


def test_04_entropy_of_seven_points():
    assert criteria.entropy([2, 5], "e") == near(0.5983)


@pytest.mark.parametrize(
    ("column", "threshold", "expected"),
    [("x1", 0.5, 0.2121), ("x1", 1.5, 0.2022), ("x2", 0.5, 0.3255), ("x2", 1.5, 0.1175)],
)
def test_05_gains_of_the_four_rules(column, threshold, expected):
    table = table_of(cut(SEVEN_POINTS[column], threshold), SEVEN_POINTS["y"])
    assert criteria.gain(table, "e") == near(expected)


def test_05_rules_are_chosen_in_order():
    columns = [oracle.Column("numeric", SEVEN_POINTS[name]) for name in ("x1", "x2")]
    tree = oracle.grow(columns, np.array(codes_of(SEVEN_POINTS["y"])) - 1, criterion="entropy")
    assert (tree.split.column, tree.split.test) == (1, "x <= 0, missing left")
    assert (tree.children[0].split.column, tree.children[0].split.test) == (0, "x <= 1, missing left")


def test_06_candidate_thresholds():
    x1, x2 = [0, 0, 1, 2], [0, 1, 0, 0]
    assert (oracle.thresholds(x1), oracle.thresholds(x2)) == ([0.5, 1.5], [0.5])
    assert (oracle.thresholds(x1[:2]), oracle.thresholds(x2[:2])) == ([], [0.5])


@pytest.mark.parametrize("x", [[0, 0, 1, 1], [0, 1, 0, 1]])
def test_07_gains_of_xor_are_zero(x):
    assert criteria.gain(table_of(x, [0, 1, 1, 0])) == 0


def test_08_entropy_of_play_tennis():
    assert criteria.entropy(table_of(TENNIS["outlook"], TENNIS["play"]).pooled) == near(0.9403)


@pytest.mark.parametrize(
    ("column", "gain", "split_info", "gain_ratio"),
    [
        ("outlook", 0.2467, 1.5774, 0.1564),
        ("temperature", 0.0292, 1.5567, 0.0188),
        ("humidity", 0.1518, 1.0, 0.1518),
        ("windy", 0.0481, 0.9852, 0.0488),
        pytest.param("day", 0.9403, 3.8074, 0.2470, id="17 day"),
    ],
)
def test_09_10_11_17_gains_of_play_tennis(column, gain, split_info, gain_ratio):
    table = table_of(TENNIS[column], TENNIS["play"])
    assert criteria.gain(table) == near(gain)
    assert criteria.split_info(table) == near(split_info)
    assert criteria.gain_ratio(table) == near(gain_ratio)


def test_13_multistage_property():
    at_once = criteria.entropy([0.2, 0.3, 0.5])
    assert at_once == near(1.4855)
    assert at_once == pytest.approx(criteria.entropy([0.2, 0.8]) + 0.8 * criteria.entropy([3 / 8, 5 / 8]))
    assert criteria.entropy([1, 1, 1]) == pytest.approx(1.585, abs=5e-4)


def test_14_gini_of_play_tennis():
    table = table_of(TENNIS["humidity"], TENNIS["play"])  # groups in order: High, Normal
    assert criteria.gini(table.pooled) == near(0.4592)
    assert criteria.gini(table.counts) == near([0.4898, 0.2449])
    assert criteria.gini_gain(table) == near(0.0918)


def test_15_entropy_of_the_robot():
    assert criteria.entropy(table_of(ROBOT["left"], ROBOT["action"]).pooled) == near(1.2516)


@pytest.mark.parametrize(
    ("column", "expected"), [("left", 0.3774), ("right", 0.2516), ("forward", 0.9183), ("back", 0.2516)]
)
def test_15_gains_of_the_robot(column, expected):
    assert criteria.gain(table_of(ROBOT[column], ROBOT["action"])) == near(expected)


@pytest.mark.parametrize(("column", "expected"), [("left", 1.0), ("right", 0.0), ("back", 0.0)])
def test_15_gains_of_the_robot_before_an_obstacle(column, expected):
    ahead = [row for row, value in enumerate(ROBOT["forward"]) if value == "Obstacle"]
    table = table_of([ROBOT[column][row] for row in ahead], [ROBOT["action"][row] for row in ahead])
    assert criteria.gain(table) == near(expected)


def test_16_numeric_temperature():
    assert oracle.thresholds(TEMPERATURE["x"]) == pytest.approx([44.2, 54.25, 66.05, 76.05, 85.3])
    table = table_of(cut(TEMPERATURE["x"], 44.2), TEMPERATURE["y"])
    assert criteria.conditional_entropy(table) == near(0.8091)


def test_17_day_has_the_largest_gain_there_is():
    table = table_of(TENNIS["day"], TENNIS["play"])
    assert criteria.gain(table) == pytest.approx(criteria.entropy(table.pooled))


@pytest.mark.parametrize(("x", "expected"), [("11111111", 0.0), ("00001111", 0.3113)])
def test_18_mutual_information(x, expected):
    assert criteria.gain(table_of(list(x), list("--++++++"))) == near(expected)


@pytest.mark.parametrize(
    ("column", "expected"), [("hunger", 1.5697), ("like", 1.3171), ("healthy", 1.9095), ("price", 0.5232)]
)
def test_19_log_likelihood_gains_of_food(column, expected):
    table = table_of(FOOD[column], FOOD["eat"])
    assert criteria.log_likelihood_gain(table) == near(expected)
    assert criteria.log_likelihood_gain(table) == pytest.approx(6 * math.log(2) * criteria.gain(table))


def test_20_a_leaf_is_most_likely_at_its_own_fraction():
    yes, no = 4, 2

    def log_likelihood(p):
        return yes * math.log(p) + no * math.log(1 - p)

    assert criteria.log_likelihood([yes, no]) == pytest.approx(log_likelihood(yes / (yes + no)))
    assert criteria.log_likelihood([yes, no]) > max(log_likelihood(p) for p in (0.5, 0.66, 0.67, 0.9))


def test_22_regression_impurity():
    y = np.array([1.0, 2.0, 4.0, 9.0])
    pooled = Table.of_moments([1, 1, 2, 2], y).pooled
    assert criteria.variance(pooled) == near(((y - 4) ** 2).sum() / 4)
    assert criteria.variance(pooled) == near(9.5)


def test_23_costs_of_tests():
    """Both formulas by hand, and what they say when costs are equal or do not matter."""
    names = ("outlook", "temperature", "humidity", "windy")
    gains = np.array([criteria.gain(table_of(TENNIS[name], TENNIS["play"])) for name in names])
    by_gain = np.argsort(gains).tolist()
    assert costs.tan_schlimmer(gains[0], 5) == near(0.2467**2 / 5)
    assert costs.nunez(gains[0], 5, weight=0.5) == near((2**0.2467 - 1) / 6**0.5)
    assert costs.idx(gains[0], 5) == near(0.2467 / 5)
    for scores in (costs.tan_schlimmer(gains, 1), costs.idx(gains, 1), costs.nunez(gains, 1)):
        assert np.argsort(scores).tolist() == by_gain
    assert np.argsort(costs.nunez(gains, [50, 1, 7, 3], weight=0)).tolist() == by_gain
    assert names[int(costs.tan_schlimmer(gains, [50, 1, 7, 3]).argmax())] == "humidity"


def test_29_entropy_of_known_rows():
    assert criteria.entropy(table_of(LOYALTY["gender"], LOYALTY["loyalty"]).pooled) == near(0.8905)


def test_30_gain_with_a_missing_value():
    table = table_of(LOYALTY["gender"], LOYALTY["loyalty"])
    assert criteria.entropy(table.counts) == near([0.5917, 1.0])
    assert table.shares == near([7 / 13, 6 / 13])
    assert criteria.gain(table) == near(0.1025)
