"""How every column would split all rows, for those who want to see what else was there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.engines.choices.choice import Best
from treewright.engines.choices.ratio_choice import RatioBest, RatioChoice
from treewright.engines.engine import Engine, written
from treewright.engines.stores.store import Frontier
from treewright.split import Split
from treewright.tree.tree import SplitTest
from treewright.typing import Floats


def candidates(engine: Engine) -> list[tuple[SplitTest, Split | None]]:
    """The test of every column at the root, significant or not, and its split; None: it has none."""
    root = engine.root()
    engine.store.open(root)
    best = engine.search(root)
    found = []
    for j, one in enumerate(best):
        column = np.array([j if one.score[0] > -np.inf else -1])
        tests = engine.writer.tests(column, best)
        significance = engine.choice.significance(np.array([j]), best)
        assert significance is not None
        split = None
        if column[0] >= 0:
            sent = engine.store.send(tests)
            as_kept = written(engine.encoded, engine.recipe, tests, sent.of_missing, np.zeros(1, np.int64))
            split = Split(j, as_kept.edges, as_kept.branch_of)
        found.append((SplitTest(*significance[0].tolist()), split))
    return found


@dataclass(frozen=True)
class ColumnSplit:
    """The best split of a column, what it gains as a tree tells it, and whether it was in the running: C4.5 takes none
    of a gain below the average."""

    split: Split
    gain: float
    in_the_running: bool


def best_splits(engine: Engine) -> list[ColumnSplit | None]:
    """The best split of every column at the root; None: it has none."""
    root = engine.root()
    engine.store.open(root)
    best = engine.search(root)
    if isinstance(engine.choice, RatioChoice):
        gain, running = _by_ratio(engine.choice, best)
    else:
        gain, running = [_alone(engine, root, best, j) for j in range(len(best))], [True] * len(best)
    return [
        None if one is None else _split_of(engine, root, best, j, one, in_the_running=running[j])
        for j, one in enumerate(gain)
    ]


def _by_ratio(choice: RatioChoice, best: Sequence[Best]) -> tuple[list[Floats | None], list[bool]]:
    """Ratios, or gains, of every column; and whether it could have been chosen beside the others."""
    found = [one for one in best if isinstance(one, RatioBest)]
    gain, info = np.array([one.score for one in found]), np.array([one.info for one in found])
    score, running = choice.asked.score(gain, info), choice.asked.in_the_running(gain, info)
    # A column of admissible tests that gain nothing has a gain of 0, which counts in the average, but no split.
    there = choice.asked.tells(gain, info) & (score > choice.asked.ratio.least)
    scores = [score[j] if there[j, 0] else None for j in range(len(found))]
    return scores, running[:, 0].tolist()


def _alone(engine: Engine, root: Frontier, best: Sequence[Best], j: int) -> Floats | None:
    """What the column's split gains: it is the one that would be chosen if there were no other column."""
    alone = [one if k == j else replace(one, score=np.full(1, -np.inf)) for k, one in enumerate(best)]
    column, gain = engine.choice.select(alone, root)
    return gain if column[0] >= 0 else None


def _split_of(
    engine: Engine, root: Frontier, best: Sequence[Best], j: int, gain: Floats, *, in_the_running: bool
) -> ColumnSplit:
    column = np.array([j])
    tests, sent, stats = engine.sent(column, best, root)
    told = engine.choice.gains(column, sent.n_missing, root.stats, stats, gain, tests.n_branches)
    as_kept = written(engine.encoded, engine.recipe, tests, sent.of_missing, np.zeros(1, np.int64))
    return ColumnSplit(Split(j, as_kept.edges, as_kept.branch_of), float(told[0]), in_the_running)
