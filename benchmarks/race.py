"""Two ways of doing the same work, timed in turns so that both meet the same weather on the machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from settings import Settings

Work = Callable[[], Any]


@dataclass(frozen=True)
class Race:
    """The best time of each side over ``repeats`` turns, and what each side returned last."""

    ours: float
    theirs: float
    repeats: int
    our_result: Any
    their_result: Any

    @property
    def ratio(self) -> float:
        """How many times faster treewright is."""
        return self.theirs / self.ours


def timed(work: Work) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def race(ours: Work, theirs: Work, settings: Settings) -> Race:
    """Run both sides in turns, as often as asked or until the time is used up. Both always run equally often.

    Our side runs once beforehand, untimed: compiling the kernels is measured by the ``first_fit`` benchmark.
    """
    ours()
    our_times: list[float] = []
    their_times: list[float] = []
    while len(our_times) < settings.repeats and sum(our_times) + sum(their_times) <= settings.budget:
        our_time, our_result = timed(ours)
        their_time, their_result = timed(theirs)
        our_times.append(our_time)
        their_times.append(their_time)
    return Race(min(our_times), min(their_times), len(our_times), our_result, their_result)
