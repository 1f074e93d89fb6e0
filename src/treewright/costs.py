"""What errors cost and how frequent the classes are: the class weights that make a tree mind both. And what tests cost.

A cost matrix has a *row for each true class and a column for each predicted one*, everywhere in treewright.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Level, Target
from treewright.errors import OptionError, shown
from treewright.typing import Floats

_SUM_ROUNDING = 1e-6  # how far priors may be from adding up to 1
_ROUNDING = 1e-12  # class weights this close to 1 are 1


# ---------------------------------------------------------------- costs of errors


def cost_matrix(costs: Any, classes: tuple[Level, ...]) -> Floats:
    """Costs as an array: a row for each true class, a column for each predicted one.

    costs: a square of numbers in the order of the classes, or by name ``{(truth, prediction): cost}`` or ``{truth:
    {prediction: cost}}``, where errors that are not named cost 1. A right prediction costs 0.

    >>> cost_matrix({("ill", "well"): 10}, ("well", "ill")).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    named = costs is None or isinstance(costs, Mapping)
    matrix = _matrix_by_name(costs or {}, classes) if named else square(costs)
    if matrix.shape != (len(classes), len(classes)):
        raise OptionError(
            f"costs must have a row and a column for each of {len(classes)} classes, got {matrix.shape}",
            f"rows are the truth, columns the prediction, both in the order {_class_names(classes)}",
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        truth, predicted = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))[0]
        raise OptionError(
            f"costs must be finite and not negative, got {matrix[truth, predicted]:g} for {classes[truth]!r} "
            f"predicted as {classes[predicted]!r}",
            "a right prediction costs 0, an error more",
        )
    if matrix.diagonal().any():
        label = int(np.flatnonzero(matrix.diagonal())[0])
        raise OptionError(
            f"a right prediction must cost 0, got {matrix[label, label]:g} for {classes[label]!r}",
            "subtract it from the other costs of the class: only differences within a row matter",
        )
    return matrix


