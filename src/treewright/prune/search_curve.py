"""Error against leaves over all α that were tried, and the trees they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.display import Displayed
from treewright.plot_style import count_axis, legend, new_axes, theme_of
from treewright.prune.tree_search import CostedTree
from treewright.tree.and_or_tree import AndOrTree
from treewright.tree.build import spans
from treewright.tree.tree import IN_FULL, Tree
from treewright.typing import Array, Floats, Ints, Mask

_FEW_LEAVES = 20  # with a larger ratio of leaves the axis is logarithmic
_MOST_KEPT, _TIMES_CHOSEN = 100, 4  # trees of more leaves, and more than so many times the chosen one's, are not kept
_MOST_COMPARED = 32  # leaves of trees that keep the alternatives to their splits; the chosen one always does


@dataclass(frozen=True)
class CurveRow:
    """One tree: its leaves, the smallest α it is chosen for, its training error, and the error of rows that were left
    out with the standard error (NaN: not tried)."""

    leaves: int
    alpha: float
    training_error: float
    error: float
    standard_error: float
    chosen: bool


@dataclass(frozen=True, eq=False, repr=False)
class SearchCurve(Displayed):
    """A table of trees, the largest first; ``print`` shows it. ``alphas`` are all that were tried, and every other
    array has a value for each; ``place`` is that of the tree of the model.

    Errors are shares of wrong predictions, or costs where the model has some; mean squared errors of numbers (absolute
    ones of trees grown by absolute error).
    """

    alphas: Floats
    leaves: Ints
    training_errors: Floats
    errors: Floats
    standard_errors: Floats
    place: int

    @cached_property
    def _first(self) -> Ints:
        """The first α of every tree: neighbours of the same leaves and training error are the same for a reader."""
        moved = (np.diff(self.leaves) != 0) | (np.diff(self.training_errors) != 0)
        return np.flatnonzero(np.append(True, moved))

    def step_of(self, place: int) -> int:
        return int(np.searchsorted(self._first, place, side="right")) - 1

    @property
    def rows(self) -> list[CurveRow]:
        """Of α that lead to the same tree the error is that of the chosen one, or of the least."""
        return [self._row(step) for step in range(len(self._first))]

    def _row(self, step: int) -> CurveRow:
        here = np.arange(self._first[step], np.append(self._first, len(self.alphas))[step + 1])
        chosen = self.step_of(self.place) == step
        at = self.place if chosen else int(here[np.argmin(self.errors[here])])
        return CurveRow(
            int(self.leaves[at]), float(self.alphas[here[0]]), float(self.training_errors[at]), float(self.errors[at]),
            float(self.standard_errors[at]), chosen,
        )  # fmt: skip

    @property
    def chosen(self) -> CurveRow:
        return self._row(self.step_of(self.place))

    def __len__(self) -> int:
        return len(self._first)

    def __iter__(self) -> Iterator[CurveRow]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in CurveRow.__dataclass_fields__}

    def __str__(self) -> str:
        lines = [("leaves", "α from", "training error", "left-out error", ""), *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(cell.rjust(n) for cell, n in zip(line, widths)).rstrip() for line in lines)

    def plot(self, ax: Any = None) -> Any:
        """Training error and that of rows left out, with its standard error, against leaves; the tree of the model is
        marked. Returns matplotlib's axes."""
        axes, rows = new_axes(ax), self.rows
        theme, leaves = theme_of(axes), [row.leaves for row in rows]
        axes.plot(leaves, [row.training_error for row in rows], "--s", color=theme.line(0), label="training error")
        if not np.isnan(self.errors).all():
            error, spread = ([getattr(row, name) for row in rows] for name in ("error", "standard_error"))
            axes.errorbar(leaves, error, yerr=spread, fmt="-o", capsize=3, color=theme.line(1), label="left-out error")
        chosen = self.chosen
        axes.axvline(chosen.leaves, color=theme.line(2), linestyle=":", label=f"chosen: {chosen.leaves} leaves")
        axes.set_xlabel("leaves")
        axes.set_ylabel("error")
        axes.set_ylim(bottom=0)
        if max(leaves) > _FEW_LEAVES * min(leaves):
            axes.set_xscale("log")
            count_axis(axes.xaxis)
        legend(axes)
        return axes


