"""The options of a method in words: the same in ``treewright methods NAME`` and ``treewright fit --method NAME -h``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treewright.cli.arguments.learner_options import Accepting, for_classes_only, options_of, written
from treewright.cli.arguments.option_values import typed
from treewright.cli.output import columns

_INDENT = " " * 4


def learner_options_text(method: str, width: int) -> str:
    """Name, default, meaning, what is accepted and an example of every option of a learner."""
    told = [_learner_option(method, name, kinds, width) for name, kinds in options_of(method).items()]
    return "\n".join([*_preset_text(method, width), *told])


def _preset_text(method: str, width: int) -> list[str]:
    """What a program that is named as a method is, and how it prunes, which no option of the learner says."""
    from treewright.cli.arguments.option_suggestion import pruning_text
    from treewright.model.fitting import preset_options, presets

    learner = presets().get(method.lower())
    if learner is None:
        return []
    by_side = [preset_options(method, numbers=numbers).get("prune") for numbers in (False, True)]
    pruned = _either([f"--prune {pruning_text(value)}" for value in by_side if value])
    text = f"{method} is {learner} with the defaults of that program, which are named here"
    return [textwrap.fill(f"{text}{f', and {pruned}' if pruned else ''}.", width, break_on_hyphens=False)]


def option_entry(name: str, default: str, meaning: str, example: str, width: int) -> str:
    """An option as it stands in a list: its name, and below it the rest."""
    told = textwrap.fill(meaning, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    return f"{name} ({default})\n{told}\n{_INDENT}Example: {example}"


def further_options(method: str, others: Iterable[str]) -> str:
    """Options that only other methods have, and which these are."""
    known = options_of(method)
    owners: dict[str, list[str]] = {}
    for other in others:
        for name in options_of(other):
            owners.setdefault(name, []).append(other)
    return columns([(written(name), ", ".join(found)) for name, found in sorted(owners.items()) if name not in known])


def option_record(kinds: Sequence[Accepting]) -> Mapping[str, Any]:
    """Beside what holds for classes, or for both, what holds for numbers if that is something else."""
    first, *other = (
        {"default": kind.default, "accepts": kind.words, "meaning": kind.meaning, "example": kind.example}
        for kind in kinds
    )
    return {**first, "for_numbers": other[0]} if other else first


def _learner_option(method: str, name: str, kinds: Sequence[Accepting], width: int) -> str:
    only = ", classes only" if for_classes_only(method, name) else ""
    default = f"default {_either([typed(kind.default) for kind in kinds])}{only}"
    meaning = f"{kinds[0].meaning} Takes {_either([kind.words for kind in kinds])}."
    return option_entry(written(name), default, meaning, kinds[0].example, width)


def _either(words: Iterable[str]) -> str:
    return "; for numbers ".join(dict.fromkeys(words))
