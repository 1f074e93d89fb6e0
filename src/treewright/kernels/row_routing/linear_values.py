"""Rows through the linear models of their nodes."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def linear_values(matrix, start_row, stop_row, nodes, models, values):
    """What the model of ``nodes[i]`` says of row i, for every output; not limited yet."""
    n_outputs = models.intercept.shape[1]
    for i in range(start_row, stop_row):
        for k in range(n_outputs):
            at = nodes[i] * n_outputs + k
            total = 0.0
            for m in range(models.start[at], models.start[at + 1]):
                t = models.term[m]
                cell, first = matrix[i, models.term_column[t]], models.term_start[t]
                if np.isnan(cell):
                    total += models.slope[m] * models.scores[first]
                elif models.term_start[t + 1] - first == 1:
                    total += models.slope[m] * cell
                else:
                    total += models.slope[m] * models.scores[first + np.int64(cell)]
            values[i, k] = total + models.intercept[nodes[i], k]


@linear_values.in_numpy
def linear_values_in_numpy(matrix, start_row, stop_row, nodes, models, values):
    """Term by term, since sums in the same order are the same numbers."""
    n_outputs = models.intercept.shape[1]
    rows = np.arange(start_row, stop_row)
    for k in range(n_outputs):
        at = nodes[rows] * n_outputs + k
        place, stop = models.start[at], models.start[at + 1]
        total = np.zeros(len(rows))
        while (open_rows := np.flatnonzero(place < stop)).size:
            t = models.term[place[open_rows]]
            first = models.term_start[t]
            cells = np.asarray(matrix[rows[open_rows], models.term_column[t]], np.float64)
            known, numeric = ~np.isnan(cells), models.term_start[t + 1] - first == 1
            code = np.where(known & ~numeric, cells, 0.0).astype(np.int64)
            found = np.where(known & numeric, cells, models.scores[first + code])
            total[open_rows] += models.slope[place[open_rows]] * found
            place[open_rows] += 1
        values[rows, k] = total + models.intercept[nodes[rows], k]
