"""Trees grown by absolute error: scikit-learn's on its own table, and all that is done with a tree once it is grown."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import treewright as tw
from peers import ArrayTree, Comparison
from treewright.data.labelled import labelled
from treewright.model.model_pruning import losses_at_nodes
from treewright.tree.tree import LeafKind

TREES = (tw.CARTRegressor, tw.TreeRegressor)
POLICIES = ["learned", "fractional", "every", "common", "branch", "surrogate", "stop", "drop"]
STYLES = ["subset", "multiway", "one-vs-rest"]


def by_median(kind=tw.TreeRegressor, **options):
    return kind(criterion="absolute_error", **options)


def mixed(n_rows: int = 120, seed: int = 0, missing: float = 0.15):
    """A table of every kind of column, and a target with outliers."""
    random = np.random.default_rng(seed)
    x, colour = random.normal(size=n_rows), random.choice(["red", "green", "blue", "grey"], n_rows)
    size = random.choice(["small", "medium", "large"], n_rows)
    y = np.round(3 * x + 4 * (colour == "red") + 2 * (size == "large") + random.standard_cauchy(n_rows), 2)
    table = pd.DataFrame({"x": x, "colour": colour, "size": size})
    gone = random.random(table.shape) < missing
    return table.mask(gone), y


KINDS = {"size": ["small", "medium", "large"]}


# ---- scikit-learn ----------------------------------------------------------------------------------------------------


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return pd.DataFrame(X.astype(np.float32)), y


@pytest.mark.parametrize("weighting", ["none", "whole", "fractional"])
@pytest.mark.parametrize("options", [(3, 1), (None, 1), (8, 7)])
def test_the_tree_of_scikit_learn(weighting, options):
    """Equal up to ties. There are many: of an even number of rows any value between the middle two is a median, so that
    a row there may go either way. scikit-learn then takes whatever its rounding makes of them. By the rounding of
    weights it also splits rows of one value; so the weights here are such that none is rounded.
    """
    (X, y), (depth, least) = diabetes(), options
    random = np.random.default_rng(0)
    most, unit = {"none": (1, 1), "whole": (4, 1), "fractional": (99, 64)}[weighting]
    w = random.integers(1, most, len(y), endpoint=True) / unit
    peer = DecisionTreeRegressor(criterion="absolute_error", max_depth=depth, min_samples_leaf=least, random_state=0)
    nodes = peer.fit(X.to_numpy(), y, sample_weight=w).tree_

    def fit(rows, above):
        limit = None if depth is None else depth - above
        model = by_median(tw.CARTRegressor, max_depth=limit, min_rows_leaf=least)
        return model.fit(X.iloc[rows], y[rows], sample_weight=w[rows])

    tree = ArrayTree(nodes.children_left, nodes.children_right, nodes.feature, nodes.threshold, X.to_numpy())
    comparison = Comparison(tree, X, y, "absolute_error", None, w, fit)
    found = comparison.walk(fit(np.arange(len(y)), 0))
    assert found.leaves == peer.get_n_leaves()
    np.testing.assert_allclose(found.values[:, 0], peer.predict(X.to_numpy()))


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5, 2.0])
def test_pruned_as_scikit_learn_does(alpha):
    X, y = diabetes()
    peer = DecisionTreeRegressor(criterion="absolute_error", max_depth=5, random_state=0, ccp_alpha=alpha)
    model = by_median(tw.CARTRegressor, max_depth=5, prune=tw.prune.CostComplexity(alpha)).fit(X, y)
    assert model.tree_.n_leaves == peer.fit(X.to_numpy(), y).get_n_leaves()
    np.testing.assert_allclose(model.predict(X), peer.predict(X.to_numpy()))


def test_two_values_of_the_same_weight_have_the_middle_for_a_median():
    model = by_median(max_depth=0).fit([[1], [2], [3], [4]], [0.0, 1.0, 5.0, 9.0])
    assert model.predict([[0]]).tolist() == [3.0]
    assert by_median(max_depth=0).fit([[1], [2]], [0.0, 8.0], sample_weight=[3, 1]).predict([[0]]).tolist() == [0.0]


def test_outliers_do_not_move_a_median():
    X, y = [[1], [1], [1], [2], [2], [2]], [1.0, 2.0, 900.0, 11.0, 12.0, 13.0]
    assert by_median(max_depth=1).fit(X, y).predict([[1], [2]]).tolist() == [2.0, 12.0]


# ---- options ---------------------------------------------------------------------------------------------------------


def absolute_error(model, X, y) -> float:
    return float(np.abs(model.predict(X) - y).mean())


@pytest.mark.parametrize("missing", [policy for policy in POLICIES if policy != "drop"])
@pytest.mark.parametrize("splits", STYLES)
def test_every_policy_for_missing_values(missing, splits):
    X, y = mixed()
    model = by_median(missing=missing, splits=splits, kinds=KINDS, min_rows_leaf=5).fit(X, y)
    alone = by_median(max_depth=0).fit(X, y)
    assert model.tree_.n_leaves > 2
    assert absolute_error(model, X, y) < absolute_error(alone, X, y)
    if missing not in ("fractional", "every"):  # there rows end at several leaves, and are predicted by all of them
        assert model._training_error(model.tree_) == pytest.approx(absolute_error(model, X, y))


@pytest.mark.parametrize("splits", STYLES)
def test_rows_without_missing_values_are_split_by_the_known_ones(splits):
    """Leaving missing values out is growing from the others, but for what they weigh."""
    X, y = mixed(missing=0.3)
    whole = X["colour"].notna()
    options = {"splits": splits, "max_depth": 1}
    model = by_median(missing="stop", **options).fit(X[["colour"]], y)
    known = by_median(**options).fit(X.loc[whole, ["colour"]], y[whole])
    assert model.tree_.gain[0] == pytest.approx(known.tree_.gain[0] * whole.mean())
    assert by_median(missing="drop", **options).fit(X[["colour"]], y).tree_.gain[0] == pytest.approx(
        known.tree_.gain[0]
    )


def test_a_branch_of_missing_values_is_like_a_level():
    X, y = mixed(missing=0.3)
    told = by_median(missing="branch", splits="multiway", max_depth=1).fit(X[["colour"]], y)
    level = by_median(splits="multiway", max_depth=1).fit(X[["colour"]].fillna("?"), y)
    assert told.tree_.gain[0] == pytest.approx(level.tree_.gain[0])
    assert sorted(told.tree_.value[1:, 0]) == pytest.approx(sorted(level.tree_.value[1:, 0]))


@pytest.mark.parametrize("missing", ["fractional", "every", "surrogate"])
def test_policies_that_leave_missing_values_out_score_alike(missing):
    X, y = mixed(missing=0.3)
    found, stopped = (by_median(missing=one, max_depth=1, kinds=KINDS).fit(X, y).tree_ for one in (missing, "stop"))
    assert found.gain[0] == pytest.approx(stopped.gain[0])


def test_the_commonest_value_stands_for_missing_ones():
    X, y = mixed(missing=0.3)
    filled = X[["colour"]].fillna(X["colour"].mode()[0])
    told = by_median(missing="common", max_depth=1).fit(X[["colour"]], y)
    assert told.tree_.gain[0] == pytest.approx(by_median(max_depth=1).fit(filled, y).tree_.gain[0])


def test_shared_rows_count_in_medians_by_their_share():
    X, y = mixed(missing=0.3)
    tree = by_median(missing="fractional", max_depth=1).fit(X[["x"]], y).tree_
    x, edge = X["x"].to_numpy(), float(tree.edges[0])
    left = (x <= edge).sum() / (~np.isnan(x)).sum()
    for branch, (mine, share) in enumerate(((x <= edge, left), (x > edge, 1 - left))):
        weight = np.where(np.isnan(x), share, mine)
        order = np.argsort(y)
        reached = np.cumsum(weight[order]) / weight.sum()
        assert tree.value[1 + branch, 0] == pytest.approx(y[order][np.argmax(reached >= 0.5)])


@pytest.mark.parametrize("kind", TREES)
def test_limits(kind):
    X, y = mixed()
    full = by_median(kind).fit(X, y).tree_
    assert by_median(kind, max_leaves=5).fit(X, y).tree_.n_leaves == 5
    assert by_median(kind, min_rows_leaf=9).fit(X, y).tree_.rows.min() >= 9
    assert by_median(kind, max_depth=2).fit(X, y).tree_.depth == 2
    fewer = by_median(kind, min_gain=0.3).fit(X, y).tree_
    assert 1 < fewer.n_leaves < full.n_leaves
    assert fewer.gain[fewer.n_branches > 0].min() >= 0.3
    assert by_median(kind, significance=1e-6).fit(X, y).tree_.n_leaves < full.n_leaves
    light = by_median(kind, min_weight_fraction_leaf=0.1).fit(X, y, sample_weight=np.linspace(1, 2, len(y))).tree_
    assert light.stats[:, 0].min() >= 0.1 * light.stats[0, 0] - 1e-9


def test_bins_random_ties_and_threads():
    X, y = diabetes()
    binned = by_median(engine="histogram", max_depth=4).fit(X, y)
    exact = by_median(max_depth=4).fit(X, y)
    assert absolute_error(binned, X, y) == pytest.approx(absolute_error(exact, X, y), rel=0.1)
    random_pick = by_median(tie="random", random_state=3, max_depth=4, n_jobs=2).fit(X, y)
    again = by_median(tie="random", random_state=3, max_depth=4, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(random_pick.predict(X), again.predict(X))


def test_monotone_predictions():
    X, y = mixed(missing=0.0)
    model = by_median(monotone={"x": 1}, min_rows_leaf=3).fit(X, y)
    grid = pd.concat([X.assign(x=x) for x in np.linspace(-2, 2, 9)])
    found = model.predict(grid).reshape(9, -1)
    assert (np.diff(found, axis=0) >= 0).all()
    assert np.ptp(found, axis=0).max() > 0


def test_selecting_and_stopping_by_functions_of_ones_own():
    X, y = mixed()
    seen = []

    def second(candidates):
        return candidates[min(1, len(candidates) - 1)]

    def settled(node):
        seen.append(node.stats)
        return node.stats[4] / node.stats[0] < 1.5

    model = by_median(select=second, stop=settled, max_depth=3).fit(X, y)
    assert model.tree_.n_leaves > 1
    assert seen[0][3] == np.median(y)
    assert seen[0][4] == pytest.approx(np.abs(y - np.median(y)).sum())


# ---- what is done with the tree --------------------------------------------------------------------------------------


def small():
    return by_median(max_depth=1).fit({"dose": [1, 2, 3, 4, 5]}, pd.Series([1.0, 2.0, 9.0, 8.0, 13.0], name="effect"))


def test_in_print():
    assert str(small()) == (
        "TreeRegressor: effect — 5 rows, 2 leaves, depth 1, training MAE 1.2\n"
        "dose ≤ 2.5: 1.5 [1] (n=2, MAE 0.5)\n"
        "dose > 2.5: 9 [2] (n=3, MAE 1.67)"
    )


def test_in_words():
    model = small()
    assert "median 9" in str(model.explain({"dose": 4}))
    assert [rule.evidence for rule in model.rules()] == ["2 rows, MAE 0.5", "3 rows, MAE 1.67"]
    assert "MAE 1.67" in str(model.rule_set())
    assert model.rule_set().predict({"dose": [4]}).tolist() == [9.0]


def test_saved_and_loaded(tmp_path):
    X, y = mixed()
    model = by_median(missing="stop", max_depth=4).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    for mine, other in zip(model.tree_.arrays(), loaded.tree_.arrays()):
        np.testing.assert_array_equal(mine, other)
    assert str(loaded) == str(model)
    model.rule_set().save(tmp_path / "rules.json")
    assert tw.load(tmp_path / "rules.json") == model.rule_set()


def test_a_file_of_impossible_statistics_is_refused(tmp_path):
    small().save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["tree"]["stats"][0][4] = -1.0
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFileError, match="negative"):
        tw.load(tmp_path / "model.json")


def test_rows_held_out_lose_their_distance():
    X, y = mixed()
    model = by_median(max_depth=4).fit(X, y)
    other, other_y = mixed(seed=1)
    found = losses_at_nodes(model, labelled(other, other_y, is_classifier=False))
    by_node = model.decision_path(other).toarray()
    error = np.abs(other_y[:, None] - model.tree_.value[:, 0])
    np.testing.assert_allclose(found.weight, by_node.sum(0))
    np.testing.assert_allclose(found.loss, (by_node * error).sum(0))
    np.testing.assert_allclose(found.square, (by_node * error**2).sum(0))


@pytest.mark.parametrize(("method", "options"), [("cost-complexity", {"rule": "0se"}), ("reduced-error", {})])
def test_pruning_with_held_out_rows(method, options):
    X, y = mixed(300)
    other, other_y = mixed(300, seed=1)
    model = by_median().fit(X, y)
    pruned = model.prune(method, other, other_y, **options)
    assert 1 < pruned.tree_.n_leaves < model.tree_.n_leaves
    assert absolute_error(pruned, other, other_y) < absolute_error(model, other, other_y)
    assert pruned.tree_.leaf is LeafKind.MEDIANS


@pytest.mark.parametrize("method", ["critical-value", "depth", "leaves", "merge-same"])
def test_pruning_without_rows(method):
    X, y = mixed()
    model = by_median().fit(X, y)
    options = {"critical-value": {"value": 0.2}, "depth": {"depth": 2}, "leaves": {"leaves": 6}, "merge-same": {}}
    pruned = model.prune(method, **options[method])
    assert pruned.tree_.n_leaves <= model.tree_.n_leaves
    before, after = pruned.pruned_.training_error
    assert after >= before
    assert after == pytest.approx(absolute_error(pruned, X, y))


def test_pruning_methods_compared_by_absolute_errors():
    X, y = mixed()
    model = by_median(min_rows_leaf=4).fit(X, y)
    rows = tw.prune.compare(model, X, y, ["cost-complexity"], cv=3).rows
    whole = next(row for row in rows if row.method == "unpruned")
    assert whole.training_error == pytest.approx(absolute_error(model, X, y))
    assert 0.3 * whole.training_error < whole.validation_error < 10 * whole.training_error


def test_pruning_by_cross_validation():
    X, y = diabetes()
    pruned = by_median(min_rows_leaf=5).fit(X, y).prune("cost-complexity", cv=5)
    assert 1 < pruned.tree_.n_leaves < 30
