"""Trees that predict a class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from treewright.data.schema import Target
from treewright.data.target import check_classes, encode_classes
from treewright.data.weights import kept_rows, row_weights
from treewright.leaves import class_shares, likeliest
from treewright.model.base import GreedyModel, TreeModel, no_target, target_name
from treewright.model.options import CLASS_CRITERIA, LIMITS, OneOf, check_options
from treewright.model.predict import predicted_classes
from treewright.model.pruning import PRUNE
from treewright.recipes import cart, id3
from treewright.recipes.recipe import Recipe, Splits
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Mask

_CLASSIFIER_LIMITS = {**LIMITS, "criterion": OneOf(CLASS_CRITERIA)}


@dataclass(kw_only=True, eq=False, repr=False)
class ClassifierModel(ClassifierMixin, TreeModel):
    """Shared by all classification trees."""

    class_weight: Any = None

    classes_: Array = field(init=False)

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
        return Target(target_name(y), classes), codes, weights, kept_rows(known, weights)

    def _leaf_values(self, stats: Floats, parent: Array) -> Floats:
        smoothing = getattr(self, "smoothing", 0.0)
        return class_shares(stats, parent, empty=getattr(self, "empty", "parent"), smoothing=smoothing)

    def _training_error(self, tree: Tree) -> float:
        leaves = tree.n_branches == 0
        predicted = likeliest(tree.value)
        right = np.take_along_axis(tree.stats, predicted[:, None], -1)[leaves].sum()
        return float(1 - right / tree.stats[0].sum())

    def predict(self, X: Any) -> Array:
        """The class of greatest probability; the first in ``classes_`` of equals."""
        matrix = self._matrix(X)
        return np.take(self.classes_, predicted_classes(self.tree_, matrix, self._n_jobs()))

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class, in the order of ``classes_``, at the leaf each row reaches (or leaves, by share)."""
        return self._values(X)

    def predict_log_proba(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

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

    base: float = 2.0
    empty: str = "parent"

    def _recipe(self) -> Recipe:
        return id3.recipe(self._limits(), base=self.base, **self._tie_choice())


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(GreedyModel, ClassifierModel):
    """CART (Breiman et al. 1984): binary splits by Gini, entropy or misclassification; nominal columns by subsets.

    Missing values go the way that scores better at each split. ``prune`` takes a pruner such as
    ``tw.prune.CostComplexity(0.01)``.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> tw.CARTClassifier().fit(table.X, table.y).score(table.X, table.y)
    1.0
    """

    criterion: str = "gini"
    prune: Any = PRUNE

    def _recipe(self) -> Recipe:
        return cart.recipe(self.criterion, self._limits(), **self._tie_choice())


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

    criterion: str = "gini"
    splits: str = "subset"
    base: float = 2.0
    empty: str = "parent"
    smoothing: float | str = 0.0
    prune: Any = PRUNE

    def _recipe(self) -> Recipe:
        return Recipe(self.criterion, Splits(self.splits), self._limits(), self.base, **self._tie_choice())
