"""What a model predicts when one or two columns are set and all others stay as they are.

Friedman, *Greedy function approximation*, 2001 (partial dependence); Goldstein, Kapelner, Bleich & Pitkin, *Peeking
inside the black box*, 2015 (individual conditional expectation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.frame import Frame, read_frame
from treewright.data.schema import Kind, Level, Schema
from treewright.display import Displayed
from treewright.errors import OptionError, unknown
from treewright.explain.condition_text import value_text
from treewright.model.batch_prediction import predictions_of
from treewright.plot_style import colour_map, label_text, legend, new_axes, theme_of
from treewright.prune.option_checks import check_whole
from treewright.typing import Floats

_MOST_COLUMNS = 2
_MOST_LINES = 60  # of single rows in a plot


@dataclass(frozen=True, repr=False)
class PartialDependence(Displayed):
    """``values`` are what the columns are set to: numbers, or levels. ``mean`` has the mean prediction for each value,
    or for each pair of values of two columns; ``rows`` the predictions of the rows one by one (ICE), rows first.

    Predictions are of the probability of ``label``, or of the number.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    label: Level | None
    target: str
    mean: Floats
    rows: Floats

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them: a row for every value, or pair of values."""
        grid = [[value] for value in self.values[0]]
        if len(self.columns) == _MOST_COLUMNS:
            grid = [[first, second] for first in self.values[0] for second in self.values[1]]
        cells = {name: [row[k] for row in grid] for k, name in enumerate(self.columns)}
        return {**cells, "prediction": self.mean.ravel().tolist()}

    def __str__(self) -> str:
        lines = [f"{' × '.join(self.columns)}: mean prediction of {self._what}"]
        if len(self.columns) == _MOST_COLUMNS:
            return lines[0] + f", {len(self.values[0])} × {len(self.values[1])} values"
        width = max(map(len, self.texts[0]))
        return "\n".join([*lines, *(f"{text:>{width}}  {mean:.4g}" for text, mean in zip(self.texts[0], self.mean))])

    @property
    def _what(self) -> str:
        return self.target if self.label is None else f"the probability that {self.target} = {self.label}"

    def plot(self, ax: Any = None, *, ice: bool = True) -> Any:
        """The mean as a line (points for levels), and thin lines of single rows; of two columns a map. Returns
        matplotlib's axes."""
        axes = new_axes(ax)
        draw = self._draw_map if len(self.columns) == _MOST_COLUMNS else self._draw_line
        draw(axes, ice)
        axes.set_xlabel(label_text(self.columns[0]))
        return axes

    def _draw_line(self, axes: Any, ice: bool) -> None:
        colours, is_number = theme_of(axes), isinstance(self.values[0][0], float)
        places = np.array(self.values[0]) if is_number else np.arange(len(self.values[0]))
        if ice:
            step = -(-len(self.rows) // _MOST_LINES)
            axes.plot(places, self.rows[::step].T, color=colours.soft, linewidth=0.6, alpha=0.5)
            axes.plot([], [], color=colours.soft, linewidth=0.6, label="single rows")
        style = "-" if is_number else "o-"
        axes.plot(places, self.mean, style, color=colours.line(0), linewidth=2.2, label="mean")
        if not is_number:
            axes.set_xticks(places, [label_text(text) for text in self.texts[0]])
        axes.set_ylabel(label_text(self._what))
        legend(axes)

    def _draw_map(self, axes: Any, ice: bool) -> None:
        image = axes.imshow(self.mean.T, origin="lower", aspect="auto", cmap=colour_map(theme_of(axes)))
        for axis, texts in zip((axes.xaxis, axes.yaxis), self.texts):
            step = -(-len(texts) // 8)
            axis.set_ticks(range(0, len(texts), step), [label_text(text) for text in texts[::step]])
        axes.set_ylabel(label_text(self.columns[1]))
        axes.figure.colorbar(image, ax=axes, label=label_text(self._what))


def partial_dependence(
    model: Any, X: Any, columns: Any, *, label: Any = None, grid: int = 20, max_rows: int = 500
) -> PartialDependence:
    """What a fitted model of ours predicts when a column (or two) is set to a value in every row of a table.

    X: rows whose other columns stay as they are; of more than ``max_rows`` an evenly spaced part is used. columns: a
    name or a place, or two. label: the class whose probability is meant, by default the last one. grid: into how many
    quantiles of X a numeric column is cut; levels are all tried. Values that never occur together are predicted too:
    where columns depend on each other, look at the lines of single rows.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> found = partial_dependence(tw.CARTClassifier().fit(table.X, table.y), table.X, "a")
    >>> found.values, found.mean.tolist()
    (((0.0, 1.0),), [0.5, 0.5])
    """
    schema = _schema(model)
    asked: list[Any] = [columns] if isinstance(columns, (str, int)) else list(columns)
    names = [schema.names[name] if name in range(len(schema.names)) else str(name) for name in asked]
    if not 1 <= len(names) <= _MOST_COLUMNS:
        raise OptionError(f"one or two columns are set at a time, got {len(names)}", "name one or two")
    for name in names:
        if name not in schema.names:
            raise unknown("column", name, schema.names)
    check_whole("grid", grid, least=2, hint="20 is usual")
    check_whole("max_rows", max_rows, least=1, hint="500 is usual")
    frame = _part(read_frame(X), max_rows)
    place, shown = _label(label, schema)
    values = tuple(_grid(model, frame, schema, name, grid) for name in names)
    found = _predicted(model, frame, schema, names, values, place)
    means = found.mean(0)
    texts = tuple(tuple(_text(value, schema, name) for value in line) for line, name in zip(values, names))
    return PartialDependence(tuple(names), values, texts, shown, schema.target.name, means, found)


def _schema(model: Any) -> Schema:
    if not hasattr(model, "_check_fitted"):
        raise OptionError(f"{type(model).__name__} is no model of treewright", "scikit-learn has its own for others")
    model._check_fitted()
    schema: Schema = model.schema_
    return schema


def _part(frame: Frame, most: int) -> Frame:
    step = -(-frame.n_rows // most)
    return frame if step <= 1 else frame.in_order(np.arange(0, frame.n_rows, step))


def _label(label: Any, schema: Schema) -> tuple[int, Level | None]:
    classes = schema.target.classes
    if classes is None:
        if label is not None:
            raise OptionError(f"label={label!r} is a class, and the model predicts numbers", "leave it out")
        return 0, None
    if label is None:
        return len(classes) - 1, classes[-1]
    if label not in classes:
        raise OptionError(f"the model has no class {label!r}", f"the classes are {', '.join(map(repr, classes))}")
    return classes.index(label), label


def _grid(model: Any, frame: Frame, schema: Schema, name: str, grid: int) -> tuple[Any, ...]:
    """Levels, or quantiles of the numbers that occur."""
    column = schema.columns[schema.names.index(name)]
    if column.kind is not Kind.NUMERIC:
        return column.levels
    from treewright.data.encode import prediction_matrix

    numbers = np.asarray(prediction_matrix(frame, schema)[:, schema.names.index(name)], np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        raise OptionError(f"column {name!r} has no numbers in these rows", "pass other rows")
    distinct = np.unique(numbers)
    if len(distinct) > grid:
        distinct = np.unique(np.quantile(numbers, np.linspace(0, 1, grid)))
    return tuple(distinct.tolist())


def _text(value: Any, schema: Schema, name: str) -> str:
    column = schema.columns[schema.names.index(name)]
    code = float(value) if column.kind is Kind.NUMERIC else float(column.levels.index(value) + 1)
    return value_text(code, column)


def _predicted(
    model: Any, frame: Frame, schema: Schema, names: Sequence[str], values: tuple[tuple[Any, ...], ...], place: int
) -> Floats:
    """Rows × values of the first column × values of the second."""
    if len(names) == _MOST_COLUMNS:
        parts = [
            _predicted(model, with_column(frame, schema, names[0], value), schema, names[1:], values[1:], place)
            for value in values[0]
        ]
        return np.stack(parts, axis=1)
    said = [predictions_of(model, with_column(frame, schema, names[0], value)).values[:, place] for value in values[0]]
    return np.stack(said, axis=1)


def with_column(frame: Frame, schema: Schema, name: str, value: Any) -> Frame:
    """The same rows, all with one value in a column."""
    place = frame.names.index(name) if frame.named else schema.names.index(name)
    if frame.matrix is not None and isinstance(value, float):
        matrix = np.array(frame.matrix, np.float64)
        matrix[:, place] = value
        return Frame(frame.names, frame.n_rows, frame.named, matrix)
    raw = list(frame.raw if frame.matrix is None else frame.matrix.T)
    raw[place] = [value] * frame.n_rows
    return Frame(frame.names, frame.n_rows, frame.named, raw=tuple(raw))
