"""A level that cannot arrive at a node is not named there."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from made_trees import Made, tree_of
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.explanation import explain_row
from treewright.explain.tree_text import render

LEVELS = ("a", "b", "c", "d")
G = Schema((Column("g", Kind.NOMINAL, LEVELS),), Target("y", ("n", "p")))


def twice(missing=1):
    """g in {c, d} and below it c apart from d, where a and b, which cannot come by, are on the side of c."""
    below = Made((0, 4), 0, (), (0, 0, 0, 0, 1), (Made((0, 2)), Made((0, 2))))
    return tree_of(Made((4, 4), 0, (), (missing, 0, 0, 1, 1), (Made((4, 0)), below)))


def test_the_tree_names_what_can_arrive():
    text = render(twice(), G, ids=False)
    assert "│  g = c: p" in text
    assert "│  g = d: p" in text


def test_an_explanation_names_what_can_arrive():
    assert [step.condition for step in explain_row(twice(), G, np.array([3.0]), {"g": "c"}).steps] == [
        "g in {c, d}",
        "g = c",
    ]


def test_rules_name_what_can_arrive():
    tree = tw.CARTClassifier().fit({"g": list("aabbccdd")}, list("nnnnpqpr"))
    for line in str(tree.rule_set()).splitlines()[1:-1]:
        sets = [_levels(words) for words in re.findall(r"g (?:in \{.+?\}|= \w)", line)]
        assert all(later <= earlier for earlier, later in pairwise(sets))


def test_levels_that_go_down_every_branch_arrive_in_each():
    below = Made((2, 2), 0, (), (0, 0, 0, 0, 1), (Made((2, 0)), Made((0, 2))))
    tree = tree_of(Made((4, 2), 0, (), (0, 0, -1, 1, 1), (Made((2, 0)), below)))
    assert "│  g in {b, c}: n" in render(tree, G, ids=False)


def test_a_branch_that_no_level_can_take_is_told_by_the_levels_it_was_made_for():
    below = Made((0, 4), 0, (), (1, 0, 0, 1, 1), (Made((0, 0), value=(0, 1)), Made((0, 4))))
    tree = tree_of(Made((4, 4), 0, (), (0, 0, 0, 1, 1), (Made((4, 0)), below)))
    text = render(tree, G, ids=False)
    assert "│  g in {a, b}: p" in text
    assert "│  g in {c, d}: p" in text


def test_a_cut_of_ordered_levels_is_told_by_its_end():
    schema = Schema((Column("g", Kind.ORDINAL, LEVELS),), Target("y", ("n", "p")))
    assert "│  g ≤ c: p" in render(twice(), schema, ids=False)


def _levels(words):
    inside = re.fullmatch(r"g (?:in \{(.+)\}|= (\w))", words)
    return set((inside[1] or inside[2]).split(", "))


@pytest.mark.parametrize("learner", [tw.CARTClassifier(), tw.C45Classifier(subset=True, min_cases=1, prune=False)])
@given(rows=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xy"), st.sampled_from("npq")), min_size=6))
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_a_test_names_no_level_that_the_tests_above_exclude(learner, rows):
    g, h, y = zip(*rows)
    if len(set(y)) == 1:
        return
    model, above = learner.fit({"g": list(g), "h": list(h)}, list(y)), {-1: set(g)}
    for line in model.to_text(max_lines=None).splitlines()[1:]:
        depth = line.count("│")
        named = re.match(r"(?:│  )*(g (?:in \{[^}]+\}|= \w))", line)
        above[depth] = _levels(named[1]) if named else above[depth - 1]
        # C4.5 has branches that no row takes, for levels that have gone another way.
        assert above[depth] <= above[depth - 1] or re.search(r"\(0\b", line), model
