"""C4.5's choice over cells: the best gain ratio among columns of at least average gain, any policy for missing values.

Policies that leave missing values out of the score are judged as C4.5 judges: the gain counts the known part, and the
missing values are one more outcome in the split information. Others count them where they go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.level_groups import group_levels
from treewright.engines.choices.level_sets import ProposedColumn
from treewright.engines.choices.proposals import Proposals, joined, known_or_not
from treewright.engines.choices.propose import propose
from treewright.engines.choices.ratio_rules import RatioRules
from treewright.engines.paths import Paths
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import NO_ROWS, Frontier
from treewright.engines.target_stats import ClassStats
from treewright.kernels.search.splits import find_leaders, judge_splits
from treewright.kernels.store_kernels.cases import CUT, GROUPS, MULTIWAY, ONE_VS_REST
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.table import ratio
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class RatioBest(Best):
    """The best test of one column at every open node: ``score`` is its gain, ``info`` its split information."""

    info: Floats = field(kw_only=True)

    @property
    def exists(self) -> Mask:
        """A column whose tests gain nothing counts in the average gain, and has no test."""
        return np.asarray((self.score > -np.inf) & (self.info > 0))


@dataclass(frozen=True)
class Scored:
    """Proposals and what they gain."""

    proposed: Proposals
    gain: Floats
    info: Floats
    enough: Mask  # whether two branches have cases enough

    @property
    def admitted(self) -> Floats:
        """The gain, -inf where the proposal is not admissible."""
        return np.where(self.enough, self.gain, -np.inf)

    def starts(self, n_nodes: int) -> Ints:
        return np.searchsorted(self.proposed.node, np.arange(n_nodes + 1))


class RatioChoice:
    """See ``Choice``."""

    gain_is_known = True

    def __init__(self, encoded: Encoding, recipe: Recipe, target: ClassStats, paths: Paths | None) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.paths = paths
        self.asked = RatioRules(encoded, recipe)
        self.rules = self.asked.of_kernels(float(target.units()[0]))

    def is_settled(self, stats: Ints, rows: Ints) -> Mask:
        return self.asked.is_settled(self.target.floats(stats))

    def select(self, best: Sequence[Best], nodes: Frontier) -> tuple[Ints, Floats]:
        found = [one for one in best if isinstance(one, RatioBest)]
        gain, info = np.array([one.score for one in found]), np.array([one.info for one in found])
        column, score = self.asked.select(gain, info, self.paths, nodes.id)
        return column, np.where(column >= 0, score, 0.0)

    def significance(self, column: Ints, best: Sequence[Best]) -> Floats | None:
        return None

    def accepts(self, gain: Floats) -> Mask:
        """C4.5 itself has no minimum: what is hardly worse than nothing is taken."""
        least = self.recipe.stop.min_gain
        return np.asarray(gain >= least) if least > 0 else np.ones(len(gain), np.bool_)

    def predicted(self, stats: Ints) -> Floats:
        counts = self.target.floats(stats)
        return np.asarray(ratio(counts[..., 1], counts.sum(-1)))

    def edges(self, column: int, cut: Ints, above: Ints) -> tuple[Floats, Floats]:
        return self.asked.edges(column, cut, above), np.full(len(cut), np.nan)

    def gains(self, column: Ints, n_missing: Ints, stats: Ints, branches: Ints, found: Floats, sizes: Ints) -> Floats:
        """As C4.5 keeps them, in 32 bits: the last digits of sums depend on their order, and so on the road taken."""
        return found.astype(np.float32).astype(np.float64)

    def _propose(self, column: int, cells: Cells, n_nodes: int) -> Proposals:
        kind = self.encoded.schema.columns[column].kind
        style = Splits.MULTIWAY if self.asked.kinds[column] == MULTIWAY else self.recipe.splits
        asked = ProposedColumn(
            kind is not Kind.NOMINAL, self.encoded.columns[column].n_codes, self.recipe.missing[column], style,
            moments=False, each_of_two=True,  # sums in 32 bits may tell the two apart
        )  # fmt: skip
        proposed = propose(asked, cells, n_nodes)
        return self._with_rest(proposed) if self.asked.kinds[column] == ONE_VS_REST else proposed

    @staticmethod
    def _with_rest(proposed: Proposals) -> Proposals:
        """As in C4.5 a level that does not occur at a node is one of the rest where one stands against the rest."""
        branch_of = proposed.branch_of

        def with_rest(chosen: Ints) -> Array:
            assert branch_of is not None
            branches = branch_of(chosen)
            branches[:, 1:][branches[:, 1:] == NO_ROWS] = 1
            return branches

        return replace(proposed, branch_of=None if branch_of is None else with_rest)

    # ---- search ------------------------------------------------------------------------------------------------

    def search(self, column: int, cells: Cells, nodes: Frontier) -> RatioBest:
        j, kind, frontier = column, self.asked.kinds[column], nodes
        if kind == GROUPS:
            return self._best_groups(j, cells, frontier)
        scored = self._scored(j, self._propose(j, cells, len(frontier)).in_turn(), frontier)
        if kind == CUT:
            return self._best_cut(scored, frontier)
        if kind == ONE_VS_REST:
            return self._best_ratio(scored, len(frontier))
        return self._chosen(scored, self._leaders(scored, scored.admitted, -np.inf, frontier), len(frontier))

    def _scored(self, j: int, proposed: Proposals, frontier: Frontier) -> Scored:
        """Cuts between numbers that are not told apart are left out."""
        kind, is_cut = self.asked.kinds[j], proposed.above > 0
        if kind == CUT:
            seen = self.asked.seen[j]
            apart = ~is_cut | (seen[proposed.cut] + self.asked.resolution[j] < seen[proposed.above])
            proposed, is_cut = proposed[np.flatnonzero(apart)], is_cut[apart]
        gain, info, large = np.empty(len(proposed)), np.empty(len(proposed)), np.empty(len(proposed), np.int64)
        among = proposed.rows.shape[1] if kind == MULTIWAY else 2
        judge_splits(
            proposed.node, proposed.stats, frontier.stats, is_cut, kind == CUT, among, self.rules, gain, info, large
        )
        return Scored(proposed, gain, info, large >= 2)

    def _leaders(self, scored: Scored, score: Floats, least: float, frontier: Frontier) -> Ints:
        """The first of every node that is ahead by more than rounding, which 32 bits leave to chance."""
        slack = np.where(self._is_narrow(frontier), 0.0, self.rules.slack)
        place = np.empty(len(frontier), np.int64)
        find_leaders(scored.starts(len(frontier)), score, least, slack, place)
        return place

    def _is_narrow(self, frontier: Frontier) -> Mask:
        """Nodes of whole weights, whose sums C4.5 rounds to 32 bits."""
        weights = frontier.stats * self.rules.unit
        return np.asarray(self.rules.narrow & (weights == np.rint(weights)).all(-1))

    def _chosen(self, scored: Scored, place: Ints, n_nodes: int) -> RatioBest:
        """``place`` is that of every node's test among the proposals, -1 where there is none."""
        found = np.flatnonzero(place >= 0)
        gain, info, at = np.full(n_nodes, -np.inf), np.zeros(n_nodes), np.full(n_nodes, -1)
        gain[found], info[found], at[found] = (
            scored.gain[place[found]],
            scored.info[place[found]],
            np.arange(len(found)),
        )
        chosen = scored.proposed[place[found]]
        return RatioBest(gain, np.zeros(n_nodes, np.int64), lambda nodes: chosen[at[nodes]], info=info)

    def _best_cut(self, scored: Scored, frontier: Frontier) -> RatioBest:
        """The cut that gains most pays for having been chosen among all. Where that leaves nothing, or less, the test
        may be whether the value is known at all."""
        gain, is_cut, node = scored.admitted, scored.proposed.above > 0, scored.proposed.node
        place = self._leaders(scored, np.where(is_cut, gain, -np.inf), 0.0, frontier)
        found = place[place >= 0]
        narrow = self._is_narrow(frontier)[node[found]]
        charge = self._charge(node[is_cut & scored.enough], frontier)[node[found]]
        left = np.where(is_cut, -np.inf, gain)
        left[found] = _in_32_bits(gain[found] - _in_32_bits(charge, narrow), narrow)
        left[left <= self.rules.tolerance] = -np.inf
        charged = replace(scored, gain=left)
        return self._chosen(charged, self._leaders(charged, left, 0.0, frontier), len(frontier))

    def _charge(self, tried: Ints, frontier: Frontier) -> Floats:
        """log2(cuts) / cases of every node, from the nodes of all cuts (Quinlan 1996)."""
        if not self.rules.mdl:
            return np.zeros(len(frontier))
        n_cuts = np.bincount(tried, minlength=len(frontier))
        return np.asarray(np.log2(np.maximum(n_cuts, 1)) / (frontier.stats.sum(-1) * self.rules.unit))

    def _best_ratio(self, scored: Scored, n_nodes: int) -> RatioBest:
        """Where tests are admissible but none gains, the gain is 0: the column counts among those that could be."""
        ratio = np.full(len(scored.gain), -np.inf)
        np.divide(scored.gain, scored.info, out=ratio, where=(scored.info > 0) & scored.enough)
        place = np.empty(n_nodes, np.int64)
        find_leaders(scored.starts(n_nodes), ratio, 0.0, np.full(n_nodes, self.rules.slack), place)
        found = self._chosen(scored, place, n_nodes)
        admissible = scored.proposed.node[scored.enough]
        found.score[admissible] = np.maximum(found.score[admissible], 0.0)
        return found

    def _best_groups(self, j: int, cells: Cells, frontier: Frontier) -> RatioBest:
        """Groups of levels; where missing values have a branch of their own, known against missing as well."""
        policy, n_codes, n_nodes = self.recipe.missing[j], self.encoded.columns[j].n_codes, len(frontier)
        rules, totals = self.rules, frontier.stats
        if policy is not Missing.BRANCH:
            return _of_nodes(*group_levels(cells, totals, n_codes, rules, policy, np.empty(0)))
        asked = self._scored(j, known_or_not(cells, n_nodes, n_codes, nominal=True), frontier)
        more = np.zeros(n_nodes)
        more[asked.proposed.node] = asked.gain
        groups = _of_nodes(*group_levels(cells, totals, n_codes, rules, policy, more))
        simple = self._chosen(asked, self._leaders(asked, asked.admitted, -np.inf, frontier), n_nodes)
        better = np.flatnonzero(self._score(simple) > self._score(groups) + rules.slack)
        others = np.setdiff1d(np.flatnonzero(groups.score > -np.inf), better)
        return _of_nodes(
            joined([groups.proposals(others), simple.proposals(better)]),
            _with(groups.score, better, simple.score), _with(groups.info, better, simple.info),
        )  # fmt: skip

    def _score(self, found: RatioBest) -> Floats:
        if not self.asked.ratio.by_ratio:
            return found.score
        usable = (found.score > -np.inf) & (found.info > 0)
        return np.asarray(np.divide(found.score, found.info, out=np.full(len(found.info), -np.inf), where=usable))


def _of_nodes(proposed: Proposals, gain: Floats, info: Floats) -> RatioBest:
    """One proposal for every node that has a gain."""
    place = np.full(len(gain), -1)
    place[proposed.node] = np.arange(len(proposed))
    return RatioBest(gain, np.zeros(len(gain), np.int64), lambda nodes: proposed[place[nodes]], info=info)


def _with(values: Floats, places: Ints, others: Floats) -> Floats:
    mixed: Floats = values.copy()
    mixed[places] = others[places]
    return mixed


def _in_32_bits(values: Floats, narrow: Mask) -> Floats:
    return np.where(narrow, values.astype(np.float32), values)
