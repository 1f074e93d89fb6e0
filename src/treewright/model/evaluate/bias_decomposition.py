"""Bias and variance against the size of the tree, by fitting to many samples of the rows.

Squared errors come apart as Geman, Bienenstock & Doursat (1992) have it, wrong classes as Domingos (2000) does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed
from treewright.errors import OptionError, shown
from treewright.leaves import decided
from treewright.plot_style import LINE_STYLES, count_axis, legend, new_axes, theme_of
from treewright.prediction import predicted_values
from treewright.prune.growth_path import growth_path
from treewright.prune.option_checks import check_whole
from treewright.prune.refit import check_estimators, check_fitted_tree, like, only_class
from treewright.typing import Array, Floats, Ints

_MOST_SIZES = 12


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Displayed):
    """Means over the test rows for trees of at most so many ``leaves``.

    Of every row the *main prediction* is that of most trees, or their mean. ``bias`` is what it loses: whether it is
    wrong, or its squared error. ``variance`` is how often a tree predicts otherwise, or its mean squared distance from
    it. ``error`` is what trees lose, and ``net_variance`` what of it is not bias. For numbers net variance is variance.
    For classes to differ from a main prediction that is wrong may be right: it is less. Bias holds the noise as well,
    which no tree could predict.
    """

    leaves: Ints
    error: Floats
    bias: Floats
    variance: Floats
    net_variance: Floats

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        lines = ["leaves   error    bias  variance"]
        for leaves, error, bias, variance in zip(self.leaves, self.error, self.bias, self.variance):
            lines.append(f"{leaves:6d}  {error:6.4g}  {bias:6.4g}  {variance:8.4g}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Error, bias and variance against the number of leaves. Returns matplotlib's axes."""
        axes = new_axes(ax)
        for place, name in enumerate(("error", "bias", "variance")):
            style, colour = LINE_STYLES[place], theme_of(axes).line(place)
            axes.plot(self.leaves, getattr(self, name), style, color=colour, marker=".", label=name)
        axes.set_xscale("log")
        count_axis(axes.xaxis)
        axes.set_xlabel("leaves")
        axes.set_ylim(bottom=0)
        legend(axes)
        return axes


def bias_variance(
    model: Any, X: Any, y: Any, leaves: Any = None, *, rounds: int = 50, share: float = 0.3, random_state: int = 0
) -> BiasVariance:
    """Fit trees like this one to bootstrap samples, and take apart what they get wrong on other rows.

    A ``share`` of the rows is tested on and never fitted to. The others are sampled with replacement ``rounds`` times.
    Every tree is looked at in several sizes: with at most so many ``leaves``, the split that gains most taken first, as
    ``max_leaves`` does; by default a dozen sizes from 1 to that of a tree of all these rows. A row that was drawn twice
    weighs two. The larger the tree, the smaller its bias as a rule, and the larger its variance.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> found = bias_variance(tw.CARTClassifier(), *load_iris(return_X_y=True), leaves=[1, 3, 6], rounds=20)
    >>> bool(found.bias[0] > found.bias[-1]), bool(found.variance[0] > found.variance[1])
    (True, True)
    """
    check_estimators([model])
    if not hasattr(type(model), "pruning_path"):
        raise OptionError(f"a tree of treewright is needed, got {shown(model)}", "pass tw.CARTClassifier() or another")
    check_whole("rounds", rounds, least=2, hint="50 are usual")
    check_whole("random_state", random_state, least=0, hint="the same number draws the same samples")
    rows = labelled(X, y, is_classifier=is_classifier(model))
    training, testing = rows.part(share, random_state)
    whole = like(model, training)
    check_fitted_tree(whole)
    sizes = _sizes(leaves, whole.tree_.n_leaves)
    rng = np.random.default_rng(random_state)
    predictions = np.array([_predicted(model, _sample(training, rng), testing, sizes) for _ in range(rounds)])
    truth = testing.codes_among(rows.classes) if rows.classes is not None else testing.y
    parts = [_parts(predictions[:, k], truth, testing) for k in range(len(sizes))]
    error, bias, variance = np.array(parts).T
    return BiasVariance(sizes, error, bias, variance, error - bias)


def _sizes(leaves: Any, most: int) -> Ints:
    if leaves is None:
        return np.unique(np.geomspace(1, most, _MOST_SIZES).round().astype(np.int64))
    sizes = np.atleast_1d(np.asarray(leaves))
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or not sizes.size or (sizes < 1).any():
        raise OptionError(f"leaves={shown(leaves)} is not accepted", "leaves are whole numbers of at least 1")
    return np.unique(sizes.astype(np.int64))


def _sample(rows: Labelled, rng: np.random.Generator) -> Labelled:
    """As many rows, drawn with replacement: how often each was drawn is its weight. Of one class nothing is learned, so
    another sample is drawn."""
    while True:
        times = np.bincount(rng.integers(0, rows.n_rows, rows.n_rows), minlength=rows.n_rows).astype(np.float64)
        weights = times if rows.weights is None else times * rows.weights
        sample = replace(rows, weights=weights).take(np.flatnonzero(times))
        if only_class(sample) is None:
            return sample


def _predicted(model: Any, sample: Labelled, testing: Labelled, sizes: Ints) -> Array:
    """Sizes × test rows: the code of the class among all classes, or the number."""
    fitted = like(model, sample)
    path, matrix, target = (
        growth_path(fitted.tree_, fitted.schema_),
        fitted._tested(testing.frame),
        fitted.schema_.target,
    )
    trees = [path.trees[int(np.searchsorted(-path.leaves, -size))] for size in sizes]
    values = [predicted_values(tree, matrix, fitted._n_jobs()) for tree in trees]
    if target.classes is None:
        return np.array([value[:, 0] for value in values])
    place = {label: code for code, label in enumerate(testing.classes or ())}
    codes = np.array([place[label] for label in target.classes])
    return np.array([codes[decided(value, target)] for value in values])


def _parts(predictions: Array, truth: Array, rows: Labelled) -> tuple[float, float, float]:
    """Error, bias and variance of rounds × rows."""

    def mean(values: Array) -> float:
        return float(np.average(values, weights=rows.weights))

    if rows.classes is None:
        main = predictions.mean(0)
        return mean(((predictions - truth) ** 2).mean(0)), mean((main - truth) ** 2), mean(predictions.var(0))
    votes = np.array([(predictions == code).sum(0) for code in range(len(rows.classes))])
    main = votes.argmax(0)
    return mean((predictions != truth).mean(0)), mean(main != truth), mean((predictions != main).mean(0))
