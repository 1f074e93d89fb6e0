"""How good a model is, how that changes with its size and its rows, and whether another is better.

Splitters and metrics are scikit-learn's; what is added is the picture of overfitting along a sequence of trees, and a
test between models that knows that folds share rows.
"""

from treewright.model.evaluate.classification_metrics import Evaluation, evaluate
from treewright.model.evaluate.comparison import ModelComparison, ModelRow, compare, corrected_t_test
from treewright.model.evaluate.curves import Curve, complexity_curve, learning_curve
from treewright.model.evaluate.row_partition import three_parts
from treewright.model.evaluate.tree_comparison import TreeComparison, TreeRow, compare_trees

__all__ = [
    "Curve",
    "Evaluation",
    "ModelComparison",
    "ModelRow",
    "TreeComparison",
    "TreeRow",
    "compare",
    "compare_trees",
    "complexity_curve",
    "corrected_t_test",
    "evaluate",
    "learning_curve",
    "three_parts",
]
