"""From training rows to members: trees that are grown from the encoded rows, or models that are fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from treewright.data.encoded import Encoded
from treewright.engines.workers import Workers
from treewright.ensemble.ensemble_rows import EnsembleRows, target_column
from treewright.ensemble.member_draws import MemberDraws
from treewright.explain.printed_cuts import with_narrow_cuts
from treewright.grow_many import Member, fit_trees
from treewright.model.level_warnings import warn_of_orders
from treewright.narrow_trees import NarrowTree
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints

Report = Callable[[int], None]


def grown_trees(
    learner: Any,
    training: EnsembleRows,
    draws: MemberDraws,
    places: Sequence[int],
    at_nodes: ColumnDraw | None,
    report: Report,
) -> Iterator[Tree | NarrowTree]:
    """Trees of the rows that members of these places draw. ``at_nodes`` says which columns nodes draw."""
    encoded = training.encoded
    recipe = learner._recipe(encoded)
    recipe = recipe if at_nodes is None else replace(recipe, draw=at_nodes)
    if recipe.splits is Splits.SUBSET and not (recipe.draw is not None and recipe.draw.random_cuts):
        warn_of_orders(encoded)
    with Workers(learner._n_jobs()) as workers:
        for tree in fit_trees(encoded, recipe, MembersToGrow(draws, training, places), workers, report):
            yield _finished(learner, tree, encoded, recipe, workers)


def _finished(
    learner: Any, tree: Tree | NarrowTree, encoded: Encoded, recipe: Recipe, workers: Workers
) -> Tree | NarrowTree:
    """The tree as it predicts and prints, narrow if it can stay so."""
    if isinstance(tree, NarrowTree):
        found = with_narrow_cuts(tree, encoded) if learner.missing_at_predict is None else None
        if found is not None:
            return found
        tree = tree.tree()
    finished: Tree = learner._finished(tree, encoded, recipe, workers)
    return finished


class MembersToGrow(Sequence[Member]):
    """What trees are grown from, made when it is asked for: rows of a hundred draws would be a table of their own."""

    def __init__(self, draws: MemberDraws, training: EnsembleRows, places: Sequence[int]) -> None:
        self.draws, self.training, self.places = draws, training, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return MembersToGrow(self.draws, self.training, self.places[place])
        k = self.places[place]
        columns = self.draws.columns(len(self.training.schema.columns), k)
        return Member(self.draws.key(k), self.draws.counts(self.training, k), columns)


def fitted_model(learner: Any, training: EnsembleRows, weights: Floats, columns: Ints | None = None) -> Any:
    """A model of the rows by weight, those of weight zero not counting; of some columns, or of all."""
    frame = training.frame if columns is None else training.frame.only(columns.tolist())
    return clone(learner).fit(frame, target_column(training), sample_weight=weights)


def fitted_models(
    learner: Any, training: EnsembleRows, draws: MemberDraws, places: Sequence[int], report: Report
) -> Iterator[Any]:
    """Models of the rows that members of these places draw."""
    for k in places:
        counts = draws.counts(training, k)
        columns = draws.columns(len(training.schema.columns), k)
        yield fitted_model(learner, training, training.weights * (1 if counts is None else counts), columns)
        report(1)
