"""Measures of a table that compare the branches with the node: what is lost in impurity, or gained in likelihood."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from treewright.criteria import unchecked
from treewright.criteria.argument_checks import Base, class_table, event_moments, log_of, moment_table, target_values
from treewright.table import Table, ratio
from treewright.typing import Floats


def conditional_entropy(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Entropy that is left once the group is known, Σ share·entropy(group), over rows of known value (Shannon 1948).

    >>> conditional_entropy([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.6935
    """
    return unchecked.within(class_table(table), unchecked.entropy) / log_of(base)


def gain(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Information gain, entropy − conditional entropy, times the known fraction (Quinlan 1986; 1993, section 3.2).

    The information gain is the mutual information of group and class.

    >>> gain([[2, 3], [4, 0], [3, 2]]).round(4).item()  # play tennis: outlook
    0.2467
    >>> gain(Table([[6, 1], [3, 3]], missing=[0, 1])).round(4).item()  # customer loyalty: gender, one missing
    0.1025
    """
    return unchecked.decrease(class_table(table), unchecked.entropy) / log_of(base)


def split_info(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Entropy −Σ s·log s of the group sizes s as parts of all rows (Quinlan 1993, section 2.2).

    Rows of missing value are one more group (section 3.2 there).

    >>> split_info([[2, 3], [4, 0], [3, 2]]).round(4).item()
    1.5774
    """
    return unchecked.split_info(class_table(table)) / log_of(base)


def gain_ratio(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """Gain / split info, 0 where the split info is 0 (Quinlan 1993, section 2.2). The base cancels out.

    >>> gain_ratio([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.1564
    """
    log_of(base)
    checked = class_table(table)
    return ratio(unchecked.decrease(checked, unchecked.entropy), unchecked.split_info(checked))


def mdl(table: Table | ArrayLike, base: Base = 2) -> Floats:
    """How much shorter the classes of a row can be written down when its group is known (Kononenko 1995, section 3).

    With N rows of K classes, log C(N; n_1 … n_K) + log C(N + K − 1, K − 1) says which rows are of which class and how
    many there are of each. The measure is this length for all rows, less its sum over the groups, per row. It is
    negative where a description with the groups is longer: each group is charged for its own counts, an identifier
    for every row.

    >>> mdl([[2, 3], [4, 0], [3, 2]]).round(4).item()  # play tennis: outlook
    0.0527
    >>> mdl([[2, 3], [2, 3], [2, 3]]).round(4).item()
    -0.0954
    """
    checked = class_table(table)
    saved = unchecked.code_length(checked.pooled) - unchecked.total(unchecked.code_length(checked.counts))
    rows = unchecked.total(checked.pooled) + unchecked.total(checked.missing)
    return ratio(saved, rows) / log_of(base)


def gini_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in Gini index from the pooled row to the groups, times the known fraction (Breiman et al. 1984).

    >>> gini_gain([[6, 1], [3, 4]]).round(4).item()  # play tennis: humidity
    0.0918
    """
    return unchecked.decrease(class_table(table), unchecked.gini)


def misclassification_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in misclassification from the pooled row to the groups, times the known fraction.

    >>> misclassification_gain([[4, 1], [1, 4]]).round(4).item()
    0.3
    """
    return unchecked.decrease(class_table(table), unchecked.misclassification)


def dkm_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in :func:`dkm` from the pooled row to the groups, times the known fraction (Dietterich et al. 1996).

    >>> dkm_gain([[8, 2], [0, 10]]).round(4).item()
    0.5798
    """
    return unchecked.decrease(class_table(table), unchecked.dkm)


def log_likelihood_gain(table: Table | ArrayLike) -> Floats:
    """Increase in log-likelihood when every group predicts its own class fractions: N·(information gain), in nats.

    >>> log_likelihood_gain([[3, 0], [1, 2]]).round(4).item()
    1.9095
    """
    checked = class_table(table)
    total = unchecked.total(checked.pooled) + unchecked.total(checked.missing)
    return total * unchecked.decrease(checked, unchecked.entropy)


def variance_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in variance from the pooled moments to the groups', times the known fraction (Breiman et al. 1984).

    >>> variance_gain(Table.of_moments([1, 1, 2, 2], [0, 0, 4, 4])).item()
    4.0
    """
    return unchecked.decrease(moment_table(table), unchecked.variance)


def poisson_gain(table: Table | ArrayLike) -> Floats:
    """Decrease in mean half Poisson deviance from the pooled moments to the groups', times the known fraction.

    >>> poisson_gain(Table.of_moments([1, 1, 2, 2], [1, 1, 3, 3])).round(4).item()
    0.2616
    """
    checked = moment_table(table)
    event_moments(checked.counts)
    return unchecked.decrease(checked, unchecked.poisson_deviance)


def absolute_error_gain(table: Table | ArrayLike, values: ArrayLike) -> Floats:
    """Decrease in mean distance from the median, times the known fraction (Breiman et al. 1984, section 8.11).

    The table counts over the distinct target ``values``, which are given in rising order.

    >>> absolute_error_gain([[2, 0, 0], [0, 1, 1]], [0.0, 6.0, 10.0]).item()
    3.0
    """
    checked = class_table(table)
    numbers = target_values(values, checked.counts.shape[-1])
    return unchecked.decrease(checked, partial(unchecked.absolute_error, values=numbers))
