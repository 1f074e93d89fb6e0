"""Monte Carlo p-values of χ²: of random tables with the same margins, which share has as large a statistic?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from treewright.typing import Floats, Ints

N_SAMPLES = 9999
_EQUAL = 1e-9  # relative; a statistic this close to the observed one is as large


def monte_carlo_chi2_p(counts: Ints) -> float:
    """(1 + random tables whose χ² is as large) / (1 + random tables), as R's ``chisq.test`` simulates it.

    Random tables have the sums of the rows and columns of ``counts``, which are whole numbers. The same counts have the
    same p every time. With two groups and two classes no random tables are made: p is the expected value of the
    estimate.

    >>> monte_carlo_chi2_p(np.array([[3, 1], [1, 3]]))
    0.4858
    """
    return _p(counts.shape, tuple(counts.ravel().tolist()))


@lru_cache(maxsize=1 << 16)
def _p(shape: tuple[int, ...], cells: tuple[int, ...]) -> float:
    counts = np.array(cells, np.int64).reshape(shape)
    rows, columns = counts.sum(1), counts.sum(0)
    expected = np.outer(rows, columns) / rows.sum()
    found = _statistic(counts, expected) * (1 - _EQUAL)
    if shape == (2, 2):
        tables, chance = _two_by_two(rows, columns)
        as_large = N_SAMPLES * float(chance[_statistic(tables, expected) >= found].sum())
    else:
        tables = _sample_tables(rows, columns, np.random.default_rng(cells))
        as_large = float((_statistic(tables, expected) >= found).sum())
    return round(1 + as_large) / (1 + N_SAMPLES)


def _statistic(tables: Ints, expected: Floats) -> Floats:
    return np.asarray(((tables - expected) ** 2 / expected).sum((-1, -2)))


def _two_by_two(rows: Ints, columns: Ints) -> tuple[Ints, Floats]:
    """All tables with these margins, and how probable each is (hypergeometric)."""
    from scipy.special import gammaln

    first = np.arange(max(0, rows[0] - columns[1]), min(rows[0], columns[0]) + 1)
    tables = np.array([[first, rows[0] - first], [columns[0] - first, columns[1] - rows[0] + first]]).transpose(2, 0, 1)
    margins = gammaln(np.concatenate([rows, columns]) + 1).sum() - gammaln(rows.sum() + 1)
    return tables, np.exp(margins - gammaln(tables + 1).sum((1, 2)))


def _sample_tables(rows: Ints, columns: Ints, generator: np.random.Generator) -> Ints:
    """Random tables, cell by cell: hypergeometric, given the cells before."""
    tables = np.zeros((N_SAMPLES, len(rows), len(columns)), np.int64)
    free = np.tile(columns, (N_SAMPLES, 1))
    for i in range(len(rows) - 1):
        wanted, rest = np.full(N_SAMPLES, rows[i]), free.sum(1)
        for j in range(len(columns)):
            rest = rest - free[:, j]
            taken = generator.hypergeometric(free[:, j], rest, wanted)
            tables[:, i, j] = taken
            wanted = wanted - taken
        free -= tables[:, i]
    tables[:, -1] = free
    return tables
