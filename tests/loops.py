"""Kernels as the loops that they are written as, in plain Python, although they have numpy twins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from treewright.kernels.jit import Kernel


@contextmanager
def by_their_loops(module: ModuleType, *kernels: Kernel) -> Iterator[None]:
    """While it lasts, these kernels run without their twins where those of the module call them."""
    twins = [kernel.twin for kernel in kernels]
    callers = [one for one in vars(module).values() if isinstance(one, Kernel)]
    try:
        _set_twins(kernels, [None] * len(kernels), callers)
        yield
    finally:
        _set_twins(kernels, twins, callers)


def _set_twins(kernels, twins, callers) -> None:
    for kernel, twin in zip(kernels, twins):
        kernel.twin = twin
    for caller in callers:  # they remember what they call
        caller.__dict__.pop("plain", None)
