"""Why Cubist predicts a row as it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.cubist.cubist_model import CubistModel
from treewright.data.encode import prediction_matrix
from treewright.data.frame import Frame
from treewright.display import Displayed, Sheet
from treewright.errors import DataError
from treewright.explain.condition_text import one_line
from treewright.explain.number_text import format_number
from treewright.rules.reasons import Reason


@dataclass(frozen=True, repr=False)
class CubistReason(Displayed):
    """The reasons of every member, their mean, and what neighbours make of it. ``str`` writes it out."""

    target: str
    members: tuple[Reason, ...]
    by_rules: float
    prediction: float

    def __str__(self) -> str:
        many = len(self.members) > 1
        lines: list[str] = []
        for number, reason in enumerate(self.members, start=1):
            lines += [f"member {number}: {reason}" if many else str(reason)]
        if many:
            lines.append(f"the mean of {len(self.members)} members is {format_number(self.by_rules)}")
        if self.prediction != self.by_rules:
            lines.append(f"neighbours change it by {format_number(self.prediction - self.by_rules)}")
        if many or self.prediction != self.by_rules:
            lines.append(f"prediction: {self.target} = {format_number(self.prediction)}")
        return "\n".join(lines)

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "member": list(range(1, len(self.members) + 1)),
            "reason": [reason.words for reason in self.members],
            "prediction": [float(reason.prediction) for reason in self.members],
        }
        return Sheet(columns, notes=(f"prediction: {self.target} = {format_number(self.prediction)}",))


def cubist_reason(model: CubistModel, frame: Frame, neighbours: int, *, unseen: str = "missing") -> CubistReason:
    if frame.n_rows != 1:
        raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
    cells = prediction_matrix(frame, model.schema, None, unseen=unseen, estimator="CubistRegressor")
    matrix = np.asarray(cells, np.float64)
    by_rules, prediction = (float(model.values(matrix, k)[0]) for k in (0, neighbours))
    reasons = tuple(rules.explain(frame) for rules in model.rule_sets())
    return CubistReason(one_line(model.schema.target.name), reasons, by_rules, prediction)
