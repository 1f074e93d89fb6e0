"""Compiled kernels on disk, each case in processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treewright.cli.compiling import compile_all
from treewright.kernels import cache, compile_notice, switch

pytestmark = pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")

COMPILED = """
import numpy as np
from treewright.kernels import compile_notice
compile_notice.PATIENCE = 0.0
from treewright.kernels.sorting.radix_sort import float_keys
keys = np.empty(2, np.uint64)
float_keys(np.array([1.0, -1.0]).view(np.uint64), keys)
assert keys[0] > keys[1]
print(sum(float_keys.compiled.stats.cache_hits.values()))
"""


def run(folder, code=COMPILED, **more):
    """How many kernels came from disk, and what was said."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    environment |= {"PYTHONPATH": ":".join(path for path in sys.path if path), "NUMBA_CACHE_DIR": str(folder)}
    environment |= {"TREEWRIGHT_COMPILE": "always", **more}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout), done.stderr


def test_a_kernel_is_compiled_once_and_whoever_waits_is_told(tmp_path):
    hits, said = run(tmp_path)
    assert hits == 0
    assert said.count("treewright: compiling its kernels") == 1
    assert run(tmp_path) == (1, "")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1] + b"?",
        pytest.param(lambda content: content[: len(content) // 2], marks=pytest.mark.slow),
        pytest.param(lambda content: b"", marks=pytest.mark.slow),
    ],
)
def test_a_damaged_file_is_replaced(tmp_path, damage):
    run(tmp_path)
    (path,) = tmp_path.rglob("*.nbc")
    path.write_bytes(damage(path.read_bytes()))
    assert run(tmp_path)[0] == 0
    assert run(tmp_path)[0] == 1


def test_a_file_that_is_no_file_is_no_error(tmp_path):
    run(tmp_path)
    (path,) = tmp_path.rglob("*.nbc")
    path.unlink()
    path.mkdir()
    assert run(tmp_path)[0] == 0


def test_without_a_folder_that_can_be_written_it_works_and_says_how_to_keep_kernels(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    hits, said = run(tmp_path / "file" / "below", TMPDIR=str(tmp_path / "temporary"))
    assert hits == 0
    assert said.count("Set NUMBA_CACHE_DIR") == 1
    assert run(tmp_path / "file" / "below", TMPDIR=str(tmp_path / "temporary")) == (1, "")


def test_without_any_folder_kernels_are_in_memory(tmp_path):
    (tmp_path / "file").touch()
    code = "import tempfile; tempfile.tempdir = " + repr(str(tmp_path / "file")) + COMPILED
    hits, said = run(tmp_path / "file" / "below", code)
    assert hits == 0
    assert "Set NUMBA_CACHE_DIR" in said


def test_a_machine_without_any_folder_to_write_to_is_no_error(tmp_path, monkeypatch):
    def none() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    read_only = tmp_path / "file"
    read_only.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(read_only))
    monkeypatch.setattr(cache.tempfile, "gettempdir", none)
    assert len(cache.folders()) == 1
    assert not cache.is_kept()


def test_a_folder_others_can_write_to_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    own = cache._temporary()
    assert own is not None
    own.parent.chmod(0o777)
    assert cache._temporary() is None


def test_kernels_of_an_image_are_read_and_new_ones_go_elsewhere(tmp_path, monkeypatch):
    """What was compiled beside the kernels is read even if nothing can be written there."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "_is_writable", lambda folder: tmp_path in folder.parents)
    beside, of_user = cache.folders()
    assert beside.parent == Path(cache.__file__).parent / "__pycache__"
    assert tmp_path in of_user.parents
    assert cache.is_kept()


def test_a_changed_module_changes_the_names_of_kernels_that_depend_on_it(tmp_path, monkeypatch):
    for name, source in {"low": "x = 1", "high": "from treewright.kernels.low import x", "other": ""}.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr(cache, "_SOURCES", tmp_path)

    def digests():
        cache._of_module.cache_clear()
        return [cache._of_module(name) for name in ("low", "high", "other")]

    before = digests()
    (tmp_path / "low.py").write_text("x = 2")
    after = digests()
    cache._of_module.cache_clear()
    assert [a == b for a, b in zip(before, after)] == [False, False, True]


def test_who_asked_for_compiling_is_not_told_to_ask_for_it(capsys, monkeypatch):
    for name, value in {"_told": set(), "_waited": 0.0, "PATIENCE": 0.0}.items():
        monkeypatch.setattr(compile_notice, name, value)
    compile_all(lambda line: None, [])
    compile_notice.begin()
    compile_notice.end()
    assert capsys.readouterr().err == ""


def test_short_waits_are_not_told(capsys, monkeypatch):
    for name, value in {"_told": set(), "_waited": 0.0, "PATIENCE": 1e6}.items():
        monkeypatch.setattr(compile_notice, name, value)
    compile_notice.begin()
    compile_notice.end()
    assert capsys.readouterr().err == ""
