"""The test that a learner would make of each column at a node: a tree of one split, grown from the rows there."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.schema import Column
from treewright.data.target_column import TargetColumn
from treewright.errors import TreewrightWarning
from treewright.explain.condition_text import condition, one_line
from treewright.split import Split
from treewright.table import Table
from treewright.teach.formula_text import rounded
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.number_rows import NumberRows
from treewright.typing import Ints, Mask

Learner = Callable[..., Any]  # an estimator that is given options
_EQUAL = 1e-9
NOT_BY_LEVEL = 0.0  # the names of the branches say all: they are sets of levels, or sides of a threshold


def target_of(rows: LessonRows | NumberRows, at: Mask) -> TargetColumn:
    """The target of some rows as an estimator takes it."""
    name = rows.schema.target.name
    if isinstance(rows, NumberRows):
        return TargetColumn(name, NumberValues(rows.y[at]))
    return TargetColumn(name, LevelValues(rows.y[at] + 1, rows.classes, declared=True))


def columns_of(rows: LessonRows | NumberRows, at: Mask) -> dict[str, list[Any]]:
    """The columns of some rows."""
    return {name: [cell for cell, here in zip(cells, at) if here] for name, cells in rows.frame().items()}


def test_of_column(learner: Learner, rows: LessonRows | NumberRows, column: int, at: Mask) -> CandidateTest | None:
    """The best test of one column at some rows; None where the learner makes none."""
    about = rows.schema.columns[column]
    table = {about.name: columns_of(rows, at)[about.name]}
    stump = learner(max_depth=1, kinds={about.name: rows.kinds()[about.name]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # about a column alone, at a node
        stump.fit(table, target_of(rows, at))
    split = stump.tree_.root.split
    if split is None:
        return None
    branch = np.asarray(stump.apply(table)) - 1  # the children of the root are numbered from 1
    name, described = one_line(about.name), stump.schema_.columns[0]
    words = [condition(split, described, k, missing=False) for k in range(stump.tree_.n_leaves)]
    sides = tuple(text.removeprefix(name).strip() for text in words)
    return CandidateTest(words[0], name, column, sides, _table(rows, branch, at, len(words)), NOT_BY_LEVEL)


def _table(rows: LessonRows | NumberRows, branch: Ints, at: Mask, n_branches: int) -> Table:
    if isinstance(rows, NumberRows):
        return Table.of_moments(branch + 1, rows.y[at], n_codes=n_branches + 1)
    return Table.of(branch + 1, rows.y[at], n_codes=n_branches + 1, n_classes=len(rows.classes))


def named_as(test: CandidateTest, split: Split, column: Column) -> CandidateTest:
    """The same test in the words of a tree's split: its threshold may lie elsewhere between the same rows."""
    words = [condition(split, column, k, missing=False) for k in range(len(test.branches))]
    return replace(test, name=words[0], branches=tuple(text.removeprefix(test.of).strip() for text in words))


def why_taken(scores: Mapping[str, float], winner: str, symbol: str) -> str:
    """Why a test is taken, from the scores of all that compete."""
    others = {name: score for name, score in scores.items() if name != winner}
    if not others:
        return f"{winner} is taken: it is the only test in the running."
    score, second = scores[winner], max(others, key=others.__getitem__)
    if abs(others[second] - score) <= _EQUAL * max(abs(score), 1.0):
        return f"{winner} is taken: it is the first of equals, {symbol} {rounded(score)}."
    after = f"the next is {second} with {rounded(others[second])}"
    return f"{winner} is taken: it has the largest {symbol}, {rounded(score)}; {after}."
