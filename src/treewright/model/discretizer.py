"""``tw.Discretizer`` and ``tw.discretize``: numbers into bins, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import Labelled, has_classes, labelled
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.data.target_column import check_classes
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError, OptionError, unknown
from treewright.explain.number_text import format_exactly, plural
from treewright.explain.printed_cuts import printed_cuts
from treewright.model.class_or_number import no_target
from treewright.model.column_binning import LIMITS, OF_A_TARGET, OF_CLASSES, Binning, binning_of, edges_of
from treewright.model.table_model import TableModel
from treewright.tree.check import require, required_list
from treewright.typing import Array, Floats

Self = TypeVar("Self", bound="Discretizer")
_SHOWN_EDGES = 10


def _usual_binning(options: Any) -> Binning:
    """That of columns of which nothing else is said."""
    return Binning(options.method, options.bins, options.alpha, options.min_share)


def _check_binning(options: Any) -> None:
    _usual_binning(options).check()


@dataclass(kw_only=True, eq=False, repr=False)
class Discretizer(OneToOneFeatureMixin, TransformerMixin, TableModel):
    """Put the numbers of every column into bins; ``x <= edge`` belongs to the lower bin. Missing values stay missing.

    method: how to cut. "mdl" cuts where classes gain information, while it pays by description length (Fayyad & Irani
    1993); "chimerge" merges values until all neighbours differ by a χ² test at level ``alpha``, 0.05 unless it is
    given (Kerber 1992); "optimal" finds the bins that leave least entropy of classes or variance of a number, exactly,
    by dynamic programming (Fisher 1958), each of at least ``min_share`` of the rows; "quantile" makes bins of even
    weight, "width" of even width. The first three look at y, the first two at classes only.

    bins: at most so many; None is 10, but no limit for "mdl" and "chimerge". columns: other options for some columns: a
    mapping of name (or number) to a method, a list of edges, or a dictionary of ``method``, ``bins``, ``alpha``,
    ``min_share``. output: "codes" (0, 1, …, as floats; NaN is missing) or "labels" such as "(2.45, 4.75]" (None is
    missing). labels: names for the bins, the lowest first, in place of these: a list for every column, or a mapping of
    column to one; every bin must have a name. target: whether y is "classes" or "numbers" for "optimal"; None takes y
    for numbers if it has decimals or more than ten different values.

    Columns with a single value, and those where "mdl" or "chimerge" finds nothing, become one bin. ``printed_`` are the
    edges as labels have them: short numbers between which the same values lie that were fitted to.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bins = Discretizer().fit(X[["petal length (cm)"]], y)
    >>> bins.edges_[0].tolist(), bins.labels_[0]
    ([2.45, 4.75], ['<= 2.45', '(2.45, 4.75]', '> 4.75'])
    >>> bins.transform({"petal length (cm)": [1.4, 4.75, 5.0]}).ravel().tolist()
    [0.0, 1.0, 2.0]
    >>> bins = Discretizer(columns={"t": [60, 90]}, labels=["cool", "mild", "hot"], output="labels", method="width")
    >>> bins.fit_transform({"t": [48.3, 60.2, 90.4]}).ravel().tolist()
    ['cool', 'mild', 'hot']
    """

    method: str = "mdl"
    bins: int | None = None
    alpha: float | None = None
    min_share: float | None = None
    columns: Any = None
    labels: Any = None
    output: str = "codes"
    target: str | None = None

    kinds: Any = field(default=None, init=False)  # only numbers are put into bins: levels are not spoken of
    unseen: str = field(default="missing", init=False)
    n_jobs: int | None = field(default=None, init=False)

    edges_: list[Floats] = field(init=False)
    printed_: list[Floats] = field(init=False)
    n_bins_: Array = field(init=False)

    option_limits = LIMITS
    option_checks = (_check_binning,)

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the edges. y: the target, for methods that look at it."""
        self._check_options()
        frame = read_frame(X)
        plans = self._plans(frame)
        rows = self._rows(frame, y, sample_weight, plans)
        schema = make_schema(rows.frame, Target("y"), self.kinds)
        _refuse_levels(schema)
        columns = np.asarray(prediction_matrix(rows.frame, schema), np.float64).T
        edges = [edges_of(plan, column, values, rows) for plan, column, values in zip(plans, schema.columns, columns)]
        for names, cuts, name in zip(self._names(frame.place, frame.n_columns, frame.hint_for), edges, schema.names):
            _check_count(names, cuts, name)
        printed = [
            printed_cuts(cuts, values, column.unit) if plan.edges is None else cuts
            for plan, cuts, values, column in zip(plans, edges, columns, schema.columns)
        ]
        self._keep(schema, _learned(edges, printed), named=frame.named)
        return self

    def transform(self, X: Any) -> Array:
        """The bin of every value."""
        matrix = np.asarray(self._matrix(X), np.float64)
        codes = np.full(matrix.shape, np.nan)
        for j, edges in enumerate(self.edges_):
            known = ~np.isnan(matrix[:, j])
            codes[known, j] = np.searchsorted(edges, matrix[known, j])
        return codes if self.output == "codes" else self._labelled(codes)

    @property
    def labels_(self) -> list[list[str]]:
        """The bins of every column in words: the names they were given, or intervals."""
        self._check_fitted()
        found = zip(self._names(self._place, len(self.edges_)), self.printed_, self.schema_.columns)
        return [_labels(edges, column) if names is None else list(names) for names, edges, column in found]

    def to_text(self) -> str:
        """How many bins there are, in one line; before the fit the options."""
        if not hasattr(self, "edges_"):
            return repr(self)
        bins, columns = plural(int(self.n_bins_.sum()), "bin"), plural(len(self.edges_), "column")
        return f"Discretizer: {bins} of {columns}, method {self.method!r}"

    def to_dict(self) -> dict[str, Any]:
        """Every column with how many bins it has, and these in words."""
        self._check_fitted()
        words = [", ".join(labels) for labels in self.labels_]
        return {"column": list(self.schema_.names), "bins": self.n_bins_.tolist(), "labels": words}

    def _place(self, key: Any) -> int:
        """Which column of the fit a name or a number means, as ``Frame.place`` says it of a table."""
        names = self.schema_.names
        is_label = isinstance(key, str) or (not hasattr(self, "feature_names_in_") and str(key) in names)
        return names.index(str(key)) if is_label else int(key) % len(names)

    def _names(
        self, place_of: Callable[[Any], int | None], n_columns: int, hint: Callable[[Any], str] = str
    ) -> list[Sequence[str] | None]:
        """The names that the bins of every column were given, None where they are intervals."""
        if not isinstance(self.labels, Mapping):
            return [self.labels] * n_columns
        found: list[Sequence[str] | None] = [None] * n_columns
        for key, names in self.labels.items():
            place = place_of(key)
            if place is None:
                raise OptionError(f"labels names a column that does not exist: {key!r}", hint(key))
            found[place] = names
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = False
        tags.target_tags.required = self.method in OF_A_TARGET
        return tags

    def _plans(self, frame: Frame) -> list[Binning]:
        """How every column is cut."""
        usual = _usual_binning(self)
        plans = [usual] * frame.n_columns
        for key, wanted in (self.columns or {}).items():
            place = frame.place(key)
            if place is None:
                raise OptionError(f"columns names a column that does not exist: {key!r}", frame.hint_for(key))
            plans[place] = binning_of(key, wanted, usual)
        return plans

    def _rows(self, frame: Frame, y: Any, sample_weight: Any, plans: list[Binning]) -> Labelled:
        """The rows that count, with their target if any column is cut by it."""
        used = [plan.method for plan in plans if plan.edges is None and plan.method in OF_A_TARGET]
        if not used:
            weights = row_weights(sample_weight, None, None, None, frame.n_rows)
            keep = kept_rows(None, weights)
            rows = Labelled(frame, np.zeros(frame.n_rows), None, weights, np.arange(frame.n_rows))
            return rows if keep is None else rows.take(np.flatnonzero(keep))
        if y is None:
            raise no_target(f"{type(self).__name__}(method={used[0]!r})")
        by_classes = next((method for method in used if method in OF_CLASSES), None)
        if by_classes is not None and self.target == "numbers":
            raise OptionError(f"method={by_classes!r} is for classes, got target='numbers'", "use method='optimal'")
        classes = by_classes is not None or has_classes(y, self.target)
        rows = labelled(frame, y, is_classifier=classes, sample_weight=sample_weight)
        if rows.classes is not None:
            check_classes(rows.classes, rows.y)
        return rows

    def _labelled(self, codes: Floats) -> Array:
        words = np.empty(codes.shape, dtype=object)
        for j, labels in enumerate(self.labels_):
            known = ~np.isnan(codes[:, j])
            words[known, j] = np.array(labels, dtype=object)[codes[known, j].astype(np.int64)]
        return words


