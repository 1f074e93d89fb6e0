"""Signals, pipes and places that cannot be written to, in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

PROGRAM = [sys.executable, "-m", "treewright"]
PATIENCE = 600  # seconds, after which a process hangs, however busy the machine is

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def start(*arguments: str, **more) -> subprocess.Popen:
    """As typed by a user: small tables are not worth compiling for."""
    environment = os.environ | {"TREEWRIGHT_COMPILE": "auto"}
    return subprocess.Popen([*PROGRAM, *arguments], stderr=subprocess.PIPE, env=environment, **more)


def ended(process: subprocess.Popen) -> tuple[int, str]:
    _, err = process.communicate(timeout=PATIENCE)
    return process.returncode, err.decode()


def drafts() -> list[str]:
    return [name for name in os.listdir() if name.endswith(".tmp")]


def test_a_reader_that_leaves(folder):
    """As in ``treewright datasets | head -0``."""
    reading, writing = os.pipe()
    process = start("predict", "loans.json", "-", stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    os.close(reading)
    process.stdin.write(Path("new.csv").read_bytes())
    assert ended(process) == (141, "")


@pytest.mark.parametrize(
    "line",
    [
        "teach gain",
        *(pytest.param(line, marks=pytest.mark.slow) for line in ("fit --help", "fit iris.csv", "rank iris.csv")),
    ],
)
def test_a_reader_that_leaves_and_a_full_disk(line, folder):
    reading, writing = os.pipe()
    os.close(reading)
    process = start(*line.split(), stdout=writing)
    os.close(writing)
    assert ended(process)[0] == 141
    with open("/dev/full", "wb") as full:
        code, err = ended(start(*line.split(), stdout=full))
    assert code == 2
    assert err.splitlines()[-1].startswith("Error: cannot write: no space is left.")


def test_a_full_disk_behind_standard_output(folder):
    with open("/dev/full", "wb") as full:
        code, err = ended(start("predict", "loans.json", "new.csv", stdout=full))
    assert code == 2
    assert err == "Error: cannot write: no space is left. Hint: free some space or choose another place.\n"


def test_a_full_disk_behind_a_name(folder):
    for command in (("predict", "loans.json", "new.csv"), ("fit", "iris.csv", "--quiet", "--cv", "0")):
        code, err = ended(start(*command, "-o", "/dev/full", stdout=subprocess.DEVNULL))
        assert (code, err.count("\n")) == (2, 1)
        assert "Hint:" in err
    assert Path("/dev/full").is_char_device()


def test_a_device_is_written_to_and_not_replaced(folder):
    assert ended(start("fit", "iris.csv", "-q", "--cv", "0", "-o", "/dev/null", stdout=subprocess.DEVNULL)) == (0, "")
    assert Path("/dev/null").is_char_device()


def test_interrupted_while_fitting(folder):
    rng = np.random.default_rng(0)
    np.savetxt("big.csv", np.c_[rng.normal(size=(60_000, 8)), rng.integers(0, 9, 60_000)], "%.6g", ",",
               header="a,b,c,d,e,f,g,h,y", comments="")  # fmt: skip
    Path("kept.json").write_text("as it was")
    process = start(
        "fit", "big.csv", "--kinds", "y=nominal", "--cv", "10", "-o", "kept.json", stdout=subprocess.DEVNULL
    )
    seen = b""
    while b"(target)" not in seen:  # the table is understood; what follows is fitting
        told = process.stderr.read1()
        assert told, f"ended early: {seen.decode()}"
        seen += told
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    assert code == 130
    assert err.splitlines()[-1] == "Interrupted; nothing was changed."
    assert Path("kept.json").read_text() == "as it was"
    assert not drafts()


def test_interrupted_while_writing(folder):
    Path("out.csv").write_text("as it was")
    process = start("predict", "loans.json", "-", "-o", "out.csv", stdin=subprocess.PIPE)
    process.stdin.write(b"income,size,job\n" + b"2000,M,clerk\n" * 1_500_000)
    process.stdin.flush()
    while process.poll() is None and not any(os.path.getsize(name) for name in drafts()):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    assert (code, err) == (130, "Interrupted; nothing was changed.\n")
    assert Path("out.csv").read_text() == "as it was"
    assert not drafts()


def test_the_command_is_installed_as_a_program(folder):
    """What the console script runs, with nothing imported that is hardly ever used."""
    code = (
        "import sys; sys.argv = ['treewright', 'fit', 'iris.csv', '--quiet', '--method', 'cart']\n"
        "from treewright.cli.main import main\n"
        "try:\n    main()\n"
        "finally:\n    print([m for m in ('pandas.core', 'scipy.stats._stats_py', 'rich.console') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("CARTClassifier: species")
    assert done.stdout.endswith("[]\n")


def test_help_imports_no_learner():
    code = (
        "import sys; sys.argv = ['treewright', '--help']\n"
        "from treewright.cli.main import main\n"
        "try:\n    main()\n"
        "finally:\n    print([m for m in ('sklearn', 'pandas', 'treewright.model', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.endswith("[]\n")


def test_what_waits_comes_when_it_is_asked_for():
    code = (
        "from treewright.cli.startup import defer_imports; defer_imports()\n"
        "import scipy.stats, pandas\n"
        "print(round(scipy.stats.norm.cdf(0), 3), pandas.DataFrame({'a': [1]}).shape)\n"
        "from scipy.stats import rankdata\n"
        "print(type(scipy.stats).__name__, rankdata([3, 1]).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "0.5 (1, 1)\nmodule [2.0, 1.0]\n"


def test_an_interrupt_that_is_swallowed_comes_again():
    code = (
        "import time; from treewright.cli.startup import repeat_interrupts\n"
        "print('ready', flush=True)\n"
        "with repeat_interrupts():\n"
        "    for turn in range(2):\n"
        "        try:\n"
        "            time.sleep(60)\n"
        "        except KeyboardInterrupt:\n"
        "            print('heard', turn, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[0] == b"heard 0\nheard 1\n"
