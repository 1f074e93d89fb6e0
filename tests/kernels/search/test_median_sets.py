"""Medians of all sets that splits make, against adding rows up anew."""

import numpy as np
import pytest

from treewright.kernels.search.median_sets import AFTER, ALONE, BEFORE, REST, Members, chain_sets, new_sets, single_sets
from treewright.kernels.search.medians import RankedTarget, rank_rows


def slow(y, w):
    if not len(y):
        return 0.0, np.nan
    order = np.argsort(y, kind="stable")
    twice, total = 2 * np.cumsum(w[order]), w.sum()
    middle = y[order][np.argmax(twice >= total)] / 2 + y[order][np.argmax(twice > total)] / 2
    return float((w * np.abs(y - middle)).sum()), middle


@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_every_set(missing, seed):
    random = np.random.default_rng(seed)
    n, n_nodes, n_codes = 40, 3, 4
    node, code = random.integers(0, n_nodes, n), random.integers(0, n_codes, n)
    y, w = random.integers(-9, 10, n).astype(float), random.integers(1, 5, n)
    cell = np.where(random.random(n) < missing, -1, node * n_codes + code)
    by_value = np.lexsort((y, node))
    start = np.searchsorted(node[by_value], np.arange(n_nodes + 1))
    places, base = n + 2 * n_nodes, start[:-1] + 2 * np.arange(n_nodes)
    ranked = RankedTarget(
        np.zeros(n, np.uint32), base, np.zeros(places, np.int64), np.zeros(places, np.int64), np.zeros(places)
    )
    rank_rows(by_value, start[:-1], start[1:], w, (w * y).astype(np.int64), y, np.arange(n), ranked)
    order = np.lexsort((cell, node))
    members = Members(start, np.bincount(node[cell < 0], minlength=n_nodes), ranked.rank[order], cell[order])
    sets = new_sets(n_nodes * n_codes, n_nodes)
    chain_sets(members, ranked, ranked.y, sets)
    single_sets(members, ranked, ranked.y, sets)
    for f in range(n_nodes):
        here, known = node == f, cell >= 0
        np.testing.assert_allclose(sets.of_known[f], slow(y[here & known], w[here & known]))
        np.testing.assert_allclose(sets.of_missing[f], slow(y[here & ~known], w[here & ~known]))
        for c in np.unique(cell[here & known]):
            of = {BEFORE: cell <= c, AFTER: cell > c, ALONE: cell == c, REST: cell != c}
            for kind, mine in of.items():
                for along in range(1 + (here & ~known).any()):
                    rows = here & ((known & mine) | (~known & bool(along)))
                    np.testing.assert_allclose(sets.of_cell[kind, along, c], slow(y[rows], w[rows]))
