"""C4.5rules, second part: of the rules of one class, those by which the training rows are described shortest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from treewright.kernels.jit import runner
from treewright.kernels.rule_kernels.rule_cover import Cover, WholeCounts, bits_after_flips, flip
from treewright.rules.description_length import HOPELESS, exception_bits, log2_factorial
from treewright.rules.generalisation import CandidateRule, RuleTrainingRows
from treewright.typing import Floats, Mask

FEW = 10  # rules of which all subsets are tried
_STARTS = 11  # climbs, from no rules to all
_BETTER = 1e-6  # bits
_PLAIN_SECONDS = 5e-7  # what a row of a rule takes longer without compiled kernels


class AdditiveRandom:
    """Numbers from 0 up to 1 by the additive feedback generator of C libraries: xᵢ = xᵢ₋₃ + xᵢ₋₃₁ mod 2³².

    C4.5 takes its random numbers from there, so with the same seed (1) a search starts from the same rules.

    >>> random = AdditiveRandom(1)
    >>> [round(random.next() * 2**31) for _ in range(3)]
    [1804289383, 846930886, 1681692777]
    """

    def __init__(self, seed: int) -> None:
        state = [max(seed, 1)]
        while len(state) < 31:
            state.append(16807 * state[-1] % (2**31 - 1))
        self._state = state + state[:3]
        for _ in range(310):
            self.next()

    def next(self) -> float:
        self._state.append((self._state[-31] + self._state[-3]) % 2**32)
        del self._state[0]
        return (self._state[-1] >> 1) / 2**31


class RulesOfClass:
    """Rules of one class, some of them chosen: how long the description is, and what adding or leaving out one changes.

    ``bits`` is what each rule is written in, ``theory_weight`` what such a bit counts against one of an exception.
    """

    def __init__(
        self,
        candidates: Sequence[CandidateRule],
        bits: Floats,
        label: int,
        rows: RuleTrainingRows,
        theory_weight: float,
    ) -> None:
        self.bits, self.theory_weight = bits, theory_weight
        self.weights = np.stack([rows.weights, rows.weights * (rows.labels == label)], axis=1)
        self.everything, self.positive = self.weights.sum(0).tolist()
        starts = np.cumsum([0, *(len(candidate.rows) for candidate in candidates)])
        covered = np.concatenate([np.empty(0, np.int64), *(candidate.rows for candidate in candidates)])
        self._met = csr_matrix((np.ones(len(covered)), covered, starts), shape=(len(candidates), len(rows.labels)))
        self._meets = self._met.T.tocsr()
        self._whole = _whole_counts(rows, label)
        self.choose(np.zeros(len(candidates), np.bool_))

    @property
    def n_rules(self) -> int:
        return len(self.bits)

    def choose(self, chosen: Mask) -> None:
        """Begin with these rules."""
        self.chosen = np.zeros(self.n_rules, np.bool_)
        self._cover = Cover(
            rule_start=self._met.indptr.astype(np.int64),
            rule_rows=self._met.indices.astype(np.int64),
            row_start=self._meets.indptr.astype(np.int64),
            row_rules=self._meets.indices.astype(np.int64),
            weights=self.weights,
            counts=np.zeros(len(self.weights), np.int64),
            gained=np.asarray(self._met @ self.weights),
            lost=np.zeros((self.n_rules, 2)),
            covered=np.zeros(2),
        )
        self._run = runner(_PLAIN_SECONDS * self._met.nnz, flip, bits_after_flips)
        for rule in np.flatnonzero(chosen):
            self.flip(int(rule))

    def flip(self, rule: int) -> None:
        """Leave out a chosen rule, add another."""
        self._run(flip, self._cover, rule, -1 if self.chosen[rule] else 1)
        self.chosen[rule] ^= True

    def length(self) -> float:
        """Bits of the chosen rules, whose order is free, and of their exceptions."""
        theory = self.bits[self.chosen].sum() - log2_factorial(int(self.chosen.sum()))
        return float(self.theory_weight * theory + self._exceptions(*self._cover.covered))

    def changes(self) -> Floats:
        """What flipping each rule would change."""
        chosen, n = self.chosen, int(self.chosen.sum())
        after, now = self._after_flips()
        theory = np.where(chosen, np.log2(max(n, 1)) - self.bits, self.bits - np.log2(n + 1))
        return np.asarray(self.theory_weight * theory + after - now)

    def _after_flips(self) -> tuple[Floats, float]:
        """Bits of the exceptions after each rule is flipped, and as things are."""
        if self._whole is None:
            weight, right = self._cover.covered
            moved = np.where(self.chosen[:, None], -self._cover.lost, self._cover.gained)
            after = self._exceptions(weight + moved[:, 0], right + moved[:, 1])
            return after, float(self._exceptions(weight, right))
        bits = np.empty(self.n_rules + 1)
        self._run(bits_after_flips, self._cover, self.chosen, self._whole, bits)
        return bits[:-1], float(bits[-1])

    def _exceptions(self, covered: Any, right: Any) -> Floats:
        return exception_bits(self.everything, self.positive, covered, right)


def _whole_counts(rows: RuleTrainingRows, label: int) -> WholeCounts | None:
    """None where rows do not all weigh one."""
    if not (rows.weights == 1).all():
        return None
    n = len(rows.labels)
    halves = np.arange(2 * n + 1, dtype=np.float64) / 2
    halves[0] = 1.0  # never looked at
    return WholeCounts(n, int((rows.labels == label).sum()), HOPELESS, np.log2(halves))


def shortest(rules: RulesOfClass, random: AdditiveRandom) -> Mask:
    """The subset of least description length: of all subsets if the rules are few, else the best that climbing finds.

    Eleven climbs start from random subsets: the first from no rules, the next with each rule at a probability of 0.1,
    and so on up to 1, all rules. Each adds or leaves out the rule that saves most bits until none does.
    """
    search = _all_subsets(rules) if rules.n_rules <= FEW else _climbs(rules, random)
    best, least = rules.chosen, np.inf
    for chosen in search:
        length = rules.length()
        if length < least - _BETTER:
            best, least = chosen, length
    return best


def _all_subsets(rules: RulesOfClass) -> Iterator[Mask]:
    """One after the other, each chosen while it is looked at; a Gray code flips a single rule from one to the next."""
    rules.choose(np.zeros(rules.n_rules, np.bool_))
    yield rules.chosen.copy()
    for step in range(1, 2**rules.n_rules):
        rules.flip((step & -step).bit_length() - 1)
        yield rules.chosen.copy()


def _climbs(rules: RulesOfClass, random: AdditiveRandom) -> Iterator[Mask]:
    """Where each climb ends, which is chosen while it is looked at.

    The last one takes its random numbers too: C4.5 starts the next class from the ones after.
    """
    for probability in np.arange(_STARTS) / (_STARTS - 1):
        rules.choose(np.array([random.next() < probability for _ in range(rules.n_rules)], np.bool_))
        _climb(rules)
        yield rules.chosen.copy()


def _climb(rules: RulesOfClass) -> None:
    while True:
        change = rules.changes()
        best = int(change.argmin())
        if change[best] > -_BETTER:
            return
        rules.flip(best)
