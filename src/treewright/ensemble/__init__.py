"""Many trees: how members are drawn from the rows, grown, weighted and combined, and what can be read from them."""

from treewright.ensemble import ensemble_files  # whoever has an ensemble can save it and load it

__all__ = ["ensemble_files"]
