"""Which cases the next tree of a boosted C5.0 is grown from."""

import numpy as np
import pytest

import treewright as tw
from treewright.c50.boosting import Booster


@pytest.mark.parametrize(("n_cases", "lowest", "left_out"), [(4002, 0.15, 2), (4002, 0.3, 1), (4001, 0.15, 1)])
def test_light_cases_of_large_tables_are_left_out_once_weights_may_be_low(n_cases, lowest, left_out):
    weights = np.ones(n_cases)
    weights[:3] = 0.0, 0.1505, 0.152  # dropped, as light as can be, hardly heavier
    booster = Booster(np.zeros(n_cases, np.int64), weights, 2, 10, True, lowest)
    assert np.array_equal(booster.growing(), np.flatnonzero(weights > 0)[left_out - 1 :])


def test_columns_of_very_many_levels_are_tested_only_if_all_are_or_levels_are_grouped():
    """Without groups a column of values for a third of the rows is left out."""
    label = np.repeat(["a", "b"], 20)
    many = [f"v{k // 3}" for k in range(20)] + [f"w{k // 3}" for k in range(20)]  # 14 levels of 40 rows
    weak = np.where(np.arange(40) % 5 == 0, np.repeat(["no", "yes"], 20), np.repeat(["yes", "no"], 20))
    for subset, other, is_tested in ((True, {"weak": weak}, True), (False, {}, True), (False, {"weak": weak}, False)):
        tree = tw.C50Classifier(subset=subset).fit({"many": many, **other}, label).tree_
        assert (tree.n_leaves > 1 and tree.root.split.column == 0) == is_tested
