from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table

RANDOM = np.random.default_rng(0)


def many_values_table(n_rows=300):
    """A column of two values that matters, and one of many values that does not."""
    useful = RANDOM.integers(0, 2, n_rows)
    y = np.where(RANDOM.random(n_rows) < 0.25, 1 - useful, useful)
    return {"useful": useful, "many": RANDOM.normal(size=n_rows)}, y


def test_gains_favour_columns_of_many_values_and_permutation_does_not():
    X, y = many_values_table()
    forest = tw.RandomForestClassifier(n_trees=60).fit(X, y)
    gains, permuted, dropped = (forest.importance(how) for how in ("impurity", "permutation", "drop"))
    assert gains["many"] > gains["useful"]
    assert permuted["useful"] > 0.1
    assert permuted["many"] < permuted["useful"] / 2
    assert dropped["useful"] > 0.1
    assert dropped["many"] < 0.02
    np.testing.assert_allclose(gains.means, forest.feature_importances_)


def test_permutation_by_hand():
    """One tree: the rise of its error on the rows it left out, by a permutation of the same seed."""
    from treewright.ensemble.row_draw import member_generator
    from treewright.model.column_reports.importance import PERMUTED

    forest = tw.RandomForestRegressor(n_trees=1, max_columns=None).fit(DIABETES, PROGRESSION)
    rows = forest._draws().left_out(forest._rows_again("a test", None, None, None), 0)
    generator = member_generator(PERMUTED, 0)
    seen, wanted = DIABETES[rows], []
    for column in range(10):
        order, changed = generator.permutation(len(rows)), seen.copy()
        changed[:, column] = seen[order, column]
        before, after = ((forest[0].predict(part) - PROGRESSION[rows]) ** 2 for part in (seen, changed))
        wanted.append((after - before).mean())
    np.testing.assert_allclose(forest.importance("permutation").means, wanted)


def test_columns_that_say_the_same_are_missed_together():
    x = RANDOM.normal(size=300)
    X = {"first": x, "second": x, "noise": RANDOM.normal(size=300)}
    y = (x > 0).astype(int)
    forest = tw.RandomForestClassifier(n_trees=30).fit(X, y)
    alone = forest.importance("drop")
    together = forest.importance("drop", groups={"both": ["first", "second"]})
    assert together.names == ("both", "noise")
    assert together["both"] > 0.3 > alone["first"] + 0.2
    assert forest.importance("permutation", groups={"both": ["first", "second"]})["both"] > 0.3


@pytest.mark.parametrize("how", ["impurity", "permutation"])
def test_words_data_and_names(how):
    X, y = mixed_table()
    found = tw.RandomForestClassifier(n_trees=10).fit(X, y).importance(how)
    assert str(found).splitlines()[0].split()[:2] == ["column", how]
    assert list(found.to_dict()) == ["column", "importance", "standard_error"]
    assert (found.standard_errors >= 0).all()
    assert found.plot().get_xlabel()


def test_rows_that_are_gone_are_passed_again(tmp_path):
    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=5).fit(X, y)
    wanted = forest.importance("permutation")
    forest.save(tmp_path / "forest.json")
    loaded = tw.load(tmp_path / "forest.json")
    with pytest.raises(tw.OptionError, match="needs the rows the model was fitted to, and they are gone"):
        loaded.importance("permutation")
    np.testing.assert_array_equal(loaded.importance("permutation", X, y).means, wanted.means)
    with pytest.raises(tw.OptionError, match="these are others"):
        loaded.importance("permutation", X[:50], y[:50])


def test_rows_are_those_of_the_fit_whatever_becomes_of_the_options(tmp_path):
    """A row that a tree learned from says nothing about it."""
    forest = tw.RandomForestClassifier(n_trees=5, random_state=np.random.RandomState(3)).fit(IRIS, SPECIES)
    found = forest.importance("permutation").means
    np.testing.assert_array_equal(forest.importance("permutation").means, found)
    forest.save(tmp_path / "forest.json")
    for model in (forest.set_params(random_state=9, bootstrap=False, row_share=0.3), tw.load(tmp_path / "forest.json")):
        np.testing.assert_array_equal(model.importance("permutation", IRIS, SPECIES).means, found)


def test_new_rows():
    X, y = mixed_table(400)
    boosted = tw.AdaBoostClassifier(tw.CARTClassifier(max_depth=3), n_rounds=10).fit(X[:200], y[:200])
    with pytest.raises(tw.OptionError, match="permutation importance needs rows"):
        boosted.importance("permutation")
    found = boosted.importance("permutation", X[200:], y[200:], repeats=3)
    assert found["colour"] > found["noise"]
    assert found["size"] > found["noise"]
    bag = tw.BaggingRegressor(n_trees=3).fit(DIABETES[:100], PROGRESSION[:100])
    assert len(bag.importance("permutation", DIABETES[100:], PROGRESSION[100:], new_rows=True, repeats=2).means) == 10


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        ({"g": ["x0", "x9"]}, "unknown column 'x9'"),
        ({"g": ["x0"], "h": ["x0"]}, "is in two groups"),
        ({"x1": ["x0"]}, "has the name of a column outside it"),
        (["x0"], "is not accepted"),
    ],
)
def test_groups_that_make_no_sense(groups, problem):
    forest = tw.RandomForestClassifier(n_trees=2).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match=problem):
        forest.importance("permutation", groups=groups)


def test_unknown_importance():
    forest = tw.RandomForestClassifier(n_trees=2).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match="unknown importance 'permute'"):
        forest.importance("permute")


def test_members_that_are_no_trees_need_rows_of_their_own():
    bag = tw.BaggingClassifier(tw.KNNClassifier(), n_trees=3).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match="new_rows=True"):
        bag.importance("permutation")
    assert bag.importance("permutation", IRIS, SPECIES, new_rows=True)["x2"] > 0
    assert len(bag.importance("drop").names) == 4
