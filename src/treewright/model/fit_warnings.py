"""What a colleague would point out about a table and the tree grown from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.column_findings import finding_of
from treewright.data.column_values import LevelValues
from treewright.data.kinds import read_kinds
from treewright.data.labelled import Labelled
from treewright.data.summary import cells_of
from treewright.explain.number_text import format_share
from treewright.typing import Array, Floats, Ints

SAMPLE_ROWS = 100_000  # of more rows an evenly spaced part is looked at
MUCH_MISSING = 0.4
RARE_CLASS = 0.05
MUCH_LARGER = 5  # times as many rows: of many classes all are rare
COMMON_CLASS = 0.9
TINY_LEAF = 5  # rows
DETERMINED = 0.98  # of what guessing leaves open
_LEAST_ROWS = 30  # below which one column may determine the target by chance
_MOST_PARTS, _ROWS_OF_PART = 16, 16  # into which values in order are dealt
_MOST_COUNTS = 20_000_000  # beyond which a column is not tried alone: it would take too much memory
_MANY_CLASSES = 20  # of numbers, which might be meant as a quantity
_WARNED_LEAVES = 10


def advice(model: Any, rows: Labelled) -> list[str]:
    """Remarks on the rows and the model fitted to them, most important first; each ends with a hint.

    Columns without information, a column that all but determines the target, much that is missing, classes of very
    different size, leaves of a few rows. What fitting warns of, such as columns that look like identifiers, is not told
    again.

    >>> import treewright as tw
    >>> from treewright.data.labelled import labelled
    >>> X, y = {"size": [1, 2, 2, 1] * 10, "same": ["a"] * 40}, ["yes", "no"] * 20
    >>> model = tw.CARTClassifier(max_depth=1).fit(X, y)
    >>> for remark in advice(model, labelled(X, y, is_classifier=True)):
    ...     print(remark)
    column 'same' is constant: it tells nothing. Hint: leave it out.
    """
    part = _sample(rows)
    return [*_about_columns(model, part), *_about_target(part), *_about_leaves(model)]


def _sample(rows: Labelled) -> Labelled:
    step = -(-rows.n_rows // SAMPLE_ROWS)
    return rows if step == 1 else rows.take(np.arange(0, rows.n_rows, step))


# ---- columns ---------------------------------------------------------------------------------------------------------


def _about_columns(model: Any, rows: Labelled) -> Iterator[str]:
    wanted = read_kinds(model.kinds, rows.frame)
    spread = _loss(rows, np.zeros(rows.n_rows, np.int64), alone=False)
    left_out = {column.name for column in model.schema_.columns if column.is_left_out}
    for index, name in enumerate(rows.frame.names):
        if name in left_out:
            continue
        cells = cells_of(rows.frame, index, wanted.get(index))
        if wanted.get(index) is None and finding_of(name, cells, named=rows.frame.named, leave_out=True).remarks:
            continue  # fitting has warned of it
        values, is_levels = (cells.codes, True) if isinstance(cells, LevelValues) else (cells.values, False)
        yield from _about_column(name, values, is_levels, rows, spread)


def _about_column(name: str, values: Array, is_levels: bool, rows: Labelled, spread: float) -> Iterator[str]:
    known = values != 0 if is_levels else ~np.isnan(values.astype(np.float64))
    n_known = int(known.sum())
    distinct, groups = np.unique(values[known], return_inverse=True)
    if len(distinct) <= 1:
        yield f"column {name!r} is {'constant' if n_known else 'empty'}: it tells nothing. Hint: leave it out."
        return
    if n_known < (1 - MUCH_MISSING) * len(values):
        share = format_share(1 - n_known / len(values), " ")
        yield f"column {name!r} is missing in {share} of the rows. Hint: leave it out, or ask why it is missing."
    if n_known < len(values) or n_known < _LEAST_ROWS:
        return
    if len(rows.classes or ()) * max(len(distinct), n_known) > _MOST_COUNTS:
        return
    if (_loss(rows, groups) if is_levels else _cut_loss(rows, groups)) < (1 - DETERMINED) * spread:
        yield (
            f"column {name!r} alone all but determines the target: is it known before the target is, or made from it? "
            "Hint: if it is made from it, leave it out."
        )


def _cut_loss(rows: Labelled, ranks: Ints) -> float:
    """The loss when values in order are dealt into a few parts, and each part is cut in two where it is best.

    So few pieces, none of them chosen from few rows, fit nothing by chance; yet a threshold is found wherever it is.
    """
    order = np.argsort(ranks, kind="stable")
    sums, ranks = _summed(rows, order), ranks[order]
    n_parts = max(1, min(_MOST_PARTS, len(order) // _ROWS_OF_PART))
    ends = np.arange(len(order), dtype=np.int64) * n_parts // len(order)
    bounds = np.flatnonzero(np.diff(ends[np.searchsorted(ranks, ranks)])) + 1  # like values stay together
    starts, cuts = np.append(0, bounds), np.append(0, np.flatnonzero(np.diff(ranks)) + 1)
    piece, ends = np.searchsorted(starts, cuts, side="right") - 1, np.append(bounds, len(order))
    below, above = sums[:, cuts] - sums[:, starts[piece]], sums[:, ends[piece]] - sums[:, cuts]
    lost = sum(_losses(part, numbers=rows.classes is None) for part in (below, above))
    return float(np.minimum.reduceat(lost, np.searchsorted(cuts, starts)).sum())


def _summed(rows: Labelled, order: Ints) -> Floats:
    """Running sums of what the loss is made of, (parts, rows + 1): rows of each class, or 1, y and y²."""
    y = rows.y[order]
    if rows.classes is None:
        centred = y - y.mean()
        parts = np.stack([np.ones(len(y)), centred, centred * centred])
    else:
        parts = (y == np.arange(len(rows.classes))[:, None]).astype(np.float64)
    sums = np.zeros((len(parts), len(y) + 1))
    np.cumsum(parts, axis=1, out=sums[:, 1:])
    return sums


def _losses(sums: Floats, numbers: bool) -> Floats:
    """What is lost on the rows of these sums, (parts, …): errors, or the sum of squares around the mean."""
    if numbers:
        weight, total, square = sums
        return np.asarray(square - np.divide(total * total, weight, out=np.zeros_like(total), where=weight > 0))
    return np.asarray(sums.sum(0) - sums.max(0))


def _loss(rows: Labelled, groups: Ints, alone: bool = True) -> float:
    """Errors, or the sum of squares, when each group is predicted by its commonest class or its mean.

    A row that is ``alone`` in its group says nothing about others, and counts as wrong.
    """
    count = np.bincount(groups)
    if rows.classes is None:
        y = rows.y - rows.y.mean()
        square = np.bincount(groups, y * y)
        within = _losses(np.stack([count, np.bincount(groups, y), square]), numbers=True)
        return float(np.where((count == 1) & alone, square, within).sum())
    table = np.bincount(groups * len(rows.classes) + rows.y, minlength=len(count) * len(rows.classes))
    wrong = count - table.reshape(len(count), -1).max(-1)
    return float(np.where((count == 1) & alone, 1, wrong).sum())


# ---- target and tree -------------------------------------------------------------------------------------------------


def _about_target(rows: Labelled) -> Iterator[str]:
    if rows.classes is None:
        return
    if len(rows.classes) > _MANY_CLASSES and not any(isinstance(label, (str, bool)) for label in rows.classes):
        yield (
            f"the target {rows.name!r} has {len(rows.classes)} classes, and all are numbers. "
            "Hint: if it is a quantity, use a method that predicts numbers, such as cart."
        )
    shares = np.bincount(rows.y, minlength=len(rows.classes)) / rows.n_rows
    rarest, commonest = int(np.where(shares > 0, shares, 1.0).argmin()), int(shares.argmax())
    is_rare = shares[rarest] < min(RARE_CLASS, shares[commonest] / MUCH_LARGER)
    if is_rare or shares[commonest] > COMMON_CLASS:
        most, least = (f"{rows.classes[k]!r} {format_share(float(shares[k]), ' ')}" for k in (commonest, rarest))
        yield (
            f"the classes are of very different size: {most}, {least} of the rows. "
            "Hint: look at the figures per class; class_weight='balanced' makes them count alike."
        )


def _about_leaves(model: Any) -> Iterator[str]:
    tree = getattr(model, "tree_", None)
    if tree is None:  # rules
        return
    leaf_rows: Floats = tree.rows[tree.n_branches == 0]
    tiny = int((leaf_rows < TINY_LEAF).sum())
    if len(leaf_rows) >= _WARNED_LEAVES and tiny > len(leaf_rows) / 2:
        yield (
            f"{tiny} of {len(leaf_rows)} leaves have fewer than {TINY_LEAF} rows, so what they say may be chance. "
            "Hint: prune the tree, or ask for larger leaves."
        )
