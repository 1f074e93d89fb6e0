"""How much an ensemble needs its columns: by what splits gain, by permuting a column, or by leaving it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.data.labelled import labelled
from treewright.data.schema import Schema
from treewright.engines.workers import Workers
from treewright.ensemble.ensemble_rows import EnsembleRows, target_column
from treewright.ensemble.out_of_bag import row_losses
from treewright.ensemble.row_draw import member_generator, seed_of
from treewright.errors import OptionError, unknown
from treewright.explain.number_text import format_number
from treewright.model.column_importance import column_importance
from treewright.prediction import predicted_values
from treewright.typing import Floats, Ints

IMPURITY, PERMUTATION, DROP = "impurity", "permutation", "drop"
METHODS = (IMPURITY, PERMUTATION, DROP)
_PERMUTED = 1 << 60  # beside the seeds of draws


@dataclass(frozen=True)
class ColumnImportances:
    """A column or a group of columns each, in the order of the table; ``print`` shows the most important first.

    ``means`` are shares of the gain ("impurity"), or by how much the error rises: the share of wrong rows or, of
    numbers, the mean squared error.
    """

    how: str
    names: tuple[str, ...]
    means: Floats
    standard_errors: Floats

    @property
    def order(self) -> Ints:
        """The places of the columns, the most important first."""
        return np.argsort(-self.means, kind="stable")

    def __getitem__(self, name: str) -> float:
        return float(self.means[self.names.index(name)])

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {
            "column": list(self.names),
            "importance": self.means.tolist(),
            "standard_error": self.standard_errors.tolist(),
        }

    def __str__(self) -> str:
        width = max(len("column"), *map(len, self.names))
        lines = [f"{'column'.ljust(width)}  {self.how:>12}  standard error"]
        for j in self.order:
            mean = format_number(float(self.means[j]))
            error = "" if np.isnan(self.standard_errors[j]) else format_number(float(self.standard_errors[j]))
            lines.append(f"{self.names[j].ljust(width)}  {mean:>12}  {error:>14}".rstrip())
        return "\n".join(lines)

    def plot(self, ax: Any = None, *, most: int = 20) -> Any:
        """A bar for each of the most important columns, with its standard error. Returns matplotlib's axes."""
        from treewright.plot_style import label_text, new_axes, theme_of

        order = self.order[:most][::-1]
        axes = new_axes(ax, (6.4, 1.2 + 0.3 * len(order)))
        colours = theme_of(axes)
        axes.barh(
            np.arange(len(order)), self.means[order], xerr=self.standard_errors[order], color=colours.line(0),
            ecolor=colours.ink, capsize=2,
        )  # fmt: skip
        axes.set_yticks(np.arange(len(order)), [label_text(self.names[j]) for j in order])
        axes.set_xlabel("share of the gain" if self.how == IMPURITY else f"rise of the error ({self.how})")
        return axes


@dataclass(frozen=True)
class ColumnGroups:
    """Names of groups, and the places of their columns."""

    names: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, groups: Any, schema: Schema) -> ColumnGroups:
        """Groups by name; columns in none of them are by themselves."""
        if groups is None:
            return cls(tuple(schema.names), tuple((j,) for j in range(len(schema.names))))
        if not isinstance(groups, Mapping):
            raise OptionError(
                f"groups={groups!r} is not accepted", 'pass a mapping such as {"blood": ["iron", "zinc"]}'
            )
        found = {str(name): tuple(_place(column, schema) for column in columns) for name, columns in groups.items()}
        taken = [place for places in found.values() for place in places]
        twice = [schema.names[place] for place in set(taken) if taken.count(place) > 1]
        if twice:
            raise OptionError(f"column {twice[0]!r} is in two groups", "put it into one")
        alone = {name: (j,) for j, name in enumerate(schema.names) if j not in taken}
        both = [name for name in found if name in alone]
        if both:
            raise OptionError(f"the group {both[0]!r} has the name of a column outside it", "call it something else")
        return cls((*found, *alone), (*found.values(), *alone.values()))


def _place(column: Any, schema: Schema) -> int:
    if column not in schema.names:
        raise unknown("column", column, schema.names)
    return schema.names.index(column)


def impurity_importance(model: Any, groups: ColumnGroups) -> ColumnImportances:
    """The share of every column in what the splits gain; the standard error is that of the mean over the trees."""
    criterion = getattr(model._learner(), "criterion", None)
    shares = np.stack([column_importance(tree, model.schema_, criterion) for tree in model.trees_])
    by_group = np.stack([shares[:, list(places)].sum(1) for places in groups.places], axis=1)
    means = np.average(by_group, axis=0, weights=model.weights_)
    return ColumnImportances(IMPURITY, groups.names, means / (means.sum() or 1.0), _standard_errors(by_group))


def _standard_errors(values: Floats) -> Floats:
    """Of the mean over the rows of a table."""
    n = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(values.shape[1], np.nan))


