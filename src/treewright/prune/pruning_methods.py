"""Methods by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from typing import Any, TypeAlias

from treewright.errors import OptionError, shown, unknown
from treewright.prune.manual_pruning import AtNodes, MergeSame, ToDepth, ToLeaves, Where
from treewright.prune.methods.cost_based import CostBased
from treewright.prune.methods.cost_complexity import CostComplexity, ErrorComplexity
from treewright.prune.methods.critical_value import CriticalValue
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.methods.mdl import MDL
from treewright.prune.methods.minimum_error import MinimumError
from treewright.prune.methods.pessimistic import Pessimistic
from treewright.prune.methods.reduced_error import ReducedError
from treewright.prune.pruning_option_texts import document
from treewright.prune.tree_selection import standard_errors
from treewright.tree.tree import Tree

Pruner: TypeAlias = Callable[..., Tree]  # of a tree, its schema and, if it needs them, rows

METHODS: dict[str, Any] = {
    "cost-based": CostBased,
    "cost-complexity": CostComplexity,
    "critical-value": CriticalValue,
    "depth": ToDepth,
    "error-based": ErrorBased,
    "error-complexity": ErrorComplexity,
    "leaves": ToLeaves,
    "mdl": MDL,
    "merge-same": MergeSame,
    "minimum-error": MinimumError,
    "nodes": AtNodes,
    "pessimistic": Pessimistic,
    "reduced-error": ReducedError,
    "where": Where,
}
document(*METHODS.values())


def pruner_of(method: Any, options: dict[str, Any], rule: Any = "1se", also: Iterable[str] = ()) -> Pruner:
    """The pruner of a name and its options, or a pruner as it is. ``also`` are options that the caller takes himself.

    >>> pruner_of("minimum-error", {"m": 2})
    MinimumError(m=2)
    """
    if not isinstance(method, str):
        return _given(method, options)
    standard_errors(options.get("rule", rule))
    kind = METHODS.get(method.lower())
    if kind is None:
        raise unknown("pruning method", method, METHODS)
    known = {field.name: field for field in fields(kind) if field.init}
    for name in options:
        if name not in known:
            raise unknown(f"option of {method} pruning", name, [*known, *also])
    for name, field in known.items():
        if name not in options and field.default is MISSING:
            raise OptionError(
                f"{method} pruning needs {name}=",
                f'for example model.prune("{method}", {name}=…) or, in the fit, prune={{"{method}": {{"{name}": …}}}}',
            )
    made: Pruner = kind(**{**({"rule": rule} if "rule" in known else {}), **options})
    return made


def _given(pruner: Any, options: dict[str, Any]) -> Pruner:
    if not callable(pruner) or isinstance(pruner, type):
        raise OptionError(
            f"the method of pruning is a name or a pruner, got {shown(pruner)}", f"names are {', '.join(METHODS)}"
        )
    if options:
        raise OptionError(f"{next(iter(options))}= is an option of a method by name", f"give it to {pruner!r} itself")
    made: Pruner = pruner
    return made


def name_of(pruner: Pruner) -> str:
    """The name of a pruner's method."""
    names = {kind: name for name, kind in METHODS.items()}
    return names.get(type(pruner), getattr(pruner, "__name__", type(pruner).__name__))


def needs_data(pruner: Pruner) -> bool:
    return bool(getattr(pruner, "needs_data", False))


def needs_training(pruner: Pruner) -> bool:
    return bool(getattr(pruner, "needs_training", False))
