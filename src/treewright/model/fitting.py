"""Which estimator a method is for a table, and the target as it takes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.frame import Frame, listing
from treewright.data.kinds import Wanted, ordered_levels, read_kinds
from treewright.data.schema import Kind, Unit
from treewright.data.target_column import TargetColumn, means_classes, refuse_other_labels
from treewright.data.user_warnings import warn_user
from treewright.data.written_dates import DateFormat
from treewright.data.written_numbers import written_number
from treewright.errors import DataError, OptionError, near_name, shown
from treewright.explain.number_text import format_number, plural
from treewright.model.learners.automatic import options_for
from treewright.model.learners.c45_classifier import C45Classifier
from treewright.model.learners.c45_rules_classifier import C45RulesClassifier
from treewright.model.learners.c50_classifier import C50Classifier
from treewright.model.learners.chaid_estimators import CHAIDClassifier, CHAIDRegressor
from treewright.model.learners.classifier import CARTClassifier, ClassifierModel, ID3Classifier, TreeClassifier
from treewright.model.learners.cubist_regressor import CubistRegressor
from treewright.model.learners.knn_estimators import KNNClassifier, KNNRegressor
from treewright.model.learners.m5_estimators import M5Regressor, M5RulesRegressor
from treewright.model.learners.regressor import CARTRegressor, TreeRegressor
from treewright.model.learners.search_tree import SearchTreeClassifier, SearchTreeRegressor
from treewright.model.options.familiar_names import unknown_option

Model: TypeAlias = Any  # an estimator of this library

_SINGLE_CLASSIFIERS: dict[str, type[Model]] = {
    "id3": ID3Classifier,
    "c4.5": C45Classifier,
    "c4.5rules": C45RulesClassifier,
    "c5.0": C50Classifier,
    "cart": CARTClassifier,
    "chaid": CHAIDClassifier,
    "knn": KNNClassifier,
    "tree": TreeClassifier,
    "search": SearchTreeClassifier,
    "auto": SearchTreeClassifier,
}
_SINGLE_REGRESSORS: dict[str, type[Model]] = {
    "cart": CARTRegressor,
    "chaid": CHAIDRegressor,
    "knn": KNNRegressor,
    "tree": TreeRegressor,
    "m5": M5Regressor,
    "m5rules": M5RulesRegressor,
    "cubist": CubistRegressor,
    "search": SearchTreeRegressor,
    "auto": SearchTreeRegressor,
}
# Public names of ensembles, less their side: they live above this module, and are imported when asked for.
_ENSEMBLES = {"forest": "RandomForest", "extra-trees": "ExtraTrees", "bagging": "Bagging", "adaboost": "AdaBoost"}
_ALSO_CALLED = {
    "c45": "c4.5", "c45rules": "c4.5rules", "c4.5-rules": "c4.5rules", "rules": "c4.5rules",
    "c50": "c5.0", "c5": "c5.0", "random-forest": "forest", "extratrees": "extra-trees", "boosting": "adaboost",
    "k-nn": "knn", "randomforest": "forest", "rf": "forest",
    "crt": "cart", "c&rt": "cart", "see5": "c5.0", "m5p": "m5", "m5'": "m5", "adaboostm1": "adaboost",
}  # fmt: skip
# Programs by name: a method, and the options by which it does what the program does if it is told nothing.
_RPART = {
    "min_rows_split": 20, "min_rows_leaf": 7, "min_gain": 1e-9, "max_depth": 30, "missing": "surrogate",
    "surrogates": "rpart",
}  # fmt: skip
_PRESETS: dict[str, tuple[str, Mapping[bool, Mapping[str, Any]]]] = {  # options by whether numbers are predicted
    "j48": ("c4.5", {False: {"flavour": "j48"}}),
    "rpart": (
        "cart",
        {
            False: {
                **_RPART,
                "prune": {"cost-complexity": {"alpha": 0.01, "relative": True, "risk": "misclassification"}},
            },
            True: {**_RPART, "prune": {"cost-complexity": {"alpha": 0.01, "relative": True}}},
        },
    ),
}

_TASKS = (None, "classes", "numbers")
_TURNED = {
    "classes": 'leave it out; kinds={target: "nominal"} makes classes of numbers',
    "numbers": 'leave it out; kinds={target: "numeric"} makes numbers of the target',
}


def prepare(
    frame: Frame, target: Any, method: str, options: Mapping[str, Any], task: str | None = None
) -> tuple[Model, TargetColumn]:
    """The estimator ``fit`` would use, not fitted yet, and the target."""
    name, place, options = _method(method), place_of(target, frame), dict(options)
    kinds = read_kinds(options.pop("kinds", None), frame)
    given = kinds.pop(place, None)
    _check_predicts_classes(name, given, task)
    wanted = _by_task(task, given, name)
    if wanted is None and not knows_classes(name):
        _refuse_classes(name, frame, place)
        wanted = Kind.NUMERIC
    y = TargetColumn(frame.names[place], _target_cells(frame, place, wanted, knows_numbers(name)))
    numbers = isinstance(y.cells, NumberValues)
    estimator = _estimator(name, numbers=numbers)
    _check_names(options, estimator, name)
    options = {**preset_options(method, numbers=numbers), **options}
    if isinstance(options.get("member"), (str, tuple)):
        options["member"] = member_of(options["member"], numbers=numbers)
    if name == "auto":
        is_classifier = issubclass(estimator, ClassifierModel)
        sized = options_for(frame.n_rows, frame.n_columns - 1, classes=is_classifier, given=options)
        options = {**sized, **options}
    # By name, since numbers mean other columns once the target is gone.
    by_name = {frame.names[column]: _plain(kind) for column, kind in kinds.items()}
    return estimator(**options, kinds=by_name or None), y


def methods() -> tuple[str, ...]:
    """What ``method`` may be.

    >>> "cart" in methods() and "forest" in methods()
    True
    """
    return tuple(sorted({*_SINGLE_CLASSIFIERS, *_SINGLE_REGRESSORS, *_ENSEMBLES}))


def presets() -> dict[str, str]:
    """Programs that may be named in the place of a method, and whose defaults it then has.

    >>> presets()
    {'j48': 'c4.5', 'rpart': 'cart'}
    """
    return {name: method for name, (method, _) in _PRESETS.items()}


def preset_options(method: str, *, numbers: bool) -> dict[str, Any]:
    """What a program that is named as a method does if it is told nothing; nothing of a method.

    >>> preset_options("j48", numbers=False)
    {'flavour': 'j48'}
    """
    _, options = _PRESETS.get(str(method).lower(), ("", {}))
    return dict(options.get(numbers, {}))


def is_ensemble(method: str) -> bool:
    """Whether a method makes many trees."""
    return _method(method) in _ENSEMBLES


def estimators_of(method: str) -> tuple[type[Model], ...]:
    """The estimators behind a method, for classes and for numbers; one if it knows only one of them.

    >>> [kind.__name__ for kind in estimators_of("cart")]
    ['CARTClassifier', 'CARTRegressor']
    """
    name = _method(method)
    sides = {False: knows_classes(name), True: knows_numbers(name)}
    return tuple(_estimator(name, numbers=numbers) for numbers, is_known in sides.items() if is_known)


def methods_for(*, numbers: bool) -> str:
    """The methods for targets of numbers, or of classes, in words; ensembles last.

    >>> methods_for(numbers=True)
    'auto, cart, chaid, cubist, knn, m5, m5rules, search, tree, adaboost, bagging, extra-trees or forest'
    """
    *names, last = [*sorted(_SINGLE_REGRESSORS if numbers else _SINGLE_CLASSIFIERS), *sorted(_ENSEMBLES)]
    return f"{', '.join(names)} or {last}"


def knows_classes(method: str) -> bool:
    """Whether a method predicts classes."""
    return method in _SINGLE_CLASSIFIERS or method in _ENSEMBLES


def knows_numbers(method: str) -> bool:
    """Whether a method predicts numbers."""
    return method in _SINGLE_REGRESSORS or method in _ENSEMBLES


def member_of(given: str | tuple[str, Mapping[str, Any]], *, numbers: bool) -> Model:
    """The learner that an ensemble is made of, by its method, or by its method and options."""
    method, options = (given, {}) if isinstance(given, str) else (given[0], dict(given[1]))
    name = _method(method)
    if numbers and not knows_numbers(name):
        raise OptionError(f"member={method!r} predicts classes, and the target is a number", "use cart, chaid or tree")
    if not numbers and not knows_classes(name):
        raise OptionError(f"member={method!r} predicts numbers, and the target is a class", "use cart, c4.5 or tree")
    estimator = _estimator(name, numbers=numbers)
    _check_names(options, estimator, name)
    return estimator(**{**preset_options(method, numbers=numbers), **options})


def _estimator(name: str, *, numbers: bool) -> type[Model]:
    if name in _ENSEMBLES:
        side = "Regressor" if numbers else "Classifier"
        found: type[Model] = getattr(import_module(__name__.partition(".")[0]), _ENSEMBLES[name] + side)
        return found
    return (_SINGLE_REGRESSORS if numbers else _SINGLE_CLASSIFIERS)[name]


def _method(method: Any) -> str:
    name = re.sub(r"[ _]", "-", method.lower()) if isinstance(method, str) else None
    name = presets().get(str(name), _ALSO_CALLED.get(str(name), name))
    if name not in methods():
        raise _unknown_method(method)
    return str(name)


def _unknown_method(method: Any) -> OptionError:
    names = sorted((*methods(), *_PRESETS))
    near = near_name(method, names) if isinstance(method, str) else None
    hint = f"did you mean {near!r}? There are" if near else "there are"
    return OptionError(f"unknown method {shown(method)}", f"{hint} {', '.join(names)}")


def place_of(target: Any, frame: Frame) -> int:
    """Which column the target is; there has to be another one."""
    if not isinstance(target, (str, Integral)):
        raise DataError(
            f"the target is the name of a column, got a {type(target).__name__}",
            f"the columns are {listing(frame.names)}; a target beside the table goes to tw.CARTClassifier().fit(X, y)",
        )
    place = frame.place(target)
    if place is None:
        raise DataError(f"there is no column {target!r} to predict", frame.hint_for(target))
    if frame.n_columns == 1:
        raise DataError(f"the table has no column but the target {frame.names[0]!r}", "add columns to predict it from")
    return place


def _plain(kind: Wanted) -> str | list[Any]:
    """A kind as a user writes it."""
    if isinstance(kind, DateFormat):
        return kind.text
    return kind.value if isinstance(kind, Kind) else list(kind)


def _by_task(task: Any, wanted: Wanted | None, method: str) -> Wanted | None:
    """The kind of the target, as ``task`` and ``kinds`` say."""
    if task not in _TASKS:
        raise OptionError(f"task={shown(task)} is not accepted", 'task is None, "classes" or "numbers"')
    if task is None:
        return wanted
    if wanted is not None and (wanted is Kind.NUMERIC) != (task == "numbers"):
        raise OptionError(f"task={task!r} and kinds say different things of the target", "leave one of them out")
    if task == "numbers" and not knows_numbers(method):
        raise OptionError(
            f"{method} predicts classes, and task is 'numbers'", f"use method {methods_for(numbers=True)}"
        )
    return wanted or (Kind.NUMERIC if task == "numbers" else Kind.NOMINAL)


def _check_predicts_classes(method: str, wanted: Wanted | None, task: str | None) -> None:
    if not knows_classes(method) and (task == "classes" or (wanted is not None and wanted is not Kind.NUMERIC)):
        raise OptionError(
            f"{method} predicts numbers, and the target is to be one of several classes",
            f"use method {methods_for(numbers=False)}",
        )


def _refuse_classes(method: str, frame: Frame, place: int) -> None:
    """Refuse a target of words for a method of numbers; one word among numbers is named where they are read."""
    cells = frame.cells(place, None)
    if isinstance(cells, LevelValues) and not any(map(_is_number, cells.levels)):
        raise OptionError(
            f"{method} predicts numbers, and the target {frame.names[place]!r} holds classes such as "
            f"{cells.levels[0]!r}",
            f"use method {methods_for(numbers=False)}",
        )


def _is_number(level: Any) -> bool:
    if not isinstance(level, str):
        return True
    try:
        written_number(level)
    except ValueError:
        return False
    return True


def _target_cells(frame: Frame, place: int, wanted: Wanted | None, numbers: bool) -> NumberValues | LevelValues:
    """The target as its type or the user says; as levels if the method does not know ``numbers``."""
    if isinstance(wanted, tuple):
        return ordered_levels(frame, place, wanted)
    if isinstance(wanted, DateFormat):
        raise OptionError(f"the target {frame.names[place]!r} cannot be dates", "predict a number, such as days")
    cells = frame.cells(place, wanted)
    if wanted is None and frame.matrix is None and (isinstance(cells, LevelValues) or not numbers):
        refuse_other_labels(frame.raw[place], f"column {frame.names[place]!r}")
    if isinstance(cells, LevelValues) or (wanted is not None and numbers):
        return cells
    if numbers and not (cells.unit is Unit.NUMBER and means_classes(cells.values)):
        return cells
    if numbers:
        _tell_of_classes(frame.names[place], cells)
    return frame.cells(place, Kind.NOMINAL)


def _tell_of_classes(name: str, cells: NumberValues) -> None:
    distinct = np.unique(cells.values[~np.isnan(cells.values)])
    few = listing([format_number(value) for value in distinct.tolist()])
    warn_user(
        f"the target {name!r} holds whole numbers of {plural(len(distinct), 'value')} ({few}), which are taken for "
        f'classes. Hint: task="numbers" or kinds={{{name!r}: "numeric"}} predicts a number; task="classes" or '
        f'kinds={{{name!r}: "nominal"}} says that they are classes, and silences this.'
    )


def _check_names(options: dict[str, Any], estimator: type[Model], method: str) -> None:
    known = estimator().get_params()
    for name in options:
        if name in known:
            continue
        if any(name in kind().get_params() for kind in estimators_of(method)):
            is_for_numbers = knows_numbers(method) and estimator is _estimator(method, numbers=True)
            task = "classes" if is_for_numbers else "numbers"
            raise OptionError(f"{name} is an option for {task}, which the target does not hold", _TURNED[task])
        raise unknown_option(estimator.__name__, name, options[name], known, estimator.option_limits)
