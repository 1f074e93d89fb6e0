"""Every example of every --help, and every command in the README, runs."""

import re
from pathlib import Path

import pytest

from command import call, commands, shell

README = Path(__file__).parents[2] / "README.md"


def examples(command: str) -> list[str]:
    listing = call(command, "--help").out.partition("Examples:")[2]
    return re.findall(r"^\s+((?:cat \S+ \| )?treewright .+)$", listing, re.MULTILINE)


def readme_lines() -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [
        line.partition("  #")[0].strip() for language, block in blocks if not language for line in block.splitlines()
    ]
    return [line for line in lines if re.match(r"(cat \S+ \| )?treewright ", line)]


@pytest.mark.parametrize("command", commands())
def test_the_help_teaches_with_examples(command):
    assert examples(command), f"treewright {command} --help shows no example"


LINES = [line for command in commands() for line in examples(command)]


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] if k % 3 else []) for k, line in enumerate(LINES)]
)
def test_an_example_of_the_help_runs(line, folder):
    ran = shell(line)
    assert ran.code == 0, ran.err
    assert ran.out or "-o" in line


def test_the_readme_runs_from_its_first_line_to_its_last(folder):
    """In order, in one folder: later commands use what earlier ones made."""
    lines = readme_lines()
    assert len(lines) >= 3
    for line in lines:
        ran = shell(line)
        assert ran.code == 0, f"{line}: {ran.err}"
