"""Random forests (Breiman 2001) and extremely randomized trees (Geurts, Ernst & Wehenkel 2006)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from treewright.ensemble.bagging import RowDrawing
from treewright.ensemble.ensemble_limits import FOREST_CLASSIFIER_LIMITS, FOREST_REGRESSOR_LIMITS
from treewright.ensemble.ensemble_model import EnsembleClassifier, EnsembleRegressor
from treewright.ensemble.row_draw import column_number
from treewright.model.class_or_number import Classifies
from treewright.model.learners.classifier import CARTClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.missing import Missing

_OF_THE_ENSEMBLE = ("random_state", "progress")


@dataclass(kw_only=True, eq=False, repr=False)
class Forest(RowDrawing):
    """Forests of CART trees that draw columns at every node.

    ``max_columns`` says how many: "sqrt" (of the number of columns), "third", "log2", a number, a share, or None for
    all. All other options are those of :class:`tw.CARTClassifier` and :class:`tw.CARTRegressor`.
    """

    max_columns: Any = "sqrt"
    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    monotone: Any = None
    interactions: Any = None
    forbid: Any = None
    missing: Any = Missing.LEARNED.value
    missing_at_predict: Any = None
    engine: str = "exact"

    random_cuts: bool = field(default=False, init=False)

    def _learner(self) -> Any:
        """A CART tree of the options that the two share."""
        kind = CARTClassifier if isinstance(self, Classifies) else CARTRegressor
        known = {option.name for option in fields(kind) if option.init} - set(_OF_THE_ENSEMBLE)
        return kind(**{name: value for name, value in self._options().items() if name in known})

    def _at_nodes(self, n_columns: int) -> ColumnDraw | None:
        number = column_number(self.max_columns, n_columns)
        return None if number == n_columns and not self.random_cuts else ColumnDraw(number, self.random_cuts)


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(EnsembleClassifier, Forest):
    """A random forest (Breiman 2001): CART trees of rows drawn with replacement, each node of columns drawn at random.

    The probability of a class is the mean of what the trees say.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = tw.RandomForestClassifier(n_trees=30).fit(X, y)
    >>> forest.oob_error_ < 0.08, len(forest[0].rules()) > 2
    (True, True)
    """

    criterion: Any = "gini"

    option_limits = FOREST_CLASSIFIER_LIMITS


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(EnsembleRegressor, Forest):
    """A random forest (Breiman 2001) for numbers, the mean of what the trees say. A third of the columns is drawn at
    every node.

    >>> import treewright as tw
    >>> X, y = {"x": list(range(20))}, [float(x >= 10) for x in range(20)]
    >>> tw.RandomForestRegressor(n_trees=10).fit(X, y).predict({"x": [0, 19]}).tolist()
    [0.0, 1.0]
    """

    criterion: Any = "squared_error"
    max_columns: Any = "third"
    stratify: Any = field(default=False, init=False)

    option_limits = FOREST_REGRESSOR_LIMITS


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomized trees (Geurts, Ernst & Wehenkel 2006): of each column that a node draws, one split is drawn
    at random, and the best of these is taken. Every tree learns from all rows unless ``bootstrap=True``.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tw.ExtraTreesClassifier(n_trees=30).fit(X, y).score(X, y)
    1.0
    """

    bootstrap: bool = False
    random_cuts: bool = field(default=True, init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomized trees (Geurts, Ernst & Wehenkel 2006) for numbers; all columns are drawn at every node.

    >>> import treewright as tw
    >>> X, y = {"x": list(range(20))}, [float(x >= 10) for x in range(20)]
    >>> tw.ExtraTreesRegressor(n_trees=10).fit(X, y).predict({"x": [0, 19]}).tolist()
    [0.0, 1.0]
    """

    bootstrap: bool = False
    max_columns: Any = None
    random_cuts: bool = field(default=True, init=False)
