"""Smaller trees from grown ones: one file per method."""

from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.error_based import ErrorBased

__all__ = ["CostComplexity", "ErrorBased"]
