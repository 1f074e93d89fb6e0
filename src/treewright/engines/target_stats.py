"""The target as sums of integers: what each row adds to a node's statistics, and what the statistics say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.fixed_point import Fixed, to_fine, to_fixed
from treewright.table import added
from treewright.ties import TIE
from treewright.typing import Array, Floats, Ints, Mask

_WHOLE = 1e-9  # weights this close to a whole number, relatively, are it: rounding to fixed point has moved them
_EPSILON = 1e-15  # of a sum is rounding
PURE = 1e-14  # a variance below this share of the mean square is rounding


@dataclass(frozen=True)
class ClassStats:
    """Statistics of a node: the weight of each class."""

    labels: Array
    n_classes: int
    weight: Fixed | None
    whole: Ints  # the statistics of all rows of the table, wherever they are
    factors: Floats | None = None  # by which costs and priors have multiplied the weights of each class

    moments = False

    def take(self, keep: Mask | Ints) -> ClassStats:
        """What some of the rows add, in the units of the whole table."""
        return replace(self, labels=self.labels[keep], weight=_some(self.weight, keep))

    @property
    def n_stats(self) -> int:
        return self.n_classes

    @cached_property
    def bits(self) -> int:
        return max(self.n_classes - 1, 1).bit_length()

    @property
    def row_arrays(self) -> tuple[Ints, Ints, Ints]:
        none = np.empty(0, np.int64)
        return (none if self.weight is None else self.weight.values), none, none

    @property
    def scales(self) -> tuple[float, float, float]:
        """Of weights, moments and squares; classes have weights only."""
        return (1.0 if self.weight is None else self.weight.scale), 1.0, 1.0

    @property
    def are_counts(self) -> bool:
        """Whether statistics are the weights themselves, with no unit and no factors."""
        return self.factors is None and (self.weight is None or self.weight.scale == 1)

    rounding = (0.0, 0.0, 0.0)  # see MomentStats: of classes nothing is compared that was rounded

    @property
    def case_labels(self) -> Array:
        return self.labels

    @property
    def case_amounts(self) -> Ints:
        """What each row adds at its label, (rows, 1)."""
        return np.ones((len(self.labels), 1), np.int64) if self.weight is None else self.weight.values[:, None]

    def int_weights(self, stats: Ints) -> Ints:
        return added(stats, -1)

    def weights(self, stats: Ints) -> Floats:
        return self.int_weights(stats).astype(np.float64)

    def plain_weights(self, stats: Ints) -> Floats:
        """As rows weigh, without what costs and priors have made of them."""
        return added(self.floats(stats), -1)

    def slack(self, stats: Ints) -> Floats:
        return TIE * self.weights(stats)

    def ceiling(self, stats: Ints, criterion: str) -> Floats:
        """The score of a split into pure branches: no split scores more."""
        return np.zeros(len(stats)) if criterion == "entropy" else self.weights(stats)

    def is_pure(self, stats: Ints, rows: Ints) -> Mask:
        return np.asarray(stats.max(-1) == self.int_weights(stats))

    @property
    def gain_unit(self) -> float:
        """What a difference of masses per fixed-point weight is worth."""
        return 1.0

    def units(self) -> Floats:
        """What one of each integer is worth."""
        return np.full(self.n_classes, 1.0 if self.weight is None else 1 / self.weight.scale)

    def centred(self, stats: Ints) -> Floats:
        """As criteria see them: with the factors of costs and priors."""
        return np.asarray(stats * (1.0 if self.weight is None else 1 / self.weight.scale))

    def floats(self, stats: Ints) -> Floats:
        weights = self.centred(stats)
        return weights if self.factors is None else without_factors(weights, self.factors)


@dataclass(frozen=True)
class MomentStats:
    """Statistics of a node: sums of w, w·y and w·y², y being measured from ``centre``."""

    centre: float
    weight: Fixed | None
    moment: Fixed
    square: Fixed
    whole: Ints  # the statistics of all rows of the table, wherever they are
    is_poisson: bool

    moments = True
    are_counts = False
    n_stats = 3
    bits = 0

    def take(self, keep: Mask | Ints) -> MomentStats:
        """What some of the rows add, in the units of the whole table."""
        moment, square = (Fixed(part.values[keep], part.scale) for part in (self.moment, self.square))
        return replace(self, weight=_some(self.weight, keep), moment=moment, square=square)

    @property
    def labels(self) -> Array:
        return np.zeros(1, np.uint8)

    @property
    def row_arrays(self) -> tuple[Ints, Ints, Ints]:
        weight = np.empty(0, np.int64) if self.weight is None else self.weight.values
        return weight, self.moment.values, self.square.values

    @property
    def case_labels(self) -> Array:
        """None: a row adds to all statistics."""
        return np.empty(0, np.int64)

    @property
    def case_amounts(self) -> Ints:
        """What each row adds, (rows, 3)."""
        ones = np.ones(len(self.moment.values), np.int64)
        return np.stack(
            [ones if self.weight is None else self.weight.values, self.moment.values, self.square.values], 1
        )

    @property
    def weight_scale(self) -> float:
        return 1.0 if self.weight is None else self.weight.scale

    @property
    def scales(self) -> tuple[float, float, float]:
        return self.weight_scale, self.moment.scale, self.square.scale

    def int_weights(self, stats: Ints) -> Ints:
        return np.asarray(stats[..., 0])

    def weights(self, stats: Ints) -> Floats:
        return stats[..., 0].astype(np.float64)

    def plain_weights(self, stats: Ints) -> Floats:
        return self.weights(stats)

    def slack(self, stats: Ints) -> Floats:
        """Scores are of the size of Σ w·y (Poisson) or of Σ w·y²."""
        if self.is_poisson:
            return np.asarray(TIE * stats[..., 1])
        return TIE * self.ceiling(stats, "squared_error")

    def ceiling(self, stats: Ints, criterion: str) -> Floats:
        """Σ w·y², the score of branches of equal y, in the units of (Σ w·y)² / Σ w; Poisson has no such bound."""
        if self.is_poisson:
            return np.full(len(stats), np.inf)
        return np.asarray(stats[..., 2] * (self.moment.scale**2 / self.weight_scale / self.square.scale))

    def is_pure(self, stats: Ints, rows: Ints) -> Mask:
        """Rows of one value differ from their mean by rounding only: that of floats, and that of every row's sums to
        whole units. ``kernels/search/subtree.py:is_pure`` does the same."""
        w, s, q = np.moveaxis(self.centred(stats), -1, 0)
        off_weight, off_moment, off_square = self.rounding
        mean = np.divide(s, w, out=np.zeros_like(s), where=w > 0)
        off = rows * (off_square + np.abs(mean) * (2 * off_moment + np.abs(mean) * off_weight))
        return np.asarray(q - s * mean <= PURE * np.abs(q) + off)

    @property
    def rounding(self) -> tuple[float, float, float]:
        """How far a row's weight, moment and square may be from what they should be; whole numbers are exact."""
        weight, moment, square = (0.0 if scale == 1 else 1 / scale for scale in self.scales)
        return weight, moment, square

    @property
    def gain_unit(self) -> float:
        unit = self.weight_scale / self.moment.scale
        return unit if self.is_poisson else unit * unit

    def units(self) -> Floats:
        """What one of each integer is worth, y being measured from the centre."""
        return 1 / np.array(self.scales)

    def centred(self, stats: Ints) -> Floats:
        return np.asarray(stats * self.units())

    def floats(self, stats: Ints) -> Floats:
        centred = self.centred(stats)
        w, s, q = np.moveaxis(centred, -1, 0)
        q += 2 * self.centre * s + self.centre**2 * w
        np.maximum(q, 0.0, out=q)  # rounding can leave them below 0
        s += self.centre * w
        return centred


