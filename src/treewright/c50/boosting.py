"""Boosting as C5.0 does it: the weight of errors goes half way to one half, every wrong case gaining the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from treewright.c50.classification import Classified
from treewright.c50.rounding import single
from treewright.typing import Floats, Ints, Mask

_FEW_ERRORS = 0.1
_NO_BETTER_THAN_CHANCE = 0.49
_LEAST_WEIGHT = 0.001
_MANY_CASES = 4001  # above which light cases are left out of growing,
_LIGHT = 0.2  # once weights may be as low as this


class Verdict(Enum):
    """What becomes of the trial that was just made."""

    GO_ON = "go on"
    LAST = "last"  # it is kept, and no other is made
    DISCARD = "discard"


@dataclass
class Booster:
    """Votes and weights of the cases between trials."""

    labels: Ints
    weights: Floats  # changed in place
    n_classes: int
    trials: int
    early_stopping: bool
    lowest: float  # the lowest weight that is possible
    errors: list[tuple[float, float]] = field(default_factory=list)
    votes: Floats = field(init=False)
    leader: Ints = field(init=False)
    n_dropped: int = 0

    def __post_init__(self) -> None:
        self.votes = np.zeros((len(self.labels), self.n_classes))
        self.leader = np.full(len(self.labels), -1)

    def growing(self) -> Ints:
        """The cases that the next tree is grown from."""
        alive = self.weights > 0
        if len(self.labels) > _MANY_CASES and self.lowest <= _LIGHT:
            alive &= self.weights > self.lowest + 0.001
        return np.flatnonzero(alive)

    def reweight(self, trial: int, cases: Ints, found: Classified, *, trivial: bool) -> Verdict:
        """Judge a trial by the classes it gave the ``cases``, and change the weights for the next one."""
        self._vote(cases, found)
        wrong, right = self._judged(trial, cases, found)
        lost, kept = float(self.weights[wrong].sum()), float(self.weights[right].sum())
        self.errors.append((lost, kept))
        n_left = len(self.labels) - self.n_dropped
        if self.early_stopping and lost < _FEW_ERRORS:
            return Verdict.LAST
        if self.early_stopping and ((trial > 0 and trivial) or lost / n_left >= _NO_BETTER_THAN_CHANCE):
            return Verdict.DISCARD
        self._change_weights(wrong, right, lost, kept, n_left)
        return Verdict.GO_ON

    def _vote(self, cases: Ints, found: Classified) -> None:
        votes = self.votes
        votes[cases, found.label] = np.float32(votes[cases, found.label] + found.confidence)
        new = self.leader[cases] < 0
        self.leader[cases[new]] = found.label[new]
        ahead = votes[cases, found.label] > votes[cases, self.leader[cases]]
        self.leader[cases[ahead]] = found.label[ahead]

    def _judged(self, trial: int, cases: Ints, found: Classified) -> tuple[Ints, Ints]:
        """Wrong and right cases; those that can no longer be won are dropped for good."""
        truth = self.labels[cases]
        lost = np.zeros(len(cases), np.bool_)
        if trial + 1 > self.trials / 2:
            lead = self.votes[cases, self.leader[cases]]
            lost = lead > self.votes[cases, truth] + (self.trials - 1 - trial)
            self.weights[cases[lost]] = 0.0
            self.n_dropped += int(lost.sum())
        wrong: Mask = found.label != truth
        return cases[wrong & ~lost], cases[~wrong & ~lost]

    def _change_weights(self, wrong: Ints, right: Ints, lost: float, kept: float, n_left: int) -> None:
        moved = (kept - lost) / 4
        down = (kept - moved) / kept if kept else 1.0
        up = moved / len(wrong) if len(wrong) else 0.0
        scale = n_left / (kept + lost) if kept + lost else 1.0
        weights = self.weights
        weights[wrong] = np.float32(scale * (weights[wrong] + up))
        weights[right] = np.maximum(np.float32(weights[right] * (scale * down)), single(_LEAST_WEIGHT))
        self.lowest *= scale * down
