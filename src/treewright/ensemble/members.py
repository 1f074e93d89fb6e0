"""The members of an ensemble: trees over one schema or, of learners that make something else, models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from sklearn.base import clone

from treewright.data.frame import Frame
from treewright.data.schema import Schema, Target
from treewright.ensemble.votes import Voting
from treewright.narrow_trees import NarrowTree, NarrowTrees
from treewright.predict_many import ManyTrees, RowsOfTrees
from treewright.prediction import predicted_values
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints


class TreeMembers(Sequence[Any]):
    """Trees over one schema. As a sequence they are models, each an ordinary tree: print, explain, prune or save it.

    ``learner`` is the estimator that grew them.
    """

    def __init__(self, trees: Iterable[Tree | NarrowTree], schema: Schema, learner: Any, *, named: bool) -> None:
        self.trees, self.schema, self.learner, self.named = NarrowTrees(trees), schema, learner, named

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        return f"<{len(self)} members, each a {type(self.learner).__name__}; [0] is the first, with its own print>"

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        model = clone(self.learner)
        model._keep(self.schema, {"tree_": self.trees[place]}, named=self.named)
        return model

    def values(self, rows: Array, n_jobs: int) -> Iterator[Floats]:
        """What each member predicts for the rows of a matrix, one member after the other."""
        for tree in self.trees:
            yield predicted_values(tree, rows, n_jobs)

    def each(self, rows: Array, n_jobs: int = 1) -> RowsOfTrees:
        """Rows of a matrix for whoever asks one member after the other about some of them."""
        return RowsOfTrees(self._many, rows, n_jobs)

    def total(self, rows: Array, n_jobs: int, weights: Floats, voting: Voting) -> Floats:
        """What the members say, added up by their weights."""
        if not voting.hard or self.schema.target.classes is None:
            return self._many.sums(rows, n_jobs, weights)
        if self._many.can_be_packed:  # every row has one leaf, so leaves can vote
            return self._voting.sums(rows, n_jobs, weights)
        return sum_of_said(self.values(rows, n_jobs), weights, voting, self.schema.target)

    def leaves(self, rows: Array, n_jobs: int) -> Ints:
        """The leaf of every member that each row reaches: rows × members."""
        return np.asarray(self._many.leaves(rows, n_jobs), np.int64)

    @cached_property
    def _many(self) -> ManyTrees:
        return ManyTrees(self.trees)

    @cached_property
    def _voting(self) -> ManyTrees:
        voting, target = Voting(hard=True), self.schema.target
        return ManyTrees(tree._replace(value=voting.said(tree.value, target)) for tree in self.trees)

    def __getstate__(self) -> dict[str, Any]:
        """Copies pack their trees again."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_many", "_voting")}


class ModelMembers(Sequence[Any]):
    """Models of any kind, such as rules or ensembles, each with the classes that its rows had."""

    def __init__(self, models: Sequence[Any], schema: Schema) -> None:
        self.models, self.schema = tuple(models), schema
        self.places = [seen_places(model, schema) for model in self.models]

    def __len__(self) -> int:
        return len(self.models)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        return list(self.models[place]) if isinstance(place, slice) else self.models[place]

    def total(self, rows: Frame, n_jobs: int, weights: Floats, voting: Voting) -> Floats:
        """What the members say, added up by their weights."""
        return sum_of_said(self.values(rows, n_jobs), weights, voting, self.schema.target)

    def values(self, rows: Frame, n_jobs: int) -> Iterator[Floats]:
        """What each member predicts, one after the other."""
        for model, places in zip(self.models, self.places):
            seen = rows if rows.named or len(places) == rows.n_columns else rows.only(places)
            yield model_values(model, seen, self.schema)


def sum_of_said(values: Iterator[Floats], weights: Floats, voting: Voting, target: Target) -> Floats:
    total: Any = 0.0
    for weight, one in zip(weights, values):
        total = total + weight * voting.said(one, target)
    return np.asarray(total)


def seen_places(model: Any, schema: Schema) -> list[int]:
    """The columns of the schema that a model has learned from."""
    return [schema.names.index(name) for name in model.schema_.names]


def model_values(model: Any, rows: Frame, schema: Schema) -> Floats:
    """What a model predicts, in the order of the schema's classes; those it does not know have no chance."""
    classes = schema.target.classes
    if not rows.n_rows:  # models refuse a table without rows, but a member may have drawn them all
        return np.empty((0, 1 if classes is None else len(classes)))
    if classes is None:
        return np.asarray(model.predict(rows), np.float64)[:, None]
    known = model.schema_.target.classes
    values = np.zeros((rows.n_rows, len(classes)))
    values[:, [classes.index(label) for label in known]] = model.predict_proba(rows)
    return values
