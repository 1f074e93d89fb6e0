"""Rules of M5': what is printed for their cuts, and rows that are explained however they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.explain.region import Interval


def table() -> tuple[pd.DataFrame, pd.Series]:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"size": random.normal(size=150).round(3), "level": random.choice(["u", "v"], 150)})
    return X, X["size"].abs() * 4 + (X.level == "v") + random.normal(size=150) / 10


def test_short_numbers_are_printed_that_separate_the_same_rows():
    X, y = table()
    rules = tw.M5RulesRegressor().fit(X, y).rule_set_
    ends = [(one, part) for rule in rules for one in rule.conditions for part in one.intervals]
    assert ends
    for condition, interval in ends:
        shown = Interval(*interval.in_print)
        assert max(len(str(end)) for end in interval.in_print if end is not None) <= 8, condition.words
        assert [interval.has(x) for x in X["size"]] == [shown.has(x) for x in X["size"]]
    assert "0000000" not in str(rules)
    assert "9999999" not in str(rules)


@pytest.mark.parametrize("given", ["frame", "series", "dict", "list"])
def test_a_row_is_explained_however_it_is_given(given):
    X, y = table()
    model = tw.M5RulesRegressor().fit(X, y)
    row = {"frame": X.iloc[[3]], "series": X.iloc[3], "dict": X.iloc[3].to_dict(), "list": list(X.iloc[3])}[given]
    assert str(model.explain(row)) == str(model.explain(X[3:4]))
