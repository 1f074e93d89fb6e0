"""``treewright doctor``: whether everything treewright needs is there and works."""

from __future__ import annotations

import platform
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Talk, with_options
from treewright.cli.output import columns, result, result_json, say
from treewright.errors import TreewrightError

EXAMPLES = """
\b
  treewright doctor
  treewright doctor --json
"""
_COMPILER = "numba"  # without it all works, but slowly
_NEEDED = ("numpy", _COMPILER, "scikit-learn", "scipy", "narwhals")
_EXTRAS = {
    "cli": ("typer", "rich", "polars", "fastexcel", "zstandard"),
    "databases": ("duckdb", "psycopg"),
    "plot": ("matplotlib",),
}


@with_options(talk=Talk)
def doctor(
    compile: Annotated[
        bool, typer.Option("--compile", help="Compile all kernels now, so that no later run waits for it.")
    ] = False,
    *,
    talk: Talk,
) -> None:
    """Print versions, threads, the kernel cache and the engines, and try a small tree on each engine.

    With --compile, kernels are compiled first: minutes, for the image of a machine or of a container. Ends with 1 if
    something does not work.
    """
    import treewright

    if compile:
        from treewright.cli.compiling import compile_all
        from treewright.kernels import switch

        if not switch.has_numba:
            raise TreewrightError("there is nothing to compile with", "install numba, or leave --compile out")
        compile_all(lambda line: say(talk, line))
    record: dict[str, Any] = {
        "treewright": treewright.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in _NEEDED},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()},
        "threads": _threads(),
        "kernel_cache": _cache(),
        "engines": _engines(),
    }
    trouble = _trouble(record)
    if talk.json:
        result_json({**record, "trouble": trouble})
    else:
        result(_text(record, trouble))
    if trouble:
        raise typer.Exit(1)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _threads() -> int:
    from treewright.engines.workers import available_cores

    return available_cores()


def _cache() -> dict[str, Any]:
    """Where compiled kernels are kept; without such a place every process compiles anew."""
    from treewright.kernels import cache, switch

    folders = [str(folder) for folder in cache.folders()]
    return {"folders": folders, "kept": cache.is_kept(), "kernels": cache.count(), "compile": switch.policy}


def _engines() -> dict[str, Any]:
    """Seconds that a small tree takes on each engine, compiling included; or what went wrong."""
    from treewright.model.options.option_limits import ENGINES

    return {name: _tried(name) for name in ENGINES}


def _tried(engine: str) -> Any:
    from treewright import datasets
    from treewright.model.learners.classifier import CARTClassifier

    table = datasets.load("xor")
    start = time.perf_counter()
    try:
        right = CARTClassifier(engine=engine).fit(table.X, table.y).score(table.X, table.y) == 1.0
    except Exception as error:  # whatever it is, it is what the doctor is asked about
        return f"{type(error).__name__}: {error}"
    return round(time.perf_counter() - start, 3) if right else "a wrong tree"


def _trouble(record: dict[str, Any]) -> list[str]:
    needed = {name: v for name, v in record["packages"].items() if name != _COMPILER}
    found = [f"the package {name} is not installed" for name, v in needed.items() if v is None]
    found += [f"the engine {name!r} failed: {t}" for name, t in record["engines"].items() if isinstance(t, str)]
    cache = record["kernel_cache"]
    if record["packages"][_COMPILER] is not None and not cache["kept"] and not cache["kernels"]:
        found.append("no folder for compiled kernels is writable: set NUMBA_CACHE_DIR to one that is")
    return found


def _missing(package: str) -> str:
    return "missing: kernels run as plain Python, for small models" if package == _COMPILER else "missing"


def _text(record: dict[str, Any], trouble: list[str]) -> str:
    rows = [(name, str(record[name])) for name in ("treewright", "python", "system")]
    rows += [(name, v or _missing(name)) for name, v in record["packages"].items()]
    for extra, found in record["extras"].items():
        packages = ", ".join(f"{name} {v}" if v else f"{name} missing" for name, v in found.items())
        rows.append((f"extra {extra}", packages))
    cache = record["kernel_cache"]
    rows.append(("threads", str(record["threads"])))
    held = f"{cache['kernels']} compiled" if cache["kernels"] else "nothing compiled yet"
    rows.append(("kernels", f"{held}, in {' or '.join(cache['folders'])}"))
    rows += [
        (f"engine {name}", f"works, {t:.2f} s" if isinstance(t, float) else t) for name, t in record["engines"].items()
    ]
    verdict = "\n".join(f"Trouble: {text}." for text in trouble) if trouble else "All is well."
    return f"{columns(rows)}\n\n{verdict}"
