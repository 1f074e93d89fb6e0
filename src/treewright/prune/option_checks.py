"""What the options of pruners may be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from treewright.errors import OptionError, shown


def check_number(name: str, value: Any, *, hint: str, finite: bool = True) -> None:
    """A number of at least 0.

    >>> check_number("alpha", "0.1", hint="0 keeps every useful split")
    Traceback (most recent call last):
    treewright.errors.OptionError: alpha must be a number of at least 0, got '0.1'. Hint: 0 keeps every useful split.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and value >= 0 and (_is_finite(value) or (value == math.inf and not finite))):
        raise OptionError(f"{name} must be a number of at least 0, got {shown(value)}", hint)


def _is_finite(value: Real) -> bool:
    """Whether a float can say it: a whole number may be too large."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_share(name: str, value: Any, *, hint: str) -> None:
    """A number above 0 and at most 1."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and value > 0 and value <= 1):
        raise OptionError(f"{name} must be above 0 and at most 1, got {shown(value)}", hint)


def check_whole(name: str, value: Any, *, least: int, hint: str) -> None:
    """A whole number of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise OptionError(f"{name} must be a whole number of at least {least}, got {shown(value)}", hint)


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """One of some words, or of True and False."""
    known = list(choices)
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in known):
        raise OptionError(f"{name}={shown(value)} is not accepted", f"{name} is one of {', '.join(map(repr, known))}")


def check_yes_no(name: str, value: Any) -> None:
    check_choice(name, value, (True, False))
