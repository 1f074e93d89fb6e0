"""The general engine: every proposal of every column is a table, and a criterion is any function of tables.

Slower than the engines whose criterion is compiled, and open to all that those do not do: criteria written in Python,
policies for missing values column by column, constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.best import TIE, Best, best_of, criterion_of, scores_of, slack
from treewright.engines.engine import Found, Frontier
from treewright.engines.paid import Paid
from treewright.engines.paths import Paths
from treewright.engines.surrogates import find_surrogates
from treewright.engines.target import ClassStats, MomentStats, target_stats
from treewright.engines.workers import Workers
from treewright.errors import OptionError, shown
from treewright.kernels.rng import hashed
from treewright.recipes.constraints import Constraints
from treewright.recipes.missing import Missing
from treewright.recipes.recipe import Candidate, Recipe, Splits
from treewright.search.cells import Cases, Cells, cells_of, shared_out, with_commonest
from treewright.search.cuts import cuts, edges_between
from treewright.search.levels import levels
from treewright.search.proposals import ABSENT, HEAVIEST, Proposals, like_code
from treewright.split import AS_MISSING, EVERY_BRANCH, STOP, Split, Surrogate
from treewright.table import Table
from treewright.tree.build import offsets, spans
from treewright.typing import Array, Floats, Ints, Mask

Select = Callable[[Sequence[Candidate]], "Candidate | None"]
_SMALL = 20_000  # cells below which a round is not worth waking other threads for


@dataclass(frozen=True)
class Tests:
    """The test of every node; nodes without one have no branches."""

    n_branches: Ints
    cut: Ints
    edge: Floats
    branch_start: Ints
    branch_of: Array


@dataclass(frozen=True)
class Sent(Found):
    """What was found, and the cases at their branches: their nodes are the places of ``stats`` and ``rows``."""

    cases: Cases = field(kw_only=True)
    paths: Paths | None = field(kw_only=True)


class TableEngine:
    """Finds and applies the best splits of all open nodes of a round (see ``Engine``)."""

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, policies: tuple[Missing, ...]) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.workers = workers
        self.criterion = criterion_of(recipe)
        self.policies = policies
        fine = recipe.ratio is not None or any(policy.is_shared for policy in policies)
        self.target: ClassStats | MomentStats = target_stats(encoded, recipe.criterion, fine=fine)
        self.moments = encoded.schema.target.classes is None
        self.constraints = recipe.constraints
        self.paid = None if recipe.prices is None else Paid(recipe.prices)
        self._open = self._all_cases()
        self._paths = None if self.constraints is None else Paths.of_root(len(encoded.columns))

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _all_cases(self) -> Cases:
        n = self.encoded.n_rows
        weight, moment, square = self.target.row_arrays
        weights = weight if len(weight) else np.ones(n, np.int64)
        amounts = np.stack([weights, moment, square] if self.moments else [weights], axis=1)
        label = np.empty(0, np.int64) if self.moments else self.encoded.y
        return Cases(np.arange(n), np.zeros(n, np.int64), label, amounts)

    @cached_property
    def _least_weight(self) -> float:
        whole = float(self.target.weights(self.target.totals()))
        return self.recipe.stop.min_weight_fraction_leaf * whole

    @cached_property
    def _one_order(self) -> bool:
        """Whether the best of two sets of levels is a cut of their order by mean (Breiman et al. 1984, theorem 4.5)."""
        return self.moments or (self.target.n_stats == 2 and self.recipe.criterion != "misclassification")

    def _kind(self, j: int) -> Kind:
        return self.encoded.schema.columns[j].kind

    def _codes(self, j: int, cases: Cases) -> Ints:
        return self.encoded.columns[j].codes[cases.row].astype(np.int64)

    def floats(self, stats: Ints) -> Floats:
        return self.target.floats(stats)

    def _counts(self, stats: Ints) -> Floats:
        """Statistics as criteria see them. Those of ours do not mind where a numeric target is measured from, and
        near its mean more digits are left; a criterion from outside gets the numbers as they are."""
        own = self.recipe.score is not None and self.moments
        return self.target.floats(stats) if own else self.target.centred(stats)

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        stats = self.target.totals()[None, :]
        zero = np.zeros(1, np.int64)
        stats = self._kept(self._open, stats)
        return Frontier(zero, zero, np.array([self.encoded.n_rows]), stats, self._is_settled(stats))

    def _is_settled(self, stats: Ints) -> Mask:
        """Nodes that need no split."""
        return self.target.is_pure(stats)

    def _kept(self, cases: Cases, sums: Ints, parent: Ints | None = None) -> Ints:
        """Statistics of nodes from the sums over their cases; ``parent`` has those of each node's parent."""
        return sums

    def best(self, frontier: Frontier) -> Sent:
        cases = self._open
        best = self._search(cases, frontier)
        self._force(best, frontier)
        column, gain = self._choose(best, frontier)
        tests = self._resolve(column, best)
        child_start = offsets(tests.n_branches)
        side, is_missing = self._sides(column, tests, cases)
        stand_ins = self._stand_in(column, cases, side, is_missing)
        sent = self._send(cases, side, column, child_start)
        n_children = int(child_start[-1])
        sums = sent.sums(sent.node, n_children, self.target.n_stats)
        stats = self._kept(sent, sums, np.repeat(frontier.stats, tests.n_branches, axis=0))
        paths = None
        if self._paths is not None and self.constraints is not None:
            paths = self._paths.down(column, child_start, self._predicted(stats), self.constraints)
        with np.errstate(over="ignore"):  # the F of branches without spread is the largest float
            priority = gain * self.target.weights(frontier.stats)
        return Sent(
            column, gain, priority, tests.edge,
            np.bincount(cases.node[is_missing], minlength=len(column)),
            child_start, stats, np.bincount(sent.node, minlength=n_children),
            tests.branch_start, tests.branch_of, surrogates=stand_ins, cases=sent, paths=paths,
        )  # fmt: skip

    # ---- search ------------------------------------------------------------------------------------------------

    def _search(self, cases: Cases, frontier: Frontier) -> list[Best]:
        found: list[Best | None] = [None] * len(self.encoded.columns)

        def search(j: int, worker: int) -> None:
            found[j] = self._search_column(j, cases, frontier)

        self.workers.each(len(found), search, small=len(cases) * len(found) < _SMALL)
        return [best for best in found if best is not None]

    def _search_column(self, j: int, cases: Cases, frontier: Frontier) -> Best:
        column = self.encoded.columns[j]
        cells = cells_of(cases, self._codes(j, cases), len(frontier), column.n_codes, self.target.n_stats)
        proposed = self._propose(j, cells, len(frontier))
        proposed = proposed[np.flatnonzero(self._is_admissible(proposed))]
        if self.constraints is not None:
            predicted = self._predicted(proposed.stats)
            proposed = proposed[np.flatnonzero(self._obeys(self.constraints, j, proposed, frontier, predicted))]
        score = self._score(proposed, cells.missing(len(frontier))[1], self.policies[j])
        return best_of(proposed, score, frontier, self._seed(j))

    def _propose(self, j: int, cells: Cells, n_nodes: int, key: Floats | None = None) -> Proposals:
        """``key`` orders the levels of which subsets are made, in place of their means."""
        n_codes, policy, ordered = self.encoded.columns[j].n_codes, self.policies[j], self._kind(j) is not Kind.NOMINAL
        stand_in = None
        if policy is Missing.COMMON:
            cells, stand_in = with_commonest(cells, n_nodes, ordered=ordered, moments=self.moments)
        if ordered:
            proposed = cuts(cells, n_nodes, n_codes, policy)
        else:
            proposed = levels(
                cells, n_nodes, n_codes, policy, self._style(j), moments=self.moments, one_order=self._one_order,
                key=key, each_of_two=self.recipe.ratio is not None,  # sums in 32 bits may tell the two apart
            )  # fmt: skip
        return proposed if stand_in is None else like_code(proposed, stand_in)

    def _style(self, j: int) -> Splits:
        """What a test on a nominal column looks like."""
        return self.recipe.splits

    def _seed(self, j: int) -> tuple[int, int] | None:
        return None if self.recipe.tie == "first" else (self.recipe.seed, j)

    def _is_admissible(self, proposed: Proposals) -> Mask:
        """Every branch that has rows has enough of them, and there are two such."""
        some = proposed.rows > 0
        enough = proposed.rows >= self.recipe.stop.min_rows_leaf
        if self._least_weight > 0:
            enough &= self.target.weights(proposed.stats) >= self._least_weight
        if self.recipe.criterion == "poisson":
            enough &= proposed.stats[..., 1] > 0  # without events there is no rate to speak of
        return np.asarray((enough | ~some).all(-1) & (some.sum(-1) >= 2))

    def _obeys(
        self, constraints: Constraints, j: int, proposed: Proposals, frontier: Frontier, predicted: Floats
    ) -> Mask:
        assert self._paths is not None
        node, sign = proposed.node, int(constraints.monotone[j])
        forced = constraints.forced_at(frontier.depth) == j
        fits = (constraints.allowed(frontier.depth, self._paths.used)[j] | forced)[node]
        if constraints.min_branch_share > 0:
            least = constraints.min_branch_share * self.target.weights(frontier.stats)[node][:, None]
            fits &= ((proposed.rows == 0) | (self.target.weights(proposed.stats) >= least)).all(-1)
        if constraints.monotone.any():
            fits &= self._paths.admits(node, predicted, sign)
        return np.asarray(fits)

    def _predicted(self, stats: Ints) -> Floats:
        """What branches predict: the mean, or the share of the second class; NaN where there is nothing."""
        counts = self.target.floats(stats)
        weight = counts[..., 0] if self.moments else counts.sum(-1)
        return np.divide(counts[..., 1], weight, out=np.full(weight.shape, np.nan), where=weight > 0)

    def _force(self, best: list[Best], frontier: Frontier) -> None:
        """Where a column is forced and can be split, no other counts."""
        if self.constraints is None:
            return
        forced = self.constraints.forced_at(frontier.depth)
        for f in np.flatnonzero(forced >= 0):
            if best[forced[f]].score[f] > -np.inf:
                for j, other in enumerate(best):
                    if j != forced[f]:
                        other.score[f] = -np.inf

    def _score(self, proposed: Proposals, missing: Ints, policy: Missing) -> Floats:
        if not len(proposed):
            return np.empty(0)
        left_out = self._counts(missing)[proposed.node] if policy.leaves_out else None
        table = Table(self._counts(proposed.stats), left_out, moments=self.moments)
        return scores_of(table, self.criterion)

    # ---- choose ------------------------------------------------------------------------------------------------

    def _choose(self, best: list[Best], frontier: Frontier) -> tuple[Ints, Floats]:
        """Column (-1: none) and score of every node's split."""
        column = self._select(best, frontier)
        score = np.array([b.score for b in best])[column, np.arange(len(column))]
        return column, np.where(column >= 0, score, 0.0)

    def _select(self, best: list[Best], frontier: Frontier) -> Ints:
        """The column of the best score at every node: the first of equals, or one drawn in proportion to its splits."""
        if self.recipe.select is not None:
            return np.array([self._ask(best, f, self.recipe.select) for f in range(len(frontier))])
        score = np.array([b.score for b in best])
        top = score.max(0)
        if self.paid is None:
            equal = score >= top - slack(top)
        else:
            equal = self.paid.best(score * self.recipe.bits, frontier.id, TIE)
        column = equal.argmax(0)
        if self.recipe.tie == "random":
            ties = np.where(equal, np.array([b.ties for b in best]), 0).cumsum(0)
            for f in np.flatnonzero((ties[-1] > 1) & (top > -np.inf)):
                drawn = int(hashed(self.recipe.seed, frontier.id[f], -1, 0) % np.uint64(ties[-1, f]))
                column[f] = np.searchsorted(ties[:, f], drawn, side="right")
        return np.where((top > -np.inf) & (top >= self.recipe.stop.min_gain - TIE), column, -1)

    def _ask(self, best: list[Best], f: int, select: Select) -> int:
        """The column that the user's function selects at a node; -1: none."""
        columns = [j for j, b in enumerate(best) if b.score[f] > -np.inf]
        candidates = {j: self._candidate(j, best[j], f) for j in sorted(columns, key=lambda j: -best[j].score[f])}
        chosen = select(list(candidates.values())) if candidates else None
        for j, candidate in candidates.items():
            if candidate is chosen:
                return j
        if chosen is not None:
            raise OptionError(f"select returned {shown(chosen)}", "return one of the candidates it was given, or None")
        return -1

    def _candidate(self, j: int, best: Best, f: int) -> Candidate:
        chosen = best.chosen[best.place[[f]]]
        edges = self._edges(j, chosen)
        split = Split(j, edges[~np.isnan(edges)], self._branches(j, chosen)[0])
        table = Table(self.target.floats(chosen.stats[0]), moments=self.moments)
        return Candidate(self.encoded.schema.columns[j].name, float(best.score[f]), table, split)

    # ---- what the chosen splits mean ---------------------------------------------------------------------------

    def _resolve(self, column: Ints, best: list[Best]) -> Tests:
        n = len(column)
        n_branches, cut, edge = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(n, np.nan)
        branches: list[Array] = [np.empty(0, np.int32)] * n
        for j in np.unique(column[column >= 0]):
            here = np.flatnonzero(column == j)
            chosen = best[j].chosen[best[j].place[here]]
            n_branches[here], cut[here], edge[here] = chosen.n_branches, chosen.cut, self._edges(j, chosen)
            for f, branch_of in zip(here, self._branches(j, chosen)):
                branches[f] = branch_of
        start = offsets(np.array([len(branch_of) for branch_of in branches], np.int64))
        return Tests(n_branches, cut, edge, start, np.concatenate(branches))

    def _branches(self, j: int, chosen: Proposals) -> Array:
        """The branch of every code. Levels that do not occur at a node go where missing values go."""
        if chosen.branch_of is not None:
            branches = chosen.branch_of(np.arange(len(chosen)))
        elif self._kind(j) is Kind.NUMERIC:
            branches = np.tile(np.array([ABSENT, 0, 1], np.int32), (len(chosen), 1))
        else:
            branches = (np.arange(self.encoded.columns[j].n_codes) > chosen.cut[:, None]).astype(np.int32)
            branches[:, 0] = ABSENT
        weights = self._plain_weights(chosen.stats)
        heaviest = chosen.number[np.arange(len(chosen)), weights.argmax(-1)]
        learned = np.where(branches[:, 0] == ABSENT, heaviest, branches[:, 0])
        to = np.where(chosen.missing_to == HEAVIEST, learned, chosen.missing_to)
        if self.policies[j] is Missing.SURROGATE:
            two = np.sort(weights, axis=-1)[:, -2:]
            undecided = two[:, 0] == two[:, 1]  # no branch is the heaviest
            to = np.where(undecided | self.recipe.surrogates.then_stop, STOP, to)
        branches[:, 0] = to
        absent = np.full(len(chosen), AS_MISSING) if self.policies[j] is Missing.SURROGATE else to
        return np.asarray(np.where(branches == ABSENT, absent[:, None], branches), np.int32)

    def _plain_weights(self, stats: Ints) -> Floats:
        """Weights without what costs and priors have made of them."""
        plain = self.target.floats(stats)
        return np.asarray(plain[..., 0] if self.moments else plain.sum(-1))

    def _edges(self, j: int, chosen: Proposals) -> Floats:
        if self._kind(j) is not Kind.NUMERIC:
            return np.full(len(chosen), np.nan)
        return edges_between(self.encoded.columns[j], chosen.cut, chosen.above)

    def _sides(self, column: Ints, tests: Tests, cases: Cases) -> tuple[Ints, Mask]:
        """The branch of every case, none where the node has no test, and whether the tested value is missing."""
        side, is_missing = np.full(len(cases), STOP), np.zeros(len(cases), np.bool_)
        for j in np.unique(column[column >= 0]):
            here = np.flatnonzero(column[cases.node] == j)
            node, codes = cases.node[here], self._codes(j, cases[here])
            is_missing[here] = codes == 0
            if self._kind(j) is Kind.NUMERIC:
                codes = np.where(codes == 0, 0, 1 + (codes > tests.cut[node]))
            side[here] = tests.branch_of[tests.branch_start[node] + codes]
        return side, is_missing

    def _stand_in(self, column: Ints, cases: Cases, side: Ints, is_missing: Mask) -> Sequence[tuple[Surrogate, ...]]:
        """Find surrogates where the policy asks for them, and let them decide where missing cases go."""
        wanted = np.where(self._has_policy(Missing.SURROGATE)[column], column, -1)
        if (wanted < 0).all():
            return ()
        here = wanted[cases.node] >= 0
        those, missing = np.flatnonzero(here), np.flatnonzero(here & is_missing)
        rows = cases[those], side[those], ~is_missing[those]
        found = find_surrogates(self.encoded, self.recipe.surrogates, self.workers, wanted, *rows)
        decided = found.decide(cases[missing])
        side[missing] = np.where(decided >= 0, decided, side[missing])
        return found.listed()

    def _has_policy(self, policy: Missing) -> Mask:
        """Whether a column has the policy; the last entry stands for no column."""
        return np.array([*(own is policy for own in self.policies), False])

    def _send(self, cases: Cases, side: Ints, column: Ints, child_start: Ints) -> Cases:
        """The cases at their branches; those that take every branch have a part in each that others take."""
        whole = np.flatnonzero(side >= 0)
        settled = cases[whole].at(child_start[cases.node[whole]] + side[whole])
        shared = cases[np.flatnonzero(side == EVERY_BRANCH)]
        if not len(shared):
            return settled
        weight = np.bincount(settled.node, settled.amounts[:, 0].astype(np.float64), minlength=int(child_start[-1]))
        sizes = np.diff(child_start)[shared.node]
        child = spans(child_start[shared.node], sizes)
        case = np.repeat(np.arange(len(shared)), sizes)
        case, child = case[weight[child] > 0], child[weight[child] > 0]
        in_full = self._has_policy(Missing.EVERY)[column[shared.node]]
        parts = shared[case].at(child)
        amounts = np.where(in_full[case][:, None], parts.amounts, shared_out(parts.amounts, case, weight[child]))
        return settled.and_also(replace(parts, amounts=amounts))

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        sizes = np.diff(found.child_start)[taken]
        branches = spans(found.child_start[taken], sizes)
        ids = np.arange(first_id, first_id + len(branches))
        stats = found.stats[branches]
        depth = np.repeat(frontier.depth[taken] + 1, sizes)
        if self.paid is not None:
            self.paid.split(frontier.id[taken], found.column[taken], sizes)
        return Frontier(ids, depth, found.rows[branches], stats, self._is_settled(stats))

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        assert isinstance(found, Sent)
        branches = spans(found.child_start[taken], np.diff(found.child_start)[taken])
        place = np.full(int(found.child_start[-1]), -1)
        place[branches[wanted]] = np.arange(int(wanted.sum()))
        kept = np.flatnonzero(place[found.cases.node] >= 0)
        self._open = found.cases[kept].at(place[found.cases.node[kept]])
        self._paths = None if found.paths is None else found.paths[branches[wanted]]
        return children[np.flatnonzero(wanted)]
