"""The formulas. Each is a function from counts, or a table of counts, to a number; all broadcast over leading axes.

*Measures of one distribution* (entropy, Gini index, …) read the last axis: class weights, or the moments
(Σw, Σw·y, Σw·y²) of a numeric target. *Measures of a table* (gain, gain ratio, …) take a :class:`Table` or plain counts
with a row per group.

Every gain is counted per row of the node: rows whose value is missing tell nothing, so what the others gain is
multiplied by the known fraction (Quinlan 1993, section 3.2). Nothing at all has measure 0.

References
----------
Breiman, Friedman, Olshen, Stone (1984). *Classification and Regression Trees.* Wadsworth.
Quinlan (1986). Induction of decision trees. *Machine Learning* 1, 81–106.
Quinlan (1993). *C4.5: Programs for Machine Learning.* Morgan Kaufmann.
Shannon (1948). A mathematical theory of communication. *Bell System Technical Journal* 27, 379–423.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from treewright.errors import DataError, OptionError
from treewright.table import N_MOMENTS, Table, floats, ratio
from treewright.typing import Floats

Base: TypeAlias = float | str
Measure: TypeAlias = Callable[[Floats], Floats]

# ---------------------------------------------------------------- one distribution of classes


def entropy(counts: ArrayLike, base: Base = 2) -> Floats:
    """Entropy −Σ p·log p of the class fractions p (Shannon 1948), in bits unless another ``base`` is given.

    >>> entropy([9, 5]).round(4).item()
    0.9403
    >>> entropy([[1, 1], [4, 0]], base="e").round(4).tolist()
    [0.6931, 0.0]
    """
    return _entropy(_class_counts(counts)) / _log_of(base)


def gini(counts: ArrayLike) -> Floats:
    """Gini index 1 − Σ p² of the class fractions p (Breiman et al. 1984, section 4.3).

    >>> gini([9, 5]).round(4).item()
    0.4592
    """
    return _gini(_class_counts(counts))


def misclassification(counts: ArrayLike) -> Floats:
    """Part 1 − max p of the rows that are not of the most frequent class (Breiman et al. 1984, section 4.1).

    >>> misclassification([9, 3]).item()
    0.25
    """
    return _misclassification(_class_counts(counts))


def kl_from_uniform(counts: ArrayLike, base: Base = 2) -> Floats:
    """Kullback–Leibler divergence Σ p·log(p / (1/K)) = log K − entropy from the uniform distribution of K classes.

    Largest when pure, 0 when all classes are equally frequent.

    >>> kl_from_uniform([3, 3]).item(), kl_from_uniform([6, 0]).item()
    (0.0, 1.0)
    """
    cells = _class_counts(counts)
    divergence = np.where(cells.any(-1), math.log(max(cells.shape[-1], 1)) - _entropy(cells), 0.0)
    return _not_below_zero(divergence) / _log_of(base)


def log_likelihood(counts: ArrayLike) -> Floats:
    """Log-likelihood Σ n·ln(n/N) of the rows of a leaf that predicts its own class fractions n/N: −N·entropy, in nats.

    >>> log_likelihood([4, 2]).round(4).item()
    -3.8191
    """
    cells = _class_counts(counts)
    return 0.0 - _total(cells) * _entropy(cells)


# ---------------------------------------------------------------- one set of numbers, by its moments


def variance(moments: ArrayLike) -> Floats:
    """Mean squared deviation (1/|R|) Σ (y − ȳ)² from the mean, from (Σw, Σw·y, Σw·y²).

    The impurity of regression trees (Breiman et al. 1984, section 8.3).

    >>> variance([2, 6, 20]).item()  # the numbers 2 and 4
    1.0
    """
    return _variance(_moments(moments))


def poisson_deviance(moments: ArrayLike) -> Floats:
    """Mean half Poisson deviance less the mean of y·ln y, which no split can change: −ȳ·ln ȳ, and 0 where ȳ = 0.

    The mean half deviance is (1/W) Σ w·(y·ln(y/ȳ) − y + ȳ). Its last two terms cancel and ln(y/ȳ) comes apart, which
    leaves (1/W) Σ w·y·ln y − ȳ·ln ȳ. So differences of this measure between a node and its branches are exact, while
    the measure by itself can be negative.

    >>> poisson_deviance([[2, 1, 1], [3, 3, 3]]).round(4).tolist()
    [0.3466, 0.0]
    """
    return _poisson_deviance(_event_moments(_moments(moments)))


# ---------------------------------------------------------------- a table


def conditional_entropy(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Entropy that is left once the group is known, Σ share·entropy(group), over rows of known value (Shannon 1948).

    >>> conditional_entropy([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.6935
    """
    return _within(_class_table(table), _entropy) / _log_of(base)


