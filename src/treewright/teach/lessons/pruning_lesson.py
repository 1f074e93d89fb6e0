"""The lesson about pruning: every method on one tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import prune
from treewright.data.frame import read_frame
from treewright.data.labelled import labelled
from treewright.errors import DataError
from treewright.explain.number_text import plural
from treewright.prune.holdout import HoldOut
from treewright.teach import pruning_steps
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import LessonRows, bundled, rows_of
from treewright.teach.lesson_tree import LessonTree, grown
from treewright.teach.pruning_steps import Subject

_WITH_ROWS = ("reduced-error",)
METHODS: dict[str, Any] = {
    "minimum-error": pruning_steps.minimum_error,
    "pessimistic": pruning_steps.pessimistic,
    "cost-based": pruning_steps.cost_based,
    "reduced-error": pruning_steps.reduced_error,
    "error-complexity": pruning_steps.error_complexity,
    "critical-value": pruning_steps.critical_value,
    "error-based": pruning_steps.error_based,
}


def pruning_lesson(
    rows: LessonRows, *, validation: LessonRows | None = None, methods: tuple[str, ...] = tuple(METHODS)
) -> Lesson:
    """What every method of pruning does to ID3's tree, node by node.

    Reduced error needs ``validation``, rows that the tree was not grown from; without them it is left out.
    """
    tree = grown(rows)
    if tree.tree.n_leaves == 1:
        raise DataError("the tree is a single leaf: there is nothing to prune", "choose a table with mixed classes")
    subject = subject_of(tree, validation or _fourteen_days(rows))
    first = Step("The tree", formulas=tuple(str(tree.model).splitlines()), verbatim=True)
    known = [name for name in methods if name not in _WITH_ROWS or subject.held_out is not None]
    steps = [METHODS[name](subject) for name in known]
    if "reduced-error" in methods and subject.held_out is None:
        steps.append(
            Step(
                "Reduced error",
                remark="It needs rows that the tree was not grown from; the option validation gives them.",
            )
        )
    title = f"Pruning: ID3's tree of {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("pruning", title, (first, *steps))


def subject_of(tree: LessonTree, validation: LessonRows | None) -> Subject:
    """The tree with its rows as the pruners take them."""
    held_out = None if validation is None else _held_out(tree, validation)
    return Subject(tree.tree, tree.model.schema_, held_out, tree.model)


def _held_out(tree: LessonTree, validation: LessonRows) -> HoldOut:
    not_there = [name for name in tree.rows.schema.names if name not in validation.schema.names]
    if not_there:
        raise DataError(
            f"the validation rows have no column {not_there[0]!r}", "give a table like the one to learn from"
        )
    frame = validation.frame()
    known = {name: frame[name] for name in tree.rows.schema.names}
    rows = labelled(read_frame(known), validation.labels(), is_classifier=True)
    codes = rows.codes_among(tree.rows.classes)
    return prune.hold_out(tree.tree, tree.model.schema_, np.asarray(tree.model.apply(known)), codes)


def _fourteen_days(rows: LessonRows) -> LessonRows | None:
    """The noisy table of play tennis is checked on the fourteen days, which say "Rainy" for "Rain"."""
    if rows.name != "play_tennis_noisy":
        return None
    days = bundled("play_tennis")
    frame = {**days.frame(), "play": days.labels()}
    frame["outlook"] = ["Rain" if cell == "Rainy" else cell for cell in frame["outlook"]]
    return rows_of(frame, "play", name="play_tennis")
