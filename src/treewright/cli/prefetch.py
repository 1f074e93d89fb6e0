"""Reading ahead: the next part is made ready while this one is worked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from queue import Queue
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")


def prefetch(items: Iterable[Item]) -> Iterator[Item]:
    """The same items in the same order, each taken from its source while the one before is in use.

    At most two wait. The thread that takes them does not keep the process from ending: it may be waiting for input.

    >>> list(prefetch(range(3)))
    [0, 1, 2]
    """
    waiting: Queue[tuple[list[Item], BaseException | None]] = Queue(maxsize=1)
    Thread(target=_take, args=(iter(items), waiting), daemon=True, name="treewright-ahead").start()
    while True:
        found, error = waiting.get()
        if error is not None:
            raise error
        if not found:
            return
        yield found[0]


def _take(items: Iterator[Item], waiting: Queue[tuple[list[Item], BaseException | None]]) -> None:
    try:
        for item in items:
            waiting.put(([item], None))
        waiting.put(([], None))
    except BaseException as error:
        waiting.put(([], error))
