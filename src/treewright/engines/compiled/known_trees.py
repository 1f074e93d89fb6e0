"""Whole trees of small tables with missing values, grown by one call where these have a branch of their own, count as
the commonest value, or are left out of the score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.compiled import known_search
from treewright.engines.compiled.code_table import code_table
from treewright.engines.compiled.score_search import rules_of
from treewright.engines.compiled.subtree_search import halt_of
from treewright.engines.target_stats import TargetStats
from treewright.engines.workers import Workers
from treewright.kernels.known_kernels import known_cases, known_growth
from treewright.kernels.known_kernels.known_cases import KnownCases, KnownColumns
from treewright.kernels.known_kernels.known_growth import KnownTree, grow_known
from treewright.kernels.known_kernels.known_surrogates import SurrogateRules
from treewright.kernels.search.known_cells import CUTS
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe
from treewright.split import AS_MISSING, midway
from treewright.tree.build import Round, offsets, tree_of_splits
from treewright.tree.tree import IN_FULL, NO_SURROGATES, Surrogates, Tree
from treewright.typing import Array, Floats, Ints, Mask

_POLICIES = {
    Missing.LEARNED: known_cases.NONE,  # of columns without missing values
    Missing.ERROR: known_cases.NONE,
    Missing.BRANCH: known_cases.OWN_BRANCH,
    Missing.COMMON: known_cases.COMMONEST,
    Missing.FRACTIONAL: known_cases.BY_SHARE,
    Missing.EVERY: known_cases.IN_FULL,
    Missing.STOP: known_cases.STAYING,
    Missing.DROP: known_cases.STAYING,
    Missing.SURROGATE: known_cases.SURROGATES,
}
_MOST_CASES = 32  # for every row; where missing values take every branch there are more and more cases


def serves(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether the kernel knows all that the recipe asks for."""
    choice, stop = recipe.choice, recipe.stop
    asked = (recipe.test_costs, recipe.halt, recipe.draw, stop.max_leaves, stop.significance, encoded.class_factors)
    if any(piece is not None for piece in asked) or stop.min_weight_split > 0 or not known_search.serves(recipe):
        return False
    if not isinstance(choice, ByScore) or choice.score is not None:
        return False
    if recipe.splits not in known_search.STYLES and _nominal(encoded).any():
        return False
    some_missing = [policy for policy, column in zip(recipe.missing, encoded.columns) if column.has_missing]
    return bool(some_missing) and Missing.LEARNED not in some_missing


def _nominal(encoded: Encoded) -> Mask:
    return np.array([column.kind is Kind.NOMINAL for column in encoded.schema.columns], np.bool_)


def known_tree(
    encoded: Encoded, recipe: Recipe, target: TargetStats, workers: Workers, most_cases: int = _MOST_CASES
) -> Tree | None:
    """The tree of the table; None if so many rows come to be at several nodes that rounds are better."""
    table = code_table(encoded, workers, random_cuts=False)
    codes = np.minimum(table.n_codes, encoded.n_rows + 1).max(initial=0)
    narrow = table.codes.astype(np.uint16) if codes < 2**16 else table.codes  # which are sorted in less time
    styles = np.where(table.nominal, known_search.STYLES.get(recipe.splits, CUTS), CUTS).astype(np.int64)
    policies = np.array([_POLICIES[policy] for policy in recipe.missing], np.int64)
    cases = KnownCases(
        np.arange(encoded.n_rows, dtype=np.int32),
        target.case_labels.astype(np.int32),
        np.ascontiguousarray(target.case_amounts),
        np.argsort(narrow, axis=1, kind="stable").astype(np.int32),
    )
    rules = recipe.surrogates
    fits, tree, made = grow_known(
        KnownColumns(table.codes, table.n_codes, styles, policies), cases, target.whole,
        rules_of(encoded, recipe, target), halt_of(recipe, target),
        SurrogateRules(rules.most, rules.over_all, rules.then_stop, rules.as_rpart), most_cases * encoded.n_rows,
    )  # fmt: skip
    if not fits:
        return None
    taken = KnownTree(
        tree.splits[: made[0]], tree.nodes[: made[1]], tree.levels[: made[2], 0], tree.stand_ins[: made[3]],
        tree.agreement[: made[3]],
    )  # fmt: skip
    return GrownTree(encoded, recipe, target, table.bounds, table.n_codes, taken).tree()


