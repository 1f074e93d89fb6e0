"""What makes the first answer come sooner: packages that are imported by others but hardly ever used wait.

scikit-learn's base class imports scipy.stats and, where it is installed, pandas. Both take longer than to learn a small
tree. A stand-in takes their place until somebody asks it for something; then the real package is imported.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import FrameType, ModuleType
from typing import Any

_HEAVY = ("scipy.special", "scipy.stats", "pandas", "numpy.f2py")
_SECONDS_BETWEEN_INTERRUPTS = 2.0


class DeferredModule(ModuleType):
    """A package that is imported when the first of its names is looked up."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def defer_imports() -> None:
    """Put off heavy imports, and the search for garbage: importing makes much that looks like it."""
    gc.disable()
    for name in _HEAVY:
        if name not in sys.modules:
            _put_off(name)


def resume_collection() -> None:
    """What is imported by now stays; garbage is looked for from here on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


@contextmanager
def repeat_interrupts() -> Iterator[None]:
    """Let Ctrl-C be heard: code that swallows the interrupt, as some does while it is imported or compiles, gets it
    again; nothing is printed of where it was swallowed."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupt), signal.signal(signal.SIGALRM, _interrupt)
    tell, sys.unraisablehook = sys.unraisablehook, _but_interrupts(sys.unraisablehook)
    try:
        yield
    finally:
        sys.unraisablehook = tell
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGINT, signal.SIGALRM), before):
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_BETWEEN_INTERRUPTS)
    raise KeyboardInterrupt


def _but_interrupts(tell: Callable[[Any], None]) -> Callable[[Any], None]:
    def told(swallowed: Any) -> None:
        if swallowed.exc_type is not KeyboardInterrupt:
            tell(swallowed)

    return told


def _put_off(name: str) -> None:
    parent, _, child = name.rpartition(".")
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return
    if spec is None:
        return
    module = DeferredModule(name)
    module.__spec__ = spec
    sys.modules[name] = module
    if parent:
        setattr(sys.modules[parent], child, module)
