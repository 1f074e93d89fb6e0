"""``model.prune``, ``model.pruning_path`` and ``tw.prune.compare``."""

from __future__ import annotations

import copy
import gc
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from made_trees import same

X, Y = load_breast_cancer(return_X_y=True)
GROW, VAL = np.arange(len(Y)) % 3 > 0, np.arange(len(Y)) % 3 == 0
NUMBERS = load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    return tw.CARTClassifier().fit(X[GROW], Y[GROW])


# ---- the option and the method share a name


def test_the_option_is_what_scikit_learn_sees():
    pruner = tw.prune.CostComplexity(0.02)
    model = tw.CARTClassifier(prune=pruner)
    assert model.get_params()["prune"] is pruner
    assert clone(model).get_params()["prune"] == pruner
    assert "prune=CostComplexity(alpha=0.02" in repr(model)
    assert model.set_params(prune=None).get_params()["prune"] is None
    assert "prune" not in tw.SearchTreeClassifier().get_params()
    assert repr(tw.CARTClassifier()) == "CARTClassifier()"


def test_the_option_prunes_at_fit_and_the_method_after_it():
    pruner = tw.prune.CostComplexity(0.02)
    option = tw.CARTClassifier(prune=pruner).fit(X, Y)
    method = tw.CARTClassifier().fit(X, Y).prune(pruner)
    assert same(option.tree_, method.tree_)
    assert option.tree_.n_leaves < tw.CARTClassifier().fit(X, Y).tree_.n_leaves


def test_the_option_can_be_handed_on():
    one, other = tw.CARTClassifier(prune=tw.prune.MinimumError()), tw.CARTClassifier()
    other.prune = one.prune
    assert other.get_params()["prune"] == tw.prune.MinimumError()
    assert "MinimumError" in repr(other.prune)
    assert other.prune == one.prune == tw.prune.MinimumError() != tw.CARTClassifier().prune


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_keep_the_option_and_prune(copied):
    model = copied(tw.CARTClassifier(prune=tw.prune.CostComplexity(0.001)).fit(X, Y))
    assert model.get_params()["prune"] == tw.prune.CostComplexity(0.001)
    assert model.prune("depth", depth=1).tree_.depth == 1


def test_a_search_over_pruners():
    grid = {"prune": [None, tw.prune.CostComplexity(0.01), tw.prune.Pessimistic()]}
    search = GridSearchCV(tw.CARTClassifier(), grid, cv=3).fit(X, Y)
    assert search.best_params_["prune"] in grid["prune"]


@pytest.mark.parametrize(
    "pruner",
    [
        tw.prune.MinimumError(2),
        tw.prune.ToDepth(3),
        tw.prune.CostBased({0: {1: 5}}),
        tw.prune.CostBased(np.array([[0, 2], [3, 0]])),
    ],
)
def test_options_are_saved(tmp_path, pruner):
    fitted = tw.CARTClassifier(prune=pruner).fit(X, Y)
    fitted.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.get_params()["prune"] == pruner
    assert same(loaded.tree_, fitted.tree_)


# ---- a new model


@pytest.mark.parametrize("estimator", [tw.ID3Classifier(), tw.CARTClassifier(), tw.TreeClassifier(splits="multiway")])
@pytest.mark.parametrize(
    "method",
    ["cost-complexity", "reduced-error", "critical-value", "minimum-error", "pessimistic", "mdl", "cost-based"],
)
def test_a_new_model_of_the_same_class(estimator, method):
    model = clone(estimator).fit(X[GROW], Y[GROW])
    before = copy.deepcopy(model.tree_)
    held_out = (X[VAL], Y[VAL]) if method in ("cost-complexity", "reduced-error", "critical-value") else ()
    smaller = model.prune(method, *held_out)
    assert type(smaller) is type(model)
    assert smaller.get_params() == model.get_params()
    assert same(model.tree_, before)
    assert not hasattr(model, "pruned_")
    told = smaller.pruned_
    assert told.method == method
    assert told.n_leaves == (model.tree_.n_leaves, smaller.tree_.n_leaves)
    assert told.training_error[1] == pytest.approx(1 - smaller.score(X[GROW], Y[GROW]))
    assert told.n_leaves[1] < told.n_leaves[0] or not told.nodes
    assert f"→ {smaller.tree_.n_leaves} leaves" in str(told)
    assert smaller.classes_.tolist() == [0, 1]


