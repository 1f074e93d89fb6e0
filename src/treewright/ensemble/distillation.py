"""From a forest to one tree that a person can read: grown on what the forest says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.frame import Frame
from treewright.data.labelled import labelled
from treewright.data.target_column import TargetColumn
from treewright.display import Displayed, Sheet
from treewright.ensemble.ensemble_rows import EnsembleRows
from treewright.ensemble.out_of_bag import row_losses
from treewright.ensemble.row_draw import member_generator
from treewright.explain.number_text import format_number, format_share
from treewright.model.learners.classifier import CARTClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.prediction import apply
from treewright.typing import Floats, Ints

_SYNTHETIC = 1 << 58  # beside the seeds of draws
_HELD_OUT = 0.25  # of the synthetic rows, to tell the fidelity


@dataclass(frozen=True, repr=False)
class Distillation(Displayed):
    """``tree`` is an ordinary model. ``fidelity`` is how often it predicts as the forest does, on rows that neither
    has seen (of numbers, R² against the forest's). Errors are those of the tree and of the forest on the same rows,
    which ``measured_on`` names: shares of wrong rows, or mean squared errors."""

    tree: Any
    fidelity: float
    error: float
    forest_error: float
    measured_on: str
    n_synthetic: int

    def __str__(self) -> str:
        classes = self.tree.schema_.target.classes
        number = (lambda error: format_share(error, " ")) if classes is not None else format_number
        what = "as the forest" if classes is not None else "of what the forest's numbers vary"
        head = (
            f"fidelity: {format_share(self.fidelity, ' ')} {what}; error on {self.measured_on}: "
            f"tree {number(self.error)}, forest {number(self.forest_error)}"
        )
        return f"{head}\n{self.tree}"

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "model": ["tree", "forest"],
            "error": [self.error, self.forest_error],
            "fidelity": [self.fidelity, None],
        }
        return Sheet(columns, notes=(f"on {self.measured_on}",))


def distilled(
    forest: Any, training: EnsembleRows, *, max_leaves: int, n_synthetic: int, seed: int, X_test: Any, y_test: Any
) -> Distillation:
    """Grow a tree of so many leaves on the training rows and on synthetic ones, each with what the forest says of it:
    of training rows, those members that left them out, where there are any."""
    frame, made = training.frame, synthetic_cells(forest, training, n_synthetic, seed)
    held = int(n_synthetic * _HELD_OUT)
    own = np.repeat(np.arange(training.n_rows)[:, None], frame.n_columns, axis=1)
    said = _said_of_training(forest, training)
    if n_synthetic > held:
        said = np.concatenate([said, forest._combined(rows_by_cell(frame, made[held:]))])
    tree = _tree(forest, training, rows_by_cell(frame, np.concatenate([own, made[held:]])), said, max_leaves)
    error, forest_error, where = _errors(tree, forest, training, X_test, y_test)
    fidelity = _agreement(tree, forest, rows_by_cell(frame, made[:held]) if held else frame)
    return Distillation(tree, fidelity, error, forest_error, where, n_synthetic)


# ---- rows ------------------------------------------------------------------------------------------------------------


def synthetic_cells(forest: Any, training: EnsembleRows, n_rows: int, seed: int) -> Ints:
    """Rows that might have been, as the number of the training row that each of their cells is taken from.

    Two training rows that share a leaf of a tree drawn at random give a row: each column is taken from the one or the
    other. So the columns go together as they do in the training rows.
    """
    generator, n = member_generator(seed + _SYNTHETIC, 0), training.n_rows
    first, partner = generator.integers(0, n, n_rows), np.empty(n_rows, np.int64)
    place = generator.integers(0, len(forest), n_rows)
    for k in np.unique(place):
        rows = np.flatnonzero(place == k)
        partner[rows] = _of_the_same_leaf(_leaves(forest, training, int(k)), first[rows], generator)
    swaps = generator.random((n_rows, training.frame.n_columns)) < 0.5
    return np.where(swaps, partner[:, None], first[:, None])


def _leaves(forest: Any, training: EnsembleRows, k: int) -> Ints:
    """The leaf of every training row in one tree; members that are no trees have only one."""
    if not hasattr(forest.members_, "trees"):
        return np.zeros(training.n_rows, np.int64)
    return apply(forest.trees_[k], training.matrix, forest._n_jobs())


def _of_the_same_leaf(leaves: Ints, rows: Ints, generator: np.random.Generator) -> Ints:
    """For every row, one at random of those in its leaf."""
    order = np.argsort(leaves, kind="stable")
    start = np.searchsorted(leaves[order], leaves[rows], side="left")
    end = np.searchsorted(leaves[order], leaves[rows], side="right")
    return np.asarray(order[start + (generator.random(len(rows)) * (end - start)).astype(np.int64)])


def rows_by_cell(frame: Frame, cells: Ints) -> Frame:
    """Rows whose cells are those of other rows: (rows, columns) of row numbers."""
    columns = [frame.only([j]).in_order(cells[:, j]) for j in range(frame.n_columns)]
    if frame.matrix is not None:
        matrix = np.concatenate([np.asarray(column.matrix) for column in columns], axis=1)
        return Frame(frame.names, len(cells), frame.named, matrix)
    return Frame(frame.names, len(cells), frame.named, raw=tuple(column.raw[0] for column in columns))


# ---- the tree --------------------------------------------------------------------------------------------------------


def _said_of_training(forest: Any, training: EnsembleRows) -> Floats:
    said: Floats = forest._combined(training.frame)
    found = forest.__dict__.get("oob_")
    if found is None or found.values is None:
        return said
    return np.where(np.isnan(found.values), said, found.values)


def _tree(forest: Any, training: EnsembleRows, rows: Frame, said: Floats, max_leaves: int) -> Any:
    """Of classes every row is there once for each that the forest thinks possible, weighted by its probability."""
    target, options = training.schema.target, {"max_leaves": max_leaves, "kinds": forest.kinds, "n_jobs": forest.n_jobs}
    if target.classes is None:
        return CARTRegressor(**options).fit(rows, TargetColumn(target.name, NumberValues(said[:, 0])))
    row, place = np.nonzero(said > 0)
    y = TargetColumn(target.name, LevelValues(place.astype(np.int64) + 1, target.classes, declared=True))
    return CARTClassifier(**options).fit(rows.in_order(row), y, sample_weight=said[row, place])


def _agreement(tree: Any, forest: Any, rows: Frame) -> float:
    one, other = tree.predict(rows), forest.predict(rows)
    if forest.schema_.target.classes is not None:
        return float((one == other).mean())
    spread = ((other - other.mean()) ** 2).sum()
    return float(1 - ((one - other) ** 2).sum() / spread) if spread else 1.0


def _errors(tree: Any, forest: Any, training: EnsembleRows, X: Any, y: Any) -> tuple[float, float, str]:
    """On the rows that were given to test with; else on the training rows, the forest's being those out of bag."""
    target = training.schema.target
    if X is not None:
        rows = labelled(X, y, is_classifier=target.classes is not None)
        truth = rows.y if target.classes is None else rows.codes_among(target.classes)
        weights, frame, where = np.ones(rows.n_rows), rows.frame, f"{rows.n_rows:,} test rows"
        theirs = forest._combined(frame)
    else:
        truth, weights, frame = training.y, training.weights, training.frame
        theirs, where = _said_of_training(forest, training), "training rows (forest: out of bag)"
    own = tree.predict_proba(frame) if target.classes is not None else tree.predict(frame)[:, None]
    mine, others = (float(np.average(row_losses(v, truth, target), weights=weights)) for v in (own, theirs))
    return mine, others, where
