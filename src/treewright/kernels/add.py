"""Sums of integers by place, exact in any order."""

from numba import njit


@njit(nogil=True, cache=True)
def add_labelled(places, labels, amounts, out):
    """``out[place, label] += amount`` for every case."""
    for i in range(places.shape[0]):
        out[places[i], labels[i]] += amounts[i, 0]


@njit(nogil=True, cache=True)
def add_rows(places, amounts, out):
    """``out[place] += amounts`` for every case."""
    for i in range(places.shape[0]):
        for s in range(amounts.shape[1]):
            out[places[i], s] += amounts[i, s]
