"""``model.prune``: an option of the estimator and, once it is fitted, what makes a smaller one of it.

Both names are public: ``CARTClassifier(prune=tw.prune.CostComplexity(0.01))`` prunes at the end of every fit, and
``model.prune("cost-complexity", cv=10)`` makes a new model of a fitted one. So the attribute is a descriptor: what the
constructor was given lies in the model's ``__dict__``, and what is read is a callable that knows it.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

import numpy as np

from treewright.compat.c45_programs import FLAVOURS
from treewright.data.folds import Folds
from treewright.data.labelled import Labelled, labelled
from treewright.data.matrix import as_learned
from treewright.data.schema import Schema
from treewright.data.user_warnings import without_warnings
from treewright.data.weights import row_weights
from treewright.engines.workers import Workers
from treewright.errors import DataError, OptionError, shown
from treewright.explain.printed_cuts import with_cuts_of_columns
from treewright.explain.readable_tree import readable
from treewright.model.progress import Step, steps
from treewright.prediction import reached
from treewright.prune.complexity_table import ComplexityTable, complexity_table
from treewright.prune.fit_pruning import pruned
from treewright.prune.holdout import HoldOut, hold_out
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.option_checks import check_choice, check_whole
from treewright.prune.pruning_methods import METHODS, name_of, needs_data, needs_training, pruner_of
from treewright.prune.pruning_path import PruningPath
from treewright.prune.pruning_report import PruningReport
from treewright.prune.refit import check_fitted_tree, like, only_class
from treewright.prune.training_rows import TrainingRows, in_full
from treewright.prune.tree_selection import SelectedTree, by_folds, by_hold_out
from treewright.recipe_parts.missing import Missing
from treewright.tree.tree import Tree

Pruned = TypeVar("Pruned")  # the estimator


class PruneOption:
    """The class attribute. A dataclass reads its default from the class."""

    def __init__(self, default: Any = None) -> None:
        self.default = default

    @overload
    def __get__(self, model: None, owner: Any = None) -> Any: ...
    @overload
    def __get__(self, model: Pruned, owner: Any = None) -> Prune[Pruned]: ...
    def __get__(self, model: Any, owner: Any = None) -> Any:
        return self.default if model is None else Prune(model)

    def __set__(self, model: Any, value: Any) -> None:
        model.__dict__["prune"] = value.option if isinstance(value, Prune) else value


PRUNE = PruneOption()


@dataclass(frozen=True, repr=False, eq=False)
class Prune(Generic[Pruned]):
    """``model.prune``; ``option`` is what the constructor was given."""

    model: Any

    @property
    def option(self) -> Any:
        return self.model.__dict__.get("prune")

    def __eq__(self, other: object) -> bool:
        """Whoever looks at the attribute for the option finds it: ``model.prune == tw.prune.CostComplexity(0.01)``."""
        return bool(self.option == (other.option if isinstance(other, Prune) else other))

    def __repr__(self) -> str:
        return f"<prune of {type(self.model).__name__}, option {self.option!r}>"

    def __call__(
        self,
        method: Any,
        X_val: Any = None,
        y_val: Any = None,
        cv: Any = None,
        rule: Any = "1se",
        sample_weight: Any = None,
        repeats: int = 1,
        choose: str = "cv",
        *,
        X: Any = None,
        y: Any = None,
        **options: Any,
    ) -> Pruned:
        """A new fitted estimator with a smaller tree; ``pruned_`` says what was cut. This one stays as it is.

        method: a name ("cost-complexity", "error-complexity", "reduced-error", "minimum-error", "pessimistic",
        "error-based", "cost-based", "critical-value", "mdl", "depth", "leaves", "nodes", "where", "merge-same") with
        its ``options``, or a pruner of ``tw.prune``. X_val, y_val: rows that were not fitted to, for methods that
        choose with them. cv: choose the α of cost-complexity or error-complexity by cross-validation, with this number
        of folds, "loo" (a fold per row) or a splitter of scikit-learn, over the rows of the fit, or over X_val and
        y_val if they are given. Error-based pruning with raising takes the rows of the fit in the same way. The table
        of the fit is remembered as long as it lives, never copied and never saved; X and y are these rows again, for a
        model that was loaded or whose table is gone. rule: "1se" takes the smallest tree
        within one standard error of the best, "0se" the best, a number the smallest within so many standard errors; a
        pruner has its own. sample_weight: how much each row of X_val counts. repeats: cross-validate so many times, by
        other folds. choose: "oob" takes as many bootstrap samples as there would be folds, and the rows that are not in
        them.
        """
        check_fitted_tree(self.model)
        pruner = pruner_of(method, flavoured(self.model, method, options), rule)
        _check_is_used(rule, pruner)
        if X is not None or y is not None:
            X_val, y_val = _again(pruner, cv, X, y, X_val)
        rows = _rows(self.model, X_val, y_val, sample_weight)
        data: HoldOut | TrainingRows | None
        left_out, table = LeftOut(cv, repeats, choose), None
        if cv is not None:
            (pruner, table), data = _cross_validated(self.model, _chooses_alpha(pruner), rows, left_out), None
        elif needs_training(pruner):
            data = _grown_from(self.model, rows)
        else:
            data = _held_out(self.model, pruner, rows)
            table = _table_by_hold_out(self.model, pruner, data)
        tree, told = pruned(self.model._leaf(), pruner, self.model.tree_, self.model.schema_, data)
        if isinstance(data, TrainingRows):  # rows may have come to nodes that were elsewhere when these were cut
            tree = with_cuts_of_columns(tree, self.model.schema_, data.cells.__getitem__, Workers(1))
        made: Pruned = _with_tree(self.model, tree, told, table)
        return made


def _check_is_used(rule: Any, pruner: Any) -> None:
    """A rule other than the default is that of the pruner, which may have been given as an object."""
    if rule == "1se" or getattr(pruner, "rule", None) == rule:
        return
    if hasattr(pruner, "rule"):
        raise OptionError(f"rule= is for a method by name, and {pruner!r} has its own", "give it to the pruner itself")
    raise OptionError(
        f"{name_of(pruner)} pruning has no rule, got rule={shown(rule)}",
        "leave it out; it is for cost-complexity and error-complexity pruning",
    )


def _again(pruner: Any, cv: Any, X: Any, y: Any, X_val: Any) -> tuple[Any, Any]:
    """The rows of the fit, for methods that go by them."""
    if X_val is not None:
        raise OptionError("X and y are the rows of the fit, X_val and y_val are others", "pass one or the other")
    if cv is None and not needs_training(pruner):
        raise OptionError(
            f"{name_of(pruner)} pruning does not look at the rows of the fit",
            _how_to_choose(pruner) if needs_data(pruner) else "leave X and y out",
        )
    return X, y


def _how_to_choose(pruner: Any) -> str:
    return "pass X_val and y_val" + (", an alpha, or cv=10" if isinstance(pruner, CostComplexity) else "")


def _with_tree(model: Any, tree: Tree, told: PruningReport, table: ComplexityTable | None) -> Any:
    smaller = copy.copy(model)
    for told_of_larger in ("holdout_", "c50_text_", "complexity_table_"):
        smaller.__dict__.pop(told_of_larger, None)
    smaller.__dict__.update(tree_=readable(tree, model.schema_), pruned_=told)
    if table is not None:
        smaller.__dict__["complexity_table_"] = table
    for rows in ("_fitted_to", "_coded"):  # of the fit: a copy leaves them out
        if rows in model.__dict__:
            smaller.__dict__[rows] = model.__dict__[rows]
    return smaller


def flavoured(model: Any, method: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Error-based pruning by name follows whom the model follows."""
    is_error_based = isinstance(method, str) and METHODS.get(method.lower()) is ErrorBased
    followed = getattr(model, "flavour", None)
    return {"flavour": followed, **options} if is_error_based and followed in FLAVOURS else options


