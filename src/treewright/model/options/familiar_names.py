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
    # SPSS, SAS and Weka, as written there
    "minparentsize": ("min_rows_split",),
    "minchildsize": ("min_rows_leaf", "min_cases"),
    "alphasplit": ("alpha_split",),
    "alphamerge": ("alpha_merge",),
    "minleafsize": ("min_rows_leaf", "min_cases"),
    "minnumobj": ("min_cases", "min_rows_leaf", "min_rows"),
    "confidencefactor": ("confidence",),
}
# What is nearest here, and does not mean quite the same.
_NEAREST: Mapping[str, tuple[str, str]] = {
    "min_impurity_decrease": (
        "min_gain",
        "min_gain is nearest, but is what the node itself gains, not times its share of the rows: one number gives two "
        "trees",
    ),
    "usesurrogate": (
        "surrogate_otherwise",
        'usesurrogate=2 is missing="surrogate" here, and usesurrogate=1 also surrogate_otherwise="stop"',
    ),
}
_PRUNING: Mapping[str, str] = {
    "ccp_alpha": "prune=tw.prune.CostComplexity(alpha={value})",
    "cp": "prune=tw.prune.CostComplexity(alpha={value}, relative=True{risk})",
    "complexity": "prune=tw.prune.CostComplexity(alpha={value}, relative=True{risk})",
}
_ON_THE_COMMAND_LINE = {
    "ccp_alpha": "--prune cost-complexity:alpha=VALUE",
    "cp": "--prune cost-complexity:alpha=VALUE,relative=true,risk=misclassification (of classes)",
    "complexity": "--prune cost-complexity:alpha=VALUE,relative=true,risk=misclassification (of classes)",
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
        risk = "" if owner.endswith("Regressor") else ', risk="misclassification"'
        hint = f"{name}={text} is {_PRUNING[_key(name)].format(value=text, risk=risk)} here"
    elif (nearest := nearest_here(name, names)) is not None:
        hint = nearest
    else:
        near = get_close_matches(name.lower(), names, n=1, cutoff=_NEAR)
        hint = (f"did you mean {near[0]!r}? There are " if near else "there are ") + ", ".join(names)
    return UnknownOptionError(f"unknown {owner} option {name!r}", hint)


def called_here(name: str, known: Iterable[str]) -> str | None:
    """What another program's option is called among the known ones."""
    names = set(known)
    return next((ours for ours in _RENAMED.get(_key(name), ()) if ours in names), None)


def nearest_here(name: str, known: Iterable[str]) -> str | None:
    """What is like another program's option among the known ones, and how it differs."""
    ours, text = _NEAREST.get(_key(name), ("", ""))
    return text if ours in set(known) else None


def pruning_called_here(name: str) -> str | None:
    """The same on the command line, of options that prune."""
    return _ON_THE_COMMAND_LINE.get(_key(name))


def _key(name: str) -> str:
    return name.lower().replace("-", "_").strip("_")