def _learned(edges: list[Floats], printed: list[Floats]) -> dict[str, Any]:
    return {"edges_": edges, "printed_": printed, "n_bins_": np.array([len(cuts) + 1 for cuts in edges])}


def edges_to_json(bins: Discretizer) -> dict[str, Any]:
    """What a file says of the bins: the edges of every column, and what is printed for them."""
    found = {"edges": bins.edges_, "printed": bins.printed_}
    return {name: [cuts.tolist() for cuts in by_column] for name, by_column in found.items()}


def edges_from_json(section: Any, schema: Schema) -> dict[str, Any]:
    """What a fit leaves behind, from a file; ModelFileError if it does not make sense."""
    require({"edges"} <= set(section) <= {"edges", "printed"}, "bins must have the entry edges")
    require(all(column.kind is Kind.NUMERIC for column in schema.columns), "bins are of numbers, and a column is not")
    edges = _edges_by_column(section["edges"], schema)
    printed = _edges_by_column(section["printed"], schema) if "printed" in section else edges  # not in version 2
    require(list(map(len, edges)) == list(map(len, printed)), "there must be a number to print for every edge")
    return _learned(edges, printed)


def _edges_by_column(items: Any, schema: Schema) -> list[Floats]:
    made = [_edges_of(cuts) for cuts in required_list(items, "edges")]
    require(len(made) == len(schema.columns), "there must be a list of edges for every column")
    return made


