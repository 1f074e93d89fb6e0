"""What the rules of Cubist say of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.cubist.cubist_learner import CubistRule, packed_conditions
from treewright.cubist.cubist_table import CubistColumns
from treewright.kernels.cubist_kernels.cubist_rules import Conditions, predict_rules
from treewright.kernels.jit import runner
from treewright.typing import Array, Floats, Ints


class PackedRules(NamedTuple):
    """The rules of one member as arrays."""

    conditions: Conditions
    rule_start: Ints
    attributes: Ints
    term_start: Ints
    slopes: Floats
    intercepts: Floats
    low: Floats
    high: Floats


def packed_rules(rules: list[CubistRule], columns: CubistColumns) -> PackedRules:
    return PackedRules(
        packed_conditions([one for rule in rules for one in rule.conditions], columns.n_levels),
        _starts([len(rule.conditions) for rule in rules]),
        np.array([j for rule in rules for j in rule.attributes], np.int64),
        _starts([len(rule.attributes) for rule in rules]),
        np.array([slope for rule in rules for slope in rule.slopes], np.float64),
        np.array([rule.intercept for rule in rules], np.float64),
        np.array([rule.limits[0] for rule in rules], np.float64),
        np.array([rule.limits[1] for rule in rules], np.float64),
    )


def rule_values(rules: PackedRules, x: Array, otherwise: float) -> Array:
    """The mean of all rules that a case meets, in 32 bits."""
    values = np.empty(x.shape[1])
    run = runner(1e-6 * x.shape[1] * len(rules.intercepts), predict_rules)
    run(
        predict_rules, x, rules.conditions, rules.rule_start, rules.attributes, rules.term_start, rules.slopes,
        rules.intercepts, rules.low, rules.high, otherwise, values,
    )  # fmt: skip
    return values.astype(np.float32)


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])
