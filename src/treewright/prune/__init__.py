"""Smaller trees from grown ones: one file per method, one shape.

A pruner is a frozen record of its options that is called with a tree, its schema and, where its method needs them,
rows; it returns a new tree and leaves the old one as it was. Most need nothing but the statistics that nodes keep. Some
choose with held-out rows (reduced error; cost-complexity, error-complexity and critical value when their parameter is
left out), and error-based pruning with raising sends the rows of the fit down the tree anew.
"""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.prune.holdout import HoldOut, hold_out
from treewright.prune.manual_pruning import AtNodes, MergeSame, ToDepth, ToLeaves, Where
from treewright.prune.method_comparison import Comparison, compare
from treewright.prune.methods.cost_based import CostBased
from treewright.prune.methods.cost_complexity import CostComplexity, ErrorComplexity
from treewright.prune.methods.critical_value import CriticalValue
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.methods.mdl import MDL
from treewright.prune.methods.minimum_error import MinimumError
from treewright.prune.methods.pessimistic import Pessimistic
from treewright.prune.methods.reduced_error import ReducedError
from treewright.prune.pruning_methods import METHODS
from treewright.prune.pruning_path import PruningPath
from treewright.prune.pruning_report import PruningReport, report
from treewright.prune.training_rows import TrainingRows

__all__ = [
    "MDL",
    "METHODS",
    "AtNodes",
    "Comparison",
    "CostBased",
    "CostComplexity",
    "CriticalValue",
    "ErrorBased",
    "ErrorComplexity",
    "HoldOut",
    "MergeSame",
    "MinimumError",
    "Pessimistic",
    "PruningPath",
    "PruningReport",
    "ReducedError",
    "ToDepth",
    "ToLeaves",
    "TrainingRows",
    "Where",
    "compare",
    "hold_out",
    "report",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