def _rows(model: Any, X: Any, y: Any, weight: Any) -> Labelled | None:
    if (X is None) != (y is None):
        raise OptionError("X_val and y_val go together, got only one of them", "pass both")
    if X is None:
        if weight is not None:
            raise OptionError("sample_weight is given without the rows it belongs to", "pass X_val and y_val")
        return None
    return labelled(X, y, is_classifier=model.schema_.target.classes is not None, sample_weight=weight)


def _held_out(model: Any, pruner: Any, rows: Labelled | None) -> HoldOut | None:
    if not needs_data(pruner):
        if rows is not None:
            raise OptionError(f"{name_of(pruner)} pruning does not look at held-out rows", "leave X_val and y_val out")
        return None
    if rows is None:
        problem = f"{name_of(pruner)} pruning chooses with rows that were not fitted to"
        raise OptionError(problem, _how_to_choose(pruner))
    _refuse_unseen(model, rows)
    return losses_at_nodes(model, rows)


def _refuse_unseen(model: Any, rows: Labelled) -> None:
    classes = model.schema_.target.classes
    unknown = [label for label in rows.classes_seen if label not in classes]
    if unknown:
        raise DataError(
            f"y_val holds {unknown[0]!r}, a class the model was not fitted to",
            f"the classes are {', '.join(map(repr, classes))}; leave other rows out",
        )


