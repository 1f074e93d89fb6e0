"""The page's script, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "page"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def answers(asked: dict[str, Any]) -> dict[str, Any]:
    """What the script makes of a view, see answers.mjs."""
    run = subprocess.run(
        [str(NODE), str(HERE / "answers.mjs")], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
