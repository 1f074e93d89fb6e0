from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table, play_tennis

MEMBERS = [
    tw.CARTClassifier(), tw.C45Classifier(), tw.C45Classifier(prune="reduced-error"), tw.ID3Classifier(max_depth=3),
    tw.CHAIDClassifier(), tw.TreeClassifier(splits="multiway"), tw.C45RulesClassifier(),
    tw.RandomForestClassifier(n_trees=2), tw.AdaBoostClassifier(n_rounds=2), tw.C50Classifier(),
]  # fmt: skip


@pytest.mark.parametrize("member", MEMBERS, ids=repr)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_any_classifier_is_bagged(member):
    X, y = mixed_table()
    bag = tw.BaggingClassifier(member, n_trees=3).fit(X, y)
    assert [type(one) for one in bag] == [type(member)] * 3
    assert bag.score(X, y) > 0.6
    np.testing.assert_allclose(bag.predict_proba(X), np.mean([one.predict_proba(X) for one in bag], axis=0))
    assert 0 < bag.oob_error_ < 0.6
    np.testing.assert_array_equal(bag.predict(X), tw.BaggingClassifier(member, n_trees=3).fit(X, y).predict(X))


@pytest.mark.parametrize(
    "member", [tw.CARTRegressor(), tw.CHAIDRegressor(), tw.RandomForestRegressor(n_trees=2), tw.M5Regressor()]
)
def test_any_regressor_is_bagged(member):
    bag = tw.BaggingRegressor(member, n_trees=3, row_share=0.7, bootstrap=False).fit(DIABETES, PROGRESSION)
    assert bag.score(DIABETES, PROGRESSION) > 0.2
    np.testing.assert_allclose(bag.predict(DIABETES), np.mean([one.predict(DIABETES) for one in bag], axis=0))


def test_a_member_of_the_whole_table_is_the_learner():
    X, y = mixed_table()
    for member in (
        tw.C45Classifier(), tw.C45RulesClassifier(), tw.SearchTreeClassifier(cv=3),
        tw.CARTClassifier(prune="cost-complexity"), tw.CARTClassifier(prune="reduced-error"),
    ):  # fmt: skip
        bag = tw.BaggingClassifier(member, n_trees=1, bootstrap=False).fit(X, y)
        assert str(bag[0]) == str(clone(member).fit(X, y))
    numbers = tw.SearchTreeRegressor(cv=3)
    bag = tw.BaggingRegressor(numbers, n_trees=1, bootstrap=False).fit(DIABETES, PROGRESSION)
    assert str(bag[0]) == str(clone(numbers).fit(DIABETES, PROGRESSION))


@pytest.mark.parametrize(
    "member", [tw.C50Classifier(), tw.RandomForestClassifier(n_trees=3), tw.BaggingClassifier(n_trees=2)], ids=repr
)
def test_costs_of_members_decide(member):
    """However the members are made, the class of least cost is predicted."""
    X, y = mixed_table()
    costs = {("no", "yes"): 30.0}
    inner = tw.CARTClassifier(costs=costs, min_rows_leaf=20)
    is_bag = isinstance(member, tw.BaggingClassifier)
    member = clone(member).set_params(**({"member": inner} if is_bag else {"costs": costs}))
    bag = tw.BaggingClassifier(member, n_trees=1).fit(X, y)
    assert (bag.predict(X) == "no").mean() > (
        tw.BaggingClassifier(type(member)(), n_trees=1).fit(X, y).predict(X) == "no"
    ).mean()
    np.testing.assert_array_equal(bag.predict(X), bag[0].predict(X))


def test_votes_are_counted():
    X, y = mixed_table()
    bag = tw.BaggingClassifier(n_trees=7, voting="votes").fit(X, y)
    said = np.stack([tree.predict(X) for tree in bag])
    np.testing.assert_allclose(bag.predict_proba(X)[:, 1], (said == "yes").mean(0))


