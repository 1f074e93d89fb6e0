"""Every object a user meets shows itself: in a console, in a notebook, as Markdown, as a data frame."""

import json
import re
import warnings
from html import escape
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.display import Sheet, cell_text, data_frame
from treewright.kernels import switch
from treewright.model.model_origin import origin_of

pd = pytest.importorskip("pandas")

TABLE = tw.datasets.load("play_tennis")
X, Y = {name: cells for name, cells in TABLE.X.items() if name != "day"}, TABLE.y
ROW = {name: cells[0] for name, cells in X.items()}
RNG = np.random.default_rng(0)
SIZE = RNG.normal(size=40)
NUMBERS = {"size": SIZE, "age": RNG.normal(size=40)}


def objects():
    with switch.compiling("never"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tw.CARTClassifier().fit(X, Y)
        rules = model.rule_set()
        forest = tw.RandomForestClassifier(n_trees=3).fit(X, Y)
        number = tw.CARTRegressor(max_depth=2).fit(NUMBERS, SIZE * 2)
        searched = tw.SearchTreeClassifier(cv=2).fit(X, Y)
        boosted = tw.C50Classifier(trials=2).fit(X, Y)
        near = tw.KNNClassifier(k="auto").fit(NUMBERS, SIZE > 0)
        summary = tw.summarize(model, X, Y, cv=2)
        doubled = {"size": [None, *SIZE[1:].tolist()], "twice": (2 * SIZE).tolist()}
        surrogate = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(doubled, SIZE > 0).tree_.root.surrogates[0]
        square = tw.neighbors.KDTree(np.column_stack(list(NUMBERS.values())), leaf_size=4)
        compared = tw.compare({"cart": tw.CARTClassifier(), "id3": tw.ID3Classifier()}, X, Y, cv=2)
        methods = tw.prune.compare(model, X, Y, methods=["pessimistic", "mdl"])
        return {
            "data set": TABLE,
            "inspection": tw.inspect(X),
            "model": model,
            "forest": forest,
            "neighbours": tw.KNNClassifier(k=1).fit(NUMBERS, SIZE > 0),
            "bins": tw.Discretizer().fit(NUMBERS, SIZE > 0),
            "rules as a model": tw.C45RulesClassifier().fit(X, Y),
            "schema": model.schema_,
            "column": model.schema_.columns[0],
            "target": model.schema_.target,
            "tree": model.tree_,
            "tree of numbers": number.tree_,
            "node": model.tree_.root,
            "leaf": model.tree_.node(2),
            "rules of leaves": model.rules(),
            "rule of a leaf": model.rules()[0],
            "rule set": rules,
            "rule": rules.rules[0],
            "rule report": rules.report(X, Y),
            "explanation": model.explain(ROW),
            "path step": model.explain(ROW).steps[0],
            "reason": rules.explain(ROW),
            "votes": forest.explain(ROW),
            "cubist's reason": tw.CubistRegressor().fit(NUMBERS, SIZE).explain({"size": 1.0, "age": 2.0}),
            "evaluation": tw.evaluate.evaluate(model, X, Y),
            "evaluation of numbers": tw.evaluate.evaluate(number, NUMBERS, SIZE),
            "gains": tw.evaluate.gains(model, X, Y, bins=3, benefit=2, cost=1),
            "comparison": compared,
            "row of a comparison": compared["cart"],
            "methods": methods,
            "row of methods": methods["mdl"],
            "pruning path": model.pruning_path(),
            "pruning": model.prune("pessimistic").pruned_,
            "search": searched.curve_,
            "curve": tw.evaluate.complexity_curve(model, X, Y, cv=2),
            "dependence": tw.evaluate.partial_dependence(number, NUMBERS, "size"),
            "ranking": tw.rank_attributes(X, Y),
            "ranked": tw.rank_attributes(X, Y)[0],
            "importance": model.importance("impurity"),
            "competitors": model.competitors(0),
            "competitor": model.competitors(0)["windy"],
            "rows by level": model.rows_by_level(),
            "hold-out": model.with_holdout(X, Y).holdout_,
            "cost": model.expected_cost(),
            "forest rules": forest.rules(),
            "distillation": forest.distill(max_leaves=3, n_synthetic=0),
            "out of bag": forest.oob_,
            "split": model.tree_.root.split,
            "surrogate": surrogate,
            "summary": summary,
            "node of a summary": summary[0],
            "branch of a summary": summary[0].branches[0],
            "table of complexity": summary.complexity,
            "row of a table of complexity": summary.complexity[0],
            "trials": boosted,
            "votes of trials": boosted.explain(ROW),
            "votes of neighbours": near.explain({"size": 1.0, "age": 2.0}),
            "errors by k": near.k_curve_,
            "alternatives": searched.alternatives(0),
            "alternative": searched.alternatives(0)[0],
            "column of an inspection": tw.inspect(X)[0],
            "origin": origin_of(model),
            "search report": square.report([[0.0, 0.0]]),
            "search trace": square.trace([0.0, 0.0]),
            "step of a search": square.trace([0.0, 0.0]).steps[0],
            "study of cases": tw.neighbors.case_study([2], 50, 5),
            "study of times": tw.neighbors.time_study([50], [2], n_queries=2, repeats=1),
        }


OBJECTS = objects()


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_shows_itself(name):
    made = OBJECTS[name]
    text, html, markdown, told = repr(made), made._repr_html_(), made.to_markdown(), made.to_dict()
    # no dump of a data class or of arrays
    assert not re.match(r"\w+\(\w+=", text) or (text.startswith(type(made).__name__ + "(") and hasattr(made, "fit"))
    assert "array(" not in text
    assert "0x" not in text
    assert re.search(r"<(table|pre|iframe|style)", html)
    assert markdown.startswith(("|", "**", "```"))
    assert isinstance(told, dict)
    assert told
    frame = made.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame)


