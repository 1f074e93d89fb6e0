"""How much each row counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.frame import describe
from treewright.data.schema import Level
from treewright.data.user_warnings import warn_user
from treewright.errors import DataError, OptionError, shown
from treewright.typing import Codes, Floats, Mask

LARGEST_TOTAL = 1e100  # Σ w·y² has to be a float64
NEGLIGIBLE = 2.0**-53  # of the sum of all weights: what is smaller does not change it


def row_weights(
    sample_weight: Any,
    class_weight: Any,
    classes: tuple[Level, ...] | None,
    codes: Codes | None,
    n_rows: int,
    keep: Mask | None = None,
) -> Floats | None:
    """The weight of every row, or None when every row counts once.

    ``class_weight`` multiplies by a weight per class: a dictionary (classes not in it count 1), or "balanced", which
    makes every class count alike: (total weight) / (number of classes × weight of the class). Only rows in ``keep``
    are counted, and only classes that have some.

    >>> row_weights(None, "balanced", ("a", "b"), np.array([0, 0, 0, 1]), 4).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    weights = None if sample_weight is None else _sample_weights(sample_weight, n_rows)
    if class_weight is not None and classes is not None and codes is not None:
        base = np.ones(n_rows) if weights is None else weights
        weights = base * _class_weights(class_weight, classes, codes, base if keep is None else base * keep)[codes]
    if weights is None or bool((weights == 1.0).all()):
        return None
    if not (weights if keep is None else weights[keep]).any():
        raise DataError("every row has a weight of zero", "Sample weights must contain at least one non-zero number")
    _check_total(weights)
    return _without_negligible(weights, keep)


def _without_negligible(weights: Floats, keep: Mask | None) -> Floats:
    """Weights that change no sum of all weights are 0: such rows are left out, instead of counting as nothing where
    they are divided by."""
    total = weights.sum() if keep is None else weights[keep].sum()
    negligible = (weights > 0) & (weights < total * NEGLIGIBLE)
    if not negligible.any():
        return weights
    warn_user(
        f"{negligible.sum():,} rows weigh less than {NEGLIGIBLE:.1g} of all rows together, and are left out. "
        "Hint: give weights that differ less."
    )
    return np.where(negligible, 0.0, weights)


def with_row_costs(sample_weight: Any, row_costs: Any, n_rows: int) -> Floats:
    """Weights times what an error on each row costs.

    >>> with_row_costs([1, 2], [10, 1], 2).tolist()
    [10.0, 2.0]
    """
    costs = _sample_weights(row_costs, n_rows, "row_costs")
    return costs if sample_weight is None else costs * _sample_weights(sample_weight, n_rows)


def _check_total(weights: Floats) -> None:
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 1 / LARGEST_TOTAL <= total <= LARGEST_TOTAL:
        raise DataError(f"the weights add up to {total:g}, beyond what can be summed", "divide them by their mean")


def kept_rows(keep: Mask | None, weights: Floats | None) -> Mask | None:
    """The rows to learn from: those with a target and a weight above zero. None when that is all of them.

    >>> kept_rows(None, np.array([1.0, 0.0])).tolist()
    [True, False]
    """
    if weights is None or bool(weights.all()):
        return keep
    return weights > 0 if keep is None else keep & (weights > 0)


def _sample_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> Floats:
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind in "mMc":  # numpy would count the days of dates, and drop imaginary parts
            raise TypeError
        weights = given.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, got {describe(sample_weight)}", "give one number per row") from None
    except OverflowError:
        raise DataError(
            f"{name} holds a number beyond what can be summed", "divide the weights by their mean"
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise DataError(f"{name} has shape {weights.shape}, expected ({n_rows},)", "give one number per row")
    for bad, what in ((~np.isfinite(weights), "NaN or infinite"), (weights < 0, "negative")):
        if bad.any():
            row = int(np.argmax(bad))
            raise DataError(f"{name} holds a {what} value in row {row}: {weights[row]}", "weights must be zero or more")
    return weights


def _class_weights(class_weight: Any, classes: tuple[Level, ...], codes: Codes, weights: Floats) -> Floats:
    if isinstance(class_weight, Mapping):
        return _by_class(class_weight, classes)
    if class_weight == "balanced":
        totals = np.bincount(codes, weights=weights, minlength=len(classes))
        # A class whose rows all weigh nothing has no say, whatever its weight.
        shares: Floats = np.count_nonzero(totals) * np.where(totals > 0, totals, 1.0)
        return np.asarray(totals.sum() / shares)
    raise OptionError(
        f"class_weight must be None, 'balanced' or a dictionary, got {class_weight!r}",
        "for example class_weight={'yes': 1, 'no': 5}",
    )


def _by_class(class_weight: Mapping[Any, Any], classes: tuple[Level, ...]) -> Floats:
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise OptionError(
            f"class_weight names a class that does not occur: {unknown[0]!r}",
            f"the classes are {', '.join(map(repr, classes[:20]))}",
        )
    for label, weight in class_weight.items():
        if not isinstance(weight, (int, float, np.integer, np.floating)) or not 0 <= weight <= LARGEST_TOTAL:
            raise OptionError(
                f"class_weight={{{label!r}: {shown(weight)}}} is not accepted", "weights are numbers of zero or more"
            )
    return np.array([class_weight.get(label, 1.0) for label in classes], dtype=np.float64)
