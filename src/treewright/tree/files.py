"""Files that are either whole or not there, and JSON that says one thing only."""

from __future__ import annotations

import gc
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, TypeAlias

from treewright.errors import ModelFileError, TreewrightError
from treewright.tree.check import HINT, require

Location: TypeAlias = "str | os.PathLike[str]"
_TABLES = (".csv", ".tsv", ".tab", ".arff")
_LARGEST_FILE = 2**31  # bytes; far above any tree worth keeping, far below what would exhaust a machine


def replace_file(path: Location, content: bytes) -> None:
    """Put the content at a path: all of it or, on any failure, nothing, and then what was there stays as it was."""
    try:
        _replace(Path(os.path.realpath(path)), content)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error


def _replace(target: Path, content: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder")
    with whole_file(target) as file:
        file.write(content)


@contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """Write beside the target and move into place: readers see the old file or the new one, never half of one.

    What is no ordinary file, such as /dev/null, is written to as it is: nothing may take its place.
    """
    if target.exists() and not target.is_file():
        with open(target, "wb") as device:
            yield device
        return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(draft, target.stat().st_mode & 0o777)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _unwritable(path: Location, error: Exception) -> TreewrightError:
    reasons: tuple[tuple[type[Exception], str, str], ...] = (
        (IsADirectoryError, "it is a folder", "give the name of a file inside it"),
        (FileNotFoundError, "its folder does not exist", "make the folder first"),
        (NotADirectoryError, "its folder is a file", "choose another folder"),
        (PermissionError, "its folder is not yours to write to", "choose another folder"),
    )
    for kind, reason, hint in reasons:
        if isinstance(error, kind):
            return TreewrightError(f"cannot save the model as {shown(path)}: {reason}", hint)
    return TreewrightError(f"cannot save the model as {shown(path)}: {error}", "choose another place")


@contextmanager
def uncollected() -> Iterator[None]:
    """No cycles are looked for meanwhile: what a file holds has none, and looking takes longer than reading."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def file_text(path: Location) -> str:
    try:
        file = Path(path)
        if not file.exists():
            raise ModelFileError(f"there is no file {shown(path)}", "check the name and the folder")
        if not file.is_file():
            raise ModelFileError(f"{shown(path)} is not a file", "give the name of a model file")
        if file.stat().st_size > _LARGEST_FILE:
            raise ModelFileError(f"{shown(path)} is larger than any model file", "check the name")
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"{shown(path)} is not text", "models are JSON files written by model.save(path)"
        ) from error
    except (OSError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"cannot read {shown(path)}: {error}", "check the name and its permissions") from error


def parse_json(text: str, path: Location) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except ModelFileError:
        raise
    except RecursionError as error:
        raise ModelFileError(f"{shown(path)} is nested too deep to be a model", HINT) from error
    except ValueError as error:
        if Path(str(path)).suffix.lower() in _TABLES:
            raise ModelFileError(
                f"{shown(path)} is a table, and a model is wanted", "learn one from it first"
            ) from error
        raise ModelFileError(f"{shown(path)} is not JSON, or only a part of it: {error}", HINT) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    require(len(made) == len(pairs), "an object has the same key twice")
    return made


def _refuse_constant(text: str) -> NoReturn:
    raise ModelFileError(f"{text} is not JSON", "numbers that are not finite are written as text")


def shown(path: Location) -> str:
    return repr(os.fspath(path))
