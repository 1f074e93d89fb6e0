"""What every ensemble does: many members, drawn, weighted and combined; predict, print, explain, save.

An ensemble says which learner its members are made by (``_learner``) and how what they say is combined (``_voting``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.frame import read_frame
from treewright.data.labelled import labelled
from treewright.ensemble.ensemble_text import summary
from treewright.ensemble.member_importance import mean_importance
from treewright.ensemble.members import ModelMembers, TreeMembers
from treewright.ensemble.out_of_bag import OutOfBag, mean_error
from treewright.ensemble.training_rows import TrainingRows, training_rows
from treewright.ensemble.vote_explanation import VoteExplanation, explain_votes
from treewright.ensemble.votes import Voting
from treewright.errors import OptionError
from treewright.model.base import TreeModel
from treewright.model.table_model import TableModel
from treewright.model.target_side import Classifies, PredictsNumbers
from treewright.typing import Floats, Ints

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(TableModel):
    """Shared by all ensembles. ``members_`` are models; of trees, ordinary ones to print, explain, prune and save.

    ``random_state`` is the seed; None is the seed 0, so that the same rows give the same model again. Member k depends
    on the seed and on k only: on any number of threads the model is the same.
    """

    random_state: Any = None
    progress: bool = False

    members_: Any = field(init=False)
    weights_: Floats = field(init=False)
    n_rows_: int = field(init=False)
    target_stats_: Floats = field(init=False)
    oob_: OutOfBag = field(init=False)

    # ---- what ensembles say ------------------------------------------------------------------------------------

    def _learner(self) -> Any:
        """The estimator that makes the members, not fitted."""
        raise TypeError(f"{type(self).__name__} declares no members")

    def _voting(self) -> Voting:
        return Voting()

    # ---- members -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        self._check_fitted()
        return len(self.members_)

    def __getitem__(self, place: Any) -> Any:
        self._check_fitted()
        return self.members_[place]

    def __iter__(self) -> Iterator[Any]:
        self._check_fitted()
        return iter(self.members_)

    def __bool__(self) -> bool:
        """An ensemble is not nothing, fitted or not; its length would ask for a fit."""
        return True

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The trees of the members."""
        self._check_fitted()
        if isinstance(self.members_, TreeMembers):
            return self.members_.trees
        raise OptionError(f"the members of this {type(self).__name__} are no trees", "look at members_")

    def _rows_again(self, why: str, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows of the fit: those that are remembered, or given again."""
        self._check_fitted()
        if X is None:
            table, y, sample_weight = self.__dict__.get("_fitted_to", (None, None, None))
            X = None if table is None else table.recall()
        if X is None:
            raise OptionError(
                f"{why} needs the rows the model was fitted to, and they are gone", "pass them: X, y and sample_weight"
            )
        rows = training_rows(self._learner(), X, y, sample_weight)
        if rows.n_rows != self.n_rows_ or rows.schema != self.schema_:
            raise OptionError(
                f"{why} needs the rows the model was fitted to, and these are others: {rows.n_rows:,} rows count, "
                f"{self.n_rows_:,} did",
                "pass the table of the fit",
            )
        return rows

    # ---- predict -----------------------------------------------------------------------------------------------

    def _member_rows(self, X: Any) -> Any:
        """Rows as members take them: trees a matrix, other models a frame."""
        self._check_fitted()
        frame = read_frame(X)
        return frame if isinstance(self.members_, ModelMembers) else self._matrix(frame)

    def _combined(self, X: Any) -> Floats:
        """The weighted mean of what the members say."""
        rows, voting, target = self._member_rows(X), self._voting(), self.schema_.target
        total: Any = 0.0
        for weight, values in zip(self.weights_, self.members_.values(rows, self._n_jobs())):
            total = total + weight * voting.said(values, target)
        return np.asarray(total / self.weights_.sum())

    def _of_members(self, said: Sequence[Floats], weights: Floats) -> Floats:
        """What members that say this predict together."""
        return np.asarray(np.average(np.stack(said), axis=0, weights=weights))

    def _staged(self, values: Iterable[Floats]) -> Iterator[Floats]:
        """What the first, the first two, … members predict together."""
        total: Any = 0.0
        for weight, sum_of_weights, one in zip(self.weights_, np.cumsum(self.weights_), values):
            total = total + weight * self._voting().said(one, self.schema_.target)
            yield total / sum_of_weights

    def error_curve(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """The error on these rows of the first, the first two, … members: a share or, of numbers, a root mean square.

        A class that the model does not know is an error.
        """
        rows = labelled(X, y, is_classifier=self.schema_.target.classes is not None, sample_weight=sample_weight)
        truth = rows.y if rows.classes is None else rows.codes_among(self.schema_.target.classes or ())
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        staged = self._staged(self.members_.values(self._member_rows(rows.frame), self._n_jobs()))
        return np.array([mean_error(values, truth, weights, self.schema_.target) for values in staged])

    def apply(self, X: Any) -> Ints:
        """The leaf of every tree that each row reaches: rows × trees."""
        self._check_fitted()
        self.trees_  # noqa: B018 - members that are no trees have no leaves
        leaves: Ints = self.members_.leaves(self._matrix(X), self._n_jobs())
        return leaves

    @property
    def feature_importances_(self) -> Floats:
        """The share of every column in what the splits gain, the mean over the trees by their weight.

        Columns of many values have many ways to gain by chance, so this favours them; ``importance("permutation")``
        does not.
        """
        return mean_importance(self.trees_, self.weights_, self.schema_, getattr(self._learner(), "criterion", None))

    # ---- words -------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """What the members are like, and how well they do on rows they left out."""
        self._check_fitted()
        return summary(self)

    def explain(self, row: Any) -> VoteExplanation:
        """Why a row is predicted as it is: the votes of the members and the columns that moved them.

        row: a dict of column to value, a one-row table, or a sequence of values.
        """
        self._check_fitted()
        return explain_votes(self, row)


@dataclass(kw_only=True, eq=False, repr=False)
class EnsembleClassifier(Classifies, Ensemble):
    """Ensembles that predict a class."""

    def predict_proba(self, X: Any) -> Floats:
        """The mean of what the members say of each class, in the order of ``classes_``."""
        return self._combined(X)


@dataclass(kw_only=True, eq=False, repr=False)
class EnsembleRegressor(PredictsNumbers, Ensemble):
    """Ensembles that predict a number."""

    def predict(self, X: Any) -> Floats:
        """The mean of what the members predict."""
        return np.asarray(self._combined(X)[:, 0])


def is_tree_learner(learner: Any) -> bool:
    """Whether members can be grown as trees from encoded rows. A learner that holds out rows of its own cannot: it has
    to be fitted."""
    return isinstance(learner, TreeModel) and not getattr(learner, "_holds_out", bool)()
