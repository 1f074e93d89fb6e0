"""The page in a real browser: looked at, clicked, typed into, walked by keys."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import treewright as tw
from browser import PHONE, WIDE, browser, needs_browser

pytestmark = [needs_browser, pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")]
UP, DOWN, LEFT, RIGHT, ENTER, TAB = "\ue013", "\ue015", "\ue012", "\ue014", "\ue007", "\ue004"
MOST_ELEMENTS = 3000


@cache  # a model knows the rows of its fit only as long as they live
def iris() -> tuple[pd.DataFrame, pd.Series]:
    data = load_iris(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target], name="species")


@cache
def customers(n_rows: int = 900) -> tuple[pd.DataFrame, pd.Series]:
    """Long levels, many of them, and missing values."""
    rng = np.random.default_rng(0)
    jobs = [f"Profession of a rather long name, number {k}" for k in range(14)]
    table = pd.DataFrame({
        "age": rng.integers(17, 90, n_rows).astype(float),
        "occupation": rng.choice([*jobs, None], n_rows),
        "region": rng.choice(list("ABCDEFGHIJKL"), n_rows),
        "hours per week": rng.integers(5, 80, n_rows).astype(float),
    })  # fmt: skip
    table.loc[rng.random(n_rows) < 0.1, "age"] = None
    rich = (table["age"].fillna(40) > 35).to_numpy() & table["occupation"].isin(jobs[:5]).to_numpy()
    return table, pd.Series(np.where(rich ^ (rng.random(n_rows) < 0.15), ">50K", "<=50K"), name="income")


@pytest.fixture(scope="module")
def page():
    with browser() as shown:
        yield shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def flowers(folder):
    model = tw.CARTClassifier().fit(*iris())
    model.to_html(folder / "iris.html", rows=iris()[0][:3])
    return model


@pytest.fixture(scope="module")
def buyers(folder):
    model = tw.C45Classifier(min_cases=4).fit(*customers())
    model.to_html(folder / "customers.html")
    return model


def until(true: Callable[[], Any]) -> Any:
    """What a function returns as soon as that is something; pictures may come a moment later."""
    for _ in range(100):
        found = true()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"never came true: {true}")


def shown(page) -> list[int]:
    return page.run("return [...document.querySelectorAll('[role=treeitem]')].map(e => Number(e.dataset.node))")


def selected(page) -> int:
    return int(page.run("return document.querySelector('.card.selected').dataset.node"))  # at once: pages draw anew


def is_quiet(page) -> None:
    assert page.console() == []
    assert page.requests() == []


# ---- what is seen at first -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_page_opens_fitted(page, folder, flowers, buyers, size):
    for name, model in (("iris", flowers), ("customers", buyers)):
        page.open(folder / f"{name}.html", size)
        places = {box["node"]: box for box in page.boxes(".card .box")}
        inside = [
            v for v, box in places.items() if box["x"] >= 0 and box["x"] + box["w"] <= size[0] and box["y"] < size[1]
        ]
        assert {0, 1, 2} <= {int(model.tree_.depths()[v]) for v in inside if v >= 0}
        assert page.run("return document.documentElement.scrollWidth") <= size[0]
        is_quiet(page)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_cards_do_not_overlap_and_text_is_large_enough(page, folder, flowers, buyers, size):
    for name in ("iris", "customers"):
        page.open(folder / f"{name}.html", size)
        for a, b in combinations(page.boxes(".card .box"), 2):
            apart = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            assert apart or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"], (name, a, b)
        sizes = page.run(
            "return [...document.querySelectorAll('.tw *')].filter(e => e.textContent.trim() && !e.children.length)"
            ".map(e => parseFloat(getComputedStyle(e).fontSize))"
        )
        assert min(sizes) >= 11
        wide = page.run(
            "return [...document.querySelectorAll('.card')].filter(c => { const box = c.querySelector('.box')"
            ".getBoundingClientRect(); return [...c.querySelectorAll(':scope > text')].some(t => {"
            " const b = t.getBoundingClientRect();"
            " return b.left < box.left - 1 || b.right > box.right + 1; }); }).length"
        )
        assert wide == 0


def test_a_frame_that_gets_its_size_late_opens_fitted(page, folder, flowers):
    page.open(folder / "iris.html", (300, 400))
    before = shown(page)
    width, height = 1000, 640
    page.run_command(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
    )
    until(lambda: page.boxes(".detail")[0]["w"] > 480)
    until(lambda: min(box["w"] for box in page.boxes(".card .box")) >= 114)  # cards that tell prediction and rows
    assert before == shown(page) or len(shown(page)) < len(before)
    page.part("fold").click()
    page.run_command("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    until(lambda: page.boxes(".detail")[0]["w"] > 900)
    assert shown(page) == [0]  # what the reader has folded stays so


def test_controls_are_large_enough_to_touch(page, folder, flowers):
    page.open(folder / "iris.html", PHONE)
    boxes = page.boxes("button, select, summary, input[type=search], input[type=checkbox], .fold .target")
    assert min(min(box["w"], box["h"]) for box in boxes if box["w"]) >= 24


# ---- folding, searching, keys ----------------------------------------------------------------------------------------


def test_a_folded_node_stays_under_the_pointer(page, folder, flowers):
    page.open(folder / "iris.html")
    before, nodes = {box["node"]: box for box in page.boxes(".card .box")}, len(shown(page))
    page.run("document.querySelector('[data-fold=\"3\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    after = {box["node"]: box for box in page.boxes(".card .box")}
    assert len(shown(page)) < nodes
    assert page.find('[data-node="3"]').get_attribute("aria-expanded") == "false"
    assert abs(before[3]["x"] - after[3]["x"]) < 1
    assert abs(before[3]["y"] - after[3]["y"]) < 1
    page.part("fold").click()  # folds the selected one, the root
    assert shown(page) == [0]
    is_quiet(page)


def test_a_click_selects_and_the_panel_tells(page, folder, flowers):
    page.open(folder / "iris.html")
    page.find('[data-node="2"] .box').click()
    panel = page.part("panel").text
    assert selected(page) == 2
    assert "petal length (cm) > 2.45" in panel
    assert "100 (67 % of all)" in panel
    assert "Missing values go to" in panel
    page.find('[data-copy="sql"]').click()
    assert until(lambda: page.find(".copied").text).startswith('("petal length (cm)" > 2.45 OR')


def test_a_large_card_has_the_histogram_with_the_cut(page, folder, flowers):
    page.open(folder / "iris.html")
    assert page.all(".card .cut") == []
    assert len(page.all(".panel-node .histogram .cut")) == 1
    page.find("[role=tree]").send_keys("+++++")
    assert page.all(".card .cut") != []
    is_quiet(page)


def test_a_first_view_shows_as_much_as_can_be_read(page, folder):
    """A deep tree of 26 classes: several levels, not a few nodes in a large empty room."""
    rng = np.random.default_rng(0)
    codes, centre = rng.integers(0, 26, 3000), rng.normal(size=(26, 8)) * 2
    table = pd.DataFrame(centre[codes] + rng.normal(size=(3000, 8)), columns=[f"x{k}" for k in range(8)])
    tw.CARTClassifier(max_leaves=40).fit(table, [chr(65 + code) for code in codes]).to_html(folder / "letters.html")
    page.open(folder / "letters.html")
    boxes = page.boxes(".card .box")
    assert len(boxes) >= 20
    assert min(box["w"] for box in boxes) >= 114  # the width at which cards tell prediction, share and rows
    marks = page.boxes(".fold rect:first-child")
    assert max(mark["x"] + mark["w"] for mark in marks) <= page.run(
        "return document.querySelector('.detail').getBoundingClientRect().right"
    )
    is_quiet(page)


def test_marks_of_folded_nodes_and_labels_do_not_overlap(page, folder):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(4000, 6)), columns=[f"sensor {k}" for k in range(6)])
    tw.CARTClassifier().fit(X, rng.random(4000) < 0.5).to_html(folder / "marks.html")
    page.open(folder / "marks.html")
    words = page.boxes(".condition")
    marks = page.boxes(".fold rect:first-child")
    assert len(words) > 15
    assert any(
        "+" in text for text in page.run("return [...document.querySelectorAll('.fold')].map(e => e.textContent)")
    )
    for one in words:
        for mark in marks:
            apart = one["x"] + one["w"] <= mark["x"] + 1 or mark["x"] + mark["w"] <= one["x"] + 1
            assert apart or one["y"] + one["h"] <= mark["y"] + 3 or mark["y"] + mark["h"] <= one["y"] + 3, (one, mark)
    for a, b in combinations(words, 2):
        apart = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
        assert apart or a["y"] + a["h"] <= b["y"] + 3 or b["y"] + b["h"] <= a["y"] + 3, (a, b)


def test_edges_say_where_missing_values_went(page, folder, buyers):
    page.open(folder / "customers.html")
    said = page.run("return [...document.querySelectorAll('.condition')].map(e => e.textContent)")
    assert any(re.search(r" or missing \(\d+ %\)$", text) for text in said), said  # C4.5: by share


def test_the_branch_of_most_levels_is_the_other_one(page, folder):
    X, y = customers()
    model = tw.CARTClassifier(max_depth=1).fit(X[["occupation", "hours per week"]], y)
    model.to_html(folder / "levels.html")
    page.open(folder / "levels.html")
    said = page.run("return [...document.querySelectorAll('.condition')].map(e => e.textContent)")
    taken = np.bincount(model.tree_.root.split.branch_of[1:])
    assert any(text.startswith(f"other ({taken.max()})") for text in said), said


def test_depth_buttons(page, folder, flowers):
    page.open(folder / "iris.html")
    page.part("depth-less").click()
    page.part("depth-less").click()
    assert page.part("depth-value").text == "3 of 5"
    assert max(flowers.tree_.depths()[v] for v in shown(page)) == 3
    page.part("depth-more").click()
    assert max(flowers.tree_.depths()[v] for v in shown(page)) == 4


def test_search_finds_columns_levels_and_numbers(page, folder, buyers):
    page.open(folder / "customers.html")
    box = page.part("search")
    box.send_keys("number 13")
    until(lambda: page.find(".found").text.endswith(("nodes", "node")))
    box.send_keys(ENTER)
    assert "number 13" in page.part("panel").text
    box.clear()
    leaf = int(np.flatnonzero(buyers.tree_.n_branches == 0)[-1])
    box.send_keys(str(leaf), ENTER)
    assert selected(page) == leaf
    is_quiet(page)


def test_the_keyboard_is_enough(page, folder, flowers):
    page.open(folder / "iris.html")
    for _ in range(40):
        page.keys(TAB)
        if page.run("return document.activeElement.getAttribute('role')") == "tree":
            break
    tree = page.find("[role=tree]")
    page.keys(DOWN)
    assert selected(page) == 1
    page.keys(RIGHT)
    assert selected(page) == 2
    page.keys(DOWN)
    assert selected(page) == 3
    assert tree.get_attribute("aria-activedescendant") == page.find(".card.selected").get_attribute("id")
    assert "petal length (cm) > 2.45" in page.find(".card.selected").get_attribute("aria-label")
    nodes = len(shown(page))
    page.keys(ENTER)
    assert len(shown(page)) < nodes
    page.keys(UP)
    assert selected(page) == 2
    page.keys("/")
    assert page.run("return document.activeElement.dataset.part") == "search"
    page.keys("versi", ENTER)
    assert selected(page) > 0
    tree.click()
    page.keys("?")
    assert page.find("dialog").get_attribute("open") is not None
    is_quiet(page)


def test_roles_say_what_the_tree_is(page, folder, flowers):
    page.open(folder / "iris.html")
    items = page.run(
        "return [...document.querySelectorAll('[role=tree] [role=treeitem]')].map(e => [Number(e.dataset.node),"
        " Number(e.getAttribute('aria-level')), e.getAttribute('aria-label')])"
    )
    depths, rules = flowers.tree_.depths(), {rule.leaf: str(rule).partition("   (")[0] for rule in flowers.rules()}
    assert [level for _, level, _ in items] == [depths[v] + 1 for v, _, _ in items]
    assert all(rules[v] in label for v, _, label in items if v in rules)
    assert len(rules) <= sum(v in rules for v, _, _ in items)


# ---- rows ------------------------------------------------------------------------------------------------------------


def typed(page, row: pd.DataFrame, schema) -> dict[str, Any]:
    """A row is written into the form, as far as the model asks for its columns; what the last line then says."""
    columns = {column.name: column for column in schema.columns}
    written = {name: in_form(columns[name], value) for name, value in row.iloc[0].to_dict().items()}
    return page.run(
        "const form = document.querySelector('.row-form');"
        " for (const box of form.querySelectorAll('[data-column]')) {"
        "   box.value = arguments[0][box.dataset.column]; box.dispatchEvent(new Event('change', {bubbles: true})); }"
        " form.querySelector('button[type=submit]').click();"
        " const line = document.querySelector('[data-part=path-table] .outcome');"
        " return {...line.dataset, value: JSON.parse(line.dataset.value), words: line.textContent,"
        "   trail: [...document.querySelectorAll('.card.trail')].map(e => Number(e.dataset.node))};",
        written,
    )


def in_form(column, value) -> str:
    if value is None or value != value:
        return ""
    return str(value if column.kind == "numeric" else column.code_of[value])


@pytest.mark.parametrize("name", ["iris", "customers"])
def test_a_typed_row_ends_where_the_model_sends_it(page, folder, flowers, buyers, name):
    model, (X, _) = {"iris": (flowers, iris()), "customers": (buyers, customers())}[name]
    page.open(folder / f"{name}.html")
    for place in range(0, len(X), len(X) // 12):
        row = X.iloc[[place]]
        found = typed(page, row, model.schema_)
        assert int(found["leaf"]) == model.apply(row)[0]
        assert found["value"] == model.predict_proba(row)[0].tolist()
        assert all(str(int(p) if p == int(p) else p) in found["words"] for p in found["value"] if p > 0)
        assert str(model.predict(row)[0]) in found["words"]
        assert int(found["leaf"]) in found["trail"]
    is_quiet(page)


def test_rows_that_were_given_can_be_picked(page, folder, flowers):
    page.open(folder / "iris.html")
    page.set_value(page.part("row-pick"), "2", "change")
    line = page.find('[data-part="path-table"] .outcome')
    assert int(line.get_attribute("data-leaf")) == flowers.apply(iris()[0][2:3])[0]
    host = page.boxes(".detail")[0]
    for box in page.boxes(".card.trail .box"):  # the whole path is in sight
        assert host["x"] <= box["x"] <= host["x"] + host["w"] - box["w"]
        assert host["y"] <= box["y"] <= host["y"] + host["h"] - box["h"]


def test_what_is_no_number_is_refused(page, folder, flowers):
    page.open(folder / "iris.html")
    page.find('[data-column="petal length (cm)"]').send_keys("long")
    page.find(".row-form button[type=submit]").click()
    assert "is not a number" in page.find(".problem").text
    assert page.all('[data-part="path-table"]') == []


# ---- sliders, colours, files -----------------------------------------------------------------------------------------


def test_sliders_fade_what_falls_below(page, folder, flowers):
    page.open(folder / "iris.html")
    assert page.all(".card.faded") == []
    page.set_value(page.part("support"), 60)
    faded = {int(card.get_attribute("data-node")) for card in page.all(".card.faded")}
    least = round(150**0.6)
    assert faded == {v for v in range(flowers.tree_.n_nodes) if flowers.tree_.rows[v] < least}
    page.set_value(page.part("support"), 0)
    page.set_value(page.part("confidence"), 100)
    assert {0, 1} & {int(card.get_attribute("data-node")) for card in page.all(".card.faded")} == set()


def test_paper_is_white_where_the_screen_is_dark(page, folder, flowers):
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    ink = "return getComputedStyle(document.querySelector('[data-node=\"0\"] text')).fill"
    try:
        page.run_command("Emulation.setEmulatedMedia", features=dark)
        page.open(folder / "iris.html")
        assert page.run(ink) == "rgb(236, 239, 243)"
        page.run_command("Emulation.setEmulatedMedia", media="print", features=dark)
        assert until(lambda: page.run(ink) == "rgb(27, 31, 36)")
        width = page.run("return document.querySelector('.picture').getAttribute('viewBox')").split()[2]
        assert int(width) > 0  # the picture is scaled to the paper
    finally:
        page.run_command("Emulation.setEmulatedMedia", media="", features=[])


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_paper_has_all_of_what_is_shown(page, folder, buyers, size):
    page.open(folder / "customers.html", size)
    before = page.boxes(".card .box")
    nodes = shown(page)
    page.run("dispatchEvent(new Event('beforeprint'))")
    width, height = map(
        float, page.run("return document.querySelector('.picture').getAttribute('viewBox')").split()[2:]
    )
    assert shown(page) == nodes
    boxes = page.run(
        "return [...document.querySelectorAll('.card')].map(e => { const at = e.transform.baseVal[0].matrix;"
        " const box = e.querySelector('.box');"
        " return [at.e, at.f, box.width.baseVal.value, box.height.baseVal.value]; })"
    )
    assert len(boxes) == len(before)
    for x, y, w, h in boxes:
        assert 0 <= x <= width - w
        assert 0 <= y <= height - h
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.boxes(".card .box") == before
    is_quiet(page)


def test_edges_are_as_wide_as_their_rows_until_that_is_switched_off(page, folder, flowers):
    page.open(folder / "iris.html")
    widths = page.run("return [...document.querySelectorAll('.flow')].map(e => Number(e.getAttribute('stroke-width')))")
    whole = {22 * rows / 150 for rows in flowers.tree_.rows.tolist()}
    assert widths
    assert all(any(abs(width - one) < 1e-6 for one in whole) for width in widths)
    assert "edge width: rows" in page.find(".legend").text
    page.part("widths").click()
    assert page.all(".flow") == []
    assert "edge width" not in page.find(".legend").text


def test_every_colouring_draws(page, folder, flowers):
    page.open(folder / "iris.html")
    seen = set()
    for way in page.run("return [...document.querySelector('[data-part=colour]').options].map(o => o.value)"):
        page.set_value(page.part("colour"), way, "change")
        seen.add(page.find('[data-node="5"] .stripe').get_attribute("fill"))
    assert len(seen) == 3
    is_quiet(page)


def test_the_view_is_saved_as_it_is_seen(page, folder, flowers, tmp_path):
    page.open(folder / "iris.html")
    page.run_command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.part("save").click()
    picture = until(lambda: next(tmp_path.glob("*.svg"), None))
    text = until(lambda: picture.read_text(encoding="utf-8"))
    assert text.startswith("<svg")
    assert "versicolor" in text
    assert text.count('role="treeitem"') == flowers.tree_.n_nodes
    assert text.count(">setosa<") == 3  # the root, its leaf and the legend
    styles = re.findall(r'<text[^>]* style="([^"]*)"', text)
    assert all("font-family:" in style and "font-size:" in style for style in styles), "other programs read no font:"
    page.part("save-png").click()
    assert until(lambda: next(tmp_path.glob("*.png"), None)).read_bytes()[:4] == b"\x89PNG"
    is_quiet(page)


# ---- any tree --------------------------------------------------------------------------------------------------------


def test_names_are_text_whatever_they_are(page, folder):
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    levels = [evil, "שלום עולם", "🙂🙃", 'it\'s "quoted"', "long " * 2000, "back\\slash", "</script>", "\u202eabc"]
    X = pd.DataFrame({f"col {evil}": levels * 8, "number <b>": np.arange(64.0)})
    y = pd.Series([f"class {evil}", "العربية"] * 4 * 8, name=f"target {evil}")
    model = tw.ID3Classifier().fit(X, y)
    model.to_html(folder / "evil.html")
    for size in (WIDE, PHONE):
        page.open(folder / "evil.html", size)
        assert page.all("img") == []
        assert len(page.all("script")) == 2
        assert "<script>alert(1)</script>" in page.find("h1").text
        assert len(shown(page)) >= 8
        page.find("[data-node='1']").click()
        assert page.run("return document.documentElement.scrollWidth") <= size[0]
        is_quiet(page)


@pytest.mark.parametrize(
    "estimator", [tw.RandomForestClassifier(n_trees=3), tw.C45RulesClassifier(), tw.C50Classifier(trials=3)]
)
def test_names_are_text_in_every_view(page, folder, estimator):
    evil = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    levels = [evil, "שלום עולם", "🙂🙃", "long " * 2000, "</script>", "\u202eabc"]
    X = pd.DataFrame({f"col {evil}": levels * 12, "number <b>": np.arange(72.0) % 7, "also": np.arange(72.0) % 5})
    y = pd.Series([f"class {evil}", "العربية", "third"] * 24, name=f"target {evil}")
    model = estimator.fit(X, y)
    model.to_html(folder / "evil.html", rows=X[:4])
    for size in (WIDE, PHONE):
        page.open(folder / "evil.html", size)
        page.run("for (const one of document.querySelectorAll('details.row')) one.open = true")
        page.set_value(page.part("row-pick"), "0", "change")
        line = page.find('[data-part="path-table"] .outcome')
        assert json.loads(line.get_attribute("data-value")) == model.predict_proba(X[:1])[0].tolist()
        assert page.all("img") == []
        assert len(page.all("script")) == 2
        assert "<script>alert(1)</script>" in page.find("h1").text
        assert page.run("return document.documentElement.scrollWidth") <= size[0]
        is_quiet(page)


@pytest.mark.slow
def test_a_tree_of_20_000_nodes_is_light(page, folder):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((45_000, 6)), columns=list("abcdef"))
    model = tw.CARTClassifier(max_leaves=10_000).fit(X, np.where(rng.random(45_000) < 0.5, "yes", "no"))
    assert model.tree_.n_nodes > 18_000
    text = model.to_html(folder / "large.html")
    assert len(text.encode("utf-8")) < 1_000_000
    page.open(folder / "large.html")
    count = "return document.querySelectorAll('*').length"
    assert page.run(count) <= MOST_ELEMENTS
    for _ in range(6):
        page.part("depth-more").click()
        assert page.run(count) <= MOST_ELEMENTS
    leaf = int(model.apply(X[7:8])[0])
    page.part("search").send_keys(str(leaf), ENTER)
    assert selected(page) == leaf
    assert page.run(count) <= MOST_ELEMENTS
    is_quiet(page)


def test_the_file_does_not_grow_with_the_rows():
    X, y = iris()
    small = tw.CARTClassifier(max_depth=2).fit(X, y).to_html()
    many = pd.concat([X] * 40)  # held: the page shows what the rows of the fit say while they live
    large = tw.CARTClassifier(max_depth=2).fit(many, pd.concat([y] * 40)).to_html()
    assert abs(len(small) - len(large)) < 600  # wider integers, for 5,850 rows more


@pytest.mark.parametrize("name", ["single leaf", "regression", "medians", "many classes", "CHAID"])
def test_any_tree_is_shown(page, folder, name):
    rng = np.random.default_rng(1)
    numbers = load_diabetes(as_frame=True)
    many = np.array([f"class {k}" for k in range(50)])[(numbers.data["bmi"].rank(pct=True) * 49.9).astype(int)]
    model = {
        "single leaf": lambda: tw.CARTClassifier(max_depth=1, min_gain=0.9).fit(*iris()),
        "regression": lambda: tw.CARTRegressor(max_leaves=30).fit(numbers.data, numbers.target),
        "medians": lambda: tw.CARTRegressor(criterion="absolute_error", max_depth=3).fit(numbers.data, numbers.target),
        "many classes": lambda: tw.CARTClassifier(max_leaves=60).fit(numbers.data, many),
        "CHAID": lambda: tw.CHAIDClassifier(min_rows_leaf=10).fit(*customers()),
    }[name]()
    model.to_html(folder / "any.html")
    for size in (WIDE, PHONE):
        page.open(folder / "any.html", size)
        assert 0 in shown(page)
        leaf = int(rng.choice(np.flatnonzero(model.tree_.n_branches == 0)))
        page.part("search").send_keys(str(leaf), ENTER)
        assert selected(page) == leaf
        if model.tree_.n_branches[0]:
            page.part("search").clear()
            page.part("search").send_keys("0", ENTER)
            assert "Competing splits" in page.part("panel").text
        is_quiet(page)


def test_rules_have_a_view_of_their_own(page, folder):
    X, y = customers()
    model = tw.C45RulesClassifier(min_cases=10).fit(X, y)
    model.to_html(folder / "rules.html")
    page.open(folder / "rules.html")
    assert len(page.all(".rules li")) == len(model.rule_set()) + 1
    for place in range(0, 900, 150):
        row = X.iloc[[place]]
        found = typed(page, row, model.schema_)
        assert found["value"] == model.predict_proba(row)[0].tolist()
        assert int(found["rule"]) == model.rule_set().fired(row)[0]
    page.part("search").send_keys("age")
    assert len(page.all(".rules li")) <= len(model.rule_set()) + 1
    is_quiet(page)


FOREST_OF = {"forest": tw.RandomForestClassifier(n_trees=6), "boosted": tw.C50Classifier(trials=4)}


@pytest.mark.parametrize("name", FOREST_OF)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_models_of_many_trees_have_a_view_of_their_own(page, folder, name, size):
    X, y = iris() if name == "boosted" else customers()
    model = FOREST_OF[name].fit(X, y)
    model.to_html(folder / "many.html", rows=X[:3])
    page.open(folder / "many.html", size)
    members = page.all("[role=listbox] [role=option]")
    assert len(members) == len(model.members_ if name == "forest" else model._trials)
    assert len(shown(page)) > 1
    page.run("document.querySelector('.all details.row').open = true")
    for place in range(0, len(X), len(X) // 3):
        row = X.iloc[[place]]
        found = typed(page, row, model.schema_)
        assert found["value"] == model.predict_proba(row)[0].tolist()
        assert str(model.predict(row)[0]) in found["words"]
    page.run("document.querySelector('[role=listbox]').focus()")
    page.keys(DOWN)
    assert page.run("return document.querySelector('[role=option][aria-selected=true]').dataset.member") == "1"
    assert page.run("return document.querySelectorAll('.card.trail').length") > 0  # the row's path in this tree too
    assert page.run("return document.documentElement.scrollWidth") <= size[0]
    is_quiet(page)


def test_committees_of_cubist_are_shown(page, folder):
    numbers = load_diabetes(as_frame=True)
    model = tw.CubistRegressor(committees=3).fit(numbers.data, numbers.target)
    model.to_html(folder / "cubist.html", rows=numbers.data[:3])
    page.open(folder / "cubist.html")
    assert len(page.all("[role=option]")) == 3
    assert len(page.all(".rules li")) == len(model.rule_sets()[0]) + 1
    page.set_value(page.part("row-pick"), "2", "change")
    line = page.find('[data-part="path-table"] .outcome')
    assert json.loads(line.get_attribute("data-value")) == model.predict(numbers.data[2:3]).tolist()
    is_quiet(page)


def test_cubist_with_neighbours_says_that_these_are_left_out(page, folder):
    numbers = load_diabetes(as_frame=True)
    model = tw.CubistRegressor(committees=2, neighbors=3).fit(numbers.data, numbers.target)
    model.to_html(folder / "neighbours.html", rows=numbers.data[:3])
    page.open(folder / "neighbours.html")
    page.set_value(page.part("row-pick"), "2", "change")
    said = page.find('[data-part="path-table"] .outcome').text
    assert said.startswith("Prediction before near rows correct it: ")


@pytest.mark.slow
def test_linear_leaves_have_a_table_of_their_terms(page, folder):
    numbers = load_diabetes(as_frame=True)
    model = tw.M5Regressor().fit(numbers.data, numbers.target)
    model.to_html(folder / "m5.html", rows=numbers.data[:3])
    page.open(folder / "m5.html")
    said = page.run("return document.querySelector('[data-node=\"0\"]').textContent")
    assert f"{numbers.target.mean():.1f}" in said  # cards say the mean, not the beginning of an equation
    assert " + " not in said
    page.set_value(page.part("row-pick"), "1", "change")
    sums = page.run("return [...document.querySelectorAll('[data-part=linear-model] tfoot td')].at(-1).textContent")
    leaf = int(model.apply(numbers.data[1:2])[0])
    assert selected(page) == leaf
    low, high = model.tree_.models.low[leaf], model.tree_.models.high[leaf]
    assert np.clip(float(sums), low, high) == pytest.approx(model.predict(numbers.data[1:2])[0], rel=1e-4)
    is_quiet(page)


@pytest.mark.slow
def test_a_notebook_shows_several(page, folder):
    nbformat, nbclient = (
        pytest.importorskip("nbformat", reason="a notebook is executed"),
        pytest.importorskip("nbclient", reason="a notebook is executed"),
    )
    nbconvert = pytest.importorskip("nbconvert", reason="a notebook is executed")
    pytest.importorskip("ipykernel", reason="a notebook is executed")
    fit = """
import treewright as tw
table = tw.datasets.load("play_tennis")
X = {name: table.X[name] for name in ("outlook", "windy")}
"""
    cells = [
        f"{fit}\ntw.ID3Classifier().fit(X, table.y)",
        "tw.CARTClassifier(max_depth=1).fit(X, table.y)",
        "tw.ID3Classifier().fit(X, table.y).rule_set()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    body, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    path = folder / "notebook.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'>{body}", encoding="utf-8")
    page.open(path)
    frames = page.all("iframe")
    assert len(frames) == 3
    assert all("allow-same-origin" not in frame.get_attribute("sandbox") for frame in frames)
    for frame, selector in zip(frames, ("[role=treeitem]", "[role=treeitem]", ".rules li")):
        page.driver.switch_to.frame(frame)
        assert until(lambda selector=selector: len(page.all(selector))) >= 3
        page.driver.switch_to.default_content()
    is_quiet(page)