def square(costs: Any) -> Floats:
    try:
        matrix = np.asarray(costs, np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise OptionError(
            f"costs must be a square of numbers or a mapping, got {shown(costs)}",
            "a row for each true class and a column for each predicted one",
        )
    return matrix


def _matrix_by_name(costs: Mapping[Any, Any], classes: tuple[Level, ...]) -> Floats:
    place = {label: k for k, label in enumerate(classes)}
    matrix = 1.0 - np.eye(len(classes))
    for truth, predicted, cost in _named_costs(costs):
        unknown = [label for label in (truth, predicted) if label not in place]
        if unknown:
            raise _unknown_class("costs", unknown[0], classes)
        if not _is_number(cost):
            raise OptionError(
                f"the cost of {truth!r} predicted as {predicted!r} must be a number, got {shown(cost)}",
                "numbers of zero or more",
            )
        matrix[place[truth], place[predicted]] = cost
    return matrix


def _named_costs(costs: Mapping[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    for key, value in costs.items():
        if isinstance(value, Mapping):
            for predicted, cost in value.items():
                yield key, predicted, cost
        elif isinstance(key, tuple) and len(key) == 2:
            yield *key, value
        else:
            raise OptionError(
                f"the costs of class {key!r} must be a mapping, got {shown(value)}",
                "{truth: {prediction: cost}} or {(truth, prediction): cost}",
            )


def target_costs(costs: Any, classes: tuple[Level, ...]) -> tuple[tuple[float, ...], ...] | None:
    """Costs as a target keeps them. A class that may be mistaken for any other at no cost cannot be learned."""
    if costs is None:
        return None
    matrix = cost_matrix(costs, classes)
    free = np.flatnonzero(matrix.sum(1) == 0)
    if free.size and len(classes) > 1:
        raise OptionError(
            f"no error on class {classes[free[0]]!r} costs anything", "leave its rows out, or give an error a cost"
        )
    return tuple(map(tuple, matrix.tolist()))


# ---------------------------------------------------------------- priors


def target_priors(priors: Any, classes: tuple[Level, ...]) -> tuple[float, ...] | None:
    """The frequency of each class in the order of the classes; "equal", a mapping by name, or a sequence.

    >>> target_priors("equal", ("no", "yes")), target_priors({"yes": 0.1, "no": 0.9}, ("no", "yes"))
    ((0.5, 0.5), (0.9, 0.1))
    """
    if priors is None:
        return None
    if isinstance(priors, str):
        return (1 / len(classes),) * len(classes)  # options have been checked: the text is "equal"
    values = _priors_by_name(priors, classes) if isinstance(priors, Mapping) else list(priors)
    if len(values) != len(classes):
        raise OptionError(
            f"priors must have one number for each of {len(classes)} classes, got {len(values)}",
            f"in the order {_class_names(classes)}",
        )
    for label, value in zip(classes, values):
        if not _is_number(value) or not 0 < value <= 1:
            raise OptionError(
                f"the prior of class {label!r} must be above 0 and at most 1, got {shown(value)}",
                "to do without a class, leave its rows out",
            )
    total = float(sum(values))
    if abs(total - 1) > _SUM_ROUNDING:
        raise OptionError(f"priors must add up to 1, got {total:g}", 'divide them by their sum, or use "equal"')
    return tuple(float(value) / total for value in values)


def _priors_by_name(priors: Mapping[Any, Any], classes: tuple[Level, ...]) -> list[Any]:
    for label in priors:
        if label not in classes:
            raise _unknown_class("priors", label, classes)
    unnamed = [label for label in classes if label not in priors]
    if unnamed:
        raise OptionError(f"priors do not name class {unnamed[0]!r}", f"the classes are {_class_names(classes)}")
    return [priors[label] for label in classes]


# ---------------------------------------------------------------- class weights


def prior_factors(totals: Floats, target: Target) -> Floats:
    """What to multiply the weight of each class by, so that the classes are as frequent as the priors say.

    ``totals`` are the weights of the classes in the whole table.

    >>> prior_factors(np.array([30.0, 10.0]), Target("y", ("a", "b"), priors=(0.5, 0.5))).round(4).tolist()
    [0.6667, 2.0]
    """
    if target.priors is None:
        return np.ones(len(totals))
    return np.asarray(np.array(target.priors) * totals.sum() / np.where(totals > 0, totals, 1.0))


def altered_factors(totals: Floats, target: Target) -> Floats | None:
    """The same, so that class i counts π_i·Σ_j cost(i, j): altered priors (Breiman et al. 1984, section 4.4).

    The total weight stays what it is. With two classes, errors on the altered rows are errors by cost; with more, the
    altered priors stand for costs that depend on the truth alone. None where nothing changes.

    >>> target = Target("y", ("well", "ill"), costs=((0, 1), (10, 0)))
    >>> altered_factors(np.array([30.0, 10.0]), target).round(4).tolist()
    [0.3077, 3.0769]
    """
    factors = prior_factors(totals, target)
    if target.costs is not None:
        losses = np.array(target.costs).sum(1)
        factors = factors * (losses / losses.max() if losses.any() else 1.0)
    factors = factors * (totals.sum() / (factors * totals).sum())
    return None if np.abs(factors - 1).max() <= _ROUNDING else factors


def with_priors(stats: Floats, target: Target) -> Floats:
    """Class weights of the nodes of a tree, the root first, by the priors."""
    return stats if target.priors is None else stats * prior_factors(stats[0], target)


def altered(stats: Floats, target: Target) -> Floats:
    """Class weights of the nodes of a tree, the root first, as they were while it grew."""
    factors = altered_factors(stats[0], target)
    return stats if factors is None else stats * factors


def error_costs(target: Target) -> Floats:
    """The cost matrix of a target; every error costs 1 unless said otherwise."""
    n_classes = len(target.classes or ())
    return 1.0 - np.eye(n_classes) if target.costs is None else np.array(target.costs, np.float64)


def mean_cost(totals: Floats, target: Target) -> float:
    """The average cost of an error: over the wrong classes, then over the true ones by their priors.

    >>> mean_cost(np.array([30.0, 10.0]), Target("y", ("well", "ill"), costs=((0, 1), (10, 0))))
    3.25
    """
    if target.costs is None:
        return 1.0
    weights = prior_factors(totals, target) * totals
    errors = np.array(target.costs).sum(1) / max(len(totals) - 1, 1)
    return float(weights @ errors / weights.sum())


# ---------------------------------------------------------------- costs of tests


def tan_schlimmer(gain: Any, cost: Any) -> Floats:
    """Gain² / Cost (Tan & Schlimmer 1990, *AAAI-90*, 854–860).

    >>> tan_schlimmer([0.5, 0.8], [1, 4]).tolist()
    [0.25, 0.16000000000000003]
    """
    return np.asarray(np.square(gain) / np.asarray(cost))


def nunez(gain: Any, cost: Any, weight: float = 1.0) -> Floats:
    """(2^Gain − 1) / (Cost + 1)^w, w from 0 (costs do not matter) to 1 (Núñez 1991, *Machine Learning* 6, 231–250).

    >>> nunez([1.0, 1.0, 0.0], [0, 3, 5], weight=0.5).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.asarray(np.expm1(np.asarray(gain) * np.log(2)) / (np.asarray(cost) + 1.0) ** weight)


def idx(gain: Any, cost: Any) -> Floats:
    """Gain / Cost (Norton 1989, *IJCAI-89*, 800–805: the learner IDX).

    >>> idx([0.5, 0.8], [1, 4]).tolist()
    [0.5, 0.2]
    """
    return np.asarray(np.asarray(gain) / np.asarray(cost))


# ---------------------------------------------------------------- what these share


def _is_number(value: Any) -> bool:
    """Whether a value is one that fits a float."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _class_names(classes: Sequence[Level]) -> str:
    return ", ".join(map(repr, classes[:20]))


def _unknown_class(option: str, label: Any, classes: Sequence[Level]) -> OptionError:
    return OptionError(
        f"{option} name a class that does not occur: {label!r}", f"the classes are {_class_names(classes)}"
    )
