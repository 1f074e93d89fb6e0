"""The session in docs/cli.md is what the commands print. ``--regen`` writes it anew; then read it."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from treewright.cli.main import run

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST = 5  # lines of JSON that are shown


def printed(line: str) -> str:
    """Both streams, as a terminal shows them."""
    both = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(both), contextlib.redirect_stderr(both):
        assert run(shlex.split(line)[1:]) == 0
    lines = both.buffer.getvalue().decode().rstrip().splitlines()
    shown = [*lines[:LONGEST], "…"] if line.endswith("--quiet") and len(lines) > LONGEST else lines
    return "\n".join(shown)


def replayed(block: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{printed(line[2:])}\n" for line in commands)


def test_the_session_is_what_is_printed(request, tmp_path, monkeypatch):
    page = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(program, {})
    made = BLOCK.sub(lambda found: f"```console\n{replayed(found[1])}```", page)
    if request.config.getoption("--regen"):
        PAGE.write_text(made, encoding="utf-8")
    assert BLOCK.findall(made) == BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(BLOCK.findall(page)) >= 5
