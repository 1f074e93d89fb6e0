"""What was found in the columns that nodes look at, and what is chosen of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.engines.side_by_side.open_rows import Visits
from treewright.engines.side_by_side.visited_cuts import FoundCuts
from treewright.engines.side_by_side.visited_levels import FoundLevels, LevelSides
from treewright.tree.build import offsets
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class ChosenSplits:
    """A split of some nodes. Of nominal columns there are sides, in the order of these nodes, in place of a cut."""

    node: Ints
    column: Ints
    cut: Ints
    missing_left: Mask
    threshold: Floats
    is_nominal: Mask
    sides: LevelSides

    def of(self, pick: Ints) -> ChosenSplits:
        """Those of some of the nodes, which are then all there are."""
        place = np.cumsum(self.is_nominal) - 1
        return ChosenSplits(
            np.arange(len(pick)), self.column[pick], self.cut[pick], self.missing_left[pick], self.threshold[pick],
            self.is_nominal[pick], self.sides.of(place[pick][self.is_nominal[pick]]),
        )  # fmt: skip

    def side_of(self, nodes: Ints, codes: Ints) -> Mask:
        """Whether codes at nodes of nominal columns are on the right."""
        widths = np.maximum.reduceat(self.sides.code, offsets(self.sides.sizes)[:-1]) + 1
        start = offsets(widths)[:-1]
        on_right = np.zeros(int(widths.sum()), np.bool_)
        on_right[np.repeat(start, self.sides.sizes) + self.sides.code] = self.sides.on_right
        place = np.cumsum(self.is_nominal) - 1
        return np.asarray(on_right[start[place[nodes]] + codes])


class LookedAt:
    """Scores of visits by node and by turn, and the searches that can say more of them."""

    def __init__(self, n_nodes: int, n_columns: int) -> None:
        self.score = np.full((n_nodes, n_columns), -np.inf)
        self.search = np.zeros((n_nodes, n_columns), np.int64)  # which, and the place of the visit there
        self.place = np.zeros((n_nodes, n_columns), np.int64)
        self.found: list[FoundCuts | FoundLevels] = []

    def add(self, visits: Visits, turns: Ints, found: FoundCuts | FoundLevels) -> None:
        at = visits.node, turns
        self.score[at], self.search[at], self.place[at] = found.score, len(self.found), np.arange(len(turns))
        self.found.append(found)

    @property
    def top(self) -> Floats:
        return np.asarray(self.score.max(1))

    def forget_after_first(self, nodes: Ints) -> None:
        """At nodes that have looked at one column after the other until one had a split."""
        later = np.cumsum(self.score[nodes] > -np.inf, axis=1) > 1
        self.score[nodes] = np.where(later, -np.inf, self.score[nodes])

    def chosen(self, slack: Floats, order: Ints) -> ChosenSplits:
        """The best split of every node that has one, of equals the first in turn. ``order``: (nodes, turns) columns."""
        top = self.top
        node = np.flatnonzero(top > -np.inf)
        turn = (self.score[node] >= (top - slack)[node, None]).argmax(1)
        search, place = self.search[node, turn], self.place[node, turn]
        cut, missing_left, threshold = np.zeros(len(node), np.int64), np.zeros(len(node), np.bool_), np.zeros(len(node))
        is_nominal, by_levels = np.zeros(len(node), np.bool_), []
        for k, found in enumerate(self.found):
            here = np.flatnonzero(search == k)
            if not len(here):
                continue
            if isinstance(found, FoundLevels):
                is_nominal[here] = True
                by_levels.append((here, found.sides(place[here])))
            else:
                cut[here], missing_left[here] = found.cut[place[here]], found.missing_left[place[here]]
                threshold[here] = found.threshold[place[here]]
        return ChosenSplits(node, order[node, turn], cut, missing_left, threshold, is_nominal, _in_order(by_levels))


def _in_order(parts: list[tuple[Ints, LevelSides]]) -> LevelSides:
    """The sides of all nodes in their order."""
    if not parts:
        return LevelSides(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))
    nodes = np.concatenate([here for here, _ in parts])
    joined = LevelSides(*(np.concatenate(part) for part in zip(*(vars(sides).values() for _, sides in parts))))
    return joined.of(np.argsort(nodes))
