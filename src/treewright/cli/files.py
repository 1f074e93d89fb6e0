"""Output that is either whole or not there: written beside its place and moved there in the end."""

from __future__ import annotations

import os
import secrets
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

    A name that ends in .gz or .zst is packed. What is no ordinary file, such as /dev/null, is written to as it is.
    """
    if path is None or path == STDOUT:
        yield cast("IO[bytes]", sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise DataError(f"{path!r} is a folder", "give the name of a file inside it")
        with open(target, "wb") as device:
            yield device
        return
    with _draft(target, path) as draft, _packed(draft, path) as file:
        yield file


@contextmanager
def _draft(target: Path, path: str) -> Iterator[IO[bytes]]:
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with _created(draft, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(draft, target.stat().st_mode & 0o777)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _created(draft: Path, path: str) -> IO[bytes]:
    try:
        return open(draft, "xb")
    except OSError as error:
        reasons = {
            FileNotFoundError: ("its folder does not exist", "make the folder first"),
            NotADirectoryError: ("its folder is a file", "choose another folder"),
            PermissionError: ("its folder is not yours to write to", "choose another folder"),
        }
        reason, hint = reasons.get(type(error), ((error.strerror or str(error)).lower(), "choose another place"))
        raise DataError(f"cannot write {path!r}: {reason}", hint) from error


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
