"""Folds as they are asked for: at least 2, at most as many as there are rows. Asking for others is an error."""

from __future__ import annotations

from typing import Any

from treewright.errors import OptionError


def check_folds(cv: int | None, n_rows: int) -> None:
    """Refuse numbers of folds that cannot be made, in the words of the command line."""
    if cv is not None and cv < 2:
        raise OptionError(f"--cv {cv} is not accepted", "cross-validation needs at least 2 folds")
    if cv is not None and cv > n_rows:
        hint = f"there are {n_rows} rows, and --cv {n_rows} leaves out one of them in turn"
        raise OptionError(f"--cv {cv} asks for more folds than there are rows", hint)


def folds_of(cv: int | None, usual: int, n_rows: int, seed: int) -> Any:
    """The folds asked for or, if nobody asked, the usual number, as far as there are rows."""
    from treewright.data.labelled import Folds

    check_folds(cv, n_rows)
    return Folds(min(usual, n_rows) if cv is None else cv, seed)
