"""Numeric columns of a coded table as a few ordered bins: of even weight, or at edges of the user's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.binning.binning_methods import quantiles
from treewright.binning.value_runs import Runs
from treewright.data.column_values import smallest_unsigned
from treewright.data.encoded import CodedColumn, Encoded, EncodedColumn
from treewright.data.schema import Kind
from treewright.typing import Floats


def binned(encoded: Encoded, wanted: list[int | Floats]) -> Encoded:
    """The table with every numeric column in bins; ``wanted`` has a number of bins, or edges, for each column.

    A bin ends at its edge, ``x <= edge`` being below it. ``highs`` of a binned column are the edges and infinity,
    ``beside`` has the training values next to the edges.
    """
    columns = [
        _binned(column, wish, encoded.weights) if described.kind is Kind.NUMERIC else column
        for column, described, wish in zip(encoded.columns, encoded.schema.columns, wanted, strict=True)
    ]
    return replace(encoded, columns=tuple(columns))


def _binned(column: CodedColumn, wish: int | Floats, weights: Floats | None) -> EncodedColumn:
    values = code_values(column)
    edges = _quantile_edges(values[1:], _known_weight(column, weights), wish) if isinstance(wish, int) else wish
    bin_of = 1 + np.searchsorted(edges, values)
    bin_of[0] = 0
    n_codes = len(edges) + 2
    codes = bin_of.astype(smallest_unsigned(n_codes))[column.codes]
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])
    return EncodedColumn(codes, n_codes, column.has_missing, bounds[:-1], bounds[1:], beside=_beside(edges, values[1:]))


def _beside(edges: Floats, values: Floats) -> Floats:
    """The values below and above each edge, of values that rise."""
    above = np.searchsorted(values, edges, "right")
    return values[np.clip([above - 1, above], 0, len(values) - 1)].ravel() if values.size else values


def code_values(column: CodedColumn) -> Floats:
    """The number that each code of a numeric column stands for; that of code 0 means nothing."""
    values = np.full(column.n_codes, -np.inf)
    if column.numbers is None:
        values[1:] = column.lows
    else:
        values[column.codes] = column.numbers
    return values


def _known_weight(column: CodedColumn, weights: Floats | None) -> Floats:
    return np.asarray(np.bincount(column.codes, weights, minlength=column.n_codes)[1:], np.float64)


def _quantile_edges(values: Floats, weight: Floats, bins: int) -> Floats:
    return quantiles(Runs(values, values, weight[:, None]), bins) if values.size else np.empty(0)
