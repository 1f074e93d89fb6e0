"""Sums of integers by place, exact in any order."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def add_labelled(places, labels, amounts, out):
    """``out[place, label] += amount`` for every case."""
    for i in range(places.shape[0]):
        out[places[i], labels[i]] += amounts[i, 0]


@add_labelled.in_numpy
def add_labelled_in_numpy(places, labels, amounts, out):
    if out.flags.c_contiguous:  # numpy is quick along one dimension only
        np.add.at(out.reshape(-1), places * out.shape[1] + labels, amounts[:, 0])
    else:
        np.add.at(out, (places, labels), amounts[:, 0])


@kernel
def add_rows(places, amounts, out):
    """``out[place] += amounts`` for every case."""
    for i in range(places.shape[0]):
        for s in range(amounts.shape[1]):
            out[places[i], s] += amounts[i, s]


@add_rows.in_numpy
def add_rows_in_numpy(places, amounts, out):
    for s in range(amounts.shape[1]):
        np.add.at(out[:, s], places, amounts[:, s])  # by column: numpy is quick along one dimension only
