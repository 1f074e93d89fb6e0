"""The cut of least score without rough scores: slower than ``best_of_cuts`` once compiled, and compiled in no time."""

from treewright.kernels.c50_kernels.c50_information import total_information
from treewright.kernels.jit import hot_loop


@hot_loop(0.6)
def exact_cut(values, labels, weights, n, side, whole, below, rest):
    """How many cuts there are; the least score, the last case below that cut, -1: none, and the weight below it."""
    n_classes, top, above = len(whole), n - 1, 0.0
    while top >= 0 and above < side:
        above += weights[top]
        top -= 1
    for c in range(n_classes):
        below[c] = 0.0
    lower, kind, n_tries, least, at, lightest = 0.0, -2, 0, 0.0, -1, 0.0  # kind: of all cases of a group; -1: mixed
    for i in range(top + 1):
        label, weight = labels[i], weights[i]
        below[label] += weight
        rest[label] -= weight
        lower += weight
        kind = label if kind == -2 or kind == label else -1
        if not values[i + 1] > values[i]:
            continue
        if n_tries == 0:
            if lower < side - 1e-5:
                continue
            for c in range(n_classes):
                rest[c] = whole[c] - below[c]
        n_tries += 1
        end, next_kind = i + 1, -2
        while end <= top and values[end] == values[i + 1]:
            next_kind = labels[end] if next_kind == -2 or next_kind == labels[end] else -1
            end += 1
        if end > top or kind == -1 or next_kind != kind:
            score = total_information(below) + total_information(rest)
            if at < 0 or score < least:
                least, at, lightest = score, i, lower
        kind = -2
    return n_tries, least, at, lightest
