"""The option ``prune`` of a constructor: a pruner, the name of a method, or a name with its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from treewright.data.encoded import Encoded
from treewright.data.labelled import Labelled
from treewright.errors import OneClassError, OptionError, shown
from treewright.model.model_pruning import LeftOut, flavoured
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.option_checks import check_share
from treewright.prune.pruning_methods import METHODS, Pruner, name_of, needs_data, pruner_of
from treewright.prune.refit import like, only_class
from treewright.recipe_parts.recipe import Recipe

PRUNING_SHARE = 0.3  # of the rows, for methods that prune with rows they did not grow from
PRUNING_FOLDS = 10
_ROWS = ("cv", "repeats", "choose", "share")  # options that say which rows to choose with
_EXAMPLE = 'for example prune="pessimistic" or prune={"cost-complexity": {"cv": 10, "rule": "1se"}}'


@dataclass(frozen=True)
class FitPruning:
    """What the option says. ``left_out`` and ``share`` are for methods that choose with rows: those of folds, or a
    share of the rows that the tree is not grown from."""

    pruner: Pruner
    left_out: LeftOut | None = None
    share: float = PRUNING_SHARE

    @property
    def needs_rows(self) -> bool:
        return self.left_out is not None or needs_data(self.pruner)


def fit_pruning(model: Any) -> FitPruning | None:
    """The pruning at the end of a fit of a model; None: there is none, or one of its own (True)."""
    option = model.__dict__.get("prune")
    if option is None or isinstance(option, bool):
        return None
    if not isinstance(option, (str, Mapping)):
        return _with_rows(pruner_of(option, {}), {})
    method, options = _named(option)
    rows = _taken_out(options)
    made = pruner_of(method, flavoured(model, method, options), options.pop("rule", "1se"), _row_options(method))
    return _with_rows(made, rows)


def pruning_by_name(method: str, options: Mapping[str, Any]) -> FitPruning:
    """A method with its options, those among them that say which rows to choose with."""
    own = dict(options)
    rows = _taken_out(own)
    return _with_rows(pruner_of(method, own, also=_row_options(method)), rows)


def _row_options(method: str) -> tuple[str, ...]:
    """Which of the options about rows a method takes."""
    kind = METHODS.get(method.lower()) if isinstance(method, str) else None
    if isinstance(kind, type) and issubclass(kind, CostComplexity):
        return _ROWS
    return ("share",) if getattr(kind, "needs_data", False) is not False else ()


def _taken_out(options: dict[str, Any]) -> dict[str, Any]:
    """What is said about rows."""
    return {name: options.pop(name) for name in _ROWS if name in options}


def _named(option: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if isinstance(option, str):
        return option, {}
    if len(option) != 1 or not all(isinstance(value, Mapping) for value in option.values()):
        raise OptionError(f"prune={shown(option)} is not one method with its options", _EXAMPLE)
    ((method, options),) = option.items()
    return method, dict(options)


def _with_rows(pruner: Pruner, rows: dict[str, Any]) -> FitPruning:
    """Cost-complexity pruning chooses its α by cross-validation; other methods that need rows hold some out."""
    if isinstance(pruner, CostComplexity) and pruner.alpha is None and "share" not in rows:
        left_out = LeftOut(rows.get("cv", PRUNING_FOLDS), rows.get("repeats", 1), rows.get("choose", "cv"))
        return FitPruning(pruner, left_out)
    odd = [name for name in rows if name != "share" or not needs_data(pruner)]
    if odd:
        raise OptionError(
            f"{odd[0]}= says how to choose with rows, and {name_of(pruner)} pruning does not ask for that",
            "leave it out; cv is for cost-complexity and error-complexity without an alpha",
        )
    check_share("share", rows.get("share", PRUNING_SHARE), hint="it is the share of the rows that prune the tree")
    return FitPruning(pruner, share=rows.get("share", PRUNING_SHARE))


def grown_and_pruned_by_rows(model: Any, option: FitPruning, rows: Labelled) -> Any:
    """A model of the same options that is grown without pruning, and pruned by rows of its own."""
    plain = _unpruned(model)
    seed = getattr(model, "random_state", None)
    if option.left_out is not None:
        left_out = option.left_out
        cv = min(left_out.cv, rows.n_rows) if isinstance(left_out.cv, int) else left_out.cv
        return as_asked(plain, rows, model).prune(
            option.pruner, **_given(rows), cv=cv, repeats=left_out.repeats, choose=left_out.choose
        )
    growing, part = rows.part(option.share, seed if isinstance(seed, int) else 0)
    check_several(growing, name_of(option.pruner))
    return as_asked(plain, growing, model).prune(option.pruner, **_given(part))


def growing_recipe(model: Any, encoded: Encoded) -> Recipe:
    """The recipe by which the tree of a fitted model was grown, before it was pruned with rows."""
    pruning = fit_pruning(model)
    learner = _unpruned(model) if pruning is not None and pruning.needs_rows else model
    recipe: Recipe = learner._recipe(encoded)
    return recipe


def _unpruned(model: Any) -> Any:
    """The same learner, which leaves trees as they are grown."""
    return clone(model).set_params(prune=False if isinstance(type(model).prune, bool) else None)


def as_asked(plain: Any, rows: Labelled, model: Any) -> Any:
    """A model fitted to rows, with the manner of another towards unseen levels and its progress bar."""
    made, given = like(plain, rows), model.get_params(deep=False)
    return made.set_params(**{name: given[name] for name in ("unseen", "progress") if name in given})


def check_several(growing: Labelled, pruning: str) -> None:
    """Refuse to grow from rows of one class."""
    only = only_class(growing)
    if only is not None:
        refusal = OneClassError(
            f"{pruning} pruning holds out rows, and the others are all of class {only.label!r}",
            "give more rows, or choose a method that needs none, such as pessimistic",
        )
        refusal.label = only.label
        raise refusal


def _given(rows: Labelled) -> dict[str, Any]:
    return {"X_val": rows.frame, "y_val": rows.target, "sample_weight": rows.weights}
