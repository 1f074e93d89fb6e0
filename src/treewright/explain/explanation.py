"""Why one row is predicted as it is: the tests it met, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.costs import error_costs
from treewright.data.schema import Column, Kind, Level, Schema
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.explain.condition_text import condition, level_text, one_line, value_text
from treewright.explain.equation_text import term_text
from treewright.explain.node_text import MOST_CLASSES, NodeText
from treewright.explain.number_text import format_number, format_share, plural, rounded_number
from treewright.explain.significance_text import split_test
from treewright.leaves import decided
from treewright.prediction import model_values
from treewright.split import AS_MISSING, EVERY_BRANCH, STOP, Split, Surrogate
from treewright.tree.tree import Node, Tree
from treewright.typing import Floats


@dataclass(frozen=True, repr=False)
class PathStep(DisplayedRecord):
    """One test met on the way from ``node`` to ``child``, and what the training rows at the child were."""

    node: int
    child: int
    column: str
    value: str  # the row's value in words
    condition: str
    stand_in: str  # the surrogate that decided in place of a missing value, in words
    missing: bool  # the row has no value here
    unseen: bool  # the row's level was not in the training data, and is treated as missing
    share: float  # how much of the row goes here; 1 unless missing values go down every branch
    rows: int
    stats: tuple[float, ...]  # those of the child, see LeafKind
    evidence: str
    test: str = ""  # the significance of the split, where it was tested

    def __str__(self) -> str:
        tested = f" ({self.test})" if self.test else ""
        reason = f"{self._found()}, so {self.condition}" if self._needs_reason() else self.condition
        part = "" if self.share == 1 else f" for {format_share(self.share, ' ')} of the row"
        return f"{reason} [{self.child}]{part}{tested}: {plural(self.rows, 'row')} ({self.evidence})"

    def _needs_reason(self) -> bool:
        return self.unseen or self.condition not in (f"{self.column} = {self.value}", f"{self.column} is {self.value}")

    def _found(self) -> str:
        unseen = ", which was not seen in training and counts as missing" if self.unseen else ""
        return f"{self.column} is {self.value}{unseen}" + (f" and {self.stand_in}" if self.stand_in else "")


@dataclass(frozen=True, repr=False)
class ModelTerm(DisplayedRecord):
    """One term of the model of a leaf, and what it adds for the row."""

    leaf: int
    output: Level | None  # the class that a score is of; None for a number
    term: str  # "" is the intercept
    value: float
    slope: float
    words: str

    @property
    def adds(self) -> float:
        return self.slope * self.value

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, repr=False)
class Explanation(Displayed):
    """The path of one row and where it ends. ``str`` writes it out, a sentence per test, and a line per term where
    leaves predict by a model."""

    target: str
    start: str
    steps: tuple[PathStep, ...]
    leaves: tuple[int, ...]  # one, unless missing values go down every branch
    prediction: Level | float
    classes: tuple[Level, ...]  # none for a numeric target
    distribution: tuple[float, ...]  # probability of each class, or the predicted number
    outcome: str
    terms: tuple[ModelTerm, ...] = ()  # of the models of the leaves

    def __str__(self) -> str:
        return "\n".join([self.start, *map(str, self.steps), *map(str, self.terms), self.outcome])

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "node": [step.child for step in self.steps],
            "column": [step.column for step in self.steps],
            "value": [step.value for step in self.steps],
            "so": [step.condition for step in self.steps],
            "share": [step.share for step in self.steps],
            "rows": [step.rows for step in self.steps],
            "evidence": [step.evidence for step in self.steps],
        }
        if all(step.share == 1 for step in self.steps):
            del columns["share"]
        return Sheet(columns, self.start, (*map(str, self.terms), self.outcome))


def explain_row(tree: Tree, schema: Schema, values: Floats, raw: Mapping[str, Any]) -> Explanation:
    """The way of one row through the tree.

    ``values`` is a row of the prediction matrix (numbers, level codes, NaN where missing), ``raw`` has the values as
    they were given, by column name, to tell a level that was never seen from a missing value.

    >>> import treewright as tw
    >>> ages, buys = [20, 22, 25, 30, 31, 40, 45, 50, 60], ["no"] * 4 + ["yes", "yes", "no", "yes", "yes"]
    >>> model = tw.CARTClassifier(max_depth=1).fit({"age": ages}, buys)
    >>> print(explain_row(model.tree_, model.schema_, np.array([41.0]), {"age": 41}))
    start [0]: 9 rows (no: 5, yes: 4)
    age is 41, so age > 30.5 [2]: 5 rows (no: 1, yes: 4)
    prediction: y = yes (no: 20 %, yes: 80 %)
    """
    answers, row = NodeText(tree, schema), _Row(values, raw)
    steps: list[PathStep] = []
    ends: list[tuple[int, float]] = []
    waiting = [(0, 1.0)]
    while waiting:
        v, share = waiting.pop()
        taken = _taken(answers, v, share, row) if tree.n_branches[v] else []
        steps += taken
        onward = [(step.child, step.share) for step in taken if step.child != v]
        waiting += reversed(onward)
        if not onward:
            ends.append((v, share))
    return _explanation(answers, tuple(steps), ends, row)


@dataclass(frozen=True)
class _Row:
    values: Floats
    raw: Mapping[str, Any]


def _taken(answers: NodeText, v: int, share: float, row: _Row) -> list[PathStep]:
    """The branches a row takes at a node: one, all of them by their share, or none."""
    split = Node(answers.tree, v).split
    assert split is not None
    left = split.left_share(float(row.values[split.column]))
    if left is not None:
        sides = (int(split.branch_of[1]), left), (int(split.branch_of[2]), 1 - left)
        return [_step(answers, v, split, b, share * part, row) for b, part in sides]
    branch, asked = _branch(answers, v, split, row)
    if branch != EVERY_BRANCH:
        return [_step(answers, v, split, branch, share, row, asked)]
    return [_step(answers, v, split, b, share * part, row) for b, part in enumerate(_shares(answers, v)) if part > 0]


def _branch(answers: NodeText, v: int, split: Split, row: _Row) -> tuple[int, Surrogate | None]:
    """The branch, and the surrogate that named it if the tested value is missing."""
    branch = _branch_by(split, row)
    if not np.isnan(row.values[split.column]) and branch != AS_MISSING:
        return branch, None
    for surrogate in Node(answers.tree, v).surrogates:
        if not np.isnan(row.values[surrogate.split.column]) and (named := _branch_by(surrogate.split, row)) >= 0:
            return named, surrogate
    return int(split.branch_of[0]), None


def _branch_by(split: Split, row: _Row) -> int:
    return int(split.branches(row.values[[split.column]].astype(np.float64))[0])


def _shares(answers: NodeText, v: int) -> list[float]:
    """Each branch's part of the weight at a node."""
    first, count = int(answers.tree.first_child[v]), int(answers.tree.n_branches[v])
    weights = [answers.weight(child) for child in range(first, first + count)]
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1 / count] * count


