"""C5.0's rules: which conditions to drop, which rules to keep, and how they vote."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_conditions import count_failures, weigh, weigh_near_misses
from treewright.kernels.c50_kernels.c50_information import EPSILON, information_of_two, lg, single
from treewright.kernels.jit import borrowing, inlined, inlined_borrowing, kernel

THEORY = 0.23  # what a bit of the rules counts of a bit of their errors


@kernel
def generalise(fails, alive, labels, weights, error_cost, bits, of_class, n_cases, kept, met):
    """Drop conditions; returns weight and errors of the rule that is left, what it says and what it costs, in bits.

    ``fails[d]`` are the cases that fail a condition, ``error_cost[c]`` is what it costs to predict the rule's class
    for class c. Told are also the conditions ``kept``, and the cases that have ``met`` these.
    """
    n, once = len(kept), np.empty_like(met)
    total, errors = np.zeros(n), np.zeros(n)  # of cases that meet all conditions but perhaps this one
    count_failures(fails, kept, alive, met, once)
    total_now, errors_now = weigh(met, labels, weights, error_cost)
    weigh_near_misses(fails, kept, once, labels, weights, error_cost, total, errors)
    total += total_now
    errors += errors_now
    before = information_of_two(of_class, n_cases - of_class)
    n_left = n
    while True:
        says = before - information_of_two(total_now - errors_now, errors_now)
        says -= information_of_two(of_class - total_now + errors_now, n_cases - of_class - errors_now)
        costs, ways = 0.0, 0.0
        for r in range(2, n_left + 1):
            ways += lg(np.float64(r))
        errors_now = min(errors_now, total_now)
        rate_now, best, best_rate = _rate(total_now, errors_now), -1, 2.0
        for d in range(n):
            if kept[d]:
                costs = single(costs + bits[d])
                errors[d] = min(errors[d], total[d])
                rate = _rate(total[d], errors[d])
                if rate <= best_rate:
                    best, best_rate = d, rate
        costs -= ways
        if n_left == 1 or (THEORY * costs <= says and best_rate > rate_now):
            break
        kept[best] = False
        n_left -= 1
        more, more_errors = total[best] - total_now, errors[best] - errors_now
        for d in range(n):
            if kept[d]:
                total[d] += more
                errors[d] += more_errors
        count_failures(fails, kept, alive, met, once)
        once &= fails[best]
        weigh_near_misses(fails, kept, once, labels, weights, error_cost, total, errors)
        total_now, errors_now = total[best], errors[best]
    return total_now, errors_now, says, costs


@inlined
def _rate(total, errors):
    return 0.5 if total < EPSILON else single((errors + 1.0) / (total + 2.0))


class Covers(NamedTuple):
    """Which rules cover which cases, both ways."""

    rule_start: np.ndarray  # (rules + 1,)
    cases: np.ndarray  # the cases of each rule
    case_start: np.ndarray  # (cases + 1,)
    rules: np.ndarray  # the rules of each case


class Ballot(NamedTuple):
    """What the rules vote, and what cases lose by it."""

    target: np.ndarray  # (rules,) class
    vote: np.ndarray  # (rules,) int64
    bits: np.ndarray  # (rules,)
    labels: np.ndarray
    weights: np.ndarray
    cost: np.ndarray  # (classes + 1, classes): [decided, true]; the last row is of cases without a vote
    sums: np.ndarray  # (cases, classes) int64: votes of the rules that are in


class Lengths(NamedTuple):
    n_cases: float
    per_error: float  # bits
    per_right: float
    per_class: float  # lg(K − 1)


@inlined_borrowing
def _loss(ballot, case, rule, change):
    """What a case costs if the votes of a rule are added (1), taken away (-1) or left (0)."""
    best, most, n_classes = -1, 0, ballot.sums.shape[1]
    for c in range(n_classes):
        votes = ballot.sums[case, c]
        if change != 0 and c == ballot.target[rule]:
            votes += change * ballot.vote[rule]
        if votes > most:
            best, most = c, votes
    decided = n_classes if best < 0 else best
    return ballot.weights[case] * ballot.cost[decided, ballot.labels[case]]


@borrowing
def _changes(covers, ballot, is_in, changes):
    """What flipping each rule would add to the errors."""
    for r in range(len(is_in)):
        added, change = 0.0, -1 if is_in[r] else 1
        for k in range(covers.rule_start[r], covers.rule_start[r + 1]):
            case = covers.cases[k]
            added += _loss(ballot, case, r, change) - _loss(ballot, case, r, 0)
        changes[r] = added


@borrowing
def _flip(covers, ballot, is_in, changes, rule):
    """Flip a rule and bring the changes of all rules up to date."""
    first, last = covers.rule_start[rule], covers.rule_start[rule + 1]
    for when in range(2):
        for k in range(first, last):
            case = covers.cases[k]
            now = _loss(ballot, case, 0, 0)
            for j in range(covers.case_start[case], covers.case_start[case + 1]):
                other = covers.rules[j]
                change = _loss(ballot, case, other, -1 if is_in[other] else 1) - now
                changes[other] += change if when == 1 else -change
        if when == 0:
            is_in[rule] = not is_in[rule]
            step = ballot.vote[rule] if is_in[rule] else -ballot.vote[rule]
            for k in range(first, last):
                ballot.sums[covers.cases[k], ballot.target[rule]] += step


@inlined_borrowing
def _length(lengths, bits, ways, errors):
    """``ways``: bits that are saved because the rules may stand in any order."""
    of_errors = single(errors * lengths.per_error) + single((lengths.n_cases - errors) * lengths.per_right)
    return np.rint(100.0 * (THEORY * max(0.0, bits - ways) + of_errors + errors * lengths.per_class))


@kernel
def climb(covers, ballot, lengths, is_in):
    """Flip rules in and out while that makes the description shorter, or is a removal that leaves it as long."""
    n = len(is_in)
    changes, errors, bits, n_in = np.zeros(n), 0.0, 0.0, 0
    ways = np.zeros(n + 1)
    for r in range(2, n + 1):
        ways[r] = ways[r - 1] + lg(np.float64(r))
    for r in range(n):
        if is_in[r]:
            bits += ballot.bits[r]
            n_in += 1
            for k in range(covers.rule_start[r], covers.rule_start[r + 1]):
                ballot.sums[covers.cases[k], ballot.target[r]] += ballot.vote[r]
    for case in range(len(ballot.labels)):
        errors += _loss(ballot, case, 0, 0)
    _changes(covers, ballot, is_in, changes)
    length, last = _length(lengths, bits, ways[n_in], errors), -1
    while True:
        best, least = -1, length
        for r in range(n):
            if r == last or (not is_in[r] and errors < 0.001):
                continue
            sign = -1 if is_in[r] else 1
            after = _length(lengths, bits + sign * ballot.bits[r], ways[n_in + sign], errors + single(changes[r]))
            if after < least or (after == least and is_in[r]):
                best, least = r, after
        if best < 0:
            break
        sign = -1 if is_in[best] else 1
        bits += sign * ballot.bits[best]
        n_in += sign
        errors += changes[best]
        _flip(covers, ballot, is_in, changes, best)
        length, last = _length(lengths, bits, ways[n_in], errors), best
    return errors


@kernel
def order_of_use(covers, ballot, is_in):
    """The rules that are in, the least useful first: each is the one whose removal then adds fewest errors."""
    n = len(is_in)
    changes, removed, n_removed = np.zeros(n), np.full(n, -1), 0
    _changes(covers, ballot, is_in, changes)
    while True:
        best = -1
        for r in range(n):
            if not is_in[r]:
                continue
            if best < 0 or changes[r] < changes[best] - 0.001:
                best = r
            elif changes[r] <= changes[best] + 0.001 and ballot.bits[r] > ballot.bits[best]:
                best = r
        if best < 0:
            break
        removed[n_removed] = best
        n_removed += 1
        _flip(covers, ballot, is_in, changes, best)
    return removed[:n_removed].copy()
