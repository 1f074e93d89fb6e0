"""Kernels that only kernels call are compiled as far as their callers need: a fifth off the time of compiling.

numba optimises each function that it compiles and makes machine code of it. One that Python cannot call becomes part of
its callers, where it is optimised again, and its own machine code is never run. Both are left out here, for what is
compiled inside ``left_out()`` alone: other code of the process is compiled as ever.

These are numba's own classes and none of its promises. Where they are not as they were, everything is compiled as numba
has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_CALLED_BY_PYTHON = "_ZN7cpython"  # begins the name of what unpacks Python's arguments
_OF_CODEGEN = ("_library_class", "_engine", "set_env")
_OF_LIBRARY = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")


@contextmanager
def left_out() -> Iterator[None]:
    """numba compiles one function at a time; so does whoever is in here."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()
    if not _is_as_expected(codegen):
        yield
        return
    with global_compiler_lock:
        usual = codegen._library_class
        codegen._library_class = _for_callers(usual)
        codegen.set_env = _where_defined(codegen)
        try:
            yield
        finally:
            codegen._library_class = usual
            del codegen.set_env


def _is_as_expected(codegen: Any) -> bool:
    has_all = all(hasattr(codegen, name) for name in _OF_CODEGEN)
    return has_all and all(hasattr(codegen._library_class, name) for name in _OF_LIBRARY)


@cache
def _for_callers(library: Any) -> Any:
    """The class of libraries, numba's word for a function's code with all that it calls."""

    class CalleeLibrary(library):  # type: ignore[misc]
        @property
        def _is_for_callers(self) -> bool:
            """Whether it has functions and Python calls none. One that comes from disk has none here."""
            own = [found.name for found in self._final_module.functions if not found.is_declaration]
            return bool(own) and not any(name.startswith(_CALLED_BY_PYTHON) for name in own)

        def _optimize_final_module(self) -> None:
            if not self._is_for_callers:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if not self._is_for_callers:
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._finalized = True

    return CalleeLibrary


def _where_defined(codegen: Any) -> Any:
    """Tell the machine code of a function its environment, if there is any."""
    usual = codegen.set_env

    def set_env(name: str, environment: Any) -> None:
        if codegen._engine.get_global_value_address(name):
            usual(name, environment)

    return set_env
