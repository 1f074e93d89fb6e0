"""How much a model needs its columns: by what splits gain, by permuting a column, or by learning without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.data.folds import Folds
from treewright.data.frame import Frame
from treewright.data.labelled import Labelled, labelled
from treewright.data.matrix import match_columns
from treewright.data.schema import Schema
from treewright.data.user_warnings import without_warnings
from treewright.display import Displayed, Sheet, data_frame, row_at
from treewright.errors import OptionError, unknown
from treewright.model.batch_prediction import predictions_of
from treewright.prune.refit import losses
from treewright.typing import Floats, Ints

IMPURITY, PERMUTATION, DROP = "impurity", "permutation", "drop"
METHODS = (IMPURITY, PERMUTATION, DROP)
PERMUTED = 1 << 60  # beside the seeds of draws


@dataclass(frozen=True, repr=False)
class ColumnImportances(Displayed):
    """A column or a group of columns each, in the order of the table; ``print`` shows the most important first.

    ``means`` are shares of the gain ("impurity"), or by how much the error rises: the share of wrong rows or, of
    numbers, the mean squared error.
    """

    how: str
    names: tuple[str, ...]
    means: Floats
    standard_errors: Floats
    note: str = ""

    @property
    def order(self) -> Ints:
        """The places of the columns, the most important first."""
        return np.argsort(-self.means, kind="stable")

    def __getitem__(self, name: str | int) -> float:
        """That of a column, by its name or its place in the table."""
        return float(row_at(name, self.means.tolist(), self.names, "column"))

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them; in the order of the table."""
        return {
            "column": list(self.names),
            "importance": self.means.tolist(),
            "standard_error": self.standard_errors.tolist(),
        }

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "column": [self.names[j] for j in self.order],
            self.how: self.means[self.order].tolist(),
        }
        if not np.isnan(self.standard_errors).all():
            columns["standard error"] = self.standard_errors[self.order].tolist()
        return Sheet(columns, notes=(self.note,) if self.note else ())

    def to_frame(self) -> Any:
        """The same as a data frame, the most important column first."""
        return data_frame({name: [cells[j] for j in self.order] for name, cells in self.to_dict().items()})

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
        """Groups by name; columns in none of them are by themselves, unless nothing was learned from them."""
        if groups is None:
            places = [j for j, column in enumerate(schema.columns) if not column.is_left_out]
            return cls(tuple(schema.names[j] for j in places), tuple((j,) for j in places))
        if not isinstance(groups, Mapping):
            raise OptionError(
                f"groups={groups!r} is not accepted", 'pass a mapping such as {"blood": ["iron", "zinc"]}'
            )
        found = {str(name): tuple(_place(column, schema) for column in columns) for name, columns in groups.items()}
        taken = [place for places in found.values() for place in places]
        twice = [schema.names[place] for place in set(taken) if taken.count(place) > 1]
        if twice:
            raise OptionError(f"column {twice[0]!r} is in two groups", "put it into one")
        alone = {c.name: (j,) for j, c in enumerate(schema.columns) if j not in taken and not c.is_left_out}
        both = [name for name in found if name in alone]
        if both:
            raise OptionError(f"the group {both[0]!r} has the name of a column outside it", "call it something else")
        return cls((*found, *alone), (*found.values(), *alone.values()))


def _place(column: Any, schema: Schema) -> int:
    if column not in schema.names:
        raise unknown("column", column, schema.names)
    return schema.names.index(column)


def column_importances(
    model: Any, how: str, rows: Labelled | None, groups: Any, *, repeats: int, cv: Any, random_state: int
) -> ColumnImportances:
    """The importance of the columns of any fitted model. ``rows`` are not needed for "impurity"."""
    if how not in METHODS:
        raise unknown("importance", how, METHODS)
    wanted = ColumnGroups.of(groups, model.schema_)
    if how == IMPURITY:
        return impurity_shares(model, wanted)
    if rows is None:
        raise OptionError(f"{how} importance needs rows", f'pass them: model.importance("{how}", X, y)')
    if how == PERMUTATION:
        return permutation_importance(model, rows.frame, rows.target, rows.weights, wanted, repeats, random_state)
    return refit_importance(model, rows, wanted, cv, random_state)


def impurity_shares(model: Any, groups: ColumnGroups) -> ColumnImportances:
    """``feature_importances_``, added up by group."""
    if not hasattr(model, "feature_importances_"):
        raise OptionError(
            f"a {type(model).__name__} has no splits whose gain could be shared out",
            f'use importance("{PERMUTATION}", X, y)',
        )
    shares = np.asarray(model.feature_importances_)
    means = np.array([shares[list(places)].sum() for places in groups.places])
    none = np.full(len(means), np.nan)
    return ColumnImportances(IMPURITY, groups.names, means, none, "shares of the gain of all splits")


