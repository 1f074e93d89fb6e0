"""The printed tree."""

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from made_trees import AGES, PLAY_TENNIS, Made, bushy, cases, chain, play_tennis, stump, tree_of
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain import tree_text
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.tree_text import render

HOLDOUT = HoldOutStatistics(
    rows=np.array([8, 6, 2]),
    stats=np.array([[7.0, 1, 0], [6, 0, 0], [1, 1, 0]]),
    error=np.array([0.125, 0.0, 0.5]),
    differs=np.zeros(3, bool),
    total=0.125,
)
PRICES = Schema(AGES.columns, Target("price"))


def lines(*args, **options):
    return render(*args, **options).splitlines()


def test_play_tennis():
    assert lines(play_tennis(), PLAY_TENNIS, title="ID3Classifier", training_error=0.0) == [
        "ID3Classifier: play — 14 rows, 5 leaves, depth 2, training error 0.0 %",
        "outlook = sunny [1]",
        "│  humidity = high: no [4] (3)",
        "│  humidity = normal: yes [5] (2)",
        "outlook = overcast: yes [2] (4)",
        "outlook = rainy [3]",
        "│  windy = strong: no [6] (2)",
        "│  windy = weak: yes [7] (3)",
    ]


def test_plain_characters_and_no_numbers_of_nodes():
    assert lines(stump(), AGES, ascii=True, ids=False, holdout=HOLDOUT) == [
        "buys - 9 rows, 2 leaves, depth 1, hold-out error 12.5 %",
        "age <= 30.5: no (4; hold-out 6, 0% wrong)",
        "age > 30.5: yes (5, 20% wrong; hold-out 2, 50% wrong)",
    ]
    named = Schema((Column("größe", Kind.NUMERIC),), Target("gefällt", ("nö", "ja")))
    assert render(stump(), named, ascii=True).isascii()


def test_missing_values_are_mentioned_where_rows_had_some():
    assert lines(stump(missing=2), AGES)[1:] == [
        "age ≤ 30.5: no [1] (4)",
        "age > 30.5 or missing: yes [2] (5, 20% wrong)",
    ]


def test_a_single_leaf():
    assert lines(tree_of(Made((5, 9))), PLAY_TENNIS) == ["play — 14 rows, 1 leaf, depth 0", "yes [0] (14, 36% wrong)"]


def test_leaves_without_rows_say_where_their_answer_is_from():
    empty = Made((0, 0), value=(5 / 14, 9 / 14))
    inner = Made((4, 0), 0, (5.0,), (0, 0, 1), (Made((4, 0)), empty))
    as_parent = Made((0, 0), value=(5 / 14, 9 / 14))
    other = Made((0, 0), value=(0.5, 0.5))
    tree = tree_of(Made((5, 9), 0, (1.0, 2.0, 3.0), (0, 0, 1, 2, 3), (inner, Made((1, 9)), as_parent, other)))
    answers = [line.split(": ")[1] for line in lines(tree, AGES)[1:] if ": " in line]
    assert answers == [
        "no [5] (4)",
        "yes [6] (0, as overall)",
        "yes [2] (10, 10% wrong)",
        "yes [3] (0, as parent)",
        "no [4] (0)",
    ]


def test_numbers():
    leaves = (Made((45, 553.5, 45 * (12.3**2 + 1.44))), Made((0, 0, 0), value=(12.3,)))
    tree = tree_of(Made((1050, 12915, 1050 * (12.3**2 + 4)), 0, (30.5,), (1, 0, 1), leaves), regression=True)
    assert lines(tree, PRICES, title="CARTRegressor", training_error=1.23456) == [
        "CARTRegressor: price — 1,050 rows, 2 leaves, depth 1, training RMSE 1.235",
        "age ≤ 30.5: 12.3 [1] (n=45, sd 1.2)",
        "age > 30.5: 12.3 [2] (0, as parent)",
    ]


