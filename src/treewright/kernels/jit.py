"""How a function of this folder becomes a kernel: plain Python at first, compiled once that pays.

A kernel is a function that numba can compile. Until compiling is switched on for the process (``switch.py``) it runs
as the plain Python it is; from then on it is compiled when it is first called. Results are the same. numba is imported
when the first kernel is compiled and not before.

A kernel whose loops would be slow in plain Python may have a numpy twin, written beside it::

    @kernel
    def add_rows(places, amounts, out): ...      # the loop, to be compiled

    @add_rows.in_numpy
    def add_rows_in_numpy(places, amounts, out): ...   # runs instead of the loop while nothing is compiled

Kernels call each other by name, but must not call themselves.

Of work that takes some seconds a few loops may be compiled while all else is plain (``hot_loop``).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from threading import RLock
from types import CodeType, FunctionType
from typing import Any

from treewright.kernels import switch
from treewright.kernels.callee_code import left_out

_NOTHING: Mapping[str, Any] = {}
_OBJECTS = 50_000  # new ones, before cycles are looked for while numba compiles; Python's own 700 is for smaller work
_compiler = RLock()


class Kernel:
    """A function that runs as plain Python or compiled, as the process has it."""

    seconds = 0.7  # to compile it, about
    is_hot = False  # whether it may be compiled by itself

    def __init__(self, function: FunctionType, as_callee: Mapping[str, Any] = _NOTHING, **options: Any) -> None:
        self.function = function  # as it was written; naming other kernels, it runs on the road these are on
        self.twin: Callable[..., Any] | None = None
        self._options = options  # of numba
        self._as_callee = as_callee  # more of them, where other kernels call this one
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__module__, self.__doc__, self.__wrapped__ = function.__module__, function.__doc__, function

    def __call__(self, *arguments: Any) -> Any:
        if not switch.is_on:
            return self.plain(*arguments)
        try:
            return self.compiled(*arguments)
        except SystemError as error:
            # Ctrl-C while an array is handed back: numba returns it, and the interpreter finds the interrupt beside it.
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"

    def in_numpy(self, twin: Callable[..., Any]) -> Callable[..., Any]:
        """Run ``twin`` in place of the loop while nothing is compiled: same arguments, same results."""
        self.twin = twin
        return twin

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The numpy twin or the function itself, calling plain functions and hot loops only."""
        plain = self.twin or _linked(self.function, lambda kernel: kernel.plain)
        return self._hot_or(plain) if self.is_hot else plain

    def _hot_or(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            return self.compiled(*arguments) if self.is_alone else plain(*arguments)

        return run

    @cached_property
    def compiled(self) -> Any:
        """The compiled function as Python calls it. It is kept on disk."""
        from treewright.kernels.cache import KernelCache

        options = {"no_cfunc_wrapper": True, **self._options}  # Python calls by another way
        dispatcher = _njit(_linked(self.function, lambda kernel: kernel.callee), options)
        dispatcher._cache = KernelCache(self)
        if hasattr(dispatcher, "compile"):  # with NUMBA_DISABLE_JIT it is the function itself
            dispatcher.compile = _collecting_rarely(dispatcher.compile)
        return dispatcher

    @cached_property
    def callee(self) -> Any:
        """The same as other compiled kernels call it, of whose code it becomes part. Python could not call it."""
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **self._options, **self._as_callee}
        return _njit(_linked(self.function, lambda kernel: kernel.callee), options)

    @property
    def is_alone(self) -> bool:
        """Whether it runs compiled though other kernels do not."""
        return self in switch.hot

    @property
    def is_ready(self) -> bool:
        """Whether it has been compiled or loaded in this process, for some types of arguments."""
        return "compiled" in self.__dict__ and bool(self.compiled.overloads)


def kernel(function: Any) -> Kernel:
    return Kernel(function)


def large_kernel(seconds: float) -> Callable[[Any], Kernel]:
    """One that takes so many seconds to compile."""

    def as_kernel(function: Any) -> Kernel:
        made = Kernel(function)
        made.seconds = seconds
        return made

    return as_kernel


