"""The lesson about χ²: what was seen, what independence would lead to expect, and how far apart they are."""

from __future__ import annotations

import numpy as np

from treewright import criteria
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count, probability, rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.lesson_tree import grown
from treewright.teach.measures import Measure, entropy_in
from treewright.teach.split_steps import choices, first_best, next_step, pure_step, scores_table, tests_of, why
from treewright.typing import Floats

_FEW = 5  # expected rows in a cell below which the χ² distribution is no good guide (Cochran 1954)
_MOST_CELLS = 12


def chi2_lesson(rows: LessonRows, node: int | None = None) -> Lesson:
    """χ² of every column at a node: the one of the smallest p-value is connected with the target most surely."""
    at = None if node is None else grown(rows).at(node)
    measure = _measure()
    found = choices(rows, measure, at)
    tests = tests_of(found)
    steps = [_column(rows, choice.best, len(choice.tests), node) for choice in found if choice.best is not None]
    winner = None if rows.is_pure(at) else first_best(tests, measure.better)
    if winner is None:
        steps.append(pure_step(rows, at, node) if rows.is_pure(at) else Step("No test is left", node=node))
    else:
        result = why(measure, tests, winner)
        steps += [
            Step("Which wins", scores_table(measure, tests), result=result, node=node),
            next_step(rows, winner, node),
        ]
    n = rows.n_rows if at is None else int(at.sum())
    where = "" if node is None else f", node {node} of ID3's tree"
    return Lesson("chi2", f"χ² test: {rows.name}{where}, {plural(n, 'row')}, target {rows.target}", tuple(steps))


def _measure() -> Measure:
    def score(test: CandidateTest) -> float:
        return float(criteria.chi2_p(test.table))

    def parts(test: CandidateTest) -> dict[str, float]:
        freedom = float(criteria.degrees_of_freedom(test.table))
        return {f"χ²({test.name})": float(criteria.chi2(test.table)), f"df({test.name})": freedom}

    def evidence(test: CandidateTest) -> float:
        return -float(criteria.chi2_p(test.table, log=True))

    return Measure("p", "χ² test", entropy_in(2), score, lambda test: [], parts, evidence, probability)


def _column(rows: LessonRows, test: CandidateTest, n_tests: int, node: int | None) -> Step:
    values = _measure().values(test)
    expected = _expected(test)
    statistic, freedom, p = values.values()
    groups, classes = (int(n) for n in (len(test.branches), (test.table.pooled > 0).sum()))
    return Step(
        test.name,
        _cells(rows, test, expected),
        (
            f"χ²({test.name}) = {_terms(test, expected)} = {rounded(statistic)}",
            f"df({test.name}) = ({groups} − 1)·({classes} − 1) = {rounded(freedom)}",
            f"p({test.name}) = P(χ² with df {rounded(freedom)} ≥ {rounded(statistic)}) = {probability(p)}",
        ),
        remark=_remark(expected, n_tests),
        values=values,
        node=node,
    )


def _expected(test: CandidateTest) -> Floats:
    """Row sum times column sum over the number of rows."""
    pooled = test.table.pooled
    return np.outer(test.table.weights, pooled / pooled.sum())


def _cells(rows: LessonRows, test: CandidateTest, expected: Floats) -> tuple[tuple[str, ...], ...]:
    names = rows.class_names
    heading = ("branch", *(f"{name} seen" for name in names), *(f"{name} expected" for name in names), "rows")
    lines = [
        (test.condition(k), *map(count, seen), *map(rounded, should), count(seen.sum()))
        for k, (seen, should) in enumerate(zip(test.table.counts, expected))
    ]
    sums = ("all", *map(count, test.table.pooled), *map(count, test.table.pooled), count(test.table.pooled.sum()))
    return (heading, *lines, sums)


def _terms(test: CandidateTest, expected: Floats) -> str:
    pairs = [(n, e) for n, e in zip(test.table.counts.ravel(), expected.ravel()) if e > 0]
    terms = [f"({count(n)} − {rounded(e)})²/{rounded(e)}" for n, e in pairs]
    return " + ".join(terms if len(terms) <= _MOST_CELLS else [*terms[:3], "…", terms[-1]])


def _remark(expected: Floats, n_tests: int) -> str:
    few = f"Cells of fewer than {_FEW} expected rows: p is only a rough guide." if expected.min() < _FEW else ""
    many = f"The best of {n_tests} thresholds: p does not know that it was chosen." if n_tests > 1 else ""
    return " ".join(filter(None, [few, many]))
