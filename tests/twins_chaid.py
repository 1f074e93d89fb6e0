"""CHAID's merging as one would write it down: all pairs anew at every step, p-values from SciPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy import stats

from treewright.kernels.search.group_tests import Difference
from treewright.kernels.search.level_merging import MergeRules

Group = tuple[int, ...]
EQUAL = 1e-9


def rules(test="chi2", *, alpha=0.05, resplit=0.0, exhaustive=False, most=10**9, least=0.0, share=1.0, n_stats=3):
    again = np.log(resplit) if resplit else -np.inf
    unit = np.ones(n_stats)
    return MergeRules(
        int(Difference[test.upper()]), np.log(alpha), again, exhaustive, most, float(least), share, np.empty(0), unit
    )


def moments_of(sample) -> list[float]:
    return [len(sample), float(np.sum(sample)), float(np.square(sample).sum())]


def p_value(test: str, rows: list[np.ndarray]) -> float:
    """Of groups that are rows of class counts, or of moments."""
    table = np.array(rows)
    if test == "f":
        n, s, q = table.T
        between = (s**2 / n).sum() - s.sum() ** 2 / n.sum()
        within = (q - s**2 / n).sum()
        freedom = len(n) - 1, n.sum() - len(n)
        return float(stats.f.sf(between / freedom[0] / (within / freedom[1]), *freedom))
    table = table[:, table.any(0)]
    if table.shape[1] < 2:
        return 1.0
    lambda_ = {"chi2": "pearson", "g": "log-likelihood"}[test]
    return float(stats.chi2_contingency(table, correction=False, lambda_=lambda_).pvalue)


def sums(table: np.ndarray, group: Group) -> np.ndarray:
    return table[list(group)].sum(0)


def weight(test: str, table: np.ndarray, group: Group) -> float:
    total = sums(table, group)
    return float(total[0] if test == "f" else total.sum())


def mergers(groups: list[Group], ordered: bool, floating: bool) -> Iterator[tuple[Group, Group]]:
    """Pairs that may be merged: all, or neighbours, while missing values (item 0) may join any."""
    if not ordered:
        yield from itertools.combinations(groups, 2)
        return
    known = [group for group in groups if not (floating and group == (0,))]
    if floating and (0,) in groups:
        yield from (((0,), group) for group in known)
    yield from itertools.pairwise(known)


def place(group: Group, floating: bool) -> int:
    """Groups stand in the order of their first known item."""
    known = [item for item in group if not (floating and item == 0)]
    return min(known, default=0)


def parts(group: Group, ordered: bool, floating: bool) -> Iterator[tuple[Group, Group]]:
    """Every way to split a group in two."""
    loose = [0] if ordered and floating and 0 in group else []
    known = [item for item in group if item not in loose]
    if ordered:
        for cut in range(1, len(known)):
            for left in range(len(loose) + 1):
                yield tuple(loose[:left] + known[:cut]), tuple(loose[left:] + known[cut:])
        if loose:
            yield (0,), tuple(known)
        return
    for size in range(1, len(group)):
        for some in itertools.combinations(group, size):
            if some[0] == group[0]:
                yield some, tuple(item for item in group if item not in some)


def merge_slowly(
    table, test, *, ordered=False, floating=False, alpha=0.05, resplit=0.0, least=0.0, most=10**9
) -> list[Group]:
    """The groups that are left, in order; none if there are no two that are large enough."""
    table = np.asarray(table, float)
    total = weight(test, table, tuple(range(len(table))))
    groups: list[Group] = [(item,) for item in range(len(table))]
    for _ in range(len(table) + 1):
        while len(groups) > 2:
            allowed = [
                pair
                for pair in mergers(groups, ordered, floating)
                if weight(test, table, pair[0] + pair[1]) <= total - least
            ]
            if not allowed:
                return []
            ps = [p_value(test, [sums(table, group) for group in pair]) for pair in allowed]
            light = min(weight(test, table, group) for group in groups) < least
            if max(ps) <= alpha and len(groups) <= most and not light:
                break
            first = next(i for i, p in enumerate(ps) if p >= max(ps) * (1 - EQUAL))
            merged = tuple(sorted(allowed[first][0] + allowed[first][1]))
            groups = [group for group in groups if group not in allowed[first]] + [merged]
            groups.sort(key=lambda group: place(group, ordered and floating))
        again = _split_again(table, test, groups, ordered, floating, resplit, least) if len(groups) < most else None
        if again is None:
            break
        groups = sorted(again, key=lambda group: place(group, ordered and floating))
    fine = len(groups) > 1 and min(weight(test, table, group) for group in groups) >= least
    return groups if fine else []


def _split_again(table, test, groups, ordered, floating, resplit, least) -> list[Group] | None:
    for group in groups:
        tried = [
            (p_value(test, [sums(table, side) for side in pair]), pair)
            for pair in parts(group, ordered, floating)
            if len(group) >= 3 and min(weight(test, table, side) for side in pair) >= least
        ]
        if tried and min(p for p, _ in tried) <= resplit:
            best = min(p for p, _ in tried)
            pair = next(pair for p, pair in tried if p <= best * (1 + EQUAL))
            return [other for other in groups if other != group] + list(pair)
    return None
