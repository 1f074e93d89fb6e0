"""Which values the options take: one mapping, read by every estimator and by whoever builds forms or help from it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treewright.compat.c45_programs import FLAVOURS as C45_FLAVOURS
from treewright.criteria.registry import CLASSES, CRITERIA, SAME_AS
from treewright.errors import OptionError, shown
from treewright.model.options.familiar_names import value_called_here
from treewright.model.options.limit import Being, Either, Limit, Number, OneOf, Whole, WholeUpTo
from treewright.recipe_parts.attribute_costs import RULES
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ANY, CHOSEN
from treewright.recipes.chaid import FLAVOURS, FLOAT


class RefusedOptionError(OptionError):
    """A value that an option does not accept. Whoever reads options from text says so in words of his own."""

    def __init__(
        self, problem: str, hint: str | None = None, option: str = "", value: Any = None, limit: Any = None
    ) -> None:
        super().__init__(problem, hint)
        self.option, self.value, self.limit = option, value, limit


def _is_by_class(value: Any) -> bool:
    return isinstance(value, (Mapping, Sequence, np.ndarray)) and not isinstance(value, str)


_POLICIES = OneOf(tuple(policy.value for policy in Missing))
_AT_PREDICT = OneOf(("fractional", "every", "common", "stop", "drop", "error"))  # others are learned


def _by_column(policies: OneOf) -> Either:
    """One of the policies for all columns, or a mapping of columns to them."""

    def is_by_column(value: Any) -> bool:
        return isinstance(value, Mapping) and all(policies.accepts(policy) for policy in value.values())

    return Either((policies, Being(is_by_column, "a mapping of column to one of these", "COLUMN=ONE,…")))


def _is_signs(value: Any) -> bool:
    return value is None or (
        isinstance(value, Mapping) and all(isinstance(sign, int) and sign in (-1, 0, 1) for sign in value.values())
    )


def _is_names(value: Any) -> bool:
    is_collection = isinstance(value, (Sequence, set, frozenset)) and not isinstance(value, str)
    return value is None or (is_collection and all(isinstance(name, str) for name in value))


def _is_groups(value: Any) -> bool:
    is_collection = isinstance(value, Sequence) and not isinstance(value, str)
    return value is None or (is_collection and all(group is not None and _is_names(group) for group in value))


def _is_forced(value: Any) -> bool:
    return value is None or (
        isinstance(value, Mapping)
        and all(Whole(0).accepts(depth) and isinstance(name, str) for depth, name in value.items())
    )


def _takes(*counts: int) -> Callable[[Any], bool]:
    """Whether a value is a function, or an object that is called as one, of one of these numbers of arguments."""

    def check(value: Any) -> bool:
        if not callable(value) or isinstance(value, type):
            return False
        try:
            signature = inspect.signature(value)
        except (TypeError, ValueError):  # a function of C, which does not say what it takes
            return True
        return any(_binds(signature, count) for count in counts)

    return check


def _binds(signature: inspect.Signature, n_arguments: int) -> bool:
    try:
        signature.bind(*[None] * n_arguments)
    except TypeError:
        return False
    return True


ENGINES = ("exact", "histogram")
_SEEDS = 2**32  # as many as NumPy's generators know
_OWN = Being(_takes(1), "a function of a tw.Table", "")
_TARGETS = {name: CRITERIA[SAME_AS.get(name, name)].target for name in (*CRITERIA, *SAME_AS)}
CLASS_CRITERIA = Either((OneOf(tuple(name for name, target in _TARGETS.items() if target == CLASSES)), _OWN))
NUMBER_CRITERIA = Either((OneOf(tuple(name for name, target in _TARGETS.items() if target != CLASSES)), _OWN))

LIMITS: Mapping[str, Limit] = {
    "max_depth": Whole(0, optional=True),
    "max_leaves": Whole(1, optional=True),
    "min_rows_split": Whole(2),
    "min_rows_leaf": Whole(1),
    "min_weight_fraction_leaf": Number(0.0, most=0.5),
    "min_gain": Number(0.0),
    "significance": Either((OneOf((None,)), Number(0.0, above=True, most=1.0))),
    "significance_of": OneOf((CHOSEN, ANY)),
    "above_average": OneOf((True, False)),
    "kinds": Being(lambda value: value is None or isinstance(value, Mapping), "a mapping of column to kind, or None"),
    "missing": _by_column(_POLICIES),
    "missing_at_predict": Either((OneOf((None,)), _by_column(_AT_PREDICT))),
    "surrogates": OneOf(("breiman", "rpart")),
    "max_surrogates": Whole(0),
    "surrogate_agreement": OneOf(("all", "known")),
    "surrogate_otherwise": OneOf(("majority", "stop")),
    "unseen": OneOf(("missing", "error")),
    "engine": OneOf(ENGINES),
    "class_weight": Being(
        lambda value: value is None or isinstance(value, Mapping) or (isinstance(value, str) and value == "balanced"),
        "None, 'balanced' or a mapping of class to weight",
        "none, balanced or CLASS=NUMBER,…",
    ),
    "costs": Being(
        lambda value: value is None or _is_by_class(value),
        "None, a mapping {(truth, prediction): cost} or a square matrix, rows being the truth",
    ),
    "priors": Being(
        lambda value: value is None or _is_by_class(value) or (isinstance(value, str) and value == "equal"),
        "None, 'equal', a mapping of class to prior or a number per class, adding up to 1",
        "none, equal or CLASS=SHARE,… that add up to 1",
    ),
    "attribute_costs": Being(
        lambda value: value is None or isinstance(value, Mapping),
        "None or a mapping of column to the cost of its test",
        "none or COLUMN=NUMBER,…",
    ),
    "test_groups": Being(
        lambda value: value is None or isinstance(value, Mapping),
        "None or a mapping of group to its columns",
        'none or {"GROUP": ["COLUMN", …]}',
    ),
    "cost_rule": OneOf(RULES),
    "cost_weight": Number(0.0, most=1.0),
    "random_state": Being(
        lambda value: (
            value is None or isinstance(value, np.random.RandomState) or (Whole(0).accepts(value) and value < _SEEDS)
        ),
        "None, a whole number from 0 to 2**32 - 1 or a numpy.random.RandomState",
        "none or a whole number from 0 to 2**32 - 1",
    ),
    "n_jobs": Being(
        lambda value: value is None or (Whole(-1).accepts(value) and value != 0),
        "None or -1 (all cores), or a whole number of at least 1",
        "none or -1 (all cores), or a whole number of at least 1",
    ),
    "tie": OneOf(("first", "random")),
    "progress": OneOf((True, False)),
    "monotone": Being(
        _is_signs,
        "None or a mapping of column to 1 (rising), -1 (falling) or 0",
        "none or COLUMN=1 (rising), COLUMN=-1 (falling), …",
    ),
    "interactions": Being(_is_groups, "None or a list of lists of columns", "none or COLUMN,COLUMN;COLUMN,…"),
    "force": Being(
        _is_forced, "None or a mapping of depth, from 0 at the root, to column", "none or DEPTH=COLUMN,…, 0 the root"
    ),
    "forbid": Being(_is_names, "None or a list of columns", "none or COLUMN,…"),
    "min_branch_share": Number(0.0, most=0.5),
    "max_levels": Whole(1, optional=True),
    "select": Being(lambda value: value is None or _takes(1)(value), "None or a function of a list of candidates", ""),
    "stop": Being(lambda value: value is None or _takes(1)(value), "None or a function of an open node", ""),
    "splits": OneOf(("multiway", "subset", "one-vs-rest")),
    "base": Number(1.0, above=True),
    "empty": OneOf(("parent", "overall")),
    "smoothing": Either((Number(0.0), OneOf(("laplace",)))),
    "prune": Being(
        lambda value: value is None or isinstance(value, (str, Mapping)) or _takes(2, 3)(value),
        "None, a method of tw.prune by name, a name with its options such as {'cost-complexity': {'cv': 10}}, or a "
        "pruner such as tw.prune.CostComplexity(0.01)",
    ),
}

_OF_MODELS: Mapping[str, Limit] = {"ridge": Number(0.0), "eliminate": OneOf((True, False))}
CLASSIFIER_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    **_OF_MODELS,
    "criterion": CLASS_CRITERIA,
    "leaf": OneOf(("shares", "logistic")),
}
REGRESSOR_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    **_OF_MODELS,
    "criterion": NUMBER_CRITERIA,
    "leaf": OneOf(("mean", "linear")),
    "extrapolation": Number(0.0, most=100.0),
}


def _are_widths(value: Any) -> bool:
    is_sequence = isinstance(value, (list, tuple)) and len(value) <= _MOST_LEVELS
    return is_sequence and all(Whole(1).accepts(width) and width <= _MOST_WIDTH for width in value)


_MOST_LEVELS, _MOST_WIDTH = 10, 100  # of a search; the rows are copied for every alternative
_SEARCH: Mapping[str, Limit] = {
    "search": Being(
        _are_widths,
        f"how many columns nodes keep at each depth, such as (5, 3, 2): up to {_MOST_LEVELS} whole numbers from 1 to "
        f"{_MOST_WIDTH}",
        f"up to {_MOST_LEVELS} whole numbers from 1 to {_MOST_WIDTH}, such as 5,3,2",
    ),
    "rule": Either((Number(0.0), OneOf(("0se", "1se")))),
    "cv": Being(
        lambda value: (
            Whole(2).accepts(value)
            or (isinstance(value, str) and value == "loo")
            or (hasattr(value, "get_n_splits") and not isinstance(value, type))
        ),
        "a whole number of at least 2, 'loo' or a splitter of scikit-learn",
        "a whole number of at least 2, or loo",
    ),
    "repeats": Whole(1, optional=True),
    "choose": OneOf(("cv", "oob")),
    "alpha": Either((OneOf((None,)), Number(0.0))),
    "alternative_cost": Number(0.0),
    "missing": _by_column(OneOf(("learned", "branch", "common", "stop", "drop", "error"))),
}
SEARCH_CLASSIFIER_LIMITS: Mapping[str, Limit] = {**CLASSIFIER_LIMITS, **_SEARCH}
SEARCH_REGRESSOR_LIMITS: Mapping[str, Limit] = {**REGRESSOR_LIMITS, **_SEARCH}

_YES_NO = OneOf((True, False))
_MOST_TRIALS = 1000  # of boosting
C45_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    "confidence": Number(0.0, above=True, most=1.0),
    "min_cases": Number(1.0),
    "flavour": OneOf(tuple(C45_FLAVOURS)),
    "criterion": Being(
        OneOf(("gain_ratio", "gain")).accepts,
        "'gain_ratio' or 'gain', by which C4.5 chooses; TreeClassifier takes every measure",
        "gain_ratio or gain",
    ),
    "thresholds": OneOf(("values", "midpoints")),
    **dict.fromkeys(("binary", "subset", "mdl", "soft_thresholds", "collapse", "raising", "laplace"), _YES_NO),
    "prune": Being(
        lambda value: value is not None and (_YES_NO.accepts(value) or LIMITS["prune"].accepts(value)),
        "True, False, a method of tw.prune by name, a name with its options, or a pruner",
        "",
    ),
}
M5_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    **dict.fromkeys(("prune", "smooth"), _YES_NO),
    "min_rows": Whole(1),
    "leaf": OneOf(("linear", "mean")),
}
CUBIST_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    "committees": WholeUpTo(1, 100),
    "neighbors": WholeUpTo(0, 9),
    "rules": WholeUpTo(1, 1_000_000),
    "extrapolation": Number(0.0, most=100.0),
    "unbiased": _YES_NO,
    "sample": Either((OneOf((None,)), Number(0.0, above=True, most=99.9))),
    "random_state": WholeUpTo(0, 2**31 - 1),
}
C45_RULES_LIMITS: Mapping[str, Limit] = {**C45_LIMITS, "theory_weight": Number(0.0)}
C50_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    "trials": Being(
        lambda value: Whole(1).accepts(value) and value <= _MOST_TRIALS, f"a whole number from 1 to {_MOST_TRIALS}"
    ),
    "confidence": Number(0.0, most=1.0),
    "min_cases": Whole(1),
    "bands": Either((OneOf((None,)), Whole(2))),
    "sample": Either((OneOf((None,)), Number(0.0, above=True, most=0.999))),
    "not_applicable": Being(
        lambda value: (
            value is None or (isinstance(value, Mapping) and all(map(Number(-math.inf).accepts, value.values())))
        ),
        "None or a mapping of column to the number that means not applicable",
        "none or COLUMN=NUMBER,…",
    ),
    **dict.fromkeys(("rules", "winnow", "subset", "soft_thresholds", "global_pruning", "early_stopping"), _YES_NO),
}


def _are_bins(value: Any) -> bool:
    """How a column of numbers is cut: a number of bins, or rising edges."""
    if Whole(2).accepts(value):
        return True
    if not isinstance(value, (list, tuple, np.ndarray)) or not len(value):
        return False
    edges = [float(edge) for edge in value if Number(-math.inf).accepts(edge)]
    return len(edges) == len(value) and all(low < high for low, high in pairwise(edges))


_ALPHA = Being(lambda value: Number(0.0, above=True).accepts(value) and value < 1, "a number above 0 and below 1")
CHAID_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    "missing": _by_column(OneOf((FLOAT, *_POLICIES.choices))),
    "alpha_merge": _ALPHA,
    "alpha_split": _ALPHA,
    "alpha_resplit": Either((OneOf((None,)), _ALPHA)),
    "bonferroni": _YES_NO,
    "exhaustive": _YES_NO,
    "flavour": OneOf(FLAVOURS),
    "test": OneOf(("chi2", "g", "scores")),
    "scores": Being(
        lambda value: (
            value is None or (isinstance(value, Mapping) and all(map(Number(-math.inf).accepts, value.values())))
        ),
        "None or a mapping of class to number",
        "none or CLASS=NUMBER,…",
    ),
    "bins": Being(
        lambda value: Whole(2).accepts(value) or (isinstance(value, Mapping) and all(map(_are_bins, value.values()))),
        "a whole number of at least 2, or a mapping of column to such a number or to a list of rising edges",
        'a whole number of at least 2, or COLUMN=NUMBER,…, or {"COLUMN": [EDGE, …]}',
    ),
    "max_branches": Whole(2, optional=True),
    "small_node_share": Number(0.0, above=True, most=1.0),
}


def check_options(values: Mapping[str, Any], limits: Mapping[str, Limit] = LIMITS) -> None:
    """Raise for the first option whose value is not accepted; options without limits are not looked at."""
    for name, value in values.items():
        if name in limits and not limits[name].accepts(value):
            limit = limits[name]
            ours = value_called_here(name, value, limit)
            hint = f"{name} is {limit}" if ours is None else f"{name}={shown(value)} is {name}={ours!r} here"
            raise RefusedOptionError(f"{name}={shown(value)} is not accepted", hint, name, value, limit)


def check_significance(model: Any) -> None:
    """Whose p counts means nothing where none does."""
    if model.significance is None and model.significance_of != CHOSEN:
        raise OptionError(
            f"significance_of={model.significance_of!r} says whose p must be small, and no significance is given",
            "give significance=0.05 as well",
        )


def check_models(model: Any) -> None:
    """Models need the numbers themselves; options of models mean nothing without them."""
    plain = model.leaf in ("mean", "shares")
    if not plain and model.engine == "histogram":
        raise OptionError(
            f"leaf={model.leaf!r} needs the numbers of a column, and engine='histogram' keeps their bins",
            "use engine='exact'",
        )
    if not plain and model.monotone is not None:
        raise OptionError(
            f"monotone holds for values of leaves, and leaf={model.leaf!r} has models", "leave one of them out"
        )
    if not plain and getattr(model, "smoothing", None):
        raise OptionError(f"smoothing is of shares, and leaf={model.leaf!r} has models", "leave one of them out")
    for name in ("ridge", "eliminate", "extrapolation") if plain else ():
        default = type(model).__dataclass_fields__[name].default if hasattr(model, name) else None
        if hasattr(model, name) and getattr(model, name) != default:
            raise OptionError(f"{name} is of models, and leaf={model.leaf!r} has none", "choose other leaves as well")


def check_average(model: Any) -> None:
    """Columns of less than average gain are left out where others are compared by something else than their gain."""
    if model.above_average and model.criterion != "gain_ratio":
        raise OptionError(
            f'above_average goes with criterion="gain_ratio", and the criterion is {shown(model.criterion)}',
            "leave it out, or choose by gain ratio",
        )