def permutation_importance(
    model: Any, X: Any, y: Any, sample_weight: Any, groups: ColumnGroups, repeats: int, random_state: int = 0
) -> ColumnImportances:
    """By how much the error on these rows rises when a column is permuted among them; the mean over ``repeats``
    permutations. Any model of ours will do."""
    target = model.schema_.target
    rows = labelled(X, y, is_classifier=target.classes is not None, sample_weight=sample_weight)
    truth = rows.y if target.classes is None else rows.codes_among(target.classes)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    places_given = given_places(rows.frame, model.schema_)
    before = _mean_loss(model, rows.frame, truth, weights)
    rises = np.zeros((repeats, len(groups.names)))
    for repeat in range(repeats):
        generator = np.random.default_rng([PERMUTED + random_state, repeat])
        for g, places in enumerate(groups.places):
            order = generator.permutation(rows.n_rows)
            permuted = _permuted(rows.frame, [places_given[j] for j in places], order)
            rises[repeat, g] = _mean_loss(model, permuted, truth, weights) - before
    note = f"rise of the error on {rows.n_rows:,} rows when the column is permuted, the mean of {repeats}"
    return ColumnImportances(PERMUTATION, groups.names, rises.mean(0), standard_errors(rises), note)


def given_places(frame: Any, schema: Schema) -> list[int]:
    """Where the columns of the schema stand in a table."""
    found = match_columns(frame, schema)
    return list(range(len(schema.names))) if found is None else found


def _permuted(frame: Any, places: Sequence[int], order: Ints) -> Any:
    """The same rows with other values in some columns."""
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
    found = predictions_of(model, frame)
    lost = (found.values[:, 0] - truth) ** 2 if found.codes is None else found.codes != truth
    return float(np.average(lost, weights=weights))


def standard_errors(values: Floats) -> Floats:
    """Of the mean over the rows of a table."""
    n = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(values.shape[1], np.nan))


def mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """The weighted mean of what rows lose, and its standard error."""
    mean = float(np.average(values, weights=weights))
    spread = np.average((values - mean) ** 2, weights=weights)
    return mean, float(np.sqrt(spread * (weights**2).sum()) / weights.sum())


def refit_importance(model: Any, rows: Labelled, groups: ColumnGroups, cv: Any, random_state: int) -> ColumnImportances:
    """By how much the cross-validated error rises when the model learns without a column: ``cv`` fits for each.

    The standard error is that of the difference between the losses of the same rows.
    """
    if len(groups.names) < 2:
        raise OptionError("there is no other column to learn from", "drop-column importance needs two columns")
    parts = list(rows.folds(Folds.of(cv, rows.n_rows, random_state)))
    weights = np.concatenate([np.ones(part.n_rows) if part.weights is None else part.weights for _, part in parts])
    places_given = given_places(rows.frame, model.schema_)
    base = _fold_losses(unfitted(model), parts, ())
    found = [
        _fold_losses(without_columns(model, places), parts, [places_given[j] for j in places]) - base
        for places in groups.places
    ]
    means, errors = zip(*(mean_and_error(rise, weights) for rise in found))
    note = f"rise of the error by cross-validation with {len(parts)} folds, learned without the column"
    return ColumnImportances(DROP, groups.names, np.array(means), np.array(errors), note)


def _fold_losses(model: Any, parts: Sequence[tuple[Labelled, Labelled]], dropped: Sequence[int]) -> Floats:
    """What every row loses when the rest of the folds is learned from, without some columns."""
    found = []
    for rest, part in parts:
        kept = [place for place in range(rest.frame.n_columns) if place not in dropped]
        with without_warnings():
            learned = clone(model).fit(rest.frame.only(kept), rest.target, sample_weight=rest.weights)
        found.append(losses(learned, replace(part, frame=part.frame.only(kept))))
    return np.concatenate(found)


def unfitted(model: Any) -> Any:
    """The same learner, which starts afresh and shows no progress."""
    quiet = {name: False for name in ("warm_start", "progress") if name in model.get_params(deep=False)}
    return clone(model).set_params(**quiet)


def without_columns(model: Any, places: Sequence[int]) -> Any:
    """The same model for fewer columns: what options say of those that are gone is left out."""
    gone = {model.schema_.names[j] for j in places}
    made = unfitted(model)
    options: dict[str, Any] = {}
    for name in ("kinds", "monotone", "missing"):
        value = getattr(model, name, None)
        if isinstance(value, Mapping):
            options[name] = {column: said for column, said in value.items() if column not in gone}
    number = getattr(model, "max_columns", None)
    if isinstance(number, int):
        options["max_columns"] = min(number, len(model.schema_.names) - len(places))
    return made.set_params(**options)