def hot_loop(seconds: float) -> Callable[[Any], Kernel]:
    """One that ``switch.compile_hot`` may compile alone, in so many seconds, for plain kernels to call.

    It should be short and take few arrays, and no tuples of them: compile time grows with all that. It has its own
    name on disk, since it is there before other kernels are worth loading.
    """

    def as_kernel(function: Any) -> Kernel:
        made = function if isinstance(function, Kernel) else Kernel(function)
        made.seconds, made.is_hot = seconds, True
        return made

    return as_kernel


def inlined(function: Any) -> Kernel:
    """For a few lines inside the loops of other kernels.

    LLVM puts them there. numba's own ``inline="always"`` is no faster to run, and a tenth slower to compile.
    """
    return Kernel(function, as_callee={"forceinline": True})


def dividing(function: Any) -> Kernel:
    """The same where a division by zero is infinite or NaN, as in numpy: to raise an error takes time in a loop."""
    return Kernel(function, as_callee={"forceinline": True, "_nrt": False}, error_model="numpy")


def borrowing(function: Any) -> Kernel:
    """One that makes no arrays. Called by others it does not count who holds those it is given: that takes longer than
    a few lines of work."""
    return Kernel(function, as_callee={"_nrt": False})


def inlined_borrowing(function: Any) -> Kernel:
    """Both: a few lines, or many that are called from one place, which make no arrays."""
    return Kernel(function, as_callee={"forceinline": True, "_nrt": False})


def lending(function: Any) -> Kernel:
    """One that makes arrays, and so may what it calls, though it is called by one that borrows."""
    return Kernel(function, as_callee={"_nrt": True})


def stepwise(function: Any) -> Kernel:
    """For loops over arrays of which no step needs the one before, so that several are taken at once: a division by
    zero is infinite or NaN, and no arrays are made."""
    return Kernel(function, as_callee={"_nrt": False}, error_model="numpy")


def loose(function: Any) -> Kernel:
    """Where no NaN comes in, and the sign of zero does not matter."""
    return Kernel(function, fastmath={"nnan", "nsz"})


Run = Callable[..., Any]  # (kernel, *arguments)


def runner(seconds: float, *kernels: Kernel) -> Run:
    """How to run these kernels for work of so many seconds on the plain road: ``run(kernel, *arguments)``."""
    return _run_compiled if switch.should_compile(seconds, *kernels) else _run_plain


def hot_runner(seconds: float, loop: Kernel) -> Run:
    """The same of a hot loop, which is compiled alone where that pays."""
    return _run_plain if not switch.is_on and switch.expect_hot(seconds, loop) else runner(seconds, loop)


def on_this_road(kernel: Kernel) -> Callable[..., Any]:
    """The function itself, for whoever calls a small kernel very often: asking for the road costs as much."""
    compiled_or_plain: Callable[..., Any] = kernel.compiled if switch.is_on else kernel.plain
    return compiled_or_plain


def _run_compiled(kernel: Kernel, *arguments: Any) -> Any:
    return kernel(*arguments)


def _run_plain(kernel: Kernel, *arguments: Any) -> Any:
    return kernel.plain(*arguments)


def _njit(function: FunctionType, options: dict[str, Any]) -> Any:
    from numba import njit

    return njit(nogil=True, **options)(function)


def _collecting_rarely(compile_for: Callable[..., Any]) -> Callable[..., Any]:
    """The same, looking for cycles of garbage less often: numba makes millions of short-lived objects for a kernel, and
    an eighth of its time went to that."""

    def compile_rarely(signature: Any) -> Any:
        with _compiler:  # one at a time, as numba has it too: each finds and leaves the threshold of the process
            before = gc.get_threshold()
            gc.set_threshold(max(before[0], _OBJECTS) if before[0] else 0, *before[1:])
            try:
                with left_out():
                    return compile_for(signature)
            finally:
                gc.set_threshold(*before)

    return compile_rarely


def _linked(function: FunctionType, form: Callable[[Kernel], Any]) -> FunctionType:
    """A copy of the function in which every kernel that it names is the given form of that kernel."""
    found = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    names = {name: form(value) if isinstance(value, Kernel) else value for name, value in found.items()}
    names |= {name: function.__globals__[name] for name in ("__name__", "__builtins__")}
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__doc__ = function.__qualname__, function.__doc__
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """Every name that the code may look up, also inside comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
