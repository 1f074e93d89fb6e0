"""Output that is either whole or not there."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from treewright.errors import DataError

STDOUT = "-"


@contextmanager
def replacing(path: str | None) -> Iterator[IO[bytes]]:
    """A binary file that takes its place when the block ends well; None and - are standard output.

    A name that ends in .gz or .zst is packed.
    """
    if path is None or path == STDOUT:
        sys.stdout.flush()
        yield cast("IO[bytes]", sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    from treewright.tree.files import whole_file

    target = Path(os.path.realpath(path))
    _check(target, path)
    with _named(path), whole_file(target) as draft, _packed(draft, path) as file:
        yield file


@contextmanager
def _named(path: str) -> Iterator[None]:
    """What goes wrong is about the file the user named, not about its draft."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def _check(target: Path, path: str) -> None:
    """Refuse a place that cannot be written to before any work is done."""
    if not path:
        raise DataError("the output has no name", "give the name of a file")
    if target.is_dir():
        raise DataError(f"{path!r} is a folder", "give the name of a file inside it")
    if not target.parent.exists():
        raise DataError(f"cannot write {path!r}: its folder does not exist", "make the folder first")
    if not target.parent.is_dir():
        raise DataError(f"cannot write {path!r}: its folder is a file", "choose another folder")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise DataError(f"cannot write {path!r}: its folder is not yours to write to", "choose another folder")


@contextmanager
def _packed(file: IO[bytes], path: str) -> Iterator[IO[bytes]]:
    if path.endswith(".gz"):
        import gzip

        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            yield cast("IO[bytes]", packed)
    elif path.endswith((".zst", ".zstd")):
        from treewright.data.readers.contents import needed

        with needed("zstandard", "packing with zstd").ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file


def check_place(path: str | None, *read: str | None) -> None:
    """Refuse a place for the output early, before anybody waits for what goes there; also one that is read from."""
    if path is None or path == STDOUT:
        return
    place = os.path.realpath(path)
    _check(Path(place), path)
    if _is_file(place) and any(os.path.realpath(name) == place for text in read for name in _names(text)):
        raise DataError(f"{path!r} is read by this command and would be lost", "choose another name for the output")


def _names(text: str | None) -> list[str]:
    """The files that a name or a pattern stands for."""
    return [] if text is None else [text] if os.path.exists(text) else glob.glob(text, recursive=True)


def _is_file(place: str) -> bool:
    """Devices may be read and written at once."""
    return os.path.isfile(place)