def _step(
    answers: NodeText, v: int, split: Split, branch: int, share: float, row: _Row, asked: Surrogate | None = None
) -> PathStep:
    tree, column = answers.tree, answers.schema.columns[split.column]
    child, value = v if branch == STOP else int(tree.first_child[v]) + branch, float(row.values[split.column])
    missing = bool(np.isnan(value)) or (column.kind is not Kind.NUMERIC and value < 1)
    given = row.raw.get(column.name)
    unseen = missing and column.kind is not Kind.NUMERIC and not _is_missing(given)
    exact = not missing and not _is_sent_alike(value, value, split)
    rounds = missing or _is_sent_alike(value, _rounded(value, column), split, exact=exact)
    return PathStep(
        node=v,
        child=child,
        column=one_line(column.name),
        value=level_text(given) if unseen and given is not None else value_text(value, column, exact=not rounds),
        condition=_stopped(v, child) or _condition(answers, v, branch, missing=missing and not asked, exact=exact),
        stand_in="" if asked is None else _stand_in_text(answers, asked, branch),
        missing=missing and not unseen,
        unseen=unseen,
        share=share,
        rows=int(tree.rows[child]),
        stats=tuple(tree.stats[child].tolist()),
        evidence=answers.counts(child),
        test=_test_of(Node(tree, v)),
    )


def _condition(answers: NodeText, v: int, branch: int, *, missing: bool, exact: bool) -> str:
    split = answers.tests.split_at(v)
    return condition(split, answers.schema.columns[split.column], branch, missing=missing, exact=exact)


def _test_of(node: Node) -> str:
    return "" if node.test is None else split_test(node.test)


def _stopped(v: int, child: int) -> str:
    return "the row stops here" if child == v else ""


def _stand_in_text(answers: NodeText, asked: Surrogate, branch: int) -> str:
    words = condition(asked.split, answers.schema.columns[asked.split.column], branch, missing=False)
    return f"{words} stands in (agrees on {format_share(asked.agreement, ' ')})"


def _is_missing(given: object) -> bool:
    """None, NaN, NaT and NA: nothing, or not equal to itself."""
    try:
        return given is None or bool(given != given)
    except (TypeError, ValueError):  # NA refuses to be true or false
        return True


