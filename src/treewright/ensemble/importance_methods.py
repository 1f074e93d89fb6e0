"""How much an ensemble needs its columns, by the rows its members left out; other ways are those of every model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.engines.workers import Workers
from treewright.ensemble.ensemble_rows import EnsembleRows, target_column
from treewright.ensemble.out_of_bag import row_losses
from treewright.ensemble.row_draw import member_generator
from treewright.errors import OptionError
from treewright.model.column_reports.column_importance import column_importance
from treewright.model.column_reports.importance import (
    DROP,
    IMPURITY,
    PERMUTATION,
    PERMUTED,
    ColumnGroups,
    ColumnImportances,
    given_places,
    mean_and_error,
    standard_errors,
    unfitted,
    without_columns,
)
from treewright.typing import Floats

_OUT_OF_BAG = "rise of the error of a tree on the rows it left out when the column is permuted, the mean of all"
_LEARNED_WITHOUT = "rise of the out-of-bag error, learned without the column"


def impurity_importance(model: Any, groups: ColumnGroups) -> ColumnImportances:
    """The share of every column in what the splits gain; the standard error is that of the mean over the trees."""
    criterion = getattr(model._learner(), "criterion", None)
    shares = np.stack([column_importance(tree, model.schema_, criterion) for tree in model.trees_])
    by_group = np.stack([shares[:, list(places)].sum(1) for places in groups.places], axis=1)
    means = np.average(by_group, axis=0, weights=model.weights_)
    return ColumnImportances(IMPURITY, groups.names, means / (means.sum() or 1.0), standard_errors(by_group))


def out_of_bag_importance(model: Any, training: EnsembleRows, groups: ColumnGroups) -> ColumnImportances:
    """Permutation importance as Breiman (2001) has it: by how much the error of each tree on the rows it left out rises
    when the values of a column are permuted among them; the mean over the trees, and its standard error."""
    draws, target = model._fitted_draws(), training.schema.target
    trees, seen, weights = model.members_.trees, model.members_.each(training.matrix), training.weights
    rises = np.zeros((len(trees), len(groups.names)))

    def one(k: int, worker: int) -> None:
        rows, used = draws.left_out(training, k), set(trees.kept[k].columns_used.tolist())
        if not len(rows):
            rises[k] = np.nan
            return
        cells, y, weight = seen.cells[rows], training.y[rows], weights[rows]
        predict = seen.predictor(k)
        before = row_losses(predict(cells), y, target)
        generator = member_generator(draws.seed + PERMUTED, k)
        for g, places in enumerate(groups.places):
            order, columns = generator.permutation(len(rows)), [j for j in places if j in used]
            if columns:
                kept = cells[:, columns].copy()
                cells[:, columns] = kept[order]
                after = row_losses(predict(cells), y, target)
                rises[k, g] = np.average(after - before, weights=weight)
                cells[:, columns] = kept

    with Workers(model._n_jobs()) as workers:
        workers.each(len(trees), one)
    known = rises[~np.isnan(rises).any(1)]
    if not len(known):
        raise OptionError("no member left out any row", "fit with bootstrap, or pass new rows and new_rows=True")
    return ColumnImportances(PERMUTATION, groups.names, known.mean(0), standard_errors(known), _OUT_OF_BAG)


def drop_importance(model: Any, training: EnsembleRows, groups: ColumnGroups) -> ColumnImportances:
    """By how much the out-of-bag error rises when the ensemble learns without a column: a fit for each of them.

    The standard error is that of the difference between the losses of the same rows.
    """
    frame, y, weights = training.frame, target_column(training), training.given_weights
    places_given = given_places(frame, model.schema_)
    if len(groups.names) < 2:
        raise OptionError("there is no other column to learn from", "drop-column importance needs two columns")
    base = _bag_losses(unfitted(model).fit(frame, y, weights))
    means, errors = [], []
    for places in groups.places:
        dropped = {places_given[j] for j in places}
        rest = frame.only([place for place in range(len(frame.names)) if place not in dropped])
        losses = _bag_losses(without_columns(model, places).fit(rest, y, weights))
        known = ~np.isnan(base.losses) & ~np.isnan(losses.losses)
        rise, weight = losses.losses[known] - base.losses[known], base.weights[known]
        mean, error = mean_and_error(rise, weight)
        means.append(mean)
        errors.append(error)
    return ColumnImportances(DROP, groups.names, np.array(means), np.array(errors), _LEARNED_WITHOUT)


@dataclass(frozen=True)
class BagLosses:
    """What every training row loses as the members predict it that left it out; NaN where none did."""

    losses: Floats
    weights: Floats


def _bag_losses(model: Any) -> BagLosses:
    found = model._out_of_bag()
    values = np.asarray(found.values)
    known = ~np.isnan(values).any(1)
    losses = np.full(len(values), np.nan)
    losses[known] = row_losses(values[known], found.truth[known], model.schema_.target)
    return BagLosses(losses, found.weights)
