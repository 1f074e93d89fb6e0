"""What is meant by an option that the command line does not know: another program's name, or a slip."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from treewright.cli.arguments.option_values import parsed, typed
from treewright.errors import near_name

_AUTOMATIC = "auto"  # the method where none is named
# What other programs call the options that commands have themselves.
_OF_COMMANDS = {
    "--target": ("label", "labels", "y", "response", "outcome", "dependent", "target_column", "class", "dep"),
    "--drop": ("exclude", "ignore", "skip", "id", "ids", "remove", "drop_columns", "without"),
    "--weights": ("weight", "sample_weight", "sample_weights", "case_weights"),
    "--cv": ("folds", "xval", "k_fold", "kfold", "n_folds", "crossval", "cross_validation"),
    "--test-size": ("holdout", "hold_out", "validation", "validate", "split", "test_fraction", "test_share"),
    "--delimiter": ("sep", "separator", "delim"),
    "--na": ("na_values", "null", "nulls", "missing_values", "na_string", "na_strings"),
    "--output": ("out", "save", "model", "outfile"),
    "--seed": ("set_seed", "random_seed"),
    "--costs": ("cost_matrix", "loss_matrix", "loss", "costs_file"),
}
_COMMAND_OF = {name: ours for ours, names in _OF_COMMANDS.items() for name in names}
_NOMINAL = "nominal columns are text by themselves; of numbers say --kinds COLUMN=nominal"
_TOLD = {  # where the words of Python are not those of the command line
    "header": "the first line has the names of the columns; where it has not, say --no-header",
    "splitter": "every tree here takes the best split; cuts at random are those of --method extra-trees",
    **dict.fromkeys(
        ("categorical", "nominal", "categorical_features", "categorical_feature", "cat_features"), _NOMINAL
    ),
    "progress": "on a terminal a bar is shown, unless --quiet hides it",
    "warm_start": "a command learns from the start; in Python, warm_start=True adds trees to a model",
    "maxcompete": "treewright summary MODEL --data TABLE shows the splits that compete",
}


def meant_option(given: str, text: str | None, own: Collection[str], method: str | None) -> str:
    """A hint that says what is meant, nothing if that is not known. ``own`` are the options of the command itself."""
    from treewright.cli.arguments.learner_options import options_of
    from treewright.model.options.familiar_names import told_here

    name = given.lstrip("-").removeprefix("learner-").replace("-", "_")
    options = list(options_of(method or _AUTOMATIC))
    with_value = f"{given} {text}" if text else given
    found = (
        _own(with_value, name, text, own)
        or _here(with_value, name, text, options, "--prune" in own and not _makes_many(method))
        or _TOLD.get(name)
        or told_here(name, options)
        or _elsewhere(with_value, name, text, method)
        or _pruned_elsewhere(with_value, name, text, method)
    )
    return found or _near(given, own, options)


def _own(with_value: str, name: str, text: str | None, own: Collection[str]) -> str | None:
    ours = _COMMAND_OF.get(name.lower())
    if ours not in own:
        return None
    return f"{with_value} is {ours}{f' {text}' if text else ''} here"


def _here(with_value: str, name: str, text: str | None, options: list[str], prunes: bool) -> str | None:
    from treewright.model.options.familiar_names import called_here, pruning_called_here

    meant = called_here(name, _value(text), [*options, *(["prune"] if prunes else [])])
    if meant is not None:
        return f"{with_value} is {_words(meant, text)} here"
    pruning = pruning_called_here(name)
    return f"{with_value} is {_pruned_by(pruning, text)} here" if pruning is not None and prunes else None


def _pruned_by(pruning: tuple[str, Any], text: str | None) -> str:
    method, more = pruning
    of_classes = " (of classes)" if "risk" in more else ""
    return f"--prune {pruning_text({method: {'alpha': text or 'VALUE', **more}})}{of_classes}"


def pruning_meant(name: str, text: str) -> str | None:
    """What is pruned by with another program's option; None if that is none of pruning."""
    from treewright.model.options.familiar_names import pruning_called_here

    pruning = pruning_called_here(name)
    return None if pruning is None else _pruned_by(pruning, text)


def _makes_many(method: str | None) -> bool:
    from treewright.model.fitting import is_ensemble

    return method is not None and is_ensemble(method)


def _pruned_elsewhere(with_value: str, name: str, text: str | None, method: str | None) -> str | None:
    pruning = pruning_meant(name, text or "VALUE") if _makes_many(method) else None
    return None if pruning is None else f"{with_value} is {pruning} of single trees; {method} makes many"


def _value(text: str | None) -> Any:
    return True if text is None else parsed(text)


def _words(meant: Any, text: str | None) -> str:
    """An option with its value as they are typed; a value that stays is repeated as it was written."""
    from treewright.cli.arguments.learner_options import written

    if meant.option == "prune":
        return f"--prune {pruning_text(meant.value)}"
    if isinstance(meant.value, bool):
        return written(meant.option if meant.value else f"no_{meant.option}")
    return f"{written(meant.option)} {text if text and meant.value == parsed(text) else typed(meant.value)}"


def pruning_text(value: Any) -> str:
    """A method of pruning with its options, as they are typed."""
    if isinstance(value, dict):
        ((method, options),) = value.items()
        return f"{method}:{','.join(f'{name}={_option_text(one)}' for name, one in options.items())}"
    return value if isinstance(value, str) else "none"


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _elsewhere(with_value: str, name: str, text: str | None, method: str | None) -> str | None:
    """Which other methods have it."""
    from treewright.model.fitting import estimators_of, methods
    from treewright.model.options.familiar_names import enumeration, owners_of

    by_method = {other: estimators_of(other) for other in methods()}
    found = owners_of(name, _value(text), dict.fromkeys(kind for kinds in by_method.values() for kind in kinds))
    if not found:
        return None
    told: dict[str, list[str]] = {}
    for meant, kinds in found:
        told.setdefault(_words(meant, text), []).extend(
            other for other, its in by_method.items() if any(kind in kinds for kind in its)
        )
    words = [f"{ours} of --method {enumeration(list(dict.fromkeys(others)))}" for ours, others in told.items()]
    return f"{with_value} is {' or '.join(words)}"


def _near(given: str, own: Iterable[str], options: Iterable[str]) -> str:
    from treewright.cli.arguments.learner_options import written

    near = near_name(given, [*own, *map(written, options)])
    return f"did you mean {near!r}?" if near else ""
