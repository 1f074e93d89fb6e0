"""Trees of cells in files: the rows and the options, from which the same tree is built again. Nothing is executed."""

from __future__ import annotations

import io
import json
import os
import zipfile
from os import PathLike
from typing import Any

import numpy as np

from treewright.errors import DataError, ModelFileError, OptionError
from treewright.neighbors.space_tree import BallTree, KDTree, SpaceTree
from treewright.tree.files import file_text, parse_json, replace_file, shown

_FORMAT, _VERSION = "treewright neighbors", 1
_KINDS: dict[str, type[SpaceTree]] = {"KDTree": KDTree, "BallTree": BallTree}
_OPTIONS = ("leaf_size", "metric", "p", "weights", "split")


def save(tree: SpaceTree, path: str | PathLike[str]) -> None:
    """Write a tree as JSON or, if the name ends so, as .npz, which is smaller and quicker for many rows."""
    if os.fspath(path).endswith(".npz"):
        file = io.BytesIO()
        np.savez_compressed(file, head=np.array(json.dumps(_head(tree))), rows=tree.data)
        replace_file(path, file.getvalue())
        return
    replace_file(path, json.dumps({**_head(tree), "rows": tree.data.tolist()}).encode("utf-8"))


def _head(tree: SpaceTree) -> dict[str, Any]:
    return {"format": _FORMAT, "version": _VERSION, "kind": type(tree).__name__, "options": tree.options()}


def load(path: str | PathLike[str]) -> SpaceTree:
    """Read a tree that ``tree.save(path)`` wrote.

    >>> import os, tempfile
    >>> from treewright.neighbors import KDTree, load
    >>> path = os.path.join(tempfile.mkdtemp(), "tree.json")
    >>> KDTree([[0.0, 1.0], [2.0, 3.0]]).save(path)
    >>> load(path).query([[2.0, 2.0]])[1].tolist()
    [[1]]
    """
    head, rows = _from_npz(path) if os.fspath(path).endswith(".npz") else _from_json(path)
    known = head.get("format") == _FORMAT and head.get("version") == _VERSION and head.get("kind") in _KINDS
    options = head.get("options")
    if not known or not isinstance(options, dict) or not set(options) <= set(_OPTIONS):
        raise ModelFileError(f"{shown(path)} holds no tree of this version", "write it again with tree.save(path)")
    try:
        return _KINDS[head["kind"]](rows, **options)
    except (DataError, OptionError, TypeError) as error:
        raise ModelFileError(f"{shown(path)} holds no tree: {error}", "write it again with tree.save(path)") from error


def _from_json(path: str | PathLike[str]) -> tuple[dict[str, Any], Any]:
    document = parse_json(file_text(path), path)
    if not isinstance(document, dict):
        raise ModelFileError(f"{shown(path)} holds no tree", "write it again with tree.save(path)")
    return document, document.get("rows")


def _from_npz(path: str | PathLike[str]) -> tuple[dict[str, Any], Any]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            head = json.loads(str(arrays["head"]))
            return (head if isinstance(head, dict) else {}), arrays["rows"]
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no file {shown(path)}", "check the name and the folder") from error
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ModelFileError(f"{shown(path)} holds no tree: {error}", "write it again with tree.save(path)") from error
