"""Bagging (Breiman 1996): members that each learn from rows drawn at random, and are averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright.data.frame import read_frame
from treewright.engines.workers import in_turn
from treewright.ensemble.ensemble_limits import BAGGING_LIMITS, check_member
from treewright.ensemble.ensemble_model import (
    Ensemble,
    EnsembleClassifier,
    EnsembleRegressor,
)
from treewright.ensemble.ensemble_rows import EnsembleRows, ensemble_rows
from treewright.ensemble.importance_methods import drop_importance, out_of_bag_importance
from treewright.ensemble.member_draws import MemberDraws
from treewright.ensemble.member_growing import fitted_models, grown_trees
from treewright.ensemble.member_learners import is_tree_learner, row_reader
from treewright.ensemble.member_progress import MemberBar
from treewright.ensemble.members import ModelMembers, TreeMembers
from treewright.ensemble.out_of_bag import BagTally, OutOfBag
from treewright.ensemble.row_draw import BALANCED, STRATIFIED, RowDraw, seed_of
from treewright.ensemble.votes import Voting
from treewright.errors import DataError, NotKeptError, OptionError, shown
from treewright.leaves import decided
from treewright.model.class_or_number import Classifies
from treewright.model.column_reports.importance import PERMUTATION, ColumnGroups, ColumnImportances
from treewright.model.evaluate.classification_metrics import Evaluation, evaluation_of
from treewright.model.learners.classifier import CARTClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.model.model_pruning import remember
from treewright.model.options.limit import Limit
from treewright.model.progress import steps
from treewright.narrow_trees import narrowed, tree_bytes
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.typing import Floats, Ints

Self = TypeVar("Self", bound="RowDrawing")
_MEGABYTE = 2**20


@dataclass(kw_only=True, eq=False, repr=False)
class RowDrawing(Ensemble):
    """Ensembles whose members draw rows, independently of each other.

    ``bootstrap`` draws rows with replacement, as many as there are or ``row_share`` of them; False draws each at most
    once. ``stratify=True`` draws that share of every class, "balanced" as many rows of every class as that share of the
    rarest. Weights of rows stay what they are: a row that is drawn twice counts twice its weight.

    Rows that a member did not draw are predicted by it, unless ``oob=False``: ``oob_error_`` is the error of all rows
    as predicted by the members that left them out, ``oob_predictions_`` has these predictions, and ``oob_curve_`` the
    error over the number of members.

    ``warm_start`` keeps the members of the last fit and adds those that ``n_trees`` asks for: from the same rows the
    model is then that of a single fit. ``max_megabytes`` is what the members may take; a fit that takes more stops with
    an error. A fit that is stopped, by an error or Ctrl-C, leaves the model as it was.
    """

    n_trees: int = 100
    bootstrap: bool = True
    row_share: float = 1.0
    stratify: Any = False
    oob: bool = True
    warm_start: bool = False
    max_megabytes: float | None = None

    draws_: MemberDraws = field(init=False)

    option_limits: ClassVar[Mapping[str, Limit]] = BAGGING_LIMITS

    def _draws(self) -> MemberDraws:
        by = {True: STRATIFIED, BALANCED: BALANCED}.get(self.stratify)
        return MemberDraws(seed_of(self.random_state), RowDraw(bool(self.bootstrap), float(self.row_share), by))

    def _at_nodes(self, n_columns: int) -> ColumnDraw | None:
        """Which columns nodes draw."""
        return None

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row.
        """
        self._check_options()
        learner, frame = self._learner(), read_frame(X)
        learner._check_options()
        training = ensemble_rows(row_reader(self, learner), frame, y, sample_weight)
        kept = self._kept_members(learner, training)
        draws = self._draws_like(self._fitted_draws()) if kept else self._draws()
        members = self._made(learner, training, draws, kept, named=frame.named)
        oob = self._tallied(members, training, draws)
        learned = {"members_": members, "weights_": np.ones(len(members)), "draws_": draws, **training.facts}
        self._keep(training.schema, learned if oob is None else {**learned, "oob_": oob}, named=frame.named)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def _fitted_draws(self) -> MemberDraws:
        """The draws of the fit: options may have changed since. Files of before do not have them."""
        found: MemberDraws | None = self.__dict__.get("draws_")
        return self._draws() if found is None else found

    def _draws_like(self, before: MemberDraws) -> MemberDraws:
        """Those of members that are added."""
        draws = self._draws()
        if isinstance(self.random_state, np.random.RandomState):  # which has given other numbers since
            draws = replace(draws, seed=before.seed)
        if unlike := draws.options_unlike(before):
            raise OptionError(
                f"warm_start adds members that are drawn as those that are there, and of these "
                f"{' and '.join(unlike)} was another",
                "set it back, or fit without warm_start",
            )
        return draws

    def _kept_members(self, learner: Any, training: EnsembleRows) -> Sequence[Any]:
        """Members of the last fit that stay."""
        if not self.warm_start or "members_" not in self.__dict__:
            return ()
        if training.schema != self.schema_ or training.n_rows != self.n_rows_:
            raise DataError(
                "warm_start adds members of the same rows, and these are others",
                "fit without warm_start to learn from other rows",
            )
        if self.n_trees < len(self.members_):
            raise OptionError(
                f"n_trees={self.n_trees} is less than the {len(self.members_)} that are there",
                "warm_start only adds members; fit without it to have fewer",
            )
        members = self.members_
        grower = members.learner if isinstance(members, TreeMembers) else members.models[0]
        if type(grower) is not type(learner) or isinstance(members, TreeMembers) != is_tree_learner(learner):
            raise OptionError(
                f"warm_start adds members like those that are there, which are of {shown(grower)}",
                "fit without warm_start to have other members",
            )
        return members.trees.kept if isinstance(members, TreeMembers) else members.models

    def _made(
        self, learner: Any, training: EnsembleRows, draws: MemberDraws, kept: Sequence[Any], *, named: bool
    ) -> TreeMembers | ModelMembers:
        at_nodes = self._at_nodes(len(training.schema.columns))
        found, places = list(kept), range(len(kept), self.n_trees)
        wants_bar, todo = self.progress and places, len(places)
        with MemberBar(todo, type(self).__name__) if wants_bar else steps("growing trees", todo) as report:
            if not is_tree_learner(learner):
                self._check_unbounded(learner)
                found += fitted_models(learner, training, draws, places, report)
                return ModelMembers(found, training.schema)
            taken = sum(map(tree_bytes, found))
            for tree in grown_trees(learner, training, draws, places, at_nodes, report):
                found.append(narrowed(tree))
                taken += tree_bytes(found[-1])
                self._check_memory(len(found), taken / _MEGABYTE)
        return TreeMembers(found, training.schema, learner, named=named)

    def _check_unbounded(self, learner: Any) -> None:
        if self.max_megabytes is not None:
            raise OptionError(
                f"max_megabytes={self.max_megabytes:g} bounds what grown trees take, and the members are models of "
                f"{type(learner).__name__}",
                "leave it out, or let members be trees such as tw.CARTClassifier()",
            )

    def _check_memory(self, n_trees: int, megabytes: float) -> None:
        if self.max_megabytes is not None and megabytes > self.max_megabytes:
            raise DataError(
                f"{n_trees} of {self.n_trees} trees take {megabytes:.3g} MB, and max_megabytes={self.max_megabytes:g}",
                "grow fewer or smaller trees: n_trees, max_depth, max_leaves, min_rows_leaf",
            )

    # ---- out of bag --------------------------------------------------------------------------------------------

    def _tallied(
        self, members: TreeMembers | ModelMembers, training: EnsembleRows, draws: MemberDraws
    ) -> OutOfBag | None:
        if not self.oob or draws.rows.takes_all:
            return None
        tally, voting = BagTally(training.y, training.weights, training.schema.target), self._voting()
        for rows, values in left_out_values(members, training, draws, self._n_jobs()):
            tally.add(rows, voting.said(values, training.schema.target))
        return tally.finish()

    @property
    def oob_error_(self) -> float:
        """The error of rows as predicted by the members that left them out: a share, or of numbers a root mean square.
        NaN if no row was left out."""
        return self._out_of_bag().error

    @property
    def oob_curve_(self) -> Floats:
        """That error after 1, 2, … members."""
        return self._out_of_bag().curve

    @property
    def oob_predictions_(self) -> Floats:
        """Probabilities of classes, or numbers, of the training rows that count, by the members that left them out; NaN
        for rows that all members drew."""
        values = self._out_of_bag().values
        if values is None:
            raise NotKeptError(
                "files do not keep out-of-bag predictions of rows, and this model was loaded", "fit again"
            )
        return values if self.schema_.target.classes is not None else values[:, 0]

    def oob_evaluation(self, bins: int = 10) -> Evaluation:
        """Confusion, calibration and all other figures of :func:`tw.evaluate.evaluate`, of the out-of-bag predictions
        of classes."""
        values, found, classes = self.oob_predictions_, self._out_of_bag(), self.schema_.target.classes
        if classes is None:
            raise OptionError("these figures are of classes, and the target is a number", "see oob_error_")
        assert found.truth is not None
        assert found.weights is not None
        known = ~np.isnan(values).any(1)
        codes = decided(values[known], self.schema_.target)
        return evaluation_of(
            classes, found.truth[known].astype(np.int64), codes, values[known], found.weights[known], bins
        )

    def _leaves_out_rows(self) -> bool:
        return not self._fitted_draws().rows.takes_all

    def _bag_importance(self, how: str, X: Any, y: Any, sample_weight: Any, groups: ColumnGroups) -> ColumnImportances:
        training = self._rows_again(f"{how} importance", X, y, sample_weight)
        if how == PERMUTATION and isinstance(self.members_, ModelMembers):
            raise OptionError(
                f"this {type(self).__name__} keeps its members as models, not as trees; none is permuted out of bag",
                'importance("permutation", X, y, new_rows=True) permutes them among rows of your own',
            )
        if how == PERMUTATION:
            return out_of_bag_importance(self, training, groups)
        return drop_importance(self, training, groups)

    def _out_of_bag(self) -> OutOfBag:
        self._check_fitted()
        if "oob_" not in self.__dict__:
            raise NotKeptError(
                "there are no out-of-bag predictions: no row was left out, or oob=False", "fit with bootstrap and oob"
            )
        return self.oob_