def _rounded(value: float, column: Column) -> float:
    return rounded_number(value, column.unit) if column.kind is Kind.NUMERIC else value


def _is_sent_alike(value: float, written: float, split: Split, *, exact: bool = False) -> bool:
    """Whether the edges, as they are printed unless ``exact``, send the number that is written as they send the value.

    Training rows are; of another row the edges may have to be printed in full, or its value.
    """
    edges = split.edges if exact or split.printed is None else split.printed
    return bool(np.searchsorted(edges, written) == np.searchsorted(split.edges, value))


def _explanation(
    answers: NodeText, steps: tuple[PathStep, ...], ends: list[tuple[int, float]], row: _Row
) -> Explanation:
    values = {v: _value(answers.tree, v, row) for v, _ in ends}
    value = values[ends[0][0]]
    if len(ends) > 1:
        value = np.sum([share * values[v] for v, share in ends], axis=0)
    target, classes = one_line(answers.schema.target.name), answers.classes
    prediction = classes[int(decided(value, answers.schema.target))] if classes else float(value[0])
    words = level_text(prediction) if classes else answers.number(float(prediction))
    return Explanation(
        target=target,
        start=f"start [0]: {plural(int(answers.tree.rows[0]), 'row')} ({answers.counts(0)})",
        steps=steps,
        leaves=tuple(v for v, _ in ends),
        prediction=prediction,
        classes=classes,
        distribution=tuple(value.tolist()),
        outcome=f"prediction: {target} = {words}" + (f" ({_chances(answers, value)})" if classes else ""),
        terms=tuple(term for v, _ in ends for term in _model_terms(answers, v, row)),
    )


def _value(tree: Tree, v: int, row: _Row) -> Floats:
    if not tree.models.exist:
        return np.asarray(tree.value[v])
    return np.asarray(model_values(tree, np.array([v]), row.values[None, :])[0])


def _model_terms(answers: NodeText, v: int, row: _Row) -> list[ModelTerm]:
    """The intercept and every term of the models of a node."""
    tree, schema, classes = answers.tree, answers.schema, answers.classes
    if not tree.models.exist:
        return []
    made: list[ModelTerm] = []
    for k in range(1 if classes else 0, len(classes) or 1):
        name = f"log-odds of {level_text(classes[k])}" if classes else one_line(schema.target.name)
        intercept, output = float(tree.models.intercept[v, k]), classes[k] if classes else None
        made.append(ModelTerm(v, output, "", 1.0, intercept, f"model [{v}]: {name} starts from {_short(intercept)}"))
        for term, slope in tree.models.terms_of(v, k):
            column, cell = schema.columns[term.column], row.values[[term.column]].astype(np.float64)
            value, words = float(term.values(cell)[0]), term_text(term, column)
            why = ", as the value is missing" if np.isnan(cell[0]) else ""
            line = f"  {_signed(slope * value)}: {_short(slope)} × {words}, which is {_short(value)}{why}"
            made.append(ModelTerm(v, output, words, value, slope, line))
    if not classes:
        made += _limit(answers, v, row)
    return made


def _limit(answers: NodeText, v: int, row: _Row) -> list[ModelTerm]:
    """That the sum lies outside the limits of the model, if it does."""
    tree = answers.tree
    terms = tree.models.terms_of(v)
    total = sum((s * float(t.values(row.values[[t.column]].astype(np.float64))[0]) for t, s in terms), 0.0)
    total += float(tree.models.intercept[v, 0])
    value = float(_value(tree, v, row)[0])
    if value == total or abs(value - total) <= 1e-9 * abs(total):
        return []
    line = f"  {_signed(value - total)}: no prediction is {'below' if value > total else 'above'} {_short(value)} here"
    return [ModelTerm(v, None, "limit", value - total, 1.0, line)]


def _short(x: float) -> str:
    return format_number(x, 5)


def _signed(x: float) -> str:
    return f"{'-' if x < 0 else '+'} {_short(abs(x))}"


def _chances(answers: NodeText, value: Floats) -> str:
    """The probabilities in words, only that of the answer when there are many classes; and what it may cost."""
    target, classes = answers.schema.target, answers.classes
    place = int(decided(value, target))
    words = ", ".join(f"{level_text(c)}: {format_share(float(p), ' ')}" for c, p in zip(classes, value))
    words = format_share(float(value[place]), " ") if len(classes) > MOST_CLASSES else words
    if target.costs is None:
        return words
    return f"{words}; expected cost {format_number(float(value @ error_costs(target)[:, place]), 4)}"
