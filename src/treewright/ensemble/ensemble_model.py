"""What every ensemble does: many members, drawn, weighted and combined; predict, print, explain, save.

An ensemble says which learner its members are made by (``_learner``) and how what they say is combined (``_voting``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from treewright.data.frame import read_frame
from treewright.data.labelled import labelled
from treewright.ensemble.distillation import Distillation, distilled
from treewright.ensemble.ensemble_rows import EnsembleRows, ensemble_rows
from treewright.ensemble.ensemble_text import summary
from treewright.ensemble.forest_rules import ForestRules, forest_rules
from treewright.ensemble.importance_methods import impurity_importance
from treewright.ensemble.member_importance import mean_importance
from treewright.ensemble.member_learners import row_reader
from treewright.ensemble.members import ModelMembers, TreeMembers
from treewright.ensemble.out_of_bag import OutOfBag, mean_error
from treewright.ensemble.proximity import RowPrototype, outlier_scores, prototypes_of, proximities
from treewright.ensemble.representative_member import closest_member
from treewright.ensemble.row_draw import seed_of
from treewright.ensemble.vote_explanation import VoteExplanation, explain_votes
from treewright.ensemble.votes import Voting
from treewright.errors import NotKeptError, OptionError, unknown
from treewright.model.batch_prediction import AnswersItself
from treewright.model.class_or_number import Classifies, PredictsNumbers, known_codes
from treewright.model.column_reports.importance import (
    DROP,
    IMPURITY,
    METHODS,
    PERMUTATION,
    ColumnGroups,
    ColumnImportances,
)
from treewright.model.shown.page_view import has_page
from treewright.model.table_model import TableModel
from treewright.prune.option_checks import check_whole
from treewright.typing import Floats, Ints

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


_LEAST_SYNTHETIC = 2_000


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(AnswersItself, TableModel):
    """Shared by all ensembles. ``members_`` are models; of trees, ordinary ones to print, explain, prune and save.

    ``random_state`` is the seed; None is the seed 0, so that the same rows give the same model again. Member k depends
    on the seed and on k only: on any number of threads the model is the same.
    """

    holds: ClassVar[str] = "many trees"

    random_state: Any = None
    progress: bool = False

    members_: Any = field(init=False)
    weights_: Floats = field(init=False)
    n_rows_: int = field(init=False)
    target_stats_: Floats = field(init=False)
    oob_: OutOfBag = field(init=False)

    @property
    def training_stats(self) -> Floats:
        """The weight of each class, or the weight and the sums of y and of y², of the rows of the fit."""
        return self.target_stats_

    def sizes(self) -> dict[str, Any]:
        """How large the model is, and its error out of bag where that is known."""
        oob_error = self.oob_.error if hasattr(self, "oob_") else None
        return {"rows": self.n_rows_, "members": len(self), "oob_error": oob_error}

    # ---- what ensembles say ------------------------------------------------------------------------------------

    def _learner(self) -> Any:
        """The estimator that makes the members, not fitted."""
        raise TypeError(f"{type(self).__name__} declares no members")

    def _voting(self) -> Voting:
        return Voting()

    def _combining(self) -> dict[str, Any]:
        """How the page's script makes one answer of the members'."""
        return {"by": "votes" if self._voting().hard else "mean"}

    def _has_page(self) -> bool:
        """Whether the members are trees or rules, which can be shown."""
        kept = self.__dict__.get("members_")
        return isinstance(kept, TreeMembers) or (
            kept is not None and all(has_page(one) and not hasattr(one, "members_") for one in kept)
        )

    def _page_view(self, rows: Floats | None) -> dict[str, Any]:
        from treewright.ensemble.shown_ensemble import shown_ensemble

        return shown_ensemble(self, rows)

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
    def trees_(self) -> Sequence[Tree]:
        """The trees of the members, each made when it is asked for: trees are kept in few bytes."""
        self._check_fitted()
        if isinstance(self.members_, TreeMembers):
            return self.members_.trees
        raise NotKeptError(f"this {type(self).__name__} keeps its members as models, not as trees", "look at members_")

    def _rows_again(self, why: str, X: Any, y: Any, sample_weight: Any) -> EnsembleRows:
        """The rows of the fit: those that are remembered, or given again."""
        self._check_fitted()
        if X is None:
            table, y, sample_weight = self.__dict__.get("_fitted_to", (None, None, None))
            X = None if table is None else table.recall()
        if X is None:
            raise OptionError(
                f"{why} needs the rows the model was fitted to, and they are gone", "pass them: X, y and sample_weight"
            )
        rows = ensemble_rows(row_reader(self, self._learner()), X, y, sample_weight)
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
        if not isinstance(self.members_, ModelMembers):
            return self._matrix(frame)
        if self.unseen == "error":  # members know the levels of their own rows only, and cannot tell
            self._matrix(frame)
        return frame

    def _combined(self, X: Any) -> Floats:
        """The weighted mean of what the members say."""
        rows = self._member_rows(X)
        total: Floats = self.members_.total(rows, self._n_jobs(), self.weights_, self._voting())
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

    def importance(
        self,
        how: str = PERMUTATION,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        new_rows: bool = False,
        repeats: int = 10,
        cv: Any = 5,
        random_state: int = 0,
    ) -> ColumnImportances:
        """How much the ensemble needs each column, with a standard error.

        how: "permutation", by how much the error of the trees rises on rows they left out when a column is permuted
        (Breiman 2001); "drop", by how much the out-of-bag error rises when the ensemble is fitted without a column,
        once for each; "impurity", the share of the column in what the splits gain. Gains are those of the training
        rows: a column of many values has many ways to gain by chance, so "impurity" ranks it too high.

        X, y, sample_weight: the rows of the fit, if these are gone; or with ``new_rows=True`` rows that the model was
        not fitted to, among which columns are permuted ``repeats`` times. groups: ``{"blood": ["iron", "zinc"]}`` are
        columns that are permuted, or left out, together: one of two columns that say the same is not missed.

        Members that learn from all rows leave none out: then any rows will do for "permutation", and "drop" is by
        cross-validation with ``cv`` folds, as of every other model.

        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> found = tw.RandomForestClassifier(n_trees=30).fit(X, y).importance("permutation")
        >>> found["petal width (cm)"] > 0.1 > found["sepal width (cm)"]
        True
        """
        self._check_fitted()
        if how not in METHODS:
            raise unknown("importance", how, METHODS)
        wanted = ColumnGroups.of(groups, self.schema_)
        if how == IMPURITY:
            return impurity_importance(self, wanted)
        if new_rows and how == DROP:
            raise OptionError("drop-column importance is of rows that are learned from", "leave new_rows out")
        if new_rows or not self._leaves_out_rows():
            return super().importance(
                how, X, y, sample_weight, groups=groups, repeats=repeats, cv=cv, random_state=random_state
            )
        return self._bag_importance(how, X, y, sample_weight, wanted)

    def _leaves_out_rows(self) -> bool:
        """Whether members have rows that they were not fitted to."""
        return False

    def _bag_importance(self, how: str, X: Any, y: Any, sample_weight: Any, groups: ColumnGroups) -> ColumnImportances:
        raise TypeError(f"{type(self).__name__} leaves out no rows")

    def to_dict(self) -> dict[str, Any]:
        """The members as columns of a table: their weight and, of trees, their size."""
        self._check_fitted()
        columns: dict[str, Any] = {"member": list(range(len(self))), "weight": np.asarray(self.weights_).tolist()}
        if isinstance(self.members_, TreeMembers):
            columns["leaves"] = [tree.n_leaves for tree in self.trees_]
            columns["depth"] = [tree.depth for tree in self.trees_]
        return columns

    # ---- from many trees to one, and to rules ------------------------------------------------------------------

    def distill(
        self,
        max_leaves: int = 10,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        n_synthetic: int | None = None,
        X_test: Any = None,
        y_test: Any = None,
    ) -> Distillation:
        """One tree of so many leaves, grown on what the ensemble says of the training rows and of synthetic ones.

        X, y, sample_weight: the rows of the fit, if these are gone. n_synthetic: how many rows are synthesised, by
        default as many as there are, at least 2,000. X_test, y_test: rows to tell the errors of the tree and of the
        ensemble on; by default the training rows, which the ensemble predicts by the members that left them out.
        """
        check_whole("max_leaves", max_leaves, least=2, hint="10 can be read")
        training = self._rows_again("distilling", X, y, sample_weight)
        wanted = max(training.n_rows, _LEAST_SYNTHETIC) if n_synthetic is None else n_synthetic
        check_whole("n_synthetic", wanted, least=0, hint="0 uses the training rows alone")
        return distilled(
            self, training, max_leaves=max_leaves, n_synthetic=wanted, seed=seed_of(self.random_state), X_test=X_test,
            y_test=y_test,
        )  # fmt: skip

    def rules(
        self, top: int = 10, X: Any = None, y: Any = None, sample_weight: Any = None, *, max_conditions: int = 3
    ) -> ForestRules:
        """The few rules that carry most of the votes, with coverage, votes and stability over resamples of the trees.

        top: how many at most. X, y, sample_weight: the rows of the fit, if these are gone.
        """
        check_whole("top", top, least=1, hint="10 is usual")
        check_whole("max_conditions", max_conditions, least=1, hint="3 is usual")
        trees, training = self.trees_, self._rows_again("choosing rules", X, y, sample_weight)
        return forest_rules(
            trees, training, self._combined(training.frame), top=top, max_conditions=max_conditions,
            seed=seed_of(self.random_state),
        )  # fmt: skip

    def representative(self, X: Any = None) -> Any:
        """The member that predicts most as all the others do: for the rows of X, by default those of the fit."""
        self._check_fitted()
        rows = self._member_rows(X if X is not None else self._rows_again("comparing members", None, None, None).frame)
        return self.members_[closest_member(self.members_.values(rows, self._n_jobs()), self.schema_.target)]

    # ---- proximities -------------------------------------------------------------------------------------------

    def proximity(self, X: Any, others: Any = None) -> csr_matrix:
        """The share of the trees in which two rows reach the same leaf; rows × others (by default the same rows), as a
        sparse matrix.

        >>> import treewright as tw
        >>> table = tw.datasets.load("xor")
        >>> forest = tw.ExtraTreesClassifier(n_trees=3).fit(table.X, table.y)
        >>> forest.proximity(table.X).toarray().diagonal().tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        leaves = self.apply(X)
        return proximities(leaves, None if others is None else self.apply(others))

    def outliers(self, X: Any, y: Any = None) -> Floats:
        """How far each row is from the others of its class in ``y`` (None: from all), by proximity; above 10 a row may
        be an outlier (Breiman)."""
        near = self.proximity(X)
        if y is None or self.schema_.target.classes is None:
            return outlier_scores(near, None)
        return outlier_scores(near, known_codes(self.schema_.target, y, near.shape[0]))

    def prototypes(self, X: Any, y: Any, n_neighbours: int = 20) -> list[RowPrototype]:
        """Of every class a row that stands for it: the one with most of the class among its nearest rows, and the
        medians, or commonest levels, of these."""
        target = self.schema_.target
        if target.classes is None:
            raise OptionError("prototypes are of classes, and the target is a number", "look at proximity")
        check_whole("n_neighbours", n_neighbours, least=1, hint="20 is usual")
        codes, near = known_codes(target, y, read_frame(X).n_rows), self.proximity(X)
        return prototypes_of(near, codes, self.schema_, self._matrix(X), n_neighbours)

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
