"""Which rules a row meets."""

from typing import NamedTuple

import numpy as np
from numba import njit


class Program(NamedTuple):
    """Rules as flat arrays: rule r has the conditions ``rule_start[r]`` up to ``rule_start[r + 1]``, and so on.

    A condition on numbers owns the intervals ``start[c]`` up to ``stop[c]``: above ``low`` and up to ``high``; a low of
    NaN is no lower end. A condition on levels has ``stop[c] = -1``, and ``accepted[start[c] + code]`` says whether a
    code passes.
    """

    rule_start: np.ndarray
    column: np.ndarray
    missing: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    low: np.ndarray
    high: np.ndarray
    accepted: np.ndarray


@njit(nogil=True, cache=True, inline="always")
def condition_holds(program, c, x):
    first, last = program.start[c], program.stop[c]
    if np.isnan(x):
        held = program.missing[c]
    elif last < 0:
        held = program.accepted[first + np.int64(x)]
    else:
        held = False
        while first < last and not held:
            held = x <= program.high[first] and not x <= program.low[first]
            first += 1
    return held


@njit(nogil=True, cache=True)
def first_match(matrix, first_row, last_row, program, out):
    """The place of the first rule whose conditions all hold, -1 where there is none."""
    n_rules = program.rule_start.shape[0] - 1
    for i in range(first_row, last_row):
        r, found = 0, -1
        while r < n_rules and found < 0:
            c, last = program.rule_start[r], program.rule_start[r + 1]
            while c < last and condition_holds(program, c, matrix[i, program.column[c]]):
                c += 1
            if c == last:
                found = r
            r += 1
        out[i] = found


@njit(nogil=True, cache=True)
def all_matches(matrix, first_row, last_row, program, out):
    """``out[i - first_row, r]``: whether row i meets rule r."""
    for i in range(first_row, last_row):
        for r in range(program.rule_start.shape[0] - 1):
            c, last = program.rule_start[r], program.rule_start[r + 1]
            while c < last and condition_holds(program, c, matrix[i, program.column[c]]):
                c += 1
            out[i - first_row, r] = c == last
