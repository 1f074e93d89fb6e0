"""``prune`` in the constructor: every method by name, in pipelines and grids; and by rows that are given again."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import treewright as tw
from made_trees import same
from treewright.errors import OptionError
from treewright.kernels import switch

X, Y = (part[::3] for part in load_breast_cancer(return_X_y=True))
NUMBERS = tuple(part[::3] for part in load_diabetes(return_X_y=True))
OPTIONS = {
    "depth": {"depth": 2},
    "leaves": {"leaves": 4},
    "nodes": {"nodes": [1]},
    "where": {"holds": lambda node: node.n < 30},
}


@pytest.mark.parametrize("method", [m for m in tw.prune.METHODS if m not in ("reduced-error", "critical-value")])
def test_every_method_by_name_is_that_of_the_fitted_model(method):
    options = OPTIONS.get(method, {})
    option = {method: options} if options else method
    grown = tw.CARTClassifier().fit(X, Y)
    chooses = {"X": X, "y": Y, "cv": 10} if method in ("cost-complexity", "error-complexity") else {}
    wanted = grown.prune(method, **chooses, **options)
    made = tw.CARTClassifier(prune=option).fit(X, Y)
    assert same(made.tree_, wanted.tree_)
    assert made.pruned_.method == method
    assert made.get_params()["prune"] == option
    assert clone(made).get_params()["prune"] == option


@pytest.mark.parametrize("method", ["reduced-error", "critical-value"])
def test_rows_are_held_out_for_methods_that_need_them(method):
    whole, half = (tw.CARTClassifier(prune={method: {"share": share}}).fit(X, Y) for share in (0.3, 0.5))
    assert whole.tree_.rows[0] == pytest.approx(0.7 * len(Y), abs=1)
    assert half.tree_.rows[0] == pytest.approx(0.5 * len(Y), abs=1)
    assert whole.pruned_.method == method
    by_name = tw.CARTClassifier(prune=method).fit(X, Y)
    assert same(by_name.tree_, whole.tree_)


@pytest.mark.parametrize("make", [tw.ID3Classifier, tw.C45Classifier, tw.CHAIDClassifier, tw.TreeClassifier])
def test_every_tree_takes_it(make, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = make(prune={"cost-complexity": {"cv": 3, "rule": "0se"}}).fit(X, Y)
        small = make(prune={"depth": {"depth": 1}}).fit(X, Y)
    assert small.tree_.depth <= 1
    assert chosen.pruned_.method == "cost-complexity"
    chosen.save(tmp_path / "model.json")
    again = tw.load(tmp_path / "model.json")
    assert again.get_params()["prune"] == {"cost-complexity": {"cv": 3, "rule": "0se"}}
    assert same(again.tree_, chosen.tree_)


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.C45Classifier, tw.CHAIDClassifier])
def test_columns_compete_as_they_did_before_the_tree_was_pruned_with_rows(make):
    few = X[:, :4]
    with switch.compiling("never"):
        pruned, plain = make(prune={"cost-complexity": {"cv": 3}}).fit(few, Y), make().fit(few, Y)
        assert str(pruned.competitors()) == str(plain.competitors())
        assert tw.summarize(pruned, few, Y, nodes=[0]).nodes[0].competitors


def test_numbers_and_a_pruner_without_an_alpha():
    by_name = tw.CARTRegressor(prune={"cost-complexity": {"cv": 5}}).fit(*NUMBERS)
    grown = tw.CARTRegressor().fit(*NUMBERS)
    assert same(by_name.tree_, grown.prune("cost-complexity", X=NUMBERS[0], y=NUMBERS[1], cv=5).tree_)
    by_pruner = tw.CARTRegressor(prune=tw.prune.CostComplexity()).fit(*NUMBERS)
    assert by_pruner.tree_.n_leaves < grown.tree_.n_leaves


def test_pipelines_and_grids():
    options = ["pessimistic", {"cost-complexity": {"alpha": 0.02}}, {"leaves": {"leaves": 2}}, None]
    pipe = make_pipeline(StandardScaler(), tw.CARTClassifier())
    search = GridSearchCV(pipe, {"cartclassifier__prune": options}, cv=2).fit(X, Y)
    assert [given["cartclassifier__prune"] for given in search.cv_results_["params"]] == options
    assert search.best_estimator_.predict(X).shape == Y.shape


def test_fitting_again_forgets_what_was_pruned():
    model = tw.CARTClassifier(prune={"cost-complexity": {"cv": 3}}).fit(X, Y)
    assert hasattr(model, "pruned_")
    assert not hasattr(model.set_params(prune=None).fit(X, Y), "pruned_")


def test_a_loaded_model_is_pruned_by_the_rows_given_again(tmp_path):
    model = tw.CARTClassifier().fit(X, Y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    with pytest.raises(OptionError, match="they are gone"):
        loaded.prune("cost-complexity", cv=4)
    assert same(loaded.prune("cost-complexity", X=X, y=Y, cv=4).tree_, model.prune("cost-complexity", cv=4).tree_)
    with pytest.raises(
        OptionError, match="reduced-error pruning does not look at the rows of the fit. Hint: pass X_val and y_val.$"
    ):
        loaded.prune("reduced-error", X=X, y=Y)
    with pytest.raises(OptionError, match="leave X and y out"):
        loaded.prune("pessimistic", X=X, y=Y)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("pesimistic", "unknown pruning method 'pesimistic'. Hint: did you mean 'pessimistic'"),
        ({"cost-complexity": {"alfa": 1}}, "unknown option of cost-complexity pruning 'alfa'"),
        (
            {"cost-complexity": {"cvv": 9}},
            "There are alpha, choose, cv, links, relative, repeats, risk, rule, share",
        ),
        ({"reduced-error": {"part": 0.2}}, "there are .*share"),
        ({"pessimistic": {"cv": 3}}, "cv= says how to choose with rows, and pessimistic"),
        ({"cost-complexity": {"alpha": 0.1, "cv": 3}}, "cv= says how to choose with rows"),
        ({"reduced-error": {"share": 2}}, "share must be above 0"),
        ({"depth": {}}, "needs depth=.*in the fit, prune={.depth.: {.depth.: …}}"),
        ({"depth": {"depth": 1}, "mdl": {}}, "is not one method with its options"),
        (3, "prune=3 is not accepted"),
    ],
)
def test_bad_options(option, said):
    with pytest.raises(OptionError, match=said):
        tw.CARTClassifier(prune=option).fit(X, Y)


def test_members_of_an_ensemble_are_pruned_too():
    small = tw.BaggingClassifier(tw.CARTClassifier(prune="pessimistic"), n_trees=2).fit(X, Y)
    assert all(tree.n_leaves < 12 for tree in small.trees_)
    by_rows = tw.BaggingClassifier(tw.CARTClassifier(prune="reduced-error"), n_trees=2, random_state=0).fit(X, Y)
    plain = tw.BaggingClassifier(tw.CARTClassifier(), n_trees=2, random_state=0).fit(X, Y)
    leaves = [member.tree_.n_leaves for member in by_rows.members_]  # each holds out rows of its own bag
    assert max(leaves) < min(tree.n_leaves for tree in plain.trees_)


def test_costs_per_row_count():
    costs = np.where(Y == 0, 5.0, 1.0)
    model = tw.CARTClassifier(prune={"cost-complexity": {"cv": 3}}).fit(X, Y, row_costs=costs)
    assert model.tree_.weights[0] == pytest.approx(costs.sum())
