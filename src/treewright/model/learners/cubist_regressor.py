"""Cubist as an estimator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from treewright.cubist.cubist_explanation import CubistReason, cubist_reason
from treewright.cubist.cubist_learner import CubistOptions
from treewright.cubist.cubist_model import CubistModel, cubist_model
from treewright.cubist.cubist_scale import warn_of_scale
from treewright.cubist.cubist_table import refuse_wide
from treewright.data.encode import encode, make_schema
from treewright.data.encoded import Encoded
from treewright.data.frame import read_frame
from treewright.engines.linear_terms import refuse_infinite
from treewright.export.cubist_model_file import cubist_text
from treewright.model.batch_prediction import AnswersItself
from treewright.model.class_or_number import PredictsNumbers
from treewright.model.one_row import one_row
from treewright.model.options.option_limits import CUBIST_LIMITS
from treewright.rules.rule_set import RuleSet
from treewright.typing import Floats


@dataclass(kw_only=True, eq=False, repr=False)
class CubistRegressor(AnswersItself, PredictsNumbers):
    """Cubist (Quinlan; RuleQuest release 2.07): rules with linear models, the mean of all rules met being predicted.

    A tree is grown by the standard deviation of residuals, every node gets a linear model, which is smoothed with
    those above it, rounded and pruned; leaves become at most ``rules`` rules, from which conditions are dropped.
    ``committees`` members are trained one after the other, each to make up for the errors of the one before, and
    averaged. With ``neighbors`` (up to 9) a prediction is corrected by as many near training rows. A rule predicts no
    more than ``extrapolation`` per cent beyond the targets it covers. ``unbiased`` makes the mean error of every rule
    about 0. ``sample`` is the percentage of the rows to learn from, chosen with ``random_state``.

    Missing numbers are replaced by the mean, missing and unseen levels by the commonest one. Numbers are 32-bit, and
    rules predict with the digits that Cubist prints: predictions are those of R's package Cubist. Targets of a
    variance below 0.001, and columns of one below 1e-6, are too small for Cubist's constants; multiply them.

    >>> import treewright as tw
    >>> X = {"size": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
    >>> y = [1.0, 2, 3, 4, 5, 6, 20, 18, 16, 14, 12, 10]
    >>> print(tw.CubistRegressor().fit(X, y))
    CubistRegressor: y — 2 rules, the mean of all that are met counts
    [1] if size ≤ 6 then y = 0 + 1 size   (6 rows, mean 3.5, range 1 to 6, estimated error 0.0)
    [2] if size > 6 or missing then y = 34 - 2 size   (6 rows, mean 15.0, range 10 to 20, estimated error 0.0)
    columns in conditions / in models: size 100 % / 100 %
    """

    holds: ClassVar[str] = "rules"

    committees: int = 1
    neighbors: int = 0
    rules: int = 100
    extrapolation: float = 100.0
    unbiased: bool = False
    sample: float | None = None
    random_state: int = 0

    cubist_: CubistModel = field(init=False)

    option_limits = CUBIST_LIMITS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CubistRegressor:
        """Learn rules from a table and its target, a number per row."""
        self._check_options()
        frame = read_frame(X)
        kept, told = self._read_target(y, frame.n_rows, sample_weight).of(frame)
        schema = make_schema(kept, told.target, self.kinds, unused=True, leave_out=True)
        encoded = encode(kept, schema, told.y, told.weights, max_bins=None, n_jobs=self._n_jobs())
        self._keep(schema, {"cubist_": self._learn(encoded)}, named=frame.named)
        return self

    def _learn(self, encoded: Encoded) -> CubistModel:
        refuse_infinite(encoded)
        refuse_wide(encoded)
        warn_of_scale(encoded)
        options = CubistOptions(self.committees, self.rules, self.extrapolation / 100.0, self.unbiased)
        sample = None if self.sample is None else self.sample / 100.0
        return cubist_model(
            encoded, options, neighbours=self.neighbors > 0, sample=sample, seed=int(self.random_state),
            n_jobs=self._n_jobs(),
        )  # fmt: skip

    def predict(self, X: Any) -> Floats:
        """The mean of all rules that a row meets, corrected by its neighbours if that is asked for."""
        self._check_fitted()
        matrix = np.asarray(self._matrix(X), np.float64)
        return self.cubist_.values(matrix, self.neighbors)

    def rule_sets(self) -> tuple[RuleSet, ...]:
        """The rules of every member of the committee. They compute in 64 bits, and know no neighbours."""
        self._check_fitted()
        return self.cubist_.rule_sets()

    def explain(self, row: Any) -> CubistReason:
        """The rules that a row meets, what every term of their models adds, and what neighbours change."""
        self._check_fitted()
        frame = read_frame(one_row(row, self.schema_))
        return cubist_reason(self.cubist_, frame, self.neighbors, unseen=self.unseen)

    @property
    def feature_importances_(self) -> Floats:
        """The share of every column in what rules use: covered rows times (in a condition + in the model)."""
        self._check_fitted()
        conditions, models = self.usage()
        used = conditions + models
        return np.asarray(used / used.sum() if used.sum() else used)

    def usage(self) -> tuple[Floats, Floats]:
        """Of every column the share of covered rows whose rule has it in a condition, and in its model."""
        self._check_fitted()
        rules = [rule for member in self.cubist_.members for rule in member]
        found = np.zeros((2, len(self.schema_.columns)))
        for rule in rules:
            found[0, list({one.attribute for one in rule.conditions})] += rule.cover
            found[1, list(rule.attributes)] += rule.cover
        conditions, models = found / sum(rule.cover for rule in rules)
        return conditions, models

    def to_text(self) -> str:
        """The rules of every member, as Cubist's users know them."""
        self._check_fitted()
        return self.cubist_.to_text(title=type(self).__name__)

    def to_cubist(self) -> str:
        """The model text that Cubist writes, but for the entry ``redn``, which nothing reads."""
        self._check_fitted()
        model = self.cubist_
        return cubist_text(
            [list(rules) for rules in model.members], model.schema, model.columns, model.target, model.extrapolation
        )
