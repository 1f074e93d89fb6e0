"""What rules do on any rows: how many they cover and get right, where they overlap, and what they leave uncovered."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Level, Schema
from treewright.data.target_column import encode_classes, encode_numbers
from treewright.data.weights import kept_rows, row_weights
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.explain.number_text import format_number, format_share, plural
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.rules.rule import Rule
from treewright.rules.rule_matching import Matcher
from treewright.rules.rule_metrics import accuracy, laplace, lift
from treewright.rules.rule_model import numbers_of
from treewright.rules.rule_text import sentence
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True, repr=False)
class RuleMetrics(DisplayedRecord):
    """One rule on the rows of a report.

    ``weight`` is that of the rows that meet the rule, ``coverage`` its share of all, ``decided`` the weight of the rows
    that it decides. ``accuracy`` is the share of the covered weight that is of the rule's class, ``lift`` how
    many times that of all rows; ``laplace`` and ``pessimistic`` are accuracies that trust few rows less:
    (n₊ + 1) / (n + K), and one minus the upper end of C4.5's confidence interval around the error rate. For a numeric
    target these are None and ``error`` is the root of the mean squared error.
    """

    number: int
    text: str
    weight: float
    coverage: float
    decided: float
    accuracy: float | None = None
    lift: float | None = None
    laplace: float | None = None
    pessimistic: float | None = None
    error: float | None = None


@dataclass(frozen=True, repr=False)
class RuleReport(Displayed):
    """Rules on some rows.

    ``overlaps[a, b]`` is the weight of the rows that meet the a-th and the b-th rule. ``uncovered`` are the numbers of
    rows that meet no rule, ``conflicts`` counts the rows that meet rules of different predictions. ``accuracy`` (or
    ``error``, the root of the mean squared error) is that of the whole set, ``otherwise`` included.
    """

    rules: tuple[RuleMetrics, ...]
    overlaps: Floats
    uncovered: Ints
    conflicts: int
    n_rows: int
    accuracy: float | None
    error: float | None

    def __str__(self) -> str:
        quality = f"error {format_number(self.error)}" if self.error is not None else f"{_percent(self.accuracy)} right"
        head = (
            f"{plural(self.n_rows, 'row')}: {quality}, {plural(len(self.uncovered), 'row')} uncovered, "
            f"{plural(self.conflicts, 'row')} in conflict"
        )
        return "\n".join([head, *_table(self.rules)])

    def _sheet(self) -> Sheet:
        cells = {name: [getattr(rule, name) for rule in self.rules] for name in RuleMetrics.__dataclass_fields__}
        columns = {name: column for name, column in cells.items() if any(cell is not None for cell in column)}
        return Sheet(columns, str(self).partition("\n")[0])


def report_of(
    rules: tuple[Rule, ...],
    otherwise: Rule,
    schema: Schema,
    matrix: Array,
    y: Any,
    sample_weight: Any,
    deciding: Callable[[Mask], Ints],
) -> RuleReport:
    """Count every rule on the rows of a prediction matrix; rows without a target or of no weight are left out.

    ``deciding`` tells the place of the rule that decides rows, -1: none, from the rules that they meet.
    """
    target, weights, kept = _read(y, sample_weight, len(matrix), schema.target.classes)
    counts = _Counts(rules, otherwise, target, weights, schema, matrix)
    for rows, found in Matcher(rules, schema).chunks(matrix):
        counts.add(rows, found & kept[rows, None], kept[rows], deciding)
    return counts.report(schema, int(kept.sum()))


def _read(y: Any, sample_weight: Any, n_rows: int, classes: tuple[Level, ...] | None) -> tuple[Array, Floats, Mask]:
    """The target (codes of classes, -1 for unseen ones, or numbers), the weights and the rows that count."""
    if classes is None:
        target, known = encode_numbers(y, n_rows)
    else:
        labels, codes, known = encode_classes(y, n_rows)
        place = {label: code for code, label in enumerate(classes)}
        target = np.array([place.get(label, -1) for label in labels])[codes]
    weights = row_weights(sample_weight, None, None, None, n_rows, known)
    keep = kept_rows(known, weights)
    kept = np.ones(n_rows, np.bool_) if keep is None else keep
    return target, np.where(kept, 1.0 if weights is None else weights, 0.0), kept


class _Counts:
    """Sums over chunks of rows."""

    def __init__(
        self,
        rules: tuple[Rule, ...],
        otherwise: Rule,
        target: Array,
        weights: Floats,
        schema: Schema,
        matrix: Array,
    ) -> None:
        classes = schema.target.classes
        self.rules, self.target, self.weights, self.classes = rules, target, weights, classes
        self.everything, self.schema, self.matrix = (*rules, otherwise), schema, matrix
        answers = [rule.prediction for rule in (*rules, otherwise)]
        self.answers = np.array(answers if classes is None else [classes.index(answer) for answer in answers])
        self.moments = self._moments()
        self.stats = np.zeros((len(rules), self.moments.shape[1]))
        self.overlaps = np.zeros((len(rules), len(rules)))
        self.decided, self.loss = np.zeros(len(rules) + 1), np.zeros(len(rules) + 1)
        self.squares = np.zeros(len(rules))
        self.uncovered: list[Ints] = []
        self.conflicts = 0

    def _moments(self) -> Floats:
        """What each row adds to a rule's statistics; rows of unseen classes have a last column."""
        if self.classes is None:
            return np.stack([self.weights, self.weights * self.target, self.weights * self.target**2], axis=1)
        return np.eye(len(self.classes) + 1)[self.target] * self.weights[:, None]

    def add(self, rows: slice, found: Mask, kept: Mask, deciding: Callable[[Mask], Ints]) -> None:
        weights, met = self.weights[rows], found.astype(np.float64)
        self.stats += met.T @ self.moments[rows]
        for place, rule in enumerate(self.rules):
            if rule.model is not None:
                away = self.target[rows] - rule.model.values(self.matrix[rows], self.schema)
                self.squares[place] += float((found[:, place] * weights * away**2).sum())
        self.overlaps += met.T @ (met * weights[:, None])
        anything = found.any(1)
        first = np.where(anything, deciding(found), len(self.rules))
        self.decided += np.bincount(first, weights, minlength=len(self.rules) + 1)
        self.loss += np.bincount(first, weights * self._losses(rows, first), minlength=len(self.rules) + 1)
        self.uncovered.append(rows.start + np.flatnonzero(kept & ~anything))
        self.conflicts += int(self._disagree(found).sum())

    def _losses(self, rows: slice, first: Ints) -> Floats:
        """0 or 1 for classes, squared errors for numbers."""
        if any(rule.model is not None for rule in self.everything):
            answer = numbers_of(self.everything, first, self.matrix[rows], self.schema)
        else:
            answer = self.answers[first]
        return np.asarray((self.target[rows] - answer) ** 2 if self.classes is None else self.target[rows] != answer)

    def _disagree(self, found: Mask) -> Mask:
        if not found.shape[1]:
            return np.zeros(len(found), np.bool_)
        answers = self.answers[:-1].astype(np.float64)
        least, most = np.where(found, answers, np.inf).min(1), np.where(found, answers, -np.inf).max(1)
        return np.asarray(most > least)

    def report(self, schema: Schema, n_rows: int) -> RuleReport:
        total = self.moments.sum(0)
        weight = float(self.weights.sum())
        mean_loss = float(self.loss.sum()) / weight
        metrics = (self._metrics(place, schema, total) for place in range(len(self.rules)))
        is_class = self.classes is not None
        return RuleReport(
            rules=tuple(metrics),
            overlaps=self.overlaps,
            uncovered=np.concatenate([np.empty(0, np.int64), *self.uncovered]),
            conflicts=self.conflicts,
            n_rows=n_rows,
            accuracy=1 - mean_loss if is_class else None,
            error=None if is_class else math.sqrt(mean_loss),
        )

    def _metrics(self, place: int, schema: Schema, total: Floats) -> RuleMetrics:
        rule, stats, everything = self.rules[place], self.stats[place].tolist(), total.tolist()
        text, decided = sentence(rule, schema), float(self.decided[place])
        if self.classes is None:
            weight = stats[0]
            error = self._error(place, stats)
            return RuleMetrics(rule.number, text, weight, weight / everything[0], decided, error=error)
        code, weight = int(self.answers[place]), sum(stats)
        return RuleMetrics(
            rule.number, text, weight, weight / sum(everything), decided, accuracy(stats, code),
            lift(stats, code, everything), laplace(stats, code, len(self.classes)), _pessimistic(stats, code),
        )  # fmt: skip

    def _error(self, place: int, stats: list[float]) -> float:
        """Of all rows that meet a rule; by its model if it has one."""
        rule = self.rules[place]
        if rule.model is None:
            return _error_around(float(rule.prediction), *stats)
        return math.sqrt(self.squares[place] / stats[0]) if stats[0] else math.nan


