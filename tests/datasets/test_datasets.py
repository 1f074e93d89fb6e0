from collections import Counter

import pytest

from treewright import datasets
from treewright.data.frame import read_frame
from treewright.errors import OptionError

ROWS = {
    "play_tennis": 14,
    "play_tennis_noisy": 15,
    "temperature": 6,
    "robot": 6,
    "customer_loyalty": 14,
    "food": 6,
    "batman": 6,
    "batman_new": 2,
    "xor": 4,
    "xor_decoy": 16,
    "same_shape": 27,
    "six_points": 6,
    "four_points": 4,
    "seven_points": 7,
    "isolated_point": 13,
    "isolated_point_new": 8,
    "ab": 8,
    "iris_rows": 7,
}


def test_all_tables_are_there():
    assert set(datasets.names()) == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_tables_read(name):
    data = datasets.load(name)
    assert data.target in data.table
    assert data.target not in data.X
    assert len(data.y) == ROWS[name]
    assert data.description
    assert data.source
    frame = read_frame(data.X)
    assert (frame.n_rows, frame.named) == (ROWS[name], True)
    for column in range(frame.n_columns):
        frame.cells(column)


def test_play_tennis():
    data = datasets.load("play_tennis")
    assert list(data.columns) == ["day", "outlook", "temperature", "humidity", "windy", "play"]
    assert Counter(data.y) == {"Yes": 9, "No": 5}
    sunny = [play for outlook, play in zip(data.X["outlook"], data.y) if outlook == "Sunny"]
    assert Counter(sunny) == {"Yes": 2, "No": 3}


def test_the_noisy_day_contradicts_another():
    data = datasets.load("play_tennis_noisy")
    rows = [tuple(cells[i] for name, cells in data.X.items() if name != "day") for i in (10, 14)]
    assert rows[0] == rows[1]
    assert (data.y[10], data.y[14]) == ("Yes", "No")


def test_numbers_are_numbers_and_gaps_are_none():
    assert sorted(datasets.load("temperature").X["temperature"]) == [40.1, 48.3, 60.2, 71.9, 80.2, 90.4]
    assert datasets.load("batman").X["height"] == [185, 175, 180, 145, 170, 177]
    assert datasets.load("batman_new").y == [None, None]
    gender = datasets.load("customer_loyalty").X["gender"]
    assert gender[0] is None
    assert Counter(gender[1:]) == {"Female": 7, "Male": 6}
    assert datasets.load("iris_rows").y == [0, 0, 0, 1, 1, 1, 1]


def test_points():
    assert Counter(datasets.load("seven_points").y) == {"star": 5, "dot": 2}
    assert Counter(datasets.load("ab").y) == {"+": 6, "-": 2}
    assert datasets.load("four_points").table == {"x1": [0, 0, 1, 2], "x2": [0, 1, 0, 0], "label": [1, 0, 0, 0]}


def test_the_second_species_is_versicolor():
    """004 calls it virginica. All four are among Fisher's fifty versicolor, and none among his virginica."""
    from sklearn.datasets import load_iris

    data = datasets.load("iris_rows")
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    iris = load_iris()
    for row in zip(*(data.X[name] for name in names), data.y):
        species = {iris.target_names[k] for x, k in zip(iris.data.tolist(), iris.target) if x == list(row[:4])}
        assert species == {"versicolor" if row[4] else "setosa"}
    (described,) = [datasets.load(name).description for name in datasets.names() if name == "iris_rows"]
    assert "versicolor (1)" in described


def test_the_isolated_point_is_alone():
    """000: one dot on the side of the stars; on the validation points the pruned tree has no error."""
    data, new = datasets.load("isolated_point"), datasets.load("isolated_point_new")
    right = [label for x, label in zip(data.X["x1"], data.y) if x > 3.5]
    assert Counter(right) == {"star": 7, "dot": 1}
    assert all((label == "star") == (x > 3.5) for x, label in zip(new.X["x1"], new.y))


def test_a_loaded_table_is_the_callers_own():
    datasets.load("xor").X["a"].append(7)
    assert datasets.load("xor").X["a"] == [0, 0, 1, 1]


def test_unknown_names_suggest_close_ones():
    with pytest.raises(OptionError, match=r"'tennis'.*did you mean 'play_tennis'\?"):
        datasets.load("tennis")
    with pytest.raises(OptionError, match="there are play_tennis"):
        datasets.load("???")