def left_out_values(members: Any, training: EnsembleRows, draws: MemberDraws, n_jobs: int) -> Any:
    """Of each member in turn the rows it left out, and what it says of them."""
    if isinstance(members, ModelMembers):
        for k, model in enumerate(members.models):
            rows = draws.left_out(training, k)
            mask = np.zeros(training.n_rows, np.bool_)
            mask[rows] = True
            yield rows, next(ModelMembers([model], members.schema).values(training.frame.take(mask), n_jobs))
        return
    seen = members.each(training.matrix, n_jobs)

    def of_member(k: int) -> tuple[Ints, Floats]:
        rows = draws.left_out(training, k)
        return rows, seen.predictor(k)(seen.cells.take(rows, axis=0))

    yield from in_turn(of_member, len(members), n_jobs)


@dataclass(kw_only=True, eq=False, repr=False)
class BaggingClassifier(EnsembleClassifier, RowDrawing):
    """Bagging (Breiman 1996) of any classifier of treewright: ``tw.BaggingClassifier(tw.C45Classifier(), n_trees=50)``.

    ``member`` is the learner, :class:`tw.CARTClassifier` if none is given; its own options say how it learns.
    ``column_share`` lets each member see a share of the columns (Ho 1998), drawn for the whole tree. ``voting`` is
    "mean", of the probabilities that the members give, or "votes", one for each member as Breiman had it.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> bag = tw.BaggingClassifier(tw.ID3Classifier(), n_trees=25).fit(X, table.y)
    >>> len(bag), bag.predict({name: cells[:3] for name, cells in X.items()}).tolist()
    (25, ['No', 'No', 'Yes'])
    """

    member: Any = field(default=None, kw_only=False)
    column_share: float = 1.0
    voting: str = "mean"
    class_weight: Any = field(default=None, init=False)  # the member has them
    costs: Any = field(default=None, init=False)
    priors: Any = field(default=None, init=False)

    option_checks = (check_member,)

    def _learner(self) -> Any:
        return CARTClassifier(kinds=self.kinds, n_jobs=self.n_jobs) if self.member is None else member_of(self)

    def _voting(self) -> Voting:
        return Voting(hard=self.voting == "votes")

    def _draws(self) -> MemberDraws:
        return with_columns(super()._draws(), self)


