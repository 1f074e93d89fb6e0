from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table, same_trees

ALONE = {"n_trees": 1, "bootstrap": False, "max_columns": None}


@pytest.mark.parametrize("options", [{}, {"max_leaves": 5}, {"criterion": "entropy"}, {"class_weight": "balanced"}])
def test_one_tree_of_all_rows_and_columns_is_the_cart_tree(options):
    X, y = mixed_table()
    forest = tw.RandomForestClassifier(**ALONE, **options).fit(X, y)
    tree = tw.CARTClassifier(**options).fit(X, y)
    assert all(np.array_equal(a, b) for a, b in zip(forest.trees_[0].arrays(), tree.tree_.arrays()))
    assert str(forest[0]) == str(tree)
    np.testing.assert_array_equal(forest.predict_proba(X), tree.predict_proba(X))


def test_one_tree_of_numbers_is_the_cart_tree():
    forest = tw.RandomForestRegressor(**ALONE).fit(DIABETES, PROGRESSION)
    tree = tw.CARTRegressor().fit(DIABETES, PROGRESSION)
    assert all(np.array_equal(a, b) for a, b in zip(forest.trees_[0].arrays(), tree.tree_.arrays()))


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.ExtraTreesClassifier])
def test_any_number_of_threads_makes_the_same_forest(kind):
    X, y = mixed_table()
    one, four = (kind(n_trees=6, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 4))
    assert same_trees(one, four)
    np.testing.assert_array_equal(one.predict_proba(X), four.predict_proba(X))


def test_a_seed_makes_the_same_forest_and_another_seed_another():
    X, y = mixed_table()
    first, again, other = (tw.RandomForestClassifier(n_trees=4, random_state=s).fit(X, y) for s in (1, 1, 2))
    assert same_trees(first, again)
    assert not same_trees(first, other)
    assert same_trees(tw.RandomForestClassifier(n_trees=2).fit(X, y), tw.RandomForestClassifier(n_trees=2).fit(X, y))


def test_trees_that_are_added_are_those_of_a_single_fit():
    X, y = mixed_table()
    whole = tw.RandomForestClassifier(n_trees=8, random_state=3).fit(X, y)
    grown = tw.RandomForestClassifier(n_trees=3, random_state=3, warm_start=True).fit(X, y)
    grown.set_params(n_trees=8).fit(X, y)
    assert same_trees(whole, grown)
    np.testing.assert_array_equal(whole.oob_curve_, grown.oob_curve_)
    with pytest.raises(tw.OptionError, match="n_trees=2 is less than the 8"):
        grown.set_params(n_trees=2).fit(X, y)
    with pytest.raises(tw.DataError, match="these are others"):
        grown.set_params(n_trees=9).fit(X[:50], y[:50])


def test_trees_are_added_by_a_generator_as_by_its_seed():
    X, y = mixed_table()
    whole = tw.RandomForestClassifier(n_trees=8, random_state=np.random.RandomState(3)).fit(X, y)
    grown = tw.RandomForestClassifier(n_trees=3, random_state=np.random.RandomState(3), warm_start=True).fit(X, y)
    grown.set_params(n_trees=8).fit(X, y)
    assert same_trees(whole, grown)
    np.testing.assert_array_equal(whole.oob_curve_, grown.oob_curve_)


@pytest.mark.parametrize(
    "change", [{"random_state": 1}, {"row_share": 0.5}, {"bootstrap": False}, {"stratify": True}], ids=str
)
def test_trees_that_are_added_are_drawn_alike(change):
    """Which rows the others left out would be forgotten, and the out-of-bag error be wrong."""
    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=3, warm_start=True).fit(X, y)
    with pytest.raises(tw.OptionError, match=f"of these {next(iter(change))} was another"):
        forest.set_params(n_trees=5, **change).fit(X, y)
    assert len(forest) == 3


def test_members_of_another_kind_are_not_added():
    X, y = mixed_table()
    bag = tw.BaggingClassifier(tw.C45Classifier(), n_trees=2, warm_start=True).fit(X, y)
    for member in (tw.CARTClassifier(), tw.C45RulesClassifier()):
        with pytest.raises(tw.OptionError, match="like those that are there, which are of C45Classifier"):
            bag.set_params(n_trees=3, member=member).fit(X, y)
    assert len(bag) == 2


def test_the_prediction_is_the_mean_of_the_trees():
    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=7).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X), np.mean([tree.predict_proba(X) for tree in forest], axis=0))
    numbers = tw.RandomForestRegressor(n_trees=7).fit(DIABETES, PROGRESSION)
    np.testing.assert_allclose(numbers.predict(DIABETES), np.mean([tree.predict(DIABETES) for tree in numbers], axis=0))


def test_members_are_ordinary_trees():
    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=3).fit(X, y)
    tree = forest[1]
    assert isinstance(tree, tw.CARTClassifier)
    assert "colour" in str(tree)
    assert str(tree.explain({"colour": "red", "size": 0.1, "noise": 0.0})).startswith("start")
    assert tree.prune("cost-complexity", alpha=0.05).tree_.n_leaves < tree.tree_.n_leaves
    np.testing.assert_array_equal(forest.apply(X)[:, 1], tree.apply(X))
    assert [len(part.tree_.column) for part in forest[0:2]] == [tree.n_nodes for tree in forest.trees_[:2]]


