"""The plain road answers as the compiled one does."""

import numpy as np
import pytest

from treewright.kernels import switch
from treewright.neighbors import BallTree, KDTree


@pytest.mark.parametrize("kind", [KDTree, BallTree])
@pytest.mark.parametrize("bound", [None, 2.0])
def test_both_roads_find_the_same(kind, bound):
    rng = np.random.default_rng(0)
    rows, queries = rng.integers(0, 6, (150, 3)).astype(float), rng.integers(0, 6, (20, 3)).astype(float)
    found = []
    for policy in ("always", "never"):
        with switch.compiling(policy):
            found.append(kind(rows, 5).query(queries, 9, bound=bound))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(found[0][0], found[1][0])
