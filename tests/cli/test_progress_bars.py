"""Bars with the time that is left: on a terminal, and nowhere else."""

import contextlib
import os
import subprocess
import sys
from types import SimpleNamespace

import polars as pl
import pytest

from command import call
from treewright.cli import output
from treewright.cli.commands import predict_command
from treewright.data.readers.row_estimate import estimated_rows
from treewright.kernels import switch

# All of them in one process. Bars are shown at once: no test shall wait for work that takes long.
COMMANDS = [
    ["fit", "loans.csv", "-t", "paid", "-m", "cart", "--cv", "3"],
    ["fit", "loans.csv", "-t", "paid", "-m", "forest", "--n-trees", "4", "--cv", "0"],
    ["compare", "loans.csv", "-t", "paid", "--methods", "cart,id3", "--cv", "2"],
    ["prune", "loans.json", "-m", "cost-complexity", "--data", "loans.csv", "--cv", "2"],
    ["predict", "loans.json", "many.csv", "-o", "answers.csv"],
]
PROGRAM = f"""
import sys
from treewright.cli import output
from treewright.cli.main import run
output._MOMENT = -1
sys.exit(max(run(command) for command in {COMMANDS}))
"""


@pytest.fixture
def files(folder):
    lines = (folder / "new.csv").read_text().splitlines()
    (folder / "many.csv").write_text("\n".join([lines[0], *lines[1:] * 2]) + "\n")
    return folder


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals of this kind")
def test_bars_tell_the_time_that_is_left_on_a_terminal(files):
    environment = {**os.environ, "TREEWRIGHT_COMPILE": "never", "TERM": "xterm", "COLUMNS": "100"}
    reading, writing = os.openpty()
    arguments = [sys.executable, "-c", PROGRAM]
    process = subprocess.Popen(arguments, stderr=writing, stdout=subprocess.DEVNULL, env=environment)
    os.close(writing)
    written = b""
    with contextlib.suppress(OSError):  # a terminal ends in this way
        while part := os.read(reading, 65536):
            written += part
    os.close(reading)
    assert process.wait() == 0
    shown = written.decode()
    for words in ("cross-validating", "growing trees", "predicting", "3/3", "4/4", "2/2", "120/", "left"):
        assert words in shown


def test_nothing_is_shown_in_a_pipe_or_when_there_shall_be_quiet(files, monkeypatch):
    monkeypatch.setattr(output, "_MOMENT", -1)
    with switch.compiling("never"):
        assert all("left" not in call(*command).err for command in COMMANDS)
        monkeypatch.setattr("command._Stream.isatty", lambda stream: True)
        assert "left" in call(*COMMANDS[0]).err
        assert call(*COMMANDS[0], "--quiet").err == ""


def test_rows_are_estimated_from_the_first_lines(folder):
    assert estimated_rows("loans.csv") == pytest.approx(160, abs=8)
    assert estimated_rows("*.csv") > 300
    assert estimated_rows("-") is estimated_rows("no_such.csv") is estimated_rows("loans.json") is None


def test_parquet_says_how_many_rows_it_has(folder):
    import polars as pl

    pl.DataFrame({"x": [1, 2, 3]}).write_parquet("t.parquet")
    assert estimated_rows("t.parquet") == 3


def test_slow_models_predict_in_pieces_between_which_the_bar_moves(monkeypatch):
    monkeypatch.setattr(predict_command, "_PIECE", 4)
    parts = [pl.DataFrame({"x": range(n)}) for n in (10, 0, 3)]
    tree, forest = SimpleNamespace(tree_=None), SimpleNamespace(members_=None)
    assert [len(piece) for piece in predict_command._pieces(iter(parts), tree)] == [10, 0, 3]
    assert [len(piece) for piece in predict_command._pieces(iter(parts), forest)] == [4, 4, 2, 0, 3]
