"""Cubist's rules: conditions of a leaf's path dropped while that helps, and predictions by all rules that are met."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_sums import BLOCK, add_term, limited
from treewright.kernels.jit import borrowing, inlined, kernel, stepwise

BELOW, ABOVE, AMONG = 0, 1, 2


class Conditions(NamedTuple):
    """Conditions end to end."""

    attribute: Any  # int64
    kind: Any  # int64: BELOW, ABOVE or AMONG
    cut: Any  # float32
    level_start: Any  # int64: the levels of condition c are level[level_start[c] + code], True where they meet it
    level: Any  # bool


@inlined
def meets(x, case, conditions, c):
    value = x[conditions.attribute[c], case]
    if conditions.kind[c] == AMONG:
        return conditions.level[conditions.level_start[c] + np.int64(value)]
    return value <= conditions.cut[c] if conditions.kind[c] == BELOW else value > conditions.cut[c]


@kernel
def rule_model_values(x, attributes, slope, intercept, values):
    """What a model says of all cases, not limited."""
    value = np.empty(BLOCK)
    for start in range(0, x.shape[1], BLOCK):
        m = min(BLOCK, x.shape[1] - start)
        for i in range(m):
            value[i] = intercept
        for j in range(len(attributes)):
            add_term(x[attributes[j], start : start + m], slope[j], value)
        for i in range(m):
            values[start + i] = value[i]


@rule_model_values.in_numpy
def rule_model_values_in_numpy(x, attributes, slope, intercept, values):
    total = np.full(x.shape[1], intercept)
    for j, factor in zip(attributes, slope):
        total += factor * x[j]
    values[:] = total


@kernel
def drop_conditions(x, y, w, conditions, values, low, high, total, count, kept, lost, covered):
    """Take conditions away for as long as the cases that are newly covered gain by it, or do not lose.

    ``total`` and ``count`` are the running predictions. ``lost[d]`` gets the weight that condition d alone keeps out,
    ``covered`` which cases the remaining conditions cover.
    """
    n, m = x.shape[1], len(conditions.attribute)
    benefit = np.empty(n)
    _benefits(y, values, low, high, total, count, benefit)
    failed, only = np.zeros(n, np.int32), np.zeros(n, np.int32)  # how many conditions a case fails, and their sum
    for c in range(m):
        _count_failed(x, conditions, c, 1, failed, only)
    kept[:] = True
    n_kept = m
    gain = np.zeros(m)
    while True:
        _lost_and_gained(failed, only, w, benefit, lost, gain)
        if n_kept <= 1:
            break
        worst = -1
        for c in range(m):
            if kept[c] and gain[c] >= 0.0 and (worst < 0 or gain[c] > gain[worst]):
                worst = c
        if worst < 0:
            break
        kept[worst] = False
        n_kept -= 1
        _count_failed(x, conditions, worst, -1, failed, only)
    for case in range(n):
        covered[case] = failed[case] == 0


@stepwise
def _benefits(y, values, low, high, total, count, benefit):
    """How much nearer to the target the mean comes with what one more rule says, for all cases."""
    for case in range(len(y)):
        before = np.float32(y[case] - np.float32(total[case] / count[case]))
        value = limited(values[case], low, high)
        after = np.float32(y[case] - np.float32(np.float32(total[case] + value) / np.float32(count[case] + 1)))
        benefit[case] = np.float64(abs(before)) - np.float64(abs(after))


@_benefits.in_numpy
def _benefits_in_numpy(y, values, low, high, total, count, benefit):
    before = np.abs(y - total / count).astype(np.float64)
    benefit[:] = before - np.abs(y - (total + np.clip(values, low, high)) / (count + np.float32(1)))


@kernel
def _count_failed(x, conditions, c, step, failed, only):
    """Add ``step`` to the cases that fail condition c."""
    here = x[conditions.attribute[c]]
    if conditions.kind[c] == AMONG:
        _count_outside(here, conditions.level[conditions.level_start[c] :], step, c, failed, only)
    else:
        _count_beyond(here, conditions.cut[c], conditions.kind[c] == BELOW, step, c, failed, only)


@borrowing
def _count_outside(values, level, step, c, failed, only):
    for case in range(len(values)):
        fails = 0 if level[np.int64(values[case])] else step
        failed[case] += fails
        only[case] += fails * c


@_count_outside.in_numpy
def _count_outside_in_numpy(values, level, step, c, failed, only):
    fails = np.where(level[values.astype(np.int64)], 0, step)
    failed += fails.astype(np.int32)
    only += (fails * c).astype(np.int32)


@stepwise
def _count_beyond(values, cut, below, step, c, failed, only):
    for case in range(len(values)):
        fails = np.int32(step) if (values[case] > cut) == below else np.int32(0)
        failed[case] += fails
        only[case] += fails * np.int32(c)


@_count_beyond.in_numpy
def _count_beyond_in_numpy(values, cut, below, step, c, failed, only):
    fails = np.where((values > cut) == below, step, 0)
    failed += fails.astype(np.int32)
    only += (fails * c).astype(np.int32)


@borrowing
def _lost_and_gained(failed, only, w, benefit, lost, gain):
    """Of every condition the weight and the benefit of the cases that fail it alone."""
    for c in range(len(lost)):
        lost[c], gain[c] = 0.0, 0.0
    for case in range(len(failed)):
        if failed[case] == 1:
            c = only[case]
            lost[c] += w[case]
            gain[c] += w[case] * benefit[case]


@_lost_and_gained.in_numpy
def _lost_and_gained_in_numpy(failed, only, w, benefit, lost, gain):
    cases = np.flatnonzero(failed == 1)
    lost[:] = np.bincount(only[cases], w[cases], len(lost))  # in the order of the cases
    gain[:] = np.bincount(only[cases], w[cases] * benefit[cases], len(gain))


@kernel
def predict_rules(x, conditions, rule_start, attributes, term_start, slope, intercept, low, high, otherwise, values):
    """The mean of what the rules say that a case meets, each limited; ``otherwise`` where it meets none."""
    for case in range(x.shape[1]):
        total, met = 0.0, 0
        for r in range(len(intercept)):
            fits = True
            for c in range(rule_start[r], rule_start[r + 1]):
                if not meets(x, case, conditions, c):
                    fits = False
                    break
            if fits:
                value = intercept[r]
                for k in range(term_start[r], term_start[r + 1]):
                    value += slope[k] * x[attributes[k], case]
                total += limited(value, low[r], high[r])
                met += 1
        values[case] = total / met if met else otherwise


@predict_rules.in_numpy
def predict_rules_in_numpy(
    x, conditions, rule_start, attributes, term_start, slope, intercept, low, high, otherwise, values
):
    total, met = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for r in range(len(intercept)):
        cases = np.arange(x.shape[1])
        for c in range(rule_start[r], rule_start[r + 1]):
            cases = cases[_meet(x[conditions.attribute[c], cases], conditions, c)]
        value = np.full(len(cases), intercept[r])
        for k in range(term_start[r], term_start[r + 1]):
            value += slope[k] * x[attributes[k], cases]
        total[cases] += np.clip(value, low[r], high[r])
        met[cases] += 1.0
    values[:] = np.divide(total, met, out=np.full(len(total), otherwise), where=met > 0.0)


def _meet(values, conditions, c):
    if conditions.kind[c] == AMONG:
        return conditions.level[conditions.level_start[c] + values.astype(np.int64)]
    return values <= conditions.cut[c] if conditions.kind[c] == BELOW else values > conditions.cut[c]
