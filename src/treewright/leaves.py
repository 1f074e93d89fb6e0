"""What a node predicts, from its statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from treewright.costs import with_priors
from treewright.data.schema import Target
from treewright.table import added
from treewright.tree.tree import LeafKind
from treewright.typing import Array, Floats, Ints

_FEW_CLASSES = 8
_ROUNDING = 1e-9  # shares this close are equal: they may be sums over several leaves


@dataclass(frozen=True)
class Leaf:
    """How nodes predict: what kind their leaves are, and what becomes of nodes of few rows or none.

    A node without rows predicts as its parent does, or as the root (``empty="overall"``); with ``empty_as_class`` it is
    sure of the class that its parent predicts, as in C4.5. ``smoothing`` draws class shares towards a prior. Numbers
    have neither of these two.

    >>> leaf, stats = Leaf(LeafKind.CLASSES, empty_as_class=True), np.array([[9.0, 5.0], [0.0, 0.0]])
    >>> leaf.values(stats, np.array([-1, 0]), Target("play", ("no", "yes"))).round(3).tolist()
    [[0.643, 0.357], [1.0, 0.0]]
    """

    kind: LeafKind
    empty: str = "parent"
    smoothing: float | str = 0.0
    empty_as_class: bool = False

    def values(self, stats: Floats, parent: Array, target: Target) -> Floats:
        """What every node predicts, from its statistics; parents come before their children."""
        if self.kind in (LeafKind.MEANS, LeafKind.LINEAR):
            return means(stats, parent, empty=self.empty)
        if self.kind is LeafKind.MEDIANS:
            return medians(stats, parent, empty=self.empty)
        shares = class_shares(stats, parent, empty=self.empty, smoothing=self.smoothing, target=target)
        return _with_sure_leaves(shares, stats, parent, target) if self.empty_as_class else shares


def class_shares(
    stats: Floats,
    parent: Array,
    *,
    empty: str = "parent",
    smoothing: float | str = 0.0,
    target: Target | None = None,
) -> Floats:
    """Share of each class at every node: p = m₊ / m.

    A node without rows takes the shares of its parent, or of the root (``empty="overall"``). ``smoothing`` draws the
    shares towards a prior: "laplace" is (m₊ + 1) / (m + K); a number m is the m-estimate (m₊ + m·p₀) / (m + m), p₀
    being the root's shares (Cestnik 1990). Priors of the ``target`` weigh the classes.

    >>> class_shares(np.array([[9.0, 5.0], [2.0, 2.0], [0.0, 0.0]]), np.array([-1, 0, 0])).round(3).tolist()
    [[0.643, 0.357], [0.5, 0.5], [0.643, 0.357]]
    """
    stats = stats if target is None else with_priors(stats, target)
    weight = added(stats, -1)[:, None]
    if smoothing == 0:
        shares = _divided(stats, weight)
    else:
        prior, strength = _prior(stats, smoothing)
        shares = _divided(stats + strength * prior, weight + strength)
    return _fill_empty(shares, weight[:, 0] == 0, parent, empty)


def likeliest(shares: Floats) -> Ints:
    """The class of the greatest share, along the last axis; of those that are equal but for rounding, the first.

    >>> likeliest(np.array([[0.1 + 0.2, 0.3, 0.4], [0.3, 0.1 + 0.2, 0.0]])).tolist()
    [2, 0]
    """
    if shares.ndim != 2 or not 0 < shares.shape[1] <= _FEW_CLASSES:
        return np.asarray((shares >= shares.max(-1, keepdims=True) - _ROUNDING).argmax(-1))
    by_class = list(shares.T)  # NumPy is slow along a short axis: it starts anew for every row
    enough = reduce(np.maximum, by_class) - _ROUNDING
    found = np.zeros(len(shares), np.int64)
    for k in range(len(by_class) - 1, -1, -1):
        found[by_class[k] >= enough] = k
    return found


def decided(shares: Floats, target: Target) -> Ints:
    """The class to predict: of least expected cost Σ_i p_i·cost(i, j), the likeliest where all errors cost the same.

    Of classes that are equal but for rounding, the first.

    >>> target = Target("state", ("well", "ill"), costs=((0, 1), (10, 0)))
    >>> decided(np.array([[0.95, 0.05], [0.9, 0.1]]), target).tolist()
    [0, 1]
    """
    if target.costs is None:
        return likeliest(shares)
    costs = np.array(target.costs)
    return likeliest(-(shares @ costs) / (costs.max() or 1.0))


def means(stats: Floats, parent: Array, *, empty: str = "parent") -> Floats:
    """Weighted mean of the target at every node, as a column."""
    weight = stats[:, :1]
    mean = _divided(stats[:, 1:2], weight)
    return _fill_empty(mean, weight[:, 0] == 0, parent, empty)


def medians(stats: Floats, parent: Array, *, empty: str = "parent") -> Floats:
    """Weighted median of the target at every node, as a column.

    >>> medians(np.array([[3.0, 9.0, 41.0, 2.0, 5.0, 0.0], [0.0] * 6]), np.array([-1, 0])).tolist()
    [[2.0], [2.0]]
    """
    return _fill_empty(stats[:, 3:4].copy(), stats[:, 0] == 0, parent, empty)


def _with_sure_leaves(shares: Floats, stats: Floats, parent: Array, target: Target) -> Floats:
    """Nodes without rows are sure of what their parents predict."""
    empty = np.flatnonzero(stats.sum(-1) == 0)
    shares[empty] = np.eye(shares.shape[1])[decided(shares[parent[empty]], target)]
    return shares


def _prior(stats: Floats, smoothing: float | str) -> tuple[Floats, float]:
    n_classes = stats.shape[1]
    if smoothing == "laplace":
        return np.full(n_classes, 1 / n_classes), float(n_classes)
    return stats[0] / stats[0].sum(), float(smoothing)


def _divided(part: Floats, whole: Floats) -> Floats:
    """0 where the whole is. NumPy is quicker where nothing is left out."""
    some = whole > 0
    if some.all():
        return np.asarray(part / whole)
    return np.divide(part, whole, out=np.zeros_like(part), where=some)


def _fill_empty(values: Floats, empty: Array, parent: Array, policy: str) -> Floats:
    """Parents come before their children, so an empty node's parent is already filled."""
    for node in np.flatnonzero(empty):
        values[node] = values[parent[node] if policy == "parent" else 0]
    return values
