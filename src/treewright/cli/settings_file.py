"""Options of ``fit`` from a settings file, a file of TOML, and from the environment.

What counts, the first that says something: the command line, the settings file, the environment
(``TREEWRIGHT_MAX_DEPTH=4``), the default. A settings file has the options of the command and of the learner under their
own names, with _ or -; those of the learner may stand in a section ``[options]``. Names of files are
those of the working folder, as on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import DataError, OptionError, near_name

CONFIG = "config"
_PREFIX = "TREEWRIGHT_"
_NO_OPTIONS = ("COMPILE",)  # variables that say something else
_SECTION = "options"


def from_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the variables say that look like options, by the name of the option.

    >>> from_environment({"TREEWRIGHT_MAX_DEPTH": "4", "TREEWRIGHT_COMPILE": "never", "HOME": "/root"})
    {'max_depth': '4'}
    """
    given = os.environ if environment is None else environment
    named = {name.removeprefix(_PREFIX): value for name, value in given.items() if name.startswith(_PREFIX)}
    return {name.lower(): value for name, value in named.items() if name not in _NO_OPTIONS and value}


def variable(option: str) -> str:
    return f"{_PREFIX}{option.upper()}"


def from_settings_file(path: str, known: Collection[str]) -> dict[str, Any]:
    """Options by name, as a settings file says them; a name that is no option is refused."""
    content = _content(path)
    section = content.pop(_SECTION, {})
    if not isinstance(section, dict):
        raise OptionError(f"{_SECTION} in {path!r} is no section", f"write [{_SECTION}] and the options below it")
    twice = sorted(content.keys() & section.keys())
    if twice:
        raise OptionError(f"{twice[0]} stands twice in {path!r}", f"keep it above [{_SECTION}] or below")
    found = {name.replace("-", "_"): value for name, value in {**content, **section}.items()}
    for name in found:
        if name not in known:
            raise OptionError(f"unknown option {name!r} in {path!r}", _meant(name, found[name], known))
    return found


def _content(path: str) -> dict[str, Any]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"the settings file {path!r} is not UTF-8 text", "save it as UTF-8") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(
            f"cannot read the settings file {path!r}: {reason}", "check the name, or write one with treewright init"
        ) from error
    toml = _toml()
    try:
        content: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise DataError(f"{path!r} is not TOML: {error}", 'write lines such as method = "cart"') from error
    return content


def _toml() -> Any:
    import sys

    from treewright.data.readers.contents import needed

    return needed("tomllib" if sys.version_info >= (3, 11) else "tomli", "reading a settings file")


def _meant(name: str, value: Any, known: Collection[str]) -> str:
    """What is meant by a name that is no option, as a settings file or, for another program, the line has it."""
    from treewright.cli.arguments.option_suggestion import meant_option
    from treewright.model.options.familiar_names import called_here

    ours = called_here(name, value, known)
    if ours is not None and ours.value == value:
        return f"{name} is {ours.option} here"
    near = near_name(name, known)
    if near is not None:
        return f"did you mean {near!r}?"
    own = [f"--{option.replace('_', '-')}" for option in known]
    told = meant_option(f"--{name.replace('_', '-')}", None if isinstance(value, bool) else str(value), own, None)
    return told or "treewright fit --help lists the options, treewright methods those of the learners"


def as_text(value: Any) -> str | list[str]:
    """A value of a settings file as the command line would have it.

    >>> as_text(10), as_text(["id", "day"]), as_text({"size": "S<M<L", "zip": "nominal"})
    ('10', ['id', 'day'], ['size=S<M<L', 'zip=nominal'])
    """
    if isinstance(value, dict):
        return [f"{name}={_ordered(item)}" for name, item in value.items()]
    return [str(item) for item in value] if isinstance(value, list) else str(value)


def _ordered(kind: Any) -> str:
    """An order of levels may be a list."""
    return "<".join(map(str, kind)) if isinstance(kind, list) else str(kind)
