"""Whether kernels run compiled in this process: from the moment at which compiling pays, and then always.

Compiled kernels are a hundred times faster than plain Python, but making them takes seconds on a fresh machine, and
loading them from disk half a second. So small tables are worked on without them. Whoever has work that could go either
way says beforehand how long the plain road would take, and asks::

    from treewright.kernels import switch

    if switch.should_compile(2e-8 * n_rows * n_columns):   # an estimate, never a measurement: runs must repeat
        search(codes, ...)              # a kernel: compiled from here on
    else:
        search_in_numpy(codes, ...)     # the same in plain numpy

What plain work there was is added up over the process, so that a thousand small fits are compiled for in the end. The
tree is the same on either road.

Between the two roads there is one for work of some seconds: the few loops in which most of it is done, of some lines
each, are compiled by themselves in less than a second (``kernels/jit.py:hot_loop``), and all else stays plain.

``TREEWRIGHT_COMPILE`` in the environment: ``auto`` (the default), ``always`` (compile at once) or ``never`` (numba is
not even imported; also with ``NUMBA_DISABLE_JIT=1``). Where numba is not installed it is never: all works, and whoever
waits for it is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from treewright.kernels import cache, compile_notice

if TYPE_CHECKING:
    from treewright.kernels.jit import Kernel

Policy = Literal["auto", "always", "never"]

LOADING = 0.3  # seconds of plain work that are worth importing numba and loading kernels from disk
COMPILING = 9.0  # … worth compiling kernels that are not on disk
MORE_LOADING = 0.01  # the same for one kernel, once numba is at work; compiling one is said by the kernel
STARTING = 0.35  # … worth importing numba and making its compiler ready, for hot loops

is_on = False  # whether kernels run compiled; read by every call of a kernel
policy: Policy = "auto"
_plain_seconds: dict[tuple[Kernel, ...], float] = {}
_slow_seconds = 0.0
hot: frozenset[Kernel] = frozenset()  # loops that run compiled though other kernels do not


def should_compile(seconds: float, *kernels: Kernel) -> bool:
    """Whether to take the compiled road for work that takes so many seconds on the plain one; switches kernels on.

    ``seconds`` is computed from the size of the work. With ``kernels``, the ones that Python calls on the compiled
    road, the answer is about these: they may still have to be compiled when others are at work. Their plain work is
    added up apart from that of others. Without, it is about all kernels, and yes as soon as they are on.
    """
    if policy != "auto" or not has_numba:
        _switch(policy == "always" and has_numba)
        if not has_numba:
            _count_slow(seconds)
        return is_on
    if is_on and not kernels:
        return True
    _plain_seconds[kernels] = _plain_seconds.get(kernels, 0.0) + seconds
    if _plain_seconds[kernels] <= _cost(kernels):
        return False
    _switch(True)
    return True


def expect(seconds: float) -> None:
    """Switch kernels on beforehand if work that is about to begin will pay for them. Plain work is added up when it is
    done, as ever."""
    if policy == "auto" and has_numba and not is_on:
        _switch(_plain_seconds.get((), 0.0) + seconds > _cost(()))


def compile_hot(seconds: float, *loops: Kernel) -> bool:
    """Whether these loops run compiled from here on, though other kernels may not.

    ``seconds`` is what they would take on the plain road, estimated beforehand and added up as ever.
    """
    if policy != "auto" or not has_numba or is_on:
        return is_on
    _plain_seconds[loops] = _plain_seconds.get(loops, 0.0) + seconds
    return expect_hot(0.0, *loops)


def expect_hot(seconds: float, *loops: Kernel) -> bool:
    """The same for work that is about to begin. Plain work is added up when it is done, as ever."""
    global hot
    if policy != "auto" or not has_numba or is_on:
        return is_on
    if not hot.issuperset(loops) and _plain_seconds.get(loops, 0.0) + seconds > _cost_of_hot(loops):
        hot |= frozenset(loops)
        for loop in loops:
            _ = loop.compiled  # made here, lest every thread make one
    return hot.issuperset(loops)


def _cost_of_hot(loops: tuple[Kernel, ...]) -> float:
    """Seconds of plain work above which it pays to compile these loops alone."""
    own = sum(MORE_LOADING if cache.holds((loop,)) else loop.seconds for loop in loops if loop not in hot)
    return own + (0.0 if hot else STARTING)


def _cost(kernels: tuple[Kernel, ...]) -> float:
    """Seconds of plain work above which compiling pays."""
    if not is_on:
        return LOADING if cache.holds(kernels) else max(COMPILING, sum(kernel.seconds for kernel in kernels))
    waiting = [kernel for kernel in kernels if not kernel.is_ready]
    return sum(MORE_LOADING if cache.holds((kernel,)) else kernel.seconds for kernel in waiting)


def _count_slow(seconds: float) -> None:
    """Work that would have been compiled, had numba been there."""
    global _slow_seconds
    _slow_seconds += seconds
    if _slow_seconds > COMPILING:
        compile_notice.tell_without_numba()


def _switch(on: bool) -> None:
    global is_on
    is_on = is_on or on


@contextmanager
def compiling(chosen: Policy) -> Iterator[None]:
    """Take one road for a while, whatever the work: for tests, and for whoever compiles ahead of time."""
    global is_on, policy, hot
    before = is_on, policy, hot
    is_on, policy, hot = chosen == "always" and has_numba, chosen, frozenset()
    try:
        yield
    finally:
        is_on, policy, hot = before


def _chosen() -> Policy:
    """What the environment asks for. A word that is none of the three counts as ``auto``."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "never"
    word = os.environ.get("TREEWRIGHT_COMPILE", "auto").lower()
    return "always" if word == "always" else "never" if word == "never" else "auto"


def _is_installed() -> bool:
    try:
        return find_spec("numba") is not None
    except (ImportError, ValueError):  # something stands in its way
        return False


has_numba = _is_installed()
policy = _chosen()
is_on = policy == "always" and has_numba
