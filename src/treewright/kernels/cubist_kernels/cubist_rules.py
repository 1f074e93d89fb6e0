"""Cubist's rules: conditions of a leaf's path dropped while that helps, and predictions by all rules that are met."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_sums import limited
from treewright.kernels.jit import inlined, kernel

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


@inlined
def said(x, case, attributes, slope, intercept):
    """What a model says of a case, not limited."""
    total = intercept
    for j in range(len(attributes)):
        total += slope[j] * x[attributes[j], case]
    return np.float32(total)


@kernel
def model_values(x, attributes, slope, intercept, values):
    """What a model says of all cases, not limited."""
    for case in range(x.shape[1]):
        values[case] = said(x, case, attributes, slope, intercept)


@kernel
def drop_conditions(x, y, w, conditions, values, low, high, total, count, kept, lost, covered):
    """Take conditions away for as long as the cases that are newly covered gain by it, or do not lose.

    ``total`` and ``count`` are the running predictions. ``lost[d]`` gets the weight that condition d alone keeps out,
    ``covered`` which cases the remaining conditions cover.
    """
    n, m = x.shape[1], len(conditions.attribute)
    benefit = np.empty(n)
    failed, only = np.zeros(n, np.int64), np.full(n, -1, np.int64)  # how many conditions a case fails, and the sum
    only[:] = 0
    for case in range(n):
        before = np.float32(y[case] - np.float32(total[case] / count[case]))
        value = limited(values[case], low, high)
        after = np.float32(y[case] - np.float32(np.float32(total[case] + value) / np.float32(count[case] + 1)))
        benefit[case] = np.float64(abs(before)) - np.float64(abs(after))
        for c in range(m):
            if not meets(x, case, conditions, c):
                failed[case] += 1
                only[case] += c
    kept[:] = True
    n_kept = m
    gain = np.zeros(m)
    while True:
        gain[:] = 0.0
        lost[:] = 0.0
        for case in range(n):
            if failed[case] == 1:
                c = only[case]
                lost[c] += w[case]
                gain[c] += w[case] * benefit[case]
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
        for case in range(n):
            if failed[case] > 0 and not meets(x, case, conditions, worst):
                failed[case] -= 1
                only[case] -= worst
    for case in range(n):
        covered[case] = failed[case] == 0


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
