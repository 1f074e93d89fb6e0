"""Small tables to go wrong with, and what every refusal of bad input has to be like."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import treewright as tw

PACKAGE = Path(tw.__file__).parent
X4 = {"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"]}
CLASSES = ["n", "n", "p", "p"]
NUMBERS = [1.0, 2.0, 3.0, 4.0]
TWO = [0, 1]
HUGE = 2**60


def classify(X, y=TWO, **options):
    return tw.CARTClassifier(**options).fit(X, y)


def regress(X, y, **options):
    return tw.CARTRegressor(**options).fit(X, y)


def check_refused(action, message, error=tw.DataError):
    """The error is ours, has a hint, arises in our code and comes without warnings of other libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        with pytest.raises(error, match=message) as caught:
            action()
    assert caught.value.hint
    assert f"Hint: {caught.value.hint}" in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert PACKAGE in Path(caught.traceback[-1].path).parents
