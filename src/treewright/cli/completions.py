"""What a shell completes to where an option or an argument takes one of several names."""

from __future__ import annotations

from collections.abc import Iterable


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Methods of learning, and the programs that may be named in their place."""
    from treewright.model import fitting

    return _beginning((*fitting.methods(), *fitting.presets()), incomplete)


def pruning(incomplete: str) -> list[str]:
    """Methods of pruning."""
    from treewright.model.learning_plan import pruning_names

    return _beginning(pruning_names(), incomplete)


def methods_and_pruning(incomplete: str) -> list[str]:
    """Both."""
    return [*methods(incomplete), *pruning(incomplete)]


def topics(incomplete: str) -> list[str]:
    """Topics of lessons."""
    from treewright.teach import TOPICS

    return _beginning((*TOPICS, "exercise"), incomplete)


def tables(incomplete: str) -> list[str]:
    """Bundled tables."""
    from treewright import datasets

    return _beginning(datasets.names(), incomplete)


def plots(incomplete: str) -> list[str]:
    """Plots by name."""
    from treewright.plots.catalogue import PLOTS

    return _beginning(PLOTS, incomplete)
