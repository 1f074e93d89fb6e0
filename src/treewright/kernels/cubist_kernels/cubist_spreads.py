"""Standard deviations by which Cubist scores a division: of residuals, and beside the line that could be drawn."""

import numpy as np

from treewright.kernels.jit import inlined, kernel

ALWAYS = 0.001  # added to every sum of squares
BESIDE_VARIANCES = 1e-10  # added to their product


@inlined
def spread_of(n, total, squares, overall):
    """The standard deviation of n weights; that of all cases if they are too few."""
    if n < 2.0:
        return overall
    variance = (squares - total * total / n + ALWAYS) / (n - 1.0)
    return np.sqrt(variance) if variance >= 0.0 else np.nan


@inlined
def _beside_line(least, n, x, xx, r, rr, xr):
    """What the squares of residuals come to once the best line in x is subtracted, if its correlation is ``least``."""
    var_x, var_r = xx / n - (x / n) * (x / n), rr / n - (r / n) * (r / n)
    under = var_x * var_r + BESIDE_VARIANCES
    if under < 0.0:
        return np.nan
    correlation = (xr - x * r / n) / (n * np.sqrt(under))
    if abs(correlation) < least:
        correlation = 0.0
    return (1.0 - correlation * correlation) * n * var_r


@inlined
def side(least, n, x, xx, r, rr, xr, overall):
    """The weight of one side times its standard deviation."""
    return n * spread_of(n, 0.0, _beside_line(least, n, x, xx, r, rr, xr), overall)


@kernel
def least_correlations(n):
    """From which absolute correlation on a line through 0, 1, 2, … n cases is significant; of few only a full one."""
    least = np.ones(n + 1)
    for k in range(6, n + 1):
        least[k] = np.tanh(1.96 / np.sqrt(k - 3.0))
    return least


def spreads_in_numpy(moments, least, overall):
    n, x, xx, r, rr, xr = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_r = x / n, r / n
        var_x, var_r = xx / n - mean_x * mean_x, rr / n - mean_r * mean_r
        correlation = (xr - x * r / n) / (n * np.sqrt(var_x * var_r + BESIDE_VARIANCES))
        correlation[np.abs(correlation) < least] = 0.0
        squares = (1.0 - correlation * correlation) * n * var_r
        spread = np.sqrt((squares + ALWAYS) / (n - 1.0))
        spread[n < 2.0] = overall
        return spread
