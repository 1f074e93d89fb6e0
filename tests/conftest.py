"""What all tests share: ``oracle`` and ``strategies`` are importable, and hypothesis behaves alike on every machine."""

import os
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser):
    parser.addoption(
        "--regen", action="store_true", help="write the printed trees in tests/golden anew; then read them"
    )


def pytest_configure(config):
    """Compiled kernels are kept on disk by the date of their own file; one that inlines a changed neighbour is old."""
    if hasattr(config, "workerinput"):
        return
    kernels = Path(__file__).parents[1] / "src" / "treewright" / "kernels"
    newest = max(source.stat().st_mtime for source in kernels.glob("*.py"))
    for compiled in (kernels / "__pycache__").glob("*.nb[ci]"):
        if compiled.stat().st_mtime < newest:
            compiled.unlink()
