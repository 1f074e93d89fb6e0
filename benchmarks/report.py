"""Results as a markdown table, and the place in the documentation where it goes."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from race import Race

START, END = "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"
HEADER = ("work", "peer", "treewright", "peer's", "ratio", "wanted", "notes")
PACKAGES = (
    "treewright",
    "numpy",
    "numba",
    "scipy",
    "scikit-learn",
    "pykdtree",
    "lightgbm",
    "ydf",
    "CHAID",
    "cubist",
    "linear-tree",
)


@dataclass(frozen=True)
class Result:
    """One row of the table, already in words."""

    work: str
    peer: str
    ours: str
    theirs: str
    ratio: str
    wanted: str
    notes: str = ""


def seconds(time: float) -> str:
    """
    >>> seconds(0.01234), seconds(1.234), seconds(123.4)
    ('12.3 ms', '1.23 s', '123 s')
    """
    if time < 1:
        return f"{time * 1000:.3g} ms"
    return f"{time:.3g} s"


def of_race(work: str, peer: str, outcome: Race, wanted: str, notes: str = "") -> Result:
    once = "one run each" if outcome.repeats == 1 else f"best of {outcome.repeats}"
    return Result(
        work=work,
        peer=peer,
        ours=seconds(outcome.ours),
        theirs=seconds(outcome.theirs),
        ratio=f"{outcome.ratio:.2f}×" if outcome.ratio < 10 else f"{outcome.ratio:.1f}×",
        wanted=wanted,
        notes=f"{notes}; {once}" if notes else once,
    )


def markdown(results: Sequence[Result]) -> str:
    lines = [HEADER, tuple("---" for _ in HEADER), *(astuple(result) for result in results)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def machine() -> str:
    """The processor and the versions that the results belong to."""
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    return f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}; {versions}."


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write_section(path: Path, text: str) -> None:
    """Replace what stands between the two markers of a document."""
    document = path.read_text(encoding="utf-8")
    if START not in document or END not in document:
        raise SystemExit(f"{path} has no section between {START} and {END}; nothing was written.")
    head, _, rest = document.partition(START)
    _, _, tail = rest.partition(END)
    path.write_text(f"{head}{START}\n{text}\n{END}{tail}", encoding="utf-8")
