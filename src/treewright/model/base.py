"""What every estimator does: fit in five steps (encode, grow, prune, keep, return), predict, explain, save."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright.data.encode import encode, make_schema, prediction_matrix
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame, listing, read_frame
from treewright.data.schema import Schema, Target
from treewright.data.target import class_array
from treewright.engines.workers import Workers, available_cores
from treewright.errors import DataError
from treewright.explain.path import Explanation, explain_row
from treewright.explain.rules import Rule, rules
from treewright.explain.text import render
from treewright.leaves import Leaf
from treewright.model.options import check_options
from treewright.model.predict import apply, decision_path, predicted_values
from treewright.model.progress import Bar
from treewright.model.pruning import PRUNE, Prune, remember
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.path import PruningPath
from treewright.prune.report import Pruned
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Recipe
from treewright.rules.from_tree import from_tree
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask

Self = TypeVar("Self", bound="TreeModel")
_HISTOGRAM_BINS = 255
_MOST_THREADS = 64  # beyond the cores there is nothing to gain, only memory to lose


@dataclass(kw_only=True, eq=False, repr=False)
class TreeModel(BaseEstimator):
    """Shared by all trees. The fields are the parameters; scikit-learn reads them from the signature they make."""

    max_depth: int | None = None
    kinds: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None
    progress: bool = False

    tree_: Tree = field(init=False)
    schema_: Schema = field(init=False)
    n_features_in_: int = field(init=False)
    feature_names_in_: Array = field(init=False)
    pruned_: Pruned = field(init=False)

    prune = PRUNE  # estimators whose constructor takes it declare it as a field

    # ---- what the estimators say -------------------------------------------------------------------------------

    def _recipe(self, encoded: Encoded) -> Recipe:
        """The whole learner, for the columns of the table."""
        raise TypeError(f"{type(self).__name__} declares no recipe")

    def _encode_target(
        self, y: Any, n_rows: int, sample_weight: Any
    ) -> tuple[Target, Array, Floats | None, Mask | None]:
        """Target, class codes or numbers, weights, and a mask of the rows to keep (None: all)."""
        raise TypeError(f"{type(self).__name__} declares no target")

    def _leaf(self) -> Leaf:
        """How nodes predict."""
        raise TypeError(f"{type(self).__name__} declares no leaf")

    def _training_error(self, tree: Tree) -> float:
        raise TypeError(f"{type(self).__name__} declares no error")

    def _more_facts(self) -> tuple[str, ...]:
        """What else the first printed line says."""
        return ()

    def _policies(self, schema: Schema) -> tuple[Missing, ...]:
        """What becomes of missing values, column by column; nothing where a learner has one way of its own."""
        return ()

    def _max_bins(self) -> int | None:
        """How many codes a column of numbers may have; None: one for every distinct value."""
        return None

    def _keeps_unused_levels(self) -> bool:
        """Whether nominal columns have the levels that are declared and occur in no row."""
        return False

    def _prune(self, tree: Tree, encoded: Encoded) -> tuple[Tree, Pruned | None]:
        """The tree to keep, and the report if it was pruned."""
        return tree, None

    # ---- fit ---------------------------------------------------------------------------------------------------

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row.
        """
        self._check_options()
        frame = read_frame(X)
        encoded = self._encode(frame, y, sample_weight)
        tree = self._grow(encoded, self._recipe(encoded))
        self._keep(encoded.schema, *self._prune(tree, encoded), named=frame.named)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options by name, as scikit-learn reads them."""
        params = super().get_params(deep)
        return {name: value.option if isinstance(value, Prune) else value for name, value in params.items()}

    def _options(self) -> dict[str, Any]:
        """The same, without asking for the signature: a fit of a small table has no time for that."""
        return {option.name: self.__dict__[option.name] for option in fields(self) if option.init}

    def _check_options(self) -> None:
        check_options(self._options())

    def _encode(self, frame: Frame, y: Any, sample_weight: Any) -> Encoded:
        target, codes, weights, keep = self._encode_target(y, frame.n_rows, sample_weight)
        if keep is not None:
            frame, codes = frame.take(keep), codes[keep]
            weights = None if weights is None else weights[keep]
        return self._encode_rows(frame, target, codes, weights)

    def _encode_rows(self, frame: Frame, target: Target, codes: Array, weights: Floats | None) -> Encoded:
        schema = make_schema(frame, target, self.kinds, unused=self._keeps_unused_levels())
        return encode(frame, schema, codes, weights, max_bins=self._max_bins(), n_jobs=self._n_jobs())

    def _grow(self, encoded: Encoded, recipe: Recipe) -> Tree:
        from treewright.grow import fit_tree

        bar = Bar(encoded.n_rows, type(self).__name__) if self.progress else nullcontext()
        with bar as report, Workers(self._n_jobs()) as workers:
            return fit_tree(encoded, recipe, workers, report)

    def _keep(self, schema: Schema, tree: Tree, pruned: Pruned | None = None, *, named: bool) -> None:
        """All that fitting leaves behind, in one go: a fit that fails leaves the model as it was."""
        fitted: dict[str, Any] = {"tree_": tree, "schema_": schema, "n_features_in_": len(schema.columns)}
        if named:
            fitted["feature_names_in_"] = np.array(schema.names, dtype=object)
        if schema.target.classes is not None:
            fitted["classes_"] = class_array(schema.target.classes)
        if pruned is not None:
            fitted["pruned_"] = pruned
        for name in ("feature_names_in_", "pruned_", "_fitted_to"):
            self.__dict__.pop(name, None)
        self.__dict__.update(fitted)

    def _n_jobs(self) -> int:
        return thread_count(self.n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: all but the rows of the fit."""
        return {name: value for name, value in super().__getstate__().items() if name != "_fitted_to"}

    # ---- prune -------------------------------------------------------------------------------------------------

    def pruning_path(self, risk: str | None = None, relative: bool = False, links: str = "exact") -> PruningPath:
        """The cost-complexity sequence, largest tree first: its ``alphas``, ``leaves``, ``risks`` and ``trees``.

        ``risk``, ``relative`` and ``links`` are those of :class:`tw.prune.CostComplexity`.
        """
        check_is_fitted(self, "tree_")
        return CostComplexity(risk=risk, relative=relative, links=links).path(self.tree_, self.schema_)

    # ---- predict -----------------------------------------------------------------------------------------------

    def _matrix(self, X: Any, used: Any = None) -> Array:
        check_is_fitted(self, "tree_")
        if used is None:
            used = self.tree_.columns_used
        name = type(self).__name__
        return prediction_matrix(read_frame(X), self.schema_, used, unseen=self.unseen, estimator=name)

    def apply(self, X: Any) -> Ints:
        """The number of the leaf each row reaches.

        Where a missing value takes every branch a row reaches several: then that of the largest share, the first of
        equals. ``decision_path`` has them all.
        """
        matrix = self._matrix(X)
        return apply(self.tree_, matrix, self._n_jobs())

    def _values(self, X: Any) -> Floats:
        matrix = self._matrix(X)
        return predicted_values(self.tree_, matrix, self._n_jobs())

    def decision_path(self, X: Any) -> csr_matrix:
        """A sparse rows × nodes matrix with a one for every node a row comes by."""
        matrix = self._matrix(X)
        nodes, start = decision_path(self.tree_, matrix, self._n_jobs())
        return csr_matrix((np.ones(len(nodes), np.int64), nodes, start), shape=(len(matrix), self.tree_.n_nodes))

    # ---- explain -----------------------------------------------------------------------------------------------

    def explain(self, row: Any) -> Explanation:
        """Why a row is predicted as it is: the path from the root in words, with the counts at each step.

        row: a dict of column to value, a one-row table, or a sequence of values.
        """
        check_is_fitted(self, "tree_")
        frame = read_frame(_one_row(row, self.schema_))
        if frame.n_rows != 1:
            raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
        matrix = self._matrix(frame, range(len(self.schema_.columns)))
        return explain_row(
            self.tree_, self.schema_, np.asarray(matrix[0], np.float64), _raw_values(frame, self.schema_)
        )

    def rules(self) -> list[Rule]:
        """One rule per leaf in words, in the order of the printed tree; ``rule_set()`` has them as data."""
        check_is_fitted(self, "tree_")
        return rules(self.tree_, self.schema_)

    def rule_set(self) -> RuleSet:
        """The tree as a :class:`tw.rules.RuleSet`: rules as data, to predict with, report on, edit and save."""
        return from_tree(self)

    def to_text(
        self,
        *,
        depth: int | None = None,
        max_lines: int | None = 200,
        width: int | None = None,
        unfold: str = "depth=None, max_lines=None",
    ) -> str:
        """The tree as text: one line per node, the answer on the line of its test.

        A tree that is folded says how to see all of it: ``unfold=``, in words, if it is not by these arguments.
        """
        check_is_fitted(self, "tree_")
        return render(
            self.tree_, self.schema_, depth=depth, max_lines=max_lines, width=width, ascii=not _speaks_unicode(),
            title=type(self).__name__, training_error=self._training_error(self.tree_), more=self._more_facts(),
            unfold=unfold,
        )  # fmt: skip

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, "tree_") else repr(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file; ``tw.load(path)`` reads it back."""
        from treewright.model.files import save

        check_is_fitted(self, "tree_")
        save(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def thread_count(n_jobs: int | None) -> int:
    """How many threads an option asks for; None and -1 are as many as there are cores."""
    cores = available_cores()
    return cores if n_jobs in (None, -1) else min(int(n_jobs), max(cores, _MOST_THREADS))


def target_name(y: Any) -> str:
    """The name a column came with, if any."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def no_target(estimator: str) -> DataError:
    return DataError(f"{estimator} requires y to be passed, but the target y is None", "pass the target as y")


def _one_row(row: Any, schema: Schema) -> Any:
    """A row given as a mapping or a plain sequence becomes a table of one row."""
    if isinstance(row, dict):
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in row.values()):
            return row
        return [row]
    if hasattr(row, "to_dict") and getattr(row, "ndim", 1) == 1:
        return [row.to_dict()]
    if isinstance(row, (list, tuple, np.ndarray)) and not any(np.ndim(cell) or isinstance(cell, dict) for cell in row):
        if len(row) != len(schema.columns):
            raise DataError(
                f"the row has {len(row)} values, the model learned from {len(schema.columns)} columns",
                f"the columns are {listing(schema.names)}",
            )
        return [dict(zip(schema.names, row))]
    return row


def _raw_values(frame: Frame, schema: Schema) -> dict[str, Any]:
    names = frame.names if frame.named else schema.names
    cells = frame.raw if frame.matrix is None else frame.matrix.T
    return {name: column[0] for name, column in zip(names, cells)}


def _speaks_unicode() -> bool:
    return "utf" in (getattr(sys.stdout, "encoding", None) or "utf").lower()
