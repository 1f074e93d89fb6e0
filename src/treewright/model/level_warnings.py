"""Warnings of nominal columns of so many levels that merging them takes long."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.data.user_warnings import warn_user
from treewright.typing import Array

MANY_LEVELS = 5000  # of a column, from which comparing each with each takes seconds …
MANY_CLASS_PAIRS = 15_000_000  # levels × classes that each of them has, from which it takes seconds too
MANY_SHARES = 500  # … unless so few kinds of them are different: like levels are merged at once
MANY_MIXED_LEVELS = 1000  # from which comparing each with each after every merger takes seconds
MANY_CLASS_LEVELS = 10_000  # levels × classes of a column, from which ordering the levels for each class takes long
_HINT = "Hint: leave it out, or join rare levels beforehand."


def warn_of_pairs(encoded: Encoded) -> None:
    """CHAID: where most levels differ a little, every group is compared with every other."""
    for column, described in zip(encoded.columns, encoded.schema.columns):
        if described.kind is not Kind.NOMINAL:
            continue
        many = column.n_codes > MANY_LEVELS or _class_pairs(column.codes, column.n_codes, encoded) > MANY_CLASS_PAIRS
        if many and _n_shares(column.codes, encoded) > MANY_SHARES:
            warn_user(
                f"column {described.name!r} has {column.n_codes - 1:,} levels, and the time to merge them grows with "
                f"the square of their number. {_HINT}"
            )


def _class_pairs(codes: Array, n_levels: int, encoded: Encoded) -> int:
    """Levels × pairs of a level and a class that occur: what two levels are compared by are the classes they have."""
    n_classes = encoded.n_classes
    if n_classes <= 2 or n_levels * min(n_levels * n_classes, encoded.n_rows) <= MANY_CLASS_PAIRS:
        return 0
    pairs = np.unique(codes.astype(np.int64) * n_classes + encoded.y)
    return n_levels * len(pairs)


def _n_shares(codes: Array, encoded: Encoded) -> int:
    """How many different means, or shares of classes, the levels of a column have; shares are told apart by a sum of
    them in which every class has a weight of its own."""
    value = np.sqrt(np.arange(1.0, encoded.n_classes + 1))[encoded.y] if encoded.n_classes else encoded.y
    weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
    total, weight = np.bincount(codes, weights * value), np.bincount(codes, weights)
    return len(np.unique(np.round(total[weight > 0] / weight[weight > 0], 9)))


def warn_of_repeated_pairs(encoded: Encoded) -> None:
    """C4.5 with groups of levels: after every merger each group is compared with each. Levels of a single class are
    merged before."""
    for column, described in zip(encoded.columns, encoded.schema.columns):
        if described.kind is Kind.NOMINAL and column.n_codes > MANY_MIXED_LEVELS:
            n_mixed = _n_mixed(column.codes, encoded)
            if n_mixed > MANY_MIXED_LEVELS:
                warn_user(
                    f"column {described.name!r} has {n_mixed:,} levels of several classes, and with subset=True the "
                    f"time to merge them grows with the cube of their number. {_HINT}"
                )


def warn_of_orders(encoded: Encoded) -> None:
    """Splits in two of levels, of more than two classes: at every node the levels are ordered once for each class."""
    n_classes = encoded.n_classes
    for column, described in zip(encoded.columns, encoded.schema.columns):
        n_levels = column.n_codes - 1
        if described.kind is Kind.NOMINAL and n_classes > 2 and n_levels * n_classes >= MANY_CLASS_LEVELS:
            warn_user(
                f"column {described.name!r} has {n_levels:,} levels and the target {n_classes:,} classes: at every "
                f"node of every tree the levels are ordered once for each class, and the time grows faster than "
                f"levels × classes. {_HINT} A lower max_depth has fewer nodes; extra-trees order no levels."
            )


def _n_mixed(codes: Array, encoded: Encoded) -> int:
    """How many levels have rows of more than one class."""
    known = codes > 0
    pairs = np.unique(codes[known].astype(np.int64) * encoded.n_classes + encoded.y[known])
    return int((np.bincount(pairs // encoded.n_classes) > 1).sum())
