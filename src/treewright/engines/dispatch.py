"""The one place that chooses who counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded, Encoding
from treewright.data.schema import Kind
from treewright.engines.choices import one_pass_search
from treewright.engines.choices.choice import Choice
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.choices.stacked_columns import StackedColumns
from treewright.engines.column_draws import ColumnDraws
from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.engine import Engine, Shortcut
from treewright.engines.paths import Paths
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.row_store import Renumbering, RowStore
from treewright.engines.stores.store import Frontier, Store
from treewright.engines.target_stats import ClassStats, MedianStats, TargetStats, target_stats
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.kernels import switch
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByRatio, ByScore, Recipe, Splits


@dataclass(frozen=True)
class Beginning:
    """Where growing begins, if not at a root: nodes whose rows lie one after the other in the table, what the rows add
    in the units of the table they were copied from, what lies on the way to the nodes, and whether they are grown to
    the end by this engine, or only split."""

    nodes: Frontier
    target: TargetStats
    paths: Paths | None
    to_the_end: bool = True

    @property
    def levels(self) -> float:
        """How many there will be below the nodes, on the average of their rows."""
        rows = self.nodes.rows
        return float(np.average(np.log2(rows + 1), weights=rows)) if self.to_the_end else 1.0


def engine_for(encoded: Encoded, recipe: Recipe, workers: Workers, beginning: Beginning | None = None) -> Engine:
    """The compiled engine where there is one and compiling pays, else the plain pair. Both grow the same tree."""
    engine, seconds = None, 0.0
    if not switch.is_on:
        seconds = one_pass_search.seconds_with_loops(encoded, recipe, plain_seconds(encoded, recipe, beginning))
    if switch.should_compile(seconds):
        engine = compiled_engine(encoded, recipe, workers, beginning=beginning)
    return engine or plain_engine(encoded, recipe, workers, beginning)


_FEW_ROWS = 10_000  # of a table whose tree one thread grows in one call in less time than all threads do in rounds
_ROUNDS = 8e-3  # seconds that rounds take, however few the rows
_KNOWN_ROUNDS = 3e-3  # … for a column, where splits are searched by known values


def in_one_call(encoded: Encoded, recipe: Recipe, few_rows: int = _FEW_ROWS) -> bool:
    """Whether one kernel grows the whole tree: of small tables with nominal columns, once kernels are compiled.

    Where all columns are numbers the engine has such a kernel of its own, for small nodes.
    """
    from treewright.kernels import switch

    if not switch.is_on or encoded.n_rows > few_rows or recipe.draw is not None:
        return False
    from treewright.engines.compiled.forest_search import serves
    from treewright.kernels.forest_kernels.forest import grow_tree

    nominal = any(column.kind is Kind.NOMINAL for column in encoded.schema.columns)
    if not nominal or not serves(encoded, replace(recipe, prune=None)):  # which comes after growing
        return False
    return switch.should_compile(_ROUNDS, grow_tree)


def known_in_one_call(encoded: Encoded, recipe: Recipe, few_rows: int = _FEW_ROWS) -> bool:
    """Whether one kernel grows the whole tree of a small table with missing values, once kernels are compiled."""
    from treewright.kernels import switch

    if not switch.is_on or encoded.n_rows > few_rows:
        return False
    from treewright.engines.compiled.known_trees import serves
    from treewright.kernels.known_kernels.known_growth import grow_known

    return serves(encoded, recipe) and switch.should_compile(_KNOWN_ROUNDS * len(encoded.columns), grow_known)


def without_cells(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether one tree is grown as those of a forest are that no kernel grows: in half the time of the plain pair, if
    the tree is such that a forest could have it and if compiling does not pay."""
    from treewright.engines.compiled.forest_search import serves, serves_side_by_side
    from treewright.kernels import switch

    grown = replace(recipe, prune=None)
    if not serves_side_by_side(encoded, grown):
        return False
    if not serves(encoded, grown):
        return True  # nor does any other kernel know it
    return not switch.should_compile(0.0 if switch.is_on else seconds_of_tree(encoded, recipe))


_PER_TREE = 1e-3  # seconds that a tree takes side by side with others, however few its rows
_PER_ROW = 7e-8  # … and for each of its rows, of every level and column that is looked at
_MANY_CLASSES = 8  # that take as long as the rest


def seconds_of_tree(encoded: Encoded, recipe: Recipe) -> float:
    """About how long it takes to grow a tree so."""
    n_rows, n_columns, limit = encoded.n_rows, len(encoded.columns), recipe.stop.max_depth
    depth = min(math.log2(n_rows + 1) + 3, math.inf if limit is None else limit + 1)
    looked_at = n_columns if recipe.draw is None else min(recipe.draw.columns, n_columns)
    return _PER_TREE + _PER_ROW * n_rows * looked_at * depth * (1 + encoded.n_classes / _MANY_CLASSES)