@pytest.mark.parametrize(("scale", "answer"), [(1e6, "12345679"), (1.0, "12.346"), (1e-6, "0.000012346")])
def test_decimals_follow_the_spread_of_the_target(scale, answer):
    mean, sd = 12.3456789 * scale, 0.9 * scale
    tree = tree_of(Made((10, 10 * mean, 10 * (mean**2 + sd**2))), regression=True)
    assert lines(tree, PRICES)[1].startswith(answer + " [0] (n=10, sd ")


def test_equal_numbers_have_no_spread():
    tree = tree_of(Made((3, 0.3, 3 * 0.1**2)), regression=True)
    assert lines(tree, PRICES)[1] == "0.1 [0] (n=3, sd 0)"


def test_weights_that_are_not_the_rows_are_shown():
    tree = tree_of(Made((8.25, 0.15), rows=1200))
    assert lines(tree, AGES) == [
        "buys — 1,200 rows, weight 8.4, 1 leaf, depth 0",
        "no [0] (1,200, weight 8.4, 2% wrong)",
    ]


def test_many_classes_take_no_more_room_than_two():
    schema = Schema((AGES.columns[0],), Target("letter", tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")))
    tree = tree_of(Made(tuple(range(1, 27))))
    assert lines(tree, schema)[1] == "Z [0] (351, 93% wrong)"


def test_depth_cuts_and_says_so():
    assert lines(play_tennis(), PLAY_TENNIS, depth=1)[1:] == [
        "outlook = sunny: no [1] (5, 40% wrong) …",
        "outlook = overcast: yes [2] (4)",
        "outlook = rainy: yes [3] (5, 40% wrong) …",
        "… 4 more nodes (show with depth=None, max_lines=None)",
    ]
    assert lines(play_tennis(), PLAY_TENNIS, depth=0, ascii=True)[1:] == [
        "yes [0] (14, 36% wrong) ...",
        "... 7 more nodes (show with depth=None, max_lines=None)",
    ]
    assert render(play_tennis(), PLAY_TENNIS, depth=2) == render(play_tennis(), PLAY_TENNIS)


def test_a_large_tree_keeps_to_its_lines_and_opens_the_largest_nodes():
    tree = bushy(12)
    printed = lines(tree, AGES, max_lines=50)
    assert len(printed) == 50
    shown = {int(line.split("[")[1].split("]")[0]) for line in printed[1:-1]}
    assert printed[-1] == f"… {tree.n_nodes - 1 - len(shown):,} more nodes (show with depth=None, max_lines=None)"
    opened = {int(tree.parent[v]) for v in shown}
    left = [v for v in shown - opened if tree.n_branches[v]]
    assert min(tree.rows[v] for v in opened) >= max(tree.rows[v] for v in left)


def test_a_large_tree_is_not_walked(monkeypatch):
    visited = []
    children = tree_text._children
    monkeypatch.setattr(tree_text, "_children", lambda tree, v: visited.append(v) or children(tree, v))
    render(bushy(17), AGES)
    assert 0 < len(visited) <= 400


def test_more_branches_than_lines():
    levels = tuple(f"level{i}" for i in range(1000))
    schema = Schema((Column("city", Kind.NOMINAL, levels),), AGES.target)
    leaves = [Made((1, 0)) for _ in levels]
    tree = tree_of(Made((1000, 0), 0, (), (0, *range(1000)), leaves))
    printed = lines(tree, schema, max_lines=10)
    assert printed[1] == "city = level0: no [1] (1)"
    assert len(printed) == 10
    assert printed[-1].startswith("… 992 more nodes")


def test_no_limit_shows_every_node():
    tree = bushy(9)
    assert len(lines(tree, AGES, max_lines=None)) == tree.n_nodes
    assert len(lines(tree, AGES, max_lines=tree.n_nodes)) == tree.n_nodes


def test_a_chain_has_no_limit_of_depth():
    printed = lines(chain(10_000), AGES, max_lines=None)
    assert len(printed) == 20_001
    assert max(map(len, printed)) < 250
    assert "(depth 10000) age > 9999" in printed[-1]


def test_lists_of_levels_are_shortened_to_fit():
    levels = tuple(f"occupation{i}" for i in range(30))
    schema = Schema((Column("job", Kind.NOMINAL, levels),), AGES.target)
    tree = tree_of(Made((5, 5), 0, (), (0, *[0] * 29, 1), (Made((5, 0)), Made((0, 5)))))
    assert lines(tree, schema, width=60)[1] == "job in {occupation0, occupation1 +27}: no [1] (5)"
    assert lines(tree, schema)[1].count("occupation") == 20


def test_what_is_asked_tells_more_than_the_hold_out():
    printed = lines(stump(), AGES, holdout=HOLDOUT, width=40)[-2:]
    assert printed == ["age ≤ 30.5: no [1] (4)", "age > 30.5: yes [2] (5, 20% wrong)"]
    assert "hold-out 6" in lines(stump(), AGES, holdout=HOLDOUT, width=60)[-2]


def test_the_number_of_levels_is_kept_where_a_level_is_cut():
    levels = tuple(f"an occupation of {i}" for i in range(30))
    schema = Schema((Column("job", Kind.NOMINAL, levels),), AGES.target)
    tree = tree_of(Made((5, 5), 0, (), (1, *[0] * 15, *[1] * 15), (Made((5, 0)), Made((0, 5))), missing=2))
    assert lines(tree, schema, width=46)[2] == "job in {an occup… +14} or missing: yes [2] (5)"


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in line)


@given(case=cases(every_branch=True), width=st.integers(20, 80), ascii=st.booleans())
def test_every_line_fits(case, width, ascii):
    schema, tree = case
    printed = lines(tree, schema, width=width, ascii=ascii)
    body = printed[-max(1, tree.n_nodes - 1) :]
    assert all(columns(line) <= width for line in body)
    assert not ascii or all(line.isascii() for line in printed)


@given(case=cases(every_branch=True))
def test_every_node_has_its_line(case):
    schema, tree = case
    printed = lines(tree, schema)
    assert len(printed) == max(2, tree.n_nodes)
    assert all(line.isprintable() for line in printed)


@given(case=cases(), max_lines=st.integers(3, 12), depth=st.none() | st.integers(0, 4))
def test_lines_are_limited_and_what_is_left_out_is_counted(case, max_lines, depth):
    schema, tree = case
    printed = lines(tree, schema, max_lines=max_lines, depth=depth)
    assert len(printed) <= max_lines
    shown = len(printed) - 1 - printed[-1].startswith("… ")
    left_out = int(printed[-1].split()[1].replace(",", "")) if printed[-1].startswith("… ") else 0
    root_alone = depth == 0 or tree.n_nodes == 1
    assert shown + left_out == tree.n_nodes - (not root_alone)


def test_names_that_would_break_lines_do_not():
    schema = Schema((Column("a\nb", Kind.NUMERIC),), Target("t\tu", ("x\x1b[0m", "y")))
    assert all(line.isprintable() for line in lines(stump(), schema))


def test_where_missing_values_go_is_told_in_a_narrow_print():
    schema = Schema((Column("adoption_of_the_budget", Kind.NUMERIC),), Target("buys", ("no", "yes")))
    narrow = lines(stump(missing=3), schema, width=44, ids=False)
    assert max(map(len, narrow)) <= 44
    assert any(re.match(r"adop\w*… . 30\.5 or missing: ", line) for line in narrow), narrow


def test_rounding_is_no_training_error_and_a_small_spread_of_large_numbers_is_one():
    y = [46.12, 41.14, 29.37, 37.79, 37.79, 34.71]
    assert "training RMSE 0\n" in f"{tw.CARTRegressor(min_rows_split=2, min_rows_leaf=1).fit({'x': range(6)}, y)}"
    far = tw.CARTRegressor(max_depth=1).fit({"x": range(8)}, [1e6 + d for d in (0, 0.5, 0, 0.5, 9, 9.5, 9, 9.5)])
    assert "training RMSE 0.25\n" in f"{far}"
    assert "sd 0.25" in f"{far}"
