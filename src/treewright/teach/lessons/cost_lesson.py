"""The lesson about the costs of tests: a test of high cost must gain more than one of low cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treewright.costs import idx, nunez, tan_schlimmer
from treewright.errors import OptionError
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count, rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.lesson_tree import grown
from treewright.teach.measures import information_gain
from treewright.teach.split_steps import choices, first_best, tests_of


def costs_lesson(
    rows: LessonRows,
    node: int | None = None,
    *,
    cost: Mapping[str, float] | None = None,
    weight: float = 1.0,
) -> Lesson:
    """Tan & Schlimmer's, Núñez's and Norton's (IDX) measures of every column. Without costs, they cost 1, 2, …"""
    at = None if node is None else grown(rows).at(node)
    gain = information_gain()
    costs = _costs(rows, cost)
    tests = tests_of(choices(rows, gain, at))
    if rows.is_pure(at) or not tests:
        raise OptionError("there is nothing to split here: one class, or one value of every column", "try another node")
    made_up = "" if cost else "Costs made up for the lesson; the option cost gives others."
    gains = Step(
        "Gains and costs",
        (("test", "Gain", "Cost"), *((t.name, rounded(gain.score(t)), count(costs[t.of])) for t in tests)),
        tuple(gain.lines(t)[-1] for t in tests),
        f"Gain alone would take {_best(tests, gain.score)}",
        made_up,
        {gain.key(t): gain.score(t) for t in tests},
        node,
    )
    scores = [
        ("Tan & Schlimmer: Gain² / Cost", "TS", tan_schlimmer, lambda g, c: f"{g}² / {c}"),
        (
            f"Núñez: (2^Gain − 1) / (Cost + 1)^w with w = {weight:g}",
            "Núñez",
            lambda g, c: nunez(g, c, weight),
            lambda g, c: f"(2^{g} − 1) / ({c} + 1)^{weight:g}",
        ),
        ("Norton (IDX): Gain / Cost", "IDX", idx, lambda g, c: f"{g} / {c}"),
    ]
    steps = [_score_step(title, symbol, of, text, tests, costs, node) for title, symbol, of, text in scores]
    title = f"Costs of tests: {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("costs", title, (gains, *steps))


def _score_step(
    title: str,
    symbol: str,
    of: Callable[[Any, Any], Any],
    text: Callable[[str, str], str],
    tests: list[CandidateTest],
    costs: Mapping[str, float],
    node: int | None,
) -> Step:
    gain = information_gain()

    def score(test: CandidateTest) -> float:
        return float(of(gain.score(test), costs[test.of]))

    lines = [
        f"{symbol}({test.name}) = {text(rounded(gain.score(test)), count(costs[test.of]))} = {rounded(score(test))}"
        for test in tests
    ]
    values = {f"{symbol}({test.name})": score(test) for test in tests}
    return Step(title, formulas=tuple(lines), result=f"It takes {_best(tests, score)}", values=values, node=node)


def _best(tests: list[CandidateTest], score: Callable[[CandidateTest], float]) -> str:
    best = first_best(tests, score)
    assert best is not None
    return f"{best.name}, {rounded(score(best))}"


def _costs(rows: LessonRows, given: Mapping[str, float] | None) -> dict[str, float]:
    names = rows.schema.names
    for name, cost in (given or {}).items():
        if name not in names:
            raise OptionError(f"there is no column {name!r} to have a cost", f"the columns are {', '.join(names)}")
        if not cost > 0:
            raise OptionError(f"the cost of {name!r} must be above 0, got {cost:g}", "costs are numbers such as 2.5")
    if given:
        return {name: float(given.get(name, 1.0)) for name in names}
    return {name: float(place) for place, name in enumerate(names, start=1)}
