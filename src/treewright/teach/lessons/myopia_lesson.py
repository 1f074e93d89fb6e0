"""The lesson about myopia: a test that tells nothing by itself may be the first of the smallest tree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treewright.errors import TreewrightWarning
from treewright.explain.number_text import plural
from treewright.model.learners.classifier import TreeClassifier
from treewright.model.learners.search_alternatives import SplitAlternative
from treewright.model.learners.search_tree import SearchTreeClassifier
from treewright.teach.formula_text import count, rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import LessonRows
from treewright.teach.measures import information_gain
from treewright.teach.node_tests import columns_of, target_of, test_of_column, why_taken

_ERRORS = 0.2  # that a leaf costs
_WIDTHS = (100, 100, 100)  # all columns at the first three levels


def myopia_lesson(rows: LessonRows) -> Lesson:
    """Information gain at the root, the greedy tree, then what every other first test would have led to."""
    rows = rows.filled()
    greedy, searched = _fitted(rows, ()), _fitted(rows, _WIDTHS)
    title = f"Myopia: {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    steps = (_root(rows), _greedy(greedy, rows), _alternatives(searched, rows), _searched(greedy, searched, rows))
    return Lesson("myopia", title, steps)


def _fitted(rows: LessonRows, search: tuple[int, ...]) -> SearchTreeClassifier:
    every = np.ones(rows.n_rows, np.bool_)
    model = SearchTreeClassifier(search=search, alpha=_ERRORS / rows.n_rows, alternative_cost=0.0, kinds=rows.kinds())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # of small tables, which those of lessons are
        return model.fit(columns_of(rows, every), target_of(rows, every))


def _by_gain(**options: Any) -> TreeClassifier:
    return TreeClassifier(criterion="entropy", **options)


def _root(rows: LessonRows) -> Step:
    measure, every = information_gain(2), np.ones(rows.n_rows, np.bool_)
    found = [test_of_column(_by_gain, rows, j, every) for j in range(len(rows.codes))]
    tests = [test for test in found if test is not None]
    gains = {test.name: measure.score(test) for test in tests}
    best = max(gains, key=lambda name: round(gains[name], 12))
    lines = [
        measure.impurity.line(rows.target, rows.counts()),
        *(line for test in tests for line in measure.lines(test)),
    ]
    return Step(
        "The root, one test at a time",
        formulas=tuple(lines),
        result=why_taken(gains, best, measure.symbol),
        remark="A greedy tree takes this test and never looks back.",
        values={measure.key(test): measure.score(test) for test in tests},
        node=0,
    )


def _greedy(model: SearchTreeClassifier, rows: LessonRows) -> Step:
    return Step(
        "The greedy tree",
        formulas=tuple(model.to_text().splitlines()[1:]),
        result=_size(model, rows),
        values={"leaves of the greedy tree": float(model.tree_.n_leaves)},
    )


def _alternatives(model: SearchTreeClassifier, rows: LessonRows) -> Step:
    """The best tree below each first test, found from the bottom up."""
    kept = [row for row in model.alternatives(0) if row.column]
    heading = ("first test", "gain", "errors", "leaves", f"errors + {_ERRORS}·leaves")
    lines = tuple(
        f"cost({row.branches[0]}) = {count(_errors(row, rows))} + {_ERRORS}·{row.leaves} = {rounded(_cost(row, rows))}"
        for row in kept
    )
    table = tuple((row.branches[0], rounded(row.gain), count(_errors(row, rows)), str(row.leaves),
                   rounded(_cost(row, rows))) for row in kept)  # fmt: skip
    return Step(
        "Every first test, with the best tree below it",
        (heading, *table),
        lines,
        result=_cheapest(kept, rows),
        remark=f"A leaf costs its errors + {_ERRORS}, another node what the branches of its cheapest test do together.",
        values={f"cost({row.column})": _cost(row, rows) for row in kept},
        node=0,
    )


def _cheapest(kept: list[SplitAlternative], rows: LessonRows) -> str:
    if not kept:
        return "No test gains anything."
    return f"{kept[0].branches[0]} costs least: {rounded(_cost(kept[0], rows))}"


def _searched(greedy: SearchTreeClassifier, model: SearchTreeClassifier, rows: LessonRows) -> Step:
    fewer = greedy.tree_.n_leaves - model.tree_.n_leaves
    remark = (
        f"It has {plural(fewer, 'leaf', 'leaves')} less than the greedy tree." if fewer > 0 else "It is no smaller."
    )
    return Step(
        "The tree of least cost",
        formulas=tuple(model.to_text().splitlines()[1:]),
        result=_size(model, rows),
        remark=remark,
        values={"leaves of the tree of least cost": float(model.tree_.n_leaves)},
    )


def _size(model: SearchTreeClassifier, rows: LessonRows) -> str:
    wrong = round(float(model.curve_.chosen.training_error) * rows.n_rows)
    return f"{plural(model.tree_.n_leaves, 'leaf', 'leaves')}, {plural(wrong, 'error')}"


def _errors(row: SplitAlternative, rows: LessonRows) -> float:
    return round(row.error * rows.n_rows, 9)


def _cost(row: SplitAlternative, rows: LessonRows) -> float:
    return _errors(row, rows) + _ERRORS * row.leaves
