"""C4.5, C5.0 and forests tell beforehand of columns whose levels take long. CHAID's warning is tested with CHAID."""

import warnings

import numpy as np
import pytest

import treewright as tw
from treewright.errors import TreewrightWarning


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr("treewright.model.level_warnings.MANY_MIXED_LEVELS", 20)


def table(n_levels, of_one_class=False):
    """Four rows a level: of both classes, or every level of one."""
    levels = np.repeat(np.arange(n_levels), 4)
    is_second = levels % 2 if of_one_class else np.arange(len(levels)) % 2
    return {"g": [f"v{level}" for level in levels]}, np.where(is_second, "b", "a")


def test_groups_of_many_levels_are_told_of(few_are_many):
    X, y = table(30)
    with pytest.warns(TreewrightWarning, match="30 levels of several classes.*subset=True.*cube.*Hint: leave it out"):
        tw.C45Classifier(subset=True).fit(X, y)
    with pytest.warns(TreewrightWarning, match="cube"):
        tw.C45RulesClassifier(subset=True).fit(X, y)


@pytest.mark.parametrize(
    ("n_levels", "subset", "of_one_class"), [(30, False, False), (15, True, False), (30, True, True)]
)
def test_others_are_not(few_are_many, n_levels, subset, of_one_class):
    X, y = table(n_levels, of_one_class)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.C45Classifier(subset=subset).fit(X, y)
    assert not [str(one.message) for one in told if "cube" in str(one.message)]


def many_orders(model, n_classes):
    """What is told of five levels, where levels × classes of 15 and more are many."""
    X = {"g": [f"v{i % 5}" for i in range(60)], "x": list(range(60))}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, [f"k{i % n_classes}" for i in range(60)])
    return [str(one.message) for one in told if "ordered once for each class" in str(one.message)]


def test_forests_tell_of_levels_and_classes(monkeypatch):
    monkeypatch.setattr("treewright.model.level_warnings.MANY_CLASS_LEVELS", 15)
    (message,) = many_orders(tw.RandomForestClassifier(n_trees=2), 3)
    assert "'g' has 5 levels and the target 3 classes" in message
    assert "Hint: leave it out" in message
    assert len(many_orders(tw.BaggingClassifier(tw.CARTClassifier(), n_trees=2), 3)) == 1
    assert not many_orders(tw.RandomForestClassifier(n_trees=2), 2)  # one order is enough
    assert not many_orders(tw.ExtraTreesClassifier(n_trees=2), 4)
    assert not many_orders(tw.BaggingClassifier(tw.C45Classifier(), n_trees=2), 4)


def test_c50_tells_of_levels_and_classes(monkeypatch):
    """Six levels of three classes; C5.0 counts one more, for values that are not applicable."""
    monkeypatch.setattr("treewright.c50.column_warnings.MANY_MERGERS", 7 * 7 * 3)
    X = {"g": [f"v{i % 6}" for i in range(60)], "x": [i % 7 for i in range(60)]}
    with pytest.warns(TreewrightWarning, match="'g' has 6 levels and the target 3 classes.*levels² × classes.*Hint"):
        tw.C50Classifier().fit(X, [f"k{i % 3}" for i in range(60)])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.C50Classifier(subset=False).fit(X, [f"k{i % 3}" for i in range(60)])
        tw.C50Classifier().fit(X, [f"k{i % 2}" for i in range(60)])
    assert not [str(one.message) for one in told if "levels² × classes" in str(one.message)]
