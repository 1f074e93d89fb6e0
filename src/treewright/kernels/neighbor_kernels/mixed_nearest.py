"""The nearest rows where some columns hold numbers, some levels, and cells may be missing.

A distance is a sum over columns, or its square root: see ``treewright.neighbors.mixed_metric``. Numbers come scaled.
Codes of levels count from 1, and 0 is missing.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel
from treewright.kernels.neighbor_kernels.nearest import NOBODY, in_order, is_nearer, sink

_BLOCK = 256  # rows whose distances are computed together


class MixedRows(NamedTuple):
    """Rows by column, and how the columns are compared."""

    numbers: np.ndarray  # (columns, rows), NaN is missing
    levels: np.ndarray  # (columns, rows) of codes
    number_weights: np.ndarray
    level_weights: np.ndarray
    shares: np.ndarray  # (all codes, classes) of VDM: how often the classes are where a column has a level; else empty
    share_start: np.ndarray  # where the codes of each column begin there
    gower: bool  # a mean over the columns that both rows have, instead of a sum of squares in which missing counts 1
    farthest: bool  # a missing number is as far from a known one as it could be, between 0 and 1


class MixedQueries(NamedTuple):
    numbers: np.ndarray  # (queries, columns)
    levels: np.ndarray
    part: np.ndarray


@borrowing
def mixed_block(rows, a, b, numbers, levels, out, known, by_code):
    """The powers of the rows a … b-1 of one query. ``known`` and ``by_code`` are scratch."""
    n = b - a
    for i in range(n):
        out[i] = 0.0
        known[i] = 0.0
    for j in range(rows.numbers.shape[0]):
        add_numbers(rows, rows.numbers[j, a:b], numbers[j], rows.number_weights[j], out, known)
    for j in range(rows.levels.shape[0]):
        column, code, weight = rows.levels[j, a:b], levels[j], rows.level_weights[j]
        if rows.gower:
            if code > 0:
                for i in range(n):
                    out[i] += weight if column[i] != code and column[i] > 0 else 0.0
                    known[i] += weight if column[i] > 0 else 0.0
        elif rows.shares.shape[0] == 0 or code == 0:
            for i in range(n):  # a missing level is none of the others
                out[i] += weight if column[i] != code or code == 0 else 0.0
        else:
            for i in range(n):
                out[i] += weight * by_code[rows.share_start[j] + column[i]]
    if rows.gower:
        for i in range(n):
            out[i] = out[i] / known[i] if known[i] > 0 else 1.0


@inlined_borrowing
def add_numbers(rows, column, x, weight, out, known):
    n = len(column)
    if rows.gower:
        if x == x:
            for i in range(n):
                d = abs(column[i] - x)
                out[i] += weight * d if d == d else 0.0
                known[i] += weight if d == d else 0.0
    elif rows.farthest:
        for i in range(n):
            z = column[i]
            d = z - x
            if d != d:
                other = x if x == x else z
                d = max(other, 1 - other) if other == other else 1.0
            out[i] += weight * (d * d)
    elif x != x:
        for i in range(n):
            out[i] += weight
    else:
        for i in range(n):
            d = column[i] - x
            out[i] += weight * (d * d) if d == d else weight


@inlined_borrowing
def prepare_codes(rows, levels, by_code):
    """VDM from the level of the query to every level: Σ (P(c | one) − P(c | other))². A missing one is at 1."""
    for j in range(rows.levels.shape[0]):
        if rows.shares.shape[0] == 0 or levels[j] == 0:
            continue
        first, last = rows.share_start[j], rows.share_start[j + 1]
        own = first + levels[j]
        by_code[first] = 1.0
        for code in range(first + 1, last):
            total = 0.0
            for c in range(rows.shares.shape[1]):
                d = rows.shares[own, c] - rows.shares[code, c]
                total += d * d
            by_code[code] = total


@kernel
def search_mixed(rows, parts, queries, first, last, powers, found):
    """The k nearest rows of some queries, by comparing all; of equally near ones the first. See ``nearest.py``."""
    k, n_rows = powers.shape[1], max(rows.numbers.shape[1], rows.levels.shape[1])
    scratch, known, by_code = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(rows.share_start[-1])
    for q in range(first, last):
        power, row = powers[q], found[q]
        power[:], row[:] = np.inf, NOBODY
        prepare_codes(rows, queries.levels[q], by_code)
        for a in range(0, n_rows, _BLOCK):
            b = min(a + _BLOCK, n_rows)
            mixed_block(rows, a, b, queries.numbers[q], queries.levels[q], scratch, known, by_code)
            worst = power[0]
            for i in range(b - a):
                if scratch[i] <= worst:
                    if (len(parts) and parts[a + i] == queries.part[q]) or not is_nearer(
                        scratch[i], a + i, worst, row[0]
                    ):
                        continue
                    sink(power, row, k, scratch[i], a + i)
                    worst = power[0]
        in_order(power, row, k)


@kernel
def mixed_powers(rows, queries, first, last, out):
    """The powers of all rows for some queries."""
    n_rows = max(rows.numbers.shape[1], rows.levels.shape[1])
    scratch, known, by_code = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(rows.share_start[-1])
    for q in range(first, last):
        prepare_codes(rows, queries.levels[q], by_code)
        for a in range(0, n_rows, _BLOCK):
            b = min(a + _BLOCK, n_rows)
            mixed_block(rows, a, b, queries.numbers[q], queries.levels[q], scratch, known, by_code)
            out[q - first, a:b] = scratch[: b - a]


@mixed_powers.in_numpy
def mixed_powers_in_numpy(rows, queries, first, last, out):
    part = slice(first, last)
    out[:], known = 0.0, np.zeros(out.shape)
    for j, weight in enumerate(rows.number_weights):
        _numbers_in_numpy(rows, rows.numbers[j], queries.numbers[part, j, np.newaxis], weight, out, known)
    for j, weight in enumerate(rows.level_weights):
        column, code = rows.levels[j], queries.levels[part, j, np.newaxis]
        both = (column > 0) & (code > 0)
        differ = (column != code).astype(np.float64)
        if rows.gower:
            out += np.where(both, weight * differ, 0.0)
            known += np.where(both, weight, 0.0)
        elif rows.shares.shape[0] == 0:
            out += np.where(both, weight * differ, weight)
        else:
            start = rows.share_start[j]
            total = 0.0
            for c in range(rows.shares.shape[1]):  # one class after the other, as the kernel adds them
                d = rows.shares[start + code, c] - rows.shares[start + column, c]
                total = total + d * d
            out += np.where(both, weight * total, weight)
    if rows.gower:
        np.divide(out, known, out=out, where=known > 0)
        out[known == 0] = 1.0


def _numbers_in_numpy(rows, column, x, weight, out, known):
    d = column - x
    if rows.gower:
        out += np.where(np.isnan(d), 0.0, weight * np.abs(d))
        known += np.where(np.isnan(d), 0.0, weight)
        return
    if rows.farthest:
        other = np.where(np.isnan(x), column, x)
        lost = np.where(np.isnan(other), 1.0, np.maximum(other, 1 - other))
        d = np.where(np.isnan(d), lost, d)
    out += weight * np.where(np.isnan(d), 1.0, d * d)
