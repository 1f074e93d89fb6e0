"""Whoever waits for the compiler is told so: on stderr, once, and not by a warning, which may be an error to some."""

from __future__ import annotations

import sys
import time
from threading import Timer

PATIENCE = 1.0  # seconds of compiling that nobody need hear of

_COMPILING = (
    "treewright: compiling its kernels, once for this machine; this takes seconds, or a minute beside other work. "
    "'treewright doctor --compile' does it beforehand.\n"
)
_NOT_KEPT = (
    "treewright: compiled kernels cannot be kept where later runs find them ({}). "
    "Set NUMBA_CACHE_DIR to a folder that can be written, and they are compiled once.\n"
)
_WITHOUT = (
    "treewright: numba is not installed, and this would be many times as fast with it. "
    "Install it, or leave this to a machine that has it.\n"
)

_told: set[str] = set()
_began = 0.0
_waited = 0.0
_timer: Timer | None = None


def begin() -> None:
    """A kernel begins to be compiled. The waits of the process are added up. numba compiles one at a time."""
    global _began, _timer
    if _COMPILING not in _told:
        _began = time.perf_counter()
        _timer = Timer(max(PATIENCE - _waited, 0), _tell, (_COMPILING,))
        _timer.daemon = True
        _timer.start()


def end() -> None:
    """It is compiled."""
    global _waited, _timer
    if _timer:
        _timer.cancel()
        _timer = None
        _waited += time.perf_counter() - _began


def expect_compiling() -> None:
    """Compiling is what this process was asked to do: nobody need be told."""
    _told.add(_COMPILING)


def tell_not_kept(folder: str) -> None:
    _tell(_NOT_KEPT, f"tried {folder} last")


def tell_without_numba() -> None:
    _tell(_WITHOUT)


def _tell(text: str, *details: str) -> None:
    if text not in _told:
        _told.add(text)
        if sys.stderr is not None:
            sys.stderr.write(text.format(*details))
            sys.stderr.flush()
