"""Smaller trees from grown ones: one file per method, one shape.

A pruner is a frozen record of its options that is called with a tree, its schema and, where its method needs them,
rows; it returns a new tree and leaves the old one as it was. Most need nothing but the statistics that nodes keep. Some
choose with held-out rows (reduced error; cost-complexity and critical value when their parameter is left out), and
error-based pruning with raising sends the rows of the fit down the tree anew.
"""

from treewright.prune.by_hand import AtNodes, MergeSame, ToDepth, ToLeaves, Where
from treewright.prune.compare import Comparison, compare
from treewright.prune.cost_based import CostBased
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.critical_value import CriticalValue
from treewright.prune.error_based import ErrorBased
from treewright.prune.holdout import HoldOut, hold_out
from treewright.prune.mdl import MDL
from treewright.prune.methods import METHODS
from treewright.prune.minimum_error import MinimumError
from treewright.prune.path import PruningPath
from treewright.prune.pessimistic import Pessimistic
from treewright.prune.reduced_error import ReducedError
from treewright.prune.report import Pruned, report
from treewright.prune.training import TrainingRows

__all__ = [
    "MDL",
    "METHODS",
    "AtNodes",
    "Comparison",
    "CostBased",
    "CostComplexity",
    "CriticalValue",
    "ErrorBased",
    "HoldOut",
    "MergeSame",
    "MinimumError",
    "Pessimistic",
    "Pruned",
    "PruningPath",
    "ReducedError",
    "ToDepth",
    "ToLeaves",
    "TrainingRows",
    "Where",
    "compare",
    "hold_out",
    "report",
]
