"""Logistic models of nodes without compiled kernels: nodes of about as many rows and terms climb side by side."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from treewright.kernels.linear_kernels import leaf_models
from treewright.kernels.linear_kernels.cholesky import cholesky_invert
from treewright.kernels.linear_kernels.leaf_models import MOST_STEPS, ROWS_PER_TERM, SMALL_STEP, WALD
from treewright.kernels.linear_kernels.leaf_models import logistic_nodes as logistic_nodes
from treewright.kernels.ordered_sums import in_order

_ALIKE = 1.3  # times as many rows or terms that nodes of one batch have at most
_AT_ONCE = 4_000_000  # cells of nodes that are worked on together
_DONE = 0.25  # of a batch that is left out of it once it has arrived


@dataclass
class _ClimbingNode:
    """A node with rows, and the columns its model uses."""

    v: int
    rows: slice
    used: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    weight: float
    share: np.ndarray  # of every class
    coefficient: np.ndarray  # (classes, terms + 1)

    def keep(self, strong):
        self.used, self.mean, self.spread = self.used[strong], self.mean[strong], self.spread[strong]


@logistic_nodes.in_numpy
def logistic_nodes_in_numpy(x, y, w, start, stop, n_classes, ridge, eliminate, slopes, intercept):
    slopes[:] = 0.0
    nodes, n_cells = [], 0
    for v in np.flatnonzero(stop > start).tolist():
        nodes.append(_node(x, y, w, v, slice(int(start[v]), int(stop[v])), n_classes))
        n_cells += int(stop[v] - start[v]) * len(x)
        if n_cells > _AT_ONCE:
            _fit(nodes, x, y, w, ridge, eliminate, slopes, intercept)
            nodes, n_cells = [], 0
    _fit(nodes, x, y, w, ridge, eliminate, slopes, intercept)


def _node(x, y, w, v, rows, n_classes):
    label, part = y[rows], w[rows]
    of_class, weight = np.bincount(label, part, n_classes), float(in_order(part))
    found = np.empty(len(x), np.int64)
    most = int(weight / (ROWS_PER_TERM * max(1, n_classes - 1)))
    target = (label == np.argmax(of_class)).astype(np.float64)
    used = found[: leaf_models.strongest.plain(x[:, rows], target, part, most, found)]
    values = x[used, rows]
    mean = in_order(part * values) / weight
    away = values - mean[:, None]
    spread = np.sqrt(in_order(part * (away * away)) / weight)
    varies = spread > 1e-12 * (np.abs(mean) + 1e-300)
    made = _ClimbingNode(v, rows, used, mean, spread, weight, of_class / weight, np.zeros((n_classes, 1)))
    made.keep(varies)
    return made


def _fit(nodes, x, y, w, ridge, eliminate, slopes, intercept):
    """Climb, and where terms do not pay for themselves once more without them."""
    _climb_all(nodes, x, y, w, ridge)
    if eliminate:
        _climb_all([node for node in nodes if _eliminate(node)], x, y, w, ridge)
    for node in nodes:
        slope = node.coefficient[:, 1:] / node.spread
        slopes[node.v][:, node.used] = slope
        terms = np.column_stack((node.coefficient[:, 0], slope * node.mean))
        intercept[node.v] = np.subtract.accumulate(terms, axis=1)[:, -1]


def _eliminate(node):
    """Leave out the terms that do not pay for themselves; whether there are any."""
    of_class = (node.weight * node.share * (1.0 - node.share))[1:, None]
    strong = (node.coefficient[1:, 1:] ** 2 * of_class >= WALD).any(axis=0)
    node.keep(strong)
    return not strong.all()


def _climb_all(nodes, x, y, w, ridge):
    def size(node):
        rows, terms = node.rows.stop - node.rows.start, len(node.used) + 1
        return int(np.log(rows) / np.log(_ALIKE)), int(np.log(terms) / np.log(_ALIKE))

    for _, batch in groupby(sorted(nodes, key=size), key=size):
        _Batch(list(batch), x, y, w, ridge).climb()


class _Batch:
    """Arrays of some nodes, filled up with zeros. The row that intercepts are drawn by is the first."""

    def __init__(self, nodes, x, y, w, ridge):
        self.nodes, self.ridge, n_classes = nodes, ridge, len(nodes[0].coefficient)
        most_rows = 1 + max(node.rows.stop - node.rows.start for node in nodes)
        size = 1 + max(len(node.used) for node in nodes)
        self.terms, self.weights = np.zeros((len(nodes), most_rows, size)), np.zeros((len(nodes), 1, most_rows))
        self.of_class, self.inverse = (
            np.zeros((len(nodes), n_classes - 1, most_rows)),
            np.zeros((len(nodes), size, size)),
        )
        self.others = np.zeros((len(nodes), n_classes - 1, size))
        for i, node in enumerate(nodes):
            self._fill(i, node, x, y[node.rows], w[node.rows])

    def _fill(self, i, node, x, label, part):
        n, k, n_classes = len(label), len(node.used), len(node.coefficient)
        z = ((x[node.used, node.rows] - node.mean[:, None]) / node.spread[:, None]).T
        self.terms[i, : n + 1, 0], self.terms[i, 1 : n + 1, 1 : k + 1] = 1.0, z
        self.weights[i, 0, 0], self.weights[i, 0, 1 : n + 1] = self.ridge, part
        self.of_class[i, :, 0] = self.ridge / n_classes
        self.of_class[i, :, 1 : n + 1] = part * (label == np.arange(1, n_classes)[:, None])
        factor, inverse = np.zeros((k + 1, k + 1)), np.empty((k + 1, k + 1))
        leaf_models._bound.plain(z, part, node.weight, self.ridge, n_classes, factor)
        cholesky_invert.plain(factor, inverse)
        self.inverse[i, : k + 1, : k + 1] = inverse

    def climb(self):
        here, done = np.arange(len(self.nodes)), np.zeros(len(self.nodes), np.bool_)
        for _ in range(MOST_STEPS):
            largest = self._step()
            arrived = ~done & (largest < SMALL_STEP)
            self._keep(here, arrived)
            done |= arrived
            if done.mean() > _DONE:
                here, done = here[~done], self._leave(~done)
            if not len(here):
                return
        self._keep(here, ~done)

    def _step(self):
        """All nodes take a step; returns how much the coefficient of each that changes most does."""
        score = self.others @ self.terms.transpose(0, 2, 1)
        largest = np.maximum.reduce(score, axis=1, keepdims=True, initial=0.0)
        share = np.exp(score - largest)
        share /= np.exp(-largest) + np.add.reduce(share, axis=1, keepdims=True)
        gradient = (self.of_class - self.weights * share) @ self.terms
        gradient[:, :, 1:] -= self.ridge * self.others[:, :, 1:]
        step = gradient @ self.inverse
        step += np.add.reduce(step, axis=1, keepdims=True)
        self.others += step
        return np.abs(step).max(axis=(1, 2), initial=0.0)

    def _keep(self, here, arrived):
        for i in np.flatnonzero(arrived).tolist():
            node = self.nodes[here[i]]
            node.coefficient = np.zeros((len(node.coefficient), len(node.used) + 1))
            node.coefficient[1:] = self.others[i, :, : len(node.used) + 1]

    def _leave(self, going):
        """Only these nodes go on; none of them has arrived."""
        for name in ("terms", "weights", "of_class", "inverse", "others"):
            setattr(self, name, getattr(self, name)[going])
        return np.zeros(np.count_nonzero(going), np.bool_)
