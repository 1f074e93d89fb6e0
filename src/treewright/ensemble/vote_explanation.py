"""Why an ensemble predicts a row as it does: votes, and the columns that moved them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.frame import read_frame
from treewright.data.schema import Level
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.errors import DataError
from treewright.explain.condition_text import value_text
from treewright.explain.number_text import format_number, format_share, plural
from treewright.leaves import decided
from treewright.model.one_row import one_row
from treewright.prediction import predicted_values, reached
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats

_MOST_COLUMNS = 10


@dataclass(frozen=True, repr=False)
class ColumnEffect(DisplayedRecord):
    """By how much the tests on a column moved the prediction, the mean over the members."""

    column: str
    value: str
    effect: float


@dataclass(frozen=True, repr=False)
class VoteExplanation(Displayed):
    """``start`` and all effects add up to the mean of what the members say of the class, or to the number: where
    members are averaged, to the prediction itself."""

    target: str
    prediction: Level | float
    probability: float | None  # of the class that is predicted; None for numbers
    votes: tuple[tuple[Level, int], ...]  # members by the class they decide for, most first; none for numbers
    spread: tuple[float, float] | None  # least and greatest number that a member predicts; None for classes
    members: int
    start: float
    effects: tuple[ColumnEffect, ...]  # greatest first; none where members are no trees

    def __str__(self) -> str:
        return "\n".join([self._outcome(), *self._said(), *self._moved()])

    def _outcome(self) -> str:
        if self.probability is None:
            return f"prediction: {self.target} = {format_number(float(self.prediction))}"
        return f"prediction: {self.target} = {self.prediction} ({format_share(self.probability, ' ')})"

    def _said(self) -> list[str]:
        if self.spread is not None:
            low, high = map(format_number, self.spread)
            return [f"{plural(self.members, 'member')} predict from {low} to {high}"]
        said = ", ".join(f"{label} {count}" for label, count in self.votes)
        return [f"votes of {plural(self.members, 'member')}: {said}"]

    def _moved(self) -> list[str]:
        if not self.effects:
            return []
        number = format_number if self.probability is None else (lambda share: format_share(share, " "))
        lines = [f"without any test: {number(self.start)}"]
        for moved in self.effects[:_MOST_COLUMNS]:
            sign = "+" if moved.effect >= 0 else "−"
            lines.append(f"{moved.column} is {moved.value}: {sign}{number(abs(moved.effect))}")
        rest = sum(moved.effect for moved in self.effects[_MOST_COLUMNS:])
        if len(self.effects) > _MOST_COLUMNS:
            sign = "+" if rest >= 0 else "−"
            lines.append(f"{len(self.effects) - _MOST_COLUMNS} other columns: {sign}{number(abs(rest))}")
        return lines

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "column": [one.column for one in self.effects],
            "value": [one.value for one in self.effects],
            "effect": [one.effect for one in self.effects],
        }
        return Sheet(columns, self._outcome(), tuple(self._said()))


def explain_votes(model: Any, row: Any) -> VoteExplanation:
    frame = read_frame(one_row(row, model.schema_))
    if frame.n_rows != 1:
        raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
    target = model.schema_.target
    values, start, moved = _said_and_moved(model, frame)
    if target.classes is None:
        answer, k, probability = float(model.predict(frame)[0]), 0, None
        votes: tuple[Any, ...] = ()
        spread = (float(values.min()), float(values.max()))
        prediction: Any = answer
    else:
        shares = model.predict_proba(frame)
        k = int(decided(shares, target)[0])
        prediction, probability, spread = target.classes[k], float(shares[0, k]), None
        counts = np.bincount(decided(values, target), minlength=len(target.classes))
        votes = tuple((target.classes[c], int(counts[c])) for c in np.argsort(-counts, kind="stable") if counts[c])
    effects = () if moved is None else _effects(model, model._matrix(frame), moved[:, k])
    return VoteExplanation(target.name, prediction, probability, votes, spread, len(model), float(start[k]), effects)


def _said_and_moved(model: Any, frame: Any) -> tuple[Floats, Floats, Floats | None]:
    """What each member says and, of trees: what all say before any test, and how far columns move that."""
    rows = model._member_rows(frame)
    if not hasattr(model.members_, "trees"):
        values = np.concatenate(list(model.members_.values(rows, 1)))
        return values, np.full(values.shape[1], np.nan), None
    said, start, moved = [], 0.0, 0.0
    for weight, tree in zip(model.weights_ / model.weights_.sum(), model.trees_):
        said.append(predicted_values(tree, rows, 1))
        start = start + weight * tree.value[0]
        moved = moved + weight * column_effects(tree, rows, len(model.schema_.columns))
    return np.concatenate(said), np.asarray(start), np.asarray(moved)


def _effects(model: Any, matrix: Array, moved: Floats) -> tuple[ColumnEffect, ...]:
    order = [int(j) for j in np.argsort(-np.abs(moved), kind="stable") if moved[j] != 0]
    return tuple(_effect(model, j, float(matrix[0, j]), float(moved[j])) for j in order)


def _effect(model: Any, place: int, value: float, moved: float) -> ColumnEffect:
    column = model.schema_.columns[place]
    return ColumnEffect(column.name, value_text(value, column), moved)


def column_effects(tree: Tree, matrix: Array, n_columns: int) -> Floats:
    """How far the tests on every column move one row's prediction on its way from the root: columns × values.

    They add up to the prediction less what the root says.
    """
    effects = np.zeros((n_columns, tree.value.shape[1]))
    _, leaves, parts = reached(tree, matrix, 1)
    for leaf, part in zip(leaves.tolist(), parts.tolist()):
        node = leaf
        while node:
            parent = int(tree.parent[node])
            effects[tree.column[parent]] += part * (tree.value[node] - tree.value[parent])
            node = parent
    return effects
