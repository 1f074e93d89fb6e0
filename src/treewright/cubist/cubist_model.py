"""What Cubist has learned: rules of all members, and training cases where neighbours correct them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from treewright.cubist.cubist_learner import CubistCondition, CubistOptions, CubistRule, cubist_committee
from treewright.cubist.cubist_prediction import packed_rules, rule_values
from treewright.cubist.cubist_table import CubistColumns, TargetFacts, cubist_table, prepared_rows, widened
from treewright.data.encoded import Encoded
from treewright.data.schema import Kind, Schema
from treewright.engines.workers import Workers
from treewright.explain.region import Interval
from treewright.kernels.cubist_kernels.cubist_kinds import NUMERIC
from treewright.kernels.cubist_kernels.cubist_neighbours import (
    CaseIndex,
    build_index,
    correct_by_neighbours,
    mean_distance,
    most_waiting,
    next_uniform,
    start_generator,
)
from treewright.kernels.cubist_kernels.cubist_rules import AMONG, BELOW
from treewright.kernels.jit import runner
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_model import RuleModel, RuleTerm
from treewright.rules.rule_set import MEAN, RuleSet
from treewright.tree.tree import LeafKind
from treewright.typing import Array, Floats, Mask

_SKIPPED = 1000  # numbers of the generator, beside the seed, before a sample is taken
_LIMIT_DECIMALS = 1  # with which the greatest distance of a neighbour is printed


class NeighbourCases(NamedTuple):
    """The training cases that neighbours are found among."""

    x: Array  # float32, attributes × cases
    y: Array  # float32
    farthest: float  # the greatest distance of a neighbour


@dataclass(frozen=True)
class CubistModel:
    """Rules as they are printed: predictions are those of the printed model, as in R."""

    schema: Schema
    columns: CubistColumns
    target: TargetFacts
    members: tuple[tuple[CubistRule, ...], ...]
    extrapolation: float
    moments: tuple[float, float, float]  # of all training rows
    cases: NeighbourCases | None = None

    @property
    def stats(self) -> tuple[float, float, float]:
        return self.moments

    def __len__(self) -> int:
        """How many rules all members have."""
        return sum(map(len, self.members))

    def to_text(self, *, max_rules: int | None = None, title: str = "CubistRegressor") -> str:
        """The rules of every member, no more than ``max_rules`` in all, and how much columns are used."""
        from treewright.cubist.cubist_listing import cubist_listing

        return cubist_listing(self, title, max_rules)

    def values(self, matrix: Array, neighbours: int = 0) -> Floats:
        """What is predicted of the rows of a prediction matrix."""
        rows = prepared_rows(matrix, self.columns)
        said = self._said(rows)
        if not neighbours or self.cases is None or not rows.shape[1]:
            return said.astype(np.float64)
        return self._corrected(rows, said, neighbours)

    def _said(self, rows: Array) -> Array:
        """The mean of the members, in 32 bits."""
        total, otherwise = np.zeros(rows.shape[1]), float(self.target.overall)
        for rules in self.members:
            total += rule_values(packed_rules(list(rules), self.columns), rows, otherwise)
        return (total / len(self.members)).astype(np.float32)

    def _corrected(self, rows: Array, said: Array, neighbours: int) -> Floats:
        assert self.cases is not None
        columns, cases, n = self.columns, self.cases, self.cases.x.shape[1]
        width = 5.0 * np.maximum(columns.spread.astype(np.float64), 1e-30)
        run = runner(1e-6 * n * rows.shape[1], build_index, correct_by_neighbours)
        index = case_index(cases.x, columns)
        low, high = widened(self.target.low, self.target.high, self.extrapolation)
        values = np.empty(rows.shape[1])
        run(
            correct_by_neighbours, cases.x, cases.y, self._said(cases.x), columns.kind, columns.n_levels, width, index,
            rows, said, neighbours, cases.farthest, float(low), float(high),
            run(most_waiting, index), values,
        )  # fmt: skip
        return values.astype(np.float32).astype(np.float64)

    def rule_sets(self) -> tuple[RuleSet, ...]:
        """The rules of every member, to read and to use by themselves."""
        return tuple(_rule_set(rules, self) for rules in self.members)


def case_index(x: Array, columns: CubistColumns) -> CaseIndex:
    n = x.shape[1]
    width = 5.0 * np.maximum(columns.spread.astype(np.float64), 1e-30)
    run = runner(1e-6 * n * len(x) * np.log2(n + 2), build_index)
    room, n_nodes = 4 * n + int(columns.n_levels.max(initial=2)), -1
    while n_nodes < 0:  # columns of many levels make more nodes
        whole = (np.zeros(room, np.float64 if name == "middle" else np.int32) for name in CaseIndex._fields)
        index = CaseIndex(*whole)._replace(order=np.zeros(n, np.int32))
        n_nodes, room = run(build_index, x, columns.kind, columns.n_levels, width, index), 2 * room
    return CaseIndex(index.order, *(part[:n_nodes].copy() for part in index[1:]))


# ---- learning ----------------------------------------------------------------------------------------------------


class _Generator:
    """Cubist's random numbers; they begin anew with every fit."""

    def __init__(self, seed: int | None) -> None:
        self.numbers, self.places = np.empty(55), np.zeros(2, np.int64)
        start_generator(self.numbers, self.places)
        for _ in range(0 if seed is None else seed + _SKIPPED):
            next_uniform(self.numbers, self.places)

    def sample(self, n: int, share: float) -> Mask:
        """Which cases are taken: as many of those left as are still wanted."""
        wanted, taken = int(np.float32(n * np.float32(share)) + 0.5), np.zeros(n, np.bool_)
        for case in range(n):
            if next_uniform(self.numbers, self.places) < np.float32(wanted) / np.float32(n - case):
                taken[case] = True
                wanted -= 1
        return taken


