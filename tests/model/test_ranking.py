"""Every measure of every column at the root: the worked examples, twins, and tables of all makes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from refusals import check_refused
from strategies import examples, problems
from treewright import criteria
from treewright.model.column_reports import column_measures
from treewright.table import Table

TENNIS = tw.datasets.load("play_tennis")
WITHOUT_DAY = {name: cells for name, cells in TENNIS.X.items() if name != "day"}


def near(expected):
    return pytest.approx(expected, abs=5e-5)


def ranked(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        return tw.rank_attributes(X, y, **options)


# ---------------------------------------------------------------- worked examples


def test_09_10_11_play_tennis():
    found = tw.rank_attributes(WITHOUT_DAY, TENNIS.y)
    expected = {
        "outlook": (0.2467, 1.5774, 0.1564),
        "humidity": (0.1518, 1.0, 0.1518),
        "windy": (0.0481, 0.9852, 0.0488),
        "temperature": (0.0292, 1.5567, 0.0188),
    }
    assert found.names == list(expected)
    for row in found:
        assert (row["entropy"], row["split_info"], row["gain_ratio"]) == near(expected[row.attribute])
    assert found["humidity"]["gini"] == near(0.0918)


def test_17_the_identifier_is_first_by_gain_and_is_warned_about():
    found = tw.rank_attributes(TENNIS.X, TENNIS.y, kinds={"day": "nominal"})
    assert found.names[0] == "day"
    assert (found["day"]["entropy"], found["day"]["split_info"]) == near((0.9403, 3.8074))
    assert found["day"]["gain_ratio"] == near(0.2470)
    assert found.warnings == ["day: looks like an identifier; measures that do not charge for branches prefer it"]
    assert found.warnings[0] in str(found)
    for by in ("mdl", "chi2_p"):
        assert ranked(TENNIS.X, TENNIS.y, by=by, kinds={"day": "nominal"}).names[0] == "humidity"


def test_columns_that_name_the_rows_are_listed_last():
    with pytest.warns(tw.TreewrightWarning, match="'day' looks like an identifier"):
        found = tw.rank_attributes(TENNIS.X, TENNIS.y)
    assert (found.names[0], found.names[-1]) == ("outlook", "day")
    assert found["day"].score > found["outlook"].score
    (warning,) = found.warnings
    assert "looks like an identifier" in warning
    assert warning.endswith("""It is listed last. Hint: to rank it with the others say kinds={'day': "nominal"}.""")


def test_numbers_of_rows_are_listed_last():
    table, y = {"order_id": [*range(20)], "x": [0] * 11 + [1] * 9}, ["a"] * 10 + ["b"] * 10
    found = ranked(table, y)
    assert found.names == ["x", "order_id"]
    assert found.warnings[0].startswith("order_id: names the rows, and fitting leaves it out. It is listed last.")
    assert ranked(table, y, kinds={"order_id": "numeric"}).names == ["order_id", "x"]
    assert ranked(np.array([*table.values()]).T, y).names == ["x0", "x1"]


def test_a_ranking_of_many_columns_is_cut():
    random = np.random.default_rng(0)
    found = ranked({f"x{i}": random.normal(size=20) for i in range(70)}, [0, 1] * 10, target="classes")
    lines = str(found).splitlines()
    assert "… and 10 more columns; to_frame() has them all" in lines
    assert sum(line.startswith(f"{found.names[59]} ") for line in lines) == 2
    assert not any(line.startswith(f"{found.names[60]} ") for line in lines)


def test_15_robot():
    robot = tw.datasets.load("robot")
    found = ranked(robot.X, robot.y)
    gains = {row.attribute: row["entropy"] for row in found}
    assert gains == {
        "forward": near(0.9183), "left": near(0.3774), "right": near(0.2516), "back": near(0.2516)
    }  # fmt: skip
    assert found.names == ["forward", "left", "right", "back"]


def test_16_numeric_temperature():
    heat = tw.datasets.load("temperature")
    found = ranked(heat.X, heat.y)
    assert (found[0].test, found[0].branches, found[0].kind) == ("<= 54.25", 2, "numeric")
    assert found[0]["entropy"] == near(1 - 4 / 6 * criteria.entropy([3, 1]))


def test_19_log_likelihood_gain_of_food():
    food = tw.datasets.load("food")
    found = ranked(food.X, food.y, by="log_likelihood")
    gains = {row.attribute: row["log_likelihood"] for row in found}
    assert gains == {"healthy": near(1.9095), "hunger": near(1.5697), "like": near(1.3171), "price": near(0.5232)}
    assert found.names[0] == "healthy"
    assert all(row["log_likelihood"] == near(6 * math.log(2) * row["entropy"]) for row in found)


def test_30_a_missing_value_scales_the_gain():
    loyalty = tw.datasets.load("customer_loyalty")
    row = ranked(loyalty.X, loyalty.y)["gender"]
    assert row["entropy"] == near(0.1025)
    assert row.missing == pytest.approx(1 / 14)


# ---------------------------------------------------------------- twins


def naive_cuts(values):
    known = np.unique(values[~np.isnan(values)])
    return (known[:-1] + known[1:]) / 2


def naive_table(groups, y, w, n_classes):
    """The table of groups 1, 2, … (0 is missing), cell by cell."""
    cells = np.zeros((int(groups.max(initial=0)) + 1, n_classes))
    for group, label, weight in zip(groups, y, w):
        cells[int(group), int(label)] += weight
    return Table(cells[1:], cells[0])


@settings(deadline=None, max_examples=examples(60))
@given(problems(kinds=("numeric", "nominal")), st.sampled_from(["entropy", "gini", "chi2", "twoing", "mdl", "g_p"]))
def test_classes_beside_every_cut_tried_by_hand(problem, by):
    if len(set(problem.y)) < 2:
        return
    w = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    X = {f"c{k}": column.values for k, column in enumerate(problem.columns)}
    kinds = {f"c{k}": column.kind for k, column in enumerate(problem.columns)}
    X = {name: levels_of(cells) if kinds[name] == "nominal" else cells for name, cells in X.items()}
    labels = np.array(list("abcd"))[problem.y]
    classes, y = np.unique(problem.y, return_inverse=True)
    found = ranked(X, labels, by=by, sample_weight=problem.weights, kinds=kinds)
    for k, column in enumerate(problem.columns):
        values = np.array([math.nan if v is None else float(v) for v in column.values])
        if column.kind == "nominal":
            groups = [np.nan_to_num(values)]
        else:
            groups = [np.where(np.isnan(values), 0, 1 + (values > cut)) for cut in naive_cuts(values)]
        scores = [criteria.CRITERIA[by].score(naive_table(g, y, w, len(classes))) for g in groups]
        row = found[f"c{k}"]
        assert row.score == pytest.approx(max(scores, default=0), rel=1e-7, abs=1e-7)


def levels_of(codes):
    return [f"level {code}" if code > 0 else None for code in codes]


@settings(deadline=None, max_examples=examples(60))
@given(problems("numbers", kinds=("numeric",)), st.sampled_from(["squared_error", "f", "friedman"]))
def test_numbers_beside_every_cut_tried_by_hand(problem, by):
    w = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    X = {f"c{k}": column.values for k, column in enumerate(problem.columns)}
    found = ranked(X, problem.y, by=by, sample_weight=problem.weights, target="numbers")
    y = problem.y - np.average(problem.y, weights=w)
    for name, cells in X.items():
        values = np.array([math.nan if v is None else float(v) for v in cells])
        groups = [np.where(np.isnan(values), 0, 1 + (values > cut)) for cut in naive_cuts(values)]
        scores = [criteria.CRITERIA[by].score(Table.of_moments(g, y, w, n_codes=3)) for g in groups]
        certain = 1e9  # the F of branches without spread
        assert min(found[name].score, certain) == pytest.approx(
            min(max(scores, default=0), certain), rel=1e-6, abs=1e-6
        )


@settings(deadline=None, max_examples=examples(60))
@given(problems("counts", max_rows=20))
def test_absolute_error_and_correlation_beside_their_definitions(problem):
    w = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    X = {f"c{k}": column.values for k, column in enumerate(problem.columns)}
    kinds = {f"c{k}": column.kind for k, column in enumerate(problem.columns)}
    found = ranked(
        {n: levels_of(c) if kinds[n] == "nominal" else c for n, c in X.items()},
        problem.y, sample_weight=problem.weights, target="numbers",
        kinds={n: k if k != "ordinal" else "numeric" for n, k in kinds.items()},
    )  # fmt: skip
    values, places = np.unique(problem.y, return_inverse=True)
    for name, cells in X.items():
        row = found[name]
        if kinds[name] == "nominal":
            table = naive_table(np.nan_to_num(cells), places, w, len(values))
            assert row["absolute_error"] == pytest.approx(criteria.absolute_error_gain(table, values), abs=1e-7)
            assert math.isnan(row["correlation"])
            continue
        x = np.array([math.nan if v is None else float(v) for v in cells])
        known = ~np.isnan(x)
        spread = [np.ptp(part) if known.any() else 0 for part in (x[known], problem.y[known])]
        if min(spread) > 1e-3:
            matrix = np.cov(x[known], problem.y[known], aweights=w[known], ddof=0)
            expected = matrix[0, 1] / math.sqrt(matrix[0, 0] * matrix[1, 1])
            assert row["correlation"] == pytest.approx(expected, abs=1e-5)


def test_blocks_of_cuts_change_nothing(monkeypatch):
    random = np.random.default_rng(1)
    X = np.round(random.normal(size=(700, 3)), 2)
    X[random.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X).sum(1) > 0.4).astype(int) + (X[:, 0] > 1)
    whole = [tw.rank_attributes(X, y).to_dict(), tw.rank_attributes(X, y * 1.5).to_dict()]
    monkeypatch.setattr(column_measures, "_CELLS", 300)
    monkeypatch.setattr(column_measures, "_NEAR_CELLS", 40)
    for before, after in zip(whole, [tw.rank_attributes(X, y).to_dict(), tw.rank_attributes(X, y * 1.5).to_dict()]):
        assert before["test"] == after["test"]
        for name in list(before)[5:]:
            np.testing.assert_allclose(before[name], after[name], rtol=1e-9, atol=1e-12)


def test_strong_columns_are_told_apart_where_p_is_zero():
    n = 4000
    y = np.repeat(["no", "yes"], n)
    weak, strong = np.concatenate([np.zeros(n - 400), np.ones(n + 400)]), np.concatenate([np.zeros(n), np.ones(n)])
    found = tw.rank_attributes({"weak": weak, "strong": strong}, y, by="chi2_p")
    assert [row["chi2_p"] for row in found] == [0, 0]
    assert found.names == ["strong", "weak"]


# ---------------------------------------------------------------- the result


def test_tables_of_all_makes_rank_alike():
    frame = pd.DataFrame(WITHOUT_DAY)
    expected = tw.rank_attributes(WITHOUT_DAY, TENNIS.y).to_dict()
    for made in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), frame.to_dict("records")):
        assert tw.rank_attributes(made, TENNIS.y).to_dict() == expected
    assert tw.rank_attributes(frame.to_numpy(), TENNIS.y).names == ["x0", "x2", "x3", "x1"]


def test_whole_weights_count_as_rows():
    weights = np.arange(14) % 3
    again = np.repeat(np.arange(14), weights)
    rows = pd.DataFrame(WITHOUT_DAY).iloc[again]
    with_weights = tw.rank_attributes(WITHOUT_DAY, TENNIS.y, sample_weight=weights).to_dict()
    repeated = tw.rank_attributes(rows, np.array(TENNIS.y)[again]).to_dict()
    for name, cells in repeated.items():
        assert with_weights[name] == (pytest.approx(cells) if isinstance(cells[0], float) else cells)


def test_forms_of_the_result():
    found = tw.rank_attributes(WITHOUT_DAY, TENNIS.y)
    assert found.to_pandas()["attribute"].tolist() == found.to_polars()["attribute"].to_list() == found.names
    assert len(found) == 4
    assert found[0] is found["outlook"] is next(iter(found))
    assert found._repr_html_().count("<tr>") == 5
    check_refused(lambda: found["outluk"], "unknown attribute 'outluk'", tw.OptionError)
    check_refused(lambda: found[0]["gian"], "unknown measure 'gian'", tw.OptionError)


def test_print():
    lines = str(tw.rank_attributes(WITHOUT_DAY, TENNIS.y)).splitlines()
    assert lines[0] == "14 rows, target y (2 classes), by information gain (entropy)"
    assert lines[1].startswith("attribute    test      branches  entropy  split_info  gain_ratio")
    assert lines[2].startswith("outlook      3 levels         3   0.2467       1.577      0.1564")
    assert "5.55" not in "".join(lines)
    assert max(map(len, lines)) <= 120
    assert lines[7].startswith("attribute")


def test_names_do_not_break_the_table():
    assert "a\\nb" in str(tw.rank_attributes({"a\nb": [1, 2]}, ["yes", "no"]))


@pytest.mark.parametrize("y", [["a"] * 4, [2.5] * 4, [0.0] * 4])
def test_a_target_that_does_not_vary(y):
    found = tw.rank_attributes(
        {"x": [1, 2, 3, np.inf], "c": ["u", "v", "u", None]}, y, target="numbers" if y[0] == 0 else None
    )
    usual = "entropy" if y[0] == "a" else "squared_error"
    assert [row[usual] for row in found] == [0, 0]
    p = "chi2_p" if y[0] == "a" else "f_p"
    assert [row[p] for row in found] == [1, 1]


def test_numbers_and_ordered_levels_show_their_cut():
    X = pd.DataFrame(
        {
            "when": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-05"]),
            "size": pd.Categorical(["S", "S", "M", "L"], ["S", "M", "L"], ordered=True),
            "constant": [1, 1, 1, 1],
            "nothing": [np.nan] * 4,
        }
    )
    found = tw.rank_attributes(X, ["a", "a", "b", "b"])
    tests = {row.attribute: row.test for row in found}
    assert tests == {
        "when": "<= 2024-01-03 00:00:00", "size": "<= S", "constant": "one value", "nothing": "no value"
    }  # fmt: skip
    assert [row["entropy"] for row in found] == [1, 1, 0, 0]
    assert [row["chi2_p"] for row in found][2:] == [1, 1]
    numbers = tw.rank_attributes(X, [1.5, 1.0, 4.0, 5.5])
    assert numbers["nothing"].missing == 1
    assert math.isnan(numbers["nothing"]["correlation"])
    assert numbers["size"]["correlation"] == pytest.approx(np.corrcoef([1, 1, 2, 3], [1.5, 1, 4, 5.5])[0, 1])


def test_what_the_target_is():
    X, y = {"x": np.arange(60)}, np.arange(60) // 10
    assert "6 classes" in str(tw.rank_attributes(X, y))
    assert "a number" in str(tw.rank_attributes(X, y, target="numbers"))
    assert "a number" in str(tw.rank_attributes(X, np.arange(60)))
    assert "60 classes" in str(ranked(X, np.arange(60), target="classes"))
    assert "2 classes" in str(tw.rank_attributes(X, y > 2))
    assert "poisson" in tw.rank_attributes(X, y + 0.5)[0].measures
    assert "poisson" not in tw.rank_attributes(X, y - 0.5)[0].measures


def test_many_branches_are_warned_about_when_they_win():
    random = np.random.default_rng(0)
    codes = random.integers(0, 30, 100)
    X = {"zip": [f"z{code}" for code in codes], "x": random.normal(size=100)}
    with pytest.warns(tw.TreewrightWarning, match="'zip', the first by entropy, has 2[0-9] branches for 100 rows"):
        tw.rank_attributes(X, random.integers(0, 2, 100))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "gian"}, "unknown measure 'gian'"),
        ({"by": "poisson"}, "poisson measures a target of numbers, and '.*' holds classes"),
        ({"target": "class"}, "target='class' is not accepted"),
        ({"kinds": {"colour": "nominal"}}, "column that does not exist: 'colour'"),
    ],
)
def test_bad_options(options, message):
    check_refused(lambda: tw.rank_attributes(WITHOUT_DAY, TENNIS.y, **options), message, tw.OptionError)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ({"x": [1, 2]}, None, "target y is None"),
        ({"x": [1, 2]}, ["a"], "inconsistent numbers of samples"),
        ({}, ["a"], "0 feature"),
        ({"x": [1, 2]}, [None, None], "target of every row is missing"),
    ],
)
def test_bad_data(X, y, message):
    check_refused(lambda: tw.rank_attributes(X, y), message)
