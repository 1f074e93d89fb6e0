"""The values of a column that lie near one of many cuts, in one pass over the column."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def near_values(values, marked, start, scale, out):
    """Keep the values in marked buckets, bucket b being the values v with b = ⌊(v − start)·scale⌋; returns how many.

    What is below the first bucket or above the last counts as in it.
    """
    n, last = 0, marked.shape[0] - 1
    for i in range(values.shape[0]):
        value = np.float64(values[i])
        place = (value - start) * scale
        bucket = 0
        if place >= last:
            bucket = last
        elif place > 0:
            bucket = int(place)
        if marked[bucket] and value == value:
            out[n] = value
            n += 1
    return n


@near_values.in_numpy
def near_values_in_numpy(values, marked, start, scale, out):
    with np.errstate(over="ignore", invalid="ignore"):
        place = (values.astype(np.float64, copy=False) - start) * scale
        place[~(place > 0)] = 0
        found = values[marked[np.minimum(place, len(marked) - 1).astype(np.int64)] & ~np.isnan(values)]
    out[: len(found)] = found
    return len(found)
