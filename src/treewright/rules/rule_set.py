"""A list of rules, the first that is met deciding: predicts, prints, reports, and is changed by making another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from treewright.data.encode import prediction_matrix
from treewright.data.frame import listing, read_frame
from treewright.data.schema import Column, Level, Schema
from treewright.data.target_column import class_array
from treewright.display import Displayed, Sheet
from treewright.engines.workers import available_cores
from treewright.errors import DataError, OptionError, shown
from treewright.page.html_document import framed, html_document
from treewright.rules.reasons import Reason, reason_of, reason_of_mean
from treewright.rules.rule import NO_RULE, Condition, Rule, merged
from treewright.rules.rule_matching import Matcher
from treewright.rules.rule_model import mean_of_met, numbers_of
from treewright.rules.rule_report import RuleReport, report_of
from treewright.rules.rule_text import outcome, render, sentence
from treewright.rules.rule_view import rule_view
from treewright.rules.rule_votes import VOTE, Ballots, Voted, joined
from treewright.tree.files import replace_file
from treewright.tree.tree import LeafKind
from treewright.typing import Array, Floats, Ints, Mask

FIRST, MEAN = "first", "mean"  # how a rule set answers, or VOTE
ANSWERS = {
    FIRST: "the first that is met decides",
    MEAN: "the mean of all that are met counts",
    VOTE: "all that are met vote",
}


@dataclass(frozen=True, repr=False)
class RuleSet(Displayed):
    """Rules in order: the first whose conditions a row meets decides, and ``otherwise`` where it meets none.

    With ``answer="vote"`` all rules that a row meets vote for their class, as in C5.0, and their order means nothing;
    the rule that then decides is the most specific one of the class that wins.
    With ``answer="mean"`` the mean of what all rules predict that are met, as in Cubist. Rules that predict a number
    may do so by a linear ``model``.

    Rule sets do not change; ``simplify``, ``drop``, ``reorder`` and ``add`` return another one. ``stats`` are those of
    all training rows, so that lift can be told without them; ``leaf`` says what these and the statistics of rules are.
    A set without rules predicts ``otherwise`` for every row.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> rules = tw.ID3Classifier().fit(X, table.y).rule_set()
    >>> print(rules.drop(5, 6, 7).reorder(4).add([tw.rules.Condition.among("humidity", "High")], "No"))
    RuleSet: y — 3 rules, the first that is met decides
    [4] if (outlook = Rainy or missing) and windy = Strong then y = No   (14 % of rows, 100 % right, lift 2.8)
    [1] if outlook = Overcast then y = Yes   (29 % of rows, 100 % right, lift 1.56)
    [5] if humidity = High then y = No
    otherwise y = Yes
    """

    schema: Schema
    rules: tuple[Rule, ...]
    otherwise: Rule
    stats: tuple[float, ...]
    leaf: LeafKind
    answer: str = FIRST

    def __post_init__(self) -> None:
        columns = self._columns
        other = VOTE if self.classes else MEAN
        if self.answer not in (FIRST, other):
            raise OptionError(f"rules do not answer by {shown(self.answer)} here", f"use {FIRST!r} or {other!r}")
        numbers = [rule.number for rule in self.rules]
        if len(set(numbers)) < len(numbers):
            raise OptionError("two rules have the same number", "give every rule a number of its own")
        for rule in (*self.rules, self.otherwise):
            self._check_prediction(rule.prediction)
            for term in rule.model.terms if rule.model is not None else ():
                if term.column not in columns or len(term.scores) != len(columns[term.column].levels):
                    raise OptionError(f"a model has a term of {shown(term.column)}", "it must fit a column")
            for condition in rule.conditions:
                if condition.column not in columns:
                    raise OptionError(
                        f"there is no column {shown(condition.column)}", f"the columns are {listing(self.schema.names)}"
                    )
                condition.check(columns[condition.column])

    # ---- look ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, number: int) -> Rule:
        """The rule of this number."""
        return self.rules[self._place(number)]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The rules' numbers, in their order."""
        return tuple(rule.number for rule in self.rules)

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes, none for a numeric target."""
        return self.schema.target.classes or ()

    def to_text(self, *, max_rules: int | None = 200, ascii: bool = False) -> str:
        """One line per rule, with the share of training rows it covers, how many of them it is right about, and lift.

        Lift is how many times likelier the class is among these rows than among all.
        """
        return render(self.rules, self.otherwise, self.schema, self.leaf, self.stats, max_rules, ascii, self.how)

    @property
    def how(self) -> str:
        """How the rules answer, in words."""
        return ANSWERS[self.answer]

    def __str__(self) -> str:
        return self.to_text()

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The rules as an interactive page, one file that needs no other; also written to ``path`` if that is given."""
        text = html_document(rule_view(self), f"Rules: {self.schema.target.name}")
        if path is not None:
            replace_file(path, text.encode("utf-8"))
        return text

    def _repr_html_(self) -> str:
        return framed(self.to_html())

    # ---- predict -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The class, or the number, that the first rule a row meets predicts; or what all that are met say together."""
        matrix = self.matrix(X)
        return self.estimates(matrix) if self.has_models else self.predictions(self.decide(matrix))

    @property
    def has_models(self) -> bool:
        """Whether what is predicted is a number that has to be worked out for the row."""
        return self.answer == MEAN or any(rule.model is not None for rule in (*self.rules, self.otherwise))

    def estimates(self, matrix: Array) -> Floats:
        """What is predicted of rows of a matrix, where that is a number: by the first rule met, or the mean of all."""
        rules = (*self.rules, self.otherwise)
        if self.answer != MEAN:
            places = self.decide(matrix)
            return numbers_of(rules, np.where(places < 0, len(self), places), matrix, self.schema)
        parts = [mean_of_met(rules, met, matrix[rows], self.schema) for rows, met in self._matcher().chunks(matrix)]
        return np.concatenate([np.empty(0), *parts])

    def _matcher(self) -> Matcher:
        return Matcher(self.rules, self.schema)

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, in schema order, of the rule that decides, or as the votes give them."""
        if not self.classes:
            raise OptionError("rules that predict a number have no probabilities", "use predict")
        return self.decide_with_values(self.matrix(X))[1]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """As estimators have it: the share of rows that are right, or R² of rules that predict a number."""
        from sklearn.metrics import accuracy_score, r2_score

        metric = accuracy_score if self.classes else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))

    def fired(self, X: Any) -> Ints:
        """The number of the rule that decides each row, -1 where none is met."""
        return np.array([*self.numbers, NO_RULE])[self.decide(self.matrix(X))]

    def matches(self, X: Any) -> Mask:
        """A matrix of rows × rules: which rules each row meets, first or not."""
        parts = [found for _, found in Matcher(self.rules, self.schema).chunks(self.matrix(X))]
        return np.concatenate([np.empty((0, len(self)), np.bool_), *parts])

    def report(self, X: Any, y: Any, sample_weight: Any = None) -> RuleReport:
        """Coverage, accuracy, lift and confidence of every rule on any rows, overlaps, and rows that meet no rule.

        >>> import treewright as tw
        >>> table = tw.datasets.load("xor")
        >>> rules = tw.CARTClassifier().fit(table.X, table.y).rule_set()
        >>> print(rules.drop(6).report(table.X, table.y))
        4 rows: 100 % right, 1 row uncovered, 0 rows in conflict
        rule  weight  covers  decides  right  lift  laplace  at least
           3       1    25 %        1  100 %     2     67 %      25 %  if (a ≤ 0.5 or missing) and ... then y = 0
           4       1    25 %        1  100 %     2     67 %      25 %  if (a ≤ 0.5 or missing) and b > 0.5 then y = 1
           5       1    25 %        1  100 %     2     67 %      25 %  if a > 0.5 and (b ≤ 0.5 or missing) then y = 1
        """
        if self.answer == MEAN:
            problem = f"a report counts rows by the rule that decides, and of these rules {self.how}"
            raise OptionError(problem, "compare predictions with tw.evaluate.evaluate")
        return report_of(self.rules, self.otherwise, self.schema, self.matrix(X), y, sample_weight, self._deciding)

    def explain(self, row: Any) -> Reason:
        """Which rule decides a row, with its values and the training rows; a dict of column to value, or one row.

        >>> import treewright as tw
        >>> table = tw.datasets.load("xor")
        >>> print(tw.CARTClassifier().fit(table.X, table.y).rule_set().explain({"a": 1, "b": 0}))
        rule [5] is the first of 4 that is met: if a > 0.5 and (b ≤ 0.5 or missing) then y = 1
        a is 1, b is 0
        training rows that meet it: 0: 0, 1: 1
        prediction: y = 1 (0: 0 %, 1: 100 %)
        """
        if self.answer == MEAN:
            return reason_of_mean(self.rules, self.otherwise, self.schema, row)
        return reason_of(self.rules, self.otherwise, self.schema, row, self.ballots if self.answer == VOTE else None)

    def matrix(self, X: Any, *, unseen: str = "missing", owner: str = "RuleSet") -> Array:
        """The columns that rules ask about as numbers and level codes, in schema order."""
        place = {name: j for j, name in enumerate(self.schema.names)}
        everything = (*self.rules, self.otherwise)
        asked = {place[condition.column] for rule in self.rules for condition in rule.conditions}
        added = {place[term.column] for rule in everything if rule.model is not None for term in rule.model.terms}
        used = sorted(asked | added)
        return prediction_matrix(read_frame(X), self.schema, used, unseen=unseen, estimator=owner)

    def decide(self, matrix: Array, n_jobs: int | None = None) -> Ints:
        """The place of the rule that decides each row of a matrix, -1 where none is met."""
        if self.answer == VOTE:
            return self.voted(matrix).places
        return Matcher(self.rules, self.schema).first(matrix, n_jobs or available_cores())

    def decide_with_values(self, matrix: Array, n_jobs: int | None = None) -> tuple[Ints, Floats]:
        """The same, and the probabilities, or the number, that are predicted."""
        if self.answer == VOTE:
            voted = self.voted(matrix)
            return voted.places, voted.shares
        places = self.decide(matrix, n_jobs)
        return places, self.estimates(matrix)[:, None] if self.has_models else self.values(places)

    @property
    def ballots(self) -> Ballots:
        """The rules made ready to vote."""
        return Ballots(self.rules, self.otherwise, self.classes)

    def voted(self, matrix: Array) -> Voted:
        """The votes on rows of a matrix."""
        ballots = self.ballots
        parts = [ballots.count(met) for _, met in Matcher(self.rules, self.schema).chunks(matrix)]
        return joined(parts, len(self.classes))

    def _deciding(self, met: Mask) -> Ints:
        """The place of the rule that decides rows which meet these rules, -1 where they meet none."""
        if self.answer == VOTE:
            return self.ballots.count(met).places
        return np.where(met.any(1), met.argmax(1) if met.shape[1] else 0, -1)

    def predictions(self, places: Ints) -> Array:
        """What the rules at these places predict."""
        answers = tuple(rule.prediction for rule in (*self.rules, self.otherwise))
        if not self.classes:
            return np.array(answers, np.float64)[places]
        return np.take(class_array(self.classes), np.array([self.classes.index(answer) for answer in answers])[places])

    def values(self, places: Ints) -> Floats:
        """The probabilities, or the number, of the rules at these places."""
        return np.array([rule.value for rule in (*self.rules, self.otherwise)])[places]

    # ---- change --------------------------------------------------------------------------------------------------

    def simplify(self) -> RuleSet:
        """The same predictions with less to read.

        Conditions on one column become one (``age > 30`` and ``age > 40`` is ``age > 40``, sets of levels are
        intersected); conditions that every row meets go, and so do rules that no row can meet or reach.
        """
        columns, kept = self._columns, []
        for rule in self.rules:
            conditions = merged(rule.conditions, columns)
            if conditions is not None:
                kept.append(replace(rule, conditions=conditions))
            if conditions == () and self.answer == FIRST:
                break
        return replace(self, rules=tuple(kept))

    def drop(self, *numbers: int) -> RuleSet:
        """Without the rules of these numbers."""
        places = {self._place(number) for number in numbers}
        return replace(self, rules=tuple(rule for place, rule in enumerate(self.rules) if place not in places))

    def reorder(self, *numbers: int) -> RuleSet:
        """The rules of these numbers first, in this order; then the others as they were."""
        first = [self._place(number) for number in numbers]
        if len(set(first)) < len(first):
            raise OptionError(f"a rule is named twice: {shown(list(numbers))}", "name each rule once")
        rest = (place for place in range(len(self)) if place not in set(first))
        return replace(self, rules=tuple(self.rules[place] for place in (*first, *rest)))

    def add(self, conditions: Iterable[Condition], prediction: Level | float, *, before: int | None = None) -> RuleSet:
        """One more rule, before the one of number ``before`` or at the end. It is sure of its class."""
        self._check_prediction(prediction)
        if not self.classes:
            prediction = float(prediction)
        sure = tuple(float(label == prediction) for label in self.classes) or (float(prediction),)
        unseen, number = (0.0,) * len(self.stats), max(self.numbers, default=0) + 1
        rule = Rule(tuple(conditions), prediction, sure, unseen, number)
        place = len(self) if before is None else self._place(before)
        return replace(self, rules=(*self.rules[:place], rule, *self.rules[place:]))

    # ---- keep ----------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a JSON file; ``tw.load(path)`` reads them back."""
        from treewright.rules.rule_json import save

        save(self, path)

    @property
    def _columns(self) -> dict[str, Column]:
        return {column.name: column for column in self.schema.columns}

    def _place(self, number: int) -> int:
        if number not in self.numbers:
            known = f"there are {listing([str(known) for known in self.numbers])}" if self.rules else "there are none"
            raise OptionError(f"there is no rule of number {shown(number)}", known)
        return self.numbers.index(number)

    def _check_prediction(self, prediction: Any) -> None:
        if self.classes:
            if prediction not in self.classes:
                known = listing([str(label) for label in self.classes])
                raise OptionError(f"there is no class {shown(prediction)}", f"the classes are {known}")
        elif isinstance(prediction, (str, bool)) or not np.isfinite(prediction):
            raise DataError(f"a rule has to predict a finite number, got {shown(prediction)}", "give a number")

    def _sheet(self) -> Sheet:
        weights = [float(self.leaf.weight(np.array(rule.stats))) for rule in self.rules]
        everything = float(self.leaf.weight(np.array(self.stats)))
        rest = outcome(self.otherwise, self.schema)
        columns: dict[str, list[Any]] = {
            "rule": list(self.numbers),
            "if": [sentence(rule, self.schema).partition(" then ")[0].removeprefix("if ") for rule in self.rules],
            "then": [outcome(rule, self.schema) for rule in self.rules],
            "weight": weights,
            "share of rows": [weight / everything if everything else None for weight in weights],
        }
        return Sheet(columns, f"{len(self.rules)} rules, {self.how}", (f"otherwise {rest}",))