def test_reduced_error_never_does_worse_on_the_held_out_rows(model):
    for order in ("bottom-up", "greedy"):
        smaller = model.prune("reduced-error", X[VAL], Y[VAL], order=order)
        assert smaller.score(X[VAL], Y[VAL]) >= model.score(X[VAL], Y[VAL])
        assert smaller.tree_.n_leaves < model.tree_.n_leaves


def test_numbers():
    X, y = NUMBERS
    model = tw.CARTRegressor().fit(X[::2], y[::2])
    for method in ("cost-complexity", "reduced-error", "critical-value"):
        smaller = model.prune(method, X[1::2], y[1::2])
        assert smaller.score(X[1::2], y[1::2]) > model.score(X[1::2], y[1::2])
    assert smaller.pruned_.training_error[0] == pytest.approx(np.mean((model.predict(X[::2]) - y[::2]) ** 2))


def test_by_hand(model):
    assert model.prune("nodes", nodes=[1]).pruned_.nodes == (1,)
    assert model.prune("leaves", leaves=3).tree_.n_leaves <= 3
    assert model.prune("where", holds=lambda node: node.n < 20).tree_.n_leaves < model.tree_.n_leaves
    assert model.prune("nodes", nodes=[0]).tree_.n_nodes == 1
    assert model.prune("nodes", nodes=[0]).prune("depth", depth=0).tree_.n_nodes == 1


def test_costs_by_class_name_change_the_decision():
    names = np.array(["healthy", "sick"])[Y]
    model = tw.CARTClassifier(min_rows_leaf=20).fit(X, names)
    careful = model.prune("cost-based", costs={"sick": {"healthy": 50}})
    assert (careful.predict(X) == "sick").sum() > (model.predict(X) == "sick").sum()
    assert ((careful.predict(X) == "healthy") & (names == "sick")).sum() == 0


def test_refitting_forgets_the_report(model):
    smaller = model.prune("depth", depth=1).fit(X, Y)
    assert not hasattr(smaller, "pruned_")
    assert smaller.tree_.depth > 1


def test_the_path(model):
    path = model.pruning_path()
    theirs = DecisionTreeClassifier(random_state=0).fit(X[GROW], Y[GROW]).cost_complexity_pruning_path(X[GROW], Y[GROW])
    assert path.alphas[-1] == pytest.approx(theirs.ccp_alphas[-1])
    assert [tree.n_leaves for tree in path.trees] == path.leaves.tolist()
    assert [tree.n_leaves for tree in path.trees[-2:]] == path.leaves[-2:].tolist()
    assert repr(path).startswith(f"{len(path)} trees of {path.leaves[0]} to 1 leaves")
    relative = model.pruning_path(risk="misclassification", relative=True)
    assert relative.risks[-1] == pytest.approx(1)


# ---- cross-validation


def by_the_book(X, y, cv, rule):
    """Chapter 3.4 of Breiman et al. with scikit-learn's trees, refitted for every α."""
    alphas = np.unique(
        np.maximum(DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas, 0)
    )
    alphas = alphas[np.append(True, np.diff(alphas) > 1e-12)]
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), 1e9)
    wrong = np.zeros(len(alphas))
    for train, test in cv.split(X, y):
        for k, alpha in enumerate(between):
            tree = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X[train], y[train])
            wrong[k] += (tree.predict(X[test]) != y[test]).sum()
    error = wrong / len(y)
    best = error.min()
    limit = best + (np.sqrt(best * (1 - best) / len(y)) if rule == "1se" else 0)
    return alphas[np.flatnonzero(error <= limit + 1e-12)[-1]]


@pytest.mark.parametrize("rule", ["0se", "1se"])
def test_cross_validation_by_the_book(rule):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=0.3, size=X.shape)  # no ties between columns, larger trees
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    chosen = tw.CARTClassifier().fit(X, y).prune("cost-complexity", cv=cv, rule=rule)
    alpha = by_the_book(X, y, cv, rule)
    expected = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha + 1e-12).fit(X, y)
    assert chosen.tree_.n_leaves == expected.get_n_leaves()


def test_cross_validation_of_numbers_and_tables():
    X, y = NUMBERS
    table = pd.DataFrame(X)
    model = tw.CARTRegressor().fit(table, y)
    smaller = model.prune("cost-complexity", cv=5)
    assert 1 < smaller.tree_.n_leaves < 30
    assert smaller.prune("cost-complexity", cv=5).tree_.n_leaves <= smaller.tree_.n_leaves
    assert same(smaller.tree_, model.prune("cost-complexity", table, y, cv=5).tree_)
    assert model.prune("cost-complexity", cv=5, rule="0se").tree_.n_leaves >= smaller.tree_.n_leaves


