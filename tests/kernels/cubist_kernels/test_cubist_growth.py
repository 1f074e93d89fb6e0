"""Cubist's tree without compiled kernels is the tree of the loops, whichever of its loops are compiled alone."""

import numpy as np
import pytest

from treewright.kernels import switch
from treewright.kernels.cubist_kernels.cubist_fit import eliminate
from treewright.kernels.cubist_kernels.cubist_growth import CubistTree, GrowingCases
from treewright.kernels.cubist_kernels.cubist_growth_in_numpy import grow_cubist, score_levels, score_numbers
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NOMINAL, NUMERIC, ORDERED
from treewright.kernels.cubist_kernels.cubist_spreads import least_correlations
from treewright.kernels.jit import _linked

KINDS = np.array([NUMERIC, NOMINAL, NUMERIC, BINARY, IGNORED, ORDERED, NUMERIC])
N_LEVELS = np.array([0, 5, 0, 2, 0, 4, 0])


def cases(n, weighted, seed):
    rng = np.random.default_rng(seed)
    x = np.stack([rng.integers(0, levels, n) if levels else rng.normal(size=n).round(1) for levels in N_LEVELS])
    x = x.astype(np.float32)
    y = (2 * x[0] + 3 * (x[1] > 2) + x[2] * (x[3] > 0) + rng.normal(size=n) / 4).astype(np.float32)
    w = rng.choice([0.5, 1.0, 2.0], n) if weighted else np.ones(n)
    facts = np.array([y.min() - 1, y.max() + 1, y.std(ddof=1), 0.01, 6], np.float64)
    rows = np.argsort(x, axis=1, kind="stable").astype(np.int32)
    return GrowingCases(
        x, y, w, KINDS, N_LEVELS, np.ones(len(x), np.float32), facts, least_correlations.plain(n),
        np.arange(n, dtype=np.int32), rows, np.zeros(n, np.float32), np.zeros(n, np.bool_),
        w if weighted else w[:0],
    )  # fmt: skip


def grown(way, n, weighted, seed):
    of = cases(n, weighted, seed)
    tree = CubistTree(*(np.zeros(2 * n, np.float32 if name == "cut" else np.int32) for name in CubistTree._fields))
    n_nodes = way(of, 0, n, np.zeros(len(KINDS), np.bool_), True, tree)
    parts = (tree.start, tree.stop, tree.attribute, tree.cut, tree.left, tree.right, tree.parent)
    return [part[:n_nodes].tolist() for part in parts] + [of.order.tolist()]


def by_loops(of, *arguments):
    return _linked(grow_cubist.function, lambda kernel: kernel.plain)(of, *arguments)


@pytest.mark.parametrize("n", [2, 5, 30, 200])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_attributes_at_once_grow_the_tree_of_the_loops(n, weighted):
    with switch.compiling("never"):
        assert grown(grow_cubist.plain, n, weighted, n) == grown(by_loops, n, weighted, n)


@pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")
@pytest.mark.parametrize("weighted", [False, True])
def test_loops_compiled_alone_grow_the_same_tree(weighted, monkeypatch):
    with switch.compiling("never"):
        plain = grown(grow_cubist.plain, 150, weighted, 3)
        monkeypatch.setattr(switch, "hot", frozenset({score_levels, score_numbers, eliminate}))
        assert grown(grow_cubist.plain, 150, weighted, 3) == plain
    assert score_levels.is_ready
    assert score_numbers.is_ready
