"""Surrogate splits of the nodes of a round: found by searching for the branch in place of the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.ordered_cuts import edges_between
from treewright.engines.choices.surrogate_search import Imitated, StandIns, next_codes
from treewright.engines.fixed_point import to_fixed
from treewright.engines.stores.node_cells import Cases
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import Store, Tests
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.recipe_parts.missing import Missing, Surrogating
from treewright.recipe_parts.recipe import Recipe
from treewright.split import Split, Surrogate
from treewright.typing import Array, Floats, Ints, Mask

_DIGITS = 12  # to which weights are divided
_NOTHING = 1e-9  # agreement must be more than this much above that of sending all down the heaviest branch


def with_surrogates(recipe: Recipe, workers: Workers, store: Store, tests: Tests) -> Tests:
    """The tests with their surrogates, where the policy of the tested column asks for them."""
    asks = np.array([policy is Missing.SURROGATE for policy in recipe.missing], np.bool_)
    column = np.where(asks[tests.column], tests.column, -1)
    if (column < 0).all():
        return tests
    if not isinstance(store, PlainStore):
        raise OptionError(
            f"surrogates look at rows one by one, which {type(store).__name__} does not show",
            'take another policy for missing values, such as missing="learned"',
        )
    here = np.flatnonzero(column[store.cases.node] >= 0)
    sides = store.sides(tests)
    found = find_surrogates(
        store.encoded, recipe.surrogates, workers, column, store.cases[here], sides.branch[here],
        ~sides.is_missing[here],
    )  # fmt: skip
    return replace(tests, stand_in=found)


def find_surrogates(
    encoded: Encoded, rules: Surrogating, workers: Workers, column: Ints, cases: Cases, side: Ints, is_known: Mask
) -> Ranked:
    """``side`` are the branches of the cases whose tested value is known. ``column`` is what every node tests, -1 where
    no surrogates are wanted."""
    known, side = cases[np.flatnonzero(is_known)], side[is_known]
    n_nodes, n_branches = len(column), int(side.max(initial=1)) + 1
    order = _by_mean(known, side, n_nodes, n_branches)
    labelled = Cases(known.row, known.node, np.argsort(order, 1)[known.node, side], _plain_weights(encoded, known))
    by_branch = labelled.sums(labelled.node, n_nodes, n_branches)
    imitated, found = Imitated(labelled, by_branch), dict[int, StandIns]()

    def search(j: int, worker: int) -> None:
        n_codes, ordered = encoded.columns[j].n_codes, encoded.schema.columns[j].kind is not Kind.NOMINAL
        codes = encoded.columns[j].codes[cases.row].astype(np.int64)
        one = imitated.stand_ins(codes[is_known], n_codes, ordered=ordered, as_rpart=rules.as_rpart)
        above = next_codes(cases.node, codes, one.cut, n_codes) if ordered else one.above
        found[j] = replace(one, branches=_renamed(one.branches, order), above=above)

    workers.each(len(encoded.columns), search, cells=len(labelled) * len(encoded.columns))
    return Ranked(encoded, rules, column, [found[j] for j in range(len(found))], by_branch.astype(np.float64))


def _plain_weights(encoded: Encoded, known: Cases) -> Ints:
    """Weights without what costs and priors have made of them: agreement is about rows. What multiplying and dividing
    left in the last digits is rounded off, so that rows that count alike tie."""
    factors = encoded.class_factors
    if factors is None:
        return known.amounts[:, :1]
    plain = known.amounts[:, 0] / factors[known.label]
    return to_fixed(np.round(plain / plain.max(initial=1.0), _DIGITS)).values[:, None]


def _by_mean(known: Cases, side: Ints, n_nodes: int, n_branches: int) -> Ints:
    """The branches of every node, that of the highest mean target (or class number) first: where a surrogate is torn
    between two branches of the same weight it names this one, as rpart does."""
    weight = known.amounts[:, 0].astype(np.float64)
    moment = known.label * weight if len(known.label) else known.amounts[:, 1].astype(np.float64)
    place = known.node * n_branches + side
    total, sums = (np.bincount(place, values, minlength=n_nodes * n_branches) for values in (weight, moment))
    mean = np.divide(sums, total, out=np.full(len(sums), -np.inf), where=total > 0)
    return np.argsort(-mean.reshape(n_nodes, n_branches), axis=1, kind="stable")


def _renamed(branches: Array, order: Ints) -> Array:
    named = np.take_along_axis(order, np.maximum(branches, 0), axis=1)
    return np.where(branches >= 0, named, -1).astype(np.int32)


@dataclass(frozen=True)
class Ranked:
    """The surrogates of every node, those that agree most first."""

    encoded: Encoded
    rules: Surrogating
    column: Ints
    found: list[StandIns]
    by_branch: Floats  # (nodes, branches) weight of the cases whose tested value is known

    @cached_property
    def _scores(self) -> tuple[Floats, Floats]:
        """Agreement and adjusted agreement, columns × nodes; -1 where there is no surrogate."""
        agreeing = np.array([one.agreeing for one in self.found])
        if self.rules.over_all:
            whole, most = self.by_branch.sum(-1)[None], self.by_branch.max(-1)[None]
        else:
            whole, most = np.array([one.known for one in self.found]), np.array([one.most for one in self.found])
        with np.errstate(divide="ignore", invalid="ignore"):
            agreement, adjusted = agreeing / whole, (agreeing - most) / (whole - most)
        other = np.arange(len(self.found))[:, None] != self.column
        usable = (agreeing >= 0) & other & (adjusted > _NOTHING) & (self.column >= 0)
        return np.where(usable, agreement, -1.0), np.where(usable, adjusted, -1.0)

    @cached_property
    def order(self) -> Ints:
        """Columns by rank, ranks × nodes; -1 where there are no more."""
        agreement = self._scores[0]
        ranked = np.argsort(-agreement, axis=0, kind="stable")[: self.rules.most]
        return np.where(np.take_along_axis(agreement, ranked, 0) >= 0, ranked, -1)

    def answers(self, j: int, node: Ints, codes: Ints) -> Ints:
        """The branches that column j names, -1 where it says nothing."""
        one = self.found[j]
        if self.encoded.schema.columns[j].kind is not Kind.NOMINAL:
            codes = np.where(codes == 0, 0, 1 + (codes > one.cut[node]))
        return np.asarray(one.branches[node, codes])

    def decide(self, rows: Ints, nodes: Ints) -> Ints:
        """The branch of rows at nodes by the first surrogate that names one; -1 where none does."""
        side = np.full(len(rows), -1)
        for by_node in self.order:
            asked = np.where(side < 0, by_node[nodes], -1)
            for j in np.unique(asked[asked >= 0]):
                here = np.flatnonzero(asked == j)
                codes = self.encoded.columns[j].codes[rows[here]].astype(np.int64)
                side[here] = self.answers(int(j), nodes[here], codes)
        return side

    def by_node(self) -> list[tuple[Surrogate, ...]]:
        """As a tree keeps them."""
        return [
            tuple(self._surrogate(int(j), node) for j in ranks if j >= 0) for node, ranks in enumerate(self.order.T)
        ]

    def _surrogate(self, j: int, node: int) -> Surrogate:
        agreement, adjusted = (float(score[j, node]) for score in self._scores)
        return Surrogate(self._split(j, node), agreement, adjusted)

    def _split(self, j: int, node: int) -> Split:
        one, kind = self.found[j], self.encoded.schema.columns[j].kind
        branches: Array = one.branches[node]
        if kind is Kind.NUMERIC:
            pick = slice(node, node + 1)
            return Split(j, edges_between(self.encoded.columns[j], one.cut[pick], one.above[pick])[0], branches)
        if kind is Kind.ORDINAL:
            codes = np.arange(self.encoded.columns[j].n_codes)
            branches = branches[np.where(codes == 0, 0, 1 + (codes > one.cut[node]))]
        return Split(j, np.empty(0), branches)