def test_a_target_made_for_the_call_is_remembered():
    table = pd.DataFrame(X).assign(y=Y)
    features = table.drop(columns="y")
    model = tw.CARTClassifier().fit(features, table["y"])
    gc.collect()
    assert model.prune("cost-complexity", cv=3).tree_.n_leaves < model.tree_.n_leaves


def test_a_model_of_one_call_remembers_its_table():
    table = pd.DataFrame(X).add_prefix("x").assign(y=Y)
    model = tw.fit(table, target="y", kinds={"y": "nominal"})
    gc.collect()
    smaller = model.prune("cost-complexity", cv=3)
    assert same(smaller.tree_, model.prune("cost-complexity", table.drop(columns="y"), Y, cv=3).tree_)


def test_a_function_prunes_too(model):
    root_alone = model.prune(lambda tree, schema: tw.prune.ToDepth(0)(tree, schema))
    assert root_alone.tree_.n_nodes == 1
    assert tw.CARTClassifier(prune=lambda tree, schema: tw.prune.ToDepth(0)(tree, schema)).fit(X, Y).tree_.n_nodes == 1


def test_weights_of_the_fit_count_in_cross_validation():
    w = np.where(Y == 1, 3.0, 1.0)
    weighted = tw.CARTClassifier().fit(X, Y, sample_weight=w).prune("cost-complexity", cv=4)
    assert weighted.tree_.stats[0].sum() == pytest.approx(w.sum())


def test_the_rows_of_the_fit_are_not_kept_alive():
    table = pd.DataFrame(X)
    model = tw.CARTClassifier().fit(table, Y)
    assert model.prune("cost-complexity", cv=3).tree_.n_leaves > 1
    del table
    gc.collect()
    with pytest.raises(tw.OptionError, match="they are gone.*pass them"):
        model.prune("cost-complexity", cv=3)
    assert model.prune("cost-complexity", X, Y, cv=3).tree_.n_leaves > 1
    assert "_fitted_to" not in pickle.loads(pickle.dumps(model)).__dict__


# ---- bad input


@pytest.mark.parametrize(
    ("args", "options", "says"),
    [
        (("cost-complexty",), {}, "did you mean 'cost-complexity'"),
        ((7,), {}, "a name or a pruner"),
        ((tw.prune.MDL,), {}, "a name or a pruner"),
        ((tw.prune.MDL(),), {"of_splits": 2}, "option of a method by name"),
        (("depth",), {}, "needs depth="),
        (("depth",), {"dept": 3}, "did you mean 'depth'"),
        (("depth",), {"depth": -1}, "at least 0"),
        (("nodes",), {"nodes": [10**6]}, "no node 1000000"),
        (("reduced-error",), {}, "pass X_val and y_val"),
        (("cost-complexity",), {}, "an alpha, or cv=10"),
        (("cost-complexity", X[VAL]), {}, "go together"),
        (("cost-complexity", X[VAL], Y[VAL]), {"rule": "2se"}, "rule='2se'"),
        (("mdl",), {"rule": "2se"}, "rule='2se' is not accepted. Hint: it is a number of standard errors"),
        (("mdl",), {"rule": 0.5}, "mdl pruning has no rule, got rule=0.5"),
        ((tw.prune.CostComplexity(), X[VAL], Y[VAL]), {"rule": 0.5}, "give it to the pruner itself"),
        (("cost-complexity",), {"alpha": 0.1, "cv": 5}, "leaves nothing to choose"),
        (("pessimistic",), {"cv": 5}, "leaves nothing to choose"),
        (("pessimistic", X[VAL], Y[VAL]), {}, "does not look at held-out rows"),
        (("cost-complexity", X, Y), {"cv": 1}, "at least 2"),
        (("cost-complexity", X, Y), {"cv": "x"}, "at least 2"),
        (("cost-complexity", X, Y), {"cv": 1000}, "1000 folds"),
        (("cost-complexity", X, Y), {"cv": 600}, "600 folds cannot be made of 569 rows"),
        (("reduced-error", X[VAL][:0], Y[VAL][:0]), {}, "0 sample"),
        (("reduced-error", X[VAL][:, :5], Y[VAL]), {}, "features|columns"),
        (("reduced-error", X[VAL], Y[VAL][:-1]), {}, "inconsistent"),
        (("reduced-error", X[VAL], Y[VAL] + 1), {}, "y_val holds 2, a class the model was not fitted to"),
    ],
)
def test_bad_input(model, args, options, says):
    with pytest.raises((tw.OptionError, tw.DataError), match=says):
        model.prune(*args, **options)


