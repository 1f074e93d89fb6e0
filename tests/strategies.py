"""Random small tables of mixed kinds, with ties, missing values and weights, in the form the oracle takes."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from oracle import Column

EVERY_EXAMPLE = os.environ.get("TREEWRIGHT_EXAMPLES") == "all"  # set by `make test-all`


def examples(most: int) -> int:
    """How many examples a property is tried on: a third of them in the fast tests, but no fewer than five."""
    return most if EVERY_EXAMPLE else max(min(most, 5), most // 3)


WEIGHTS = (None, (1, 2, 3), (0.1, 0.25, 0.5, 1.5, 2.0), (1e-3, 1.0, 7.3))


@dataclass(frozen=True)
class Problem:
    """``y`` holds class codes from 0 when ``n_classes`` is a number, floats when it is None."""

    columns: list[Column]
    y: np.ndarray
    weights: np.ndarray | None
    n_classes: int | None

    @property
    def n_rows(self) -> int:
        return len(self.y)


def numeric_columns(n_rows: int) -> st.SearchStrategy[Column]:
    """Either few values with many ties, or any floats of reasonable size."""
    ties = st.integers(-3, 3).map(lambda value: value / 2)
    floats = st.floats(-1e6, 1e6, allow_nan=False, width=32)
    return (
        st.sampled_from([ties, floats])
        .flatmap(lambda values: st.lists(st.none() | values | values, min_size=n_rows, max_size=n_rows))
        .map(lambda values: Column("numeric", values))
    )


def level_columns(n_rows: int, kind: str) -> st.SearchStrategy[Column]:
    """Codes of two to five levels, 0 where missing."""
    return (
        st.integers(2, 5)
        .flatmap(lambda n_levels: st.lists(st.integers(0, n_levels), min_size=n_rows, max_size=n_rows))
        .map(lambda codes: Column(kind, codes))
    )


def columns(n_rows: int, kinds: tuple[str, ...] = ("numeric", "ordinal", "nominal")) -> st.SearchStrategy[Column]:
    return st.sampled_from(kinds).flatmap(
        lambda kind: numeric_columns(n_rows) if kind == "numeric" else level_columns(n_rows, kind)
    )


def without_missing(column: Column) -> Column:
    """The same column with 1 (a value and a level of every column) in place of missing."""
    return Column(column.kind, np.nan_to_num(column.values, nan=1.0).tolist())


def targets(n_rows: int, target: str) -> st.SearchStrategy[tuple[np.ndarray, int | None]]:
    """``classes`` (2 to 4 of them), ``numbers`` of any sign or ``counts`` (non-negative, for Poisson)."""
    if target == "classes":
        return st.integers(2, 4).flatmap(
            lambda n_classes: st.tuples(rows_of(st.integers(0, n_classes - 1), n_rows), st.just(n_classes))
        )
    few = st.integers(0, 4) if target == "counts" else st.integers(-2, 2)
    many = st.floats(0 if target == "counts" else -100, 100, width=16)
    numbers = st.sampled_from([few, many]).flatmap(lambda values: rows_of(values, n_rows))
    return numbers.map(lambda y: (y.astype(np.float64), None))


def rows_of(values: st.SearchStrategy, n_rows: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(values, min_size=n_rows, max_size=n_rows).map(np.array)


def row_weights(n_rows: int) -> st.SearchStrategy[np.ndarray | None]:
    """None, small whole numbers, or fractions."""
    return (
        st.sampled_from(WEIGHTS)
        .flatmap(lambda choices: st.none() if choices is None else rows_of(st.sampled_from(choices), n_rows))
        .map(lambda w: None if w is None else w.astype(np.float64))
    )


@st.composite
def problems(
    draw: st.DrawFn,
    target: str = "classes",
    *,
    max_rows: int = 30,
    kinds: tuple[str, ...] = ("numeric", "ordinal", "nominal"),
    missing: bool = True,
    weighted: bool = True,
) -> Problem:
    """A table of 1 to ``max_rows`` rows and 1 to 4 columns."""
    n_rows = draw(st.integers(1, max_rows))
    random_pick = draw(st.lists(columns(n_rows, kinds), min_size=1, max_size=4))
    y, n_classes = draw(targets(n_rows, target))
    weights = draw(row_weights(n_rows)) if weighted else None
    return Problem(
        random_pick if missing else [without_missing(column) for column in random_pick], y, weights, n_classes
    )
