"""Where nodes stand across the direction in which a tree grows.

Every subtree has a stretch of its own that no other reaches into, so an edge may run on through it; a parent stands in
the middle between its first and its last child; children keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence


def centres(children: Sequence[Sequence[int]], breadth: Sequence[float], space: float) -> list[float]:
    """The centre of every node, the first stretch beginning at 0; parents come before their children.

    >>> centres([[1, 2], [], []], [10, 40, 20], 5)
    [37.5, 20.0, 55.0]
    """
    before, after = [size / 2 for size in breadth], [size / 2 for size in breadth]  # from the centre to the ends
    offset = [0.0] * len(breadth)  # from the parent's centre
    for v in reversed(range(len(breadth))):
        if children[v]:
            _place(v, children[v], before, after, offset, space)
    centre = [before[0] if v == 0 else 0.0 for v in range(len(breadth))]
    for v, below in enumerate(children):
        for child in below:
            centre[child] = centre[v] + offset[child]
    return centre


def _place(
    v: int, below: Sequence[int], before: list[float], after: list[float], offset: list[float], space: float
) -> None:
    """Children side by side, and how far the whole family reaches from the middle."""
    at = 0.0
    for child in below:
        offset[child] = at + before[child]
        at += before[child] + after[child] + space
    middle = (offset[below[0]] + offset[below[-1]]) / 2
    for child in below:
        offset[child] -= middle
    before[v] = max(before[v], middle)
    after[v] = max(after[v], at - space - middle)