def _edges_of(items: Any) -> Floats:
    cuts = required_list(items, "edges")
    require(set(map(type, cuts)) <= {int, float}, "edges must be numbers")
    edges = np.array(cuts, np.float64)
    require(np.isfinite(edges).all() and (np.diff(edges) > 0).all(), "edges must be finite and rise")
    return edges


def discretize(X: Any, y: Any = None, *, sample_weight: Any = None, **options: Any) -> Any:
    """The table with its numbers put into bins, in words; ``options`` are those of :class:`Discretizer`.

    A pandas or polars table comes back as one of its kind, anything else as an array.

    Parameters
    ----------
    X : table
        Any dataframe, array, list of dicts or dict of columns.
    y : array-like or None, default None
        The target, for the methods that look at it.
    sample_weight : array-like or None, default None
        How much each row counts.
    **options : object
        Options of :class:`Discretizer`, such as ``method="quantile"``.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.discretize({"age": [12, 25, 37, 61]}, method="width", bins=2).ravel().tolist()
    ['<= 36.5', '<= 36.5', '> 36.5', '> 36.5']
    """
    known = Discretizer().get_params()
    for name in options:
        if name not in known:
            raise unknown("Discretizer option", name, known)
    bins = Discretizer(**{"output": "labels", **options})
    kind = type(X).__module__.partition(".")[0]
    if kind in ("pandas", "polars"):
        bins.set_output(transform=kind)
    return bins.fit(X, y, sample_weight).transform(X)


def _refuse_levels(schema: Schema) -> None:
    odd = next((column for column in schema.columns if column.kind is not Kind.NUMERIC), None)
    if odd is not None:
        raise DataError(
            f"column {odd.name!r} is {odd.kind.value}, and only numbers can be put into bins",
            "leave it out, for example with a ColumnTransformer or X.select_dtypes('number')",
        )


def _check_count(names: Sequence[str] | None, edges: Floats, column: str) -> None:
    if names is not None and len(names) != len(edges) + 1:
        shown_edges = ", ".join(f"{edge:g}" for edge in edges[:_SHOWN_EDGES])
        raise OptionError(
            f"labels has {len(names)} names for column {column!r}, which has {len(edges) + 1} bins",
            f"its edges are {shown_edges}" if shown_edges else "it has no edges; leave the names out",
        )


def _labels(edges: Floats, column: Column) -> list[str]:
    """The bins in words.

    >>> _labels(np.array([2.5, 4.0]), Column("x", Kind.NUMERIC)), _labels(np.empty(0), Column("x", Kind.NUMERIC))
    (['<= 2.5', '(2.5, 4]', '> 4'], ['any'])
    """
    if not len(edges):
        return ["any"]
    words = [format_exactly(edge, column.unit) for edge in edges.tolist()]
    return [f"<= {words[0]}", *(f"({low}, {high}]" for low, high in pairwise(words)), f"> {words[-1]}"]
