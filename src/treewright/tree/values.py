"""Plain values in JSON and back, nothing lost: numbers that are not finite, tuples, and mappings of any key.

JSON has no word for these, so each is an object with a single key: ``{"float": "inf"}``, ``{"tuple": […]}``,
``{"map": [[key, value], …]}``. Everything else stands for itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import ModelFileError, TreewrightError

_DEEPEST = 50
_MARKS = frozenset({"float", "tuple", "map"})


def value_to_json(value: Any, where: str = "value", depth: int = 0) -> Any:
    """A value of an option or a fact as JSON.

    >>> value_to_json({"min_gain": float("-inf"), "class_weight": {0: 1.0, 1: 2.0}})
    {'min_gain': {'float': '-inf'}, 'class_weight': {'map': [[0, 1.0], [1, 2.0]]}}
    """
    if depth > _DEEPEST:
        raise TreewrightError(f"cannot save {where}: it is nested more than {_DEEPEST} deep", "save a simpler value")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value if type(value) in (bool, int, str) or value is None else _base(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        items = [value_to_json(item, where, depth + 1) for item in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, Mapping):
        return _mapping_to_json(value, where, depth)
    raise TreewrightError(
        f"cannot save {where}: a {type(value).__name__} is not plain data",
        "use numbers, text, lists or mappings of these",
    )


def value_from_json(data: Any, where: str = "value", depth: int = 0) -> Any:
    """What ``value_to_json`` was given.

    >>> value_from_json({"map": [[0, 1.0], [1, {"float": "inf"}]]})
    {0: 1.0, 1: inf}
    """
    if depth > 2 * _DEEPEST:
        raise ModelFileError(f"{where} is nested too deep")
    if isinstance(data, list):
        return [value_from_json(item, where, depth + 1) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) == 1 and _MARKS & data.keys():
        ((mark, content),) = data.items()
        return _marked_from_json(mark, content, where, depth)
    return {key: value_from_json(item, where, depth + 1) for key, item in data.items()}


def float_from_text(text: object) -> float:
    """The number that JSON cannot write."""
    if text not in ("inf", "-inf", "nan") or not isinstance(text, str):
        raise ModelFileError(
            f"a number is expected, got {text!r}", "numbers that are not finite are 'inf', '-inf', 'nan'"
        )
    return float(text)


def _base(value: bool | int | str) -> int | str:
    """The plain value of a subclass such as an enumeration's member."""
    return str.__str__(value) if isinstance(value, str) else int(value)


def _mapping_to_json(value: Mapping[Any, Any], where: str, depth: int) -> Any:
    if all(type(key) is str for key in value) and not (len(value) == 1 and _MARKS & value.keys()):
        return {key: value_to_json(item, f"{where}.{key}" if depth else key, depth + 1) for key, item in value.items()}
    pairs = [
        [value_to_json(key, where, depth + 1), value_to_json(item, where, depth + 1)] for key, item in value.items()
    ]
    return {"map": pairs}


def _marked_from_json(mark: str, content: Any, where: str, depth: int) -> Any:
    if mark == "float":
        return float_from_text(content)
    if not isinstance(content, list):
        raise ModelFileError(f"{where} has a {mark} that is not a list")
    if mark == "tuple":
        return tuple(value_from_json(item, where, depth + 1) for item in content)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
        raise ModelFileError(f"{where} has a map that is not a list of pairs")
    return _as_dict(
        [(value_from_json(k, where, depth + 1), value_from_json(v, where, depth + 1)) for k, v in content], where
    )


def _as_dict(pairs: list[tuple[Any, Any]], where: str) -> dict[Any, Any]:
    try:
        made = dict(pairs)
    except TypeError as error:
        raise ModelFileError(f"{where} has a key that cannot be one") from error
    if len(made) != len(pairs):
        raise ModelFileError(f"{where} has the same key twice")
    return made
