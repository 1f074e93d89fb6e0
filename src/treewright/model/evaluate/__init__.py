"""How good a model is, how that changes with its size and its rows, and whether another is better.

Splitters and metrics are scikit-learn's; what is added is the picture of overfitting along a sequence of trees, and a
test between models that knows that folds share rows; how much a model overfits, where its error comes from (bias and
variance), and how measures prefer columns of many levels.
"""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.model.evaluate.bias_decomposition import BiasVariance, bias_variance
from treewright.model.evaluate.classification_metrics import Evaluation, evaluate
from treewright.model.evaluate.comparison import ModelComparison, ModelRow, compare, corrected_t_test
from treewright.model.evaluate.curves import Curve, complexity_curve, learning_curve
from treewright.model.evaluate.gains_table import GainsTable, gains
from treewright.model.evaluate.level_bias import MeasureBias, measure_bias
from treewright.model.evaluate.number_metrics import NumberEvaluation
from treewright.model.evaluate.overfitting_amount import Overfitting, overfitting
from treewright.model.evaluate.partial_dependence import PartialDependence, partial_dependence
from treewright.model.evaluate.removal_curve import PruningCurve, pruning_curve
from treewright.model.evaluate.row_partition import three_parts
from treewright.model.evaluate.tree_comparison import TreeComparison, TreeRow, compare_trees

__all__ = [
    "BiasVariance",
    "Curve",
    "Evaluation",
    "GainsTable",
    "MeasureBias",
    "ModelComparison",
    "ModelRow",
    "NumberEvaluation",
    "Overfitting",
    "PartialDependence",
    "PruningCurve",
    "TreeComparison",
    "TreeRow",
    "bias_variance",
    "compare",
    "compare_trees",
    "complexity_curve",
    "corrected_t_test",
    "evaluate",
    "gains",
    "learning_curve",
    "measure_bias",
    "overfitting",
    "partial_dependence",
    "pruning_curve",
    "three_parts",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))
