"""Impurity importance of many trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.model.column_reports.column_importance import column_importance
from treewright.tree.tree import Tree
from treewright.typing import Floats


def mean_importance(trees: Sequence[Tree], weights: Floats, schema: Schema, criterion: Any) -> Floats:
    """The weighted mean of the trees' shares, as shares of 1; trees of one leaf have none."""
    shares = np.stack([column_importance(tree, schema, criterion) for tree in trees])
    mean = weights @ shares
    total = mean.sum()
    return np.asarray(mean / total if total > 0 else mean)