def test_votes_are_spread_as_the_rows_are():
    """Of a coin that no column explains, stumps of bootstraps vote for a side as often as bootstraps favour it."""
    y = np.repeat([0, 1], 30)
    bag = tw.BaggingClassifier(tw.CARTClassifier(max_depth=0), n_trees=600, oob=False).fit(np.zeros((60, 1)), y)
    votes = np.array([tree.stats[0, 1] > tree.stats[0, 0] for tree in bag.trees_])
    ties = np.array([tree.stats[0, 1] == tree.stats[0, 0] for tree in bag.trees_])
    counted = [votes.sum(), (~votes & ~ties).sum()]
    assert chisquare(counted).pvalue > 1e-4
    assert 0.05 < ties.mean() < 0.16  # C(60, 30) / 2**60 = 0.103


@pytest.mark.parametrize("member", [tw.CARTClassifier(), tw.C45RulesClassifier()])
def test_members_see_a_share_of_the_columns(member):
    bag = tw.BaggingClassifier(member, n_trees=6, column_share=0.5).fit(IRIS, SPECIES)
    assert bag.score(IRIS, SPECIES) > 0.8
    if hasattr(bag.members_, "trees"):
        used = [set(tree.columns_used.tolist()) for tree in bag.trees_]
        assert all(len(columns) <= 2 for columns in used)
        assert len(set(map(frozenset, used))) > 1


def test_play_tennis_by_hand():
    """Fourteen rows, drawn by the seed; the class shares of a stump's leaves are those of the rows that were drawn."""
    X, y = play_tennis()
    bag = tw.BaggingClassifier(tw.CARTClassifier(max_depth=0), n_trees=2).fit(X, y)
    training, draws = bag._rows_again("a test", X, y, None), bag._draws()
    for k, tree in enumerate(bag):
        counts = draws.counts(training, k)
        drawn = np.repeat(np.array(y), counts)
        assert tree.tree_.stats[0].tolist() == [(drawn == "No").sum(), (drawn == "Yes").sum()]


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.BaggingClassifier, tw.ExtraTreesRegressor])
def test_no_trees(kind):
    with pytest.raises(tw.OptionError, match="n_trees=0 is not accepted"):
        kind(n_trees=0).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match="n_rounds=0 is not accepted"):
        tw.AdaBoostClassifier(n_rounds=0).fit(IRIS, SPECIES)


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        (KNeighborsClassifier(), "is no learner of treewright"),
        (tw.CARTClassifier, "is no learner of treewright"),
        (tw.Discretizer(), "is no learner of treewright"),
        (tw.CARTRegressor(), "predicts a number"),
        ("cart", "is no learner of treewright"),
    ],
    ids=["of another library", "a class", "no learner", "numbers", "text"],
)
def test_members_that_cannot_be(member, problem):
    for kind in (tw.BaggingClassifier, tw.AdaBoostClassifier):
        with pytest.raises(tw.OptionError, match=problem):
            kind(member).fit(IRIS, SPECIES)


def test_a_bootstrap_of_one_class():
    """A tree of it predicts that class; learners that refuse one class draw again."""
    X, y = {"x": list(range(12))}, ["rare"] + ["common"] * 11
    forest = tw.RandomForestClassifier(n_trees=20).fit(X, y)
    alone = [tree for tree in forest if tree.tree_.stats[0].min() == 0]
    assert alone
    assert all((tree.predict(X) == "common").all() for tree in alone)
    rules = tw.BaggingClassifier(tw.C45RulesClassifier(), n_trees=5).fit(X, y)
    assert len(rules) == 5
    with pytest.raises(tw.DataError, match="draws of the rows had a single class"):
        tw.BaggingClassifier(tw.C45RulesClassifier(), n_trees=1, bootstrap=False, row_share=0.05).fit(X, y)


