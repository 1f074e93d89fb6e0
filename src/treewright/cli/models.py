"""Models for commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.errors import ModelFileError

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model that treewright fit saved.")]


def load(path: str) -> Any:
    from treewright.model.files import load as load_model

    model = load_model(path)
    if not hasattr(model, "tree_"):
        raise ModelFileError(f"{path!r} holds rules, commands work on trees", "in Python tw.load reads it")
    return model
