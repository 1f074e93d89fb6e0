"""Folds are scikit-learn's."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, PredefinedSplit, StratifiedKFold

from treewright.data.folds import OneOut, ShuffledFolds, StratifiedFolds, parts_of, splitter_of
from treewright.errors import OptionError


def _same(ours, theirs, y):
    pairs = list(zip(ours.split(np.zeros(len(y)), y), theirs.split(np.zeros(len(y)), y), strict=True))
    return all(np.array_equal(a, b) for mine, other in pairs for a, b in zip(mine, other))


@pytest.mark.parametrize("seed", range(12))
def test_folds_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    n_folds, n_rows = int(random.integers(2, 11)), int(random.integers(60, 200))
    classes = np.concatenate([np.repeat(np.arange(3), n_folds), random.integers(0, 3, n_rows)])
    random.shuffle(classes)
    assert _same(
        splitter_of(n_folds, classes, seed), StratifiedKFold(n_folds, shuffle=True, random_state=seed), classes
    )
    numbers = random.normal(size=n_rows)
    assert _same(splitter_of(n_folds, numbers, seed), KFold(n_folds, shuffle=True, random_state=seed), numbers)
    assert _same(splitter_of("loo", numbers), LeaveOneOut(), numbers)


def test_which_folds_are_taken():
    classes = np.repeat([0, 1], 10)
    assert isinstance(splitter_of(5, classes), StratifiedFolds)
    assert isinstance(splitter_of(5, classes.astype(float)), ShuffledFolds)
    assert isinstance(splitter_of(20, classes), OneOut)
    given = KFold(3)
    assert splitter_of(given, classes) is given


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (KFold, "cv is a class"),
        (GroupKFold(2), "groups"),
        (KFold(100), "n_splits=100"),
        (PredefinedSplit(np.full(20, -1)), "leaves no rows out"),
    ],
)
def test_splitters_that_cannot_deal_these_rows(cv, words):
    with pytest.raises(OptionError, match=words):
        list(parts_of(cv, np.repeat([0, 1], 10)))
