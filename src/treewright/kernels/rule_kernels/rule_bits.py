"""Which rules a row meets: one look-up per column, whatever the number of rules.

For every code of a column a word says, bit by bit, which rules let it pass. The rules a row meets are the bits left
when the words of all its columns are combined, and the first rule is the lowest of them.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel

_ONE = np.uint64(1)


class RuleBits(NamedTuple):
    """Some rules over the columns they ask about.

    A number's code is 1 + how many edges of its column lie below it, a level has its own; 0 is missing. The words of
    code c of the k-th column are ``passing[code_start[k] + c]``.
    """

    column: np.ndarray
    is_level: np.ndarray
    edge_start: np.ndarray
    edges: np.ndarray
    code_start: np.ndarray
    passing: np.ndarray  # (codes, words) uint64
    everything: np.ndarray  # (words,) the bits of all rules


@inlined
def code_of(x, is_level, edges, low, high):
    if np.isnan(x):
        code = 0
    elif is_level:
        code = np.int64(x)
    else:
        start = low
        while low < high:
            middle = (low + high) // 2
            if edges[middle] < x:
                low = middle + 1
            else:
                high = middle
        code = 1 + low - start
    return code


@kernel
def first_match(matrix, first_row, last_row, block, first_rule, out):
    """The first rule that each row meets, for rows that have none yet (-1). The block begins with ``first_rule``."""
    column, is_level, edge_start, edges = block.column, block.is_level, block.edge_start, block.edges
    code_start, passing, everything = block.code_start, block.passing, block.everything
    n_columns, n_words = column.shape[0], everything.shape[0]
    words = np.empty(n_words, np.uint64)
    for i in range(first_row, last_row):
        if out[i] >= 0:
            continue
        for w in range(n_words):
            words[w] = everything[w]
        for k in range(n_columns):
            x = matrix[i, column[k]]
            code = code_start[k] + code_of(x, is_level[k], edges, edge_start[k], edge_start[k + 1])
            for w in range(n_words):
                words[w] &= passing[code, w]
        w = 0
        while w < n_words and words[w] == 0:
            w += 1
        if w < n_words:
            word, bit = words[w], 0
            while word & _ONE == 0:
                word >>= _ONE
                bit += 1
            out[i] = first_rule + 64 * w + bit


@first_match.in_numpy
def first_match_in_numpy(matrix, first_row, last_row, block, first_rule, out):
    rows = first_row + np.flatnonzero(out[first_row:last_row] < 0)
    words = _words_in_numpy(matrix[rows], block)
    is_met = words.any(axis=1)
    rows, words = rows[is_met], words[is_met]
    place = np.argmax(words != 0, axis=1)
    word = words[np.arange(rows.size), place]
    lowest = word & (~word + _ONE)
    out[rows] = first_rule + 64 * place + np.frexp(lowest.astype(np.float64))[1] - 1


def _words_in_numpy(matrix, block):
    """(rows, words): the bits of the rules that each row meets."""
    words = np.repeat(block.everything[None], matrix.shape[0], axis=0)
    for k in range(block.column.shape[0]):
        x = matrix[:, block.column[k]].astype(np.float64)
        code = np.where(np.isnan(x), 0, x)
        if not block.is_level[k]:
            edges = block.edges[block.edge_start[k] : block.edge_start[k + 1]]
            code = np.where(np.isnan(x), 0, 1 + np.searchsorted(edges, x))
        words &= block.passing[block.code_start[k] + code.astype(np.int64)]
    return words


@kernel
def all_matches(matrix, first_row, last_row, block, out):
    """``out[i - first_row, r]``: whether row i meets the r-th rule of the block."""
    column, is_level, edge_start, edges = block.column, block.is_level, block.edge_start, block.edges
    code_start, passing = block.code_start, block.passing
    for i in range(first_row, last_row):
        for r in range(out.shape[1]):
            out[i - first_row, r] = True
        for k in range(column.shape[0]):
            x = matrix[i, column[k]]
            code = code_start[k] + code_of(x, is_level[k], edges, edge_start[k], edge_start[k + 1])
            for r in range(out.shape[1]):
                out[i - first_row, r] &= (passing[code, r // 64] >> np.uint64(r % 64)) & _ONE == _ONE


@all_matches.in_numpy
def all_matches_in_numpy(matrix, first_row, last_row, block, out):
    words, rule = _words_in_numpy(matrix[first_row:last_row], block), np.arange(out.shape[1])
    out[:] = (words[:, rule // 64] >> (rule % 64).astype(np.uint64)) & _ONE == _ONE
