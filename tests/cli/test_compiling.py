"""What ``treewright doctor --compile`` compiles: every kernel that Python calls."""

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import treewright
from treewright.cli import compiling
from treewright.kernels.jit import Kernel

_ROOT = Path(treewright.__file__).parent


def _called_by_python():
    """Kernels that modules outside of the folder of kernels name, but for those they run as plain Python only."""
    found = {}
    for path in sorted(_ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _ROOT / "kernels" not in path.parents and "from treewright.kernels" in text:
            found |= _kernels_named(ast.parse(text))
    return found


def _kernels_named(tree):
    plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "plain"}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in plain}
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and id(node) not in plain]
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    values = []
    for node in imports:
        if (node.module or "").startswith("treewright.kernels"):
            for alias in node.names:
                value = _imported(node.module, alias.name)
                of_module = {one.attr for one in attributes if getattr(one.value, "id", None) == alias.name}
                values += [getattr(value, name, None) for name in of_module] if isinstance(value, ModuleType) else []
                values += [value] if alias.name in used else []
    return {f"{value.__module__}.{value.__name__}": value for value in values if isinstance(value, Kernel)}


def _imported(module, name):
    """What ``from module import name`` brings: something of the module, or a module of the folder."""
    found = getattr(importlib.import_module(module), name, None)
    return importlib.import_module(f"{module}.{name}") if found is None else found


def test_kernels_that_python_calls_are_found():
    """The next test looks at all of them, so that it does not pass by looking at none."""
    names = {name.rpartition(".")[2] for name in _called_by_python()}
    assert {"partition", "renumber", "search_cuts", "count_cases"} <= names
    assert "extra_errors" not in names


@pytest.mark.slow  # compiles every kernel
def test_doctor_compiles_every_kernel_that_python_calls():
    compiling.compile_all(lambda line: None)
    assert sorted(name for name, kernel in _called_by_python().items() if not kernel.is_ready) == []
