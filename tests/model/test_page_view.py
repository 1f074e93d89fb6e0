"""What a page is told of a model."""

from __future__ import annotations

import treewright as tw
from treewright.model.shown.page_view import page_view


def test_the_first_line_is_that_of_the_print():
    table = tw.datasets.load("six_points")
    model = tw.CARTClassifier(priors="equal", costs={("+", "-"): 5}).fit(table.X, table.y)
    view = page_view(model.with_holdout(table.X, table.y))
    said = ", ".join([*view["facts"][:4], view["holdout"]["fact"], *view["facts"][4:]])
    assert str(model.with_holdout(table.X, table.y)).splitlines()[0] == f"CARTClassifier: y — {said}"


def test_a_tree_by_hand_without_a_target_has_a_page():
    table = tw.datasets.load("six_points")
    model = tw.tree_by_hand({"x1 ≤ 0.5": "+", "else": "-"}, table.X)
    assert page_view(model)["facts"] == ["6 rows", "2 leaves", "depth 1"]
