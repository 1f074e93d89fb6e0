"""How M5' would split some rows by every column, for those who want to see what else was there."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.candidates import ColumnSplit
from treewright.engines.compiled.m5_search import branches_of
from treewright.engines.linear_terms import numbers_of, step_columns
from treewright.kernels.jit import runner
from treewright.kernels.linear_kernels.m5_cuts import best_split, cut_room
from treewright.kernels.linear_kernels.m5_growth_in_numpy import CLOSE
from treewright.split import Split
from treewright.tree.linear_models import Term
from treewright.typing import Floats, Ints

_PLAIN_SECONDS = 2e-6  # that a row takes without compiled kernels


def m5_splits(whole: Encoded, here: Encoded) -> list[ColumnSplit | None]:
    """The best split of every column with the rows of a node; None: it has none.

    ``whole`` are all rows, by whose target levels are in order. The first of equals is taken, as growing does.
    """
    made: list[ColumnSplit | None] = [None] * len(here.columns)
    y, weights = np.asarray(here.y, np.float64), _weights(here)
    for term in step_columns(whole).terms:
        score, cut = _best_cut(_values(term, here), y, weights)
        known = made[term.column]
        if cut is not None and (known is None or score > known.gain + CLOSE):
            edges = np.empty(0) if term.scores.size else np.array([cut])
            split = Split(term.column, edges, branches_of(term, cut))
            made[term.column] = ColumnSplit(split, score, in_the_running=True)
    return made


def _best_cut(values: Floats, y: Floats, weights: Floats) -> tuple[float, float | None]:
    """What the best cut decreases the fifth root of the variance by, and the cut."""
    rows: Ints = np.argsort(values, kind="stable")
    n, has_ties = len(rows), np.ones(1, np.bool_)
    run = runner(_PLAIN_SECONDS * n, cut_room, best_split)
    score, column, place = run(
        best_split, values[None], y, weights, rows[None], 0, n, has_ties, run(cut_room, 1, n)
    )  # fmt: skip
    return float(score), None if column < 0 else float(0.5 * (values[rows[place]] + values[rows[place + 1]]))


def _values(term: Term, here: Encoded) -> Floats:
    """The numbers of a term, missing ones replaced."""
    column = here.columns[term.column]
    if here.schema.columns[term.column].kind is Kind.NUMERIC:
        numbers = numbers_of(column)
        return np.where(np.isnan(numbers), term.missing, numbers)
    return np.append(np.array([term.missing]), term.scores)[column.codes]


def _weights(here: Encoded) -> Floats:
    return np.ones(here.n_rows) if here.weights is None else np.asarray(here.weights, np.float64)
