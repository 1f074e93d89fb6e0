"""Rules of Cubist as the model text that the program writes."""

from __future__ import annotations

import numpy as np

from treewright.cubist.cubist_learner import CubistCondition, CubistRule
from treewright.cubist.cubist_table import CubistColumns, TargetFacts
from treewright.data.schema import Column, Schema, text_of
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, NUMERIC
from treewright.kernels.cubist_kernels.cubist_rules import AMONG, BELOW


def cubist_text(
    members: list[list[CubistRule]], schema: Schema, columns: CubistColumns, target: TargetFacts, extrapolation: float
) -> str:
    """The text of a model file, but for the reduction of errors by committees, which nothing reads."""
    lines = [
        'id="Cubist 2.07 GPL Edition "',
        f'prec="{target.decimals}" globalmean="{target.overall:.7g}" extrap="{extrapolation:g}" insts="0" '
        f'ceiling="{target.ceiling:.7g}" floor="{target.floor:.7g}"',
        f'att="outcome" {_numbers(target.mean, target.deviation, target.low, target.high)}',
    ]
    lines += [_attribute(j, schema.columns[j], columns) for j in range(len(schema.columns)) if columns.kind[j]]
    lines.append(f'entries="{len(members)}"')
    for rules in members:
        lines.append(f'rules="{len(rules)}"')
        for rule in rules:
            lines += _rule(rule, schema, columns, target.decimals + 1)
    return "\n".join(lines) + "\n"


def _numbers(mean: np.float32, spread: np.float32, low: np.float32, high: np.float32) -> str:
    return f'mean="{mean:.7g}" sd="{spread:.7g}" min="{low:g}" max="{high:g}"'


def _attribute(j: int, column: Column, columns: CubistColumns) -> str:
    if columns.kind[j] == NUMERIC:
        facts = _numbers(columns.replacement[j], columns.spread[j], columns.low[j], columns.high[j])
        return f'att="{column.name}" {facts}'
    return f'att="{column.name}" mode="{text_of(column.levels[int(columns.replacement[j])])}"'


def _rule(rule: CubistRule, schema: Schema, columns: CubistColumns, decimals: int) -> list[str]:
    start = (
        f'conds="{len(rule.conditions)}" cover="{rule.cover}" mean="{rule.mean:.{decimals}f}" '
        f'loval="{rule.low:g}" hival="{rule.high:g}" esterr="{rule.error:.{decimals}f}"'
    )
    terms = "".join(
        f' att="{schema.columns[j].name}" coeff="{slope:.14g}"' for j, slope in zip(rule.attributes, rule.slopes)
    )
    conditions = [_condition(one, schema.columns[one.attribute], columns) for one in rule.conditions]
    return [start, *conditions, f'coeff="{rule.intercept:.14g}"{terms}']


def _condition(one: CubistCondition, column: Column, columns: CubistColumns) -> str:
    levels = [text_of(column.levels[k]) for k in one.levels]
    if one.kind != AMONG:
        return f'type="2" att="{column.name}" cut="{one.cut:.8g}" result="{"<=" if one.kind == BELOW else ">"}"'
    if columns.kind[one.attribute] == BINARY:
        return f'type="1" att="{column.name}" val="{levels[0]}"'
    elements = ",".join(f'"{level}"' for level in levels)
    return f'type="3" att="{column.name}" elts={elements}'
