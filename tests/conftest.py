"""What all tests share: ``oracle`` and ``strategies`` are importable, and hypothesis behaves alike on every machine."""

import os
import sys
from pathlib import Path

from hypothesis import settings

# Tests compile from the start, as long runs do; TREEWRIGHT_COMPILE=never pytest … takes the plain road throughout.
os.environ.setdefault("TREEWRIGHT_COMPILE", "always")

sys.path.insert(0, str(Path(__file__).parent))

from strategies import examples

settings.register_profile("default", deadline=None, max_examples=examples(100))
settings.register_profile("ci", deadline=None, max_examples=examples(100), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser):
    parser.addoption(
        "--regen", action="store_true", help="write the printed trees in tests/golden anew; then read them"
    )