@dataclass(frozen=True)
class MedianStats(MomentStats):
    """Sums as above and, for absolute error, what does not add up: the median, the distance Σ w·|y − median| from it,
    and that from the median of the parent. The bits of these three floats stand as integers behind the sums."""

    @property
    def y_unit(self) -> float:
        """What a unit of y is in moments per weight."""
        return self.moment.scale / self.weight_scale

    @staticmethod
    def kept(sums: Ints, found: Floats) -> Ints:
        """Statistics of nodes, distances being in the unit of moments."""
        return np.concatenate([sums, np.ascontiguousarray(found).view(np.int64)], axis=-1)

    def medians(self, stats: Ints) -> Floats:
        return np.asarray(np.ascontiguousarray(stats[..., 3]).view(np.float64))

    def distances(self, stats: Ints) -> Floats:
        return np.asarray(np.ascontiguousarray(stats[..., 4]).view(np.float64))

    def slack(self, stats: Ints) -> Floats:
        """Distances are differences of sums of w·y."""
        return np.asarray(TIE * self.distances(stats) + _EPSILON * np.abs(stats[..., 1]))

    def ceiling(self, stats: Ints, criterion: str) -> Floats:
        """The score of branches of equal y."""
        return np.zeros(len(stats))

    def is_pure(self, stats: Ints, rows: Ints) -> Mask:
        return np.asarray(self.distances(stats) == 0)

    @property
    def gain_unit(self) -> float:
        return self.weight_scale / self.moment.scale

    def centred(self, stats: Ints) -> Floats:
        return super().centred(stats[..., : self.n_stats])

    def floats(self, stats: Ints) -> Floats:
        own = stats[..., self.n_stats :].copy().view(np.float64)
        own[..., 1:] /= self.moment.scale
        return np.concatenate([super().floats(stats), own], axis=-1)