def test_an_unfitted_model_says_so():
    with pytest.raises(ValueError, match="not fitted"):
        tw.CARTClassifier().prune("mdl")
    with pytest.raises(ValueError, match="not fitted"):
        tw.CARTClassifier().pruning_path()


def test_a_pruner_that_needs_rows_holds_some_out_at_fit():
    by_pruner, by_name = (
        tw.CARTClassifier(prune=prune).fit(X, Y) for prune in (tw.prune.ReducedError(), "reduced-error")
    )
    assert same(by_pruner.tree_, by_name.tree_)


# ---- side by side


def test_compare_on_rows_of_its_own(model):
    found = tw.prune.compare(model, X[VAL], Y[VAL])
    names = [row.method for row in found.rows]
    assert names[0] == "unpruned"
    assert {"cost-complexity", "reduced-error", "minimum-error", "pessimistic", "mdl"} < set(names)
    assert found["unpruned"].leaves == model.tree_.n_leaves
    assert found["pessimistic"].leaves == model.prune("pessimistic").tree_.n_leaves
    assert all(row.leaves <= model.tree_.n_leaves and row.standard_error >= 0 for row in found.rows)
    assert pd.DataFrame(found.to_dict()).shape == (len(names), 7)
    lines = str(found).splitlines()
    assert len(lines) == len(names) + 1
    assert len({len(line) for line in lines}) == 1


def test_compare_by_cross_validation():
    found = tw.prune.compare(tw.CARTRegressor().fit(*NUMBERS), *NUMBERS, cv=3)
    assert found["cost-complexity"].validation_error < found["unpruned"].validation_error
    assert found["cost-complexity"].leaves < found["unpruned"].leaves
    assert found["unpruned"].training_error == pytest.approx(0, abs=1e-9)


def test_compare_by_names_of_ones_own(model):
    methods = {"short": tw.prune.ToDepth(1), "shorter": tw.prune.ToDepth(0)}
    found = tw.prune.compare(model, X[VAL], Y[VAL], methods)
    assert [row.depth for row in found.rows[1:]] == [1, 0]
    assert [row.method for row in tw.prune.compare(model, X[VAL], Y[VAL], "mdl").rows] == ["unpruned", "mdl"]
    with pytest.raises(tw.OptionError, match="did you mean 'mdl'"):
        tw.prune.compare(model, X[VAL], Y[VAL], ["mdll"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"methods": 3}, "a name or a pruner"),
        ({"methods": [3]}, "a name or a pruner"),
        ({"X": X[:0], "y": Y[:0]}, "0 sample"),
        ({"X": X[:, :2]}, "features"),
        ({"y": Y + 1}, "holds 2, a class the model was not fitted to"),
        ({"cv": 600}, "600 folds cannot be made of 569 rows"),
        ({"cv": "x"}, "at least 2"),
        ({"share": 2}, "between 0 and 1"),
        ({"share": "x"}, "between 0 and 1"),
        ({"rule": "2se"}, "rule='2se'"),
        ({"model": DecisionTreeClassifier()}, "a fitted tree of treewright"),
        ({"model": 3}, "a fitted tree of treewright"),
    ],
)
def test_compare_refuses(model, options, says):
    with pytest.raises((tw.OptionError, tw.DataError), match=says):
        tw.prune.compare(**{"model": model, "X": X, "y": Y, **options})


def test_compare_needs_a_fitted_model():
    with pytest.raises(ValueError, match="not fitted"):
        tw.prune.compare(tw.CARTClassifier(), X, Y)


def test_compare_with_raising(model):
    """It needs the rows of the fit: with cv they are those of each fold."""
    found = tw.prune.compare(tw.CARTClassifier().fit(X, Y), X, Y, {"raised": "error-based"}, cv=3)
    assert found["raised"].leaves == tw.CARTClassifier().fit(X, Y).prune("error-based").tree_.n_leaves


def test_compare_one_method_with_several_options(model):
    methods = [tw.prune.ToDepth(1), tw.prune.ToDepth(2), "mdl"]
    names = [row.method for row in tw.prune.compare(model, X[VAL], Y[VAL], methods).rows]
    assert names == ["unpruned", "ToDepth(depth=1)", "ToDepth(depth=2)", "mdl"]


