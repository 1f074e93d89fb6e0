"""Measures of one distribution: the last axis holds class weights, or the moments (Σw, Σw·y, Σw·y²) of numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from treewright.criteria import unchecked
from treewright.criteria.argument_checks import Base, class_counts, event_moments, log_of, moment_sums, target_values
from treewright.errors import DataError
from treewright.typing import Floats


def entropy(counts: ArrayLike, base: Base = 2) -> Floats:
    """Entropy −Σ p·log p of the class fractions p (Shannon 1948), in bits unless another ``base`` is given.

    >>> entropy([9, 5]).round(4).item()
    0.9403
    >>> entropy([[1, 1], [4, 0]], base="e").round(4).tolist()
    [0.6931, 0.0]
    """
    return unchecked.entropy(class_counts(counts)) / log_of(base)


def gini(counts: ArrayLike) -> Floats:
    """Gini index 1 − Σ p² of the class fractions p (Breiman et al. 1984, section 4.3).

    >>> gini([9, 5]).round(4).item()
    0.4592
    """
    return unchecked.gini(class_counts(counts))


def misclassification(counts: ArrayLike) -> Floats:
    """Part 1 − max p of the rows that are not of the most frequent class (Breiman et al. 1984, section 4.1).

    >>> misclassification([9, 3]).item()
    0.25
    """
    return unchecked.misclassification(class_counts(counts))


def dkm(counts: ArrayLike) -> Floats:
    """Σ √(p·(1 − p)) of the class fractions p; with two classes this is 2·√(p·(1 − p)).

    The impurity of Dietterich, Kearns & Mansour (1996), who have two classes. It tells nearly pure distributions apart
    better than entropy does, and the gain depends less on how rare a class is (Drummond & Holte 2000).

    >>> dkm([1, 1]).item(), dkm([8, 2]).round(4).item(), dkm([5, 0]).item()
    (1.0, 0.8, 0.0)
    """
    return unchecked.dkm(class_counts(counts))


def kl_from_uniform(counts: ArrayLike, base: Base = 2) -> Floats:
    """Kullback–Leibler divergence Σ p·log(p / (1/K)) = log K − entropy from the uniform distribution of K classes.

    Largest when pure, 0 when all classes are equally frequent. What the branches of a split have more of it than their
    node, by share, is the information gain.

    >>> kl_from_uniform([3, 3]).item(), kl_from_uniform([6, 0]).item()
    (0.0, 1.0)
    """
    cells = class_counts(counts)
    divergence = np.where(cells.any(-1), math.log(max(cells.shape[-1], 1)) - unchecked.entropy(cells), 0.0)
    return unchecked.not_below_zero(divergence) / log_of(base)


def kl_divergence(p: ArrayLike, q: ArrayLike, base: Base = 2) -> Floats:
    """Kullback–Leibler divergence Σ p·log(p / q) of one distribution from another (Kullback & Leibler 1951).

    ``p`` and ``q`` are weights of the same classes and need not add up to 1. It is never negative, 0 where both have
    the same shares, and infinite where ``p`` has a class that ``q`` does not; it is not symmetric. From the uniform
    distribution of K classes it is log K − entropy, see :func:`kl_from_uniform`.

    >>> kl_divergence([9, 5], [1, 1]).round(4).item(), kl_divergence([1, 1], [9, 5]).round(4).item()
    (0.0597, 0.0614)
    >>> kl_divergence([1, 1], [1, 0]).item()
    inf
    """
    cells, other = class_counts(p), class_counts(q)
    if cells.shape[-1] != other.shape[-1]:
        raise DataError(
            f"the distributions have {cells.shape[-1]} and {other.shape[-1]} classes", "give both a weight per class"
        )
    return unchecked.not_below_zero(unchecked.kl_divergence(cells, other)) / log_of(base)


def log_likelihood(counts: ArrayLike) -> Floats:
    """Log-likelihood Σ n·ln(n/N) of the rows of a leaf that predicts its own class fractions n/N: −N·entropy, in nats.

    >>> log_likelihood([4, 2]).round(4).item()
    -3.8191
    """
    cells = class_counts(counts)
    return 0.0 - unchecked.total(cells) * unchecked.entropy(cells)


def variance(moments: ArrayLike) -> Floats:
    """Mean squared deviation (1/|R|) Σ (y − ȳ)² from the mean, from (Σw, Σw·y, Σw·y²).

    The impurity of regression trees (Breiman et al. 1984, section 8.3).

    >>> variance([2, 6, 20]).item()  # the numbers 2 and 4
    1.0
    """
    return unchecked.variance(moment_sums(moments))


def poisson_deviance(moments: ArrayLike) -> Floats:
    """Mean half Poisson deviance less the mean of y·ln y, which no split can change: −ȳ·ln ȳ, and 0 where ȳ = 0.

    The mean half deviance is (1/W) Σ w·(y·ln(y/ȳ) − y + ȳ). Its last two terms cancel and ln(y/ȳ) comes apart, which
    leaves (1/W) Σ w·y·ln y − ȳ·ln ȳ. So differences of this measure between a node and its branches are exact, while
    the measure by itself can be negative.

    >>> poisson_deviance([[2, 1, 1], [3, 3, 3]]).round(4).tolist()
    [0.3466, 0.0]
    """
    return unchecked.poisson_deviance(event_moments(moment_sums(moments)))


def absolute_error(counts: ArrayLike, values: ArrayLike) -> Floats:
    """Mean distance (1/W) Σ w·|y − m| from the median m (Breiman et al. 1984, section 8.11).

    Moments do not tell a median. So this measure reads the weight of every distinct target value; ``values`` are these,
    in rising order.

    >>> absolute_error([1, 1, 2], [0.0, 3.0, 10.0]).item()  # the numbers 0, 3, 10, 10
    4.25
    """
    cells = class_counts(counts)
    return unchecked.absolute_error(cells, target_values(values, cells.shape[-1]))
