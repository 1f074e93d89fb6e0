"""The bar: on the error stream, only when asked for, and ended whatever happens."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import treewright as tw
from treewright.model.progress import Bar

X = np.random.default_rng(0).normal(size=(2000, 3))
CLASSES = np.random.default_rng(1).integers(0, 2, 2000)


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.ID3Classifier, tw.CARTRegressor])
@pytest.mark.parametrize("options", [{}, {"max_leaves": 5}, {"max_depth": 0}, {"engine": "histogram"}], ids=str)
def test_the_bar_is_written_to_the_error_stream(make, options, capsys):
    make(progress=True, **options).fit(X, CLASSES)
    written = capsys.readouterr()
    assert written.out == ""
    states = written.err.split("\r")
    assert states[0] == ""
    assert states[1] == f"{make.__name__} [{'-' * 30}]   0% of 2,000 rows in leaves"
    assert states[-1] == f"{make.__name__} [{'#' * 30}] 100% of 2,000 rows in leaves\n"


def test_the_bar_never_goes_back(capsys):
    """A small table is grown in one go; this one is not."""
    many = np.random.default_rng(0).normal(size=(20_000, 3))
    tw.CARTClassifier(progress=True, n_jobs=2).fit(many, many[:, 0] + many[:, 1] ** 2 > 1)
    shares = [int(state.split("]")[1].split("%")[0]) for state in capsys.readouterr().err.split("\r")[1:]]
    assert shares == sorted(shares)
    assert len(set(shares)) > 3


def test_no_bar_unless_asked_for(capsys):
    tw.CARTClassifier().fit(X, CLASSES)
    assert capsys.readouterr() == ("", "")


def test_the_bar_does_not_change_the_tree(capsys):
    with_bar, without = (tw.CARTClassifier(progress=progress).fit(X, CLASSES) for progress in (True, False))
    assert all(np.array_equal(one, other) for one, other in zip(with_bar.tree_.arrays(), without.tree_.arrays()))


def test_a_bar_ends_its_line_after_an_error():
    stream = io.StringIO()

    def interrupted():
        with Bar(10, "Tree", stream) as report:
            report(5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stream.getvalue().endswith(" 50% of 10 rows in leaves\n")


def test_a_program_without_an_error_stream(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert tw.CARTClassifier(progress=True).fit(X, CLASSES).tree_.n_leaves > 1
