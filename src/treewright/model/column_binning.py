"""How a column of numbers is cut into bins: by a method with its options, or by edges the user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.binning.binning_methods import chi_merge, equal_width, mdl, optimal, quantiles
from treewright.binning.value_runs import Runs, runs_of
from treewright.data.labelled import Labelled
from treewright.data.schema import Column
from treewright.data.user_warnings import warn_user
from treewright.errors import DataError, OptionError, shown, unknown
from treewright.model.options.limit import Being, Either, Limit, Number, OneOf, Whole
from treewright.model.options.option_limits import check_options
from treewright.typing import Floats


def _are_names(value: Any) -> bool:
    """Texts, each once."""
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_list and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _are_names_by_column(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_are_names, value.values()))


OF_CLASSES = ("mdl", "chimerge")
OF_A_TARGET = (*OF_CLASSES, "optimal")
METHODS = (*OF_A_TARGET, "quantile", "width")
_USUAL_BINS = 10
_USUAL_ALPHA = 0.05
LIMITS: Mapping[str, Limit] = {
    "method": OneOf(METHODS),
    "bins": Whole(1, optional=True),
    "alpha": Either((OneOf((None,)), Number(0.0, above=True, most=1.0))),
    "min_share": Either((OneOf((None,)), Number(0.0, most=0.5))),
    "columns": Being(
        lambda value: value is None or isinstance(value, Mapping), "a mapping of column to options, or None"
    ),
    "labels": Being(
        lambda value: value is None or _are_names(value) or _are_names_by_column(value),
        "None, a list of different texts, one per bin, or a mapping of column to such a list",
    ),
    "output": OneOf(("codes", "labels")),
    "target": OneOf((None, "classes", "numbers")),
}
_ONLY_FOR = {"alpha": ("chimerge",), "min_share": ("optimal",)}


@dataclass(frozen=True)
class Binning:
    """How one column is cut: by a method with its options, or by edges the user gives."""

    method: str
    bins: int | None = None
    alpha: float | None = None
    min_share: float | None = None
    edges: tuple[float, ...] | None = None

    def check(self) -> None:
        check_options({name: getattr(self, name) for name in ("method", "bins", "alpha", "min_share")}, LIMITS)
        for name, methods in _ONLY_FOR.items():
            if getattr(self, name) is not None and self.method not in methods:
                raise OptionError(
                    f"{name}={getattr(self, name)} is not for method={self.method!r}",
                    f"{name} is an option of {', '.join(map(repr, methods))}; leave it out",
                )

    def cut(self, runs: Runs) -> Floats:
        """The edges of a column with at least two values."""
        bins = _USUAL_BINS if self.bins is None else self.bins
        if self.method == "mdl":
            return mdl(runs, self.bins)
        if self.method == "chimerge":
            return chi_merge(runs, _USUAL_ALPHA if self.alpha is None else self.alpha, self.bins)
        if self.method == "optimal":
            return optimal(runs, bins, (self.min_share or 0.0) * float(runs.weights.sum()))
        return (quantiles if self.method == "quantile" else equal_width)(runs, bins)


def binning_of(key: Any, wanted: Any, usual: Binning) -> Binning:
    """What the user says of one column."""
    if isinstance(wanted, str):
        wanted = {"method": wanted}
    if isinstance(wanted, Mapping):
        odd = [name for name in wanted if name not in ("method", "bins", "alpha", "min_share")]
        if odd:
            raise unknown(f"option of column {key!r}", odd[0], ("method", "bins", "alpha", "min_share"))
        # Options of the usual method are not meant for another one.
        base = usual if wanted.get("method", usual.method) == usual.method else Binning(usual.method, usual.bins)
        plan = replace(base, **wanted)
        plan.check()
        return plan
    return replace(usual, edges=_checked_edges(key, wanted))


def _checked_edges(key: Any, wanted: Any) -> tuple[float, ...]:
    try:
        edges = np.asarray(wanted, np.float64)
    except (TypeError, ValueError, OverflowError):
        edges = np.array(np.nan)
    if edges.ndim != 1 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise OptionError(
            f"columns={{{key!r}: {shown(wanted)}}} is not accepted",
            "pass a method, a dictionary of options, or a list of edges in rising order",
        )
    return tuple(edges.tolist())


def edges_of(plan: Binning, column: Column, values: Floats, rows: Labelled) -> Floats:
    if plan.edges is not None:
        return np.array(plan.edges)
    y = rows.y if plan.method in OF_A_TARGET else None
    runs = runs_of(values, y, rows.weights, None if rows.classes is None or y is None else len(rows.classes))
    if len(runs) < 2:
        warn_user(f"column {column.name!r} has {'one value' if len(runs) else 'no known value'} and becomes one bin")
        return np.empty(0)
    if plan.method == "width" and not np.isfinite(runs.lows[[0, -1]]).all():
        raise DataError(
            f"column {column.name!r} holds infinity, which has no bins of even width", "use method='quantile'"
        )
    return plan.cut(runs)
