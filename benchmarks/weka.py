"""Weka, where Debian's package or a jar of one's own is there: it says itself how long it took to build a model."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

JARS = (os.environ.get("WEKA_JAR", ""), "/usr/share/java/weka.jar", "/usr/share/java/weka-stable.jar")


def why_not() -> str:
    """What is missing for Weka; nothing if it can be run."""
    if shutil.which("java") is None:
        return "no java"
    return "" if _jar() else "no weka.jar (Debian's package weka, or WEKA_JAR=…)"


def weka_time(learner: str, frame: pd.DataFrame, y: Any) -> float:
    """Seconds to build the model; reading the file is not part of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.arff")
        path.write_text("\n".join(_arff(frame, y)) + "\n", encoding="utf-8")
        command = [str(shutil.which("java")), "-Xmx4g", "-cp", _jar(), learner, "-t", str(path), "-no-cv", "-o"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"Time taken to build model: ([\d.]+) seconds", done.stdout)
    if found is None:
        raise SystemExit(f"Weka does not say how long it took:\n{done.stdout[:500]}{done.stderr[:500]}")
    return float(found[1])


def _jar() -> str:
    return next((path for path in JARS if path and Path(path).exists()), "")


def _arff(frame: pd.DataFrame, y: Any) -> Iterable[str]:
    yield "@relation table"
    for name in frame:
        is_numeric = pd.api.types.is_numeric_dtype(frame[name])
        yield f"@attribute {name} " + (
            "numeric" if is_numeric else f"{{{','.join(sorted(frame[name].dropna().unique()))}}}"
        )
    target = np.asarray(y)
    yield "@attribute target " + ("numeric" if target.dtype.kind == "f" else f"{{{','.join(np.unique(target))}}}")
    yield "@data"
    cells = [frame[name].map(str).where(frame[name].notna(), "?") for name in frame]
    for row in zip(*cells, map(str, target)):
        yield ",".join(row)
