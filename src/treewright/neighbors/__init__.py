"""The nearest rows: KD-trees, ball trees and distances, on which ``tw.KNNClassifier`` and ``tw.KNNRegressor`` stand."""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.neighbors.distance_metric import DistanceMetric, distance_metric
from treewright.neighbors.k_curve import KCurve
from treewright.neighbors.search_report import CASES, SearchReport
from treewright.neighbors.search_studies import CaseStudy, TimeStudy, case_study, time_study
from treewright.neighbors.search_trace import SearchTrace
from treewright.neighbors.space_tree import BallTree, KDTree
from treewright.neighbors.tree_files import load

__all__ = [
    "CASES",
    "BallTree",
    "CaseStudy",
    "DistanceMetric",
    "KCurve",
    "KDTree",
    "SearchReport",
    "SearchTrace",
    "TimeStudy",
    "case_study",
    "distance_metric",
    "load",
    "time_study",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
