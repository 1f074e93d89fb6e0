"""How a model came about: the commands that made it, or that it was fitted in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.display import DisplayedRecord
from treewright.errors import ModelFileError
from treewright.version import VERSION

_IN_PYTHON = "in Python"


@dataclass(frozen=True, repr=False)
class Origin(DisplayedRecord):
    """``commands`` in the order they were given, none for a model of Python's; ``python`` is what was called there.

    ``version`` is that of treewright.
    """

    commands: tuple[str, ...] = ()
    python: str = ""
    version: str = ""

    @classmethod
    def now(cls, commands: tuple[str, ...] = (), python: str = "") -> Origin:
        return cls(commands, python, VERSION)

    def __str__(self) -> str:
        if self.commands:
            return "\n".join(self.commands)
        return f"# {_IN_PYTHON}, not by a command\n{self.python}"


def origin_of(model: Any) -> Origin:
    """Of a model that is to be saved: what it says, else that it was fitted in Python.

    >>> import treewright as tw
    >>> print(origin_of(tw.CARTClassifier(max_depth=2)))
    # in Python, not by a command
    CARTClassifier(max_depth=2).fit(X, y)
    """
    known: Origin | None = model.__dict__.get("origin_")
    return known or Origin.now(python=f"{_called(model)}.fit(X, y)")


def _called(model: Any) -> str:
    """The estimator with the options that are not the default, however it prints itself."""
    from sklearn.base import clone

    try:
        return " ".join(repr(clone(model)).split())
    except (TypeError, ValueError, RuntimeError):  # options that cannot be cloned cannot be told either
        return f"{type(model).__name__}(…)"


def origin_to_json(origin: Origin) -> dict[str, Any]:
    return {"commands": list(origin.commands), "python": origin.python, "version": origin.version}


def origin_from_json(told: Any) -> Origin:
    """What ``origin_to_json`` has made; anything else is refused."""
    is_one = isinstance(told, dict) and told.keys() == {"commands", "python", "version"}
    if not is_one or not isinstance(told["commands"], list) or not _are_texts(told):
        raise ModelFileError("how the model came about is not told as it should be", "save the model again")
    return Origin(tuple(told["commands"]), told["python"], told["version"])


def _are_texts(told: dict[str, Any]) -> bool:
    return all(isinstance(text, str) for text in (*told["commands"], told["python"], told["version"]))
