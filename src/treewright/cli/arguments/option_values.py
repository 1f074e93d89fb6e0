"""Values as they are written on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from treewright.errors import OptionError

_PAIR = r"[^=,{}\[\]]+=[^=,{}\[\]]+"
_PAIRS = re.compile(rf"{_PAIR}(,{_PAIR})*")  # name=value,name=value
_WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}


def parsed(text: str) -> Any:
    """A value by its looks.

    >>> [parsed(text) for text in ("3", "0.5", "yes", "none", "gini", "3,5", '{"a": 2}')]
    [3, 0.5, True, None, 'gini', [3, 5], {'a': 2}]
    >>> parsed("age=fractional,income=branch"), parsed("0=age")
    ({'age': 'fractional', 'income': 'branch'}, {0: 'age'})
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"\d+(,\d+)+", text):
        return [int(part) for part in text.split(",")]
    if _PAIRS.fullmatch(text):
        return {_key(name): parsed(value) for name, value in _pairs(text)}
    for kind in (int, float, _object):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def typed(value: Any) -> str:
    """A value as it is written on the command line, the way back of :func:`parsed`.

    >>> [typed(value) for value in (3, None, True, "gini", ["zip", "name"], [["a", "b"], ["c"]], {"age": 2.0})]
    ['3', 'none', 'yes', 'gini', 'zip,name', 'a,b;c', 'age=2.0']
    >>> typed({"age": [18, 65]})
    '{"age": [18, 65]}'
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, dict) and any(isinstance(item, (list, dict)) for item in value.values()):
        return json.dumps(value)
    if isinstance(value, dict):
        return ",".join(f"{name}={typed(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        between = ";" if any(isinstance(item, list) for item in value) else ","
        return between.join(map(typed, value))
    return str(value)


def readings(text: str) -> Iterator[Any]:
    """All that a text may mean, what is likeliest first: names may look like numbers, and one name may be a list.

    >>> list(readings("age,zip")), list(readings("0=12"))
    (['age,zip', ['age', 'zip'], [['age', 'zip']]], [{0: 12}, {0: '12'}, ['0=12'], [['0=12']]])
    """
    yield parsed(text)
    if _PAIRS.fullmatch(text):
        yield {_key(name): value for name, value in _pairs(text)}
    yield _names(text)
    yield [_names(group) for group in text.split(";")]


def named_options(text: str, read: Callable[[str, str], Any] | None = None) -> tuple[str, dict[str, Any]]:
    """A method with its options: ``cost-complexity:alpha=0.01``; ``read`` says what an option's text means.

    >>> named_options("minimum-error:m=2")
    ('minimum-error', {'m': 2})
    """
    name, _, rest = text.partition(":")
    return name, dict(_option(part, read or (lambda _, value: parsed(value))) for part in _parts(rest))


def _parts(text: str) -> Iterable[str]:
    return [part for part in re.split(r",(?=\w+=)", text) if part]


def _option(text: str, read: Callable[[str, str], Any]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"{text!r} is no option", "write METHOD:OPTION=VALUE, for example cart:max_depth=3")
    name = name.strip().replace("-", "_")
    return name, read(name, value.strip())


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for pair in text.split(","):
        name, _, value = pair.partition("=")
        yield name.strip(), value.strip()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _object(text: str) -> Any:
    if not text.startswith(("{", "[")):
        raise ValueError(text)
    made = json.loads(text)
    return {_key(name): value for name, value in made.items()} if isinstance(made, dict) else made


def _key(name: str) -> str | int:
    """Depths and numbered classes are numbers, though JSON has only text for keys."""
    return int(name) if name.isdecimal() else name
