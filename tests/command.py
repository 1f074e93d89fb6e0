"""The command line, called within the test's own process, and the files its examples speak of."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treewright.cli.main import run


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()


def call(*arguments: str, stdin: bytes = b"") -> Ran:
    """The same as ``typed``, but ``fit`` is by CART if no method is named: to search for a tree takes many times as
    long, and tests of files, options and messages need not wait for it."""
    names = {argument.partition("=")[0] for argument in arguments}
    if arguments[:1] == ("fit",) and not names & {"--method", "-m", "--prune", "--help"}:
        arguments = ("fit", "--method", "cart", *arguments[1:])
    return typed(*arguments, stdin=stdin)


def typed(*arguments: str, stdin: bytes = b"") -> Ran:
    """Exit code, standard output and error stream of a command; the working folder is the process's."""
    out, err, given = _Stream(), _Stream(), sys.stdin
    sys.stdin = _Stream(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
    finally:
        sys.stdin = given
    return Ran(code, out.text(), err.text())


def shell(line: str) -> Ran:
    """A line as one would type it: ``treewright …``, or ``cat FILE | treewright …``."""
    feed, _, command = line.rpartition("|")
    stdin = Path(feed.split()[1]).read_bytes() if feed else b""
    program, *arguments = shlex.split(command)
    assert program == "treewright"
    return typed(*arguments, stdin=stdin)


def commands() -> list[str]:
    """As ``treewright --help`` lists them."""
    listing = call("--help").out.partition("Commands:")[2]
    return re.findall(r"^  ([a-z]+) ", listing, re.MULTILINE)


def make_files(folder: Path) -> None:
    """Every file the examples name: tables, and models of them."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    rows = zip(*iris.data.T.tolist(), [iris.target_names[k] for k in iris.target])
    _csv(folder / "iris.csv", ("sepal_length", "sepal_width", "petal_length", "petal_width", "species"), rows)
    assert call("datasets", "play_tennis", "-o", str(folder / "tennis.csv")).code == 0
    _csv(folder / "loans.csv", ("income", "size", "job", "paid"), _loans(160, 0))
    _csv(folder / "new.csv", ("income", "size", "job", "paid"), _loans(60, 1))
    _csv(folder / "rent.csv", ("rooms", "area", "district", "rent"), _rents(120))
    (folder / "costs.csv").write_text(",no,yes\nno,0,5\nyes,1,0\n")
    (folder / "settings.toml").write_text('data = "loans.csv"\ntarget = "paid"\nmethod = "cart"\ncv = 0\n')
    (folder / "tree.txt").write_text("income <= 2400: no\nincome > 2400: yes\n")
    (folder / "tennis.txt").write_text("outlook = Sunny\n  humidity = High: No\n  else: Yes\nelse: Yes\n")
    loans, model = str(folder / "loans.csv"), str(folder / "loans.json")
    assert call("fit", loans, "-t", "paid", "-o", model, "--cv", "0").code == 0
    forest = ("--method", "forest", "--n-trees", "5", "-o", str(folder / "forest.json"))
    assert call("fit", loans, "-t", "paid", "--cv", "0", *forest).code == 0
    assert call("prune", model, "--method", "pessimistic", "-o", str(folder / "smaller.json")).code == 0


def _csv(path: Path, names, rows) -> None:
    lines = [",".join(names), *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _loans(n: int, seed: int):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        income, size = int(rng.integers(800, 5000)), "SML"[rng.integers(3)]
        job = ["clerk", "miner", "nurse", None][rng.integers(4)]
        good = income > 2000 + 800 * (size == "L") - 500 * (job == "nurse")
        yield income, size, job, "yes" if good != (rng.random() < 0.1) else "no"


def _rents(n: int):
    rng = np.random.default_rng(2)
    for _ in range(n):
        rooms = int(rng.integers(1, 6))
        area, district = round(18 * rooms + 10 * rng.random(), 1), ["north", "south", "old town"][rng.integers(3)]
        yield rooms, area, district, round(9 * area + 200 * (district == "old town") + 40 * rng.random(), 2)


# ---- sessions that a page shows ----------------------------------------------------------------------------------

LONGEST = 5  # lines of JSON that are shown


def replayed(block: str) -> str:
    """The commands of a session, each with what it prints on both streams."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{_both_streams(line[2:])}\n" for line in commands)


def _both_streams(line: str) -> str:
    both = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(both), contextlib.redirect_stderr(both):
        code = run(shlex.split(line)[1:])
    text = both.buffer.getvalue().decode()
    assert code == 0, f"{line}: {text}"
    lines = text.rstrip().splitlines()
    shown = [*lines[:LONGEST], "…"] if line.endswith("--quiet") and len(lines) > LONGEST else lines
    return "\n".join(shown)
