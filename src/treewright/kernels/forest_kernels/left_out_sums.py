"""What members say of the rows they left out, added up row by row."""

from treewright.kernels.jit import kernel


@kernel
def add_left_out(rows, values, sums, times, means):
    """Add what one member says of ``rows``, each of which comes once; ``means`` are those of all members so far."""
    for i in range(rows.shape[0]):
        row = rows[i]
        times[row] += 1
        for k in range(values.shape[1]):
            sums[row, k] += values[i, k]
            means[i, k] = sums[row, k] / times[row]


@add_left_out.in_numpy
def add_left_out_in_numpy(rows, values, sums, times, means):
    more, often = sums.take(rows, axis=0) + values, times.take(rows) + 1
    sums[rows], times[rows] = more, often
    means[:] = more / often[:, None]