def out_of_bag_importance(model: Any, training: EnsembleRows, groups: ColumnGroups) -> ColumnImportances:
    """Permutation importance as Breiman (2001) has it: by how much the error of each tree on the rows it left out rises
    when the values of a column are permuted among them; the mean over the trees, and its standard error."""
    draws, seed, target = model._draws(), seed_of(model.random_state), training.schema.target
    trees, matrix, weights = model.trees_, training.matrix, training.weights
    rises = np.zeros((len(trees), len(groups.names)))

    def one(k: int, worker: int) -> None:
        rows, used = draws.left_out(training, k), set(trees[k].columns_used.tolist())
        if not len(rows):
            rises[k] = np.nan
            return
        seen, y, weight = matrix[rows], training.y[rows], weights[rows]
        before = row_losses(predicted_values(trees[k], seen, 1), y, target)
        generator = member_generator(seed + _PERMUTED, k)
        for g, places in enumerate(groups.places):
            order, columns = generator.permutation(len(rows)), [j for j in places if j in used]
            if columns:
                kept = seen[:, columns].copy()
                seen[:, columns] = kept[order]
                after = row_losses(predicted_values(trees[k], seen, 1), y, target)
                rises[k, g] = np.average(after - before, weights=weight)
                seen[:, columns] = kept

    with Workers(model._n_jobs()) as workers:
        workers.each(len(trees), one)
    known = rises[~np.isnan(rises).any(1)]
    if not len(known):
        raise OptionError("no member left out any row", "fit with bootstrap, or pass new rows and new_rows=True")
    return ColumnImportances(PERMUTATION, groups.names, known.mean(0), _standard_errors(known))


def new_row_importance(
    model: Any, X: Any, y: Any, sample_weight: Any, groups: ColumnGroups, repeats: int
) -> ColumnImportances:
    """By how much the error on rows that the model was not fitted to rises when a column is permuted among them; the
    mean over ``repeats`` permutations. Any model of ours will do."""
    target = model.schema_.target
    rows = labelled(X, y, is_classifier=target.classes is not None, sample_weight=sample_weight)
    truth = rows.y if target.classes is None else rows.codes_among(target.classes)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    places_given = _given_places(rows.frame, model.schema_)
    before = _mean_loss(model, rows.frame, truth, weights)
    rises = np.zeros((repeats, len(groups.names)))
    for repeat in range(repeats):
        generator = member_generator(_PERMUTED, repeat)
        for g, places in enumerate(groups.places):
            order = generator.permutation(rows.n_rows)
            permuted = _permuted(rows.frame, [places_given[j] for j in places], order)
            rises[repeat, g] = _mean_loss(model, permuted, truth, weights) - before
    return ColumnImportances(PERMUTATION, groups.names, rises.mean(0), _standard_errors(rises))


def _given_places(frame: Any, schema: Schema) -> list[int]:
    """Where the columns of the schema stand in a table."""
    return [frame.names.index(name) for name in schema.names] if frame.named else list(range(len(schema.names)))


def _permuted(frame: Any, places: Sequence[int], order: Ints) -> Any:
    """The same rows with other values in some columns."""
    from treewright.data.frame import Frame

    if frame.matrix is not None:
        matrix = frame.matrix.copy()
        matrix[:, list(places)] = matrix[order][:, list(places)]
        return Frame(frame.names, frame.n_rows, frame.named, matrix)
    mixed = frame.only(places).in_order(order)
    raw = list(frame.raw)
    for place, column in zip(places, mixed.raw):
        raw[place] = column
    return Frame(frame.names, frame.n_rows, frame.named, raw=tuple(raw))


def _mean_loss(model: Any, frame: Any, truth: Any, weights: Floats) -> float:
    from treewright.model.batch_prediction import predictions_of

    found = predictions_of(model, frame)
    lost = (found.values[:, 0] - truth) ** 2 if found.codes is None else found.codes != truth
    return float(np.average(lost, weights=weights))


def drop_importance(model: Any, training: EnsembleRows, groups: ColumnGroups) -> ColumnImportances:
    """By how much the out-of-bag error rises when the ensemble learns without a column: a fit for each of them.

    The standard error is that of the difference between the losses of the same rows.
    """
    frame, y, weights = training.frame, target_column(training), training.given_weights
    places_given = _given_places(frame, model.schema_)
    if len(groups.names) < 2:
        raise OptionError("there is no other column to learn from", "drop-column importance needs two columns")
    base = _bag_losses(clone(model).set_params(warm_start=False, progress=False).fit(frame, y, weights))
    means, errors = [], []
    for places in groups.places:
        dropped = {places_given[j] for j in places}
        rest = frame.only([place for place in range(len(frame.names)) if place not in dropped])
        losses = _bag_losses(_without_columns(model, groups, places).fit(rest, y, weights))
        known = ~np.isnan(base.losses) & ~np.isnan(losses.losses)
        rise, weight = losses.losses[known] - base.losses[known], base.weights[known]
        mean = float(np.average(rise, weights=weight))
        means.append(mean)
        spread = np.average((rise - mean) ** 2, weights=weight)
        errors.append(float(np.sqrt(spread * (weight**2).sum()) / weight.sum()))
    return ColumnImportances(DROP, groups.names, np.array(means), np.array(errors))


def _without_columns(model: Any, groups: ColumnGroups, places: Sequence[int]) -> Any:
    """The same ensemble for fewer columns: what options say of those that are gone is left out."""
    gone = {model.schema_.names[j] for j in places}
    made = clone(model).set_params(warm_start=False, progress=False)
    options: dict[str, Any] = {}
    for name in ("kinds", "monotone", "missing"):
        value = getattr(model, name, None)
        if isinstance(value, Mapping):
            options[name] = {column: said for column, said in value.items() if column not in gone}
    number = getattr(model, "max_columns", None)
    if isinstance(number, int):
        options["max_columns"] = min(number, len(model.schema_.names) - len(places))
    return made.set_params(**options)


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
