"""The generator of C5.0, and the cases that it samples."""

from __future__ import annotations

import numpy as np

from treewright.typing import Mask

_SIZE, _LAG, _START = 55, 31, 0.314159285
_THROWN_AWAY = 1000
SEEDS = 4096


class C50Generator:
    """A subtractive lagged generator of numbers in [0, 1)."""

    def __init__(self, seed: int) -> None:
        self.state = _first_state()
        self.at, self.lag = 0, _LAG
        for _ in range(seed + _THROWN_AWAY):
            self.draw()

    def draw(self) -> float:
        self.at, self.lag = (self.at + 1) % _SIZE, (self.lag + 1) % _SIZE
        number = self.state[self.at] - self.state[self.lag]
        self.state[self.at] = number + 1 if number < 0 else number
        return self.state[self.at]


def _first_state() -> list[float]:
    state, a, b = [0.0] * _SIZE, 1.0, _START
    for i in range(1, _SIZE + 1):
        place = 21 * i % _SIZE
        state[place] = a
        a, b = b - a, state[place]
        a += a < 0
    for _ in range(6):
        for i in range(_SIZE):
            state[i] -= state[(i + 30) % _SIZE]
            state[i] += state[i] < 0
    return state


def sampled(n_cases: int, share: float, seed: int) -> Mask:
    """Which cases to train on: one pass, each case having the chance that is left."""
    generator, taken = C50Generator(seed), np.zeros(n_cases, np.bool_)
    wanted = int(n_cases * float(np.float32(share)) + 0.5)
    for case in range(n_cases):
        if generator.draw() < float(np.float32(wanted / (n_cases - case))):
            taken[case] = True
            wanted -= 1
    return taken
