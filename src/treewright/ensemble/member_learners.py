"""What kind of learner makes the members of an ensemble, and who reads the rows for it."""

from __future__ import annotations

from typing import Any

from treewright.model.base import TreeModel
from treewright.model.class_or_number import Classifies
from treewright.model.learners.classifier import CARTClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.model.options.pruning_option import fit_pruning


def is_tree_learner(learner: Any) -> bool:
    """Whether members can be grown as trees from encoded rows. A learner that searches for its tree, that holds out
    rows of its own or chooses with them, or that grows trees in a way of its own, cannot: it has to be fitted."""
    if not isinstance(learner, TreeModel) or not learner.grown_by_recipe or hasattr(learner, "search"):
        return False
    pruning = fit_pruning(learner)
    return not getattr(learner, "_holds_out", bool)() and (pruning is None or not pruning.needs_rows)


def row_reader(ensemble: Any, learner: Any) -> Any:
    """Who reads the rows: the learner or, where members are to read them themselves, a plain tree."""
    if is_tree_learner(learner):
        return learner
    if not isinstance(ensemble, Classifies):
        return CARTRegressor(kinds=learner.kinds, n_jobs=ensemble.n_jobs)
    return CARTClassifier(kinds=learner.kinds, n_jobs=ensemble.n_jobs, costs=_costs_of(learner))


def _costs_of(learner: Any) -> Any:
    """By which the ensemble decides as its members do; those of a bag are what its own members have."""
    costs = getattr(learner, "costs", None)
    return _costs_of(learner._learner()) if costs is None and hasattr(learner, "_learner") else costs
