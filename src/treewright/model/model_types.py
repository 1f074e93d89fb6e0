"""What ``tw.fit`` and ``tw.load`` return, for editors and type checkers: nothing of it is there at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from treewright.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
    from treewright.ensemble.bagging import BaggingClassifier, BaggingRegressor
    from treewright.ensemble.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.model.discretizer import Discretizer
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
    from treewright.rules.rule_set import RuleSet

    Model: TypeAlias = (
        AdaBoostClassifier
        | AdaBoostRegressor
        | BaggingClassifier
        | BaggingRegressor
        | C45Classifier
        | C45RulesClassifier
        | C50Classifier
        | CARTClassifier
        | CARTRegressor
        | CHAIDClassifier
        | CHAIDRegressor
        | CubistRegressor
        | ExtraTreesClassifier
        | ExtraTreesRegressor
        | ID3Classifier
        | KNNClassifier
        | KNNRegressor
        | M5Regressor
        | M5RulesRegressor
        | RandomForestClassifier
        | RandomForestRegressor
        | SearchTreeClassifier
        | SearchTreeRegressor
        | TreeClassifier
        | TreeRegressor
    )
    Saved: TypeAlias = Model | Discretizer | RuleSet
