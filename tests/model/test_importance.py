"""How much models need their columns, by one road for all of them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.inspection import partial_dependence
from sklearn.inspection import permutation_importance as permutation_of_sklearn
from sklearn.metrics import accuracy_score

import treewright as tw
from treewright.errors import OptionError
from treewright.kernels import switch

RNG = np.random.default_rng(0)
ROWS = 60
X = pd.DataFrame({"size": RNG.normal(size=ROWS), "age": RNG.normal(size=ROWS), "group": RNG.choice(list("abc"), ROWS)})
CLASSES = np.where(X["size"] > 0, "yes", "no")
NUMBERS = 3 * X["size"].to_numpy() + X["age"].to_numpy()
FEW = {"n_trees": 3, "n_rounds": 3, "n_members": 3, "cv": 3, "k": 3}
MODELS = [name for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))]
NO_SPLITS = {"KNNClassifier", "KNNRegressor", "C45RulesClassifier", "M5RulesRegressor"}


def made(name):
    kind = getattr(tw, name)
    options = {option: value for option, value in FEW.items() if option in kind().get_params(deep=False)}
    return kind(**options), CLASSES if name.endswith("Classifier") else NUMBERS


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_every_importance(name):
    model, y = made(name)
    with switch.compiling("never"):
        model.fit(X, y)
        more = {"new_rows": True} if hasattr(model, "members_") else {}
        permuted = model.importance("permutation", X, y, repeats=2, **more)
        assert permuted.names == ("size", "age", "group")
        assert permuted.order[0] == 0
        assert (permuted.standard_errors >= 0).all()
        assert permuted.to_frame()["column"].iloc[0] == "size"
        assert permuted.to_markdown().startswith("| column | permutation | standard error |")
        if name in NO_SPLITS:
            with pytest.raises(OptionError, match="no splits whose gain could be shared out"):
                model.importance("impurity")
        else:
            np.testing.assert_allclose(model.importance("impurity").means, model.feature_importances_)
        of_sklearn = permutation_of_sklearn(model, X, y, n_repeats=2, random_state=0)
        assert of_sklearn.importances_mean.argmax() == 0
        assert partial_dependence(model, X, ["size"], grid_resolution=4)["average"].shape == (1, 4)
        assert partial_dependence(model, X, ["group"], categorical_features=["group"])["average"].shape == (1, 3)


@pytest.mark.parametrize("name", ["CARTClassifier", "C45RulesClassifier", "KNNRegressor", "AdaBoostClassifier"])
def test_learning_without_a_column(name):
    model, y = made(name)
    with switch.compiling("never"):
        found = model.fit(X, y).importance("drop", X, y, cv=3)
    assert found.order[0] == 0
    assert found.means[0] > 3 * found.standard_errors[0] > 0
    assert "cross-validation with 3 folds" in str(found)


def test_a_permutation_by_hand():
    """The mean of the rises of the error, which scikit-learn's tool finds of the same permutations."""
    y = np.where(X["size"] + X["age"] > 0, "yes", "no")
    with switch.compiling("never"):
        model = tw.CARTClassifier(max_depth=3).fit(X, y)
        found = model.importance("permutation", X, y, repeats=100)
        theirs = permutation_of_sklearn(model, X, y, n_repeats=100, random_state=1)
    near = 5 * np.hypot(found.standard_errors, theirs.importances_std / 10) + 1e-12
    assert (np.abs(found.means - theirs.importances_mean) < near).all()
    assert found["size"] > 0.1


def test_dropping_by_hand():
    from treewright.data.folds import Folds
    from treewright.data.labelled import labelled

    with switch.compiling("never"):
        model = tw.CARTClassifier(max_depth=2).fit(X, CLASSES)
        found = model.importance("drop", X, CLASSES, cv=4)
        rises = []
        for rest, part in labelled(X, CLASSES, is_classifier=True).folds(Folds.of(4, ROWS, 0)):
            kept = [1, 2]
            whole = clone(model).fit(rest.frame, rest.labels).predict(part.frame)
            without = clone(model).fit(rest.frame.only(kept), rest.labels).predict(part.frame.only(kept))
            rises += list((without != part.labels).astype(float) - (whole != part.labels))
    assert found["size"] == pytest.approx(np.mean(rises))
    assert found.standard_errors[0] == pytest.approx(np.std(rises) / np.sqrt(ROWS))


def test_columns_that_were_left_out_have_none():
    table = {**X.to_dict("list"), "id": [f"n{k}" for k in range(ROWS)]}
    with switch.compiling("never"), pytest.warns(tw.TreewrightWarning, match="'id' looks like an identifier"):
        model = tw.CARTClassifier().fit(table, CLASSES)
    assert model.importance("permutation", X, CLASSES, repeats=1).names == ("size", "age", "group")
    assert accuracy_score(CLASSES, model.predict(X)) == 1


def test_columns_that_were_left_out_are_told_of_once():
    table = {**X.to_dict("list"), "id": [f"n{k}" for k in range(ROWS)]}
    with switch.compiling("never"), pytest.warns(tw.TreewrightWarning, match="'id' looks like") as told:
        model = tw.CARTClassifier(max_depth=2, prune={"cost-complexity": {"cv": 3}}).fit(table, CLASSES)
    with switch.compiling("never"), warnings.catch_warnings():
        warnings.simplefilter("error")
        model.importance("drop", table, CLASSES, cv=2)
        model.prune("cost-complexity", X=table, y=CLASSES, cv=3)
        tw.summarize(model, table, CLASSES, cv=3)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("how", "rows", "options", "said"),
    [
        ("permute", (X, CLASSES), {}, "unknown importance 'permute'"),
        ("permutation", (), {}, "permutation importance needs rows.*model.importance"),
        ("drop", (), {}, "drop importance needs rows"),
        ("permutation", (X, CLASSES), {"repeats": 0}, "repeats"),
        ("drop", (X, CLASSES), {"groups": {"all": list(X)}}, "no other column to learn from"),
    ],
)
def test_bad_questions(how, rows, options, said):
    with switch.compiling("never"):
        model = tw.CARTClassifier(max_depth=1).fit(X, CLASSES)
    with pytest.raises(OptionError, match=said):
        model.importance(how, *rows, **options)


def test_what_predicts_nothing_has_none():
    with pytest.raises(OptionError, match="a Discretizer predicts nothing"):
        tw.Discretizer().fit(X[["size"]], CLASSES).importance("permutation", X, CLASSES)
