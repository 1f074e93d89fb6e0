"""When splits are searched in one pass. That they are the same splits is shown in tests/engines/test_same_tree.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracle import Column
from recipes_by_hand import by_score
from strategies import Problem
from tables import encode_problem
from treewright.engines.choices import one_pass_search
from treewright.engines.choices.one_pass_search import OnePassSearch, RowsInOrder, loop_of, seconds_with_loops, serves
from treewright.engines.choices.stacked_columns import StackedColumns
from treewright.engines.dispatch import plain_engine
from treewright.engines.workers import Workers
from treewright.kernels import cache, switch
from treewright.kernels.search.one_pass import cuts_of_classes, cuts_of_numbers, sets_of_levels

NUMBER, LEVELS = Column("numeric", [0.0, 1.0, 2.0, 3.0]), Column("nominal", [0, 1, 2, 0])
CLASSES = Problem([NUMBER, LEVELS], np.array([1, 0, 0, 1]), None, 2)
THREE_CLASSES = Problem([NUMBER, LEVELS], np.array([1, 0, 2, 1]), None, 3)


@pytest.fixture
def nothing_is_compiled(monkeypatch):
    for name, value in {"is_on": False, "policy": "auto", "_plain_seconds": {}, "hot": frozenset()}.items():
        monkeypatch.setattr(switch, name, value)
    monkeypatch.setattr(cache, "holds", lambda kernels: False)


def loops(problem, monkeypatch=None):
    encoded = encode_problem(problem, sorted_columns=False)
    recipe = by_score(problem, "gini")
    return [loop_of(encoded, recipe, j) for j in range(2)]


def test_the_loop_of_a_column(monkeypatch):
    assert loops(CLASSES) == [cuts_of_classes, sets_of_levels]
    assert loops(THREE_CLASSES) == [cuts_of_classes, None]
    assert loops(Problem([NUMBER, LEVELS], np.array([1.0, 0.0, 2.0, 1.0]), None, None))[0] is cuts_of_numbers
    monkeypatch.setattr(one_pass_search, "_MOST_LEVELS", 2)
    assert loops(CLASSES) == [cuts_of_classes, None]


def test_what_is_judged_otherwise_is_searched_otherwise():
    encoded = encode_problem(CLASSES, sorted_columns=False)
    assert serves(encoded, by_score(CLASSES, "gini"))
    assert not serves(encoded, by_score(CLASSES, "misclassification"))
    assert not serves(encoded, by_score(CLASSES, "gini", tie="random"))
    assert not serves(encoded, by_score(CLASSES, "gini", missing="fractional"))
    assert not serves(replace(encoded, weights=np.ones(4)), by_score(CLASSES, "gini"))


def test_loops_are_compiled_for_work_of_some_seconds(nothing_is_compiled):
    encoded, recipe = encode_problem(CLASSES, sorted_columns=False), by_score(CLASSES, "gini")
    assert seconds_with_loops(encoded, recipe, 0.1) == 0.1
    assert isinstance(plain_engine(encoded, recipe, Workers(1)).shortcut, StackedColumns)
    assert seconds_with_loops(encoded, recipe, 10.0, expected=True) == pytest.approx(1.5)
    assert switch.hot == {cuts_of_classes, sets_of_levels}
    assert not switch.is_on
    assert isinstance(plain_engine(encoded, recipe, Workers(1)).shortcut, OnePassSearch)


def test_kernels_on_disk_are_loaded_instead(nothing_is_compiled, monkeypatch):
    monkeypatch.setattr(cache, "holds", lambda kernels: True)
    encoded, recipe = encode_problem(CLASSES, sorted_columns=False), by_score(CLASSES, "gini")
    assert seconds_with_loops(encoded, recipe, 10.0) == 10.0
    assert not switch.hot


def test_rows_at_leaves_are_left_out_once_they_are_many():
    rows = RowsInOrder(np.array([3, 1, 0, 2]), np.array([1, 2, 3, 4]))
    assert rows.open(np.array([0, 0, 1, -1]), 3) is rows
    few = rows.open(np.array([0, -1, 1, -1]), 2)
    assert few.row.tolist() == [0, 2]
    assert few.code.tolist() == [3, 4]