def test_monotone_forests_are_monotone():
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 2))
    y = np.where(x[:, 0] + random.normal(size=300) > 0, 1, 0)
    forest = tw.RandomForestClassifier(n_trees=10, monotone={"x0": 1}, max_columns=None).fit(x, y)
    along = np.column_stack([np.linspace(-2, 2, 50), np.zeros(50)])
    assert (np.diff(forest.predict_proba(along)[:, 1]) >= -1e-12).all()


def test_costs_and_weights_move_the_prediction():
    X, y = mixed_table()
    plain = tw.RandomForestClassifier(n_trees=20, max_depth=2).fit(X, y)
    careful = tw.RandomForestClassifier(n_trees=20, max_depth=2, costs={("yes", "no"): 20}).fit(X, y)
    weighty = tw.RandomForestClassifier(n_trees=20, max_depth=2).fit(X, y, sample_weight=np.where(y == "yes", 20, 1))
    assert (careful.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    assert (weighty.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()


def test_a_balanced_bootstrap_finds_the_rare_class():
    random = np.random.default_rng(0)
    x = random.normal(size=(600, 2))
    y = (x[:, 0] + random.normal(size=600) > 2.2).astype(int)
    plain, balanced = (
        tw.RandomForestClassifier(n_trees=30, stratify=by, max_columns=None).fit(x, y) for by in (False, "balanced")
    )
    assert (balanced.predict(x[y == 1]) == 1).mean() >= (plain.predict(x[y == 1]) == 1).mean()
    np.testing.assert_allclose(balanced.trees_[0].stats[0, 0], balanced.trees_[0].stats[0, 1])


def test_histograms():
    forest = tw.RandomForestClassifier(n_trees=5, engine="histogram").fit(IRIS, SPECIES)
    assert forest.score(IRIS, SPECIES) > 0.95


def test_the_columns_that_nodes_test_are_drawn_evenly():
    """Of columns that all say the same, each is the root's as often as any other."""
    random = np.random.default_rng(0)
    x = random.integers(0, 2, 60)
    forest = tw.RandomForestClassifier(n_trees=600, max_columns=2, max_depth=1, bootstrap=False, oob=False)
    forest.fit(np.column_stack([x] * 6), x)
    roots = np.bincount([tree.column[0] for tree in forest.trees_], minlength=6)
    from scipy.stats import chisquare

    assert chisquare(roots).pvalue > 1e-4


# ---- out of bag ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [True, False])
def test_out_of_bag_predictions_are_those_of_the_trees_that_left_rows_out(classes):
    if classes:
        forest, (X, y) = tw.RandomForestClassifier(n_trees=12), (IRIS, SPECIES)
    else:
        forest, (X, y) = tw.RandomForestRegressor(n_trees=12), (DIABETES, PROGRESSION)
    forest.fit(X, y)
    training = forest._rows_again("a test", X, y, None)
    draws = forest._draws()
    total, times = np.zeros((len(y), 3 if classes else 1)), np.zeros(len(y))
    for k, tree in enumerate(forest):
        rows = draws.left_out(training, k)
        total[rows] += tree.predict_proba(X[rows]) if classes else tree.predict(X[rows])[:, None]
        times[rows] += 1
    with np.errstate(invalid="ignore"):
        wanted = total / times[:, None]
    found = forest.oob_predictions_ if classes else forest.oob_predictions_[:, None]
    np.testing.assert_allclose(found, wanted)
    known = times > 0
    if classes:
        assert forest.oob_error_ == pytest.approx((wanted[known].argmax(1) != y[known]).mean())
        assert forest.oob_evaluation().confusion.sum() == known.sum()
        assert forest.oob_evaluation().error == pytest.approx(forest.oob_error_)
    else:
        assert forest.oob_error_ == pytest.approx(np.sqrt(((wanted[known, 0] - y[known]) ** 2).mean()))
    assert len(forest.oob_curve_) == 12
    assert forest.oob_curve_[-1] == forest.oob_error_


def test_out_of_bag_errors_are_honest():
    """On a target of chance the forest knows its training rows by heart, and its out-of-bag error tells."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(300, 4)), random.integers(0, 2, 300)
    forest = tw.RandomForestClassifier(n_trees=40).fit(X, y)
    assert forest.score(X, y) > 0.95
    assert 0.4 < forest.oob_error_ < 0.6


def test_rows_that_do_not_count_are_no_rows():
    X, y = mixed_table()
    weights = np.ones(len(y))
    weights[:20] = 0
    forest = tw.RandomForestClassifier(n_trees=5).fit(X, y, sample_weight=weights)
    assert forest.n_rows_ == 180
    assert len(forest.oob_predictions_) == 180
    assert same_trees(forest, tw.RandomForestClassifier(n_trees=5).fit(X[20:], y[20:]))


def test_there_is_nothing_out_of_bag_without_a_draw():
    forest = tw.ExtraTreesClassifier(n_trees=3).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match="no out-of-bag predictions"):
        _ = forest.oob_error_
    assert "out-of-bag" not in str(forest)