def test_one_class_and_one_row():
    with pytest.raises(tw.DataError, match="only one class"):
        tw.RandomForestClassifier().fit({"x": [1, 2]}, ["a", "a"])
    with pytest.raises(tw.DataError, match="only one class"):
        tw.RandomForestClassifier().fit({"x": [1]}, ["a"])
    numbers = tw.RandomForestRegressor(n_trees=3).fit({"x": [1]}, [5.0])
    assert numbers.predict({"x": [9]}).tolist() == [5.0]
    assert np.isnan(numbers.oob_error_)
    assert "out-of-bag" not in str(numbers)


def test_a_bound_of_memory():
    X, y = mixed_table()
    with pytest.raises(tw.DataError, match=r"\d+ of 100 trees take .* MB, and max_megabytes=0.05"):
        tw.RandomForestClassifier(max_megabytes=0.05).fit(X, y)
    assert len(tw.RandomForestClassifier(n_trees=5, max_megabytes=50).fit(X, y)) == 5


def test_models_have_no_bound_of_memory():
    with pytest.raises(tw.OptionError, match="the members are models of KNNClassifier"):
        tw.BaggingClassifier(tw.KNNClassifier(), n_trees=2, max_megabytes=1).fit(IRIS, SPECIES)


@pytest.mark.parametrize("member", [tw.CARTClassifier(), tw.C45RulesClassifier()], ids=repr)
def test_levels_that_training_did_not_have_are_refused_if_asked(member):
    """By all rows of the fit: a level may be in few of them, and not in those of a member."""
    X, y = mixed_table()
    X.loc[0, "colour"] = "black"
    bag = tw.BaggingClassifier(member, n_trees=3, unseen="error").fit(X, y)
    assert len(bag.predict(X)) == len(X)
    with pytest.raises(tw.DataError, match="holds the level 'white'"):
        bag.predict(X.assign(colour="white"))


def test_a_stopped_fit_leaves_the_model_as_it_was(monkeypatch):
    """Ctrl-C after some trees: nothing is kept of them, and a model that was fitted stays so."""
    from treewright.ensemble import member_progress

    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=3).fit(X, y)
    before = forest.members_

    def stop(self, members=1):
        self.done += members
        if self.done >= 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(member_progress.MemberBar, "__call__", stop)
    with pytest.raises(KeyboardInterrupt):
        forest.set_params(n_trees=50, progress=True).fit(X, y)
    assert forest.members_ is before
    fresh = tw.RandomForestClassifier(n_trees=50, progress=True)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, y)
    assert not hasattr(fresh, "members_")


@pytest.mark.parametrize(
    ("option", "value"),
    [("row_share", 0), ("stratify", "evenly"), ("max_columns", 0), ("max_columns", 1.5), ("max_columns", "half")],
)
def test_options_that_make_no_sense(option, value):
    with pytest.raises(tw.OptionError, match=f"{option}=.* is not accepted"):
        tw.RandomForestClassifier(**{option: value}).fit(IRIS, SPECIES)


def test_progress_says_how_much_time_is_left():
    import io

    from treewright.ensemble.member_progress import MemberBar

    now, stream = [0.0], io.StringIO()
    with MemberBar(10, "forest", stream, clock=lambda: now[0]) as bar:
        now[0] = 4.0
        bar(4)
        now[0] = 1000.0
        bar(1)
        bar(5)
    lines = stream.getvalue().split("\r")
    assert "4 of 10, 6 s left" in lines[2]
    assert "5 of 10, 17 min left" in lines[3]
    assert "10 of 10" in lines[4]
    assert "left" not in lines[4]


@pytest.mark.parametrize("member", [tw.KNNClassifier(k=1), tw.CARTClassifier()], ids=repr)
def test_members_that_drew_every_row_say_nothing_out_of_bag(member):
    """Of three rows one draw in five has them all."""
    bag = tw.BaggingClassifier(member, n_trees=20, random_state=0).fit({"x": [1.0, 2.0, 3.0]}, list("aab"))
    assert len(bag.oob_curve_) == len(bag) == 20
