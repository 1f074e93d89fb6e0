"""The command line as a user meets it: whole processes, from the shell's return key to the prompt."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import polars as pl
from sklearn.datasets import load_iris

from report import Result, seconds
from settings import Settings

# As it is installed: with its bytecode on disk.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PROGRAM = [sys.executable, "-m", "treewright"]
WRITTEN = 500_000  # rows of a table that are made at a time
FEW = 1_000  # rows of a file that shows what a process takes to start


def startup(settings: Settings) -> list[Result]:
    """``--help``, and a first tree with its cross-validation, kernels cached on disk."""
    with tempfile.TemporaryDirectory() as folder:
        iris = load_iris()
        species = pl.Series("species", iris.target_names[iris.target])
        pl.DataFrame(iris.data, schema=["a", "b", "c", "d"]).with_columns(species).write_csv(f"{folder}/iris.csv")
        _ran("fit", f"{folder}/iris.csv")
        turns = 2 if settings.quick else 5
        shown, fitted = (
            min(_ran(*command)[0] for _ in range(turns)) for command in (("--help",), ("fit", f"{folder}/iris.csv"))
        )
    notes = f"a whole process; best of {turns}"
    return [
        Result("treewright --help", "", seconds(shown), "", "", "≤ 0.3 s", notes),
        Result("treewright fit iris.csv", "", seconds(fitted), "", "", "≤ 1.2 s", f"{notes}; with 10-fold metrics"),
    ]


def files(settings: Settings) -> list[Result]:
    """A large CSV: learned from with the histogram engine, and predicted with a tree of depth 10."""
    rows = settings.rows(10_000_000)
    with tempfile.TemporaryDirectory() as folder:
        large, few, model = f"{folder}/large.csv", f"{folder}/few.csv", f"{folder}/model.json"
        write_table(large, rows)
        write_table(few, FEW)
        jobs = ("--engine", "histogram", "--max-depth", "10", "--cv", "0", "--n-jobs", str(settings.threads))
        fitted, memory = _ran("fit", large, *jobs, "--quiet", "-o", model)
        start, _ = _ran("predict", model, few, "-o", f"{folder}/out.csv")
        took, bounded = _ran("predict", model, large, "-o", f"{folder}/out.csv")
    size = f"{rows:,}×20 CSV"
    speed = f"{(rows - FEW) / max(took - start, 1e-9) / 1e6:.2f}M rows/s"
    return [
        Result(f"treewright fit, {size}, histogram engine", "", f"{memory / 2**30:.2f} GB", "", "", "≤ 6 GB",
               f"peak memory of the process; {seconds(fitted)} with reading"),
        Result(f"treewright predict, {size}, depth 10", "", speed, "", "", "≥ 1M rows/s",
               f"parsing and writing included, the start of the process not; peak memory {bounded / 2**30:.2f} GB"),
    ]  # fmt: skip


def write_table(path: str, rows: int) -> None:
    """18 numbers, a column of 12 levels and three classes."""
    rng = np.random.default_rng(0)
    levels, classes = np.array(list("abcdefghijkl")), np.array(["down", "flat", "up"])
    with open(path, "wb") as file:
        for start in range(0, rows, WRITTEN):
            count = min(WRITTEN, rows - start)
            X = rng.normal(size=(count, 18)).round(4)
            score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + rng.normal(size=count)
            table = pl.DataFrame(X, schema=[f"x{k}" for k in range(18)]).with_columns(
                level=pl.Series(levels[rng.integers(0, 12, count)]),
                y=pl.Series(classes[np.digitize(score, (-0.5, 0.5))]),
            )
            table.write_csv(file, include_header=start == 0)


def _ran(*arguments: str) -> tuple[float, int]:
    """Seconds and peak resident bytes of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"treewright {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    process.returncode = 0
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, usage.ru_maxrss * unit
