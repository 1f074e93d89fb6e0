"""What else could have been tested at a node: every learner by gain tells what its tree took, and the others."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings

import treewright as tw
from refusals import check_refused
from strategies import examples, problems

CLASSIFIERS = [
    tw.CARTClassifier(),
    tw.CARTClassifier(criterion="entropy", min_rows_leaf=2, class_weight="balanced"),
    tw.CARTClassifier(min_weight_fraction_leaf=0.1),
    tw.CARTClassifier(priors="equal", missing="surrogate"),
    tw.CARTClassifier(engine="histogram", missing="fractional"),
    tw.ID3Classifier(missing="branch"),
    tw.ID3Classifier(criterion="gain_ratio"),
    tw.TreeClassifier(splits="one-vs-rest", missing="stop"),
    tw.TreeClassifier(splits="multiway", criterion="misclassification"),
    tw.C45Classifier(prune=False, collapse=False, min_cases=1),
    tw.C45Classifier(prune=False, collapse=False, flavour="j48", binary=True),
    tw.C45Classifier(prune=False, collapse=False, subset=True, missing="common"),
    tw.C45Classifier(prune=False, collapse=False, soft_thresholds=True, criterion="gain", min_cases=1),
]
REGRESSORS = [
    tw.CARTRegressor(),
    tw.CARTRegressor(criterion="absolute_error", min_rows_leaf=2),
    tw.CARTRegressor(missing="every"),
    tw.TreeRegressor(splits="multiway", missing="stop"),
    tw.TreeRegressor(criterion="friedman", max_leaves=4),
    tw.M5Regressor(prune=False),
    tw.M5Regressor(leaf="mean"),
]


def frame_of(problem):
    columns = {}
    for j, column in enumerate(problem.columns):
        cells = [None if np.isnan(value) else value for value in column.values]
        columns[f"x{j}"] = cells if column.kind == "numeric" else [None if c is None else f"l{c:g}" for c in cells]
    return columns


def check_every_node(model, X, y, weights):
    for node in model.tree_.nodes():
        if not node.n:
            check_refused(lambda node=node: model.competitors(node.id, X, y, weights), "none of the rows", tw.DataError)
            continue
        found = model.competitors(node.id, X, y, weights)
        assert len(found) == len(X)
        taken = [row for row in found if row.taken]
        if node.is_leaf:
            assert not taken
            continue
        (row,) = taken
        assert row.gain == pytest.approx(node.gain, rel=1e-6, abs=1e-9)
        in_use = len({b for b in node.split.branch_of.tolist() if b >= 0})
        assert 2 <= len(row.branches) <= node.split.n_branches
        assert len(row.branches) == in_use or isinstance(model, tw.C45Classifier)  # a branch of levels that are absent
        assert not row.passed_over
        first = found.rows[0]
        assert first.gain <= node.gain + 1e-6 * max(1.0, abs(node.gain))


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@settings(max_examples=examples(15))
@given(problem=problems("classes", max_rows=15))
def test_the_split_of_a_tree_of_classes_is_the_first_of_its_competitors(model, problem):
    assume(len(np.unique(problem.y)) > 1)
    X = frame_of(problem)
    check_every_node(model.fit(X, problem.y, problem.weights), X, problem.y, problem.weights)


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
@settings(max_examples=examples(15))
@given(problem=problems("numbers", max_rows=15))
def test_the_split_of_a_tree_of_numbers_is_the_first_of_its_competitors(model, problem):
    X = frame_of(problem)
    check_every_node(model.fit(X, problem.y, problem.weights), X, problem.y, problem.weights)


def tennis():
    table = tw.datasets.load("play_tennis")
    return {name: column for name, column in table.X.items() if name != "day"}, table.y


def test_by_hand():
    """The gains of the worked examples; C4.5 passes over columns of less than average gain."""
    X, y = tennis()
    found = tw.ID3Classifier().fit(X, y).competitors()
    assert [(row.column, round(row.gain, 4)) for row in found] == [
        ("outlook", 0.2467), ("humidity", 0.1518), ("windy", 0.0481), ("temperature", 0.0292),
    ]  # fmt: skip
    assert found["windy"].branches == ("windy = Strong", "windy = Weak")
    ratios = tw.C45Classifier().fit(X, y).competitors()
    assert ratios.measure == "gain ratio"
    assert [row.passed_over for row in ratios] == [False, False, True, True]
    assert "below average gain" in str(ratios).splitlines()[3]
    assert ratios.to_dict()["column"] == ["outlook", "humidity", "windy", "temperature"]


def test_a_column_that_was_forced_is_taken_though_another_gains_more():
    X, y = tennis()
    found = tw.CARTClassifier(force={0: "windy"}).fit(X, y).competitors()
    assert [(row.column, row.taken) for row in found][:3] == [("outlook", False), ("humidity", False), ("windy", True)]


def test_columns_that_cannot_be_split_by_come_last():
    found = tw.CARTClassifier().fit({"same": [1.0] * 6, "x": [1.0, 2, 3, 4, 5, 6]}, list("aabbba")).competitors()
    assert [(row.column, row.branches) for row in found][1] == ("same", ())
    assert "same" in str(found).splitlines()[2]


def test_rows_that_are_gone_have_to_be_passed(tmp_path):
    X, y = tennis()
    model = tw.CARTClassifier().fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    check_refused(loaded.competitors, "comparing columns needs the rows.*model.competitors.node, X, y", tw.OptionError)
    assert loaded.competitors(1, X, y) == model.competitors(1)
    for node in (99, -1, True, "0"):
        check_refused(lambda node=node: model.competitors(node), "there is no node.*numbered from 0", tw.OptionError)
    frame = pd.DataFrame(X)
    assert tw.CARTClassifier().fit(frame, y).competitors(2).rows == model.competitors(2).rows


def test_the_same_on_the_rows_of_a_large_table():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    y = X[:, 1] + 0.5 * (X[:, 2] > 0.3) + 0.1 * rng.random(3000)
    model = tw.CARTRegressor(max_depth=4).fit(X, y)
    for node in model.tree_.nodes():
        row = model.competitors(node.id, X, y).rows[0]
        assert node.is_leaf or (row.taken and row.gain == pytest.approx(node.gain))


@pytest.mark.parametrize("missing", ["fractional", "stop"])  # by the compiled search and by the plain one
def test_a_column_whose_tests_gain_nothing_has_no_split(missing):
    X = {"g": ["a", None, None, None, "b"], "x": [1.0, 2, 3, 4, 5]}
    model = tw.C45Classifier(flavour="j48", binary=True, min_cases=1, prune=False, missing=missing)
    assert model.fit(X, [0, 0, 0, 1, 0]).competitors()["g"].branches == ()


@pytest.mark.parametrize(
    "learner", [tw.CARTClassifier(max_depth=3), tw.CHAIDClassifier(max_depth=3), tw.C45Classifier(subset=True)]
)
def test_levels_that_cannot_arrive_at_a_node_are_not_named_there(learner):
    random = np.random.default_rng(0)
    level, x = random.integers(0, 6, 600), np.round(random.normal(size=600), 2)
    y = np.where((level < 3) == (x > 0.5), "no", "yes")
    X = {"level": np.array(list("abcdef"))[level], "x": x}
    model = learner.fit(X, y)
    below = [node for node in model.tree_.nodes() if node.parent is not None and not node.is_leaf]
    of_level = [n for n in below if n.parent.split.column == 0]
    assert of_level
    for node in of_level:
        arriving = set(X["level"][model.decision_path(X).toarray()[:, node.id] == 1])
        found = model.competitors(node.id)["level"]
        told = "".join(getattr(found, "branches", None) or getattr(found, "groups", ()))
        named = set(re.findall(r"\b[a-f]\b", told))
        assert named <= arriving


def test_cuts_are_told_by_short_numbers_that_separate_the_rows_of_the_node():
    random = np.random.default_rng(0)
    X = {"x": random.normal(size=200), "z": random.normal(size=200)}
    model = tw.CARTClassifier(max_depth=1).fit(X, np.where(X["x"] > 0.1, "yes", "no"))
    found = [row for row in model.competitors(0) if row.branches]
    assert found[0].column == "x"
    for row in found:
        cut = float(row.branches[0].split()[-1])
        assert len(row.branches[0]) <= len("x ≤ -0.1234567")
        exact = tw.CARTClassifier(max_depth=1).fit({row.column: X[row.column]}, np.where(X["x"] > 0.1, "yes", "no"))
        assert ((X[row.column] <= cut) == (X[row.column] <= exact.tree_.root.split.edges[0])).all()


def mixed_rows():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(300, 2)).round(2), columns=["a", "b"])
    X["g"], X["h"] = rng.choice(list("pqrst"), 300), rng.choice(list("uvw"), 300)
    y = np.where(2 * X.a * (X.b > 0) + 3 * (X.g == "q") + rng.normal(size=300) > 1, "yes", "no")
    return X, y


@pytest.mark.parametrize(
    "options", [{}, {"subset": True}, {"winnow": True}, {"sample": 0.7, "random_state": 3}], ids=str
)
@pytest.mark.parametrize("some_missing", [False, True])
def test_c50_takes_the_first_of_its_competitors(options, some_missing):
    """As it was grown: pruning may put a lower test into the place of an upper one."""
    X, y = mixed_rows()
    if some_missing:
        X.loc[::7, "a"], X.loc[::9, "g"] = None, None
    model = tw.C50Classifier(confidence=1.0, global_pruning=False, **options).fit(X, y)
    inner = [node for node in model.tree_.nodes() if not node.is_leaf]
    assert inner
    for node in inner:
        found = model.competitors(node.id)
        assert [row.column for row in found if row.taken] == [found[0].column]
        assert found.measure == "gain ratio"
    assert not any(row.taken for row in model.competitors(model.tree_.n_nodes - 1))
    assert tw.summarize(model, X, y, nodes=[0]).nodes[0].competitors


def test_c50_compares_by_its_ratio():
    """Gain .2467 and .1518 of the worked example, over the information of 5, 4 and 5, or of 7 and 7 rows."""
    X, y = tennis()
    found = tw.C50Classifier(global_pruning=False).fit(X, y).competitors()
    assert found["outlook"].gain == pytest.approx(0.24675 / 1.57741, abs=1e-4)
    assert found["humidity"].gain == pytest.approx(0.15184, abs=1e-4)
    assert found["humidity"].branches == ("humidity = High", "humidity = Normal")


def test_c50_compares_columns_of_one_tree_only():
    X, y = mixed_rows()
    for options in ({"rules": True}, {"trials": 3}):
        model = tw.C50Classifier(**options).fit(X, y)
        check_refused(model.competitors, "at the nodes of one tree.*rules=False and trials=1", tw.OptionError)
    drawn = tw.C50Classifier(sample=0.7).fit(X, y)
    check_refused(drawn.competitors, "rows that sample= drew are not known.*random_state", tw.OptionError)


@pytest.mark.parametrize("missing", ["learned", "drop", "fractional"])
def test_levels_that_only_other_rows_have_are_missing(missing):
    """A column's levels are those of the model, in its order, whatever the rows would make of them."""
    model = tw.CARTClassifier(missing=missing).fit({"colour": list("bbcc"), "x": [1.0, 3, 2, 4]}, list("ppqq"))
    found = model.competitors(0, {"colour": list("abbcc"), "x": [1.0, 1, 3, 2, 4]}, list("pppqq"))
    assert found["colour"].branches[1].startswith("colour = c")
    rows_held_out = tw.TreeClassifier(prune="reduced-error").fit(
        {"colour": list("abcdefgh"), "x": np.arange(8.0)}, list("pqpqpqpq")
    )
    assert "x" in str(rows_held_out.competitors())
