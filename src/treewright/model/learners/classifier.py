"""Trees that predict a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.frame import read_frame
from treewright.data.schema import Schema
from treewright.data.weights import with_row_costs
from treewright.errors import OptionError
from treewright.explain.cost_text import cost_facts
from treewright.leaves import Leaf
from treewright.model.base import TreeModel
from treewright.model.class_or_number import Classifies, known_codes
from treewright.model.expected_cost import ClassifiedRows, ExpectedCost, of_rows, of_training
from treewright.model.greedy import GreedyModel
from treewright.model.model_pruning import PRUNE, PruneOption
from treewright.model.options.option_limits import CLASSIFIER_LIMITS, check_average, check_models, check_significance
from treewright.node_models import LogisticLeaves
from treewright.recipe_parts.attribute_costs import RULES, AttributeCosts, read_attribute_costs, split_scores
from treewright.recipe_parts.recipe import Recipe, Splits, bits_of
from treewright.recipes.cart import cart
from treewright.recipes.id3 import id3
from treewright.tree.tree import LeafKind
from treewright.typing import Array, Floats

Self = TypeVar("Self", bound="ClassifierModel")


@dataclass(kw_only=True, eq=False, repr=False)
class ClassifierModel(Classifies, TreeModel):
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

    attribute_costs: Any = None
    test_groups: Any = None
    cost_rule: str = RULES[0]
    cost_weight: float = 1.0

    option_limits = CLASSIFIER_LIMITS

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None, row_costs: Any = None) -> Self:
        """Learn a tree from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row. row_costs: what an
        error on each row costs, a number per row. A row's weight is multiplied by it, so that statistics and
        probabilities are shares of cost, and the class that is predicted is the one that costs least on these rows.
        """
        if row_costs is not None:
            sample_weight = with_row_costs(sample_weight, row_costs, read_frame(X).n_rows)
        return super().fit(X, y, sample_weight)

    def _test_costs(self, schema: Schema) -> AttributeCosts | None:
        if self.cost_weight != 1 and self.cost_rule != "nunez":
            raise OptionError(
                f'cost_weight={self.cost_weight!r} is the w of cost_rule="nunez", and the rule is {self.cost_rule!r}',
                "leave it out, or choose that rule",
            )
        return read_attribute_costs(
            self.attribute_costs, self.test_groups, schema.names, self.cost_rule, self.cost_weight
        )

    def _leaf(self) -> Leaf:
        kind = LeafKind.LOGISTIC if getattr(self, "leaf", None) == "logistic" else LeafKind.CLASSES
        return Leaf(kind, getattr(self, "empty", "parent"), getattr(self, "smoothing", 0.0))

    def predict(self, X: Any) -> Array:
        """The class of greatest probability or, with costs, of least expected cost; the first of equals."""
        matrix = self._tested(X)
        return np.take(self.classes_, self._router.classes(self.schema_.target, matrix, self._n_jobs()))

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class, in the order of ``classes_``, at the leaf each row reaches (or leaves, by share)."""
        return self._values(X)

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
        self._check_fitted()
        if X is None and y is not None:
            raise OptionError("y goes with the rows it belongs to, and X is None", "pass X and y, or neither")
        costs = self._test_costs(self.schema_)
        if X is None:
            return of_training(self.tree_, self.schema_, costs)
        shares = self.predict_proba(X)
        truth = None if y is None else known_codes(self.schema_.target, y, len(shares))
        cases = ClassifiedRows(self._tested(X), shares, truth, sample_weight)
        return of_rows(self.tree_, self.schema_, costs, cases, self._n_jobs())

    def split_scores(self) -> Floats:
        """The score by which the test of each node was chosen, 0 at leaves: the gain, or what ``cost_rule`` makes of it
        where tests have costs."""
        self._check_fitted()
        costs = self._test_costs(self.schema_)
        return self.tree_.gain if costs is None else split_scores(self.tree_, costs, bits_of(self._choice()))

    def _more_facts(self) -> tuple[str, ...]:
        """Costs and priors, and what a case is expected to cost."""
        known = self.schema_.target.costs is not None or self._test_costs(self.schema_) is not None
        return (*cost_facts(self.schema_.target), *([str(self.expected_cost())] if known else []))


