"""Compiled kernels on disk: where they are kept, and what makes one of them valid.

A file per kernel and types of arguments. Its name and its folder tell all that the code depends on: the kernel's module
and those it imports names from, Python and numba. So a changed line is never met with old code. A file begins with the
digest of the rest; one that is damaged, or cannot be read, is as good as none, and is replaced. Files are written
beside their place and moved there, so that no process reads half of one.

Folders are read in this order, up to the first that can be written, which new files go to:

1. ``NUMBA_CACHE_DIR``, if it is set; otherwise ``__pycache__`` beside the kernels, then the user's folder of caches.
   One that cannot be written may hold kernels all the same, put there when an image was built.
2. A folder among the temporary files that belongs to this user alone.

Where none can be written, kernels are kept in memory.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.kernels import compile_notice

if TYPE_CHECKING:
    from treewright.kernels.jit import Kernel

ENDING = ".nbc"
_SOURCES = Path(__file__).parent
_DIGEST = 32  # bytes of a file
_LETTERS = 16  # of a name
_HOT = "hot."  # begins the names of hot loops


def holds(kernels: tuple[Kernel, ...]) -> bool:
    """Whether all these kernels lie on disk, for some types of arguments; without kernels: whether any does but for hot
    loops, which are compiled long before others."""
    held = _held()
    if not kernels:
        return not all(name.startswith(_HOT) for name in held)
    return all(_stem_of(kernel) in held for kernel in kernels)


def folders() -> list[Path]:
    """The folders that are read; the last is written to, if it can be."""
    asked = _asked_for()
    for place, folder in enumerate(asked):
        if _is_writable(folder):
            return asked[: place + 1]
    own = _temporary()
    return [*asked, own] if own else asked


def is_kept() -> bool:
    """Whether compiled kernels outlive the process and are still there after a restart of the machine."""
    return _is_writable(folders()[-1]) and folders()[-1] in _asked_for()


def count() -> int:
    """How many compiled kernels lie on disk, one per types of arguments."""
    return sum(len(list(folder.glob(f"*{ENDING}"))) for folder in folders())


@cache
def _platform() -> str:
    try:
        numba = version("numba")
    except PackageNotFoundError:  # then nothing is compiled, nor looked for
        numba = "none"
    return _digest(f"{numba} {sys.version} {platform.machine()}".encode())


@cache
def _of_module(name: str) -> str:
    """A digest of a module below this folder and of all modules here that it imports names from."""
    source = _SOURCES.joinpath(*name.split(".")).with_suffix(".py").read_bytes()
    imported = re.findall(rb"^from treewright\.kernels\.([\w.]+) import", source, re.MULTILINE)
    return _digest(source + "".join(_of_module(other.decode()) for other in imported).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_LETTERS]


@cache
def _held() -> frozenset[str]:
    """The kernels on disk when the process first asked."""
    names: set[str] = set()
    for folder in folders():
        with suppress(OSError):
            names.update(name.rsplit("-", 1)[0] for name in os.listdir(folder) if name.endswith(ENDING))
    return frozenset(names)


def _asked_for() -> list[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given).absolute() / f"treewright-{_platform()}"]
    return [_SOURCES / "__pycache__" / f"treewright-{_platform()}", _of_user() / "treewright" / _platform()]


def _of_user() -> Path:
    """Where this system keeps what a user's programs could make anew."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _temporary() -> Path | None:
    """A folder that nobody else can have put anything into: what lies there is executed."""
    user = getattr(os, "getuid", int)()
    try:
        own = Path(tempfile.gettempdir()) / f"treewright-{user}"  # raises where no folder at all can be written
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
    except OSError:
        return None
    is_private = sys.platform == "win32" or (
        found.st_uid == user and not own.is_symlink() and not found.st_mode & 0o077
    )
    return own / _platform() if is_private else None


def _is_writable(folder: Path) -> bool:
    """Whether the folder, or the nearest one above it that is there, takes files."""
    nearest = folder
    while not os.path.lexists(nearest) and nearest != nearest.parent:
        nearest = nearest.parent
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


@cache
def _stem(module: str, name: str) -> str:
    """The name of a kernel's files, but for the types of arguments."""
    own = module.removeprefix(f"{__package__}.")
    return f"{own}.{name}-{_of_module(own)}"


def _stem_of(kernel: Kernel) -> str:
    stem = _stem(kernel.__module__, kernel.__qualname__)
    return f"{_HOT}{stem}" if kernel.is_hot else stem


class KernelCache:
    """What numba asks for compiled code of one kernel, and hands it to; it has the methods that numba calls."""

    def __init__(self, kernel: Kernel) -> None:
        self._stem, self._is_hot = _stem_of(kernel), kernel.is_hot
        self.cache_path = str(folders()[-1])

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for these types of arguments; None if it has to be compiled."""
        context.refresh()
        name = self._name(signature, context.codegen())
        for folder in folders():
            with suppress(Exception):  # whatever is wrong with a file, compiling helps
                return _rebuilt(_verified((folder / name).read_bytes()), context)
        if not self._is_hot:  # nobody waits long for these
            compile_notice.begin()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        from numba.core.serialize import dumps

        compile_notice.end()
        if result.lifted or result.library.has_dynamic_globals:
            return
        folder = folders()[-1]
        content = dumps(result._reduce())
        if not is_kept():
            compile_notice.tell_not_kept(self.cache_path)
        with suppress(OSError):  # kept in memory then
            _clear_old(folder, self._stem)
            _write(folder / self._name(signature, result.codegen), hashlib.sha256(content).digest() + content)

    def flush(self) -> None:
        """Nothing is held back."""

    def _name(self, signature: Any, codegen: Any) -> str:
        arguments = getattr(signature, "args", signature)
        depends_on = repr((tuple(map(_spelled, arguments)), codegen.magic_tuple()))
        return f"{self._stem}-{_digest(depends_on.encode())}{ENDING}"


def _spelled(kind: Any) -> str:
    """A numba type with the names of its fields, on whose order compiled code relies."""
    fields = zip(getattr(kind, "fields", ()), getattr(kind, "types", ()))
    return f"{kind}{[(name, _spelled(part)) for name, part in fields]}"


def _verified(content: bytes) -> bytes:
    digest, rest = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(rest).digest() != digest:
        raise ValueError("damaged")
    return rest


def _rebuilt(content: bytes, context: Any) -> Any:
    from numba.core.compiler import CompileResult

    return CompileResult._rebuild(context, *pickle.loads(content))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}")  # not a private file: other users may read what an image holds
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise


def _clear_old(folder: Path, stem: str) -> None:
    """Remove what earlier sources left beside the kernels. Elsewhere other versions may have their files."""
    if folder.parent == _SOURCES / "__pycache__":
        for old in folder.glob(f"{stem[:-_LETTERS]}*"):
            if not old.name.startswith(stem):
                old.unlink(missing_ok=True)
