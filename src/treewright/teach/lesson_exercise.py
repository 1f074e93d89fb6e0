"""Exercises: the rows and what to reckon, and the solution, which is a lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import DataError, OptionError
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import LessonRows, bundled
from treewright.teach.number_rows import NumberRows, bundled_numbers
from treewright.teach.topics import TOPICS, lesson

MOST_ROWS = 16  # of a table to be reckoned by hand
_NOT_OF_ROWS = ("pruning", "knn", "kd-tree", "missing")  # whose rows are more than a table with a target
_ASKED = {
    "entropy": "Reckon the entropy of {target}, and what is left of it once each column is known.",
    "gain": "Reckon the information gain of every column. Which is asked first?",
    "gain-ratio": "Reckon the gain ratio of every column of at least average gain. Which is taken by C4.5?",
    "gini": "Reckon the Gini gain of every column. Which is taken?",
    "chi2": "Reckon χ², the degrees of freedom and p of every column. Which is connected with {target} most surely?",
    "likelihood": "Reckon the log-likelihood of one leaf, and what every column adds to it.",
    "costs": "Every test costs 1. Reckon the scores of Tan & Schlimmer, Núñez and IDX of every column.",
    "id3": "Grow ID3's tree of {target}, node by node, and write it as rules.",
    "c4.5": "Grow C4.5's tree of {target}, node by node.",
    "cart": "Grow CART's tree of {target}, node by node, with two branches at every node.",
    "chaid": "Grow CHAID's tree of {target}: merge levels, compare the adjusted p of the columns.",
    "regression": "Grow the tree of {target}, node by node: reckon variances and means.",
    "m5": "Grow the tree of {target}, prune it by the errors of its models, and smooth the models of its leaves.",
    "bagging": "Grow the stumps of the rows that were drawn, and let them vote.",
    "boosting": "Boost stumps by AdaBoost: reckon errors, weights and the vote.",
    "myopia": "Reckon the gains at the root, grow the greedy tree, and find a smaller one.",
}
_QUESTIONS = "abcdefghijklmnopqrstuvwxyz"


def exercise(
    topic: str,
    rows: LessonRows | NumberRows | str | None = None,
    *,
    solution: bool = False,
    n_rows: int | None = None,
    seed: int = 0,
    notation: str | None = None,
    **options: Any,
) -> Lesson:
    """An exercise of a topic: the rows, the questions and, if asked for, the solution step by step.

    Parameters
    ----------
    topic : str
        A topic of :func:`lesson`, such as "gain" or "id3".
    rows : rows, str or None, default None
        Rows of :func:`rows_of`, a bundled table by name, or None for the usual table of the topic.
    solution : bool, default False
        Whether the steps of the solution follow.
    n_rows : int or None, default None
        How many rows are drawn from a larger table; all of a table of up to 16, else 16.
    seed : int, default 0
        Of the draw: another seed is another exercise.
    notation : str or None, default None
        How symbols are written, as in :func:`lesson`.
    **options : object
        Options of :func:`lesson`.

    Examples
    --------
    >>> from treewright import teach
    >>> sheet = teach.exercise("gain", "play_tennis")
    >>> print(sheet.steps[1].formulas[0])
    a) En(play) = ?
    >>> len(teach.exercise("gain", "play_tennis", solution=True).steps) > len(sheet.steps)
    True
    """
    if topic not in TOPICS or topic in _NOT_OF_ROWS:
        raise OptionError(f"there are no exercises of {topic!r}", f"there are of {', '.join(_ASKED)}")
    about = TOPICS[topic]
    if rows is None or isinstance(rows, str):
        rows = (bundled_numbers if about.numbers else bundled)(rows or about.table)
    chosen = _few(rows, n_rows, seed)
    extra = {} if notation is None else {"notation": notation}
    solved = lesson(topic, chosen, **options, **extra)
    title = f"Exercise, {topic}: {solved.title.partition(': ')[2]}"
    asked = _ASKED[topic].format(target=chosen.target)
    sheet = (
        Step("The rows", _table(chosen), remark=_left_out(rows, chosen)),
        Step("The questions", (), tuple(_asked(solved, chosen.schema.names)), asked, verbatim=True),
    )
    steps = [replace(step, title=f"Solution: {step.title}", number=0) for step in solved.steps] if solution else []
    return Lesson("exercise", title, (*sheet, *steps))


def _few(rows: Any, n_rows: int | None, seed: int) -> Any:
    """Some of the rows, in their order; several classes or numbers among them."""
    most = rows.n_rows if n_rows is None and rows.n_rows <= MOST_ROWS else min(n_rows or MOST_ROWS, rows.n_rows)
    if most < 2:
        raise OptionError(f"an exercise of {plural(most, 'row')} has nothing to reckon", "ask for at least 2 rows")
    if most == rows.n_rows:
        return rows
    for attempt in range(100):
        random = np.random.default_rng([seed, attempt])
        at = np.zeros(rows.n_rows, np.bool_)
        at[random.choice(rows.n_rows, most, replace=False)] = True
        y = rows.y[at]
        if (y != y[0]).any():
            return _taken(rows, at)
    raise DataError("all rows that were drawn have the same target", "ask for more rows")


def _taken(rows: Any, at: Any) -> Any:
    if isinstance(rows, NumberRows):
        kept = rows.columns.some(at, range(len(rows.schema.columns)))
        return NumberRows(kept.occurring(), rows.y[at])
    return rows.some(at, range(len(rows.schema.columns))).occurring()


def _left_out(rows: Any, chosen: Any) -> str:
    return "" if chosen is rows else f"{chosen.n_rows} of {rows.n_rows:,} rows, drawn at random."


def _table(rows: Any) -> tuple[tuple[str, ...], ...]:
    from treewright.explain.condition_text import level_text, one_line
    from treewright.explain.number_text import format_value

    cells = rows.frame()
    names = [one_line(name) for name in rows.schema.names]
    target = map(count, rows.y) if isinstance(rows, NumberRows) else (rows.class_names[code] for code in rows.y)

    def shown(name: str, value: Any) -> str:
        column = next(one for one in rows.schema.columns if one.name == name)
        if value is None:
            return "?"
        return level_text(value) if column.levels else format_value(float(value), column.unit)

    lines = [
        (str(k + 1), *(shown(name, cells[name][k]) for name in rows.schema.names), said)
        for k, said in enumerate(target)
    ]
    return (("row", *names, rows.target), *lines)


def _asked(solved: Lesson, names: Sequence[str]) -> Iterator[str]:
    """What is reckoned, up to as many lines as there are letters, without the numbers.

    Lessons have the best column first. The questions have the order of the table, which gives nothing away.
    """
    lines = dict.fromkeys(line for step in solved.steps if not step.verbatim for line in _wanted(step))
    asked = sorted(lines, key=lambda line: _place(line, names))
    for letter, line in zip(_QUESTIONS, asked):
        yield f"{letter}) {line} = ?"
    if len(asked) > len(_QUESTIONS):
        yield f"… and {len(asked) - len(_QUESTIONS)} more of the kind"


def _place(line: str, names: Sequence[str]) -> int:
    """Of the column that a line is about; lines about none come first."""
    inside = line.partition("(")[2]
    return next((place for place, name in enumerate(names) if re.search(rf"\b{re.escape(name)}\b", inside)), -1)


def _wanted(step: Step) -> Iterator[str]:
    from treewright.teach.formula_symbols import is_formula

    for line in step.formulas:
        if is_formula(line) and " = " in line and not line.startswith(" "):
            yield _left_side(line)


def _left_side(line: str) -> str:
    """What stands before the equals sign that is not within brackets."""
    depth = 0
    for place, character in enumerate(line):
        depth += (character == "(") - (character == ")")
        if character == "=" and not depth:
            return line[:place].strip()
    return line.partition(" = ")[0]
