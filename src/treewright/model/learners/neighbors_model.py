"""What estimators of nearest neighbours do: keep the rows, choose k, look for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.folds import is_leave_one_out
from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import Labelled
from treewright.data.schema import Kind, Schema
from treewright.errors import DataError, OptionError, shown
from treewright.explain.number_text import plural
from treewright.model.batch_prediction import AnswersItself
from treewright.model.class_or_number import TargetRows
from treewright.model.learners.equal_rows import warn_of_order
from treewright.model.learners.neighbor_explanation import NeighborVotes
from treewright.model.options.knn_options import (
    KNN_LIMITS,
    check_k_options,
    check_metric_options,
    column_weights,
)
from treewright.model.options.limit import Whole
from treewright.model.table_model import TableModel
from treewright.neighbors.distance_metric import METRICS, distance_metric
from treewright.neighbors.k_curve import KCurve, k_curve
from treewright.neighbors.mixed_metric import IBK, MixedSearch, mixed_search
from treewright.neighbors.number_search import NumberSearch, number_search
from treewright.neighbors.vote_shares import vote_weights
from treewright.typing import Array, Floats, Ints

Self = TypeVar("Self", bound="NeighborsModel")
_AUTO_K = 50  # the most neighbours that k="auto" tries, unless it is told


@dataclass(kw_only=True, eq=False, repr=False)
class NeighborsModel(AnswersItself, TableModel):
    """Shared by the estimators of nearest neighbours: they keep their rows, and look among them.

    ``k`` rows decide; with "auto" the number of least error is taken, of 1 to ``max_k`` (50), by cross-validation with
    ``cv`` folds ("loo": a row each) or on the rows that ``fit`` is given as X_val and y_val; ``k_`` is the number and
    ``k_curve_`` the error for each. ``metric``: "euclidean", "manhattan", "chebyshev" or "minkowski" with its ``p`` for
    numbers without missing values; "heom", "gower" or (for classes) "vdm" where columns hold levels or cells are
    missing; "auto" is Euclid's where it can be, else HEOM. ``column_weights``: how much each column counts.
    ``weights``: "uniform", or "distance" for votes of 1/d; where rows are at a distance of 0 they alone count.
    ``scale``: "standard" (mean 0, standard deviation 1), "minmax" (0 to 1) or None; "auto" is "standard" for numbers,
    and the mixed metrics' own. ``algorithm``: "kd", "ball", "brute" or "auto", which decides by the size of the table.

    Of rows equally far the one that comes first in the table is nearer.
    """

    holds: ClassVar[str] = "neighbours"

    k: Any = 5
    max_k: int | None = None
    cv: Any = 10
    metric: str = "auto"
    p: float | None = None
    column_weights: Any = None
    weights: str = "uniform"
    scale: Any = "auto"
    algorithm: str = "auto"
    leaf_size: int | None = None
    random_state: Any = None

    flavour: Any = field(default=None, init=False)

    _order_hint: ClassVar[str] = "choose a larger k, or put the rows in random order"

    k_: int = field(init=False)
    rows_: Floats = field(init=False)
    targets_: Array = field(init=False)
    row_weights_: Floats | None = field(init=False)
    k_curve_: KCurve = field(init=False)
    search_: NumberSearch | MixedSearch = field(init=False)

    option_limits = KNN_LIMITS
    option_checks: ClassVar[tuple[Callable[[Any], None], ...]] = (check_k_options, check_metric_options)

    # ---- fit ---------------------------------------------------------------------------------------------------

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Keep the rows of a table and their target; with ``k="auto"`` choose k.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row. sample_weight: how
        much the vote of each row counts. X_val, y_val: rows to choose k by, instead of cross-validation.
        """
        self._check_options()
        if (X_val is None) != (y_val is None):
            raise OptionError("X_val and y_val go together, and one of them is missing", "pass both, or neither")
        if X_val is not None and self.k != "auto":
            raise OptionError(f"X_val is for choosing k, and k is {self.k}", 'leave it out, or use k="auto"')
        frame = read_frame(X)
        named = frame.named
        frame, told = self._read_target(y, frame.n_rows, sample_weight).of(frame)
        schema = make_schema(frame, told.target, self.kinds, leave_out=True)
        rows = np.asarray(prediction_matrix(frame, schema), np.float64)
        self._check_rows(rows, schema, "X")
        learned: dict[str, Any] = {"rows_": rows, "targets_": told.y, "row_weights_": told.weights}
        if self.k == "auto":
            learned["k_curve_"] = self._curve(frame, told, schema, rows, X_val, y_val)
        learned["k_"] = learned["k_curve_"].best if self.k == "auto" else int(self.k)
        self._check_k(learned["k_"], len(rows))
        learned["search_"] = self._search(schema, rows, told.y)
        if self.flavour is None:  # IBk asks all rows that are tied
            warn_of_order(rows, told.y, learned["k_"], self._order_hint)
        self._keep(schema, learned, named=named)
        return self

    def _read_target(self, y: Any, n_rows: int, sample_weight: Any) -> TargetRows:
        raise TypeError(f"{type(self).__name__} declares no target")

    def _metric_of(self, schema: Schema, rows: Floats) -> str:
        """The metric by name, "auto" being decided by what the rows are."""
        if self.flavour is not None:
            return IBK
        if self.metric != "auto":
            return self.metric
        plain = all(column.kind is Kind.NUMERIC for column in schema.columns) and not np.isnan(rows).any()
        return "euclidean" if plain else "heom"

    def _search(self, schema: Schema, rows: Floats, y: Array) -> NumberSearch | MixedSearch:
        """The rows made ready to be searched."""
        metric, weights = self._metric_of(schema, rows), column_weights(self.column_weights, schema.names)
        if metric in METRICS:
            made = distance_metric(metric, self.p, weights, len(schema.columns))
            scale = "standard" if self.scale == "auto" else self.scale
            n_wanted = _AUTO_K if self.k == "auto" else int(self.k)
            return number_search(
                rows, made, scale=scale, algorithm=self.algorithm, leaf_size=self.leaf_size, k=n_wanted,
                n_jobs=self._n_jobs(),
            )  # fmt: skip
        classes = None if schema.target.classes is None else y.astype(np.int64)
        if metric == "vdm" and classes is None:
            raise OptionError('metric="vdm" compares levels by the classes they have, and the target is a number',
                              'use metric="heom" or "gower"')  # fmt: skip
        if self.algorithm not in ("auto", "brute") or self.leaf_size is not None:
            raise OptionError(
                "the table has levels or missing cells, whose rows are all compared: there is no tree",
                "leave out algorithm and leaf_size",
            )
        return mixed_search(metric, schema, rows, classes=classes, scale=self.scale, weights=weights,
                            n_jobs=self._n_jobs())  # fmt: skip

    def _check_rows(self, rows: Floats, schema: Schema, what: str) -> None:
        """Refuse infinite values and, for metrics of numbers, missing ones and levels."""
        odd = np.isinf(rows)
        if odd.any():
            row, column = (int(place[0]) for place in np.nonzero(odd))
            raise DataError(
                f"{what} holds infinity in row {row}, column {schema.columns[column].name!r}: no distance to it exists",
                "leave the row out, or put a large number in its place",
            )
        if self._metric_of(schema, rows) in METRICS:
            _refuse_mixed(rows, schema, what)

    def _check_k(self, k: int, n_rows: int) -> None:
        if k > n_rows:
            samples = "1 sample" if n_rows == 1 else f"{n_rows} rows"
            raise OptionError(
                f"k={shown(k)} neighbours are asked for, and there are {samples}", f"k is at most {n_rows}"
            )

    # ---- choosing k --------------------------------------------------------------------------------------------

    def _curve(self, frame: Frame, told: TargetRows, schema: Schema, rows: Floats, X_val: Any, y_val: Any) -> KCurve:
        """The error for every k up to ``max_k``, from one search per fold for them all."""
        if X_val is not None:
            matrix = np.asarray(prediction_matrix(read_frame(X_val), schema, estimator=type(self).__name__), np.float64)
            self._check_rows(matrix, schema, "X_val")
            truth = self._truth(schema, y_val, len(matrix))
            most = self._most(len(rows))
            found = self._neighbours(self._search(schema, rows, told.y), matrix, most)
            return k_curve(self._losses(schema, told, *found, truth), "validation rows")
        if len(rows) < 2:
            raise DataError("k cannot be chosen from 1 sample", "pass more rows, or say k")
        if is_leave_one_out(self.cv) or self.cv == len(rows):
            if self._metric_of(schema, rows) == "vdm":
                raise OptionError('metric="vdm" learns from the class of the very row that is left out', "use cv=10")
            most, own = self._most(len(rows) - 1), np.arange(len(rows))
            found = self._neighbours(self._search(schema, rows, told.y), rows, most, own, own)
            return k_curve(self._losses(schema, told, *found, told.y), "leave-one-out", told.weights)
        return self._folded(frame, told, schema, rows)

    def _folded(self, frame: Frame, told: TargetRows, schema: Schema, rows: Floats) -> KCurve:
        codes = told.y if schema.target.classes is None else told.y.astype(np.int64)
        n_folds = min(int(self.cv), len(rows))
        labelled = Labelled(frame, codes, schema.target.classes, told.weights, np.arange(len(rows)))
        folds = [(rest.row, part.row) for rest, part in labelled.folds(n_folds, self.random_state)]
        most = self._most(min(len(rest) for rest, _ in folds))
        by_k = np.zeros((most, len(rows)))
        for rest, part in folds:
            training = told.take(_mask(rest, len(rows)))
            found = self._neighbours(self._search(schema, rows[rest], training.y), rows[part], most)
            by_k[:, part] = list(self._losses(schema, training, *found, told.y[part]))
        return k_curve(iter(by_k), f"{n_folds}-fold cross-validation", told.weights)

    def _most(self, n_rows: int) -> int:
        return min(self.max_k or _AUTO_K, n_rows)

    @staticmethod
    def _neighbours(search: Any, matrix: Floats, k: int, *parts: Ints) -> tuple[Floats, Ints]:
        found: tuple[Floats, Ints] = search.nearest(matrix, k, *parts)
        return found

    def _counts(self, distances: Floats, neighbours: Ints, row_weights: Floats | None) -> Floats:
        """How much the vote of each neighbour counts."""
        counts = vote_weights(distances, self.weights)
        return counts if row_weights is None else counts * row_weights[neighbours]

    def _losses(
        self, schema: Schema, told: TargetRows, distances: Floats, neighbours: Ints, truth: Array
    ) -> Iterator[Floats]:
        """What predicting each row costs with 1, 2, … neighbours."""
        raise TypeError(f"{type(self).__name__} declares no losses")

    def _truth(self, schema: Schema, y: Any, n_rows: int) -> Array:
        raise TypeError(f"{type(self).__name__} declares no target")

    @property
    def training_stats(self) -> Floats:
        """What the rows are like: the weight of each class, or the weight and the sums of y and of y²."""
        self._check_fitted()
        weights = np.ones(len(self.rows_)) if self.row_weights_ is None else self.row_weights_
        classes = self.schema_.target.classes
        if classes is not None:
            return np.asarray(np.bincount(self.targets_.astype(np.int64), weights, len(classes)), np.float64)
        y = self.targets_.astype(np.float64)
        return np.array([weights.sum(), (weights * y).sum(), (weights * y * y).sum()])

    def sizes(self) -> dict[str, Any]:
        """How large the model is, and how it searches."""
        return {"rows": len(self.rows_), "k": self.k_, "metric": self.metric_, "algorithm": self.algorithm_}

    # ---- predict -----------------------------------------------------------------------------------------------

    def _places(self, X: Any, n_rows: int) -> Ints:
        """The nearest row stands where the leaf of a tree does."""
        return self.kneighbors(X, 1)[1][:, 0]

    def kneighbors(self, X: Any, k: int | None = None) -> tuple[Floats, Ints]:
        """Distances and numbers of the ``k`` (by default ``k_``) nearest rows of the fit, the nearest first.

        Rows are numbered as they were kept: those without a target, or of no weight, do not count.

        >>> import treewright as tw
        >>> model = tw.KNNClassifier(k=2, scale=None).fit([[0.0], [1.0], [5.0]], ["a", "b", "b"])
        >>> distances, indices = model.kneighbors([[4.0]])
        >>> indices.tolist(), distances.tolist()
        ([[2, 1]], [[1.0, 3.0]])
        """
        rows = self._rows_to_predict(X)
        wanted = self.k_ if k is None else k
        if not Whole(1).accepts(wanted):
            raise OptionError(f"k={shown(wanted)} is not accepted", "k is a whole number of at least 1")
        self._check_k(int(wanted), len(self.rows_))
        return self._neighbours(self._searcher(), rows, int(wanted))

    def _rows_to_predict(self, X: Any) -> Floats:
        matrix = np.asarray(self._matrix(X), np.float64)
        self._check_queries(matrix)
        return matrix

    def _check_queries(self, matrix: Floats) -> None:
        metric = self._searcher()
        if np.isinf(matrix).any() or isinstance(metric, NumberSearch):
            odd = ~np.isfinite(matrix) if isinstance(metric, NumberSearch) else np.isinf(matrix)
            if odd.any():
                row, column = (int(place[0]) for place in np.nonzero(odd))
                kind = "infinity" if np.isinf(matrix[row, column]) else "a missing value (NaN)"
                name = self.schema_.columns[column].name
                raise DataError(
                    f"X holds {kind} in row {row}, column {name!r}, and the metric is of finite numbers",
                    'leave the row out, or fit with metric="heom"' if "NaN" in kind else "leave the row out",
                )

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: the rows, but not the search, which is made of them."""
        return {name: value for name, value in super().__getstate__().items() if name != "search_"}

    def _searcher(self) -> NumberSearch | MixedSearch:
        """The search; a model that was loaded makes it when it is first needed."""
        self._check_fitted()
        if "search_" not in self.__dict__:
            self.search_ = self._search(self.schema_, self.rows_, self.targets_)
        return self.search_

    def _voters(self, X: Any) -> tuple[Ints, Floats]:
        """The neighbours of each row, and how much each counts."""
        distances, neighbours = self._neighbours(self._searcher(), self._rows_to_predict(X), self.k_)
        return neighbours, self._counts(distances, neighbours, self.row_weights_)

    def predict(self, X: Any) -> Array:
        raise TypeError(f"{type(self).__name__} declares no predictions")

    def explain(self, row: Any) -> NeighborVotes:
        """The neighbours that decide about one row, how far they are and what they say; ``print`` shows it.

        row: a dict of the columns, a table of one row, or a sequence of values.
        """
        self._check_fitted()
        table = row if hasattr(row, "columns") or isinstance(row, dict) or np.ndim(row) == 2 else [row]
        frame = read_frame({n: [v] for n, v in table.items()} if isinstance(table, dict) and _is_row(table) else table)
        if frame.n_rows != 1:
            raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pass a single row")
        distances, neighbours = self.kneighbors(frame)
        counts = self._counts(distances, neighbours, self.row_weights_)
        target = self.schema_.target
        said = self.targets_[neighbours[0]]
        names = tuple(target.classes[int(code)] for code in said) if target.classes else tuple(said.tolist())
        return NeighborVotes(
            tuple(neighbours[0].tolist()), tuple(distances[0].tolist()), names, tuple(counts[0].tolist()),
            _plain(self.predict(frame)[0]), target.name,
        )  # fmt: skip

    @property
    def metric_(self) -> str:
        """The metric by name, as "auto" was decided."""
        self._check_fitted()
        return self._metric_of(self.schema_, self.rows_)

    @property
    def algorithm_(self) -> str:
        """The algorithm that is used: "kd", "ball" or "brute"."""
        search = self._searcher()
        return search.algorithm if isinstance(search, NumberSearch) else "brute"

    def to_text(self) -> str:
        """What is kept, in one line."""
        self._check_fitted()
        of = f"{plural(len(self.rows_), 'row')}, {plural(len(self.schema_.columns), 'column')}"
        chosen = f" ({self.k_curve_.by})" if "k_curve_" in self.__dict__ else ""
        name = f"{type(self).__name__}: {self.schema_.target.name}"
        return f"{name} — {of}, k = {self.k_}{chosen}, {self.metric_}, {self.algorithm_}"


def _is_row(table: dict[Any, Any]) -> bool:
    return not any(isinstance(value, (list, tuple, np.ndarray)) for value in table.values())


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _mask(rows: Ints, n_rows: int) -> Any:
    mask = np.zeros(n_rows, np.bool_)
    mask[rows] = True
    return mask


def _refuse_mixed(rows: Floats, schema: Schema, what: str) -> None:
    mixed = 'use metric="heom", "gower" or "vdm"'
    odd = next((column for column in schema.columns if column.kind is not Kind.NUMERIC), None)
    if odd is not None:
        raise DataError(f"column {odd.name!r} of {what} is {odd.kind.value}, and the metric is of numbers", mixed)
    if np.isnan(rows).any():
        row, column = (int(place[0]) for place in np.nonzero(np.isnan(rows)))
        name = schema.columns[column].name
        raise DataError(
            f"{what} holds a missing value (NaN) in row {row}, column {name!r}, and the metric is of numbers", mixed
        )