def cubist_model(
    encoded: Encoded,
    options: CubistOptions,
    *,
    neighbours: bool,
    sample: float | None = None,
    seed: int = 0,
    n_jobs: int = 1,
) -> CubistModel:
    """Learn rules and, if ``neighbours`` are to correct them, keep the cases. ``sample`` is a share of the cases."""
    generator = _Generator(None if sample is None else seed)
    learned = encoded if sample is None else encoded.take(generator.sample(encoded.n_rows, sample))
    table = cubist_table(learned, options.most_rules, options.extrapolation)
    with Workers(n_jobs) as workers:
        learned_rules = cubist_committee(table, options, workers)
    members = tuple(tuple(_printed(rule, options) for rule in rules) for rules in learned_rules)
    wide = table.y.astype(np.float64)
    moments = (float(table.w.sum()), float((table.w * wide).sum()), float((table.w * wide**2).sum()))
    columns, target = _printed_columns(table.columns, encoded.schema), _printed_target(table.target, options)
    cases = None
    if neighbours and len(table.y) > 1:
        farthest = _farthest(table.x, table.columns, generator)
        x = table.x if sample is None else _all_rows(encoded, columns)
        cases = NeighbourCases(x, np.asarray(encoded.y, np.float32), farthest)
    return CubistModel(encoded.schema, columns, target, members, options.extrapolation, moments, cases)


def _all_rows(encoded: Encoded, columns: CubistColumns) -> Array:
    """All cases of the table, prepared with what is known of those that were taken."""
    from treewright.engines.linear_terms import numbers_of

    cells = [
        numbers_of(coded) if column.kind is Kind.NUMERIC else np.asarray(coded.codes, np.float64)
        for column, coded in zip(encoded.schema.columns, encoded.columns)
    ]
    return prepared_rows(np.array(cells).reshape(len(cells), encoded.n_rows).T, columns)


