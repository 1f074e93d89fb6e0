"""Smaller trees from grown ones: one file per method."""

from treewright.prune.cost_complexity import CostComplexity

__all__ = ["CostComplexity"]
