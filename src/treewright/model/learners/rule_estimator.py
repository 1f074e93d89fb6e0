"""What estimators share whose model is one set of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treewright.model.one_row import one_row
from treewright.model.table_model import TableModel
from treewright.rules.reasons import Reason
from treewright.rules.rule_set import RuleSet


@dataclass(kw_only=True, eq=False, repr=False)
class RuleEstimator(TableModel):
    """The first rule that a row meets decides; the rules are in ``rule_set_``."""

    rule_set_: RuleSet = field(init=False)

    def rule_set(self) -> RuleSet:
        """The rules, to read, edit, report on and save without the estimator."""
        self._check_fitted()
        return self.rule_set_

    def explain(self, row: Any) -> Reason:
        """Which rule decides a row and, where it has a model, what every term adds; see ``RuleSet.explain``."""
        rules = self.rule_set()
        return rules.explain(one_row(row, rules.schema))

    def to_text(self) -> str:
        """The rules in their order, one line for each."""
        return str(self.rule_set())
