"""Tables that the tests of ensembles share."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_iris

import treewright as tw

IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESSION = (part[:150] for part in load_diabetes(return_X_y=True))


def play_tennis():
    table = tw.datasets.load("play_tennis")
    return {name: cells for name, cells in table.X.items() if name != "day"}, table.y


def mixed_table(n_rows=200, seed=0):
    """Numbers, levels and missing values; the target depends on both."""
    random = np.random.default_rng(seed)
    colour, size = random.choice(["red", "green", "blue"], n_rows), random.normal(size=n_rows)
    y = np.where((colour == "red") ^ (size > 0.3) ^ (random.random(n_rows) < 0.1), "yes", "no")
    size[::10] = np.nan
    return pd.DataFrame({"colour": colour, "size": size, "noise": random.normal(size=n_rows)}), y


def same_trees(one, other):
    """Whether two ensembles have the same trees, number by number."""
    return len(one.trees_) == len(other.trees_) and all(
        all(np.array_equal(a, b) for a, b in zip(t.arrays(), u.arrays())) for t, u in zip(one.trees_, other.trees_)
    )