_PER_COLUMN = 4e-4  # seconds that the plain pair takes for a column in a round, however few the rows
_PER_CELL = 2e-7  # … and for each of its rows
_PER_SCORED_CELL = 4e-8  # the same where splits are scored by classes
_MOMENTS = 4  # times as long where they are scored by numbers: their nodes are seldom pure
_MEDIANS = 4  # times as long where splits are searched by medians
_PER_PAIR = 2.5e-6  # for each pair of levels that may be merged
_PER_SHARE = 1e-7  # for each class of each level in the order of each class


def plain_seconds(encoded: Encoded, recipe: Recipe, beginning: Beginning | None = None) -> float:
    """About how long the plain pair would take, from the size of the table and of the tree that is to be expected."""
    expected = math.log2(encoded.n_rows + 1) + 3 if beginning is None else beginning.levels
    return seconds_of_rows(encoded, recipe, encoded.n_rows, expected)


def seconds_of_rows(encoded: Encoded, recipe: Recipe, n_rows: int, levels: float) -> float:
    """The same for so many rows of the table and, if the recipe allows them, levels."""
    n_columns, stop = len(encoded.columns), recipe.stop
    depth = min(levels, math.inf if stop.max_depth is None else stop.max_depth + 1)
    rounds = depth if stop.max_leaves is None else max(depth, min(stop.max_leaves, n_rows))
    times = _MEDIANS if isinstance(recipe.choice, ByMedian) else 1
    seconds = times * n_columns * (_PER_COLUMN * rounds + _seconds_of_cell(encoded, recipe) * n_rows * depth)
    return seconds + _seconds_of_levels(encoded, recipe, depth)


def _seconds_of_cell(encoded: Encoded, recipe: Recipe) -> float:
    if not isinstance(recipe.choice, ByScore):
        return _PER_CELL
    return _PER_SCORED_CELL if encoded.schema.target.classes is not None else _MOMENTS * _PER_SCORED_CELL


def _seconds_of_levels(encoded: Encoded, recipe: Recipe, depth: float) -> float:
    """What columns of many levels add: each is merged with each, or cut in the order of every class."""
    nominal = [c.n_codes for c, of in zip(encoded.columns, encoded.schema.columns) if of.kind is Kind.NOMINAL]
    levels, n_classes = np.minimum(np.array(nominal, np.float64), encoded.n_rows), encoded.n_classes
    if isinstance(recipe.choice, ByMerging):
        return float(_PER_PAIR * (levels**2).sum())
    if recipe.splits is Splits.SUBSET and n_classes > 2:
        return float(_PER_SHARE * n_classes**2 * levels.sum() * depth)
    return 0.0


def compiled_engine(
    encoded: Encoded,
    recipe: Recipe,
    workers: Workers,
    *,
    renumbering: Renumbering | None = None,
    small_nodes: SmallNodes | None = None,
    beginning: Beginning | None = None,
) -> Engine | None:
    """A compiled store, and a shortcut where the choice has one; None where the plain pair alone can do it."""
    from treewright.engines.compiled import known_search, ratio_search, score_search

    paths = paths_of(encoded, recipe) if beginning is None else beginning.paths
    if beginning is None and ratio_search.serves(encoded, recipe):
        return _by_ratio(encoded, recipe, workers, paths)
    by_score, by_merging = score_search.serves(encoded, recipe), _merges_all(recipe)
    if not (by_score or by_merging):
        known_only = beginning is None and known_search.serves(recipe)
        return _by_known(encoded, recipe, workers, paths, renumbering) if known_only else None
    target = target_of(encoded, recipe) if beginning is None else beginning.target
    all_open = recipe.stop.max_leaves is None
    store = RowStore(encoded, target, workers, all_open=all_open, renumbering=renumbering)
    if beginning is not None:
        store.begin_at(beginning.nodes)
    if by_merging:
        choice = choice_of(encoded, recipe, target, paths, store)
        return Engine(encoded, recipe, target, store, choice, workers, paths)
    if isinstance(target, MedianStats):
        return _by_median(encoded, recipe, workers, target, paths, store)
    search = score_search.ScoreSearch(encoded, recipe, target, store, workers, small_nodes)
    choice = ScoreChoice(encoded, recipe, target, paths)
    return Engine(encoded, recipe, target, store, choice, workers, paths, search)


def _merges_all(recipe: Recipe) -> bool:
    """Whether levels are merged and missing values are a level like others, so that rows stay whole."""
    return isinstance(recipe.choice, ByMerging) and set(recipe.missing) <= {Missing.LEARNED, Missing.ERROR}


