"""Sums of integers by place, exact in any order."""

from treewright.kernels.jit import kernel


@kernel
def add_labelled(places, labels, amounts, out):
    """``out[place, label] += amount`` for every case."""
    for i in range(places.shape[0]):
        out[places[i], labels[i]] += amounts[i, 0]


@kernel
def add_rows(places, amounts, out):
    """``out[place] += amounts`` for every case."""
    for i in range(places.shape[0]):
        for s in range(amounts.shape[1]):
            out[places[i], s] += amounts[i, s]
