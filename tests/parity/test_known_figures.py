"""Figures of other programs on tables that everyone has, and the installed scikit-learn beside us.

The figures were read off the programs' own output: scikit-learn 1.9.1, rpart 4.1.19, Weka 3.6.14.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from peers import ArrayTree, Comparison

OURS = {"max_depth": "max_depth", "min_samples_leaf": "min_rows_leaf"}


@pytest.fixture(scope="module")
def iris():
    return datasets.load_iris(return_X_y=True, as_frame=True)


def errors(model, X, y) -> int:
    return int((model.predict(X) != y).sum())


@pytest.mark.parametrize(
    ("options", "leaves", "depth", "wrong"),
    [
        ({"criterion": "gini"}, 9, 5, 0),
        ({"criterion": "entropy"}, 9, 5, 0),
        ({"max_depth": 3}, 5, 3, 4),
        ({"min_rows_leaf": 5}, 6, 4, 4),
        ({"max_leaves": 8}, 8, 5, 1),
        ({"class_weight": "balanced", "max_depth": 4}, 8, 4, 1),
        ({"prune": tw.prune.CostComplexity(0.01)}, 5, 4, 3),
    ],
)
def test_scikit_learn_on_iris(iris, options, leaves, depth, wrong):
    X, y = iris
    model = tw.CARTClassifier(**options).fit(X, y)
    assert (model.tree_.n_leaves, model.tree_.depth, errors(model, X, y)) == (leaves, depth, wrong)


def rpart(cp, min_rows_split, min_rows_leaf):
    prune = tw.prune.CostComplexity(cp, risk="misclassification", relative=True)
    return tw.CARTClassifier(prune=prune, min_rows_split=min_rows_split, min_rows_leaf=min_rows_leaf)


def test_rpart_on_iris(iris):
    """petal length < 2.45, then petal width < 1.75: 50 setosa, 49 versicolor of 54, 45 virginica of 46."""
    X, y = iris
    model = rpart(0.01, 20, 7).fit(X, y)
    root, (setosa, others) = model.tree_.root, model.tree_.root.children
    assert (X.columns[root.split.column], root.split.edges.tolist()) == ("petal length (cm)", pytest.approx([2.45]))
    assert (X.columns[others.split.column], others.split.edges.tolist()) == ("petal width (cm)", pytest.approx([1.75]))
    leaves = [setosa, *others.children]
    assert [leaf.stats.tolist() for leaf in leaves] == [[50, 0, 0], [0, 49, 5], [0, 1, 45]]
    assert errors(model, X, y) == 6


def test_rpart_on_iris_in_full(iris):
    X, y = iris
    model = rpart(0.0, 2, 1).fit(X, y)
    assert (model.tree_.n_leaves, errors(model, X, y)) == (9, 0)


def test_weka_id3_on_play_tennis():
    """outlook: sunny by humidity, overcast yes, rainy by wind."""
    data = tw.datasets.load("play_tennis")
    X = {name: cells for name, cells in data.X.items() if name != "day"}
    model = tw.ID3Classifier().fit(X, data.y)
    assert (model.tree_.n_leaves, model.score(X, data.y)) == (5, 1.0)
    assert nested(model.tree_.root, model.schema_) == {
        "outlook": {
            "Sunny": {"humidity": {"High": "No", "Normal": "Yes"}},
            "Overcast": "Yes",
            "Rainy": {"windy": {"Strong": "No", "Weak": "Yes"}},
        }
    }


def nested(node, schema):
    """A multiway tree as nested mappings: column, level, and so on to the class."""
    if node.is_leaf:
        return schema.target.classes[node.value.argmax()]
    column = schema.columns[node.split.column]
    branches = node.split.branch_of[1:]
    return {
        column.name: {level: nested(node.children[branch], schema) for level, branch in zip(column.levels, branches)}
    }


@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"min_samples_leaf": 5}], ids=str)
@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        *(
            (name, criterion)
            for name in ("iris", "wine", "breast_cancer", "digits")
            for criterion in ("gini", "entropy")
        ),
        ("diabetes", "squared_error"),
        ("diabetes", "poisson"),
    ],
)
def test_installed_scikit_learn(name, criterion, options):
    """The same tree up to ties, hence the same number of nodes and the same predictions."""
    matrix, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = pd.DataFrame(matrix.astype(np.float32))  # scikit-learn narrows to 32 bits
    is_number = name == "diabetes"
    peer = (DecisionTreeRegressor if is_number else DecisionTreeClassifier)(
        criterion=criterion, random_state=0, **options
    ).fit(X, y)

    def fit(rows, depth):
        ours = {OURS[option]: value for option, value in options.items()}
        if "max_depth" in ours:
            ours["max_depth"] -= depth
        model = (tw.CARTRegressor if is_number else tw.CARTClassifier)(criterion=criterion, **ours)
        return model.fit(X.iloc[rows], y[rows])

    classes = None if is_number else peer.classes_.tolist()
    arrays = peer.tree_
    tree = ArrayTree(arrays.children_left, arrays.children_right, arrays.feature, arrays.threshold, X.to_numpy())
    comparison = Comparison(tree, X, y, criterion, classes, np.ones(len(y)), fit)
    found = comparison.walk(fit(np.arange(len(y)), 0))
    assert found.leaves == peer.get_n_leaves()
    expected = peer.predict(X)[:, None] if is_number else peer.predict_proba(X)
    np.testing.assert_allclose(found.values, expected, rtol=1e-9)
