"""What every cut of a column of numbers would gain at the root."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.criteria import CRITERIA
from treewright.criteria.argument_checks import Base, log_of
from treewright.data.encode import encode, make_schema
from treewright.data.labelled import has_classes, labelled
from treewright.data.schema import Column, Kind, Level, Target
from treewright.engines.workers import available_cores
from treewright.errors import DataError, OptionError, unknown
from treewright.model.column_reports.column_measures import ClassTarget, Measured, NumberTarget, left_sides
from treewright.split import midway
from treewright.typing import Array, Floats

_OF_LOGARITHMS = ("entropy", "mdl")  # measures whose unit is that of a logarithm


@dataclass(frozen=True, eq=False)
class CutScores:
    """Scores of the cuts midway between neighbouring values, by one criterion: larger is better.

    ``values`` and ``y`` are those of the rows whose value is known; ``y`` holds class codes where there are
    ``classes``.
    """

    column: Column
    by: str
    thresholds: Floats
    scores: Floats
    values: Floats
    y: Array
    classes: tuple[Level, ...] | None

    @property
    def best(self) -> int:
        """The place of the cut that is taken: the first of the best."""
        return int(np.argmax(self.scores))


def cut_scores(X: Any, y: Any, column: Any = None, by: str | None = None, *, base: Base = 2) -> CutScores:
    """Score all cuts of a column of numbers (the first such column, if none is named).

    by: a criterion of ``tw.criteria.CRITERIA``; information gain for classes and the decrease in variance for numbers.
    base: of the logarithm of an information gain; lecture notes count in bits (2) or in nats ("e").

    >>> import treewright as tw
    >>> days = tw.datasets.load("temperature")
    >>> found = cut_scores(days.X, days.y)
    >>> found.thresholds.round(1).tolist(), found.scores.round(3).tolist()
    ([44.2, 54.2, 66.1, 76.1, 85.3], [0.191, 0.459, 0.082, 0.0, 0.191])
    """
    rows = labelled(X, y, is_classifier=has_classes(y))
    measured: Measured = NumberTarget(rows, by) if rows.classes is None else ClassTarget(rows)
    by = by or measured.names[0]
    _check_measure(by, rows.classes is not None)
    schema = make_schema(rows.frame, Target(rows.name, rows.classes))
    place = _numeric_place(rows.frame, schema.columns, column)
    chosen, frame = schema.columns[place], rows.frame.only([place])
    encoded = encode(frame, make_schema(frame, schema.target, {chosen.name: Kind.NUMERIC.value}), rows.y, rows.weights,
                     max_bins=None, n_jobs=available_cores())  # fmt: skip
    coded = encoded.columns[0]
    missing, total = measured.sums(np.minimum(coded.codes, 1), 2)
    blocks = [
        CRITERIA[by].score(measured.table(np.stack([left, total - left], axis=-2), missing))
        for _, left in left_sides(coded, measured)
    ]
    scores = np.concatenate(blocks) if blocks else np.empty(0)
    numbers = _numbers(coded)
    distinct = np.unique(numbers[coded.codes > 0])
    known = coded.codes > 0
    return CutScores(
        chosen, by, midway(distinct[:-1], distinct[1:]), _in_base(scores, by, base), numbers[known], rows.y[known],
        rows.classes,
    )  # fmt: skip


def _numbers(coded: Any) -> Floats:
    if coded.numbers is not None:
        return np.asarray(coded.numbers, np.float64)
    return np.asarray(np.append(np.nan, coded.lows)[coded.codes])


def _in_base(scores: Floats, by: str, base: Base) -> Floats:
    if base != 2 and by not in _OF_LOGARITHMS:
        raise OptionError(f"base={base!r} is of logarithms, and {by} has none", "leave base out")
    return scores * math.log(2) / log_of(base) if by in _OF_LOGARITHMS else scores


def _check_measure(by: str, of_classes: bool) -> None:
    known = [name for name, c in CRITERIA.items() if c.is_for_classes == of_classes and name != "absolute_error"]
    if by not in known:
        raise unknown("measure", by, known)


def _numeric_place(frame: Any, columns: tuple[Column, ...], wanted: Any) -> int:
    if wanted is None:
        numeric = [place for place, column in enumerate(columns) if column.kind is Kind.NUMERIC]
        if not numeric:
            raise DataError("no column holds numbers, and only numbers are cut at a threshold", "give a numeric column")
        return numeric[0]
    place = frame.place(wanted)
    if place is None:
        raise OptionError(f"there is no column {wanted!r}", frame.hint_for(wanted))
    if columns[place].kind is not Kind.NUMERIC:
        raise OptionError(f"column {columns[place].name!r} does not hold numbers", "choose a numeric column")
    return int(place)