def test_compare_where_a_class_has_a_single_row_to_learn_from():
    y = np.where(np.arange(len(Y)) < 2, 2, Y)
    found = tw.prune.compare(tw.CARTClassifier().fit(X, y), X, y, ["reduced-error"], cv=2)
    assert 1 < found["reduced-error"].leaves < found["unpruned"].leaves


def test_drawing_names_the_extra(model, monkeypatch):
    found = tw.prune.compare(model, X[VAL], Y[VAL], ["mdl"])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tw.TreewrightError, match=r"treewright\[plot\]"):
        found.plot()


def test_drawing_has_a_point_per_method(model):
    found = tw.prune.compare(model, X[VAL], Y[VAL], ["mdl", "pessimistic"])
    axes = pyplot.figure().add_subplot()
    assert found.plot(axes) is axes
    points = [tuple(bar.lines[0].get_xydata()[0].tolist()) for bar in axes.containers]
    assert points == [(row.leaves, row.validation_error) for row in found.rows]


def table_with_rare_classes():
    rng = np.random.default_rng(0)
    table = rng.random((300, 3))
    y = np.where(table[:, 0] + 0.2 * rng.random(300) > 0.6, "a", "b")
    y[:3] = "c", "c", "d"
    return table, y


@pytest.mark.parametrize("options", [{}, {"costs": {("c", "a"): 5}}, {"priors": "equal"}, {"class_weight": {"c": 4}}])
def test_classes_rarer_than_folds_do_not_stop_cross_validation(options):
    table, y = table_with_rare_classes()
    model = tw.CARTClassifier(**options).fit(table, y)
    with pytest.warns(tw.TreewrightWarning, match=r"2 classes have fewer rows than the 10 folds: 'c' \(2\), 'd' \(1\)"):
        smaller = model.prune("cost-complexity", table, y, cv=10)
    assert 1 < smaller.tree_.n_leaves < model.tree_.n_leaves
    assert smaller.classes_.tolist() == ["a", "b", "c", "d"]


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_classes_rarer_than_folds_stop_nothing_that_is_cross_validated():
    table, y = table_with_rare_classes()
    model = tw.CARTClassifier(max_depth=3).fit(table, y)
    assert "CART" in str(tw.compare([model], table, y, cv=5))
    assert len(tw.evaluate.learning_curve(model, table, y, cv=5).validation)
    assert len(tw.evaluate.complexity_curve(model, table, y, cv=5).validation)
    assert tw.prune.compare(model, table, y, ["pessimistic"], cv=5).rows


# ---------------------------------------------------------------- rules, repeats and bootstrap samples


@pytest.mark.parametrize(("word", "number"), [("0se", 0), ("1se", 1.0)])
def test_a_rule_is_a_number_of_standard_errors(word, number):
    X, y = load_iris(return_X_y=True)
    model = tw.CARTClassifier().fit(X, y)
    for options in ({"cv": 5}, {"X_val": X[::2], "y_val": y[::2]}):
        by_word, by_number = (model.prune("cost-complexity", rule=rule, **options) for rule in (word, number))
        assert by_word.tree_.n_leaves == by_number.tree_.n_leaves


def test_more_standard_errors_never_make_a_larger_tree():
    X, y = load_iris(return_X_y=True)
    model = tw.CARTClassifier().fit(X, y)
    leaves = [model.prune("cost-complexity", cv=5, rule=rule).tree_.n_leaves for rule in (0, 0.25, 1, 4, 1000)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1 < leaves[0]


def test_repeated_folds_and_bootstrap_samples():
    X, y = load_iris(return_X_y=True)
    model = tw.CARTClassifier().fit(X, y)
    for options in ({"repeats": 3}, {"choose": "oob"}, {"choose": "oob", "repeats": 2}):
        pruned = model.prune("cost-complexity", cv=4, **options)
        assert 2 < pruned.tree_.n_leaves < model.tree_.n_leaves


@pytest.mark.parametrize(
    "options", [{"rule": -1}, {"rule": "2se"}, {"repeats": 0, "cv": 3}, {"repeats": 2}, {"choose": "oob"},
                {"choose": "best", "cv": 3}, {"choose": "oob", "cv": "loo"}]
)  # fmt: skip
def test_ways_of_choosing_that_are_none(options):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(tw.OptionError):
        tw.CARTClassifier().fit(X, y).prune("cost-complexity", **options)
