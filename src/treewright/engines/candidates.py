"""How every column would split all rows, for those who want to see what else was there."""

from __future__ import annotations

import numpy as np

from treewright.engines.engine import Engine, written
from treewright.split import Split
from treewright.tree.tree import SplitTest


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
