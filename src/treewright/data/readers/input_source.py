"""From what the user writes to streams of bytes: files, several by a pattern, standard input; unpacked on the way."""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, cast

from treewright.data.readers.contents import needed
from treewright.errors import DataError

STDIN = "-"
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zX": "xz"}  # by their first bytes
_PACKED_SUFFIXES = (".gz", ".zst", ".zstd", ".bz2", ".xz")
_MOST_HEAD = 1 << 20
_ELSEWHERE = "download files first; the databases are sqlite, duckdb and postgresql"


@dataclass(frozen=True)
class InputSource:
    """One file, or standard input. ``packed`` is how it is compressed, if it is; ``content`` are its bytes, if held."""

    name: str
    packed: str | None = None
    content: bytes | None = field(default=None, repr=False)

    @property
    def suffix(self) -> str:
        """Of what is inside: ``.csv`` for data.csv.gz."""
        path = Path(self.name.lower())
        return path.with_suffix("").suffix if path.suffix in _PACKED_SUFFIXES else path.suffix

    @property
    def is_plain_file(self) -> bool:
        return self.packed is None and self.name != STDIN

    @property
    def is_stream(self) -> bool:
        """Its bytes can be read only once."""
        return self.name == STDIN and self.content is None

    def held(self) -> InputSource:
        """The same, to be read as often as one likes."""
        if not self.is_stream:
            return self
        with _opened(self) as raw:
            return replace(self, content=raw.read())

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes, unpacked."""
        with _opened(self) as raw:
            yield _unpacked(raw, self)

    def head(self, size: int = _MOST_HEAD) -> bytes:
        """The first bytes, unpacked. Standard input is not used up by this."""
        if self.is_stream:
            return standard_input().peek_at_least(size) if self.packed is None else _unpacked_head(self, size)
        with self.open() as file, told_of(self):
            return file.read(size)

    def read(self) -> bytes:
        with self.open() as file, told_of(self):
            return file.read()


def sources(text: str) -> list[InputSource]:
    """The files a name or a pattern stands for, in order of their names; - is standard input.

    >>> sources("no/such/file.csv")
    Traceback (most recent call last):
    ...
    treewright.errors.DataError: there is no file 'no/such/file.csv'. Hint: check the name and the folder.
    """
    if text == STDIN:
        return [_checked(text)]
    names = [text] if os.path.exists(text) else sorted(glob.glob(text, recursive=True))
    files = [name for name in names if not os.path.isdir(name)]
    if names and not files:
        raise DataError(f"{text!r} is a folder", f"name a file in it, or several as {text.rstrip('/')}/*.csv")
    if "://" in text and not files:
        raise DataError(f"{text!r} is neither a file nor a database that is known", _ELSEWHERE)
    if not files:
        if glob.has_magic(text):
            raise DataError(f"no file fits {text!r}", "check the pattern and the folder")
        raise DataError(f"there is no file {text!r}", _near(text))
    return [_checked(name) for name in files]


def _near(text: str) -> str:
    from difflib import get_close_matches

    folder = Path(text).parent
    try:
        names = os.listdir(folder)
    except OSError:
        return "check the name and the folder"
    close = get_close_matches(Path(text).name, names, n=1)
    return f"did you mean {str(folder / close[0])!r}?" if close else "check the name and the folder"


def _checked(name: str) -> InputSource:
    """The file can be read and has something in it."""
    start = _start(name)
    if not start:
        what = "standard input" if name == STDIN else f"the file {name!r}"
        raise DataError(f"{what} is empty", "give a table with a line of names and at least one row")
    packed = next((kind for magic, kind in _PACKED.items() if start.startswith(magic)), None)
    return InputSource(name, packed)


def _start(name: str) -> bytes:
    if name == STDIN:
        return standard_input().peek_at_least(4)
    try:
        with open(name, "rb") as file:
            return file.read(4)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot read the file {name!r}: {reason}", "check its permissions") from error


class _Peekable(io.RawIOBase):
    """A stream whose beginning can be looked at before it is read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.start = stream, b""

    def peek_at_least(self, size: int) -> bytes:
        while len(self.start) < size:
            more = self.stream.read(size - len(self.start))
            if not more:
                break
            self.start += more
        return self.start[:size]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.start:
            return int(cast(Any, self.stream).readinto(buffer))
        part = self.start[: len(buffer)]
        buffer[: len(part)] = part
        self.start = self.start[len(part) :]
        return len(part)


_inputs: dict[int, _Peekable] = {}


def standard_input() -> _Peekable:
    """One and the same for as long as the process's standard input is."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise DataError("there is no standard input", "name a file")
    if id(stream) not in _inputs:
        _inputs.clear()
        _inputs[id(stream)] = _Peekable(stream)
    return _inputs[id(stream)]


@contextmanager
def _opened(source: InputSource) -> Iterator[IO[bytes]]:
    if source.content is not None:
        yield io.BytesIO(source.content)
    elif source.name == STDIN:
        yield io.BufferedReader(standard_input())
    else:
        with open(source.name, "rb") as file:
            yield file


def _unpacked(raw: IO[bytes], source: InputSource) -> IO[bytes]:
    if source.packed == "gzip":
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if source.packed in ("bzip2", "xz"):
        import bz2
        import lzma

        return cast("IO[bytes]", bz2.BZ2File(raw) if source.packed == "bzip2" else lzma.LZMAFile(raw))
    if source.packed == "zstd":
        stream = (
            needed("zstandard", "reading a file packed with zstd")
            .ZstdDecompressor()
            .stream_reader(raw, read_across_frames=True)
        )
        return cast("IO[bytes]", io.BufferedReader(stream))
    return raw


def _unpacked_head(source: InputSource, size: int) -> bytes:
    """The beginning of packed standard input, from a copy of its first bytes."""
    with told_of(source):
        part = io.BytesIO(standard_input().peek_at_least(size))
        return _as_far_as_it_goes(_unpacked(part, source), size)


def _as_far_as_it_goes(stream: IO[bytes], size: int) -> bytes:
    found = b""
    try:
        while len(found) < size and (more := cast(Any, stream).read1(1 << 16)):
            found += more
    except EOFError:  # the copy ends before the stream does
        pass
    return found


@contextmanager
def told_of(source: InputSource) -> Iterator[None]:
    """What goes wrong with unpacking, as an error about the file."""
    import zlib

    try:
        yield
    except (EOFError, zlib.error, OSError) as error:
        raise _damaged(source) from error
    except Exception as error:
        if type(error).__name__ in ("ZstdError", "LZMAError"):
            raise _damaged(source) from error
        raise


def _damaged(source: InputSource) -> DataError:
    how = f" as a {source.packed} file" if source.packed else ""
    return DataError(
        f"{source.name!r} cannot be read{how}: it is damaged or not all there", "make or download the file again"
    )
