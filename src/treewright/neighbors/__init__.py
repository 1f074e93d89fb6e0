"""The nearest rows: KD-trees, ball trees and distances, on which ``tw.KNNClassifier`` and ``tw.KNNRegressor`` stand."""

from treewright.neighbors.distance_metric import DistanceMetric, distance_metric
from treewright.neighbors.k_curve import KCurve
from treewright.neighbors.search_report import CASES, SearchReport
from treewright.neighbors.search_trace import SearchTrace
from treewright.neighbors.space_tree import BallTree, KDTree
from treewright.neighbors.tree_files import load

__all__ = [
    "CASES",
    "BallTree",
    "DistanceMetric",
    "KCurve",
    "KDTree",
    "SearchReport",
    "SearchTrace",
    "distance_metric",
    "load",
]
