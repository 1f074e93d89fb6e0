"""One node: the tests that could split it, what each scores, and which is taken."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.data.column_findings import looks_like_identifier
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count, enumeration, rounded
from treewright.teach.lesson import Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.measures import Measure
from treewright.typing import Floats, Mask

MOST_CUTS = 12  # thresholds of one column that are shown
_TIE = 1e-9
_DIGITS = 9


@dataclass(frozen=True)
class ColumnTests:
    """The tests of one column at a node. ``best`` is the one that stands for it, None where all values are missing."""

    name: str
    tests: tuple[CandidateTest, ...]
    best: CandidateTest | None


def choices(
    rows: LessonRows, measure: Measure, at: Mask | None = None, cut_by: Callable[[CandidateTest], float] | None = None
) -> list[ColumnTests]:
    """Every column with its best test, the best column first; of equals the first in the table."""
    found = []
    for j, column in enumerate(rows.schema.columns):
        tests = rows.candidates(j, at)
        best = first_best(tests, cut_by or measure.better)
        found.append(ColumnTests(column.name, tuple(tests), best))
    return sorted(found, key=lambda choice: -rank(choice.best, measure.better))


def rank(test: CandidateTest | None, better: Callable[[CandidateTest], float]) -> float:
    """By what tests are ordered: equals stay in the order of the table, whatever the last digits say."""
    return round(better(test), _DIGITS) if test is not None and test.is_test else -math.inf


def first_best(tests: Sequence[CandidateTest], better: Callable[[CandidateTest], float]) -> CandidateTest | None:
    """The test of the highest score; of those that differ only by rounding, the first."""
    scores = [better(test) for test in tests]
    return next((test for test, score in zip(tests, scores) if score >= max(scores) - _TIE), None)


def tests_of(found: Sequence[ColumnTests]) -> list[CandidateTest]:
    """The best test of every column that has one."""
    return [choice.best for choice in found if choice.best is not None and choice.best.is_test]


def rivals_of(found: Sequence[ColumnTests]) -> list[CandidateTest]:
    """All tests of all columns."""
    return [test for choice in found for test in choice.tests if test.is_test]


def node_step(rows: LessonRows, measure: Measure, counts: Floats, title: str, node: int | None = None) -> Step:
    """The classes at a node and how mixed they are."""
    line = measure.impurity.line(rows.target, counts)
    value = float(measure.impurity.of(counts))
    heading = (rows.target, "rows")
    table = (heading, *((name, count(n)) for name, n in zip(rows.class_names, counts)))
    return Step(title, table, (line,), values={f"{measure.impurity.symbol}({rows.target})": value}, node=node)


def column_step(rows: LessonRows, measure: Measure, choice: ColumnTests, node: int | None = None) -> Step:
    """One column: its counts, and the formulas with their numbers."""
    best = choice.best
    if best is None:
        return Step(choice.name, remark="Every value is missing here: nothing can be tested.", node=node)
    shown = _shown(choice, measure)
    others = [measure.lines(test)[-1] for test in shown if test is not best]
    remarks = [_hidden(choice, shown), _identifier(best)]
    remarks += [] if best.is_test else ["All rows have the same value: there is nothing to test."]
    return Step(
        choice.name,
        counts_table(rows, measure, shown),
        (*measure.lines(best), *others),
        _best_cut(choice, measure),
        " ".join(filter(None, remarks)),
        {key: value for test in choice.tests for key, value in measure.values(test).items()},
        node,
    )


def _identifier(test: CandidateTest) -> str:
    if test.edge is not None or not looks_like_identifier(len(test.branches), int(test.table.counts.sum())):
        return ""
    return f"{test.of} looks like an identifier: it tells these rows apart, but no new row will have its values."


def _best_cut(choice: ColumnTests, measure: Measure) -> str:
    best = choice.best
    if best is None or len(choice.tests) < 2:
        return ""
    return f"The best threshold: {best.name}, {measure.symbol} {measure.shown(measure.score(best))}"


def counts_table(rows: LessonRows, measure: Measure, tests: Sequence[CandidateTest]) -> tuple[tuple[str, ...], ...]:
    """Branches × classes of these tests, how mixed each branch is, and how mixed all are together by their shares."""
    lines = [line for test in tests for line in _branch_rows(test, measure)]
    missing = tests[0].table.missing
    missing_row = [(*_counts_row(f"{tests[0].of} missing", missing, measure), "")] if missing.any() else []
    return (counts_heading(rows, measure), *lines, *missing_row)


def counts_heading(rows: LessonRows, measure: Measure) -> tuple[str, ...]:
    symbol = measure.impurity.symbol
    return ("branch", *rows.class_names, "rows", symbol, f"{symbol} after")


def _branch_rows(test: CandidateTest, measure: Measure) -> list[tuple[str, ...]]:
    """The last column, once per test, is Σ share·impurity."""
    after = rounded(float(test.table.shares @ measure.impurity.of(test.table.counts)))
    return [
        (*_counts_row(test.condition(k), row, measure), "" if k else after) for k, row in enumerate(test.table.counts)
    ]


def _counts_row(name: str, counts: Floats, measure: Measure) -> tuple[str, ...]:
    return (name, *map(count, counts), count(counts.sum()), rounded(float(measure.impurity.of(counts))))


def _shown(choice: ColumnTests, measure: Measure) -> list[CandidateTest]:
    """The best test and then all others, or the best of many, in their order."""
    ranked = sorted(choice.tests, key=lambda test: (test is not choice.best, -measure.better(test)))[:MOST_CUTS]
    kept = ranked[1:] if len(choice.tests) > MOST_CUTS else choice.tests
    return [*ranked[:1], *(test for test in choice.tests if test is not ranked[0] and any(test is k for k in kept))]


def _hidden(choice: ColumnTests, shown: Sequence[CandidateTest]) -> str:
    hidden = len(choice.tests) - len(shown)
    return f"The best {len(shown)} thresholds are shown, {hidden:,} more are not." if hidden else ""


def scores_table(measure: Measure, tests: Sequence[CandidateTest]) -> tuple[tuple[str, ...], ...]:
    """A line for each test with its values."""
    names = [key.partition("(")[0] for key in measure.values(tests[0])]
    return (("test", *names), *((test.name, *_values_row(measure, test)) for test in tests))


def _values_row(measure: Measure, test: CandidateTest) -> list[str]:
    *parts, score = measure.values(test).values()
    return [*map(rounded, parts), measure.shown(score)]


def why(measure: Measure, tests: Sequence[CandidateTest], winner: CandidateTest) -> str:
    """Why this test is taken."""
    score, others = measure.shown(measure.score(winner)), [test for test in tests if test is not winner]
    word = "largest" if measure.evidence is None else "smallest"
    equal = [test for test in others if abs(measure.better(test) - measure.better(winner)) <= _TIE]
    if equal:
        names = enumeration([test.name for test in (winner, *equal)])
        return f"{names} have the same {measure.symbol}, {score}: the first, {winner.name}, is taken."
    if not others:
        return f"{winner.name} is taken: it is the only test in the running."
    second = first_best(others, measure.better)
    assert second is not None
    after = f"the next is {second.name} with {measure.shown(measure.score(second))}"
    return f"{winner.name} is taken: it has the {word} {measure.symbol}, {score}; {after}."


def pure_step(rows: LessonRows, at: Mask | None, node: int | None) -> Step:
    """Nothing to split: all rows are of one class."""
    says = rows.class_names[int(rows.counts(at).argmax())]
    return Step("Nothing to split", result=f"All rows are {says}: the node is a leaf.", node=node)


def next_step(rows: LessonRows, winner: CandidateTest, node: int | None = None) -> Step:
    """What becomes of the branches."""
    lines = []
    for k, counts in enumerate(winner.table.counts):
        n = plural(round(float(counts.sum())), "row")
        pure = float(counts.max()) == float(counts.sum())
        says = f"all {rows.class_names[int(counts.argmax())]}: a leaf" if pure else "mixed: split further"
        lines.append(f"{winner.condition(k)}: {n}, {says}")
    return Step("What comes next", formulas=tuple(lines), node=node, verbatim=True)
