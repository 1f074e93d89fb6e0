"""Cuts of ordered columns at many visits. They are tried in the order of the plain pair: missing values on the right,
from the lowest cut up, the last being known against missing; then missing values on the left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.engines.side_by_side.open_rows import CodeRuns, OpenRows, Visits
from treewright.engines.side_by_side.split_scores import first_ahead
from treewright.engines.side_by_side.visit_rules import VisitRules, side_scores
from treewright.typing import Floats, Ints, Mask

_NONE = np.empty(0, np.int64)
NO_CODE = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class FoundCuts:
    """Of every visit; the score is -inf where there is no split."""

    score: Floats
    cut: Ints  # codes up to it are on the left
    missing_left: Mask
    threshold: Floats  # where it was drawn; else infinite


def best_cuts(rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundCuts:
    """Of all cuts between codes that occur."""
    runs = rows.visited(visits).in_order()
    at, missing_left = _candidates(runs, rules.recipe.stop.min_rows_leaf)
    visit = runs.visit[at]
    pairs = _sides(runs, at, missing_left, rules.totals[visits.node], rules.n_scored)
    near, sides = rules.near_best(pairs, visit, visits.node[visit])
    at, missing_left, visit = at[near], missing_left[near], visit[near]
    score = rules.scores(sides, visits.node[visit])
    best = first_ahead(visit, score, rules.slack[visits.node])
    found, some = np.full(runs.of.n, -np.inf), np.flatnonzero(best >= 0)
    cut, on_left = np.zeros(runs.of.n, np.int64), np.zeros(runs.of.n, np.bool_)
    found[some], cut[some], on_left[some] = score[best[some]], runs.code[at[best[some]]], missing_left[best[some]]
    return FoundCuts(found, cut, on_left, np.full(runs.of.n, np.inf))


def _candidates(runs: CodeRuns, min_rows: int) -> tuple[Ints, Mask]:
    """Runs that are the last on the left, by visit and in their turn, and whether missing values are there as well."""
    sizes, n_missing = runs.of.sizes, _n_missing(runs)
    right = sizes[runs.visit] - runs.rows_up_to
    if not n_missing.any():
        is_cut = (right >= max(min_rows, 1)) & (runs.rows_up_to >= min_rows)
        at = np.flatnonzero(is_cut)
        return at, np.zeros(len(at), np.bool_)
    missing, known = n_missing[runs.visit], runs.code > 0
    others_left = known & (right > 0) & (missing > 0) & (runs.rows_up_to >= min_rows) & (right >= min_rows)
    left, right = runs.rows_up_to - missing, right + missing
    others_right = known & (right > 0) & (left >= min_rows) & (right >= min_rows)
    on_right, on_left = np.flatnonzero(others_right), np.flatnonzero(others_left)
    at = np.concatenate([on_right, on_left])
    order = np.argsort(runs.visit[at], kind="stable")
    return at[order], order >= len(on_right)


def _n_missing(runs: CodeRuns) -> Ints:
    first = runs.begin[:-1]
    return np.where(runs.code[first] == 0, runs.rows_up_to[first], 0)


def _sides(runs: CodeRuns, at: Ints, missing_left: Mask, totals: Ints, n_stats: int) -> Iterator[tuple[Ints, Ints]]:
    visit, first = runs.visit[at], runs.begin[:-1]
    is_missing = runs.code[first] == 0
    left_out = np.flatnonzero(is_missing[visit] & ~missing_left) if is_missing.any() else _NONE
    missing = runs.sums_up_to(n_stats, first) if len(left_out) else None
    for k, left in enumerate(runs.sums_up_to(n_stats, at)):
        if missing is not None:
            left[left_out] -= next(missing)[visit[left_out]]
        yield left, totals[:, k][visit] - left


# ---- at random -------------------------------------------------------------------------------------------------------


def cuts_at_random(rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundCuts:
    """Of one threshold for each visit, and of the sides that missing values may take."""
    seen = rows.visited(visits)
    known, highest = seen.code > 0, np.maximum.reduceat(seen.code, seen.start[:-1])
    lowest = np.minimum.reduceat(seen.code if known.all() else np.where(known, seen.code, NO_CODE), seen.start[:-1])
    cut, threshold = _thresholds(visits, lowest, highest, rules)
    left = seen.sums(rules.n_scored, known & (seen.code <= np.repeat(cut, seen.sizes)))
    score = side_scores(left, visits.node, rows.sizes, rules)
    if known.all():
        return FoundCuts(score, cut, np.zeros(seen.n, np.bool_), threshold)
    missing = seen.sums(rules.n_scored, ~known)
    n_known = seen.sizes - missing[:, 0]
    score[n_known == 0] = -np.inf
    with_missing = side_scores(left + missing, visits.node, rows.sizes, rules)
    with_missing[(n_known == seen.sizes) | (left[:, 0] == n_known)] = -np.inf
    on_left = with_missing > score + rules.slack[visits.node]
    return FoundCuts(np.where(on_left, with_missing, score), cut, on_left, threshold)


def _thresholds(visits: Visits, lowest: Ints, highest: Ints, rules: VisitRules) -> tuple[Ints, Floats]:
    """The last code on the left and the number drawn; all known values are on the left where there is but one."""
    cut, threshold = highest.astype(np.int64), np.full(len(highest), np.inf)
    several = lowest < highest
    for j in np.unique(visits.column):
        here = np.flatnonzero((visits.column == j) & several)
        low, high = rules.lowest[j], rules.highest[j]
        threshold[here] = rules.draws.thresholds(int(j), visits.node[here], high[lowest[here]], low[highest[here]])
        cut[here] = np.searchsorted(high[1:], threshold[here], side="right")
    return cut, threshold
