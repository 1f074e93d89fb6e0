"""The lesson about regression: the variance of a number, and the splits that leave least of it (CART)."""

from __future__ import annotations

import numpy as np

from treewright import criteria
from treewright.errors import DataError
from treewright.explain.number_text import plural
from treewright.model.learners.regressor import CARTRegressor
from treewright.table import Table
from treewright.teach.formula_text import MOST_TERMS, count, rounded, share
from treewright.teach.growing_tree import tree_after
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest
from treewright.teach.lesson_tree import LessonTree
from treewright.teach.node_tests import columns_of, target_of, test_of_column, why_taken
from treewright.teach.number_rows import NumberRows
from treewright.teach.split_steps import rank
from treewright.typing import Floats


def regression_lesson(rows: NumberRows, depth: int | None = None) -> Lesson:
    """CART's tree of a number, node by node: L(R) = (1/|R|) Σ (y − ȳ)² of every region."""
    filled = rows.filled()
    if float(np.ptp(filled.y)) == 0.0:
        raise DataError(f"all values of {rows.target} are the same: there is nothing to split", "choose another target")
    every = np.ones(filled.n_rows, np.bool_)
    model = CARTRegressor(max_depth=depth, kinds=filled.kinds())
    model.fit(columns_of(filled, every), target_of(filled, every))
    tree = LessonTree(filled.columns, model)
    steps = [tree_after(_node(tree, filled, node.id), model) for node in tree.tree.nodes()]
    if rows.missing_columns:
        names = ", ".join(rows.schema.names[j] for j in rows.missing_columns)
        steps.insert(0, Step("Missing values", remark=f"The most common value is put in for them ({names})."))
    size = {"leaves": float(tree.tree.n_leaves)}
    last = Step("The tree", formulas=tuple(str(model).splitlines()), values=size, verbatim=True)
    title = f"Regression: {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("regression", title, (*steps, last))


def _node(tree: LessonTree, rows: NumberRows, node: int) -> Step:
    at, view = tree.at(node), tree.tree.node(node)
    title, y = f"Node {node}: {tree.path(node)}", rows.at(at)
    first = _variance_line(rows.target, y)
    values = {f"mean {node}": float(y.mean()), f"V {node}": variance_of(y)}
    if view.split is None:
        why = "all values are the same" if len(y) == 1 or not np.ptp(y) else "no split is made"
        result = f"{plural(len(y), 'row')}, {why}: a leaf that says the mean, {rounded(float(y.mean()))}."
        return Step(title, formulas=(first,), result=result, values=values, node=node)
    tests = [test for j in range(len(rows.schema.columns)) if (test := test_of_column(CARTRegressor, rows, j, at))]
    tests.sort(key=lambda test: -rank(test, gain_of))
    winner = next(test for test in tests if test.column == view.split.column)
    gains = {test.name: gain_of(test) for test in tests}
    lines = [line for test in tests for line in _test_lines(test)]
    return Step(
        title,
        _table(rows, tests),
        (first, *lines),
        why_taken(gains, winner.name, "Gain"),
        values={**values, **{f"Gain({name})": gain for name, gain in gains.items()}} if node == 0 else values,
        node=node,
    )


def variance_of(y: Floats) -> float:
    """The library's variance, around the mean, where no digits are lost."""
    return float(criteria.variance(Table.of_moments(np.ones(len(y), np.int64), y - y.mean()).pooled))


def gain_of(test: CandidateTest) -> float:
    return float(criteria.variance_gain(test.table))


def _variance_line(name: str, y: Floats) -> str:
    mean = rounded(float(y.mean()))
    shown = [f"({count(each)} − {mean})²" for each in y]
    terms = shown if len(shown) <= MOST_TERMS else [*shown[:3], "…", shown[-1]]
    return f"V({name}) = ({' + '.join(terms)})/{len(y)} = {rounded(variance_of(y))}, mean {mean}"


def _test_lines(test: CandidateTest) -> list[str]:
    n, of = test.table.weights, [float(criteria.variance(row)) for row in test.table.counts]
    whole, before = float(n.sum()), float(criteria.variance(test.table.pooled))
    terms = " + ".join(f"{share(part, whole)}·{rounded(each)}" for part, each in zip(n, of))
    return [f"Gain({test.name}) = {rounded(before)} − ({terms}) = {rounded(gain_of(test))}"]


def _table(rows: NumberRows, tests: list[CandidateTest]) -> tuple[tuple[str, ...], ...]:
    lines = [("branch", "rows", f"mean {rows.target}", "V")]
    for test in tests:
        for k, (weight, total, _) in enumerate(test.table.counts):
            variance = rounded(float(criteria.variance(test.table.counts[k])))
            lines.append((test.condition(k), count(weight), rounded(total / weight), variance))
    return tuple(lines)
