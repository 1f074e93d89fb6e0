"""``tw.fit``: a tree in one call, for people who do not want classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from treewright.data.frame import read_frame
from treewright.errors import OptionError
from treewright.model.class_or_number import PredictsNumbers
from treewright.model.fitting import place_of, prepare
from treewright.model.learners.classifier import ClassifierModel
from treewright.model.model_pruning import Remembered

if TYPE_CHECKING:
    from treewright.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
    from treewright.ensemble.bagging import BaggingClassifier, BaggingRegressor
    from treewright.ensemble.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.model.learners.c45_classifier import C45Classifier
    from treewright.model.learners.c45_rules_classifier import C45RulesClassifier
    from treewright.model.learners.c50_classifier import C50Classifier
    from treewright.model.learners.chaid_estimators import CHAIDClassifier, CHAIDRegressor
    from treewright.model.learners.classifier import CARTClassifier, ID3Classifier, TreeClassifier
    from treewright.model.learners.cubist_regressor import CubistRegressor
    from treewright.model.learners.knn_estimators import KNNClassifier, KNNRegressor
    from treewright.model.learners.m5_estimators import M5Regressor, M5RulesRegressor
    from treewright.model.learners.regressor import CARTRegressor, TreeRegressor
    from treewright.model.learners.search_tree import SearchTreeClassifier, SearchTreeRegressor
    from treewright.model.model_types import Model


# ---- which model each method gives, for editors and type checkers ------------------------------------------------


@overload
def fit(table: Any, target: Any, method: Literal["id3"], **options: Any) -> ID3Classifier: ...
@overload
def fit(table: Any, target: Any, method: Literal["c4.5", "c45", "j48"], **options: Any) -> C45Classifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["c4.5rules", "c45rules", "c4.5-rules", "rules"], **options: Any
) -> C45RulesClassifier: ...
@overload
def fit(table: Any, target: Any, method: Literal["c5.0", "c50", "c5"], **options: Any) -> C50Classifier: ...
@overload
def fit(table: Any, target: Any, method: Literal["m5"], **options: Any) -> M5Regressor: ...
@overload
def fit(table: Any, target: Any, method: Literal["m5rules"], **options: Any) -> M5RulesRegressor: ...
@overload
def fit(table: Any, target: Any, method: Literal["cubist"], **options: Any) -> CubistRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["cart", "rpart"] = "cart", *, task: Literal["classes"], **options: Any
) -> CARTClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["cart", "rpart"] = "cart", *, task: Literal["numbers"], **options: Any
) -> CARTRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["cart", "rpart"] = "cart", *, task: None = None, **options: Any
) -> CARTClassifier | CARTRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["chaid"], *, task: Literal["classes"], **options: Any
) -> CHAIDClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["chaid"], *, task: Literal["numbers"], **options: Any
) -> CHAIDRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["chaid"], *, task: None = None, **options: Any
) -> CHAIDClassifier | CHAIDRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["tree"], *, task: Literal["classes"], **options: Any
) -> TreeClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["tree"], *, task: Literal["numbers"], **options: Any
) -> TreeRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["tree"], *, task: None = None, **options: Any
) -> TreeClassifier | TreeRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["auto", "search"], *, task: Literal["classes"], **options: Any
) -> SearchTreeClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["auto", "search"], *, task: Literal["numbers"], **options: Any
) -> SearchTreeRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["auto", "search"], *, task: None = None, **options: Any
) -> SearchTreeClassifier | SearchTreeRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["knn", "k-nn"], *, task: Literal["classes"], **options: Any
) -> KNNClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["knn", "k-nn"], *, task: Literal["numbers"], **options: Any
) -> KNNRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["knn", "k-nn"], *, task: None = None, **options: Any
) -> KNNClassifier | KNNRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["forest", "random-forest"], *, task: Literal["classes"], **options: Any
) -> RandomForestClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["forest", "random-forest"], *, task: Literal["numbers"], **options: Any
) -> RandomForestRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["forest", "random-forest"], *, task: None = None, **options: Any
) -> RandomForestClassifier | RandomForestRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["extra-trees", "extratrees"], *, task: Literal["classes"], **options: Any
) -> ExtraTreesClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["extra-trees", "extratrees"], *, task: Literal["numbers"], **options: Any
) -> ExtraTreesRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["extra-trees", "extratrees"], *, task: None = None, **options: Any
) -> ExtraTreesClassifier | ExtraTreesRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["bagging"], *, task: Literal["classes"], **options: Any
) -> BaggingClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["bagging"], *, task: Literal["numbers"], **options: Any
) -> BaggingRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["bagging"], *, task: None = None, **options: Any
) -> BaggingClassifier | BaggingRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["adaboost", "boosting"], *, task: Literal["classes"], **options: Any
) -> AdaBoostClassifier: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["adaboost", "boosting"], *, task: Literal["numbers"], **options: Any
) -> AdaBoostRegressor: ...
@overload
def fit(
    table: Any, target: Any, method: Literal["adaboost", "boosting"], *, task: None = None, **options: Any
) -> AdaBoostClassifier | AdaBoostRegressor: ...
@overload
def fit(table: Any, target: Any, method: str, **options: Any) -> Model: ...
def fit(
    table: Any,
    target: Any,
    method: str = "cart",
    *,
    task: str | None = None,
    sample_weight: Any = None,
    row_costs: Any = None,
    **options: Any,
) -> Any:
    """Fit a tree to the column ``target`` of a table, all other columns being what it may test.

    Parameters
    ----------
    table : table
        Any dataframe, array, list of dicts or dict of columns.
    target : str or int
        The name of a column or its number, 0 being the first and -1 the last; columns without names are called x0,
        x1, …
    method : str, default 'cart'
        "cart", "chaid", "c4.5", "c5.0", "id3" or "tree" (the general one, ``tw.TreeClassifier`` or
        ``tw.TreeRegressor``); "rpart" or "j48" (CART and C4.5 with the defaults of those programs); "c4.5rules" (rules,
        no tree); "knn" (nearest neighbours); many trees: "forest", "extra-trees", "bagging" or "adaboost", the last two
        with ``member="c4.5"`` or another method; for numbers also "m5", "m5rules" or "cubist" (linear models at the
        leaves of a tree, or in rules); "search" (``tw.SearchTreeClassifier`` or ``tw.SearchTreeRegressor``: several
        splits are tried near the root); or "auto".
    task : str or None, default None
        Whether the target is predicted as one of its "classes" or as "numbers". If neither it nor ``kinds`` (nominal or
        numeric) says, a target of text, categories or true/false is a class, and so are whole numbers of at most ten
        different values, of which a warning tells; other numbers are predicted as numbers, unless the method only knows
        classes (ID3, C4.5).
    sample_weight : array-like or None, default None
        How much each row counts.
    row_costs : array-like or None, default None
        What an error on each row costs; for classes only.
    **options : object
        Options of the estimator, such as ``max_depth=3``; see ``tw.CARTClassifier`` and its neighbours.

    Notes
    -----
    "auto" is "search" with options for the size of the table: up to 250,000 cells with 10 folds, up to 1.5 million with
    5, up to 6 million with a narrower search and 3, beyond that one split per node. A column counts as 1,000 cells at
    least. From 50,000 rows on numbers are put into bins, and of less than 30 rows of classes the smallest tree of least
    training error is taken. ``model.summary()`` says what was tried and why the tree was chosen.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.datasets.load("xor").table
    >>> tw.fit(table, target="y", task="classes").predict({"a": [1], "b": [0]}).tolist()
    [1]
    >>> tw.fit(table, target="y", task="numbers").predict({"a": [1], "b": [0]}).tolist()
    [1.0]
    """
    frame = read_frame(table)
    estimator, y = prepare(frame, target, method, options, task)
    place = place_of(target, frame)
    per_row = {"sample_weight": sample_weight, **_row_costs(row_costs, type(estimator))}
    model = estimator.fit(frame.without(place), y, **per_row)
    if "_fitted_to" in model.__dict__:
        weights = model._fitted_to[-1]
        model._fitted_to = Remembered(table, lambda table: read_frame(table).without(place)), y, weights
    return model


def _row_costs(row_costs: Any, estimator: type[Any]) -> dict[str, Any]:
    if row_costs is None:
        return {}
    if not issubclass(estimator, ClassifierModel):
        why = (
            "the target is a number" if issubclass(estimator, PredictsNumbers) else "these models know nothing of them"
        )
        raise OptionError(f"row_costs are what errors in the class cost, and {why}", "pass them as sample_weight")
    return {"row_costs": row_costs}
