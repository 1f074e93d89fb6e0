"""Options by the names they have in other programs, and what they are called here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from treewright.errors import OptionError, shown

# Of several names the first that the estimator has.
_RENAMED: Mapping[str, tuple[str, ...]] = {
    # scikit-learn
    "min_samples_leaf": ("min_rows_leaf", "min_cases", "min_rows"),
    "min_samples_split": ("min_rows_split",),
    "max_leaf_nodes": ("max_leaves",),
    "min_impurity_decrease": ("min_gain",),
    "monotonic_cst": ("monotone",),
    "n_estimators": ("n_trees", "n_rounds", "trials"),
    "max_features": ("max_columns",),
    "max_samples": ("share_of_rows", "row_share"),
    "estimator": ("member",),
    "base_estimator": ("member",),
    "n_neighbors": ("k",),
    # rpart and partykit
    "minsplit": ("min_rows_split",),
    "minbucket": ("min_rows_leaf", "min_cases", "min_rows"),
    "maxdepth": ("max_depth",),
    "usesurrogate": ("surrogates",),
    "maxsurrogate": ("max_surrogates",),
    "loss": ("costs",),
    "prior": ("priors",),
    "cost": ("attribute_costs", "costs"),
    "alpha": ("alpha_split", "significance"),
    "mtry": ("max_columns",),
    "ntree": ("n_trees",),
    # Weka, C4.5 and C5.0
    "cf": ("confidence",),
    "confidence_factor": ("confidence",),
    "min_num_obj": ("min_cases", "min_rows_leaf", "min_rows"),
    "mincases": ("min_cases", "min_rows_leaf"),
    "binary_splits": ("binary",),
    "subtree_raising": ("raising",),
    "use_laplace": ("laplace",),
    "fuzzythreshold": ("soft_thresholds",),
    # CHAID
    "alpha2": ("alpha_merge",),
    "alpha4": ("alpha_split",),
    "min_parent_node_size": ("min_rows_split",),
    "min_child_node_size": ("min_rows_leaf",),
    "split_threshold": ("alpha_split",),
}
_PRUNING: Mapping[str, str] = {
    "ccp_alpha": "prune=tw.prune.CostComplexity(alpha={value})",
    "cp": "prune=tw.prune.CostComplexity(alpha={value}, relative=True)",
    "complexity": "prune=tw.prune.CostComplexity(alpha={value}, relative=True)",
}
_ON_THE_COMMAND_LINE = {
    "ccp_alpha": "--prune cost-complexity:alpha=VALUE",
    "cp": "--prune cost-complexity:alpha=VALUE,relative=true",
    "complexity": "--prune cost-complexity:alpha=VALUE,relative=true",
}
_NEAR = 0.75  # how alike a name must be to be suggested


class UnknownOptionError(OptionError, TypeError):
    """An option that an estimator does not have."""


def unknown_option(owner: str, name: str, value: Any, known: Iterable[str]) -> UnknownOptionError:
    """The error for it, with what the option of another program is called here, or the nearest name.

    >>> print(unknown_option("CARTClassifier", "min_samples_leaf", 5, ["max_depth", "min_rows_leaf"]))
    unknown CARTClassifier option 'min_samples_leaf'. Hint: min_samples_leaf=5 is min_rows_leaf=5 here.
    """
    names = sorted(known)
    text = shown(value)
    ours = called_here(name, names)
    if ours is not None:
        hint = f"{name}={text} is {ours}={text} here"
    elif _key(name) in _PRUNING and "prune" in names:
        hint = f"{name}={text} is {_PRUNING[_key(name)].format(value=text)} here"
    else:
        near = get_close_matches(name.lower(), names, n=1, cutoff=_NEAR)
        hint = (f"did you mean {near[0]!r}? There are " if near else "there are ") + ", ".join(names)
    return UnknownOptionError(f"unknown {owner} option {name!r}", hint)


def called_here(name: str, known: Iterable[str]) -> str | None:
    """What another program's option is called among the known ones."""
    names = set(known)
    return next((ours for ours in _RENAMED.get(_key(name), ()) if ours in names), None)


def pruning_called_here(name: str) -> str | None:
    """The same on the command line, of options that prune."""
    return _ON_THE_COMMAND_LINE.get(_key(name))


def _key(name: str) -> str:
    return name.lower().replace("-", "_").strip("_")
