"""C4.5rules as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from treewright.data.encode import prediction_matrix
from treewright.data.frame import Frame, read_frame
from treewright.errors import OptionError
from treewright.model.class_or_number import Classifies
from treewright.model.learners.c45_classifier import C45Classifier
from treewright.model.learners.rule_estimator import RuleEstimator
from treewright.model.options.c45_options import C45Options, check_branching
from treewright.model.options.option_limits import C45_RULES_LIMITS, check_significance
from treewright.recipe_parts.missing import Missing
from treewright.rules.c45_rule_learner import c45_rules
from treewright.rules.generalisation import RuleTrainingRows
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.typing import Array, Floats, Ints

_C_SEED = 1  # what programs in C start from that set no seed, C4.5 among them
_OF_RULES = ("theory_weight", "random_state")  # all other options are those of the tree


def _check_policies(options: C45Options) -> None:
    given = options.missing
    for policy in set(given.values() if isinstance(given, Mapping) else [given]) & {Missing.EVERY, Missing.SURROGATE}:
        raise OptionError(
            f"rules cannot say missing={Missing(policy).value!r}: a condition is met by missing values or is not",
            'use "fractional", "learned", "common", "branch", "stop" or "drop", or C45Classifier',
        )


@dataclass(kw_only=True, eq=False, repr=False)
class C45RulesClassifier(C45Options, Classifies, RuleEstimator):
    """C4.5rules (Quinlan 1993, chapter 5): production rules out of an unpruned C4.5 tree.

    Every path of the tree is a rule. Conditions are dropped from it while its pessimistic error, of the given
    ``confidence``, does not rise; rules no better than their class is by default go. Of each class the subset of rules
    is kept that describes the training rows in the fewest bits, a bit of the rules counting ``theory_weight`` of a bit
    of their exceptions: all subsets are tried of up to ten rules, of more the best of eleven climbs from random subsets
    is taken. ``random_state`` is their seed; None starts as C4.5 does, so every fit is the same. The class whose rules
    are wrong least often comes first, the surest rule of a class before the others; the commonest class of rows that
    meet no rule is the default. In the end rules go without which fewer training rows are wrong.

    The first rule a row meets decides. A missing value meets no condition, unless ``missing`` sends it down one branch
    of the tree ("learned", "common", "branch"): then it meets the conditions of that branch. Probabilities are the
    shares of the classes among the training rows that meet the rule. The rules are in ``rule_set_``; all other options
    are those of :class:`tw.C45Classifier`. Time grows with rows × leaves of the unpruned tree: ``min_cases`` and
    ``max_depth`` keep that small.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> print(tw.C45RulesClassifier().fit(X, table.y))
    RuleSet: y — 5 rules, the first that is met decides
    [4] if outlook = Sunny and humidity = High then y = No   (21 % of rows, 100 % right, lift 2.8)
    [2] if outlook = Rainy and windy = Strong then y = No   (14 % of rows, 100 % right, lift 2.8)
    [1] if outlook = Overcast then y = Yes   (29 % of rows, 100 % right, lift 1.56)
    [5] if humidity = Normal then y = Yes   (50 % of rows, 86 % right, lift 1.33)
    [3] if outlook = Rainy and windy = Weak then y = Yes   (21 % of rows, 100 % right, lift 1.56)
    otherwise y = Yes
    """

    holds: ClassVar[str] = "rules"

    theory_weight: float = 0.5
    costs: Any = field(default=None, init=False)  # C4.5rules knows of neither
    priors: Any = field(default=None, init=False)

    option_limits = C45_RULES_LIMITS
    option_checks = (check_branching, check_significance, _check_policies)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> C45RulesClassifier:
        """Learn rules from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row.
        """
        self._check_options()
        frame = read_frame(X)
        tree = self._tree().fit(frame, y, sample_weight)
        rows = self._training_rows(tree, frame, y, sample_weight)
        pessimism = PessimisticRate(self.confidence, self.flavour)
        rules = c45_rules(
            tree.tree_, tree.schema_, rows, pessimism, theory_weight=self.theory_weight, seed=self._seed()
        )
        self._keep(rules.schema, {"rule_set_": rules}, named=frame.named)
        return self

    def predict(self, X: Any) -> Array:
        """The class of the first rule each row meets, or the default class."""
        places = self._decided(X)
        return self.rule_set_.predictions(places)

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class, in the order of ``classes_``, among training rows that meet the deciding rule."""
        places = self._decided(X)
        return self.rule_set_.values(places)

    def _tree(self) -> C45Classifier:
        shared = {name: value for name, value in self._options().items() if name not in _OF_RULES}
        return C45Classifier(prune=False, **shared)

    def _training_rows(self, tree: C45Classifier, frame: Frame, y: Any, sample_weight: Any) -> RuleTrainingRows:
        """The rows the tree was grown from."""
        frame, told = self._read_target(y, frame.n_rows, sample_weight).of(frame)
        weights = np.ones(frame.n_rows) if told.weights is None else told.weights
        matrix = prediction_matrix(frame, tree.schema_)
        dropped = [policy is Missing.DROP for policy in tree._policies(tree.schema_)]
        whole = ~np.isnan(matrix[:, dropped]).any(1)
        return RuleTrainingRows(matrix[whole], told.y[whole].astype(np.int64), weights[whole], len(tree.classes_))

    def _seed(self) -> int:
        if self.random_state is None:
            return _C_SEED
        return int(check_random_state(self.random_state).randint(1, 2**31 - 1))

    def _decided(self, X: Any) -> Ints:
        self._check_fitted()
        matrix = self.rule_set_.matrix(X, unseen=self.unseen, owner=type(self).__name__)
        return self.rule_set_.decide(matrix, self._n_jobs())