def _farthest(x: Array, columns: CubistColumns, generator: _Generator) -> float:
    """The mean distance of random pairs, as it is printed."""
    index = case_index(x, columns)
    width = 5.0 * np.maximum(columns.spread.astype(np.float64), 1e-30)
    run = runner(1e-5 * min(x.shape[1], 1000) * len(x), mean_distance)
    found = run(
        mean_distance, x, columns.kind, columns.n_levels, width, index.order, generator.numbers, generator.places
    )
    return float(f"{found:.{_LIMIT_DECIMALS}f}")


# ---- as printed --------------------------------------------------------------------------------------------------


def _printed(rule: CubistRule, options: CubistOptions) -> CubistRule:
    """Coefficients with 14 digits, cuts with 8, extremes with 6."""
    low, high = (np.float32(f"{end:.6g}") for end in (rule.low, rule.high))
    return replace(
        rule,
        conditions=tuple(one._replace(cut=np.float32(f"{one.cut:.8g}")) for one in rule.conditions),
        intercept=float(f"{rule.intercept:.14g}"),
        slopes=tuple(float(f"{slope:.14g}") for slope in rule.slopes),
        low=low,
        high=high,
        limits=widened(low, high, options.extrapolation),
    )


def _digits(values: Array, digits: int) -> Array:
    return np.array([np.float32(f"{value:.{digits}g}") for value in values], np.float32)


def _printed_columns(columns: CubistColumns, schema: Schema) -> CubistColumns:
    """Read from print, numbers of which fewer than two were known are like others: they add to distances."""
    numeric = np.array([column.kind is Kind.NUMERIC for column in schema.columns])
    replacement = np.where(numeric, _digits(columns.replacement, 7), columns.replacement)
    return columns._replace(
        kind=np.where(numeric, NUMERIC, columns.kind), replacement=replacement.astype(np.float32),
        spread=_digits(columns.spread, 7),
    )  # fmt: skip


def _printed_target(target: TargetFacts, options: CubistOptions) -> TargetFacts:
    low, high = (np.float32(f"{end:.6g}") for end in (target.low, target.high))
    return target._replace(low=low, high=high, overall=np.float32(f"{target.overall:.7g}"))


# ---- as a rule set -----------------------------------------------------------------------------------------------


def _rule_set(rules: tuple[CubistRule, ...], model: CubistModel) -> RuleSet:
    made = tuple(_rule(number, rule, model) for number, rule in enumerate(rules, start=1))
    mean = float(model.target.overall)
    otherwise = Rule((), mean, (mean,), model.moments, NO_RULE)
    return RuleSet(model.schema, made, otherwise, model.moments, LeafKind.LINEAR, MEAN)


def _rule(number: int, rule: CubistRule, model: CubistModel) -> Rule:
    columns, mean = model.schema.columns, float(rule.mean)
    terms = tuple(
        RuleTerm(columns[j].name, slope, float(model.columns.replacement[j]))
        for j, slope in zip(rule.attributes, rule.slopes)
    )
    low, high = (float(end) for end in rule.limits)
    conditions = tuple(_condition(one, model) for one in rule.conditions)
    return Rule(conditions, mean, (mean,), rule.moments, number, RuleModel(rule.intercept, terms, low, high))


def _condition(one: CubistCondition, model: CubistModel) -> Condition:
    column, default = model.schema.columns[one.attribute], model.columns.replacement[one.attribute]
    if one.kind == AMONG:
        levels = tuple(column.levels[k] for k in one.levels)
        return Condition.among(column.name, *levels, missing=int(default) in one.levels)
    cut, below = _wide_cut(one.cut), one.kind == BELOW
    printed = float(f"{one.cut:.6g}") if np.float32(f"{one.cut:.6g}") == one.cut else float(one.cut)
    interval = Interval(None, cut, (None, printed)) if below else Interval(cut, np.inf, (printed, np.inf))
    return Condition(column.name, (interval,), (), bool((default <= one.cut) == below))


def _wide_cut(cut: np.float32) -> float:
    """The largest number that is no more than the cut in 32 bits, but for rounding at the very middle of two."""
    above = np.nextafter(cut, np.float32(np.inf))
    return float(cut) if not np.isfinite(above) else (float(cut) + float(above)) / 2
