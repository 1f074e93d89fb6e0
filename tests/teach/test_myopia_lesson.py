"""Myopia: the first test of the smallest tree gains nothing, and the lesson shows it."""

import pytest

import treewright as tw
from treewright import teach


@pytest.mark.parametrize(("table", "small", "large"), [("xor_decoy", 4, 8), ("same_shape", 6, 14)])
def test_the_search_finds_the_smaller_tree(table, small, large):
    values = teach.lesson("myopia", table).values
    assert values["leaves of the greedy tree"] == large
    assert values["leaves of the tree of least cost"] == small


def test_the_numbers_are_those_of_the_trees():
    data = tw.datasets.load("xor_decoy")
    lesson = teach.lesson("myopia")
    greedy = tw.TreeClassifier(criterion="entropy").fit(data.X, data.y)
    assert lesson.values["Gain(decoy ≤ 0.5)"] == pytest.approx(greedy.tree_.gain[0])
    assert lesson.values["Gain(a ≤ 0.5)"] == pytest.approx(0)
    searched = tw.SearchTreeClassifier(alpha=0.2 / 16, alternative_cost=0).fit(data.X, data.y)
    costs = {row.column: row.cost * 16 for row in searched.alternatives(0)}
    assert {name: lesson.values[f"cost({name})"] for name in costs} == pytest.approx(costs)


def test_where_greedy_is_right_nothing_is_gained():
    assert teach.lesson("myopia", "temperature").steps[-1].remark == "It is no smaller."
