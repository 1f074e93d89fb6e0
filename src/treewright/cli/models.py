"""Models for commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model that treewright fit saved.")]


def load(path: str) -> Any:
    from treewright.model.files import load as load_model

    return load_model(path)