def _cells(row: CurveRow) -> tuple[str, ...]:
    error = "" if np.isnan(row.error) else f"{row.error:.4g} ± {row.standard_error:.2g}"
    return (
        f"{row.leaves:,}", f"{row.alpha:.3g}", f"{row.training_error:.4g}", error, "chosen" if row.chosen else "",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class KeptTrees:
    """The part of an and/or tree that makes some trees of a curve.

    ``places`` are those of the trees on the curve, ``chosen`` the split of every node in each of them; ``compared``
    those that have kept the alternatives to their splits, with what these lead to at the same α.
    """

    whole: CostedTree
    places: Ints
    chosen: Array
    compared: Mask

    def tree(self, place: int) -> tuple[Tree, Ints]:
        """The tree at a place of the curve, and the nodes of ``whole`` that its nodes are."""
        tree, nodes = self.whole.grown(self.chosen[self.at(place)])
        return tree._replace(below=IN_FULL), nodes

    def at(self, place: int) -> int:
        return int(np.flatnonzero(self.places == place)[0])

    def below(self, split: int, place: int) -> tuple[float, int, Ints]:
        """Loss and leaves of the best subtree that begins with a split, and the splits that it has."""
        tree, chosen = self.whole.tree, self.chosen[self.at(place)]
        splits, leaves = [np.array([split])], []
        while len(splits[-1]):
            nodes = spans(tree.splits.first_child[splits[-1]], tree.n_branches[splits[-1]])
            leaves.append(nodes[chosen[nodes] < 0])
            inner = nodes[chosen[nodes] >= 0]
            splits.append(tree.split_start[inner] + chosen[inner])
        ends, used = np.concatenate(leaves), np.concatenate(splits)
        return float(self.whole.loss[ends].sum() + self.whole.stopped[used].sum()), len(ends), used


def kept_trees(whole: CostedTree, chosen: Array, curve: SearchCurve) -> KeptTrees:
    """Keep what is needed of an and/or tree: one tree for each step of the curve, without those that are very large."""
    most = max(_MOST_KEPT, _TIMES_CHOSEN * int(curve.leaves[curve.place]))
    starts = np.where(curve._first == curve._first[curve.step_of(curve.place)], curve.place, curve._first)
    places = starts[curve.leaves[starts] <= most]
    compared = (curve.leaves[places] <= _MOST_COMPARED) | (places == curve.place)
    wanted = np.zeros(len(whole.tree.splits.id), np.bool_)
    for place, with_alternatives in zip(places, compared):
        _mark(whole.tree, chosen[place], with_alternatives, wanted)
    part, nodes, rank = whole.tree.of_splits(wanted)
    kept = chosen[places][:, nodes]
    kept = np.where(kept >= 0, np.append(rank, -1)[whole.tree.split_start[nodes] + kept], -1).astype(np.int8)
    return KeptTrees(replace(whole, tree=part), places, kept, compared)


def _mark(tree: AndOrTree, chosen: Array, with_alternatives: bool, wanted: Mask) -> None:
    """The splits of a tree or, with alternatives, also all other splits of nodes that have several."""
    nodes, count = np.zeros(1, np.int64), np.diff(tree.split_start)
    while len(nodes):
        several = nodes[count[nodes] > 1] if with_alternatives else nodes[:0]
        one = nodes[(chosen[nodes] >= 0) & ((count[nodes] == 1) | (not with_alternatives))]
        splits = np.concatenate([spans(tree.split_start[several], count[several]), tree.split_start[one] + chosen[one]])
        wanted[splits] = True
        nodes = spans(tree.splits.first_child[splits], tree.n_branches[splits])
