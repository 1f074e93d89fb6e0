"""Linear models beside a tree: what leaves predict where that depends on the row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from treewright.typing import Array, Floats, Ints

NO_LIMIT = np.inf


class Term(NamedTuple):
    """What a model multiplies by a slope: the number in a column, or a number for each of its levels."""

    column: int
    missing: float  # what a missing value counts as
    scores: Floats  # of every level; none for a numeric column

    @property
    def is_step(self) -> bool:
        """Whether levels count 0 or 1 and nothing else."""
        return bool(self.scores.size and np.isin(self.scores, (0.0, 1.0)).all())

    def values(self, cells: Floats) -> Floats:
        """What cells of the column (numbers or level codes, NaN where missing) count as."""
        if not self.scores.size:
            return np.where(np.isnan(cells), self.missing, cells)
        codes = np.where(np.isnan(cells), 0, cells).astype(np.int64)
        return np.concatenate([[self.missing], self.scores])[codes]


class LinearModels(NamedTuple):
    """A linear model for every node and output: limited(intercept + Σ slope·term), terms in the order of the columns.

    There is one output for a number, and one for every class. The terms of output k of node v are those in
    ``term[start[i]:start[i+1]]`` with i = v·outputs + k. A term is a column and its ``scores[term_start[t]:…]``: of a
    numeric column what a missing value counts as, of another one that and a number for every level.

    Trees whose leaves are not models have none.
    """

    term_column: Array = np.empty(0, np.int32)
    term_start: Array = np.zeros(1, np.int64)
    scores: Floats = np.empty(0)
    start: Array = np.empty(0, np.int64)  # (n·outputs + 1,) or nothing
    term: Array = np.empty(0, np.int32)
    slope: Floats = np.empty(0)
    intercept: Floats = np.empty((0, 1))  # (n, outputs)
    low: Floats = np.empty(0)  # (n,) no prediction is below, or above
    high: Floats = np.empty(0)
    error: Floats = np.empty(0)  # (n,) Σ w·(y − prediction)² of the training rows, or the weight of wrong ones

    @property
    def exist(self) -> bool:
        return self.start.size > 0

    @property
    def n_outputs(self) -> int:
        return int(self.intercept.shape[1])

    @property
    def columns_used(self) -> Ints:
        """The columns of the terms that some model has."""
        return np.unique(self.term_column[self.term])

    def term_at(self, t: int) -> Term:
        missing, *scores = self.scores[self.term_start[t] : self.term_start[t + 1]].tolist()
        return Term(int(self.term_column[t]), missing, np.array(scores))

    def terms_of(self, v: int, output: int = 0) -> Iterator[tuple[Term, float]]:
        """The terms of a node's model, each with its slope."""
        i = v * self.n_outputs + output
        for k in range(self.start[i], self.start[i + 1]):
            yield self.term_at(int(self.term[k])), float(self.slope[k])

    def take(self, nodes: Ints) -> LinearModels:
        """The models of some nodes, in this order. Terms that none of them has stay."""
        if not self.exist:
            return self
        parts = (np.asarray(nodes)[:, None] * self.n_outputs + np.arange(self.n_outputs)).ravel()
        sizes = np.diff(self.start)[parts]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        kept = np.arange(int(start[-1])) + np.repeat(self.start[parts] - start[:-1], sizes)
        return self._replace(
            start=start, term=self.term[kept], slope=self.slope[kept], intercept=self.intercept[nodes],
            low=self.low[nodes], high=self.high[nodes], error=self.error[nodes],
        )  # fmt: skip


NO_MODELS = LinearModels()


def joined_models(parts: Sequence[LinearModels]) -> LinearModels:
    """The models of several trees, one tree after the other."""
    if not any(part.exist for part in parts):
        return NO_MODELS
    n_terms = np.cumsum([0, *(len(part.term_column) for part in parts)])
    return LinearModels(
        term_column=np.concatenate([part.term_column for part in parts]),
        term_start=_end_to_end([part.term_start for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
        start=_end_to_end([part.start for part in parts]),
        term=np.concatenate([part.term + shift for part, shift in zip(parts, n_terms)]).astype(np.int32),
        slope=np.concatenate([part.slope for part in parts]),
        intercept=np.concatenate([part.intercept for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        error=np.concatenate([part.error for part in parts]),
    )


def _end_to_end(starts: Sequence[Array]) -> Ints:
    sizes = np.concatenate([np.diff(start) for start in starts])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def packed_models(terms: list[Term], start: Ints, term: Ints, slope: Floats, intercept: Floats) -> LinearModels:
    """Models without limits, of which errors are not known; terms that no model has are left out."""
    used, place = np.unique(term, return_inverse=True)
    found = [terms[t] for t in used]
    scores = [np.append(np.array([term.missing]), term.scores) for term in found]
    n = len(intercept)
    return LinearModels(
        term_column=np.array([term.column for term in found], np.int32),
        term_start=np.concatenate([[0], np.cumsum([len(part) for part in scores])]).astype(np.int64),
        scores=np.concatenate([np.empty(0), *scores]),
        start=np.asarray(start, np.int64),
        term=place.astype(np.int32),
        slope=slope,
        intercept=intercept,
        low=np.full(n, -NO_LIMIT),
        high=np.full(n, NO_LIMIT),
        error=np.zeros(n),
    )
