"""Kernels run as plain Python or compiled, with the same results."""

import gc
import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from treewright import kernels
from treewright.kernels import jit, switch
from treewright.kernels.jit import Kernel, kernel, runner
from treewright.kernels.random_numbers import hashed
from treewright.kernels.sorting.radix_sort import float_keys, sort_rows
from treewright.kernels.store_kernels.integer_sums import add_labelled, add_rows

can_compile = pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")


def all_kernels():
    modules = [
        importlib.import_module(f"treewright.kernels.{found.name}") for found in pkgutil.iter_modules(kernels.__path__)
    ]
    return {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}


@kernel
def doubled(x):
    return 2 * x


@kernel
def quadrupled(x):
    return doubled(doubled(x))


def test_a_kernel_is_known_by_its_function():
    assert (quadrupled.__name__, quadrupled.__module__) == ("quadrupled", __name__)
    assert add_rows.__doc__.startswith("``out[place] += amounts``")


def test_a_plain_kernel_calls_plain_kernels():
    assert quadrupled.plain(3) == 12
    assert quadrupled.plain.__globals__["doubled"] is doubled.plain


@can_compile
def test_a_compiled_kernel_calls_compiled_kernels():
    with switch.compiling("always"):
        keys = np.empty(3, np.uint64)
        float_keys(np.array([1.0, -1.0, np.nan]).view(np.uint64), keys)
    assert keys.argsort().tolist() == [2, 1, 0]
    assert float_keys.is_ready


@pytest.mark.parametrize("road", ["never", pytest.param("always", marks=can_compile)])
def test_sums_by_place(road):
    random = np.random.default_rng(0)
    places, labels, amounts = random.integers(0, 5, 90), random.integers(0, 3, 90), random.integers(0, 2**61, (90, 3))
    by_label, by_row = np.zeros((2, 5, 3), np.int64)
    with switch.compiling(road):
        add_labelled(places, labels, amounts, by_label)
        add_rows(places, amounts, by_row)
    for place in range(5):
        assert (by_row[place] == amounts[places == place].sum(0)).all()
        assert by_label[place].tolist() == [amounts[(places == place) & (labels == k), 0].sum() for k in range(3)]


def test_the_plain_hash_does_not_warn():
    assert int(hashed.plain(2**31, -1, 3, 2**40)) >= 0


def test_the_runner_follows_the_road():
    keys = np.array([3, 1, 2], np.uint64)
    with switch.compiling("never"):
        run = runner(1e9, sort_rows)
    order = np.empty(3, np.uint32)
    run(sort_rows, keys, keys.copy(), order, order.copy(), np.empty((6, 2048), np.int64))
    assert order.tolist() == [1, 2, 0]


def test_every_kernel_can_be_linked():
    for one in all_kernels():
        assert callable(one.plain)


def test_no_numba_without_compiling():
    code = (
        "import importlib, pkgutil, sys, numpy as np, treewright as tw, treewright.kernels as k;"
        "[importlib.import_module('treewright.kernels.' + m.name) for m in pkgutil.iter_modules(k.__path__)];"
        "X = np.arange(40.0).reshape(20, 2);"
        "tw.CARTClassifier().fit(X, X[:, 0] > 9).predict(X);"
        "print('numba' in sys.modules)"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path), "TREEWRIGHT_COMPILE": "never"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


@can_compile
@pytest.mark.parametrize("threshold", [700, 0, 90_000])
def test_compiling_leaves_the_garbage_collector_as_it_was(threshold):
    before, seen = gc.get_threshold(), []

    compile_for = jit._collecting_rarely(lambda signature: seen.append(gc.get_threshold()[0]))
    gc.set_threshold(threshold, 11, 12)
    try:
        compile_for(())
        assert gc.get_threshold() == (threshold, 11, 12)
        with pytest.raises(ZeroDivisionError):
            jit._collecting_rarely(lambda signature: 1 // 0)(())
        assert gc.get_threshold() == (threshold, 11, 12)
    finally:
        gc.set_threshold(*before)
    assert seen == [max(threshold, jit._OBJECTS) if threshold else 0]


def test_ctrl_c_while_a_result_is_handed_back_is_ctrl_c():
    def interrupted():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    made = kernel(interrupted)
    made.__dict__["compiled"] = interrupted
    with switch.compiling("always"), pytest.raises(KeyboardInterrupt):
        made()
