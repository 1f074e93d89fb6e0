"""Many parts of an array sorted by ``unstable_sort``, each by itself."""

import treewright.kernels.sorting.unstable_sort_in_numpy as unstable_sort_in_numpy
from treewright.kernels.jit import hot_loop
from treewright.kernels.sorting.unstable_sort import unstable_sort


@hot_loop(0.4)
def sort_parts(keys, rows, start, stop):
    """Sort every part [start, stop) of the keys, rows moving along."""
    for k in range(len(start)):
        unstable_sort(keys[start[k] : stop[k]], rows[start[k] : stop[k]])


sort_parts.in_numpy(unstable_sort_in_numpy.sort_parts)
