"""The one place that knows numba: how a function of this folder becomes a kernel."""

from numba import njit

kernel = njit(nogil=True, cache=True)
inlined = njit(nogil=True, cache=True, inline="always")  # for a few lines inside the loops of other kernels
loose = njit(nogil=True, cache=True, fastmath={"nnan", "nsz"})  # no NaN comes in, and the sign of zero does not matter