def _error_around(prediction: float, weight: float, total: float, squares: float) -> float:
    """The root of the mean of (y - prediction)², from the sums of w, w·y and w·y²."""
    loss = squares - 2 * total * prediction + weight * prediction**2
    return math.sqrt(max(loss, 0.0) / weight) if weight else math.nan


def _pessimistic(stats: list[float], code: int) -> float:
    weight = sum(stats)
    return 1 - float(PessimisticRate().rate(np.array(weight), np.array(weight - stats[code])))


def _percent(share: float | None) -> str:
    return "–" if share is None or share != share else format_share(share, " ")


def _table(rules: tuple[RuleMetrics, ...]) -> list[str]:
    is_number = any(rule.error is not None for rule in rules)
    quality = ("error",) if is_number else ("right", "lift", "laplace", "at least")
    lines = [("rule", "weight", "covers", "decides", *quality), *(_cells(rule, is_number) for rule in rules)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = ["", *(rule.text for rule in rules)]
    return [
        "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths)), text]).rstrip()
        for line, text in zip(lines, texts)
    ]


def _cells(rule: RuleMetrics, is_number: bool) -> tuple[str, ...]:
    start = (str(rule.number), format_number(rule.weight, 4), _percent(rule.coverage), format_number(rule.decided, 4))
    if is_number:
        return (*start, format_number(rule.error if rule.error is not None else math.nan, 4))
    lifted = "–" if rule.lift is None or rule.lift != rule.lift else format_number(rule.lift, 3)
    return (*start, _percent(rule.accuracy), lifted, _percent(rule.laplace), _percent(rule.pessimistic))