@dataclass(frozen=True)
class GrownTree:
    """What the kernel has found, to be written as a tree."""

    encoded: Encoded
    recipe: Recipe
    target: TargetStats
    bounds: tuple[tuple[Floats, Floats], ...]  # of every ordered column: the numbers that its codes stand for
    n_codes: Ints
    found: KnownTree

    def tree(self) -> Tree:
        counts = self.found.nodes[:, 1 : 1 + self.target.n_stats]
        node, first_child, n_branches = (self.found.splits[:, k] for k in range(3))
        split_at, branches = np.full(len(counts), -1), np.zeros(len(counts), np.int64)
        split_at[node], branches[node] = np.arange(len(node)), n_branches
        leaf, target = self.recipe.leaf, self.encoded.schema.target
        tree = tree_of_splits(self.found.nodes[:, 0].copy(), branches, split_at, self._splits(), leaf.kind, {})
        stats = self.target.floats(counts)
        return tree._replace(
            stats=stats,
            value=leaf.values(stats, tree.parent, target),
            gain=self._gains(counts, node, first_child, n_branches),
            surrogates=self._surrogates(node, len(counts)),
        )

    def _field(self, number: int) -> Ints:
        return np.asarray(self.found.splits[:, number])

    @property
    def column(self) -> Ints:
        return self._field(known_growth.COLUMN)

    @cached_property
    def kinds(self) -> Array:
        return np.array([column.kind.value for column in self.encoded.schema.columns])

    def _splits(self) -> Round:
        column, n = self.column, len(self.found.splits)
        is_number = self.kinds[column] == Kind.NUMERIC.value
        edge, below = self._edges(column, self._field(known_growth.CUT), self._field(known_growth.ABOVE), is_number)
        sizes = np.where(is_number, 3, self.n_codes[column])
        return Round(
            id=self._field(known_growth.NODE),
            first_child=self._field(known_growth.FIRST_CHILD),
            column=column,
            edge_size=is_number.astype(np.int64),
            edges=edge[is_number],
            below=below[is_number],
            gain=np.zeros(n),
            missing=self._field(known_growth.MISSING),
            branch_size=sizes,
            branch_of=self._branches(column, is_number, sizes),
            test=np.empty((n, 0)),
        )

    def _edges(self, column: Ints, cut: Ints, above: Ints, wanted: Mask) -> tuple[Floats, Floats]:
        """Thresholds of numeric columns and the numbers below; infinite where only missing values are above."""
        low, high = np.full((2, len(column)), np.nan)
        for j in np.flatnonzero(np.bincount(column[wanted])):
            mine, (lows, highs) = np.flatnonzero((column == j) & wanted), self.bounds[j]
            low[mine], high[mine] = highs[cut[mine]], lows[above[mine]]
        only_missing = above == 0
        return np.where(only_missing, np.inf, midway(low, high)), np.where(only_missing, np.inf, low)

    def _branches(self, column: Ints, is_number: Mask, sizes: Ints) -> Array:
        """The branch of every code, of all splits end to end. Levels that do not occur go as missing values do."""
        start, of_missing = offsets(sizes), self._field(known_growth.OF_MISSING)
        branch_of = np.empty(start[-1], np.int32)
        numbers = start[:-1][is_number]
        branch_of[numbers + 1], branch_of[numbers + 2] = 0, 1
        asks = np.array([policy is Missing.SURROGATE for policy in self.recipe.missing], np.bool_)[column]
        is_nominal = self.kinds[column] == Kind.NOMINAL.value
        for s in np.flatnonzero(~is_number):
            mine = slice(start[s], start[s + 1])
            if is_nominal[s]:
                at = self.found.splits[s, known_growth.LEVELS]
                levels = self.found.levels[at : at + sizes[s]]
                branch_of[mine] = np.where(levels >= 0, levels, AS_MISSING if asks[s] else of_missing[s])
            else:
                branch_of[mine] = np.arange(sizes[s]) > self.found.splits[s, known_growth.CUT]
        branch_of[start[:-1]] = of_missing
        return branch_of

    def _gains(self, counts: Ints, node: Ints, first_child: Ints, n_branches: Ints) -> Floats:
        choice, n_missing = ScoreChoice(self.encoded, self.recipe, self.target, None), self._field(known_growth.MISSING)
        leaves_out = np.array([policy.leaves_out for policy in self.recipe.missing], np.bool_)[self.column]
        rounded, found = np.flatnonzero(leaves_out & (n_missing > 0)), np.zeros(len(node))
        known = self.found.nodes[:, 1 + self.target.n_stats :]
        pairs = np.stack([known[first_child[rounded]], known[first_child[rounded] + 1]], axis=1)
        found[rounded] = choice.known_gains(pairs, counts[node[rounded]])
        gain = np.zeros(len(counts))
        gain[node] = choice.gains(self.column, n_missing, counts[node], counts[1:], found, n_branches)
        return gain

    # ---- surrogates --------------------------------------------------------------------------------------------

    def _surrogates(self, node: Ints, n_nodes: int) -> Surrogates:
        found = self.found.stand_ins
        if not len(found):
            return NO_SURROGATES
        column, cut, above, low, high, levels = (found[:, k] for k in range(known_growth.STAND_IN_FIELDS))
        is_number = self.kinds[column] == Kind.NUMERIC.value
        count = np.zeros(n_nodes, np.int64)
        count[node] = self._field(known_growth.STAND_INS)
        sizes = np.where(is_number, 3, self.n_codes[column])
        start = offsets(sizes)
        branch_of = np.full(start[-1], -1, np.int32)
        numbers = start[:-1][is_number]
        branch_of[numbers + 1], branch_of[numbers + 2] = low[is_number], high[is_number]
        for s in np.flatnonzero(~is_number):
            mine = slice(start[s], start[s + 1])
            if levels[s] >= 0:
                branch_of[mine] = self.found.levels[levels[s] : levels[s] + sizes[s]]
            else:
                branch_of[mine][1:] = np.where(np.arange(1, sizes[s]) > cut[s], high[s], low[s])
        edge = self._edges(column, cut, np.where(is_number, above, 1), is_number)[0]
        return Surrogates(
            offsets(count), column.astype(np.int32), edge, start, branch_of, self.found.agreement[:, 0].copy(),
            self.found.agreement[:, 1].copy(), IN_FULL if is_number.any() else np.full(len(found), np.nan),
        )  # fmt: skip