def gain(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Information gain, entropy − conditional entropy, times the known fraction (Quinlan 1986; 1993, section 3.2).

    The information gain is the mutual information of group and class.

    >>> gain([[2, 3], [4, 0], [3, 2]]).round(4).item()  # play tennis: outlook
    0.2467
    >>> gain(Table([[6, 1], [3, 3]], missing=[0, 1])).round(4).item()  # customer loyalty: gender, one unknown
    0.1025
    """
    return _decrease(_class_table(table), _entropy) / _log_of(base)


def split_info(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Entropy −Σ s·log s of the group sizes s as parts of all rows (Quinlan 1993, section 2.2).

    Rows of missing value are one more group (section 3.2 there).

    >>> split_info([[2, 3], [4, 0], [3, 2]]).round(4).item()
    1.5774
    """
    return _split_info(_class_table(table)) / _log_of(base)


def gain_ratio(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Gain / split info, 0 where the split info is 0 (Quinlan 1993, section 2.2). The base cancels out.

    >>> gain_ratio([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.1564
    """
    _log_of(base)
    checked = _class_table(table)
    return ratio(_decrease(checked, _entropy), _split_info(checked))


def gini_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in Gini index from the pooled row to the groups, times the known fraction (Breiman et al. 1984).

    >>> gini_gain([[6, 1], [3, 4]]).round(4).item()  # play tennis: humidity
    0.0918
    """
    return _decrease(_class_table(table), _gini)


def misclassification_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in misclassification from the pooled row to the groups, times the known fraction.

    >>> misclassification_gain([[4, 1], [1, 4]]).round(4).item()
    0.3
    """
    return _decrease(_class_table(table), _misclassification)


def log_likelihood_gain(table: Table | ArrayLike) -> Floats:
    """Increase in log-likelihood when every group predicts its own class fractions: N·(information gain), in nats.

    >>> log_likelihood_gain([[3, 0], [1, 2]]).round(4).item()
    1.9095
    """
    checked = _class_table(table)
    total = _total(checked.pooled) + _total(checked.missing)
    return total * _decrease(checked, _entropy)


def variance_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in variance from the pooled moments to the groups', times the known fraction (Breiman et al. 1984).

    >>> variance_gain(Table.of_moments([1, 1, 2, 2], [0, 0, 4, 4])).item()
    4.0
    """
    return _decrease(_moment_table(table), _variance)


def poisson_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in mean half Poisson deviance from the pooled moments to the groups', times the known fraction.

    >>> poisson_gain(Table.of_moments([1, 1, 2, 2], [1, 1, 3, 3])).round(4).item()
    0.2616
    """
    checked = _moment_table(table)
    _event_moments(checked.counts)
    return _decrease(checked, _poisson_deviance)


# ---------------------------------------------------------------- the same on checked arrays; entropies in nats


def _entropy(counts: Floats) -> Floats:
    fractions = _fractions(counts)
    logs = np.log(fractions, out=np.zeros_like(fractions), where=fractions > 0)
    return 0.0 - _total(fractions * logs)


def _gini(counts: Floats) -> Floats:
    fractions = _fractions(counts)
    # p·(1 − p) and not 1 − Σ p²: exactly 0 when pure and when empty.
    return _total(fractions * (1.0 - fractions))


def _misclassification(counts: Floats) -> Floats:
    total = _total(counts)
    return ratio(total - counts.max(-1, initial=0.0), total)


def _variance(moments: Floats) -> Floats:
    mean = ratio(moments[..., 1], moments[..., 0])
    return _not_below_zero(ratio(moments[..., 2], moments[..., 0]) - mean * mean)


def _poisson_deviance(moments: Floats) -> Floats:
    mean = ratio(moments[..., 1], moments[..., 0])
    logs = np.log(mean, out=np.zeros_like(mean), where=mean > 0)
    return 0.0 - mean * logs


def _split_info(table: Table) -> Floats:
    missing = _total(table.missing)[..., None]
    return _entropy(np.concatenate([table.weights, missing], axis=-1))


def _within(table: Table, measure: Measure) -> Floats:
    return _total(table.shares * measure(table.counts))


def _decrease(table: Table, measure: Measure) -> Floats:
    """All measures are concave, so that only rounding can take a decrease below zero."""
    return _not_below_zero(table.known_fraction * (measure(table.pooled) - _within(table, measure)))


def _total(counts: Floats) -> Floats:
    return np.asarray(counts.sum(-1))[()]


def _fractions(counts: Floats) -> Floats:
    return ratio(counts, counts.sum(-1, keepdims=True))


def _not_below_zero(values: Floats) -> Floats:
    return np.maximum(values, 0.0)


# ---------------------------------------------------------------- checks


def _log_of(base: Base) -> float:
    """Natural logarithm of the base: nats / this = the unit asked for."""
    if base == "e":
        return 1.0
    if not isinstance(base, Real) or not 1.0 < base < math.inf:
        raise OptionError(
            f"the base of a logarithm must be a number above 1 or 'e', got {base!r}",
            hint="2 gives bits, 'e' nats, 10 decimal digits",
        )
    return math.log(base)


def _array(values: ArrayLike, name: str) -> Floats:
    cells = floats(values, name)
    if cells.ndim == 0:
        raise DataError(f"{name} must be a row of numbers, got {cells}", hint="pass one number per class or moment")
    if not np.isfinite(cells).all():
        raise DataError(f"{name} must be finite, got {cells[~np.isfinite(cells)][0]}", hint="leave missing values out")
    return cells


def _not_negative(cells: Floats, name: str) -> Floats:
    if (cells < 0).any():
        raise DataError(f"{name} must not be negative, got {cells.min()}")
    return cells


def _class_counts(counts: ArrayLike) -> Floats:
    return _not_negative(_array(counts, "counts"), "counts")


def _moments(moments: ArrayLike) -> Floats:
    cells = _array(moments, "moments")
    if cells.shape[-1] != N_MOMENTS:
        raise DataError(f"moments are (Σw, Σw·y, Σw·y²), got {cells.shape[-1]} numbers")
    _not_negative(cells[..., ::2], "Σw and Σw·y²")
    return cells


def _event_moments(moments: Floats) -> Floats:
    _not_negative(moments[..., 1], "Σw·y of a Poisson target")
    return moments


def _class_table(table: Table | ArrayLike) -> Table:
    checked = table if isinstance(table, Table) else Table(table)
    if checked.moments:
        raise DataError("this measure needs class weights, got a table of moments", hint="build it with Table.of")
    _class_counts(checked.counts)
    _class_counts(checked.missing)
    return checked


def _moment_table(table: Table | ArrayLike) -> Table:
    checked = table if isinstance(table, Table) else Table(table, moments=True)
    if not checked.moments:
        raise DataError(
            "this measure needs moments, got a table of class weights", hint="build it with Table.of_moments"
        )
    _moments(checked.counts)
    _moments(checked.missing)
    return checked
