"""A way of learning that can be done again on other rows: an estimator and, after it, pruning.

Whoever says how well a tree predicts must repeat all that was done to get it, pruning included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.data.folds import Folds
from treewright.data.labelled import Labelled
from treewright.errors import OptionError
from treewright.model.options.pruning_option import as_asked, check_several, pruning_by_name
from treewright.prune.pruning_methods import METHODS, pruner_of


@dataclass(frozen=True)
class Plan:
    """``pruning`` is the name of a method of ``model.prune`` with its options, or None."""

    estimator: Any
    pruning: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    random_state: int = 0

    def learn(self, rows: Labelled) -> Any:
        """A fitted model. Methods that need rows to prune with get a share of these, and grow from the others.

        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> from treewright.data.labelled import labelled
        >>> rows = labelled(*load_iris(return_X_y=True), is_classifier=True)
        >>> plan = Plan(tw.CARTClassifier(), "cost-complexity")
        >>> plan.learn(rows).tree_.n_leaves < Plan(tw.CARTClassifier()).learn(rows).tree_.n_leaves
        True
        """
        if self.pruning is None:
            return self._grown(rows)
        asked = pruning_by_name(self.pruning, self.options)
        if asked.left_out is not None:
            how = {"repeats": asked.left_out.repeats, "choose": asked.left_out.choose}
            return self._grown(rows).prune(asked.pruner, **_given(rows), cv=self._folds(rows, asked.left_out.cv), **how)
        if asked.needs_rows:
            growing, part = rows.part(asked.share, self.random_state)
            check_several(growing, self.pruning)
            return self._grown(growing).prune(asked.pruner, **_given(part))
        return self._grown(rows).prune(asked.pruner)

    def _grown(self, rows: Labelled) -> Any:
        """With its own manner towards unseen levels and its own progress bar."""
        return as_asked(self.estimator, rows, self.estimator)

    def _folds(self, rows: Labelled, cv: Any) -> Any:
        if not isinstance(cv, int) or cv < 2:  # a splitter, or what is refused
            return cv
        return Folds.of(max(2, min(cv, rows.n_rows)), rows.n_rows, self.random_state)


def _given(rows: Labelled) -> dict[str, Any]:
    return {"X_val": rows.frame, "y_val": rows.target, "sample_weight": rows.weights}


def pruning_names() -> list[str]:
    """Methods whose options can be written down; "where" wants a function."""
    return [name for name in METHODS if name != "where"]


_OF_FOLDS = ("repeats", "choose")  # what model.prune takes besides the options of its method


def check_pruning(name: str | None, options: Mapping[str, Any], *, at_fit: bool) -> None:
    """Refuse a method or an option that does not exist before any work is done. ``at_fit``: options may say which rows
    to choose with."""
    if name is None and options:
        raise OptionError(f"{next(iter(options))}= is an option of pruning, and no method is given", "name a method")
    if name is not None and at_fit:
        pruning_by_name(name, options)
    elif name is not None:
        pruner_of(name, {option: value for option, value in options.items() if option not in _OF_FOLDS})
