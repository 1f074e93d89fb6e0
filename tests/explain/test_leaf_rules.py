"""Rules: one per leaf, true of just the rows that reach it."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_trees import AGES, PLAY_TENNIS, Made, bushy, cases, chain, play_tennis, rows_of, stump, tree_of, trees
from strategies import examples
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.explanation import explain_row
from treewright.explain.leaf_rules import rules

MIXED = Schema(
    (
        Column("a", Kind.NUMERIC),
        Column("b", Kind.NUMERIC),
        Column("colour", Kind.NOMINAL, ("red", "green", "blue", "pink")),
        Column("size", Kind.ORDINAL, ("small", "medium", "large", "huge")),
    ),
    Target("y", ("no", "yes")),
)


def test_play_tennis_has_exactly_its_five_rules():
    assert [str(rule) for rule in rules(play_tennis(), PLAY_TENNIS)] == [
        "if outlook = sunny and humidity = high then play = no   (3 rows, 100 %)",
        "if outlook = sunny and humidity = normal then play = yes   (2 rows, 100 %)",
        "if outlook = overcast then play = yes   (4 rows, 100 %)",
        "if outlook = rainy and windy = strong then play = no   (2 rows, 100 %)",
        "if outlook = rainy and windy = weak then play = yes   (3 rows, 100 %)",
    ]


def test_a_rule_is_also_data():
    rule = rules(play_tennis(), PLAY_TENNIS)[0]
    assert rule.conditions == ("outlook = sunny", "humidity = high")
    assert (rule.leaf, rule.prediction, rule.probability, rule.rows) == (4, "no", 1.0, 3)


def nested(*tests, missing=0):
    """A path of tests on one column, ``(edge, branch that goes on, branch of missing)``; other branches are leaves."""
    node = Made((1, 1))
    for edge, onward, missing_branch in reversed(tests):
        children = [Made((2, 0)), Made((2, 0))]
        children[onward] = node
        node = Made((3, 1), 0, (edge,), (missing_branch, 0, 1), children, missing=missing)
    return tree_of(node)


def deepest(tree):
    return max(rules(tree, AGES), key=lambda rule: rule.leaf if rule.probability == 0.5 else -1).conditions


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([(30, 1, 0), (40, 1, 0)], "age > 40"),
        ([(40, 0, 1), (30, 0, 1)], "age ≤ 30"),
        ([(30, 1, 0), (50, 0, 1)], "30 < age ≤ 50"),
        ([(30, 1, 1), (50, 0, 0)], "30 < age ≤ 50 or missing"),
        ([(30, 1, 1), (50, 0, 1)], "30 < age ≤ 50"),
        ([(np.inf, 0, 1), (50, 0, 0)], "age ≤ 50"),
        ([(np.inf, 1, 1), (50, 0, 0)], "age is missing"),
        ([(30, 1, 0), (20, 0, 0)], "age in {}"),
        ([(30, 1, -1), (50, 0, 0)], "30 < age ≤ 50 or missing (shared)"),
    ],
)
def test_tests_on_one_column_are_joined(tests, expected):
    assert deepest(nested(*tests, missing=1)) == (expected,)


def test_missing_values_nobody_had_are_not_mentioned():
    assert deepest(nested((30, 1, 1), (50, 0, 0))) == ("30 < age ≤ 50",)


def test_subsets_of_levels_are_intersected():
    inner = Made((2, 2), 2, (), (0, 0, 1, 1, 0), (Made((2, 0)), Made((0, 2))))
    tree = tree_of(Made((4, 4), 2, (), (1, 0, 0, 0, 1), (inner, Made((2, 2)))))
    assert [rule.conditions for rule in rules(tree, MIXED)] == [
        ("colour = red",),
        ("colour in {green, blue}",),
        ("colour = pink",),
    ]


def test_or_is_bracketed_beside_and():
    inner = Made((3, 3), 1, (1.0, 2.0), (0, 0, 1, 0), (Made((1, 2)), Made((2, 1))))
    tree = tree_of(Made((5, 5), 0, (30.0,), (0, 0, 1), (inner, Made((2, 2))), missing=1))
    assert [" & ".join(rule.conditions) for rule in rules(tree, AGES)] == [
        "(age ≤ 30 or missing) & (income ≤ 1 or income > 2)",
        "(age ≤ 30 or missing) & 1 < income ≤ 2",
        "age > 30",
    ]


def test_a_single_leaf_is_a_rule_without_conditions():
    assert str(rules(tree_of(Made((5, 9))), PLAY_TENNIS)[0]) == "always play = yes   (14 rows, 64 %)"


def test_numbers_weights_and_empty_leaves():
    leaves = (Made((45, 553.5, 45 * (12.3**2 + 1.44))), Made((0, 0, 0), value=(12.3,)))
    tree = tree_of(Made((50, 615, 50 * (12.3**2 + 4)), 0, (30.5,), (1, 0, 1), leaves), regression=True)
    assert [str(rule) for rule in rules(tree, Schema(AGES.columns, Target("price")))] == [
        "if age ≤ 30.5 then price = 12.3   (45 rows, sd 1.2)",
        "if age > 30.5 then price = 12.3   (0 rows, as parent)",
    ]
    weighted = tree_of(Made((2.5, 0.5), rows=12))
    assert str(rules(weighted, AGES)[0]) == "always buys = no   (12 rows, weight 3, 83 %)"


def test_options_reach_the_words():
    tree = stump(9.710000038)._replace(printed=np.array([9.71]))
    assert rules(tree, AGES, ascii=True)[0].conditions == ("age <= 9.71",)
    assert rules(tree, AGES, exact=True)[0].conditions == ("age ≤ 9.710000038",)
    wide = tree_of(Made((3, 3), 2, (), (1, 0, 0, 0, 1), (Made((3, 0)), Made((0, 3)))))
    assert rules(wide, MIXED, max_levels=1)[0].conditions == ("colour in {red +2}",)


def test_deep_and_large_trees():
    deep = rules(chain(10_000), AGES)
    assert len(deep) == 10_001
    assert deep[5_000].conditions == ("4999 < age ≤ 5000",)
    assert len(rules(bushy(10), AGES)) == 512


@given(case=cases(every_branch=True))
def test_every_leaf_has_its_rule_on_one_line(case):
    schema, tree = case
    made = rules(tree, schema)
    assert sorted(rule.leaf for rule in made) == [leaf.id for leaf in tree.leaves()]
    assert all(str(rule).isprintable() for rule in made)


def is_true(rule, row):
    """Whether the words of a rule hold for a row, by reading them as Python."""
    names = {level: code for column in MIXED.columns for code, level in enumerate(column.levels, start=1)}
    cells = {column.name: value if value or not column.levels else np.nan for column, value in zip(MIXED.columns, row)}
    return all(holds(words, names, cells) for words in rule.conditions)


def holds(words, names, cells):
    name = next(name for name in cells if re.search(rf"\b{name}\b", words))
    python = re.sub(r"\w+ is (\w+)", r"\1", words).replace(" = ", " == ")
    missing = bool(np.isnan(cells[name]))
    return eval(python, {"inf": np.inf, "known": not missing, "missing": missing, "anything": True, **names, **cells})


@settings(max_examples=examples(300))
@given(tree=trees(MIXED), data=st.data())
def test_a_rule_is_true_of_just_the_rows_that_reach_its_leaf(tree, data):
    inner = tree.n_branches > 0
    tree = tree._replace(rows=tree.rows + 1, missing=inner.astype(np.int64))
    row = data.draw(rows_of(MIXED))
    reached = explain_row(tree, MIXED, row, {}).leaves
    assert [rule.leaf for rule in rules(tree, MIXED, ascii=True, exact=True) if is_true(rule, row)] == list(reached)
