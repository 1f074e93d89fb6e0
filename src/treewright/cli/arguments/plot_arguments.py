"""From the files and options of ``treewright plot`` to the arguments of a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from treewright.cli.arguments.option_values import parsed
from treewright.cli.arguments.plot_options import PlotDetails
from treewright.cli.arguments.shared_options import Choosing, Reading, Talk
from treewright.cli.input_tables import choose, is_numbers, parts_of, rows_for, split_names
from treewright.cli.saved_models import load, schema_of
from treewright.errors import DataError, OptionError, shown

_ROWS = {"DATA": ("X", "y"), "VALIDATION": ("X_val", "y_val"), "TEST": ("X_test", "y_test")}


def gallery_axes(name: str) -> Any:
    """A picture of the gallery."""
    from treewright.plots.gallery import picture

    return picture(name).draw()


def axes_of(
    name: str, files: list[str], options: dict[str, Any], choosing: Choosing, reading: Reading, talk: Talk
) -> Any:
    """Read the files that a plot is made of, and draw it."""
    from treewright.plots.catalogue import plot_entry

    entry = plot_entry(name)
    named = _named_files(entry, files)
    _check_options(entry, options, choosing)
    arguments = _arguments(entry, named, choosing, reading, talk)
    names = arguments.pop("names")
    return entry.draw(**arguments, **_values(entry, options, names))


def _named_files(entry: Any, files: list[str]) -> dict[str, Any]:
    """The files by what they are."""
    wanted = [name.strip("[]") for name in entry.files]
    needed = [name for name in entry.files if not name.startswith("[")]
    if wanted[:1] == ["MODELS"] and len(files) >= len(wanted):
        return {"MODELS": files[: 1 - len(wanted)], **dict(zip(wanted[1:], files[1 - len(wanted) :]))}
    if not len(needed) <= len(files) <= len(wanted) or "MODELS" in wanted:
        what, got = " ".join(entry.files) or "no files", ", ".join(files) or "no files"
        raise OptionError(f"{entry.name} is made of {what}, got {got}", f"write {entry.usage}")
    return dict(zip(wanted, files))


def _check_options(entry: Any, options: dict[str, Any], choosing: Choosing) -> None:
    """Refuse options that a plot has no use for."""
    of_table = "TABLE" in entry.files
    takes = {*entry.options, *(("target", "drop") if of_table else ())}
    takes |= {"weights"} if "sample_weight" in entry.options else set()
    given = [*options, *(name for name in ("target", "drop", "weights") if getattr(choosing, name) is not None)]
    odd = [name for name in given if name not in takes]
    if odd:
        known = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(takes.intersection(_KNOWN)))
        raise OptionError(
            f"{entry.name} has no use for --{odd[0].replace('_', '-')}",
            f"its options are {known}" if known else "leave it out",
        )
    if "node" in entry.options and "node" not in options:
        raise OptionError(f"{entry.name} shows one node, and none is named", "write --node NUMBER")


_KNOWN = (*(option.name for option in fields(PlotDetails)), "target", "drop", "weights")


def _arguments(entry: Any, named: dict[str, Any], choosing: Choosing, reading: Reading, talk: Talk) -> dict[str, Any]:
    """What the files hold, by the names that functions give them; ``names`` are the columns."""
    made: dict[str, Any] = {"names": ()}
    if "TABLE" in named:
        return _of_table(entry, named["TABLE"], choosing, reading, talk)
    if "MODELS" in named:
        made["models"] = {Path(path).stem: _estimator(path) for path in named["MODELS"]}
    for key in ("MODEL", "PRUNED"):
        if key in named:
            made[key.lower()] = load(named[key])
    first = made.get("model") or next(iter(made.get("models", {}).values()), None)
    for key, (X, y) in _ROWS.items():
        if key in named:
            rows = rows_for(first, named[key], reading, choosing.weights)
            made |= {X: rows.frame, **({y: rows.target} if y in entry.parameters else {})}
            if choosing.weights is not None:
                made["sample_weight"] = rows.weights
    return {**made, "names": () if first is None else schema_of(first).names}


def _estimator(path: str) -> Any:
    model = load(path)
    if not hasattr(model, "get_params"):
        raise DataError(f"{path!r} holds rules alone, which cannot be learned anew", "name the model of a learner")
    return model


def _of_table(entry: Any, path: str, choosing: Choosing, reading: Reading, talk: Talk) -> dict[str, Any]:
    chosen = choose(path, reading, choosing, talk)
    X, y, kinds = parts_of(chosen)
    made: dict[str, Any] = {"X": X, "y": y, "names": X.names}
    if entry.name == "attribute-ranking":
        what = "numbers" if is_numbers(y) else "classes"
        made |= {"kinds": kinds, "target": what, "sample_weight": chosen.weights}
    return {name: value for name, value in made.items() if name not in ("X", "y") or name in entry.parameters}


def _values(entry: Any, options: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Options as the functions take them."""
    read: dict[str, Callable[[Any], Any]] = {
        "columns": lambda text: split_names([text], names),
        "at": lambda texts: dict(_pair(text) for text in texts),
        "base": parsed,
        "scale": parsed,
        "query": lambda text: _numbers("query", text, float),
        "ks": lambda text: _numbers("ks", text, int),
        "cv": lambda folds: "loo" if folds.said is None else folds.said,
    }
    return {name: read.get(name, lambda value: value)(value) for name, value in options.items()}


def _numbers(option: str, text: str, kind: type) -> list[Any]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"--{option} {shown(text)} is not accepted", "write numbers between commas") from None


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise OptionError(f"--at {shown(text)} is not accepted", "write COLUMN=VALUE")
    return name, parsed(value)