def _grown_from(model: Any, rows: Labelled | None) -> TrainingRows:
    """The rows of the fit, weighted as they were then."""
    rows = fitted_rows(model, "raising branches") if rows is None else rows
    _refuse_unseen(model, rows)
    y = rows.codes_among(model.schema_.target.classes or ())
    class_weight = getattr(model, "class_weight", None)
    weights = row_weights(rows.weights, class_weight, model.schema_.target.classes, y, rows.n_rows)
    policies = model._policies(model.schema_)
    dropped = [j for j, policy in enumerate(policies) if policy is Missing.DROP]
    matrix = model._matrix(rows.frame, np.union1d(model.tree_.columns_used, dropped).astype(np.int64))
    whole = ~np.isnan(matrix[:, dropped]).any(1)
    cells = np.ascontiguousarray(matrix[whole].T, np.float64)
    return TrainingRows(cells, y[whole], None if weights is None else weights[whole], in_full(policies))


def losses_at_nodes(model: Any, rows: Labelled) -> HoldOut:
    """What rows lose at every node of the model's tree. A class the model does not know is always wrong."""
    classes = model.schema_.target.classes
    y = rows.y if classes is None else rows.codes_among(classes)
    matrix = model._tested(rows.frame)
    row, leaves, part = reached(model.tree_, matrix, model._n_jobs())
    cells = matrix[row] if model.tree_.models.exist else None
    weights = part if rows.weights is None else part * rows.weights[row]
    return hold_out(model.tree_, model.schema_, leaves, y[row], weights, n_rows=rows.n_rows, cells=cells)


# ---- cross-validation ------------------------------------------------------------------------------------------------


def _chooses_alpha(pruner: Any) -> CostComplexity:
    if not isinstance(pruner, CostComplexity) or pruner.alpha is not None:
        raise OptionError(
            f"cv chooses the alpha of cost-complexity pruning, and {pruner!r} leaves nothing to choose",
            'leave cv out, or use model.prune("cost-complexity", cv=10)',
        )
    return pruner


@dataclass(frozen=True)
class LeftOut:
    """Which rows are left out in turn: those of the folds of ``cv``, ``repeats`` times, or not in bootstrap samples."""

    cv: Any
    repeats: int = 1
    choose: str = "cv"

    def __post_init__(self) -> None:
        check_whole("repeats", self.repeats, least=1, hint="it is how many times rows are cross-validated")
        check_choice("choose", self.choose, ("cv", "oob"))
        if self.cv is None and (self.repeats, self.choose) != (1, "cv"):
            raise OptionError("repeats and choose say how to cross-validate, and cv is None", "pass cv=10 as well")
        if self.choose == "oob":
            number = self.cv.n_folds if isinstance(self.cv, Folds) else self.cv
            check_whole("cv", number, least=2, hint="with choose='oob' it is the number of bootstrap samples")

    def words(self, n_parts: int) -> str:
        """What was left out, for the reader of a table."""
        if self.choose == "oob":
            return f"the rows left out of {n_parts} bootstrap samples"
        return f"{n_parts} folds" if self.repeats == 1 else f"{n_parts} folds, in {self.repeats} repeats"

    def parts(self, rows: Labelled, seed: int | None) -> Iterator[tuple[Labelled, Labelled]]:
        """Rows to grow from and rows left out. Folds have a seed of their own."""
        seeded = isinstance(self.cv, Folds)
        first = self.cv.random_state if seeded else seed or 0
        for one in range(first, first + self.repeats):
            if self.choose == "oob":
                yield from rows.samples(self.cv.n_folds if seeded else self.cv, one)
            else:
                yield from rows.folds(replace(self.cv, random_state=one) if seeded else self.cv, one)


