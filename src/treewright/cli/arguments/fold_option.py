"""Folds as they are asked for: at least 2, at most as many as there are rows. Asking for others is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from treewright.errors import OptionError

METAVAR = "NUMBER|loo"
_LEAVE_ONE_OUT = "loo"


@dataclass(frozen=True)
class FoldNumber:
    """As many folds as said; None: leave one row out in turn."""

    said: int | None

    def of(self, n_rows: int) -> int:
        return n_rows if self.said is None else self.said


def fold_number(text: str) -> FoldNumber:
    """What ``--cv`` says."""
    if text.lower() == _LEAVE_ONE_OUT:
        return FoldNumber(None)
    try:
        return FoldNumber(int(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a whole number nor loo, which leaves one row out.") from None


def check_folds(cv: int | None, n_rows: int) -> None:
    """Refuse numbers of folds that cannot be made, in the words of the command line."""
    if cv is not None and cv < 2:
        raise OptionError(f"--cv {cv} is not accepted", "cross-validation needs at least 2 folds")
    if cv is not None and cv > n_rows:
        hint = f"there are {n_rows} rows, and --cv {n_rows} leaves out one of them in turn"
        raise OptionError(f"--cv {cv} asks for more folds than there are rows", hint)


def folds_of(cv: FoldNumber | None, usual: int, n_rows: int, seed: int) -> Any:
    """The folds asked for or, if nobody asked, the usual number, as far as there are rows."""
    from treewright.data.folds import Folds

    asked = None if cv is None else cv.of(n_rows)
    check_folds(asked, n_rows)
    return Folds(min(usual, n_rows) if asked is None else asked, seed)
