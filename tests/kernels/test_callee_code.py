"""Kernels for kernels have no machine code of their own; all else is compiled as ever."""

from contextlib import nullcontext, suppress

import numpy as np
import pytest

from treewright.kernels import switch
from treewright.kernels.callee_code import left_out

pytestmark = pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")


def codegen():
    from numba.core.registry import cpu_target

    return cpu_target.target_context.codegen()


def made(compiling):
    """A function that Python calls, and one that only it calls, freshly compiled."""
    from numba import njit

    @njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    def largest(values):
        return np.sort(values)[-1]

    @njit
    def range_of(values):
        return largest(values) + largest(-values)

    with compiling():
        range_of.compile("(float64[::1],)")
    return range_of, largest


def is_in_memory(dispatcher):
    (result,) = dispatcher.overloads.values()
    return codegen()._engine.is_symbol_defined(result.fndesc.mangled_name)


def test_only_what_python_calls_becomes_machine_code():
    caller, callee = made(left_out)
    assert caller(np.array([3.0, -1.0, 2.0])) == 4.0
    assert is_in_memory(caller)
    assert not is_in_memory(callee)


def test_numba_is_left_as_it_was():
    before = codegen()._library_class
    with suppress(ZeroDivisionError), left_out():
        assert codegen()._library_class is not before
        raise ZeroDivisionError
    assert codegen()._library_class is before
    assert "set_env" not in vars(codegen())


def test_other_code_may_call_what_was_left_out():
    from numba import njit

    _, callee = made(left_out)

    @njit
    def smallest(values):
        return -callee(-values)

    assert smallest(np.array([3.0, -1.0, 2.0])) == -1.0


def test_another_numba_compiles_as_it_does(monkeypatch):
    monkeypatch.setattr("treewright.kernels.callee_code._OF_LIBRARY", ("of another version",))
    caller, callee = made(left_out)
    assert caller(np.array([3.0, -1.0, 2.0])) == 4.0
    assert is_in_memory(callee)
    assert is_in_memory(made(nullcontext)[1])
