"""Rules that vote, as in C5.0: all that a row meets have a say, the surer the louder.

A rule's vote is its accuracy with one case more of either kind, (right + 1) / (covered + 2), in thousandths. The class
of most votes wins, what is predicted otherwise if it is among equals. The most specific rule of a class, that covers
fewest training rows, speaks for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.schema import Level
from treewright.rules.rule import NO_RULE, Rule
from treewright.typing import Array, Floats, Ints, Mask

VOTE = "vote"  # how a rule set answers whose rules vote
_WHOLE = 1000
_UNSURE = 0.5  # confidence where no rule is met


class Voted(NamedTuple):
    """Of every row the place of the rule that speaks for its class (-1: none is met), the code of the class, the value
    of each class, and that of the one chosen."""

    places: Ints
    codes: Ints
    values: Floats
    confidence: Floats

    @property
    def shares(self) -> Floats:
        """Values as shares of 1."""
        return np.asarray(self.values / self.values.sum(axis=1, keepdims=True))


class Ballots:
    """Rules made ready to vote."""

    def __init__(self, rules: tuple[Rule, ...], otherwise: Rule, classes: tuple[Level, ...]) -> None:
        self.n_classes, self.default = len(classes), classes.index(otherwise.prediction)
        self.target = np.array([classes.index(rule.prediction) for rule in rules], np.int64)
        stats = np.array([rule.stats for rule in rules], np.float64).reshape(len(rules), len(classes))
        cover = _six_digits(stats.sum(axis=1))
        right = _six_digits(stats[np.arange(len(rules)), self.target])
        self.vote = np.floor(_WHOLE * (right + 1) / (cover + 2) + 0.5)
        self.by_cover = np.lexsort((np.arange(len(rules)), -self.vote, cover))  # the most specific first

    def count(self, met: Mask) -> Voted:
        """``met``: rows × rules."""
        n_rows, rows = len(met), np.arange(len(met))
        votes, own = np.zeros((n_rows, self.n_classes)), np.zeros((n_rows, self.n_classes))
        speaker = np.full((n_rows, self.n_classes), NO_RULE)
        for c in range(self.n_classes):
            of_class = self.by_cover[self.target[self.by_cover] == c]
            if not len(of_class):
                continue
            here = met[:, of_class]
            votes[:, c] = here @ self.vote[of_class]
            first = of_class[here.argmax(axis=1)]
            speaker[:, c] = np.where(here.any(axis=1), first, NO_RULE)
            own[:, c] = np.where(here.any(axis=1), self.vote[first], 0.0) / _WHOLE
        n_met = met.sum(axis=1)
        most = votes.max(axis=1)
        codes = np.where((votes[:, self.default] == most) | (n_met == 0), self.default, votes.argmax(axis=1))
        mean = votes / (_WHOLE * np.maximum(n_met, 1))[:, None]
        values = np.minimum(own, mean)
        values[rows, codes] = np.maximum(own, mean)[rows, codes]
        confidence = np.where(n_met > 0, values[rows, codes], _UNSURE)
        values[n_met == 0] = 1 / self.n_classes
        places = np.where(n_met > 0, speaker[rows, codes], NO_RULE)
        return Voted(places, codes, values, confidence)


def _six_digits(numbers: Floats) -> Array:
    """As the model text of C5.0 has them, which its predictor reads."""
    return np.array([float(f"{number:.6g}") for number in numbers.tolist()])


def joined(parts: list[Voted], n_classes: int) -> Voted:
    """Several slices of rows, one after the other."""
    none, nothing = np.empty(0, np.int64), np.empty(0)
    empty = Voted(none, none, np.empty((0, n_classes)), nothing)
    return Voted(*(np.concatenate(column) for column in zip(empty, *parts)))
