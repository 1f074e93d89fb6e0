"""How a test is judged: the formula of each measure with its numbers, the numbers being those of the criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright import criteria
from treewright.criteria.argument_checks import Base
from treewright.teach.formula_text import MOST_TERMS, count, entropy_terms, gini_terms, log_name, rounded, share, total
from treewright.teach.lesson_rows import CandidateTest
from treewright.typing import Floats


@dataclass(frozen=True)
class Impurity:
    """A measure of one distribution: its symbol, its value and its terms."""

    symbol: str
    of: Callable[[Floats], Floats]
    terms: Callable[[Floats], str]

    def line(self, what: str, counts: Floats) -> str:
        """``En(play) = −(9/14·log2 9/14 + 5/14·log2 5/14) = 0.9403``."""
        return f"{self.symbol}({what}) = {self.terms(counts)} = {rounded(float(self.of(counts)))}"


def entropy_in(base: Base) -> Impurity:
    """Entropy.

    >>> import numpy as np
    >>> entropy_in("e").line("coin", np.array([1.0, 1.0]))
    'En(coin) = −(1/2·ln 1/2 + 1/2·ln 1/2) = 0.6931'
    """
    return Impurity("En", lambda counts: criteria.entropy(counts, base), lambda counts: entropy_terms(counts, base))


GINI = Impurity("Gini", criteria.gini, gini_terms)


@dataclass(frozen=True)
class Measure:
    """A measure of a test: larger is better, unless it is a p-value.

    ``lines`` are the formulas of one test, the last of which has its score; ``parts`` are values beside the score.
    ``evidence`` is −ln p of a p-value: tiny ones differ by nothing, but not by their logarithms.
    """

    symbol: str
    title: str
    impurity: Impurity
    score: Callable[[CandidateTest], float]
    lines: Callable[[CandidateTest], list[str]]
    parts: Callable[[CandidateTest], dict[str, float]]
    evidence: Callable[[CandidateTest], float] | None = None
    shown: Callable[[float], str] = rounded

    def key(self, candidate: CandidateTest) -> str:
        return f"{self.symbol}({candidate.name})"

    def values(self, candidate: CandidateTest) -> dict[str, float]:
        return {**self.parts(candidate), self.key(candidate): self.score(candidate)}

    def better(self, candidate: CandidateTest) -> float:
        """What the best test has most of."""
        return (self.evidence or self.score)(candidate)


def information_gain(base: Base = 2) -> Measure:
    """Information gain.

    >>> from treewright.teach.lesson_rows import bundled
    >>> rows = bundled("play_tennis")
    >>> print(information_gain().lines(rows.candidates(0)[0])[-1])
    Gain(outlook) = 0.9403 − (4/14·0 + 5/14·0.9710 + 5/14·0.9710) = 0.2467
    """
    en = entropy_in(base)

    def score(candidate: CandidateTest) -> float:
        return float(criteria.gain(candidate.table, base))

    return Measure(
        "Gain",
        f"Information gain, {log_name(base)}",
        en,
        score,
        lambda candidate: [*_branches(candidate, en), _gain_line("Gain", candidate, en, score(candidate))],
        lambda candidate: {f"En after({candidate.name})": float(criteria.conditional_entropy(candidate.table, base))},
    )


def gain_ratio(base: Base = 2) -> Measure:
    """Gain over split information."""
    gain = information_gain(base)

    def split_info(candidate: CandidateTest) -> float:
        return float(criteria.split_info(candidate.table, base))

    def score(candidate: CandidateTest) -> float:
        return float(criteria.gain_ratio(candidate.table))

    def lines(candidate: CandidateTest) -> list[str]:
        name, sizes = candidate.name, sizes_of(candidate)
        by, of = rounded(split_info(candidate)), rounded(gain.score(candidate))
        return [
            *gain.lines(candidate),
            f"Split({name}) = {entropy_terms(sizes, base)} = {by}",
            f"GR({name}) = {of} / {by} = {rounded(score(candidate))}",
        ]

    def parts(candidate: CandidateTest) -> dict[str, float]:
        return {gain.key(candidate): gain.score(candidate), f"Split({candidate.name})": split_info(candidate)}

    return Measure("GR", "Gain ratio", gain.impurity, score, lines, parts)


def gini_gain() -> Measure:
    """Decrease of the Gini index."""

    def score(candidate: CandidateTest) -> float:
        return float(criteria.gini_gain(candidate.table))

    return Measure(
        "GiniGain",
        "Gini gain, a branch per level",
        GINI,
        score,
        lambda candidate: [*_branches(candidate, GINI), _gain_line("GiniGain", candidate, GINI, score(candidate))],
        lambda candidate: {},
    )


def log_likelihood_gain() -> Measure:
    """Increase of the log-likelihood: the number of rows times the gain in nats."""
    gain = information_gain("e")

    def score(candidate: CandidateTest) -> float:
        return float(criteria.log_likelihood_gain(candidate.table))

    def lines(candidate: CandidateTest) -> list[str]:
        rows = float(candidate.table.counts.sum() + candidate.table.missing.sum())
        times = f"{count(rows)}·{rounded(gain.score(candidate))}"
        return [*gain.lines(candidate), f"LL({candidate.name}) = {times} = {rounded(score(candidate))}"]

    return Measure("LL", "Gain in log-likelihood", gain.impurity, score, lines, lambda candidate: {})


def sizes_of(candidate: CandidateTest) -> Floats:
    """Rows in each branch, those of missing value as one more."""
    missing = float(candidate.table.missing.sum())
    return np.append(candidate.table.weights, missing) if missing else candidate.table.weights


def _branches(candidate: CandidateTest, impurity: Impurity) -> list[str]:
    """A line for each branch; of many, for the mixed ones."""
    known = [impurity.line("known rows", candidate.table.pooled)] if candidate.table.missing.any() else []
    many = len(candidate.branches) > MOST_TERMS
    rows = [(k, row) for k, row in enumerate(candidate.table.counts) if not many or (row > 0).sum() > 1]
    return known + [impurity.line(candidate.condition(k), row) for k, row in rows[:MOST_TERMS]]


def _gain_line(symbol: str, candidate: CandidateTest, impurity: Impurity, score: float) -> str:
    """Rows of missing value tell nothing: what the others gain is multiplied by their share."""
    table = candidate.table
    before, sizes = float(impurity.of(table.pooled)), table.weights
    known, missing = float(sizes.sum()), float(table.missing.sum())
    terms = [f"{share(n, known)}·{rounded(float(impurity.of(row)))}" for n, row in zip(sizes, table.counts)]
    difference = f"{rounded(before)} − {total(terms)}"
    if missing:
        difference = f"{share(known, known + missing)}·({difference})"
    return f"{symbol}({candidate.name}) = {difference} = {rounded(score)}"
