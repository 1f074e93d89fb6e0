"""The split of the best score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from treewright.criteria import gain
from treewright.criteria.masses import MASS_CRITERIA, masses
from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.level_sets import ProposedColumn
from treewright.engines.choices.ordered_cuts import edges_between
from treewright.engines.choices.promising_cuts import PromisingCuts, promising_cuts
from treewright.engines.choices.proposals import Proposals
from treewright.engines.choices.propose import propose
from treewright.engines.choices.random_splits import RandomSplits
from treewright.engines.choices.table_scores import criterion_of, scores_of
from treewright.engines.column_draws import ColumnDraws
from treewright.engines.paths import Paths
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import HEAVIEST, Frontier
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.errors import OptionError, shown
from treewright.kernels.random_numbers import hashed
from treewright.recipe_parts.constraints import Constraints
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Candidate, Recipe
from treewright.split import AS_MISSING, Split
from treewright.table import Table, added
from treewright.ties import slack
from treewright.typing import Floats, Ints, Mask

Select = Callable[[Sequence[Candidate]], "Candidate | None"]


@dataclass(frozen=True)
class RoundedBest(Best):
    """Found by a kernel, which rounds as it does: the score that the tree keeps is computed from the branches."""

    branches: Callable[[Ints], Ints]  # (nodes, 2, n_stats): statistics of the known values of some nodes


class ScoreChoice:
    """See ``Choice``. Scores of our own criteria are masses: the sum over the branches, in the unit of the integers."""

    gain_is_known = True

    def __init__(self, encoded: Encoding, recipe: Recipe, target: TargetStats, paths: Paths | None) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.paths = paths
        self.moments = target.moments
        self.draws = None if paths is None else paths.draws

    def is_settled(self, stats: Ints, rows: Ints) -> Mask:
        return self.target.is_pure(stats, rows)

    def significance(self, column: Ints, best: Sequence[Best]) -> Floats | None:
        return None

    def accepts(self, gain: Floats) -> Mask:
        """A user's own choice is taken as it is."""
        own = getattr(self.recipe.choice, "select", None) is not None
        return np.ones(len(gain), np.bool_) if own else self.recipe.is_acceptable(gain)

    # ---- one column --------------------------------------------------------------------------------------------

    def search(self, column: int, cells: Cells, nodes: Frontier, n_codes: int | None = None) -> Best:
        """``n_codes``: if there are more codes than the column has."""
        at_random = None
        if self.draws is not None and self.draws.random_cuts:
            at_random = RandomSplits(self.encoded, self.draws, column)
        on_left = None if at_random is None else at_random.on_left(nodes)
        promising = self._promising.get(self.recipe.missing[column])
        proposed = self.propose(column, cells, len(nodes), on_left=on_left, n_codes=n_codes, promising=promising)
        if at_random is not None:
            proposed = at_random.picked(proposed, cells.known, nodes)
        admissible = self.is_admissible(proposed)
        if self.recipe.constraints is not None:
            predicted = self.predicted(proposed.stats)
            admissible &= self.obeys(self.recipe.constraints, column, proposed, nodes, predicted)
        if not self._scores_all:
            proposed = proposed.where(admissible)
        score = self._score(proposed, cells.missing(len(nodes))[1], self.recipe.missing[column], nodes)
        if self._scores_all:
            score[~admissible] = -np.inf
        best = self.best_of(column, proposed, score, nodes)
        return best if at_random is None else at_random.with_edges(best)

    @cached_property
    def _promising(self) -> dict[Missing, PromisingCuts]:
        return promising_cuts(self.recipe, self.target)

    @cached_property
    def _scores_all(self) -> bool:
        """Whether any split has a score, admissible or not: to score them all is quicker than to leave some out."""
        return self.by_mass and self.recipe.criterion != "poisson"

    def kind(self, column: int) -> Kind:
        return self.encoded.schema.columns[column].kind

    @cached_property
    def one_order(self) -> bool:
        """Whether the best of two sets of levels is a cut of their order by mean (Breiman et al. 1984, theorem 4.5)."""
        return self.moments or (self.target.n_stats == 2 and self.recipe.criterion != "misclassification")

    def propose(
        self,
        column: int,
        cells: Cells,
        n_nodes: int,
        key: Floats | None = None,
        on_left: Callable[[Cells], Mask] | None = None,
        n_codes: int | None = None,
        promising: PromisingCuts | None = None,
    ) -> Proposals:
        """``key`` orders the levels of which subsets are made, in place of their means; ``on_left`` says the subset."""
        asked = ProposedColumn(
            self.kind(column) is not Kind.NOMINAL, n_codes or self.encoded.columns[column].n_codes,
            self.recipe.missing[column], self.recipe.splits, self.moments, self.one_order, on_left=on_left,
            promising=promising,
        )  # fmt: skip
        return propose(asked, cells, n_nodes, key)

    @cached_property
    def _least_weight(self) -> int:
        return self.recipe.stop.least_leaf_weight(float(self.target.weights(self.target.whole)))

    def is_admissible(self, proposed: Proposals) -> Mask:
        """Every branch that has rows has enough of them, and there are two such."""
        some = proposed.rows > 0
        enough = proposed.rows >= self.recipe.stop.min_rows_leaf
        if self._least_weight > 0:
            enough &= self.target.int_weights(proposed.stats) >= self._least_weight
        if self.recipe.criterion == "poisson":
            enough &= proposed.stats[..., 1] > 0  # without events there is no rate to speak of
        # Along the few branches one by one: numpy is slow at many short rows.
        several = reduce(np.add, some.astype(np.int32).T) >= 2
        return np.asarray(reduce(np.logical_and, (enough | ~some).T) & several)

    def obeys(
        self, constraints: Constraints, column: int, proposed: Proposals, nodes: Frontier, predicted: Floats
    ) -> Mask:
        assert self.paths is not None
        node = proposed.node
        fits = self._may_test(constraints, nodes)[column][node]
        if constraints.min_branch_share > 0:
            least = constraints.min_branch_share * self.target.weights(nodes.stats)[node][:, None]
            fits &= ((proposed.rows == 0) | (self.target.weights(proposed.stats) >= least)).all(-1)
        if constraints.monotone.any():
            fits &= self.paths.admits(nodes.id[node], predicted, int(constraints.monotone[column]))
        return np.asarray(fits)

    def _may_test(self, constraints: Constraints, nodes: Frontier) -> Mask:
        """Columns × nodes: what may be tested, a forced column always."""
        assert self.paths is not None
        forced = constraints.forced_at(nodes.depth) == np.arange(len(self.encoded.columns))[:, None]
        return np.asarray(constraints.allowed(nodes.depth, self.paths.tested[nodes.id]) | forced)

    def predicted(self, stats: Ints) -> Floats:
        """What branches predict: the mean, or the share of the second class; NaN where there is nothing."""
        counts = self.target.floats(stats)
        weight = counts[..., 0] if self.moments else counts.sum(-1)
        return np.divide(counts[..., 1], weight, out=np.full(weight.shape, np.nan), where=weight > 0)

    def best_of(self, column: int, proposed: Proposals, score: Floats, nodes: Frontier) -> Best:
        """The best proposal of every node: the first of equals, or one of them at random."""
        n = len(nodes)
        top = np.full(n, -np.inf)
        np.maximum.at(top, proposed.node, score)
        slack = self.slack(top, nodes)
        equal = np.flatnonzero((score >= (top - slack)[proposed.node]) & (score > -np.inf))
        equal = equal[np.lexsort((proposed.turn[equal], proposed.node[equal]))]
        ties = np.bincount(proposed.node[equal], minlength=n)
        if self.recipe.tie == "random":
            begin = np.searchsorted(proposed.node[equal], np.arange(n))
            picked = np.append(equal, 0)[
                begin + self._random_pick(column, nodes.id, ties)
            ]  # 0: of nodes that have none
        else:
            picked = leaders(proposed.node, proposed.turn, score, slack, equal)
            top = np.where(ties > 0, score[picked], -np.inf) if len(score) else top
        some = np.flatnonzero(ties)
        place = np.full(n, -1)
        place[some] = np.arange(len(some))
        chosen = proposed[picked[some]]
        return Best(top, ties, lambda nodes: chosen[place[nodes]])

    def _random_pick(self, column: int, ids: Ints, ties: Ints) -> Ints:
        seed = self.recipe.seed
        return np.array([int(hashed(seed, id, column, 0) % np.uint64(max(t, 1))) for id, t in zip(ids, ties)], np.int64)

    # ---- scores ------------------------------------------------------------------------------------------------

    @cached_property
    def by_mass(self) -> bool:
        """Whether the criterion is a sum over branches."""
        return self.recipe.criterion in MASS_CRITERIA or isinstance(self.target, MedianStats)

    def mass(self, stats: Ints) -> Floats:
        if isinstance(self.target, MedianStats):
            return -self.target.distances(stats)
        return masses(stats, self.recipe.criterion)

    def _score(self, proposed: Proposals, missing: Ints, policy: Missing, nodes: Frontier) -> Floats:
        if not len(proposed):
            return np.empty(0)
        if not self.by_mass:
            return self._table_score(proposed, missing, policy)
        if policy.leaves_out and missing.any():
            return self.known_score(proposed.stats, self.mass(nodes.stats)[proposed.node])
        return np.asarray(added(self.mass(proposed.stats), -1))

    def known_score(self, branches: Ints, mass: Floats) -> Floats:
        """The score of splits whose branches (…, branches, n_stats) are of known values only, at nodes of this mass."""
        return np.asarray(added(self.mass(branches), -1) - self.mass(branches.sum(1)) + mass)

    def _table_score(self, proposed: Proposals, missing: Ints, policy: Missing) -> Floats:
        left_out = self._counts(missing)[proposed.node] if policy.leaves_out else None
        table = Table(self._counts(proposed.stats), left_out, moments=self.moments)
        return scores_of(table, criterion_of(self.recipe))

    def _counts(self, stats: Ints) -> Floats:
        """Statistics as criteria see them. Those of ours do not mind where a numeric target is measured from, and
        near its mean more digits are left; a criterion from outside gets the numbers as they are."""
        choice = self.recipe.choice
        own = isinstance(choice, ByScore) and choice.score is not None and self.moments
        return self.target.floats(stats) if own else self.target.centred(stats)

    def slack(self, top: Floats, nodes: Frontier) -> Floats:
        """Scores this close to the top are equal."""
        return self.target.slack(nodes.stats) if self.by_mass else slack(top)

    def gain_of(self, score: Floats, nodes: Frontier) -> Floats:
        """What a score (…, nodes) is as a gain."""
        return self._as_gain(score, nodes.stats) if self.by_mass else score

    def _as_gain(self, score: Floats, stats: Ints) -> Floats:
        return np.asarray((score - self.mass(stats)) * self._gain_unit / self.target.weights(stats))

    def known_gains(self, branches: Ints, stats: Ints) -> Floats:
        """What splits gain that leave missing values out, by mass: ``branches`` (…, branches, n_stats) are of known
        values only, ``stats`` those of the nodes."""
        return self._as_gain(self.known_score(branches, self.mass(stats)), stats)

    @property
    def _gain_unit(self) -> float:
        return self.target.gain_unit / self.recipe.log_base

    def gains(self, column: Ints, n_missing: Ints, stats: Ints, branches: Ints, found: Floats, sizes: Ints) -> Floats:
        """By mass, from the statistics themselves and not from a running sum: so they are the same on every road. Where
        missing values were left out of the score, or the criterion has no mass, what was found."""
        if not self.by_mass:
            return found
        parent = np.repeat(np.arange(len(stats)), sizes)
        after = np.bincount(parent, self.mass(branches), minlength=len(stats))
        exact = (after - self.mass(stats)) * self._gain_unit / self.target.weights(stats)
        if not n_missing.any():
            return np.asarray(exact)
        leaves_out = np.array([policy.leaves_out for policy in self.recipe.missing], np.bool_)[column]
        return np.where(leaves_out & (n_missing > 0), found, exact)

    def gains_of_pairs(self, stats: Ints, inner: Ints) -> Floats:
        """The same of a whole tree of splits in two that leave nothing out of the score: ``stats`` of its nodes level
        by level, so that the children of the i-th of the ``inner`` ones are the nodes 2·i + 1 and 2·i + 2."""
        if not self.by_mass:
            pairs = stats[1:].reshape(len(inner), 2, stats.shape[1])
            return scores_of(Table(self._counts(pairs), moments=self.moments), criterion_of(self.recipe))
        mass = self.mass(stats)
        after = mass[1::2] + mass[2::2]
        return np.asarray((after - mass[inner]) * self._gain_unit / self.target.weights(stats[inner]))

    # ---- all columns -------------------------------------------------------------------------------------------

    def select(self, best: Sequence[Best], nodes: Frontier) -> tuple[Ints, Floats]:
        """The column of the best score at every node: the first of equals, or one drawn in proportion to its splits."""
        score = self._with_forced(np.array([one.score for one in best]), nodes)
        if isinstance(self.recipe.choice, ByScore) and self.recipe.choice.above_average:
            score = np.where(self._is_above_average(best, score, nodes), score, -np.inf)
        select = getattr(self.recipe.choice, "select", None)
        if select is not None:
            gain = self.gain_of(score, nodes)
            column = np.array([self._ask(best, gain[:, f], f, select) for f in range(len(nodes))], np.int64)
            return column, np.where(column >= 0, gain[column, np.arange(len(nodes))], 0.0)
        column = self._best_column(best, score, nodes)
        score = self._with_exact(best, score, column, nodes)
        gain = np.where(column >= 0, self.gain_of(score[column, np.arange(len(nodes))], nodes), 0.0)
        return np.where(self.recipe.is_acceptable(gain), column, -1), gain

    def _with_exact(self, best: Sequence[Best], score: Floats, column: Ints, nodes: Frontier) -> Floats:
        """Where a kernel has rounded, the score of the chosen column is computed anew."""
        rounded = [(one, np.flatnonzero(column == j)) for j, one in enumerate(best) if isinstance(one, RoundedBest)]
        branches = [one.branches(here) for one, here in rounded if len(here)]
        if branches:
            here = np.concatenate([here for _, here in rounded])
            exact = self.known_score(np.concatenate(branches), self.mass(nodes.stats[here]))
            score[column[here], here] = exact
        return score

    def _with_forced(self, score: Floats, nodes: Frontier) -> Floats:
        """Where a column is forced and can be split, no other counts."""
        if self.recipe.constraints is None:
            return score
        forced = self.recipe.constraints.forced_at(nodes.depth)
        here = np.flatnonzero(forced >= 0)
        here = here[score[forced[here], here] > -np.inf]
        others = np.arange(len(score))[:, None] != forced[here]
        score[:, here] = np.where(others, -np.inf, score[:, here])
        return score

    def _is_above_average(self, best: Sequence[Best], score: Floats, nodes: Frontier) -> Mask:
        """Columns × nodes: whether the best split has at least the average information gain of those that are left."""
        information = np.zeros(score.shape)
        for j, one in enumerate(best):
            here = np.flatnonzero(score[j] > -np.inf)
            if len(here):
                branches = one.proposals(here).stats
                known = self.target.floats(branches)
                missing = self.target.floats(nodes.stats[here] - branches.sum(1))
                information[j, here] = gain(Table(known, missing))
        there = score > -np.inf
        average = information.sum(0) / np.maximum(there.sum(0), 1)
        return np.asarray(there & (information >= average - slack(average)))

    def _best_column(self, best: Sequence[Best], score: Floats, nodes: Frontier) -> Ints:
        top = score.max(0)
        if self.recipe.test_costs is None:
            equal = score >= top - self.slack(top, nodes)
        else:
            assert self.paths is not None
            in_bits = self.gain_of(score, nodes) * self.recipe.bits
            equal = self.paths.best_by_cost(in_bits, nodes.id, self.recipe.test_costs)
        column = equal.argmax(0) if self.draws is None else self._first_in_turn(self.draws, equal, nodes)
        if self.recipe.tie == "random":  # of equal columns any is as good, whenever it was drawn
            ties = np.where(equal, np.array([one.ties for one in best]), 0).cumsum(0)
            for f in np.flatnonzero((ties[-1] > 1) & (top > -np.inf)):
                random_pick = int(hashed(self.recipe.seed, nodes.id[f], -1, 0) % np.uint64(ties[-1, f]))
                column[f] = np.searchsorted(ties[:, f], random_pick, side="right")
        return np.where(top > -np.inf, column, -1)

    def _first_in_turn(self, draws: ColumnDraws, equal: Mask, nodes: Frontier) -> Ints:
        turns = draws.turns(nodes.id)
        return np.asarray(np.where(equal, turns, len(turns) + 1).argmin(0))

    def _ask(self, best: Sequence[Best], gain: Floats, f: int, select: Select) -> int:
        """The column that the user's function selects at a node; -1: none."""
        columns = [j for j in range(len(best)) if gain[j] > -np.inf]
        candidates = {j: self._candidate(j, best[j], gain[j], f) for j in sorted(columns, key=lambda j: -gain[j])}
        chosen = select(list(candidates.values())) if candidates else None
        for j, candidate in candidates.items():
            if candidate is chosen:
                return j
        if chosen is not None:
            raise OptionError(f"select returned {shown(chosen)}", "return one of the candidates it was given, or None")
        return -1

    def _candidate(self, column: int, best: Best, gain: float, f: int) -> Candidate:
        chosen, is_cut = best.proposals(np.array([f])), self.kind(column) is Kind.NUMERIC
        branch_of = chosen.branches(self.encoded.columns[column].n_codes, is_cut=is_cut)[0]
        table = Table(self.target.floats(chosen.stats[0]), moments=self.moments)
        heaviest = int(self.target.plain_weights(chosen.stats[0]).argmax())
        to = heaviest if branch_of[0] == HEAVIEST else branch_of[0]
        edges = self.edges(column, chosen.cut, chosen.above)[0] if is_cut else np.empty(0)
        split = Split(column, edges, np.where(branch_of < AS_MISSING, to, branch_of))
        return Candidate(self.encoded.schema.columns[column].name, float(gain), table, split)

    def edges(self, column: int, cut: Ints, above: Ints) -> tuple[Floats, Floats]:
        return edges_between(self.encoded.columns[column], cut, above)


def leaders(node: Ints, turn: Ints, score: Floats, slack: Floats, equal: Ints) -> Ints:
    """Of every node the proposal that is ahead of all before it by more than the slack, and of none after it by more.

    ``equal`` are the proposals within the slack of the best, in turn. The first of them leads, unless one before it is
    so close to it that it could have led in its place: then all are gone through one by one.
    """
    first = np.zeros(len(slack), np.int64)
    first[node[equal[::-1]]] = equal[::-1]  # the first is written last
    if not len(score):
        return first
    before = np.full(len(slack), -np.inf)
    earlier = turn < turn[first][node]
    np.maximum.at(before, node[earlier], score[earlier])
    for f in np.flatnonzero((before > -np.inf) & (before >= score[first] - slack)):
        leader = -1
        here = np.flatnonzero(node == f)
        for place in here[np.argsort(turn[here], kind="stable")]:
            if score[place] > (score[leader] + slack[f] if leader >= 0 else -np.inf):
                leader = int(place)
        first[f] = leader
    return first
