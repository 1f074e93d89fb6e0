"""The parts of C4.5rules, by hand and against slow, obvious twins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import examples
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.kernels.pruning.subtree_raising import ErrorBound as Numbers
from treewright.kernels.pruning.subtree_raising import extra_errors
from treewright.recipes.c45 import FLAVOURS
from treewright.rules.c45_rule_learner import Numbered, _default, _in_order, _without_harmful
from treewright.rules.description_length import exception_bits, rule_bits
from treewright.rules.generalisation import CandidateRule, KnownRates, RulePath, RuleTrainingRows, generalise
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.rules.rule import Condition
from treewright.rules.rule_selection import AdditiveRandom, RulesOfClass, shortest

SCHEMA = Schema(
    (Column("x", Kind.NUMERIC), Column("colour", Kind.NOMINAL, ("red", "green"))), Target("y", ("no", "yes"))
)
X_HIGH, RED = Condition.number("x", above=2), Condition.among("colour", "red")


def rows(labels, weights=None, matrix=None, n_classes=2):
    labels = np.array(labels)
    weights = np.ones(len(labels)) if weights is None else np.array(weights, np.float64)
    return RuleTrainingRows(np.zeros((len(labels), 2)) if matrix is None else matrix, labels, weights, n_classes)


def candidate(label, covered, error=0.1):
    return CandidateRule((X_HIGH,), label, np.array(covered, np.int64), error)


# ---------------------------------------------------------------- pessimistic errors


@given(
    n=st.floats(0.01, 1e4),
    share=st.floats(0, 1),
    confidence=st.floats(0.01, 1),
    flavour=st.sampled_from(sorted(FLAVOURS)),
)
def test_pessimistic_errors_are_those_of_pruning(n, share, confidence, flavour):
    pessimism = PessimisticRate(confidence, flavour)
    from treewright.prune.methods.error_based import ErrorBased

    numbers = Numbers(
        1.0, confidence, ErrorBased(confidence, flavour=flavour).z, FLAVOURS[flavour].hopeless, 0, 0, False
    )
    expected = (n * share + extra_errors(n, n * share, numbers)) / n
    assert float(pessimism.rate(np.array(n), np.array(n * share))) == pytest.approx(expected)
    assert pessimism.rate_of(n, n * share) == pytest.approx(expected)


def test_no_rows_are_all_wrong():
    assert PessimisticRate().rate(np.array([0.0, 2.0]), np.array([0.0, 0.0])).tolist() == [1.0, 0.5]


# ---------------------------------------------------------------- dropping conditions


@dataclass(frozen=True)
class Told:
    """A step whose condition is said."""

    condition: Condition
    fails: np.ndarray


def walked(path, n_rows, depth=10):
    """The path of these conditions, each with the rows that meet it."""
    made = RulePath.start(n_rows, depth)
    for condition, held in path:
        made = made.longer(Told(condition, ~held))
    return made


def slow_generalise(path, label, training, by_default):
    """One condition after the other, every subset counted anew."""
    left = list(range(len(path)))

    def judged(kept):
        met = np.ones(len(training.labels), bool)
        for d in kept:
            met &= path[d][1]
        weight = training.weights[met].sum()
        wrong = training.weights[met & (training.labels != label)].sum()
        rate = float(PessimisticRate().rate(weight, wrong)) if weight else by_default
        return rate, wrong / weight if weight else 1.0

    while left:
        rate, seen = judged(left)
        options = [(judged([d for d in left if d != gone]), gone) for gone in left]
        if all(without > rate and without_seen > seen for (without, without_seen), _ in options):
            break
        _, gone = min(options, key=lambda option: (option[0][0], -option[1]))
        left.remove(gone)
    return [path[d][0] for d in left], judged(left)[0]


@settings(max_examples=examples(200))
@given(data=st.data(), n_rows=st.integers(1, 12), n_conditions=st.integers(0, 4))
def test_generalising(data, n_rows, n_conditions):
    flags = st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)
    labels = data.draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows))
    training = rows(labels, data.draw(st.none() | st.just(np.arange(1, n_rows + 1))))
    path = tuple((Condition.number("x", above=d), np.array(data.draw(flags), bool)) for d in range(n_conditions))
    made = generalise(walked(path, n_rows), 1, training, KnownRates(PessimisticRate()), 0.6)
    conditions, rate = slow_generalise(path, 1, training, 0.6)
    assert list(made.conditions) == conditions
    assert made.error == pytest.approx(rate)


def test_a_condition_goes_if_any_could():
    """Both pessimistic rates rise. Without the first condition the share of errors seen does not; without the second it
    does, but the rate is the lower one: the second goes."""
    first, second = np.arange(12) != 11, np.arange(12) < 6
    first[3:6] = False
    judged = {(3, 1): 0.5, (6, 2): 0.8, (8, 3): 0.7, (12, 5): 0.9}

    class Rates(KnownRates):
        def rate(self, weight, wrong):
            return judged[int(weight), int(wrong)]

    training = rows([0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0])
    path = ((X_HIGH, first), (RED, second))
    made = generalise(walked(path, 12), 1, training, Rates(PessimisticRate()), 0.6)
    assert made.conditions == (X_HIGH,)


def test_paths_of_hundreds_of_conditions():
    """Places are added up in bytes where they are few, and in more where they are not: none is taken for another."""
    n_rows = 400
    path = tuple((Condition.number("x", above=d), np.arange(n_rows) != d) for d in range(300))
    training = rows([0] * 299 + [1] * (n_rows - 299))
    made = generalise(walked(path, n_rows, depth=300), 1, training, KnownRates(PessimisticRate()), 0.6)
    assert made.conditions == tuple(condition for condition, _ in path[:299])
    assert made.rows.tolist() == list(range(299, n_rows))


# ---------------------------------------------------------------- description lengths


def test_bits_of_rules():
    matrix = np.array([[1.0, 1], [2, 1], [3, 2], [4, 2], [np.nan, 1]])
    training = rows([0, 0, 1, 1, 1], matrix=matrix)
    both = CandidateRule((X_HIGH, RED), 1, np.empty(0, np.int64), 0.1)
    entropy = -(0.6 * log2(0.6) + 0.4 * log2(0.4))
    asked = 1 + log2(4) / 2, entropy  # of x, of colour
    share = asked[0] / sum(asked)
    column = -share * log2(share) - (1 - share) * log2(1 - share)
    assert rule_bits([candidate(1, [2]), both], SCHEMA, training).tolist() == pytest.approx(
        [column + asked[0], log2(2) + 2 * column + sum(asked) - log2(2)]
    )


def test_a_constant_column_is_never_named():
    matrix = np.array([[1.0, 1], [2, 1], [3, 1], [4, 1]])
    assert rule_bits([candidate(1, [2])], SCHEMA, rows([0, 0, 1, 1], matrix=matrix)).tolist() == [2.0]


def test_sets_of_levels_are_named_by_the_fewer():
    colours = Schema((Column("colour", Kind.NOMINAL, ("a", "b", "c", "d")),), SCHEMA.target)
    training = rows([0, 0, 1, 1], matrix=np.array([[1.0], [2], [3], [4]]))
    named = [Condition.among("colour", *levels) for levels in ("a", "ab", "abc")]
    made = [CandidateRule((condition,), 1, np.empty(0, np.int64), 0.1) for condition in named]
    assert rule_bits(made, colours, training).tolist() == pytest.approx([2, 4 - 1, 2])


def test_bits_of_exceptions():
    # 6 of 10 covered, 2 of them wrong, and 1 of 4 missed: 1.5 errors expected among the covered.
    found = float(exception_bits(10.0, 5.0, np.array(6.0), np.array(4.0)))
    expected = log2(11) - 2 * log2(0.25) - 4 * log2(0.75) - log2(0.25) - 3 * log2(0.75)
    assert found == pytest.approx(expected)
    # 2 of 10 covered, 1 of them wrong, and 4 of 8 missed: 2.5 errors expected among the others.
    found = float(exception_bits(10.0, 5.0, np.array(2.0), np.array(1.0)))
    assert found == pytest.approx(log2(11) + 2 - 4 * log2(2.5 / 8) - 4 * log2(1 - 2.5 / 8))
    assert float(exception_bits(10.0, 5.0, np.array(5.0), np.array(5.0))) == pytest.approx(log2(11))


@settings(max_examples=examples(50))
@given(data=st.data(), n_rules=st.integers(0, 5), n_rows=st.integers(1, 10))
def test_of_few_rules_the_shortest_subset_is_found(data, n_rules, n_rows):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows))
    training = rows(labels)
    covered = [data.draw(st.lists(st.integers(0, n_rows - 1), unique=True)) for _ in range(n_rules)]
    bits = np.array(data.draw(st.lists(st.floats(0, 9), min_size=n_rules, max_size=n_rules)))
    rules = RulesOfClass([candidate(1, sorted(c)) for c in covered], bits, 1, training, 0.5)

    def length(subset):
        rules.choose(np.array(subset, bool))
        return rules.length()

    best = shortest(rules, AdditiveRandom(1))
    assert length(best) <= min(length(subset) for subset in product([False, True], repeat=n_rules)) + 1e-5


@given(data=st.data(), n_rules=st.integers(1, 5))
def test_what_a_flip_is_said_to_change_it_changes(data, n_rules):
    training = rows([0, 1] * 4, np.arange(2, 10) / 4)  # exact sums: half a case may be a step
    covered = [data.draw(st.lists(st.integers(0, 7), unique=True)) for _ in range(n_rules)]
    rules = RulesOfClass([candidate(1, sorted(c)) for c in covered], np.arange(1.0, n_rules + 1), 1, training, 0.5)
    rules.choose(np.array(data.draw(st.lists(st.booleans(), min_size=n_rules, max_size=n_rules)), bool))
    before, change = rules.length(), rules.changes()
    for rule in range(n_rules):
        rules.flip(rule)
        assert rules.length() - before == pytest.approx(change[rule], abs=1e-6)
        rules.flip(rule)


def test_many_rules_are_searched_from_the_same_starts():
    random = np.random.default_rng(0)
    training = rows(random.integers(0, 2, 60))
    made = [candidate(1, np.flatnonzero(random.random(60) < 0.2)) for _ in range(25)]
    chosen = [
        shortest(RulesOfClass(made, np.full(25, 4.0), 1, training, 0.5), AdditiveRandom(seed)).tolist()
        for seed in (1, 1, 2)
    ]
    assert chosen[0] == chosen[1]


def test_eleven_climbs_the_last_from_all_rules():
    made = [candidate(1, [k]) for k in range(12)]
    rules, random, starts = RulesOfClass(made, np.full(12, 4.0), 1, rows([1] * 12), 0.5), AdditiveRandom(1), []
    choose = rules.choose

    def remembered(chosen):
        starts.append(int(chosen.sum()))
        choose(chosen)

    rules.choose = remembered
    shortest(rules, random)
    assert len(starts) == 11
    assert (starts[0], starts[-1]) == (0, 12)
    after, fresh = random.next(), AdditiveRandom(1)
    assert after == [fresh.next() for _ in range(11 * 12 + 1)][-1]


# ---------------------------------------------------------------- order, default, the last sweep


def test_the_class_with_fewest_false_positives_comes_first():
    training = rows([0, 0, 0, 1, 1, 2], n_classes=3)
    careless, careful = Numbered(1, candidate(0, [0, 1, 3])), Numbered(2, candidate(1, [3, 4]))
    assert _in_order([[careless], [careful], []], training) == [careful, careless]


def test_the_default_is_the_commonest_uncovered_class():
    training = rows([0, 0, 0, 1, 1, 2], n_classes=3)
    assert _default([Numbered(1, candidate(0, [0, 1, 2]))], training) == 1
    assert _default([Numbered(1, candidate(0, [0, 1, 3, 4]))], training) == 0  # of equals the commoner one
    assert _default([Numbered(1, candidate(0, range(6)))], training) == 0


def test_harmful_rules_go():
    training = rows([0, 0, 0, 1, 1])
    harmful, useful = Numbered(1, candidate(1, [0, 1, 3])), Numbered(2, candidate(1, [3, 4]))
    assert _without_harmful([harmful, useful], 0, training) == [useful]
    idle = Numbered(3, candidate(0, [2]))
    assert _without_harmful([idle, useful], 0, training) == [idle, useful]
