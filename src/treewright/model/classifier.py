"""Trees that predict a class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treewright.costs import altered_factors, target_costs, target_priors
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame, read_frame
from treewright.data.schema import Schema, Target
from treewright.data.target import check_classes, encode_classes
from treewright.data.weights import kept_rows, row_weights, with_row_costs
from treewright.errors import DataError, OptionError
from treewright.leaves import Leaf
from treewright.model.base import TreeModel, no_target, target_name
from treewright.model.expected import Cases, ExpectedCost, of_rows, of_training
from treewright.model.greedy import GreedyModel
from treewright.model.options import CLASS_CRITERIA, LIMITS, check_options
from treewright.model.predict import predicted_classes
from treewright.model.pruning import PRUNE
from treewright.prune.counts import training_error
from treewright.recipe.recipe import Recipe, Splits, bits_of
from treewright.recipe.test_costs import RULES, TestCosts, read_test_costs, split_scores
from treewright.recipes.cart import cart
from treewright.recipes.id3 import id3
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints, Mask

Self = TypeVar("Self", bound="ClassifierModel")
_CLASSIFIER_LIMITS = {**LIMITS, "criterion": CLASS_CRITERIA}


@dataclass(kw_only=True, eq=False, repr=False)
class ClassifierModel(ClassifierMixin, TreeModel):
    """Shared by all classification trees.

    ``costs`` says what errors cost, with the *truth first and the prediction second*: ``{("ill", "well"): 10}`` or
    ``{"ill": {"well": 10}}`` is the cost of predicting "well" for someone who is ill, errors that are not named cost 1;
    or a matrix in the order of ``classes_``, a row for each true class and a column for each predicted one. A right
    prediction costs 0. ``priors`` says how frequent the classes are where the model is used: "equal", a mapping by
    class or a sequence in the order of ``classes_``, adding up to 1. Both enter as in rpart. Class i counts
    prior_i·Σ_j cost(i, j) while the tree grows (altered priors), a leaf predicts the class of least expected cost, and
    pruning adds up costs instead of errors. Probabilities are shares by the priors, costs do not change them; the
    statistics of nodes stay the weights of the training rows.

    ``attribute_costs`` says what the test of each column costs, by name; columns that are not named cost 1.
    ``cost_rule`` is the formula by which a test is then chosen in place of its gain: "tan-schlimmer" Gain²/Cost,
    "nunez" (2^Gain − 1)/(Cost + 1)^w with w = ``cost_weight``, or "idx" Gain/Cost. Gains of information are in bits,
    those of other criteria as they are; C4.5 puts the gain ratio (or the gain, where it chooses by that) in place of
    Gain, among the columns of at least average gain. ``test_groups={"blood": ["glucose", "insulin"]}`` are tests that
    share a sample, whose cost ``attribute_costs`` names as well: it is paid once on a path, beside each test's own. A
    test that the path has paid already costs nothing more, and scores as if it cost what the cheapest test does.
    ``expected_cost`` adds up what a case costs.
    """

    class_weight: Any = None
    costs: Any = None
    priors: Any = None
    attribute_costs: Any = None
    test_groups: Any = None
    cost_rule: str = RULES[0]
    cost_weight: float = 1.0

    classes_: Array = field(init=False)

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None, row_costs: Any = None) -> Self:
        """Learn a tree from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row. row_costs: what an
        error on each row costs, a number per row. A row's weight is multiplied by it, so that statistics and
        probabilities are shares of cost, and the class that is predicted is the one that costs least on these rows.
        """
        if row_costs is not None:
            sample_weight = with_row_costs(sample_weight, row_costs, read_frame(X).n_rows)
        return super().fit(X, y, sample_weight)

    def _check_options(self) -> None:
        check_options(self._options(), _CLASSIFIER_LIMITS)

    def _encode_target(
        self, y: Any, n_rows: int, sample_weight: Any
    ) -> tuple[Target, Array, Floats | None, Mask | None]:
        if y is None:
            raise no_target(type(self).__name__)
        classes, codes, known = encode_classes(y, n_rows)
        check_classes(classes, n_rows)
        weights = row_weights(sample_weight, self.class_weight, classes, codes, n_rows, known)
        target = Target(target_name(y), classes, target_costs(self.costs, classes), target_priors(self.priors, classes))
        return target, codes, weights, kept_rows(known, weights)

    def _encode(self, frame: Frame, y: Any, sample_weight: Any) -> Encoded:
        return _altered(super()._encode(frame, y, sample_weight))

    def _test_costs(self, schema: Schema) -> TestCosts | None:
        if self.cost_weight != 1 and self.cost_rule != "nunez":
            raise OptionError(
                f'cost_weight={self.cost_weight!r} is the w of cost_rule="nunez", and the rule is {self.cost_rule!r}',
                "leave it out, or choose that rule",
            )
        return read_test_costs(self.attribute_costs, self.test_groups, schema.names, self.cost_rule, self.cost_weight)

    def _leaf(self) -> Leaf:
        return Leaf(LeafKind.CLASSES, getattr(self, "empty", "parent"), getattr(self, "smoothing", 0.0))

    def _training_error(self, tree: Tree) -> float:
        return training_error(tree, self.schema_)

    def predict(self, X: Any) -> Array:
        """The class of greatest probability or, with costs, of least expected cost; the first of equals."""
        matrix = self._matrix(X)
        return np.take(self.classes_, predicted_classes(self.tree_, self.schema_.target, matrix, self._n_jobs()))

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class, in the order of ``classes_``, at the leaf each row reaches (or leaves, by share)."""
        return self._values(X)

    def predict_log_proba(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def expected_cost(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> ExpectedCost:
        """What classifying a case costs on average: its tests (``tests``) and its errors (``errors``).

        Tests cost what ``attribute_costs`` says, a test and the sample of a group once on a path; without costs they
        cost nothing. Errors cost what ``costs`` says, else 1. Without X, cases are those of the training rows, by the
        priors. With X they are these rows, and errors are expected by the probabilities; with y they are those made.

        >>> import treewright as tw
        >>> table = tw.datasets.load("play_tennis")
        >>> X = {name: column for name, column in table.X.items() if name != "day"}
        >>> print(tw.ID3Classifier(attribute_costs={"humidity": 5, "windy": 3}).fit(X, table.y).expected_cost())
        expected cost 2.857 (tests 2.857, errors 0)
        """
        check_is_fitted(self, "tree_")
        if X is None and y is not None:
            raise OptionError("y goes with the rows it belongs to, and X is None", "pass X and y, or neither")
        costs = self._test_costs(self.schema_)
        if X is None:
            return of_training(self.tree_, self.schema_, costs)
        shares = self.predict_proba(X)
        cases = Cases(self._matrix(X), shares, _known_codes(y, len(shares), self.schema_.target), sample_weight)
        return of_rows(self.tree_, self.schema_, costs, cases, self._n_jobs())

    def split_scores(self) -> Floats:
        """The score by which the test of each node was chosen, 0 at leaves: the gain, or what ``cost_rule`` makes of it
        where tests have costs."""
        check_is_fitted(self, "tree_")
        costs = self._test_costs(self.schema_)
        return self.tree_.gain if costs is None else split_scores(self.tree_, costs, bits_of(self._choice()))

    def _more_facts(self) -> tuple[str, ...]:
        known = self.schema_.target.costs is not None or self._test_costs(self.schema_) is not None
        return (str(self.expected_cost()),) if known else ()

    def log_likelihood(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Σ ln P(y | x): how probable the tree finds these classes; -inf if one was thought impossible."""
        probability = self.predict_proba(X)
        classes, codes, known = encode_classes(y, len(probability))
        place = {label: k for k, label in enumerate(self.schema_.target.classes or ())}
        column = np.array([place.get(label, -1) for label in classes])[codes]
        likelihood = np.where(column >= 0, probability[np.arange(len(column)), column], 0.0)
        weights = row_weights(sample_weight, None, None, None, len(probability), known)
        kept = kept_rows(known, weights)
        with np.errstate(divide="ignore"):
            terms = np.log(likelihood) if weights is None else np.log(likelihood) * weights
        return float(terms.sum() if kept is None else terms[kept].sum())


@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(GreedyModel, ClassifierModel):
    """ID3 (Quinlan 1986): information gain, one branch per level of a nominal column, ``x <= t`` for numbers.

    Grows until every leaf is of one class, even where no split gains anything (so XOR is learned), or until no column
    is left. A branch that no row takes predicts as its parent does, or as the whole table (``empty="overall"``).
    ``criterion`` puts any other measure for classes in the place of the information gain, whose logarithm is of
    ``base``.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> print(tw.ID3Classifier().fit(X, table.y))
    ID3Classifier: y — 14 rows, 5 leaves, depth 2, training error 0.0 %
    outlook = Overcast: Yes [1] (4)
    outlook = Rainy [2]
    │  windy = Strong: No [4] (2)
    │  windy = Weak: Yes [5] (3)
    outlook = Sunny [3]
    │  humidity = High: No [6] (3)
    │  humidity = Normal: Yes [7] (2)
    """

    criterion: Any = "entropy"
    base: float = 2.0
    empty: str = "parent"

    def _recipe(self, encoded: Encoded) -> Recipe:
        return id3(**self._pieces(encoded))


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(GreedyModel, ClassifierModel):
    """CART (Breiman et al. 1984): binary splits by Gini, entropy or misclassification; nominal columns by subsets.

    Missing values go the way that scores better at each split. ``prune`` takes a pruner such as
    ``tw.prune.CostComplexity(0.01)``. ``costs`` has the truth first and the prediction second: below, predicting that
    one can play costs 5 where one cannot.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> tw.CARTClassifier().fit(table.X, table.y).score(table.X, table.y)
    1.0
    >>> table = tw.datasets.load("play_tennis")
    >>> print(tw.CARTClassifier(costs={("No", "Yes"): 5}, max_depth=1).fit({"windy": table.X["windy"]}, table.y))
    CARTClassifier: y — 14 rows, 2 leaves, depth 1, training error 64.3 %, expected cost 0.6429
    windy = Strong: No [1] (6, 50% wrong)
    windy = Weak: No [2] (8, 75% wrong)
    """

    criterion: Any = "gini"
    prune: Any = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return cart(**self._pieces(encoded))


@dataclass(kw_only=True, eq=False, repr=False)
class TreeClassifier(GreedyModel, ClassifierModel):
    """The general classification tree: criterion, nominal splits, stopping, leaf values and pruning are arguments.

    ``splits`` is what a test on a nominal column looks like: "subset", "multiway" or "one-vs-rest". ``smoothing`` is
    "laplace" or the m of an m-estimate; 0 leaves the shares p = m₊ / m as they are. ``base`` is that of the logarithm
    in which gains of ``criterion="entropy"`` are given.

    >>> import treewright as tw
    >>> table = tw.datasets.load("food")
    >>> tw.TreeClassifier(criterion="entropy", splits="multiway", max_depth=1).fit(table.X, table.y).tree_.n_leaves
    2
    """

    criterion: Any = "gini"
    splits: str = "subset"
    select: Any = None
    stop: Any = None
    base: float = 2.0
    empty: str = "parent"
    smoothing: float | str = 0.0
    prune: Any = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return Recipe(splits=Splits(self.splits), **self._pieces(encoded))


def _known_codes(y: Any, n_rows: int, target: Target) -> Ints | None:
    """The places of classes among those of the target; None where no classes are given."""
    if y is None:
        return None
    classes, codes, known = encode_classes(y, n_rows)
    place = {label: k for k, label in enumerate(target.classes or ())}
    unknown = [label for label in classes if label not in place]
    if unknown or known is not None:
        raise DataError(
            f"y holds {unknown[0]!r}, a class the model was not fitted to" if unknown else "y has missing values",
            f"the classes are {', '.join(map(repr, place))}; leave other rows out",
        )
    return np.array([place[label] for label in classes])[codes]


def _altered(encoded: Encoded) -> Encoded:
    """Rows weighted by the costs and priors of their class."""
    target = encoded.schema.target
    if target.costs is None and target.priors is None:
        return encoded
    weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
    totals = np.asarray(np.bincount(encoded.y, weights, encoded.n_classes), np.float64)
    factors = altered_factors(totals, target)
    if factors is None:
        return encoded
    return replace(encoded, weights=weights * factors[encoded.y], class_factors=factors)
