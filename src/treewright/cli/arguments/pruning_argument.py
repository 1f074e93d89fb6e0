"""What the library says about pruning, in terms of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright.cli.arguments.option_values import named_options
from treewright.errors import OptionError, unknown


def read_pruning(text: str, *, at_fit: bool = False) -> tuple[str, dict[str, Any]]:
    """A method of pruning with its options: ``cost-complexity:alpha=0.01``; at a fit also ``cost-complexity:cv=5``."""
    from treewright.model.learning_plan import check_pruning, pruning_names

    name, options = named_options(text)
    if name.lower() not in pruning_names():
        raise unknown("pruning method", name, pruning_names())
    with pruning_hints():
        check_pruning(name, options, at_fit=at_fit)
    return name, options


@contextmanager
def pruning_hints(data: str | None = "") -> Iterator[None]:
    """Hints name options of Python; here they are written METHOD:OPTION=VALUE, and rows come from a file.

    ``data`` None: a file could be named, and none is.
    """
    try:
        yield
    except OptionError as error:
        needed = re.fullmatch(r"(\S+) pruning needs (\w+)=", error.problem)
        if needed:
            raise OptionError(error.problem.rstrip("="), f"write {needed[1]}:{needed[2]}=VALUE") from error
        if data is None and re.search("X_val|pass them", error.hint or ""):
            raise OptionError(error.problem, "name a file with the rows with --data") from error
        if re.search("pass cv=", error.hint or ""):
            raise OptionError(error.problem, "give --cv 10 as well") from error
        if re.search("X_val", error.hint or ""):
            raise OptionError(error.problem, "leave --data out") from error
        raise