def _by_known(
    encoded: Encoded, recipe: Recipe, workers: Workers, paths: Paths | None, renumbering: Renumbering | None
) -> Engine:
    """Splits by known values. Rows stay whole where missing values have a branch, and may be in parts elsewhere."""
    from treewright.engines.compiled.known_search import KnownSearch

    target, store = target_of(encoded, recipe), None
    if set(recipe.missing) <= {Missing.BRANCH, Missing.COMMON, Missing.LEARNED, Missing.ERROR}:
        all_open = recipe.stop.max_leaves is None
        store = RowStore(encoded, target, workers, all_open=all_open, renumbering=renumbering)
    rows, choice = store or PlainStore(encoded, target), ScoreChoice(encoded, recipe, target, paths)
    return Engine(encoded, recipe, target, rows, choice, workers, paths, KnownSearch(encoded, recipe, choice, rows))


def _by_ratio(encoded: Encoded, recipe: Recipe, workers: Workers, paths: Paths | None) -> Engine:
    from treewright.engines.choices.ratio_choice import RatioChoice
    from treewright.engines.compiled.ratio_search import RatioSearch
    from treewright.engines.stores.case_store import CaseStore

    target = target_of(encoded, recipe)
    assert isinstance(target, ClassStats)
    store, choice = CaseStore(encoded, target, workers), RatioChoice(encoded, recipe, target, paths)
    return Engine(encoded, recipe, target, store, choice, workers, paths, RatioSearch(encoded, choice, store))


def _by_median(
    encoded: Encoded, recipe: Recipe, workers: Workers, target: MedianStats, paths: Paths | None, store: RowStore
) -> Engine:
    from treewright.engines.choices.median_choice import MedianChoice
    from treewright.engines.compiled.median_search import MedianSearch

    store.list_target()
    choice = MedianChoice(encoded, recipe, target, paths, store)
    search = MedianSearch(encoded, recipe, target, store)
    return Engine(encoded, recipe, target, store, choice, workers, paths, search)


def plain_engine(encoded: Encoded, recipe: Recipe, workers: Workers, beginning: Beginning | None = None) -> Engine:
    """The plain pair: rows in numpy, splits chosen from their cells. It does everything there is to do."""
    target = target_of(encoded, recipe) if beginning is None else beginning.target
    paths, store = paths_of(encoded, recipe) if beginning is None else beginning.paths, PlainStore(encoded, target)
    if beginning is not None:
        store.begin_at(beginning.nodes)
    choice = choice_of(encoded, recipe, target, paths, store)
    shortcut: Shortcut | None = None
    if isinstance(choice, ScoreChoice):
        shortcut = StackedColumns(encoded, recipe, store, choice)
        if one_pass_search.serves(encoded, recipe) and switch.hot.intersection(one_pass_search.LOOPS):
            shortcut = one_pass_search.OnePassSearch(encoded, recipe, store, choice, switch.hot.__contains__)
    return Engine(encoded, recipe, target, store, choice, workers, paths, shortcut)


def target_of(encoded: Encoded, recipe: Recipe) -> TargetStats:
    """Weights need room behind the point where rows are in parts: by share, that is, and where some are missing."""
    policies = zip(encoded.columns, recipe.missing, strict=True)
    shared = any(policy.is_shared and column.has_missing for column, policy in policies)
    return target_stats(encoded, recipe.criterion, fine=shared or isinstance(recipe.choice, ByRatio))


def paths_of(encoded: Encoding, recipe: Recipe) -> Paths | None:
    """None where nothing depends on them."""
    asked, n_columns = (recipe.constraints, recipe.test_costs, recipe.draw), len(encoded.columns)
    if all(piece is None for piece in asked):
        return None
    if recipe.draw is not None and recipe.draw.random_cuts and not isinstance(recipe.choice, ByScore):
        raise OptionError(
            f"cuts at random are compared by a score, and not by {recipe.criterion}",
            'grow by criterion="gini", "entropy" or "squared_error"',
        )
    draws = None if recipe.draw is None else ColumnDraws(recipe.draw, recipe.seed, n_columns)
    return Paths(n_columns, draws)


def choice_of(encoded: Encoding, recipe: Recipe, target: TargetStats, paths: Paths | None, store: Store) -> Choice:
    """Only medians are chosen by looking at rows, which the store must have at hand.

    What few trees need is imported when one needs it: that takes longer than to grow a small tree.
    """
    if isinstance(recipe.choice, ByRatio):
        from treewright.engines.choices.ratio_choice import RatioChoice

        assert isinstance(target, ClassStats)
        return RatioChoice(encoded, recipe, target, paths)
    if isinstance(recipe.choice, ByMerging):
        from treewright.engines.choices.merge_choice import MergeChoice

        return MergeChoice(encoded, recipe, target)
    if isinstance(target, MedianStats):
        from treewright.engines.choices.median_choice import MedianChoice

        if not isinstance(store, (PlainStore, RowStore)):
            raise OptionError(
                f"medians are found by looking at rows, which {type(store).__name__} does not show",
                'grow by criterion="squared_error"',
            )
        return MedianChoice(store.encoded, recipe, target, paths, store)
    return ScoreChoice(encoded, recipe, target, paths)
