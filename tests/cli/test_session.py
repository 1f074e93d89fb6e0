"""The session in docs/cli.md is what the commands print. ``--regen`` writes it anew; then read it."""

import re
from pathlib import Path

from command import replayed

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