@dataclass(kw_only=True, eq=False, repr=False)
class BaggingRegressor(EnsembleRegressor, RowDrawing):
    """Bagging (Breiman 1996) of any regression tree of treewright, whose numbers are averaged.

    Options are as in :class:`tw.BaggingClassifier`.

    >>> import treewright as tw
    >>> X, y = {"x": list(range(20))}, [float(x >= 10) for x in range(20)]
    >>> tw.BaggingRegressor(tw.CARTRegressor(max_depth=1), n_trees=10).fit(X, y).predict({"x": [0, 19]}).tolist()
    [0.0, 1.0]
    """

    member: Any = field(default=None, kw_only=False)
    column_share: float = 1.0
    stratify: Any = field(default=False, init=False)

    option_checks = (check_member,)

    def _learner(self) -> Any:
        return CARTRegressor(kinds=self.kinds, n_jobs=self.n_jobs) if self.member is None else member_of(self)

    def _draws(self) -> MemberDraws:
        return with_columns(super()._draws(), self)


def member_of(ensemble: Any) -> Any:
    """The member that was given, with what the ensemble says of columns and threads."""
    from sklearn.base import clone

    member = clone(ensemble.member)
    given = {"n_jobs": ensemble.n_jobs, "kinds": ensemble.kinds}
    return member.set_params(**{name: value for name, value in given.items() if value is not None})


def with_columns(draws: MemberDraws, ensemble: Any) -> MemberDraws:
    several = isinstance(ensemble, Classifies) and not is_tree_learner(ensemble._learner())
    return replace(draws, column_share=float(ensemble.column_share), several_classes=several)
