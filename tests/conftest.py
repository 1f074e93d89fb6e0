"""What all tests share: ``oracle`` and ``strategies`` are importable, and hypothesis behaves alike on every machine."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Tests compile from the start, as long runs do; TREEWRIGHT_COMPILE=never pytest … takes the plain road throughout.
os.environ.setdefault("TREEWRIGHT_COMPILE", "always")

sys.path.insert(0, str(Path(__file__).parent))

from strategies import examples
from treewright.kernels import switch

# What these folders test is done with models, not to tables. Theirs are small: users learn such on the plain road.
PLAIN_ROAD = (
    "binning", "cli", "data/test_weights.py", "data/test_written_numbers.py", "drawing", "explain", "model/options",
    "model/test_bad_options.py", "model/test_saving.py", "model/test_sklearn_manners.py",
    "model/test_split_competitors.py", "page", "plots", "teach", "test_display.py", "test_docs.py",
)  # fmt: skip

# Kernels that take long to compile: files and folders of these words are tested by one worker, so that it is done once.
COMPILED_ONCE = {
    "c50": "c50",
    "split_competitors": "c50",
    "cubist": "cubist",
    "m5": "linear",
    "linear": "linear",
    "forest": "forest",
}

gc.disable()  # until all tests are collected: a fifth of that went to looking for garbage among what stays

settings.register_profile("default", deadline=None, max_examples=examples(100))
settings.register_profile("ci", deadline=None, max_examples=examples(100), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True, scope="module")
def road_of_the_folder(request):
    """Fast tests of folders that need not compile nothing: compiling is a third of the time of all tests."""
    is_fast = os.environ.get("TREEWRIGHT_EXAMPLES") != "all"  # test-all takes the compiled road
    if is_fast and any(request.path.is_relative_to(Path(__file__).parent / place) for place in PLAIN_ROAD):
        with switch.compiling("never"):
            yield
    else:
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``--dist loadfile`` a worker takes all tests of a file, or of the files that call the same large kernels."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByKernels(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return next((kernels for word, kernels in COMPILED_ONCE.items() if word in file), file)

    return ByKernels(config, log)


def pytest_collection_finish(session):
    """What was collected stays to the end, and is not looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--regen", action="store_true", help="write the printed trees in tests/golden anew; then read them"
    )
