"""No test may depend on how busy the machine is: none asserts how long something took."""

import ast
from pathlib import Path

import pytest

TESTS = sorted(Path(__file__).parent.rglob("*.py"))
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "perf_counter_ns", "monotonic_ns", "time_ns"}


def clocks_asserted(source: str) -> list[int]:
    """Lines of asserts that read a clock, or a name that was made of one."""
    tree = ast.parse(source)
    timed = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and reads_clock(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert) and reads_clock(node.test, timed)]


def reads_clock(node: ast.AST, timed: set[str]) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in timed:
            return True
        if isinstance(part, ast.Call):
            of_time = isinstance(part.func, ast.Attribute) and isinstance(part.func.value, ast.Name)
            if of_time and part.func.value.id == "time" and part.func.attr in CLOCKS:
                return True
    return False


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_nothing_asserts_wall_time(path):
    assert clocks_asserted(path.read_text(encoding="utf-8")) == []


def test_such_an_assert_is_found():
    assert clocks_asserted("start = time.time()\nrun()\ntook = time.time() - start\nassert took < 1") == [4]
    assert clocks_asserted("assert time.monotonic() < 9") == [1]
