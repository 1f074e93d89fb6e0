"""The cases of a node, sorted by every column of numbers.

All cases are sorted once. Of a node they are picked from those of a node above, or sorted anew by their places in the
whole list where that is less work. So equal numbers are always in the order of the table.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, kernel

_STEPS = (1, 4, 10, 23, 57, 132, 301, 701, 1750, 4376, 10941, 27353, 68383)  # of Shell's sort: Ciura's, then × 2.5


class SortedColumns(NamedTuple):
    """The cases of the whole table by every column of numbers; those that have no number are left out."""

    columns: np.ndarray  # (numbers,) int64
    sizes: np.ndarray  # (numbers,) int64: cases with a number
    cases: np.ndarray  # (numbers, cases) int32
    places: np.ndarray  # (cases, numbers) int32: where a case stands in that list; -1: unknown, -2: not applicable


@kernel
def pick_cases(above, is_here, out):
    """Those of the sorted cases that are marked; returns how many. ``out`` may be where ``above`` is, or before it.

    Every case is written, and stays if it is marked: whether the next one is cannot be foreseen.
    """
    n = 0
    for i in range(len(above)):
        if n == len(out):
            break
        case = above[i]
        out[n] = case
        n += is_here[case]
    return n


@pick_cases.in_numpy
def pick_cases_in_numpy(above, is_here, out):
    found = above[is_here[above]]
    out[: len(found)] = found
    return len(found)


@borrowing
def _sort_in_place(places, n):
    """Shell's sort: without other memory, and quick for the few hundred places that are sorted."""
    for g in range(len(_STEPS) - 1, -1, -1):
        step = _STEPS[g]
        for i in range(step, n):
            place, k = places[i], i
            while k >= step and places[k - step] > place:
                places[k] = places[k - step]
                k -= step
            places[k] = place


@kernel
def sort_cases(all_cases, places, p, cases, out):
    """The cases sorted by their places in the whole list; returns how many have one."""
    n = 0
    for i in range(len(cases)):
        place = places[cases[i], p]
        if place >= 0:
            out[n] = place
            n += 1
    _sort_in_place(out, n)
    for i in range(n):
        out[i] = all_cases[out[i]]
    return n


@sort_cases.in_numpy
def sort_cases_in_numpy(all_cases, places, p, cases, out):
    found = places[cases, p]
    found = all_cases[np.sort(found[found >= 0])]
    out[: len(found)] = found
    return len(found)


@kernel
def is_little_to_pick(n_above, n):
    """Whether picking n cases out of so many is less work than sorting them."""
    bits = 1
    while (1 << bits) <= n:
        bits += 1
    return n_above <= 3 * n * bits
