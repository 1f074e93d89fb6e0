"""Options of nearest neighbours: what they accept, and which do not go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import OptionError, shown
from treewright.model.options.limit import Being, Either, Limit, Number, OneOf, Whole
from treewright.model.options.option_limits import LIMITS
from treewright.neighbors.distance_metric import METRICS
from treewright.neighbors.mixed_metric import MIXED_METRICS
from treewright.neighbors.number_search import ALGORITHMS
from treewright.neighbors.vote_shares import VOTE_WEIGHTS


def _are_weights(value: Any) -> bool:
    if value is None:
        return True
    values = list(value.values()) if isinstance(value, Mapping) else value
    is_collection = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str)
    return is_collection and len(values) > 0 and all(map(Number(0.0).accepts, values))


KNN_LIMITS: Mapping[str, Limit] = {
    **LIMITS,
    "k": Either((Whole(1), OneOf(("auto",)))),
    "max_k": Whole(1, optional=True),
    "cv": Either((Whole(2), OneOf(("loo",)))),
    "metric": OneOf(("auto", *METRICS, *MIXED_METRICS)),
    "p": Either((OneOf((None,)), Number(1.0))),
    "column_weights": Being(
        _are_weights,
        "None, a number of at least 0 per column or a mapping of column to number",
        "none or COLUMN=NUMBER,…",
    ),
    "weights": OneOf(VOTE_WEIGHTS),
    "scale": OneOf(("auto", None, "standard", "minmax")),
    "algorithm": OneOf(ALGORITHMS),
    "leaf_size": Whole(1, optional=True),
    "flavour": OneOf((None, "ibk")),
}


def check_k_options(model: Any) -> None:
    """What says how k is chosen means nothing where it is given."""
    if model.k != "auto" and model.max_k is not None:
        raise OptionError(f'max_k={model.max_k} goes with k="auto", and k is {model.k}', "leave one of them out")


def check_metric_options(model: Any) -> None:
    if model.p is not None and model.metric != "minkowski":
        raise OptionError(
            f'p={model.p} goes with metric="minkowski", and the metric is {model.metric!r}', "leave it out"
        )
    if model.metric in MIXED_METRICS and (model.algorithm not in ("auto", "brute") or model.leaf_size is not None):
        raise OptionError(
            f"metric={model.metric!r} compares all rows, which needs no tree", "leave out algorithm and leaf_size"
        )
    if model.algorithm == "brute" and model.leaf_size is not None:
        raise OptionError("leaf_size is of trees, and algorithm='brute' has none", "leave it out")


def check_flavour(model: Any) -> None:
    """Weka's IBk is one combination of options."""
    usual = {"metric": "auto", "scale": "auto", "weights": "uniform", "algorithm": "auto", "leaf_size": None}
    odd = [name for name, value in usual.items() if getattr(model, name) != value]
    if model.flavour == "ibk" and (odd or model.k == "auto"):
        name = odd[0] if odd else "k"
        raise OptionError(f"flavour='ibk' has its own {name}, got {shown(getattr(model, name))}", f"leave {name} out")


def column_weights(given: Any, names: tuple[str, ...]) -> list[float] | None:
    """A weight per column, 1 for those a mapping does not name."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise OptionError(f"column_weights names {name!r}, which is no column", f"there are {', '.join(names)}")
        made = [float(given.get(name, 1.0)) for name in names]
    else:
        made = [float(weight) for weight in given]
        if len(made) != len(names):
            raise OptionError(f"there are {len(made)} column_weights for {len(names)} columns", "give one for each")
    if not any(made):
        raise OptionError("all column_weights are 0: all rows would be equally far", "give one above 0")
    return made
