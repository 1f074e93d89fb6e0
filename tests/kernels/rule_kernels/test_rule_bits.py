"""Rules a row meets, and rows that rules cover: what the kernels find is what plain loops find."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.region import Interval
from treewright.kernels.rule_kernels.rule_cover import Cover, flip
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_matching import Matcher

SCHEMA = Schema(
    (Column("x", Kind.NUMERIC), Column("colour", Kind.NOMINAL, ("red", "green", "blue")), Column("z", Kind.NUMERIC)),
    Target("y", ("no", "yes")),
)
ENDS = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf])


@st.composite
def conditions(draw):
    column = draw(st.sampled_from(SCHEMA.columns))
    missing = draw(st.booleans())
    if column.levels:
        return Condition(column.name, (), tuple(sorted(draw(st.sets(st.sampled_from(column.levels))))), missing)
    ends = sorted(draw(st.sets(ENDS, max_size=4)))
    lows = [draw(st.sampled_from([None, ends[0]])), *ends[2::2]] if len(ends) > 1 else []
    return Condition(column.name, tuple(Interval(a, b) for a, b in zip(lows, ends[1::2])), (), missing)


def rules(max_rules):
    asked = st.lists(conditions(), max_size=3).map(tuple)
    return st.lists(asked.map(lambda c: Rule(c, "yes", (0.0, 1.0), (0.0, 0.0))), max_size=max_rules)


ROWS = st.lists(
    st.tuples(
        ENDS | st.just(np.nan) | st.floats(-3, 3), st.sampled_from([np.nan, 1.0, 2.0, 3.0]), ENDS | st.just(np.nan)
    ),
    max_size=6,
).map(lambda rows: np.array(rows, np.float64).reshape(-1, 3))


def holds(condition, x):
    if np.isnan(x):
        return condition.missing
    if condition.column == "colour":
        return SCHEMA.columns[1].levels[int(x) - 1] in condition.levels
    return any((i.low is None or x > i.low) and x <= i.high for i in condition.intervals)


def meets(rule, row):
    place = {name: j for j, name in enumerate(SCHEMA.names)}
    return all(holds(condition, row[place[condition.column]]) for condition in rule.conditions)


@given(listed=rules(6), matrix=ROWS, times=st.sampled_from([1, 20, 150]))
def test_matches_are_what_each_condition_says(listed, matrix, times):
    listed = listed * times  # up to 900 rules, which are more than one block
    matcher = Matcher(listed, SCHEMA)
    expected = np.array([[meets(rule, row) for rule in listed] for row in matrix], bool)
    expected = expected.reshape(len(matrix), len(listed))
    found = np.concatenate([np.empty((0, len(listed)), bool), *(part for _, part in matcher.chunks(matrix))])
    np.testing.assert_array_equal(found, expected)
    first = [next((r for r in range(len(listed)) if row[r]), -1) for row in expected]
    assert matcher.first(matrix, 1).tolist() == first
    assert matcher.first(matrix.astype(np.float32), 2).tolist() == [
        next((r for r, rule in enumerate(listed) if meets(rule, row)), -1) for row in matrix.astype(np.float32)
    ]


@given(data=st.data(), n_rules=st.integers(1, 6), n_rows=st.integers(0, 12))
def test_cover_is_kept_up_to_date(data, n_rules, n_rows):
    met = np.array(data.draw(st.lists(st.booleans(), min_size=n_rules * n_rows, max_size=n_rules * n_rows)), bool)
    met = met.reshape(n_rules, n_rows)
    weights = np.arange(1.0, 2 * n_rows + 1).reshape(n_rows, 2)
    cover = Cover(
        rule_start=np.concatenate([[0], np.cumsum(met.sum(1))]),
        rule_rows=np.nonzero(met)[1],
        row_start=np.concatenate([[0], np.cumsum(met.sum(0))]),
        row_rules=np.nonzero(met.T)[1],
        weights=weights,
        counts=np.zeros(n_rows, np.int64),
        gained=met @ weights,
        lost=np.zeros((n_rules, 2)),
        covered=np.zeros(2),
    )
    chosen, step_by_step = np.zeros(n_rules, bool), Cover(*(part.copy() for part in cover))
    for rule in data.draw(st.lists(st.integers(0, n_rules - 1), max_size=8)):
        flip(cover, rule, -1 if chosen[rule] else 1)
        flip.function(step_by_step, rule, -1 if chosen[rule] else 1)
        chosen[rule] ^= True
        for name, part in step_by_step._asdict().items():
            np.testing.assert_array_equal(part, getattr(cover, name))
    counts = met[chosen].sum(0)
    np.testing.assert_array_equal(cover.counts, counts)
    np.testing.assert_allclose(cover.covered, weights[counts > 0].sum(0))
    np.testing.assert_allclose(cover.gained, (met & (counts == 0)) @ weights)
    np.testing.assert_allclose(cover.lost, (met & (counts == 1)) @ weights)
