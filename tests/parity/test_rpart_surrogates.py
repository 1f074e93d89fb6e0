"""The surrogates of every node of the trees that rpart grew, as stored, on tables with and without missing values.

Compared are the nodes where the rows, and the split, are the same: rounding decides between columns that tie (see
``test_rpart.py``), and the surrogates of another split are others.
"""

from __future__ import annotations

import numpy as np
import pytest

import stored
from stored_rpart import estimator

TIED = {  # nodes where we split otherwise, and those below
    "airquality__anova_cp0_ms2": 4,
    "auto_mpg__anova_cp0_ms2": 27,
    "boston_housing__anova_cp0_ms2": 104,
    "car_test_frame__anova_cp0_ms2": 2,
    "cpu__anova_cp0_ms2": 8,
    "credit_g__gini_cp0_ms2": 3,
    "cu_summary__anova_cp0_ms2": 3,
    "mtcars__anova_cp0_ms2": 8,
    "penguins__gini_cp0_ms2": 2,
    "soybean__gini": 9,
    "wine_red__anova_cp0_ms2": 72,
}
LEFT, ABSENT = 1, 2  # as rpart writes the side of a level; the right one is 3


def has_splits(name: str) -> bool:
    golden = stored.compare().golden(str(stored.ORACLES / "golden" / "rpart" / f"{name}.json"))
    return golden["leaves"] > 1


def load(path):
    """rpart leaves out rows that miss every value."""
    golden = stored.compare().golden(str(path))
    data, tag = stored.compare().load(golden["dataset"]), stored.tag_of(path.stem)
    X, y = stored.table_of(data, ordered=tag.endswith("ordered")), stored.target_of(data)
    some = ~X.isna().all(axis=1).to_numpy()
    model = estimator(data, tag).set_params(surrogates="rpart").fit(X[some], y[some])
    return golden, model, X[some].reset_index(drop=True), np.array(golden["where"])[-some.sum() :]


def is_below(leaf: int, node: int) -> bool:
    while leaf > node:
        leaf //= 2
    return leaf == node


def nodes_of(golden: dict):
    """Every split node with its column and the places of its surrogates in the list of splits."""
    frame, place = golden["frame"], 0
    for node, var, competitors, surrogates in zip(*(frame[k] for k in ("node", "var", "ncompete", "nsurrogate"))):
        if var != "<leaf>":
            first = place + 1 + competitors
            yield node, var, range(first, first + surrogates)
            place = first + surrogates


@pytest.mark.parametrize("path", stored.cases("rpart", has_splits))
def test_same_surrogates_at_every_node(path):
    golden, model, X, where = load(path)
    assert len(where) == len(X)
    reached = np.asarray(model.decision_path(X).todense(), bool)
    ours = {reached[:, v].tobytes(): v for v in range(model.tree_.n_nodes)}
    splits, compared = golden["splits"], 0

    def ours_at(node):
        return ours.get(np.array([is_below(leaf, node) for leaf in where]).tobytes())

    for node, var, places in nodes_of(golden):
        v, left = ours_at(node), ours_at(2 * node)
        if v is None or left is None or X.columns[model.tree_.column[v]] != var:
            continue
        expected = [(splits["var"][i], splits["improve"][i], splits["adj"][i]) for i in places]
        found = {X.columns[s.split.column]: s for s in model.tree_.node(v).surrogates}
        assert sorted(found) == sorted(name for name, *_ in expected)
        np.testing.assert_allclose([s.agreement for s in found.values()], [e[1] for e in expected], rtol=1e-6)
        np.testing.assert_allclose([s.adjusted for s in found.values()], [e[2] for e in expected], rtol=1e-5, atol=1e-9)
        goes_left = model.tree_.node(left).branch
        for i in places:
            name = splits["var"][i]
            if X[name].dtype == "category" and not X[name].cat.ordered:
                check_levels(
                    golden["csplit"][int(splits["index"][i]) - 1], found[name].split, X[name], model, goes_left
                )
        compared += 1
    assert compared == golden["leaves"] - 1 - TIED.get(path.stem, 0)


def check_levels(sides, split, cells, model, goes_left) -> None:
    named = {level: side for level, side in zip(cells.cat.categories, sides) if side != ABSENT}
    levels = model.schema_.columns[split.column].levels
    found = {level: branch == goes_left for level, branch in zip(levels, split.branch_of[1:]) if branch >= 0}
    assert found == {level: side == LEFT for level, side in named.items()}
