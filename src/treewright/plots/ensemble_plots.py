"""Errors against the number of members, rounds of boosting, importance by permutation, and partial dependence."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.model.evaluate.partial_dependence import partial_dependence as dependence
from treewright.plot_style import MANY_POINTS, legend, new_axes, theme_of

_MOST_BARS = 20


def oob_curve(model: Any, *, ax: Any = None) -> Any:
    """The out-of-bag error of a forest against the number of its trees. Returns matplotlib's axes.

    Where the line is flat, more trees do not help.
    """
    if not hasattr(model, "oob_"):
        raise OptionError(f"{type(model).__name__} has no out-of-bag error", "fit a forest with bootstrap")
    axes = new_axes(ax)
    _errors(axes, model.oob_.curve, "out of bag", 0)
    return _finished(axes, model, "trees")


def member_curve(model: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, ax: Any = None) -> Any:
    """The error of an ensemble against the number of its members, on training rows and on others. Returns matplotlib's
    axes."""
    _check_ensemble(model)
    axes = new_axes(ax)
    _errors(axes, model.error_curve(X, y), "training rows" if X_test is not None else "rows", 0)
    if X_test is not None:
        _errors(axes, model.error_curve(X_test, y_test), "test rows", 1)
    if hasattr(model, "oob_"):
        _errors(axes, model.oob_.curve, "out of bag", 2)
    return _finished(axes, model, "members")


def boosting_rounds(model: Any, *, ax: Any = None) -> Any:
    """The weighted error of each round of AdaBoost, and how much its member counts. Returns matplotlib's axes."""
    if not hasattr(model, "errors_"):
        raise OptionError(f"{type(model).__name__} has no rounds", "fit tw.AdaBoostClassifier first")
    axes = new_axes(ax)
    rounds = np.arange(1, len(model.errors_) + 1)
    marker = "o" if len(rounds) < MANY_POINTS else None
    axes.plot(rounds, model.errors_, marker=marker, color=theme_of(axes).line(0), label="weighted error")
    axes.plot(rounds, model.weights_, "--", marker=marker, color=theme_of(axes).line(1), label="weight of the member")
    axes.set_xlabel("round")
    axes.set_ylim(bottom=0)
    legend(axes)
    return axes


def permutation_importance(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
    """By how much the error of a forest rises on rows its trees left out when a column is permuted, with the standard
    error. Returns matplotlib's axes.

    X, y: the rows of the fit, if these are gone.
    """
    _check_ensemble(model)
    return model.importance("permutation", X, y).plot(ax, most=_MOST_BARS)


def partial_dependence(model: Any, X: Any, columns: Any, *, positive: Any = None, ax: Any = None) -> Any:
    """What a model predicts when one or two columns are set in every row: the mean, and single rows. Returns
    matplotlib's axes.

    columns: a name, or two. positive: the class whose probability is meant, by default the last.
    """
    return dependence(model, X, columns, label=positive).plot(ax)


def _check_ensemble(model: Any) -> None:
    if not hasattr(model, "members_"):
        raise OptionError(f"{type(model).__name__} is no fitted ensemble", "fit tw.RandomForestClassifier first")


def _errors(axes: Any, errors: Any, label: str, place: int) -> None:
    axes.plot(
        np.arange(1, len(errors) + 1), errors, ("-", "--", "-.")[place], color=theme_of(axes).line(place), label=label
    )


def _finished(axes: Any, model: Any, members: str) -> Any:
    axes.set_xlabel(f"number of {members}")
    axes.set_ylabel("error" if model.schema_.target.classes is not None else "root mean squared error")
    axes.set_ylim(bottom=0)
    legend(axes)
    return axes
