"""The nearest rows: KD-trees, ball trees and distances, on which ``tw.KNNClassifier`` and ``tw.KNNRegressor`` stand."""

from treewright.neighbors.distance_metric import DistanceMetric, distance_metric
from treewright.neighbors.space_tree import BallTree, KDTree

__all__ = ["BallTree", "DistanceMetric", "KDTree", "distance_metric"]
