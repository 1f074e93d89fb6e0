"""Pictures of trees: nothing overlaps, nothing is outside, nothing is too small, and all that is said is true."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from made_trees import AGES, PLAY_TENNIS, Made, bushy, cases, chain, play_tennis, stump, tree_of
from strategies import examples
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.drawing.node_card import Cards
from treewright.drawing.plan import WIDEST_EDGE
from treewright.drawing.scene import POINTS, Box, Rectangle, Scene, Stroke, Words
from treewright.drawing.svg import to_svg
from treewright.drawing.tree_picture import Heading, Style, picture, shown_part, style_of
from treewright.errors import OptionError

SVG = "{http://www.w3.org/2000/svg}"
SMALLEST = 7.0  # points
HOSTILE = ("<script>alert(1)</script>", "\"'&]]>", "x" * 10_000, "שלום עולם", "🌳🌲", "two\nlines", "\x00\x1b[31m")


def drawn(tree, schema, **style) -> Scene:
    chosen = Style(**style)
    return picture(shown_part(tree, chosen), schema, Heading("t — made", ("a fact",)), chosen)


def cards_of(scene: Scene) -> list[Rectangle]:
    return [shape for group in scene.of_kind("node") for shape in group.shapes if _is(shape, "card")]


def _is(shape, part: str) -> bool:
    return isinstance(shape, Rectangle) and shape.part == part


def labels_of(scene: Scene) -> list[Box]:
    return [shape.box for group in scene.of_kind("edge") for shape in group.shapes if isinstance(shape, Words)]


def check(scene: Scene) -> None:
    """What every picture owes its reader."""
    canvas = Box(0, 0, scene.width, scene.height)
    for group in scene.groups:
        for shape in group.shapes:
            assert canvas.contains(shape.box, 0.6), shape
            if isinstance(shape, Words):
                assert shape.size * POINTS >= SMALLEST
    cards = [card.box for card in cards_of(scene)]
    assert not any(a.overlaps(b, 0.01) for a, b in combinations(cards, 2))
    labels = labels_of(scene)
    assert not any(a.overlaps(b, 1.0) for a, b in combinations(labels, 2))
    assert not any(label.overlaps(card, 0.5) for label in labels for card in cards)
    for group in scene.of_kind("node"):
        words = [shape for shape in group.shapes if isinstance(shape, Words)]
        assert not any(a.box.overlaps(b.box, 1.5) for a, b in combinations(words, 2)), words
        (card,) = (shape for shape in group.shapes if _is(shape, "card"))
        assert all(card.box.contains(shape.box, 0.6) for shape in group.shapes)
    ElementTree.fromstring(to_svg(scene))


def no_edge_crosses_a_card(scene: Scene) -> None:
    cards = {group.node: next(s for s in group.shapes if _is(s, "card")).box for group in scene.of_kind("node")}
    for group in scene.of_kind("edge"):
        lines = [shape for shape in group.shapes if isinstance(shape, Stroke)]
        for x, y in samples(lines[0]):
            at = Box(x, y, x, y)
            inside = [node for node, card in cards.items() if card.overlaps(at, 0.6)]
            assert inside == [], f"the edge to {group.node} crosses {inside}"


def samples(stroke: Stroke):
    """Points along a line; the first and last, where it meets its nodes, left out."""
    here, points = stroke.start, []
    for step in stroke.steps:
        for t in np.linspace(0, 1, 25):
            p = np.array([here, *step])
            while len(p) > 1:  # de Casteljau
                p = (1 - t) * p[:-1] + t * p[1:]
            points.append(tuple(p[0]))
        here = step[-1]
    return points[1:-1]


@given(cases(every_branch=True), st.sampled_from(["down", "right"]), st.sampled_from(["bars", "text"]))
def test_any_tree_is_laid_out_without_overlap(case, orientation, content):
    schema, tree = case
    scene = drawn(tree, schema, orientation=orientation, content=content)
    check(scene)
    no_edge_crosses_a_card(scene)


@given(cases(), st.sampled_from(["down", "right"]))
def test_order_is_kept_and_parents_stand_in_the_middle(case, orientation):
    schema, tree = case
    scene = drawn(tree, schema, orientation=orientation, max_leaves=None)
    centre = {
        group.node: next((s.box.left + s.box.right, s.box.top + s.box.bottom) for s in group.shapes if _is(s, "card"))
        for group in scene.of_kind("node")
    }
    axis = 0 if orientation == "down" else 1
    assert sorted(centre) == list(range(tree.n_nodes))
    for v in np.flatnonzero(tree.n_branches):
        first, count = int(tree.first_child[v]), int(tree.n_branches[v])
        below = [centre[child][axis] for child in range(first, first + count)]
        assert all(a < b for a, b in pairwise(below))
        assert centre[int(v)][axis] == pytest.approx((below[0] + below[-1]) / 2)


@given(cases())
@settings(max_examples=examples(50))
def test_edges_and_bars_are_as_long_as_what_they_stand_for(case):
    schema, tree = case
    scene = drawn(tree, schema, max_leaves=None)
    for group in scene.of_kind("edge"):
        ribbons = [s.width for s in group.shapes if isinstance(s, Stroke)][:-1]
        share = tree.rows[group.node] / tree.rows.max() if tree.rows.max() else 0
        ribbon = max((w for w in ribbons if w != 1.2), default=0.0)
        assert ribbon == pytest.approx(WIDEST_EDGE * share) or share == 0
    ends = [v for v in range(tree.n_nodes) if not tree.n_branches[v]]
    longest = max(int(tree.rows[v]) for v in ends)
    widths = {g.node: [s.width for s in g.shapes if _is(s, "rows")] for g in scene.of_kind("node")}
    full = max((w[0] for w in widths.values() if w), default=0)
    for v in ends:
        assert widths[v][0] == pytest.approx(full * tree.rows[v] / longest if longest else 0.0)


@given(cases())
@settings(max_examples=examples(50))
def test_cards_say_what_the_tree_says(case):
    schema, tree = case
    cards = Cards(tree, schema)
    for v in range(tree.n_nodes):
        card = cards.card(v)
        assert card.node == v
        assert card.rows == tree.rows[v]
        assert card.test == ("" if not tree.n_branches[v] else card.test)
        if schema.target.classes is None:
            assert card.spread.centre == tree.value[v, 0]
        elif not tree.stats[0].any():  # rows came without a target: nothing is known of shares
            assert (card.share, card.bars) == (None, ())
        else:
            assert card.share == tree.value[v, card.place]
            assert sum(bar.share for bar in card.bars) == pytest.approx(tree.value[v].sum())
            assert all(bar.share == tree.value[v, bar.place] for bar in card.bars if bar.place is not None)


def test_numbers_in_the_picture_are_those_of_the_tree():
    scene = drawn(play_tennis(), PLAY_TENNIS)
    said = {group.node: [s.text for s in group.shapes if isinstance(s, Words)] for group in scene.of_kind("node")}
    assert said[0] == ["outlook", "[0]", "yes 64 % · 14 rows", "gain 0.25"]
    assert said[2] == ["yes", "[2]", "100 % of 4 rows"]
    assert [s.text for g in scene.of_kind("edge") for s in g.shapes if isinstance(s, Words)].count("overcast") == 1
    bars = {g.node: [s.width for s in g.shapes if _is(s, "class")] for g in scene.of_kind("node")}
    assert bars[0][0] / sum(bars[0]) == pytest.approx(5 / 14)


def texts(scene: Scene, kind: str) -> list[str]:
    return [shape.text for group in scene.of_kind(kind) for shape in group.shapes if isinstance(shape, Words)]


def test_missing_values_are_marked_with_their_rows():
    scene = drawn(stump(missing=3), AGES)
    assert sorted(texts(scene, "edge")) == ["> 30.5", "or missing (3)", "≤ 30.5"]
    assert "Dashed edges take missing values" in " ".join(texts(scene, "caption"))
    none_seen = drawn(stump(), AGES)
    assert sorted(texts(none_seen, "edge")) == ["> 30.5", "≤ 30.5"]
    assert "none was missing in training" in none_seen.of_kind("edge")[0].about + none_seen.of_kind("edge")[1].about


def test_small_trees_grow_down_and_larger_ones_to_the_right():
    assert not drawn(bushy(5), AGES).of_kind("columns")
    assert drawn(bushy(6), AGES).of_kind("columns")


@pytest.mark.parametrize("tree", [bushy(7), bushy(11), chain(300)], ids=["64", "1024", "chain"])
def test_large_trees_are_cut_and_say_so(tree):
    scene = drawn(tree, AGES)
    check(scene)
    no_edge_crosses_a_card(scene)
    assert len(cards_of(scene)) < 60
    said = " ".join(texts(scene, "caption"))
    left_out = int(re.search(r"([\d,]+) nodes of", said)[1].replace(",", ""))
    assert left_out + len(cards_of(scene)) == tree.n_nodes
    assert any(re.match(r"\+[\d,]+ node", text) for text in texts(scene, "node"))


def test_limits_are_minded():
    assert len(cards_of(drawn(bushy(6), AGES, depth=2))) == 7
    assert len(cards_of(drawn(bushy(6), AGES, depth=0))) == 1
    assert len(cards_of(drawn(bushy(6), AGES, max_leaves=5))) == 9
    assert len(cards_of(drawn(bushy(8), AGES, max_leaves=None))) == 255


def test_a_part_of_a_tree_begins_at_its_node():
    tree = bushy(8)
    scene = drawn(tree, AGES, node=5)
    check(scene)
    assert cards_of(scene)
    assert {group.node for group in scene.of_kind("node")} <= {v for v in range(5, 255) if 5 in above(tree, v)}
    assert scene.of_kind("node")[0].node == 5
    assert "below node 5, where " in " ".join(texts(scene, "header"))
    with pytest.raises(OptionError, match="there is no node 255"):
        drawn(tree, AGES, node=255)


def above(tree, v: int) -> list[int]:
    return [node.id for node in tree.node(v).path()]


def test_twenty_thousand_nodes_make_a_small_picture():
    tree = bushy(15)
    text = to_svg(drawn(tree, AGES))
    assert tree.n_nodes == 32767
    assert len(text) < 150_000


def many_classes(count: int) -> tuple[Schema, object]:
    schema = Schema((Column("x", Kind.NUMERIC),), Target("y", tuple(f"class {k}" for k in range(count))))
    left, right = np.zeros(count), np.zeros(count)
    left[: count // 2], right[count // 2 :] = np.arange(1, count // 2 + 1), 2
    made = Made(left + right, 0, (1.0,), (0, 0, 1), (Made(left), Made(right)))
    return schema, tree_of(made)


@pytest.mark.parametrize("count", [2, 8, 9, 26, 50])
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_any_number_of_classes(count, orientation):
    schema, tree = many_classes(count)
    scene = drawn(tree, schema, orientation=orientation)
    check(scene)
    named = sum(text.startswith("class ") for text in texts(scene, "header"))
    assert named == (count if count <= 8 else 0)
    fills = {s.fill for g in scene.of_kind("node") for s in g.shapes if _is(s, "class")}
    assert len(fills) <= (count if count <= 8 else 4)


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_of_many_classes_the_three_most_frequent_and_the_others_have_a_bar(orientation):
    schema, tree = many_classes(26)
    scene = drawn(tree, schema, orientation=orientation)
    for group in scene.of_kind("node"):
        shares = sorted(tree.value[group.node], reverse=True)
        widths = [s.width for s in group.shapes if _is(s, "class")]
        assert len(widths) == 4
        whole = widths[0] / shares[0]
        assert widths == pytest.approx([*(whole * share for share in shares[:3]), whole * sum(shares[3:])])


def test_classes_of_a_bar_are_parted_for_grey_print():
    scene = drawn(play_tennis(), PLAY_TENNIS)
    root = next(group for group in scene.of_kind("node") if group.node == 0)
    no, _ = (s for s in root.shapes if _is(s, "class"))
    assert [s.start[0] for s in root.shapes if isinstance(s, Stroke)] == pytest.approx([no.x + no.width])


def shared_by_many(branches: int = 12):
    """Rows without a value, 5 of 65, take every branch by its share."""
    rows = [k + 1.0 for k in range(branches)]
    levels = tuple(f"level {k}" for k in range(branches))
    schema = Schema((Column("kind", Kind.NOMINAL, levels),), Target("buys", ("no", "yes")))
    leaves = tuple(Made((n, 0.0), rows=int(n) + 5) for n in rows)
    return schema, tree_of(Made((sum(rows), 0.0), 0, (), (-1, *range(branches)), leaves, missing=5))


def test_branches_that_share_a_place_add_up_their_parts_of_missing_values():
    schema, tree = shared_by_many()
    scene = drawn(tree, schema)
    hidden = [1, 2, 3, 4, 5]  # the rows with a value of the smallest branches
    assert "5 more branches" in texts(scene, "node")
    assert f"or missing ({100 * sum(hidden) / 78:.0f} %)" in texts(scene, "edge")
    assert f"{sum(hidden) + 5} rows" in texts(scene, "node")  # those without a value count once


def test_what_is_left_out_has_a_column_of_its_own():
    scene = drawn(bushy(8), AGES)
    left_out = [text for text in texts(scene, "node") if text.startswith("+")]
    assert left_out
    assert all(re.fullmatch(r"\+[\d,]+ nodes", text) for text in left_out)


def test_linear_leaves_say_their_mean_and_their_models_stand_below():
    x = [k / 2 + 0.25 for k in range(40)] * 2
    model = tw.M5Regressor().fit({"x": x}, [at if at < 10 else 60 - 2 * at for at in x])
    scene = drawn(model.tree_, model.schema_)
    check(scene)
    means = [float(text[5:]) for text in texts(scene, "node") if re.fullmatch(r"mean [\d.]+", text)]
    below = texts(scene, "caption")
    for v in (v for v in range(model.tree_.n_nodes) if not model.tree_.n_branches[v]):
        assert any(mean == pytest.approx(model.tree_.value[v, 0], rel=1e-3) for mean in means)
        assert any(line.startswith(f"[{v}] y = ") and " x" in line for line in below), below


def test_a_single_leaf():
    for orientation in ("down", "right"):
        scene = drawn(tree_of(Made((3, 5))), AGES, orientation=orientation)
        check(scene)
        assert "yes" in texts(scene, "node")


def test_many_branches_share_a_place():
    levels = tuple(f"country {k}" for k in range(30))
    schema = Schema((Column("country", Kind.NOMINAL, levels),), Target("buys", ("no", "yes")))
    leaves = tuple(Made((k + 1.0, 1.0)) for k in range(30))
    root = Made((sum(k + 1.0 for k in range(30)), 30.0), 0, (), (0, *range(30)), leaves)
    scene = drawn(tree_of(root), schema)
    check(scene)
    assert "23 more branches" in texts(scene, "node")
    assert "country 29" in texts(scene, "edge")


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_branches_without_rows_share_a_place(orientation):
    sizes = pd.Categorical(["a", "a", "a", "a", "c", "c"], categories=list("abcde"))
    model = tw.ID3Classifier().fit(pd.DataFrame({"size": sizes}), ["no", "no", "no", "yes", "yes", "yes"])
    tree, schema = model.tree_, model.schema_
    scene = drawn(tree, schema, orientation=orientation)
    check(scene)
    assert texts(scene, "node").count("no rows") == 1
    assert "b, d, e" in texts(scene, "edge")
    assert "share a place" in " ".join(texts(scene, "caption"))
    assert "is cut" not in " ".join(texts(scene, "caption"))
    assert len(cards_of(drawn(tree, schema, orientation=orientation, max_leaves=None))) == 6


def test_long_lists_of_levels_are_shortened_and_told_in_full():
    levels = tuple(f"occupation {k}" for k in range(14))
    schema = Schema((Column("job", Kind.NOMINAL, levels),), Target("buys", ("no", "yes")))
    branch_of = (0, *(0 if k < 5 else 1 for k in range(14)))
    scene = drawn(tree_of(Made((5, 5), 0, (), branch_of, (Made((4, 1)), Made((1, 4))))), schema)
    check(scene)
    assert "other (9)" in texts(scene, "edge")
    assert any(text.endswith("+2") for text in texts(scene, "edge"))
    assert all(level in scene.of_kind("edge")[1].about + scene.of_kind("edge")[0].about for level in levels)


def test_levels_sent_elsewhere_above_are_not_named():
    schema = Schema((Column("size", Kind.NOMINAL, ("S", "M", "L")),), Target("buys", ("no", "yes")))
    below = Made((2, 3), 0, (), (1, 1, 0, 1), (Made((2, 0)), Made((0, 3))))
    root = Made((5, 3), 0, (), (0, 1, 0, 0), (below, Made((3, 0))))
    said = texts(drawn(tree_of(root), schema), "edge")
    assert sorted(said) == ["L", "M", "M, L", "S"]


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_hostile_names_are_text(orientation):
    schema = Schema(
        (Column(HOSTILE[0], Kind.NOMINAL, HOSTILE), Column(HOSTILE[2], Kind.NUMERIC)), Target(HOSTILE[1], HOSTILE)
    )
    stats = tuple(np.eye(7)[k] * (k + 1.0) for k in range(7))
    root = Made(sum(stats), 0, (), (0, *range(7)), tuple(Made(s) for s in stats))
    scene = drawn(tree_of(root), schema, orientation=orientation)
    check(scene)
    text = to_svg(scene)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "\x00" not in text
    assert len(text) < 60_000
    for name in ("שלום", "🌳", "two\\nlines"):
        assert name in text


def test_names_from_right_to_left_do_not_turn_numbers():
    schema = Schema((Column("גיל", Kind.NUMERIC),), Target("קונה", ("שלום עולם", "לא")))
    root = Made((5, 4), 0, (30.5,), (0, 0, 1), (Made((4, 0)), Made((1, 4))))
    said = to_svg(drawn(tree_of(root), schema))
    assert ">שלום עולם\u200e 56 % · 9 rows<" in said  # a mark behind the name, none within it


def test_the_picture_is_told_to_those_who_cannot_see_it():
    root = ElementTree.fromstring(to_svg(drawn(play_tennis(), PLAY_TENNIS)))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "t — made"
    assert root.find(f"{SVG}desc").text == (
        "Decision tree for play: 5 leaves, depth 2, first split on outlook; a fact."
    )
    abouts = [group.find(f"{SVG}title").text for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
    assert "Node 2: if outlook = overcast, then play = yes (4; no: 0, yes: 4)" in abouts


@pytest.mark.parametrize(
    ("option", "value"),
    [("content", "pie"), ("orientation", "up"), ("theme", "red"), ("depth", -1), ("max_leaves", 0), ("colour", 1)],
)
def test_unknown_options_are_refused(option, value):
    with pytest.raises(OptionError):
        style_of({option: value})
