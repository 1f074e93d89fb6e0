"""Work on columns side by side: threads over kernels that release the interpreter lock."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import numpy as np

_CGROUP = Path("/sys/fs/cgroup")
AHEAD = 4  # items for each thread that may be made before they are asked for
Made = TypeVar("Made")


def available_cores() -> int:
    """As many as the process may run on: a container may be granted fewer than the machine has."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    granted = granted_cores(_CGROUP)
    return cores if granted is None else min(cores, granted)


@cache
def granted_cores(cgroup: Path) -> int | None:
    """What a container's quota of time amounts to, rounded up; None where there is no quota.

    The second version of control groups has quota and period in one file, the first one in two.
    """
    try:
        if (cgroup / "cpu.max").exists():
            quota, period = (cgroup / "cpu.max").read_text().split()
        else:
            quota, period = ((cgroup / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        share = int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # "max" is no number: no quota
        return None
    return max(1, math.ceil(share)) if share > 0 else None


SMALL_WORK = 20_000  # cells that are not worth waking other threads for


class Workers:
    """``each(n, work, cells)`` calls ``work(item, worker)`` for item 0 … n-1; no two calls share a worker number at a
    time. ``cells`` is how much there is to look at in all: little is done in the thread that asks.

    The items are handed out one by one, so a slow column does not keep the others waiting. What each item computes
    does not depend on the worker, hence no result depends on the number of threads.
    """

    def __init__(self, n_jobs: int, small_work: int = SMALL_WORK) -> None:
        self.n_jobs = n_jobs
        self.small_work = small_work
        self._pool: ThreadPoolExecutor | None = None

    def each(self, n_items: int, work: Callable[[int, int], None], *, cells: float = np.inf) -> None:
        items = iter(range(n_items))
        if self.n_jobs == 1 or n_items < 2 or cells < self.small_work:
            return self._drain(items, work, 0)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_jobs - 1, thread_name_prefix="treewright")
        futures = [self._pool.submit(self._drain, items, work, worker) for worker in range(1, self.n_jobs)]
        try:
            self._drain(items, work, 0)
        finally:
            for _ in items:  # after an error or Ctrl-C nobody starts another item
                pass
            for future in futures:
                future.result()
        return None

    @staticmethod
    def _drain(items: Iterator[int], work: Callable[[int, int], None], worker: int) -> None:
        for item in items:
            work(item, worker)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def in_turn(make: Callable[[int], Made], n_items: int, n_jobs: int) -> Iterator[Made]:
    """``make`` of item 0 … n-1, in their order: threads make the next ones while whoever asks works on the last.

    >>> list(in_turn(lambda item: item * item, 4, n_jobs=2))
    [0, 1, 4, 9]
    """
    if n_jobs == 1 or n_items < 2:
        yield from map(make, range(n_items))
        return
    pool, waiting = ThreadPoolExecutor(n_jobs, thread_name_prefix="treewright"), deque[Future[Made]]()
    try:
        for item in range(n_items):
            waiting.append(pool.submit(make, item))
            if len(waiting) > AHEAD * n_jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # after an error or Ctrl-C nobody starts another item
        pool.shutdown(cancel_futures=True)
