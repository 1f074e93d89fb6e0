"""treewright: decision trees you can trust, edit and ship.

Names are loaded when they are first used, so that ``import treewright`` is quick and numba waits for the first fit.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treewright.version import VERSION

if TYPE_CHECKING:
    from treewright import costs, criteria, datasets, evaluate, neighbors, plots, prune, rules, teach
    from treewright.data.summary import inspect
    from treewright.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
    from treewright.ensemble.bagging import BaggingClassifier, BaggingRegressor
    from treewright.ensemble.forests import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.errors import DataError, ModelFileError, OptionError, TreewrightError, TreewrightWarning
    from treewright.model.column_reports.ranking import rank_attributes
    from treewright.model.discretizer import Discretizer, discretize
    from treewright.model.evaluate import compare
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
    from treewright.model.model_files import load
    from treewright.model.shown.tree_summary import summarize
    from treewright.model.table_fit import fit
    from treewright.model.tree_by_hand import tree_by_hand
    from treewright.table import Table

__version__ = VERSION

_HOME = {
    "AdaBoostClassifier": "treewright.ensemble.adaboost",
    "AdaBoostRegressor": "treewright.ensemble.adaboost",
    "BaggingClassifier": "treewright.ensemble.bagging",
    "BaggingRegressor": "treewright.ensemble.bagging",
    "C45Classifier": "treewright.model.learners.c45_classifier",
    "C45RulesClassifier": "treewright.model.learners.c45_rules_classifier",
    "C50Classifier": "treewright.model.learners.c50_classifier",
    "CARTClassifier": "treewright.model.learners.classifier",
    "CARTRegressor": "treewright.model.learners.regressor",
    "CHAIDClassifier": "treewright.model.learners.chaid_estimators",
    "CHAIDRegressor": "treewright.model.learners.chaid_estimators",
    "CubistRegressor": "treewright.model.learners.cubist_regressor",
    "DataError": "treewright.errors",
    "Discretizer": "treewright.model.discretizer",
    "ExtraTreesClassifier": "treewright.ensemble.forests",
    "ExtraTreesRegressor": "treewright.ensemble.forests",
    "ID3Classifier": "treewright.model.learners.classifier",
    "KNNClassifier": "treewright.model.learners.knn_estimators",
    "KNNRegressor": "treewright.model.learners.knn_estimators",
    "M5Regressor": "treewright.model.learners.m5_estimators",
    "M5RulesRegressor": "treewright.model.learners.m5_estimators",
    "ModelFileError": "treewright.errors",
    "OptionError": "treewright.errors",
    "RandomForestClassifier": "treewright.ensemble.forests",
    "RandomForestRegressor": "treewright.ensemble.forests",
    "SearchTreeClassifier": "treewright.model.learners.search_tree",
    "SearchTreeRegressor": "treewright.model.learners.search_tree",
    "Table": "treewright.table",
    "TreeClassifier": "treewright.model.learners.classifier",
    "TreeRegressor": "treewright.model.learners.regressor",
    "TreewrightError": "treewright.errors",
    "TreewrightWarning": "treewright.errors",
    "compare": "treewright.model.evaluate",
    "discretize": "treewright.model.discretizer",
    "fit": "treewright.model.table_fit",
    "inspect": "treewright.data.summary",
    "load": "treewright.model.model_files",
    "rank_attributes": "treewright.model.column_reports.ranking",
    "summarize": "treewright.model.shown.tree_summary",
    "tree_by_hand": "treewright.model.tree_by_hand",
}
_MODULES = {
    "costs": "treewright.costs",
    "criteria": "treewright.criteria",
    "datasets": "treewright.datasets",
    "evaluate": "treewright.evaluate",
    "neighbors": "treewright.neighbors",
    "plots": "treewright.plots",
    "prune": "treewright.prune",
    "rules": "treewright.rules",
    "teach": "treewright.teach",
}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "C45Classifier",
    "C45RulesClassifier",
    "C50Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "CubistRegressor",
    "DataError",
    "Discretizer",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ID3Classifier",
    "KNNClassifier",
    "KNNRegressor",
    "M5Regressor",
    "M5RulesRegressor",
    "ModelFileError",
    "OptionError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "SearchTreeClassifier",
    "SearchTreeRegressor",
    "Table",
    "TreeClassifier",
    "TreeRegressor",
    "TreewrightError",
    "TreewrightWarning",
    "compare",
    "costs",
    "criteria",
    "datasets",
    "discretize",
    "evaluate",
    "fit",
    "inspect",
    "load",
    "neighbors",
    "plots",
    "prune",
    "rank_attributes",
    "rules",
    "summarize",
    "teach",
    "tree_by_hand",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'treewright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
