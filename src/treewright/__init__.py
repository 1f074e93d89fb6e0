"""treewright: decision trees you can trust, edit and ship.

Names are loaded when they are first used, so that ``import treewright`` is quick and numba waits for the first fit.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright import costs, criteria, datasets, plots, prune, rules, teach
    from treewright.errors import DataError, ModelFileError, OptionError, TreewrightError, TreewrightWarning
    from treewright.model import evaluate
    from treewright.model.c45_classifier import C45Classifier
    from treewright.model.c45_rules_classifier import C45RulesClassifier
    from treewright.model.chaid_estimators import CHAIDClassifier, CHAIDRegressor
    from treewright.model.classifier import CARTClassifier, ID3Classifier, TreeClassifier
    from treewright.model.discretizer import Discretizer, discretize
    from treewright.model.evaluate import compare
    from treewright.model.fitting import fit
    from treewright.model.model_files import load
    from treewright.model.ranking import rank_attributes
    from treewright.model.regressor import CARTRegressor, TreeRegressor
    from treewright.model.search_tree import SearchTreeClassifier, SearchTreeRegressor
    from treewright.model.tree_by_hand import tree_by_hand
    from treewright.table import Table

__version__ = "0.1.0"

_HOME = {
    "C45Classifier": "treewright.model.c45_classifier",
    "C45RulesClassifier": "treewright.model.c45_rules_classifier",
    "CARTClassifier": "treewright.model.classifier",
    "CARTRegressor": "treewright.model.regressor",
    "CHAIDClassifier": "treewright.model.chaid_estimators",
    "CHAIDRegressor": "treewright.model.chaid_estimators",
    "DataError": "treewright.errors",
    "Discretizer": "treewright.model.discretizer",
    "ID3Classifier": "treewright.model.classifier",
    "ModelFileError": "treewright.errors",
    "OptionError": "treewright.errors",
    "SearchTreeClassifier": "treewright.model.search_tree",
    "SearchTreeRegressor": "treewright.model.search_tree",
    "Table": "treewright.table",
    "TreeClassifier": "treewright.model.classifier",
    "TreeRegressor": "treewright.model.regressor",
    "TreewrightError": "treewright.errors",
    "TreewrightWarning": "treewright.errors",
    "compare": "treewright.model.evaluate",
    "discretize": "treewright.model.discretizer",
    "fit": "treewright.model.fitting",
    "load": "treewright.model.model_files",
    "rank_attributes": "treewright.model.ranking",
    "tree_by_hand": "treewright.model.tree_by_hand",
}
_MODULES = {
    "costs": "treewright.costs",
    "criteria": "treewright.criteria",
    "datasets": "treewright.datasets",
    "evaluate": "treewright.model.evaluate",
    "plots": "treewright.plots",
    "prune": "treewright.prune",
    "rules": "treewright.rules",
    "teach": "treewright.teach",
}

__all__ = [
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "DataError",
    "Discretizer",
    "ID3Classifier",
    "ModelFileError",
    "OptionError",
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
    "load",
    "plots",
    "prune",
    "rank_attributes",
    "rules",
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
