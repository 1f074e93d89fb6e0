"""Options by the names they have in other programs, and what they are called here.

The names are in :mod:`treewright.model.options.names_elsewhere`. An option that another learner has is named with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from treewright.errors import OptionError, near_name, shown
from treewright.model.options.names_elsewhere import NAMES, NOT_MEANT, PRUNING, TOLD, VALUES, key_of

_MOST_OWNERS = 3  # estimators that are named as having an option
_ANY: Mapping[str, Any] = {}


@dataclass(frozen=True)
class OptionHere:
    """What another program's option is here: ours, with the value that means the same."""

    option: str
    value: Any


class UnknownOptionError(OptionError, TypeError):
    """An option that an estimator does not have."""


def unknown_option(
    owner: str, name: str, value: Any, known: Iterable[str], limits: Mapping[str, Any] = _ANY
) -> UnknownOptionError:
    """The error for it, with what the option of another program is called here, or the nearest name. ``limits`` say
    what the options of the estimator accept.

    >>> print(unknown_option("CARTClassifier", "min_samples_leaf", 5, ["max_depth", "min_rows_leaf"]))
    unknown CARTClassifier option 'min_samples_leaf'. Hint: min_samples_leaf=5 is min_rows_leaf=5 here.
    """
    names = sorted(known)
    given = f"{name}={shown(value)}"
    hint = (
        _called(given, called_here(name, value, names, limits))
        or _pruning(given, name, value, owner, names)
        or told_here(name, names)
        or _elsewhere(given, name, value, owner, names)
    )
    if hint is None:
        near = near_name(name, names)
        all_of_them = f"help(tw.{owner}) describes all {len(names)}"
        hint = f"did you mean {near!r}? {all_of_them}" if near else f"there are {', '.join(names)}"
    return UnknownOptionError(f"unknown {owner} option {name!r}", hint)


def called_here(name: str, value: Any, known: Iterable[str], limits: Mapping[str, Any] = _ANY) -> OptionHere | None:
    """What another program's option is among the known ones; None if it is none of them, or would mean nothing.

    >>> called_here("noGlobalPruning", True, ["global_pruning"])
    OptionHere(option='global_pruning', value=False)
    """
    names = list(known)
    for option, change in NAMES.get(key_of(name), ()):
        ours = change(value) if option in names else NOT_MEANT
        if ours is not NOT_MEANT and (ours is value or option not in limits or limits[option].accepts(ours)):
            return OptionHere(option, ours)
    written = {key_of(option): option for option in names}  # earlyStopping is early_stopping
    return OptionHere(written[key_of(name)], value) if key_of(name) in written else None


def told_here(name: str, known: Iterable[str]) -> str | None:
    """What takes the place of another program's option that is none here, where the estimator has what it speaks of."""
    needed, text = TOLD.get(key_of(name), ("", None))
    return text if not needed or needed in set(known) else None


def value_called_here(option: str, value: Any, limit: Any) -> str | None:
    """Another program's word for a value, in ours; None if it is not known or would not be accepted.

    >>> from treewright.model.options.limit import OneOf
    >>> value_called_here("criterion", "log_loss", OneOf(("gini", "entropy")))
    'entropy'
    """
    ours = VALUES.get(option, {}).get(key_of(value)) if isinstance(value, str) else None
    return ours if ours is not None and limit.accepts(ours) else None


def pruning_called_here(name: str) -> tuple[str, Mapping[str, Any]] | None:
    """A method of pruning and its options, VALUE being that of the other program's option."""
    return PRUNING.get(key_of(name))


def owners_of(name: str, value: Any, kinds: Iterable[type[Any]]) -> list[tuple[OptionHere, list[type[Any]]]]:
    """The options of these estimators that are meant, as they are written, and who has them."""
    found: list[tuple[OptionHere, list[type[Any]]]] = []
    for kind in kinds:
        options = [field.name for field in fields(kind) if field.init]
        meant = OptionHere(name, value) if name in options else called_here(name, value, options, kind.option_limits)
        if meant is not None:
            having = next((kinds for other, kinds in found if other == meant), None)
            if having is None:
                found.append((meant, [kind]))
            else:
                having.append(kind)
    return found


def _called(given: str, meant: OptionHere | None) -> str | None:
    return None if meant is None else f"{given} is {meant.option}={shown(meant.value)} here"


def _pruning(given: str, name: str, value: Any, owner: str, known: list[str]) -> str | None:
    meant = pruning_called_here(name)
    if meant is None or "alpha" in known:
        return None
    options = {**meant[1], "alpha": value}
    if owner.endswith("Regressor"):  # of numbers there is one risk
        options.pop("risk", None)
    told = ", ".join(f"{option}={_quoted(shown(one))}" for option, one in sorted(options.items(), key=_alpha_first))
    pruner = f"prune=tw.prune.CostComplexity({told})"
    if "prune" in known:
        return f"{given} is {pruner} here"
    cart = f"CART{'Regressor' if owner.endswith('Regressor') else 'Classifier'}"
    if "member" in known:
        return f"members are pruned: {given} is member=tw.{cart}({pruner}) here"
    return f"{given} is {pruner} of {cart} and others; {owner} does not prune"


def _alpha_first(option: tuple[str, Any]) -> tuple[bool, str]:
    return option[0] != "alpha", option[0]


def _quoted(text: str) -> str:
    return text.replace("'", '"')


def _elsewhere(given: str, name: str, value: Any, owner: str, known: list[str]) -> str | None:
    """Which learners of the same kind have it."""
    from treewright.model.fitting import estimators_of, methods

    side = "Regressor" if owner.endswith("Regressor") else "Classifier"
    kinds = {kind.__name__: kind for method in methods() for kind in estimators_of(method)}
    found = owners_of(name, value, [kind for name, kind in kinds.items() if name.endswith(side)])
    if not found:
        return None
    words = [
        f"{'an option' if meant.option == name else f'{meant.option}={shown(meant.value)}'} of "
        f"{enumeration([kind.__name__ for kind in having])}"
        for meant, having in found
    ]
    return f"{given} is {' or '.join(words)}; {owner} has {', '.join(known)}"


def enumeration(names: list[str]) -> str:
    shown_names = names[:_MOST_OWNERS]
    more = ["others"] if len(names) > _MOST_OWNERS else []
    *first, last = [*shown_names, *more]
    return f"{', '.join(first)} and {last}" if first else last
