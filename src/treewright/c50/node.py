"""A node of a C5.0 tree while it is made: it changes. The tree that is kept is an ordinary ``Tree``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from treewright.c50.rounding import single
from treewright.kernels.c50_kernels.c50_division import EMPTY as EMPTY
from treewright.typing import Floats, Ints

NO_GROUPS: Ints = np.empty(0, np.int64)


class TestKind(IntEnum):
    """As the model text numbers them."""

    __test__ = False

    LEAF = 0
    EACH_VALUE = 1
    NUMBER = 2
    SETS = 3


@dataclass(eq=False)
class C50Node:
    """Weights are 32-bit numbers. ``groups[value]`` is the branch of a value, from 1 on; -1: none takes it."""

    counts: Floats  # weight of each class
    weight: float
    label: int
    errors: float
    kind: TestKind = TestKind.LEAF
    column: int = -1
    groups: Ints = field(default_factory=lambda: NO_GROUPS)
    cut: float = 0.0
    bounds: tuple[float, float, float] | None = None  # lower, middle, upper of a soft threshold
    branches: list[C50Node] = field(default_factory=list)
    gain: float = 0.0

    @classmethod
    def of(cls, sums: Floats) -> C50Node:
        """A leaf of these class weights, 64-bit sums: each is rounded once, and the total after each class."""
        counts, weight = np.float64(np.float32(sums)), 0.0
        for count in sums.tolist():
            weight = single(weight + count)
        label = int(sums.argmax())
        return cls(counts, float(weight), label, float(single(weight - counts[label])))

    @classmethod
    def empty(cls, n_classes: int, label: int) -> C50Node:
        return cls(np.zeros(n_classes), 0.0, label, 0.0)

    @property
    def is_leaf(self) -> bool:
        return self.kind is TestKind.LEAF

    @property
    def wrong(self) -> float:
        """Training errors as a leaf."""
        return float(single(self.weight - self.counts[self.label]))

    def make_leaf(self) -> None:
        self.kind, self.column, self.groups, self.branches = TestKind.LEAF, -1, NO_GROUPS, []
        self.bounds, self.gain = None, 0.0

    def become(self, other: C50Node) -> None:
        """Take the place of another node, with all that is below it."""
        self.__dict__.update(other.__dict__)

    def values_of(self, branch: int) -> list[int]:
        """The values that take a branch (from 0 on) of a test of levels."""
        return [value for value, own in enumerate(self.groups.tolist()) if own == branch + 1]

    def walk(self) -> Iterator[C50Node]:
        """The node and all below it, a node before its branches."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.branches))

    def walk_up(self) -> Iterator[C50Node]:
        """The same, a node after its branches."""
        waiting: list[tuple[C50Node, bool]] = [(self, False)]
        while waiting:
            node, done = waiting.pop()
            if done or node.is_leaf:
                yield node
                continue
            waiting.append((node, True))
            waiting.extend((branch, False) for branch in reversed(node.branches))
