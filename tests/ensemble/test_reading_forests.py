"""From many trees to one, to rules, and to rows that are near."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table

FOREST = tw.RandomForestClassifier(n_trees=15).fit(IRIS, SPECIES)
NUMBERS = tw.RandomForestRegressor(n_trees=15).fit(DIABETES, PROGRESSION)


# ---- one tree --------------------------------------------------------------------------------------------------------


def test_a_small_tree_says_what_the_forest_says():
    found = FOREST.distill(max_leaves=4)
    assert isinstance(found.tree, tw.CARTClassifier)
    assert found.tree.tree_.n_leaves <= 4
    assert found.fidelity > 0.9
    assert found.forest_error == pytest.approx(FOREST.oob_error_)
    assert found.error < 0.1
    assert str(found).startswith("fidelity: ")
    assert FOREST.distill(max_leaves=30).fidelity >= found.fidelity


def test_distilling_numbers_and_test_rows():
    X, y = DIABETES[:100], PROGRESSION[:100]
    model = tw.RandomForestRegressor(n_trees=30).fit(X, y)
    found = model.distill(max_leaves=8, X_test=DIABETES[100:], y_test=PROGRESSION[100:])
    assert found.measured_on == "50 test rows"
    assert 0.3 < found.fidelity <= 1
    wanted = ((model.predict(DIABETES[100:]) - PROGRESSION[100:]) ** 2).mean()
    assert found.forest_error == pytest.approx(wanted)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda table: table])
def test_distilling_tables_of_any_kind(make):
    frame, y = mixed_table()
    table = {name: [None if cell != cell else cell for cell in frame[name].tolist()] for name in frame}
    model = tw.RandomForestClassifier(n_trees=10).fit(make(table), y)
    found = model.distill(max_leaves=6, X=make(table), y=y)
    assert found.fidelity > 0.7
    assert "colour" in str(found.tree)


def test_synthetic_rows_are_made_of_rows_that_share_a_leaf():
    from treewright.ensemble.distillation import rows_by_cell, synthetic_cells

    training = FOREST._rows_again("a test", IRIS, SPECIES, None)
    made = rows_by_cell(training.frame, synthetic_cells(FOREST, training, 200, 0)).matrix
    assert made.shape == (200, 4)
    assert all(np.isin(made[:, j], IRIS[:, j]).all() for j in range(4))
    assert len(np.unique(np.concatenate([made, IRIS]), axis=0)) > len(np.unique(IRIS, axis=0))


def test_the_representative_predicts_most_as_the_others_do():
    member = FOREST.representative()
    agreement = [np.mean([(one.predict(IRIS) == other.predict(IRIS)).mean() for other in FOREST]) for one in FOREST]
    mine = np.mean([(member.predict(IRIS) == other.predict(IRIS)).mean() for other in FOREST])
    assert mine == pytest.approx(max(agreement))
    distances = [((tree.predict(DIABETES) - NUMBERS.predict(DIABETES)) ** 2).mean() for tree in NUMBERS]
    closest = NUMBERS.representative(DIABETES)
    assert ((closest.predict(DIABETES) - NUMBERS.predict(DIABETES)) ** 2).mean() == pytest.approx(min(distances))


# ---- rules -----------------------------------------------------------------------------------------------------------


def test_few_rules_carry_most_votes():
    found = FOREST.rules(top=4)
    assert 1 <= len(found) <= 4
    assert found.fidelity > 0.9
    first = found.rules[0]
    assert 0.2 < first.coverage < 0.8
    assert first.votes > 0.9
    assert 0 < first.frequency <= 1
    assert 0 <= first.stability <= 1
    assert str(found).splitlines()[1].startswith("[1] if ")
    predicted = found.rule_set.predict(IRIS)
    assert (predicted == FOREST.predict(IRIS)).mean() == pytest.approx(found.fidelity)


def test_rules_say_what_their_rows_are():
    from treewright.ensemble.forest_rules import meets

    X, y = mixed_table()
    forest = tw.RandomForestClassifier(n_trees=30, max_columns=None).fit(X, y)
    training = forest._rows_again("a test", X, y, None)
    found, left = forest.rules(top=5), np.ones(len(y), bool)
    assert len(found) > 1
    for one in found:
        mine = meets(one.rule.conditions, training.matrix, forest.schema_) & left
        assert mine.mean() == pytest.approx(one.coverage)
        assert (training.y[mine] == one.rule.stats.index(max(one.rule.stats))).mean() == pytest.approx(one.accuracy)
        left &= ~mine


def test_cuts_of_rules_are_short_numbers():
    """Four tenths of the widths of petals are up to 1.16, which a computer finds to be 1.1600000000000001."""
    width = IRIS[:, 3]
    forest = tw.RandomForestClassifier(n_trees=3).fit({"width": width}, width > 1.15)
    assert "width ≤ 1.16 " in str(forest.rules(top=2))
    assert (forest.rules(top=2).rule_set.predict({"width": width}) == (width > 1.15)).all()


def test_rules_of_numbers():
    found = NUMBERS.rules(top=5, max_conditions=2)
    assert found.fidelity > 0.2
    assert all(one.votes is None and len(one.rule.conditions) <= 2 for one in found)
    assert "otherwise y = " in str(found)


# ---- proximities -----------------------------------------------------------------------------------------------------


def test_proximities_are_shares_of_trees():
    near = FOREST.proximity(IRIS[:20], IRIS).toarray()
    leaves = FOREST.apply(IRIS)
    wanted = (leaves[:20, None, :] == leaves[None, :, :]).mean(-1)
    np.testing.assert_allclose(near, wanted)
    assert near[:, :50].mean() > 0.5 > 0.1 > near[:, 50:].mean()


def test_a_row_among_others_of_another_class_is_an_outlier():
    X = np.concatenate([IRIS, IRIS[:1]])
    y = np.append(SPECIES, 2)
    scores = tw.RandomForestClassifier(n_trees=50).fit(IRIS, SPECIES).outliers(X, y)
    assert scores.argmax() == 150
    assert scores[150] > 10
    assert NUMBERS.outliers(DIABETES).shape == (150,)


def test_prototypes_stand_for_their_class():
    found = FOREST.prototypes(IRIS, SPECIES)
    assert [one.label for one in found] == [0, 1, 2]
    assert all(SPECIES[one.row] == one.label and one.share > 0.8 for one in found)
    assert found[0].values["x2"] < found[1].values["x2"] < found[2].values["x2"]
    X, y = mixed_table()
    assert tw.RandomForestClassifier(n_trees=5).fit(X, y).prototypes(X, y)[0].values["colour"] in (
        "red",
        "green",
        "blue",
    )
    with pytest.raises(tw.OptionError, match="prototypes are of classes"):
        NUMBERS.prototypes(DIABETES, PROGRESSION)


def test_models_without_trees_have_no_leaves():
    bag = tw.BaggingClassifier(tw.C45RulesClassifier(), n_trees=2).fit(IRIS, SPECIES)
    with pytest.raises(tw.OptionError, match="as models, not as trees"):
        bag.proximity(IRIS)
    assert bag.distill(max_leaves=4).fidelity > 0.8
    assert "if" in str(bag.representative())
