"""What the search kernels are handed: the open nodes, what a row counts for, the rules, and room for what they find.

Named tuples of arrays, so that kernels take few arguments and stay cacheable. An *entry* is one row of a node:
``row << bits | label`` (no label bits for a numeric target), so the class travels with the row and needs no look-up.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined


class OpenNodes(NamedTuple):
    """Nodes whose best split is wanted. A node's entries are ``[start:stop]`` in every column's list."""

    id: np.ndarray  # (n,) int64
    start: np.ndarray  # (n,) int64
    stop: np.ndarray  # (n,) int64
    totals: np.ndarray  # (n, n_stats) int64
    slack: np.ndarray  # (n,) float64: scores this close are equal
    ceiling: np.ndarray  # (n,) float64: no split scores more; infinite where columns after such a split matter
    settled: np.ndarray  # (n,) int64: a column that reached the ceiling; later ones need not be searched


class RowData(NamedTuple):
    """What each row adds to the statistics. An empty array stands for 'one' (weight) or 'not there' (moment)."""

    bits: int  # low bits of an entry that hold the label
    weight: np.ndarray  # int64, fixed point
    moment: np.ndarray  # int64, w·y in fixed point
    square: np.ndarray  # int64, w·y² in fixed point


class Rules(NamedTuple):
    criterion: int
    min_rows: int  # least rows in a branch
    min_weight: int  # least weight in a branch, fixed point
    seed: int  # ties are drawn with this seed; negative: the first wins
    table: np.ndarray  # of 1/x or x·ln x for whole counts, see mass.py
    unit: bool  # every row counts once, so that the table serves


class Finds(NamedTuple):
    """Best split of one column at every open node."""

    score: np.ndarray  # float64: sum of the branches' masses, -inf when there is no admissible split
    cut: np.ndarray  # int64: last entry (listed columns) or last code (counted columns) of the left branch
    missing_left: np.ndarray  # uint8: whether missing rows go left
    ties: np.ndarray  # int64: how many splits share the score


NO_SPLIT = -1


@inlined
def keep(finds, f, score, cut, missing_left):
    """Record a split that beats the one found before at node f."""
    finds.score[f] = score
    finds.cut[f] = cut
    finds.missing_left[f] = missing_left
    finds.ties[f] = 1


@inlined
def begin(finds, f, column, nodes):
    """Forget what was found at node f; False if an earlier column has settled it and this one need not be searched.

    Threads may read an old value of ``settled``: then a column is searched in vain, which changes nothing.
    """
    keep(finds, f, -np.inf, NO_SPLIT, 0)
    finds.ties[f] = 0
    return nodes.settled[f] >= column


@inlined
def end(finds, f, column, nodes):
    """Tell later columns if this one cannot be beaten."""
    if finds.score[f] >= nodes.ceiling[f] - nodes.slack[f] and column < nodes.settled[f]:
        nodes.settled[f] = column
