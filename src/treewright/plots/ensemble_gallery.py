"""Pictures of the gallery that show many trees."""

from __future__ import annotations

from typing import Any

from treewright import plots
from treewright.ensemble.adaboost import AdaBoostClassifier
from treewright.ensemble.forests import RandomForestClassifier
from treewright.plots.gallery_tables import customers, noisy, parts_of_rows_in, shows


@shows(plots.oob_curve, "The out-of-bag error of a forest: where it is flat, more trees do not help")
def out_of_bag() -> Any:
    X, y = noisy()
    return plots.oob_curve(RandomForestClassifier(n_trees=100).fit(X, y))


@shows(plots.permutation_importance, "How much a forest needs each column: four of eight say something")
def permuted_columns() -> Any:
    X, y = noisy()
    return plots.permutation_importance(RandomForestClassifier(n_trees=50).fit(X, y), X, y)


@shows(plots.partial_dependence, "What a forest predicts as age changes: the mean, and single rows")
def dependence_on_age() -> Any:
    X, y = customers()
    forest = RandomForestClassifier(n_trees=50, min_rows_leaf=5).fit(X, y)
    return plots.partial_dependence(forest, X, "age", positive="buys")


@shows(plots.partial_dependence, "The same of two columns at once")
def dependence_on_two() -> Any:
    X, y = customers()
    forest = RandomForestClassifier(n_trees=50, min_rows_leaf=5).fit(X, y)
    return plots.partial_dependence(forest, X, ["age", "region"], positive="buys")


@shows(plots.member_curve, "AdaBoost on noisy classes: the training error falls, the test error does not")
def boosting_error() -> Any:
    X, y, _, _, X_test, y_test = parts_of_rows_in(*noisy())
    return plots.member_curve(AdaBoostClassifier(n_rounds=60).fit(X, y), X, y, X_test, y_test)


@shows(plots.boosting_rounds, "Rounds of AdaBoost: the harder the rows, the less a member counts")
def rounds() -> Any:
    X, y = noisy()
    return plots.boosting_rounds(AdaBoostClassifier(n_rounds=30).fit(X, y))
