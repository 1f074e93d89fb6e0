"""What is said about classes on the command line, and in files of costs, in terms of the classes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.cli.arguments.shared_options import Talk
from treewright.cli.input_tables import Chosen, remarks
from treewright.cli.output import warn
from treewright.errors import DataError, OptionError

_MOST_PAIRS = 5  # that are named in a message


def classes_of(chosen: Chosen, method: str) -> dict[str, Any] | None:
    """The classes by their texts, as the method sees the target and files write it; None if it is a number."""
    from treewright.cli.arguments.learner_options import knows_numbers
    from treewright.data.column_values import NumberValues
    from treewright.data.schema import text_of
    from treewright.model.fitting import methods_for, prepare

    with remarks(Talk(quiet=True)):  # learning says it all again
        _, y = prepare(chosen.frame, chosen.target, method, {"kinds": chosen.kinds or None})
    if isinstance(y.cells, NumberValues):
        return None
    levels = y.cells.levels
    odd = next((level for level in levels if isinstance(level, float) and not level.is_integer()), None)
    if odd is not None:
        otherwise = f"leave out --kinds {chosen.target}=nominal to predict numbers, or write the classes as words"
        raise OptionError(
            f"{method} predicts classes, and the target {chosen.target!r} holds numbers such as {odd!r}",
            otherwise if knows_numbers(method) else f"use --method {methods_for(numbers=True)}",
        )
    return {str(level).lower() if isinstance(level, bool) else text_of(level): level for level in levels}


def with_classes(options: Mapping[str, Any], chosen: Chosen, classes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options by class, whose texts become the classes: 1, true or a date."""
    names = set(chosen.frame.names)

    def named(key: Any) -> Any:
        return key if key in names or classes is None else classes.get(_text(key, classes), key)

    return {
        name: {named(key): item for key, item in value.items()} if isinstance(value, dict) else value
        for name, value in options.items()
    }


def _text(name: Any, classes: Mapping[str, Any]) -> str:
    """Truth values may be written in capitals."""
    text = str(name)
    is_truth = isinstance(classes.get(text.lower()), bool)
    return text.lower() if is_truth else text


def costs_option(path: str | None, chosen: Chosen, classes: Mapping[str, Any] | None, talk: Talk) -> dict[str, Any]:
    """Costs of errors between the classes of the target, which the file names by their texts."""
    from treewright.data.readers.cost_file import read_costs

    if path is None:
        return {}
    if classes is None:
        raise OptionError(
            f"--costs are of mistaking one class for another, and the target {chosen.target!r} is a number",
            f"leave them out, or say --kinds {chosen.target}=nominal if its numbers are classes",
        )
    read = read_costs(path)
    found = {(_text(truth, classes), _text(predicted, classes)): cost for (truth, predicted), cost in read.items()}
    odd = [name for pair in found for name in pair if name not in classes]
    if odd:
        raise DataError(f"{path!r} names the class {odd[0]!r}, which {chosen.target!r} does not have",
                        f"the classes are {', '.join(classes)}")  # fmt: skip
    _tell_assumed(path, found, list(classes), talk)
    return {"costs": {(classes[truth], classes[predicted]): cost for (truth, predicted), cost in found.items()}}


def _tell_assumed(path: str, found: Mapping[tuple[str, str], float], classes: list[str], talk: Talk) -> None:
    pairs = [(truth, predicted) for truth in classes for predicted in classes if truth != predicted]
    left = [f"{truth} taken for {predicted}" for truth, predicted in pairs if (truth, predicted) not in found]
    if left:
        more = f" and {len(left) - _MOST_PAIRS} more" if len(left) > _MOST_PAIRS else ""
        warn(talk, f"{path!r} does not say what these errors cost, so each costs 1: {', '.join(left[:_MOST_PAIRS])}"
                   f"{more}. Hint: add them to the file.")  # fmt: skip