def _cross_validated(
    model: Any, pruner: CostComplexity, rows: Labelled | None, left_out: LeftOut
) -> tuple[CostComplexity, ComplexityTable]:
    """The pruner with the α that was chosen, and what it was chosen from."""
    rows = fitted_rows(model, "cross-validation") if rows is None else _as_learned(model, rows)
    path, chosen, words = _by_left_out(model, pruner, rows, left_out)
    return replace(pruner, alpha=chosen.alpha), complexity_table(pruner, path, model.schema_, chosen, words)


def _by_left_out(
    model: Any, pruner: CostComplexity, rows: Labelled, left_out: LeftOut
) -> tuple[PruningPath, SelectedTree, str]:
    path = pruner.path(model.tree_, model.schema_)
    folds = fold_paths(model, pruner.path, rows, left_out)
    times = max(1.0, sum(data.n_rows for _, data in folds) / rows.n_rows)
    return path, by_folds(path, folds, pruner.rule, repeats=times), left_out.words(len(folds))


def table_by_folds(model: Any, pruner: CostComplexity, rows: Labelled, cv: Any) -> ComplexityTable:
    """The table of the model's tree with the errors of a cross-validation; no tree is chosen."""
    path, found, words = _by_left_out(model, pruner, _as_learned(model, rows), LeftOut(cv))
    return complexity_table(pruner, path, model.schema_, found, words, taken=False)


def _table_by_hold_out(model: Any, pruner: Any, data: HoldOut | None) -> ComplexityTable | None:
    if data is None or not isinstance(pruner, CostComplexity):
        return None
    path = pruner.path(model.tree_, model.schema_)
    words = f"{data.n_rows:,} rows that were held out"
    return complexity_table(pruner, path, model.schema_, by_hold_out(path, data, pruner.rule), words)


def _as_learned(model: Any, rows: Labelled) -> Labelled:
    """A fold's tree is grown from the columns of the model: no others, and ties fall by their order."""
    return replace(rows, frame=as_learned(rows.frame, model.schema_))


PathOf = Callable[[Tree, Schema], PruningPath]


def fold_paths(model: Any, path_of: PathOf, rows: Labelled, left_out: LeftOut) -> list[tuple[PruningPath, HoldOut]]:
    """For every fold the sequence of a tree that was grown without it, and what its rows lose there.

    A fold whose absence leaves one class, with nothing to tell apart, is passed over.
    """
    seed = getattr(model, "random_state", None)
    seed = seed if isinstance(seed, int) else None
    folds = [(rest, part) for rest, part in left_out.parts(rows, seed) if only_class(rest) is None]
    if not folds:
        raise DataError("every fold leaves only one class to learn from", "give more rows, or choose without cv")
    with steps("cross-validating", len(folds)) as step:
        return [_fold_path(model, path_of, *parts, step) for parts in folds]


def _fold_path(model: Any, path_of: PathOf, rest: Labelled, part: Labelled, step: Step) -> tuple[PruningPath, HoldOut]:
    with without_warnings():
        grown = like(model, rest)
    found = path_of(grown.tree_, grown.schema_), losses_at_nodes(grown, part)
    step(1)
    return found


# ---- the rows of the fit ---------------------------------------------------------------------------------------------


class Remembered:
    """A table that is not kept alive; what cannot be referred to weakly, such as a list, is held.

    ``columns`` makes what was fitted of the table the user has.
    """

    def __init__(self, table: Any, columns: Callable[[Any], Any] = lambda table: table) -> None:
        self.columns = columns
        self.refer: Callable[[], Any]
        try:
            self.refer = weakref.ref(table)
        except TypeError:
            self.refer = lambda: table

    def recall(self) -> Any:
        """What was fitted, or None."""
        table = self.refer()
        return None if table is None else self.columns(table)


def remember(X: Any, y: Any, sample_weight: Any) -> tuple[Remembered, Any, Any]:
    """The rows of a fit. Target and weights are held: a column of a data frame is often made for the call alone."""
    return Remembered(X), y, sample_weight


_AFTER_THE_METHOD = "pass them after the method: model.prune(method, X, y, …)"


def fitted_rows(model: Any, why: str, hint: str = _AFTER_THE_METHOD) -> Labelled:
    table, y, weight = model.__dict__.get("_fitted_to", (None, None, None))
    X = None if table is None else table.recall()
    if X is None:
        raise OptionError(
            f"{why} needs the rows the model was fitted to, and they are gone",
            hint,
        )
    is_classifier = model.schema_.target.classes is not None
    return labelled(X, y, is_classifier=is_classifier, sample_weight=weight)
