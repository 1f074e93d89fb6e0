"""The lesson about missing values: four policies for a case whose value is missing. The numbers are those of trees with
``missing`` "drop", "common", "fractional" and "every"."""

from __future__ import annotations

import numpy as np

from treewright.criteria.argument_checks import Base
from treewright.errors import DataError
from treewright.explain.number_text import plural
from treewright.table import Table
from treewright.teach.formula_text import rounded, share
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.measures import information_gain
from treewright.teach.split_steps import choices, counts_table
from treewright.typing import Floats


def missing_lesson(rows: LessonRows, base: Base = 2, column: str | None = None) -> Lesson:
    """Ignore the case, give it the most common value, divide it among the branches, or send it down each of them."""
    test = _test_of(rows, base, column)
    policies = [
        _step(rows, base, test, "Policy 1: ignore the case", Table(test.table.counts), _IGNORED),
        _step(rows, base, test, _usual_title(test), _usual(test), _FILLED),
        _step(rows, base, test, "Policy 3: divide the case by the shares of the branches (C4.5)", test.table, _DIVIDED),
        _shares(rows, test),
        _step(rows, base, test, "Policy 4: send the whole case down every branch", test.table, _EVERYWHERE),
        _after(rows, test, "The branches after the case was sent down each", _everywhere(test), []),
        _predicted(rows, test),
    ]
    n = plural(round(float(test.table.missing.sum())), "row")
    title = f"Missing values: {rows.name}, {test.of} is missing in {n} of {rows.n_rows}, target {rows.target}"
    return Lesson("missing", title, tuple(policies))


_IGNORED = "The gain of fewer rows is less reliable, and this gain does not show it."
_FILLED = "The case counts as if its value were known."
_DIVIDED = "Rows with a missing value gain nothing: the gain is multiplied by the share of the known rows."
_EVERYWHERE = "The gain is that of policy 3: a case that is in every branch tells nothing about them either."


def _test_of(rows: LessonRows, base: Base, column: str | None) -> CandidateTest:
    if column is not None and column not in rows.schema.names:
        raise DataError(f"there is no column {column!r}", f"the columns are {', '.join(rows.schema.names)}")
    found = {choice.name: choice.best for choice in choices(rows, information_gain(base))}
    names = rows.schema.names
    wanted = rows.missing_columns if column is None else [rows.schema.names.index(column)]
    best = [found[names[j]] for j in wanted]
    tests = [test for test in best if test is not None and test.is_test and test.table.missing.any()]
    if not tests:
        where = f"{rows.name} has" if column is None else f"column {column!r} has"
        raise DataError(f"{where} no missing values to show", "try the table customer_loyalty")
    return tests[0]


def _step(rows: LessonRows, base: Base, test: CandidateTest, title: str, table: Table, remark: str) -> Step:
    made = CandidateTest(test.name, test.of, test.column, test.branches, table, test.edge)
    gain = information_gain(base)
    before = gain.impurity.line(rows.target, table.pooled)
    lines = gain.lines(made)
    shown = lines if table.missing.any() else [before, *lines]
    known = float(gain.impurity.of(table.pooled))
    key = title.partition(":")[0]
    values = {f"{key}: En": known, f"{key}: {gain.key(made)}": gain.score(made)}
    return Step(title, counts_table(rows, gain, [made]), tuple(shown), remark=remark, values=values)


def _usual_title(test: CandidateTest) -> str:
    return f"Policy 2: give it the most common value, {test.condition(_largest(test))}"


def _largest(test: CandidateTest) -> int:
    return int(test.table.weights.argmax())


def _usual(test: CandidateTest) -> Table:
    return test.table.with_missing_in(_largest(test))


def _everywhere(test: CandidateTest) -> Table:
    return Table(test.table.counts + test.table.missing)


def _divided(test: CandidateTest) -> Table:
    return Table(test.table.counts + np.outer(test.table.shares, test.table.missing))


def _shares(rows: LessonRows, test: CandidateTest) -> Step:
    """How C4.5 sends the case on."""
    known = float(test.table.weights.sum())
    lines = [f"weight of the case at {test.condition(k)}: {share(n, known)}" for k, n in enumerate(test.table.weights)]
    return _after(rows, test, "The branches after the case was divided", _divided(test), lines)


def _after(rows: LessonRows, test: CandidateTest, title: str, table: Table, lines: list[str]) -> Step:
    moved = CandidateTest(test.name, test.of, test.column, test.branches, table, test.edge)
    return Step(title, counts_table(rows, information_gain(), [moved]), tuple(lines))


def _predicted(rows: LessonRows, test: CandidateTest) -> Step:
    """The same when a new case with a missing value is classified: all branches predict together, with the parts of the
    training cases that were divided."""
    divided = _divided(test)
    mixed: Floats = test.table.shares @ (divided.counts / divided.weights[:, None])
    lines = [_mixture(test, divided, k, name, float(mixed[k])) for k, name in enumerate(rows.class_names)]
    return Step(
        f"A new case whose {test.of} is missing",
        formulas=tuple(lines),
        result=f"All branches predict together, by their shares: {rows.class_names[int(mixed.argmax())]}",
        values={f"P({name})": float(p) for name, p in zip(rows.class_names, mixed)},
    )


def _mixture(test: CandidateTest, divided: Table, place: int, name: str, p: float) -> str:
    sizes = test.table.weights
    terms = [
        f"{share(n, sizes.sum())}·{share(row[place], row.sum())}" for n, row in zip(sizes, divided.counts, strict=True)
    ]
    return f"P({name}) = {' + '.join(terms)} = {rounded(p)}"
