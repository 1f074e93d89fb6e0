"""Thresholds as values of the training cases."""

from __future__ import annotations

import numpy as np

from treewright.c50.node import C50Node, TestKind
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.typing import Floats


def to_training_values(root: C50Node, table: CaseTable) -> dict[int, int]:
    """Lower every threshold to the next value of the training cases; returns how many cuts each tested column has."""
    known: dict[int, Floats] = {}
    for node in root.walk():
        if node.kind is not TestKind.NUMBER:
            continue
        if node.column not in known:
            values = table.values[node.column]
            known[node.column] = np.unique(values[values > -np.inf])
        values = known[node.column]
        place = int(np.searchsorted(values, np.float32(node.cut), side="right"))
        node.cut = float(values[max(place - 1, 0)])
    return {column: len(values) - 1 for column, values in known.items()}