TargetStats: TypeAlias = ClassStats | MomentStats


def target_stats(encoded: Encoded, criterion: str, *, fine: bool = False) -> TargetStats:
    """``fine``: rows will be shared out, so that even whole numbers need room behind the point."""
    scaled = to_fine if fine else to_fixed
    weights = np.ones(encoded.n_rows) if fine and encoded.weights is None else encoded.weights
    weight = None if weights is None else scaled(weights)
    if encoded.schema.target.classes is not None:
        whole = _class_totals(encoded.y, encoded.n_classes, weight)
        return ClassStats(encoded.y, encoded.n_classes, weight, whole, encoded.class_factors)
    y: Any = encoded.y
    centre = 0.0 if criterion == "poisson" else _centre(y)
    offset = y - centre
    w = 1.0 if encoded.weights is None else encoded.weights
    moment, square = scaled(w * offset), scaled(w * offset * offset)
    kind = MedianStats if criterion == "absolute_error" else MomentStats
    total = encoded.n_rows if weight is None else weight.values.sum()
    whole = np.array([total, moment.values.sum(), square.values.sum()], np.int64)
    return kind(centre, weight, moment, square, whole, criterion == "poisson")


def _class_totals(labels: Array, n_classes: int, weight: Fixed | None) -> Ints:
    if weight is None:
        return np.bincount(labels, minlength=n_classes).astype(np.int64)
    totals = np.zeros(n_classes, np.int64)
    np.add.at(totals, labels, weight.values)
    return totals


def _some(weight: Fixed | None, keep: Mask | Ints) -> Fixed | None:
    return None if weight is None else Fixed(weight.values[keep], weight.scale)


def without_factors(stats: Floats, factors: Floats) -> Floats:
    """Class weights as they were before costs and priors; whole numbers are whole again.

    >>> without_factors(np.array([[0.9, 12.0]]), np.array([0.3, 4.0])).tolist()
    [[3.0, 3.0]]
    """
    raw = stats / factors
    whole = np.rint(raw)
    return np.where(np.abs(raw - whole) <= _WHOLE * np.maximum(whole, 1.0), whole, raw)


def _centre(y: Floats) -> float:
    """Variance does not mind where y is measured from, and a near centre keeps digits; whole numbers stay whole."""
    mean = float(y.mean())
    return float(np.rint(mean)) if np.array_equal(y, np.rint(y)) else mean
