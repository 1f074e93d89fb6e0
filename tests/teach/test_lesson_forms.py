"""Lessons as text, Markdown, LaTeX and HTML: whole, well formed, and whatever names columns have."""

import re
from html.parser import HTMLParser

import pytest

import treewright as tw
from treewright import teach
from treewright.kernels import switch
from treewright.teach.formula_symbols import latex_formula, latex_text, mathml_formula

AWKWARD = r"50%_of &#$\{x}^~"


@pytest.fixture(autouse=True)
def plain():
    with switch.compiling("never"):
        yield


def check_latex(text: str) -> None:
    """Braces and environments are balanced, and no character is a command by accident."""
    assert not [
        letter for letter in text if "\u0370" <= letter <= "\u03ff" or "\u2080" <= letter <= "\u2089"
    ]  # of no font
    depth = 0
    for found in re.finditer(r"(?<!\\)(?:\\\\)*([{}])", text):
        depth += 1 if found[1] == "{" else -1
        assert depth >= 0
    assert depth == 0
    open_ones = []
    for begin, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", text):
        if begin == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert open_ones == []
    body = text.partition(r"\begin{document}")[2]
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", body, re.DOTALL)
    for table in tables:
        rows = [row for row in table.splitlines() if row.endswith(r"\\")]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    rest = re.sub(r"\\begin\{(tabular|align\*)\}.*?\\end\{\1\}", "", body, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[#&%]", rest)
    outside = re.sub(r"\$[^$]*\$", "", re.sub(r"\\\$", "", rest))
    assert "$" not in outside
    assert not re.search(r"(?<!\\)[_^]", outside)


class Balance(HTMLParser):
    """Every element that is opened is closed, in order."""

    void = frozenset(("meta", "br"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_html(text: str) -> list[str]:
    parser = Balance()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert "<script" not in text
    assert not re.search(r"(src|href)=.?http", text)
    return parser.seen


@pytest.mark.parametrize("topic", teach.TOPICS)
def test_every_topic_in_every_form(topic):
    lesson = teach.lesson(topic)
    latex = lesson.to_latex()
    check_latex(latex)
    assert latex.startswith(r"\documentclass")
    assert lesson.to_latex(document=False) in latex.replace("\n\n\\end{document}\n", "\n")
    seen = check_html(lesson.to_html())
    assert ("math" in seen) == ("$$" in lesson.to_markdown())
    for step in lesson.steps:
        assert step.title in lesson.to_text()
        assert latex_text(step.title) in latex
    assert str(lesson) == lesson.to_text()
    assert lesson._repr_html_() == lesson.to_html(document=False)
    assert len(lesson.to_dict()["steps"]) == len(lesson.steps)


@pytest.mark.parametrize("topic", ["id3", "c4.5", "cart", "chaid", "regression"])
def test_the_tree_is_drawn_as_it_grows(topic):
    lesson = teach.lesson(topic)
    pictures = [step.drawing for step in lesson.steps if step.drawing]
    sizes = [picture.tree.n_leaves for picture in pictures]
    assert sizes == sorted(set(sizes))
    assert "?" not in "\n".join(pictures[-1].lines())
    assert lesson.to_latex().count(r"\begin{tikzpicture}") == len(pictures)
    assert check_html(lesson.to_html()).count("svg") == len(pictures)
    whole = pictures[-1]
    assert len(whole.lines()) == whole.tree.n_nodes - 1
    assert all(f"[{v}]" in "\n".join(whole.lines()) for v in range(1, whole.tree.n_nodes))


def test_what_may_be_wider_than_the_page_is_made_to_fit():
    text = teach.lesson("regression").to_latex()
    fit = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
    assert text.count(r"\begin{tikzpicture}") == text.count(fit + r"\begin{tikzpicture}")
    assert text.count(r"\begin{tabular}") == text.count(fit + r"\begin{tabular}")
    lines = re.findall(r"^&(.*)$", text, re.MULTILINE)
    assert max(len(re.sub(r"\\[a-z]+|[{}]", "", line)) for line in lines) < 100
    assert fit + r"$\displaystyle \operatorname{V}(\text{height}) = ((185 - 172)^{2}" in text


def test_names_of_measures_may_have_letters_that_mathematics_has_not():
    assert latex_formula("Núñez(windy) = 1").startswith(r"\operatorname{\text{Núñez}}")


def test_an_open_node_is_marked():
    first = teach.lesson("id3").steps[0].drawing
    assert first.lines()[1:] == ["outlook = Rainy: ? [2] (5 rows)", "outlook = Sunny: ? [3] (5 rows)"]
    assert r"?\\ 5 rows" in first.tikz()


def test_every_method_of_pruning_draws_what_it_leaves():
    lesson = teach.lesson("pruning")
    drawn = [step for step in lesson.steps if step.drawing]
    assert len(drawn) >= 5
    for step in drawn:
        said = re.search(r"(\d+) of \d+ leaves are left", step.result)
        assert step.drawing.tree.n_leaves == (int(said[1]) if said else 7)


@pytest.mark.parametrize("topic", ["gain", "gini", "id3", "cart", "chaid", "c4.5"])
def test_names_that_are_commands_elsewhere_are_only_names(topic):
    table = {AWKWARD: ["a&b", "<i>", "#1", "a&b"] * 3, "n|m": [1, 2, 3, 4] * 3, "y_%": ["1$", "0_", "1$", "0_"] * 3}
    lesson = teach.lesson(topic, teach.rows_of(table, "y_%"))
    check_latex(lesson.to_latex())
    check_html(lesson.to_html())
    assert "<i>y" not in lesson.to_html()
    assert r"n\|m" in lesson.to_markdown() or "n|m" in lesson.to_markdown()


def test_symbols_of_formulas():
    assert latex_formula("SE = √(3·(20 − 3)/20) = 1.5969") == (r"\mathrm{SE} = \sqrt{3 \cdot (20 - 3) / 20} = 1.5969")
    assert latex_formula("χ²(x) = (4 − 3)²/3 = 0.3333") == (r"\operatorname{\chi^{2}}(x) = (4 - 3)^{2} / 3 = 0.3333")
    assert latex_formula("p = 2.7e−33 ≤ ½") == r"p = 2.7e-33 \leq \tfrac{1}{2}"
    assert latex_formula("L = e^(−3.8) = 0.02") == r"L = e^{- 3.8} = 0.02"
    assert "<msup><mi>e</mi><mrow>" in mathml_formula("L = e^(−3.8) = 0.02")
    assert "<msqrt><mrow>" in mathml_formula("SE = √(3/4)")
    low, high = ((f"<mo{how}>(</mo>", f"<mo{how}>)</mo>") for how in (' stretchy="false"', ""))
    difference = f"<mrow>{low[0]}<mn>4</mn><mo>−</mo><mn>3</mn>{low[1]}</mrow>"  # its brackets are of one height
    assert mathml_formula("2 + (4 − 3)² = 3").count(f"<mo>+</mo><msup>{difference}<mn>2</mn></msup><mo>=</mo>") == 1
    assert f"{low[0]}<msup>{difference}<mn>2</mn></msup><mo>+</mo>" in mathml_formula("((4 − 3)² + 1)²")
    assert f"<mrow>{high[0]}<mfrac><mn>1</mn><mn>4</mn></mfrac>{high[1]}</mrow>" in mathml_formula("(1/4)² = 0.0625")
    assert latex_formula("1 − (1/4)² = 0.9375") == r"1 - \left(\frac{1}{4}\right)^{2} = 0.9375"


@pytest.mark.parametrize(
    ("line", "latex"),
    [
        (
            "node 8 (outlook = Sunny): as a leaf (3 − 2)/(3 + 2) = 0.4: prune",
            r"\text{node } 8 \text{ } (\text{outlook} = \text{Sunny}) \text{: as a leaf } "
            r"(3 - 2) / (3 + 2) = 0.4 \text{: prune}",
        ),
        ("A node becomes a leaf if E ≤ 2", r"\text{A node becomes a leaf if } E \leq 2"),
        ("Gain(a) = a − 1", r"\operatorname{Gain}(a) = a - 1"),
        ("1 of 2 rows (root = 1/2", r"1 \text{ of } 2 \text{ rows } (\text{root} = \frac{1}{2}"),
    ],
)
def test_words_between_formulas_keep_their_spaces(line, latex):
    assert latex_formula(line) == latex
    words = re.findall("<mtext>(.*?)</mtext>", mathml_formula(line))
    assert "".join(words).replace("\N{NO-BREAK SPACE}", " ") == "".join(re.findall(r"\\text{(.*?)}", latex))


def test_the_best_candidate_comes_first():
    lesson = teach.lesson("gain")
    assert [step.title for step in lesson.steps[1:5]] == ["outlook", "humidity", "windy", "temperature"]
    table = next(step.table for step in lesson.steps if step.title == "Which wins")
    gains = [float(row[-1]) for row in table[1:]]
    assert gains == sorted(gains, reverse=True)
    for topic in ("id3", "cart", "c4.5", "regression"):
        root = teach.lesson(topic).steps[0]
        winner = root.result.partition(" is taken")[0].split()[0]
        assert root.table[1][0].startswith(winner)
    numbers = teach.lesson("gain", teach.rows_of({"x": [1, 2, 3, 4, 5], "y": list("aabbb")}, "y")).steps[1]
    assert numbers.table[1][0] == "x ≤ 2.5"


def test_notation():
    plain, other = teach.lesson("gain"), teach.lesson("gain", notation="H,S")
    assert other.steps[0].formulas[0].startswith("H(S) = ")
    assert other.steps[1].formulas[0].startswith("H(S[outlook = Overcast]) = ")
    assert other.steps[1].formulas[-1].startswith("Gain(S, outlook) = ")
    assert other.steps[1].table[0][-2:] == ("H", "H after")
    assert other.values == plain.values
    assert r"\operatorname{H}(S_{\text{outlook = Overcast}})" in other.to_latex()
    assert "En(K | outlook)" in teach.lesson("entropy", notation="K").to_text()
    assert not re.search(r"\bEn\b", teach.lesson("id3", notation="H").to_text())
    with pytest.raises(tw.OptionError, match="notation"):
        teach.lesson("gain", notation="Q")


@pytest.mark.parametrize("topic", ["entropy", "gain", "gain-ratio", "gini", "chi2", "id3", "cart", "c4.5", "chaid"])
def test_exercises_of_any_table(topic):
    sheet, solved = (teach.exercise(topic, "play_tennis", solution=solution) for solution in (False, True))
    assert solved.steps[: len(sheet.steps)] == sheet.steps
    assert [step.title for step in sheet.steps] == ["The rows", "The questions"]
    assert len(sheet.steps[0].table) == 15
    assert not any(re.search(r"= −?\d", line) for line in sheet.steps[1].formulas)
    lesson = teach.lesson(topic, "play_tennis")
    assert [step.values for step in solved.steps[2:]] == [step.values for step in lesson.steps]
    check_latex(solved.to_latex())


def test_an_exercise_of_a_large_table_draws_rows():
    from sklearn.datasets import load_iris

    data = load_iris()
    table = {"length": data.data[:, 2], "width": data.data[:, 3], "kind": data.target_names[data.target]}
    rows = teach.rows_of(table, "kind")
    one, same, other = (teach.exercise("gini", rows, seed=seed, n_rows=9) for seed in (1, 1, 2))
    assert one == same
    assert one.steps[0].table != other.steps[0].table
    assert len(one.steps[0].table) == 10
    assert "9 of 150 rows" in one.steps[0].remark
    assert len(teach.exercise("gini", rows).steps[0].table) == 17
    assert teach.exercise("regression").steps[1].result.startswith("Grow the tree of height")
    for topic in ("knn", "nothing"):
        with pytest.raises(tw.OptionError, match="no exercises"):
            teach.exercise(topic)


@pytest.mark.parametrize("topic", ["id3", "c4.5", "cart", "chaid", "bagging", "regression"])
def test_exercises_of_rows_in_which_most_levels_do_not_occur(topic):
    """The rows that are drawn know fewer levels and classes than the table does."""
    columns = {"x": [f"l{k:02}" for k in range(20)] * 3, "n": [k * 7 % 11 for k in range(60)]}
    columns["z"] = [("u", "v", None)[k % 3] for k in range(60)]
    of_numbers = topic == "regression"
    columns["y"] = [float(k % 13) if of_numbers else "abcdef"[k % 6] for k in range(60)]
    rows = (teach.numbers_of if of_numbers else teach.rows_of)(columns, "y")
    for seed in range(3):
        solved = teach.exercise(topic, rows, n_rows=6, seed=seed, solution=True)
        shown = {line[1] for line in solved.steps[0].table[1:]}
        named = {f"l{k:02}" for k in range(20) if f"l{k:02}" in solved.to_text()}
        assert named == shown


def test_the_questions_do_not_give_the_winner_away():
    """They stand in the order of the table."""
    asked = teach.exercise("gain", "play_tennis").steps[1].formulas
    gains = [re.search(r"Gain\((\w+)\)", line)[1] for line in asked if "Gain" in line]
    assert gains == ["outlook", "temperature", "humidity", "windy"]
