"""How well models predict, and why: ``tw.evaluate``, which ``import treewright.evaluate`` finds too."""

from treewright.model.evaluate import *  # noqa: F403
from treewright.model.evaluate import __all__ as __all__
