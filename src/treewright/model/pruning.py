"""``model.prune``: an option of the estimator and, once it is fitted, what makes a smaller one of it.

Both names are public: ``CARTClassifier(prune=tw.prune.CostComplexity(0.01))`` prunes at the end of every fit, and
``model.prune("cost-complexity", cv=10)`` makes a new model of a fitted one. So the attribute is a descriptor: what the
constructor was given lies in the model's ``__dict__``, and what is read is a callable that knows it.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.data.labelled import Labelled, labelled
from treewright.errors import DataError, OptionError
from treewright.prune.choose import by_folds
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.holdout import HoldOut, hold_out
from treewright.prune.methods import name_of, needs_data, pruner_of
from treewright.prune.path import PruningPath
from treewright.prune.refit import like
from treewright.prune.report import report


class PruneOption:
    """The class attribute. A dataclass reads its default from the class."""

    def __init__(self, default: Any = None) -> None:
        self.default = default

    def __get__(self, model: Any, owner: Any = None) -> Any:
        return self.default if model is None else Prune(model)

    def __set__(self, model: Any, value: Any) -> None:
        model.__dict__["prune"] = value.option if isinstance(value, Prune) else value


PRUNE = PruneOption()


@dataclass(frozen=True, repr=False, eq=False)
class Prune:
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
        self, method: Any, X_val: Any = None, y_val: Any = None, cv: Any = None, rule: str = "1se", **options: Any
    ) -> Any:
        """A new fitted estimator with a smaller tree; ``pruned_`` says what was cut. This one stays as it is.

        method: a name ("cost-complexity", "reduced-error", "minimum-error", "pessimistic", "cost-based",
        "critical-value", "mdl", "depth", "leaves", "nodes", "where", "merge-same") with its ``options``, or a pruner of
        ``tw.prune``. X_val, y_val: rows that were not fitted to, for methods that choose with them. cv: choose the α of
        cost-complexity by cross-validation, with this number of folds or a splitter of scikit-learn, over the rows of
        the fit, or over X_val and y_val if they are given. The table of the fit is remembered as long as it lives,
        never copied and never saved. rule: "1se" takes the smallest tree within one standard error of the best,
        "0se" the best; a pruner has its own.
        """
        check_is_fitted(self.model, "tree_")
        pruner = pruner_of(method, options, rule)
        rows, data = _rows(self.model, X_val, y_val), None
        if cv is None:
            data = _held_out(self.model, pruner, rows)
        else:
            pruner = _cross_validated(self.model, _chooses_alpha(pruner), rows, cv)
        tree = pruner(self.model.tree_, self.model.schema_, *(() if data is None else (data,)))
        return _with_tree(self.model, tree, name_of(pruner))


def _with_tree(model: Any, tree: Any, method: str) -> Any:
    smaller = copy.copy(model)
    smaller.__dict__.update(tree_=tree, pruned_=report(model.tree_, tree, model.schema_, method))
    if "_fitted_to" in model.__dict__:
        smaller._fitted_to = model._fitted_to
    return smaller


def _rows(model: Any, X: Any, y: Any) -> Labelled | None:
    if (X is None) != (y is None):
        raise OptionError("X_val and y_val go together, got only one of them", "pass both")
    if X is None:
        return None
    return labelled(X, y, is_classifier=model.schema_.target.classes is not None)


def _held_out(model: Any, pruner: Any, rows: Labelled | None) -> HoldOut | None:
    if not needs_data(pruner):
        if rows is not None:
            raise OptionError(f"{name_of(pruner)} pruning does not look at held-out rows", "leave X_val and y_val out")
        return None
    if rows is None:
        more = ", an alpha, or cv=10" if isinstance(pruner, CostComplexity) else ""
        raise OptionError(
            f"{name_of(pruner)} pruning chooses with rows that were not fitted to", f"pass X_val and y_val{more}"
        )
    _refuse_unknown(model, rows)
    return losses_at_nodes(model, rows)


def _refuse_unknown(model: Any, rows: Labelled) -> None:
    classes = model.schema_.target.classes
    unknown = [label for label in rows.classes or () if label not in classes]
    if unknown:
        raise DataError(
            f"y_val holds {unknown[0]!r}, a class the model was not fitted to",
            f"the classes are {', '.join(map(repr, classes))}; leave other rows out",
        )


def losses_at_nodes(model: Any, rows: Labelled) -> HoldOut:
    """What rows lose at every node of the model's tree. A class the model does not know is always wrong."""
    classes = model.schema_.target.classes
    y = rows.y if classes is None else rows.codes_among(classes)
    return hold_out(model.tree_, model.schema_, model.apply(rows.frame), y, rows.weights)


# ---- cross-validation ------------------------------------------------------------------------------------------------


def _chooses_alpha(pruner: Any) -> CostComplexity:
    if not isinstance(pruner, CostComplexity) or pruner.alpha is not None:
        raise OptionError(
            f"cv chooses the alpha of cost-complexity pruning, and {pruner!r} leaves nothing to choose",
            'leave cv out, or use model.prune("cost-complexity", cv=10)',
        )
    return pruner


def _cross_validated(model: Any, pruner: CostComplexity, rows: Labelled | None, cv: Any) -> CostComplexity:
    rows = fitted_rows(model) if rows is None else rows
    path = pruner.path(model.tree_, model.schema_)
    return replace(pruner, alpha=by_folds(path, fold_paths(model, pruner, rows, cv), pruner.rule).alpha)


def fold_paths(model: Any, pruner: CostComplexity, rows: Labelled, cv: Any) -> list[tuple[PruningPath, HoldOut]]:
    """For every fold the sequence of a tree that was grown without it, and what its rows lose there."""
    seed = getattr(model, "random_state", None)
    seed = seed if isinstance(seed, int) else None
    return [_fold_path(model, pruner, *parts) for parts in rows.folds(cv, seed)]


def _fold_path(model: Any, pruner: CostComplexity, rest: Labelled, part: Labelled) -> tuple[PruningPath, HoldOut]:
    grown = like(model, rest)
    return pruner.path(grown.tree_, grown.schema_), losses_at_nodes(grown, part)


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


def fitted_rows(model: Any) -> Labelled:
    table, y, weight = model.__dict__.get("_fitted_to", (None, None, None))
    X = None if table is None else table.recall()
    if X is None:
        raise OptionError(
            "cross-validation needs the rows the model was fitted to, and they are gone",
            "pass them: model.prune(method, X, y, cv=10)",
        )
    is_classifier = model.schema_.target.classes is not None
    return labelled(X, y, is_classifier=is_classifier, sample_weight=weight)
