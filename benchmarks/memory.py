"""Peak memory of an exact fit, measured in a process of its own.

Counted: the growth of the process's resident memory from just before ``fit`` (table loaded, library imported, kernels
compiled) to its highest point by the end of ``fit``, as a multiple of the bytes of X. X and y themselves are not
counted; the fitted model is.
"""

from __future__ import annotations

import ctypes
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tables
from report import Result
from settings import Settings

SIDES = ("treewright", "scikit-learn")


def memory(settings: Settings) -> list[Result]:
    X, y = tables.classification(settings.rows(1_000_000))
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        np.save(f"{folder}/y.npy", y)
        return [
            _result(X, depth, *(_probe(folder, side, depth, settings) / X.nbytes for side in SIDES))
            for depth in (6, None)
        ]


def _result(X: np.ndarray, depth: int | None, ours: float, theirs: float) -> Result:
    limit = "unlimited" if depth is None else f"depth {depth}"
    work = f"peak memory of an exact fit, {len(X):,}×{X.shape[1]} {X.dtype}, {limit}"
    notes = "resident memory added by fit, as a multiple of X"
    return Result(work, "the input array", f"{ours:.2f}×", f"scikit-learn {theirs:.2f}×", "", "≤ 4×, aim 3×", notes)


def _probe(folder: str, side: str, depth: int | None, settings: Settings) -> int:
    command = [sys.executable, __file__, folder, side, str(depth or 0), str(settings.threads)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _grown_by_fit(folder: str, side: str, depth: int | None, threads: int) -> int:
    model = _model(side, depth, threads)
    small = np.random.default_rng(0).normal(size=(70_000, 20)).astype(np.float32)
    model.fit(small, np.arange(len(small)) % 3)  # compiles the kernels
    del small
    X, y = np.load(Path(folder, "X.npy")), np.load(Path(folder, "y.npy"))
    return added_by(lambda: model.fit(X, y))


def added_by(work: Callable[[], Any]) -> int:
    """Bytes by which the resident memory of this process grows at most while it works."""
    _give_back_freed_memory()
    _reset_peak()
    before = _resident()
    work()
    return _peak() - before


def _model(side: str, depth: int | None, threads: int) -> Any:
    if side == "treewright":
        import treewright as tw

        return tw.CARTClassifier(max_depth=depth, n_jobs=threads)
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def _give_back_freed_memory() -> None:
    """What the small fit freed would be used again by the large one and hide a part of its growth (glibc only)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _reset_peak() -> None:
    """Forget earlier peaks, where the system can (Linux); elsewhere they may hide a part of the growth."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def _resident() -> int:
    return _from_status("VmRSS")


def _peak() -> int:
    return _from_status("VmHWM")


def _from_status(field: str) -> int:
    """Bytes. On Linux from /proc, because ru_maxrss there starts at the size of the process that started this one."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
    line = next(line for line in status.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    folder, side, depth, threads = sys.argv[1:]
    print(_grown_by_fit(folder, side, int(depth) or None, int(threads)))
