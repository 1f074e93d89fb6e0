"""Linear equations of a positive matrix, by L·Lᵀ; columns that others determine get 0."""

import numpy as np

from treewright.kernels.jit import borrowing, hot_loop, kernel


@borrowing
def cholesky_factor(gram, used, ridge, factor):
    """L of G + ridge·I = L·Lᵀ for the columns in ``used``; one that those before it determine has a diagonal of 0."""
    for i in range(len(used)):
        for j in range(i + 1):
            total = gram[used[i], used[j]] + (ridge if i == j else 0.0)
            for m in range(j):
                total -= factor[i, m] * factor[j, m]
            if i > j:
                factor[i, j] = total / factor[j, j] if factor[j, j] > 0 else 0.0
            else:
                factor[i, i] = np.sqrt(total) if total > 0 else 0.0


@cholesky_factor.in_numpy
def cholesky_factor_in_numpy(gram, used, ridge, factor):
    k = len(used)
    rest = gram[used[:, None], used]
    rest.flat[:: k + 1] += ridge
    for j in range(k):
        below = rest[j + 1 :, j]
        if rest[j, j] > 0:
            rest[j, j] = np.sqrt(rest[j, j])
            below /= rest[j, j]
            rest[j + 1 :, j + 1 :] -= below[:, None] * below
        else:
            rest[j:, j] = 0.0
    factor[:k, :k] = rest


@borrowing
def cholesky_substitute(factor, right, solution):
    """Solve L·Lᵀ·b = r; columns that others determine get 0."""
    k = len(right)
    for i in range(k):
        total = right[i]
        for m in range(i):
            total -= factor[i, m] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0
    for i in range(k - 1, -1, -1):
        total = solution[i]
        for m in range(i + 1, k):
            total -= factor[m, i] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0


@cholesky_substitute.in_numpy
def cholesky_substitute_in_numpy(factor, right, solution):
    k = len(right)
    solution[:k] = right
    for i in range(k):
        solution[i] = solution[i] / factor[i, i] if factor[i, i] > 0 else 0.0
        solution[i + 1 : k] -= factor[i + 1 : k, i] * solution[i]
    for i in range(k - 1, -1, -1):
        terms = np.append(solution[i], factor[i + 1 : k, i] * solution[i + 1 : k])
        total = np.subtract.accumulate(terms)[-1]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0


@kernel
def cholesky_invert(factor, inverse):
    """The inverse of L·Lᵀ, 0 for columns that others determine."""
    k = len(factor)
    for j in range(k):
        unit = np.zeros(k)
        unit[j] = 1.0
        cholesky_substitute(factor, unit, inverse[j])


@cholesky_invert.in_numpy
def cholesky_invert_in_numpy(factor, inverse):
    known = np.flatnonzero(factor.diagonal() > 0)
    half = np.linalg.inv(np.tril(factor[known[:, None], known]))
    inverse[:] = 0.0
    inverse[known[:, None], known] = half.T @ half


@hot_loop(0.5)
@borrowing
def cholesky_solve(gram, right, used, ridge, factor, solution):
    """Solve (G + ridge·I)·b = r for the columns in ``used``; columns that others determine get 0."""
    cholesky_factor(gram, used, ridge, factor)
    for i in range(len(used)):
        solution[i] = right[used[i]]
    cholesky_substitute(factor, solution[: len(used)], solution)
