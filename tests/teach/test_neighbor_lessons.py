"""Lessons about nearest neighbours: every number is that of the library, and of a calculation by hand."""

import numpy as np
import pytest

import treewright as tw
from command import call
from treewright import teach

IRIS = tw.datasets.load("iris_rows")
POINTS = np.column_stack([np.asarray(IRIS.X[name], float) for name in IRIS.X])


@pytest.mark.parametrize(("metric", "order"), [("euclidean", 2), ("manhattan", 1), ("chebyshev", np.inf)])
def test_distances_of_the_irises(metric, order):
    lesson = teach.lesson("knn", metric=metric, k=3)
    expected = np.linalg.norm(POINTS[:-1] - POINTS[-1], ord=order, axis=1)
    assert [lesson.values[f"d(row {i})"] for i in range(6)] == pytest.approx(expected.tolist())
    assert lesson.values["P(1)"] == 1
    assert lesson.steps[-1].result == "species = 1"


def test_votes_are_shares_of_k():
    asked = dict(zip(IRIS.X, [5.1, 3.0, 2.4, 0.6]))
    lesson = teach.lesson("knn", query=asked, k=5)
    model = tw.KNNClassifier(k=5, scale=None).fit(IRIS.X, IRIS.y)
    shares = model.predict_proba([asked])[0]
    assert [lesson.values["P(0)"], lesson.values["P(1)"]] == shares.tolist()
    assert "k_c/k = 3/5 = 0.6000" in " ".join(lesson.steps[-1].formulas)


def test_a_row_tied_with_the_last_is_told_of():
    rows = teach.rows_of({"x": [0.0, 2.0, 4.0], "y": ["a", "b", "a"]}, "y")
    lesson = teach.lesson("knn", rows, query={"x": 1.0}, k=1)
    assert "Row 1 is as far as row 0" in lesson.steps[1].remark


@pytest.mark.parametrize("metric", ["heom", "gower", "vdm"])
def test_the_terms_of_a_mixed_table_make_its_distances(metric):
    """The formulas are worked out again, as text."""
    rows = teach.rows_of(
        {"size": [1.0, 5.0, None, 3.0], "colour": ["r", "b", "r", None], "y": ["n", "y", "n", "y"]}, "y"
    )
    lesson = teach.lesson("knn", rows, query={"size": 2.0, "colour": "r"}, metric=metric, k=1)
    for line in lesson.steps[0].formulas:
        _, terms, result = line.split(" = ")
        worked = terms.replace("√", "**0.5*0+").replace("−", "-").replace("²", "**2")
        inside = terms.removeprefix("√").replace("−", "-").replace("²", "**2")
        while "|" in inside:
            inside = inside.replace("|", "abs(", 1).replace("|", ")", 1)
        value = eval(inside)
        assert (value**0.5 if terms.startswith("√") else value) == pytest.approx(float(result), abs=1e-4), worked


@pytest.mark.parametrize("split", ["rotate", "variance"])
@pytest.mark.parametrize("leaf_size", [1, 2, 9])
def test_the_search_of_a_kd_tree_finds_the_nearest(split, leaf_size):
    lesson = teach.lesson("kd-tree", leaf_size=leaf_size, split=split, k=2)
    tree = tw.neighbors.KDTree(POINTS[:-1], leaf_size, split=split)
    nearest = np.sort(np.linalg.norm(POINTS[:-1] - POINTS[-1], axis=1))[:2]
    assert [float(line[1]) for line in lesson.steps[-1].table[1:]] == pytest.approx(nearest.tolist(), abs=1e-4)
    assert lesson.values["distances"] == tree.report(POINTS[-1:], 2).n_distances[0]
    assert lesson.values["case"] == tree.report(POINTS[-1:], 2).case[0]
    cuts = tree.cells.axis >= 0
    assert [f"t{node}" in lesson.values for node in np.flatnonzero(cuts)] == [True] * int(cuts.sum())


def test_the_first_cut_of_the_irises_is_at_the_median():
    lesson = teach.lesson("kd-tree")
    assert lesson.values["t0"] == pytest.approx(5.1) == pytest.approx(np.median(POINTS[:-1, 0]))
    variance = teach.lesson("kd-tree", split="variance")
    assert variance.steps[0].title.endswith("cut by petal_length (the greatest variance)")


@pytest.mark.parametrize(
    ("topic", "options", "words"),
    [
        ("knn", {"k": 99}, "there are 6 rows"),
        ("knn", {"metric": "minkowski"}, "unknown metric"),
        ("knn", {"query": {"colour": 1}}, "no column"),
        ("knn", {"query": [1.0]}, "mapping"),
        ("kd-tree", {"metric": "gower"}, "unknown metric"),
        ("kd-tree", {"leaf_size": 0}, "leaf_size"),
        ("kd-tree", {"split": "middle"}, "split"),
        ("kd-tree", {"query": {"sepal_length": 1.0}}, "missing"),
    ],
)
def test_what_is_refused(topic, options, words):
    with pytest.raises((tw.OptionError, tw.DataError), match=words):
        teach.lesson(topic, **options)


def test_a_table_without_numbers_has_no_kd_tree():
    with pytest.raises(tw.DataError, match="no numeric column"):
        teach.lesson("kd-tree", "play_tennis")


@pytest.mark.parametrize(
    "line",
    ["teach knn --k 3 --metric manhattan --json", "teach kd-tree --leaf-size 2 --markdown", "teach kd-tree --step 1",
     "teach knn --table customer_loyalty --query gender=Male,location=Rural"],
)  # fmt: skip
def test_on_the_command_line(line):
    assert call(*line.split()).code == 0


@pytest.mark.parametrize("line", ["teach knn --query x", "teach knn --k 0", "teach kd-tree --table xor --query a=red"])
def test_bad_input_on_the_command_line(line):
    found = call(*line.split())
    assert found.code == 2
    assert "Hint:" in found.err