def test_html_is_escaped_and_lines_are_one():
    sheet = Sheet({"level": ["<b>", "a|b\nc"], "n": [1, None]}, "<title>", ("a & b",))
    assert "&lt;b&gt;" in sheet.html()
    assert "&lt;title&gt;" in sheet.html()
    assert "a &amp; b" in sheet.html()
    assert "| a\\|b c |  |" in sheet.markdown()
    assert "a|b c" in sheet.text()


def test_long_sheets_say_how_many_rows_there_are():
    sheet = Sheet({"n": list(range(100))})
    assert sheet.text().splitlines()[-1] == "… and 40 more rows; to_frame() has them all"
    assert sheet.html().count("<tr>") == 61
    assert len(sheet.text(most=None).splitlines()) == 101


def test_numbers_are_short_and_set_to_the_right():
    assert cell_text(np.float64(1 / 3)) == "0.3333"
    assert cell_text(np.int64(1234)) == "1,234"
    assert cell_text(np.nan) == ""
    assert 'class="number"' in Sheet({"n": [1.5]}).html()
    assert "---:" in Sheet({"n": [1.5]}).markdown()


def test_without_pandas_a_frame_is_of_polars(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert type(data_frame({"a": [1, 2]})).__module__.startswith("polars")


@pytest.mark.slow
def test_a_notebook_shows_them_all(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(tw.__file__).parent.parent))  # the kernel is another process
    nbformat, nbclient = (
        pytest.importorskip(name, reason="a notebook is executed") for name in ("nbformat", "nbclient")
    )
    pytest.importorskip("ipykernel", reason="a notebook is executed")
    start = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import treewright as tw\n"
        "t = tw.datasets.load('play_tennis')\n"
        "m = tw.CARTClassifier().fit(t.X, t.y)\n"
        "row = {name: cells[0] for name, cells in t.X.items()}"
    )
    shown = [
        "t", "tw.inspect(t.X)", "m", "m.schema_", "m.tree_", "m.tree_.root", "m.rules()", "m.rule_set().rules[0]",
        "m.explain(row)", "tw.evaluate.evaluate(m, t.X, t.y)", "m.pruning_path()", "m.prune('pessimistic').pruned_",
        "tw.rank_attributes(t.X, t.y)", "m.importance('impurity')", "m.competitors(0)",
        "tw.evaluate.complexity_curve(m, t.X, t.y, cv=2)", "m.rows_by_level()",
    ]  # fmt: skip
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (start, *shown)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells[1:]:
        (output,) = [one for one in cell.outputs if one.output_type == "execute_result"]
        assert {"text/plain", "text/html"} <= set(output.data), cell.source
        assert not re.match(r"\w+\(\w+=", output.data["text/plain"]), cell.source
    assert json.loads(nbformat.writes(notebook))["cells"]


def test_the_results_of_a_lesson_are_a_data_frame():
    lesson = tw.teach.lesson("gain")
    frame = lesson.to_frame()
    assert list(frame.columns) == ["step", "title", "name", "value"]
    assert len(frame) == sum(len(step.values) for step in lesson.steps)
    step = lesson.steps[1]
    assert repr(step).startswith("Step 2.")
    assert "<table" in step._repr_html_()
    assert step.to_markdown().startswith("## 2.")
    assert len(step.to_frame()) == len(step.values)


@pytest.mark.parametrize("name", ["neighbours", "bins"])
def test_a_fitted_model_without_a_page_has_a_table_of_its_own(name):
    shown = OBJECTS[name]._repr_html_()
    assert "treewright-sheet" in shown
    assert escape(str(OBJECTS[name])) in shown
