"""What a user waits for before the first answer. Every time is measured in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from report import Result, seconds
from settings import Settings

IMPORT = """
import json, sys, time
start = time.perf_counter()
import treewright
print(json.dumps({"time": time.perf_counter() - start, "numba": "numba" in sys.modules}))
"""

FIRST_FIT = """
import json, sys, time
sys.path.insert(0, {here!r})
import tables
import treewright as tw
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True) if {table!r} == "iris" else tables.mixed(1000)
start = time.perf_counter()
tw.CARTClassifier().fit(X, y)
print(json.dumps({{"time": time.perf_counter() - start}}))
"""


def importing(settings: Settings) -> list[Result]:
    runs = [_run(IMPORT) for _ in range(2 if settings.quick else 5)]
    numba = "numba imported" if any(run["numba"] for run in runs) else "numba not imported"
    best = seconds(min(run["time"] for run in runs))
    return [Result("import treewright", "", best, "", "", "≤ 0.3 s, no numba", f"{numba}; best of {len(runs)}")]


def first_fit(settings: Settings) -> list[Result]:
    return [_first_fit(table) for table in ("iris", "mixed")]


def _first_fit(table: str) -> Result:
    script = FIRST_FIT.format(here=os.path.dirname(os.path.abspath(__file__)), table=table)
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_run(script, {"NUMBA_CACHE_DIR": cache}) for _ in range(2))
    notes = f"the next process, kernels cached on disk: {seconds(warm['time'])}"
    work = f"first fit ever, no kernel cache, {table} table"
    return Result(work, "", seconds(cold["time"]), "", "", "≤ 15 s, aim 6 s", notes)


def _run(script: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    full = {**os.environ, **(environment or {})}
    done = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True, env=full)
    return dict(json.loads(done.stdout.splitlines()[-1]))
