"""How well models predict, and why: ``tw.evaluate``, which ``import treewright.evaluate`` finds too."""

from treewright.model.evaluate import *  # noqa: F403
from treewright.model.evaluate import __all__ as __all__


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
