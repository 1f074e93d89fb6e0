"""AdaBoost: members one after the other, each learning more from the rows that those before it got wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from scipy.special import softmax

from treewright.data.frame import read_frame
from treewright.data.labelled import split_rows
from treewright.engines.workers import Workers
from treewright.ensemble.bagging import member_of
from treewright.ensemble.boosting_rounds import LOSSES, M1, SAMME, BoostingRound, boosting_round, regression_round
from treewright.ensemble.ensemble_limits import BOOSTING_LIMITS, check_member
from treewright.ensemble.ensemble_model import (
    Ensemble,
    EnsembleClassifier,
    EnsembleRegressor,
)
from treewright.ensemble.ensemble_rows import EnsembleRows, ensemble_rows
from treewright.ensemble.member_growing import fitted_model
from treewright.ensemble.member_learners import is_tree_learner, row_reader
from treewright.ensemble.member_progress import MemberBar
from treewright.ensemble.members import ModelMembers, TreeMembers, model_values
from treewright.ensemble.out_of_bag import mean_error
from treewright.ensemble.row_draw import member_generator, seed_of, weighted_counts
from treewright.ensemble.votes import Voting, weighted_median
from treewright.errors import DataError
from treewright.grow import fit_tree
from treewright.leaves import decided
from treewright.model.learners.classifier import CARTClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.model.model_pruning import remember
from treewright.model.progress import steps
from treewright.prediction import predicted_values
from treewright.typing import Floats, Mask

Self = TypeVar("Self", bound="Boosted")


class BoostedMembers(NamedTuple):
    """What the rounds have made, and what they were like."""

    members: list[Any]
    rounds: list[BoostingRound]
    held_out: list[float]  # the error on rows held out, after each round


@dataclass(kw_only=True, eq=False, repr=False)
class Boosted(Ensemble):
    """Shared by both kinds of AdaBoost.

    ``errors_`` has the weighted error of each round, ``weights_`` how much its member counts, and
    ``error_curve(X, y)`` the error of the ensemble after each round. ``patience`` ends the boosting when the error on
    ``validation_share`` of the rows, held out, has not been less for so many rounds; the rounds after the best one are
    left out, and ``validation_curve_`` has the errors.
    """

    n_rounds: int = 50
    learning_rate: float = 1.0
    patience: int | None = None
    validation_share: float = 0.1

    errors_: Floats = field(init=False)
    validation_curve_: Floats = field(init=False)

    option_limits = BOOSTING_LIMITS
    option_checks: ClassVar[tuple[Callable[[Any], None], ...]] = (check_member,)

    def _round(self, training: EnsembleRows, weights: Floats, values: Floats) -> BoostingRound:
        raise TypeError(f"{type(self).__name__} declares no rounds")

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row.
        """
        self._check_options()
        learner, frame = self._learner(), read_frame(X)
        learner._check_options()
        training = ensemble_rows(row_reader(self, learner), frame, y, sample_weight)
        made = self._boosted(learner, training)
        kept = len(made.members) if self.patience is None else int(np.argmin(made.held_out)) + 1
        members, rounds = made.members[:kept], made.rounds[:kept]
        learned = {
            "members_": TreeMembers(members, training.schema, learner, named=frame.named)
            if is_tree_learner(learner)
            else ModelMembers(members, training.schema),
            "weights_": np.array([one.say for one in rounds]),
            "errors_": np.array([one.error for one in rounds]),
            **training.facts,
        }
        told = {} if self.patience is None else {"validation_curve_": np.array(made.held_out)}
        self._keep(training.schema, learned | told, named=frame.named)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def _boosted(self, learner: Any, training: EnsembleRows) -> BoostedMembers:
        held_out, seed = self._held_out(training), seed_of(self.random_state)
        weights = np.where(held_out, 0.0, self._first_weights(learner, training))
        weights = weights / weights.sum()
        made, said = BoostedMembers([], [], []), []
        held = training.y[held_out], training.weights[held_out], training.schema.target
        bar = MemberBar(self.n_rounds, type(self).__name__) if self.progress else steps("boosting", self.n_rounds)
        with bar as report, Workers(self._n_jobs()) as workers:
            for k in range(self.n_rounds):
                member, values = self._member(learner, training, weights, (seed, k), workers)
                found = self._round(training, weights, values)
                if found.say <= 0 and made.members:
                    break
                if found.say <= 0:
                    raise self._no_better(found)
                made.members.append(member)
                made.rounds.append(found)
                weights = found.weights
                if self.patience is not None:
                    said.append(self._voting().said(values[held_out], training.schema.target))
                    combined = self._of_members(said, np.array([one.say for one in made.rounds]))
                    made.held_out.append(mean_error(combined, *held))
                report(1)
                if found.error == 0 or self._has_waited(made.held_out):
                    break
        return made

    @staticmethod
    def _first_weights(learner: Any, training: EnsembleRows) -> Floats:
        """With those of costs and priors; members that are fitted see to these themselves."""
        if training.encoded.weights is None or not is_tree_learner(learner):
            return training.weights
        return training.encoded.weights

    def _has_waited(self, held_out: list[float]) -> bool:
        return self.patience is not None and len(held_out) - 1 - int(np.argmin(held_out)) >= self.patience

    def _held_out(self, training: EnsembleRows) -> Mask:
        mask = np.zeros(training.n_rows, np.bool_)
        if self.patience is not None:
            codes = None if training.schema.target.classes is None else training.y
            mask[split_rows(np.arange(training.n_rows), codes, self.validation_share, self.random_state)[1]] = True
        return mask

    def _resamples(self) -> bool:
        return bool(getattr(self, "resample", True))

    def _member(
        self, learner: Any, training: EnsembleRows, weights: Floats, key: tuple[int, int], workers: Workers
    ) -> tuple[Any, Floats]:
        """A member that learns from the rows by these weights, and what it says of all of them.

        Weights add up to the number of rows, so that limits of weight mean what they mean without boosting.
        """
        taken = weighted_counts(member_generator(*key), weights) if self._resamples() else weights * len(weights)
        if not is_tree_learner(learner):
            model = fitted_model(learner, training, np.asarray(taken, np.float64))
            return model, model_values(model, training.frame, training.schema)
        keep = taken > 0
        rows = training.encoded if keep.all() else training.encoded.take(keep)
        rows = replace(rows, weights=np.asarray(taken[keep], np.float64))
        recipe = learner._recipe(rows)
        tree = learner._finished(fit_tree(rows, recipe, workers), rows, recipe, workers)
        return tree, predicted_values(tree, training.matrix, self._n_jobs())

    def _no_better(self, found: BoostingRound) -> DataError:
        return DataError(
            f"the first member is no better than chance (error {found.error:.3g}), so there is nothing to boost",
            "let members grow larger, for example member=tw.CARTClassifier(max_depth=3)",
        )


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostClassifier(EnsembleClassifier, Boosted):
    """AdaBoost for classes over any classifier of treewright, by default trees of one split.

    ``method`` is "samme" (Zhu et al. 2009), for any number of classes, or "m1" (Freund & Schapire 1997), whose members
    must be wrong less than half of the time; of two classes they are the same. ``resample`` draws as many rows as there
    are by weight instead of learning from weights. Probabilities are those of scikit-learn: a softmax of the weighted
    votes; of M1 the shares of the votes.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = tw.AdaBoostClassifier(n_rounds=20).fit(X, y)
    >>> boosted.weights_[:2].round(3).tolist(), boosted.errors_[:2].round(3).tolist(), boosted.score(X, y) > 0.9
    ([1.386, 2.209], [0.333, 0.18], True)
    """

    member: Any = field(default=None, kw_only=False)
    method: str = SAMME
    resample: bool = False
    class_weight: Any = field(default=None, init=False)  # the member has them
    costs: Any = field(default=None, init=False)
    priors: Any = field(default=None, init=False)

    def _learner(self) -> Any:
        return (
            CARTClassifier(max_depth=1, kinds=self.kinds, n_jobs=self.n_jobs)
            if self.member is None
            else member_of(self)
        )

    def _voting(self) -> Voting:
        return Voting(hard=True)

    def _combining(self) -> dict[str, Any]:
        return {"by": "votes" if self.method == M1 else "softmax"}

    def _round(self, training: EnsembleRows, weights: Floats, values: Floats) -> BoostingRound:
        target = training.schema.target
        wrong = decided(values, target) != training.y
        return boosting_round(weights, wrong, len(target.classes or ()), self.method, self.learning_rate)

    def decision_function(self, X: Any) -> Floats:
        """The weighted votes of each class, less those of the others over K − 1; of two classes, the difference of the
        second and the first."""
        said = self._decisions(self._combined(X))
        return np.asarray(said[:, 1] - said[:, 0]) if said.shape[1] == 2 else said

    @staticmethod
    def _decisions(votes: Floats) -> Floats:
        n_classes = votes.shape[1]
        return np.asarray((n_classes * votes - 1) / max(n_classes - 1, 1))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities in the order of ``classes_``, as scikit-learn makes them of the votes; of M1 their shares."""
        votes = self._combined(X)
        if self.method == M1:
            return votes
        return np.asarray(softmax(self._decisions(votes) / max(votes.shape[1] - 1, 1), axis=1))


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostRegressor(EnsembleRegressor, Boosted):
    """AdaBoost.R2 (Drucker 1997) for numbers: members learn from rows taken by weight, and predict their weighted
    median. ``loss`` is how the distance of a prediction counts: "linear", "square" or "exponential". Members are by
    default trees of depth 3.

    >>> import treewright as tw
    >>> X, y = {"x": list(range(20))}, [float(x >= 10) for x in range(20)]
    >>> tw.AdaBoostRegressor(n_rounds=5).fit(X, y).predict({"x": [0, 19]}).tolist()
    [0.0, 1.0]
    """

    member: Any = field(default=None, kw_only=False)
    loss: str = LOSSES[0]

    def _learner(self) -> Any:
        return (
            CARTRegressor(max_depth=3, kinds=self.kinds, n_jobs=self.n_jobs) if self.member is None else member_of(self)
        )

    def _combining(self) -> dict[str, Any]:
        return {"by": "median"}

    def _round(self, training: EnsembleRows, weights: Floats, values: Floats) -> BoostingRound:
        return regression_round(weights, np.abs(values[:, 0] - training.y), self.loss, self.learning_rate)

    def predict(self, X: Any) -> Floats:
        """The weighted median of what the members predict."""
        rows = self._member_rows(X)
        return self._of_members(list(self.members_.values(rows, self._n_jobs())), self.weights_)[:, 0]

    def _of_members(self, said: Sequence[Floats], weights: Floats) -> Floats:
        return weighted_median(np.concatenate(said, axis=1), weights)[:, None]

    def _staged(self, values: Iterable[Floats]) -> Iterator[Floats]:
        """Medians are no sums: each stage is taken anew."""
        said: list[Floats] = []
        for one in values:
            said.append(one)
            yield self._of_members(said, self.weights_[: len(said)])