@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(GreedyModel, ClassifierModel):
    """ID3 (Quinlan 1986): information gain, one branch per level of a nominal column, ``x <= t`` for numbers.

    Grows until every leaf is of one class, even where no split gains anything (so XOR is learned), or until no column
    is left. Every level has a branch, also one that a categorical column declares and no row has. A branch that no row
    takes predicts as its parent does, or as the whole table (``empty="overall"``). ``criterion`` puts any other measure
    for classes in the place of the information gain, whose logarithm is of ``base``. ``above_average`` goes with
    ``criterion="gain_ratio"``: only columns whose best split has at least the average information gain are compared, as
    a ratio may be large for no other reason than a small split information.

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
    above_average: bool = False
    base: float = 2.0
    empty: str = "parent"
    prune: Any = PRUNE

    option_checks = (check_significance, check_average)

    def _recipe(self, encoded: Encoded) -> Recipe:
        return id3(**self._pieces(encoded))

    def _counts_unused(self) -> bool:
        """A level without rows is a leaf that predicts as its parent does: not the way of missing values."""
        return True


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(GreedyModel, ClassifierModel):
    """CART (Breiman et al. 1984): binary splits by Gini, entropy or misclassification; nominal columns by subsets.

    Missing values go the way that scores better at each split. ``prune`` names a method by which the tree is pruned at
    the end of every fit, in pipelines and grids too: ``"pessimistic"``, or one with its options as in
    ``{"cost-complexity": {"cv": 10, "rule": "1se"}}``, or a pruner such as ``tw.prune.CostComplexity(0.01)``. Methods
    that choose with rows cross-validate (cost-complexity without an alpha), or hold out 30 % of the rows, or another
    ``"share"``. ``costs`` has the truth first and the prediction second: below, predicting that
    one can play costs 5 where one cannot.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> tw.CARTClassifier().fit(table.X, table.y).score(table.X, table.y)
    1.0
    >>> table = tw.datasets.load("play_tennis")
    >>> print(tw.CARTClassifier(costs={("No", "Yes"): 5}, max_depth=1).fit({"windy": table.X["windy"]}, table.y))
    CARTClassifier: y — 14 rows, 2 leaves, depth 1, training error 64.3 %, costs No→Yes 5, expected cost 0.6429
    windy = Strong: No [1] (6, 50% wrong)
    windy = Weak: No [2] (8, 75% wrong)
    """

    criterion: Any = "gini"
    prune: PruneOption = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return cart(**self._pieces(encoded))


@dataclass(kw_only=True, eq=False, repr=False)
class TreeClassifier(GreedyModel, ClassifierModel):
    """The general classification tree: criterion, nominal splits, stopping, leaf values and pruning are arguments.

    ``splits`` is what a test on a nominal column looks like: "subset", "multiway" or "one-vs-rest". ``smoothing`` is
    "laplace" or the m of an m-estimate; 0 leaves the shares p = m₊ / m as they are. ``base`` is that of the logarithm
    in which gains of ``criterion="entropy"`` are given. ``above_average`` is as in :class:`ID3Classifier`.

    With ``leaf="logistic"`` every node gets a multinomial logistic model on all columns, by which leaves predict.
    ``ridge`` is that of the slopes of standardised columns; with ``eliminate`` terms whose squared z is below 2 go, and
    the others are fitted again. A model has no more terms than a third of its rows. Missing values count as the mean,
    or as the commonest level; every other level of a nominal column is a term.

    >>> import treewright as tw
    >>> table = tw.datasets.load("food")
    >>> tw.TreeClassifier(criterion="entropy", splits="multiway", max_depth=1).fit(table.X, table.y).tree_.n_leaves
    2
    """

    criterion: Any = "gini"
    above_average: bool = False
    splits: str = "subset"
    select: Any = None
    stop: Any = None
    base: float = 2.0
    empty: str = "parent"
    smoothing: float | str = 0.0
    leaf: str = "shares"
    ridge: float = 1.0
    eliminate: bool = True
    prune: PruneOption = PRUNE

    option_checks = (check_significance, check_average, check_models)

    def _models(self) -> LogisticLeaves | None:
        return LogisticLeaves(float(self.ridge), self.eliminate) if self.leaf == "logistic" else None

    def _recipe(self, encoded: Encoded) -> Recipe:
        return Recipe(splits=Splits(self.splits), models=self._models(), **self._pieces(encoded))

    def _counts_unused(self) -> bool:
        return self.splits == Splits.MULTIWAY
