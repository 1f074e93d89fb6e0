"""The report of a model: what it holds is what the library says elsewhere."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import treewright as tw
from browser import browser, needs_browser
from treewright.model.shown.model_report import report_of

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def halves(numbers: bool = False):
    data = load_diabetes(as_frame=True) if numbers else load_iris(as_frame=True)
    y = data.target.rename("progression") if numbers else pd.Series(data.target_names[data.target], name="species")
    return data.data[::2], y[::2], data.data[1::2], y[1::2]


def table(report, heading: str):
    (found,) = (section for section in (*report.before, *report.after) if section.heading == heading)
    return found


def test_metrics_are_those_of_evaluate():
    X, y, X_new, y_new = halves()
    model = tw.CARTClassifier().fit(X, y)
    report, found = report_of(model, X_new, y_new), tw.evaluate.evaluate(model, X_new, y_new)
    metrics = dict(table(report, "How well it predicts these rows").rows)
    assert metrics["accuracy"] == f"{100 * (1 - found.error):.1f} %"
    confusion = [[int(cell) for cell in row[1:]] for row in table(report, "Confusion").rows]
    assert confusion == found.confusion.tolist()
    assert len(table(report, "Rules").rows) == model.tree_.n_leaves
    assert [row[0] for row in table(report, "Columns, each alone as the first test").rows] == list(
        tw.rank_attributes(X_new, y_new).names
    )


def test_the_page_in_it_knows_the_hold_out():
    X, y, X_new, y_new = halves()
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    found = model.with_holdout(X_new, y_new).holdout_
    assert found.rows.tolist() == model.decision_path(X_new).toarray().sum(0).tolist()
    wrong = model.predict(X_new) != y_new.to_numpy()
    assert found.total == wrong.mean()
    leaves = model.apply(X_new)
    for leaf in np.unique(leaves):
        assert found.error[leaf] == pytest.approx(wrong[leaves == leaf].mean())
    assert report_of(model, X_new, y_new).view["holdout"]["error"] == wrong.mean()


def test_the_hold_out_of_a_report_is_its_own_rows():
    X, y, X_new, y_new = halves()
    model = tw.CARTClassifier(max_depth=2).fit(X, y).with_holdout(X[:10], y[:10])
    wrong = model.predict(X_new) != y_new.to_numpy()
    assert report_of(model, X_new, y_new).view["holdout"]["error"] == wrong.mean()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_errors_of_numbers_at_nodes(criterion):
    X, y, X_new, y_new = halves(numbers=True)
    model = tw.CARTRegressor(max_depth=3, criterion=criterion).fit(X, y)
    found = model.with_holdout(X_new, y_new).holdout_
    away, leaves = np.abs(model.predict(X_new) - y_new.to_numpy()), model.apply(X_new)
    mean = (lambda x: np.sqrt((x**2).mean())) if criterion == "squared_error" else np.mean
    assert found.total == pytest.approx(mean(away))
    for leaf in np.unique(leaves):
        assert found.error[leaf] == pytest.approx(mean(away[leaves == leaf]))


def test_a_report_of_numbers_and_one_of_rules(tmp_path):
    X, y, X_new, y_new = halves(numbers=True)
    tw.CARTRegressor(max_depth=3).fit(X, y).report(tmp_path / "numbers.html", X_new, y_new)
    text = (tmp_path / "numbers.html").read_text(encoding="utf-8")
    assert "root mean squared error" in text
    assert "Errors of smaller trees" in text
    X, y, X_new, y_new = halves()
    tw.C45RulesClassifier().fit(X, y).report(tmp_path / "rules.html", X_new, y_new)
    assert "Confusion" in (tmp_path / "rules.html").read_text(encoding="utf-8")


def test_names_in_it_are_text():
    evil = "<script>alert(1)</script>"
    X = {f"col {evil}": [evil, "b", "c", "d"] * 10, "n": list(range(40))}
    y = [f"class {evil}", "other"] * 20
    model = tw.CARTClassifier().fit(X, y)
    text = report_of(model, X, y).html()
    assert evil not in text
    assert evil in unescape(text)
    assert len(re.findall("<script", text)) == 2


def test_how_it_was_made_has_the_options_and_the_command():
    X, y, X_new, y_new = halves()
    model = tw.CARTClassifier(max_depth=2, criterion="entropy").fit(X, y)
    lines = table(report_of(model, X_new, y_new, command="treewright report a b -o c"), "How it was made").lines
    assert lines[1] == "CARTClassifier(max_depth=2, criterion='entropy')"
    assert lines[2] == "again: treewright report a b -o c"


def test_what_cannot_be_reported_is_refused(tmp_path):
    X, y, _, _ = halves()
    model = tw.CARTClassifier().fit(X, y)
    with pytest.raises(tw.DataError, match="every row is missing"):
        model.report(tmp_path / "a.html", X[:2], [None, None])
    with pytest.raises(tw.TreewrightError, match="its folder does not exist"):
        model.report(tmp_path / "no" / "a.html", X, y)
    with pytest.raises(tw.OptionError, match="nothing to show"):
        tw.Discretizer().fit(X, y).to_html()


@needs_browser
def test_a_report_opens_and_prints(tmp_path):
    X, y, X_new, y_new = halves()
    tw.CARTClassifier().fit(X, y).report(tmp_path / "report.html", X_new, y_new)
    with browser() as page:
        for size in ((1400, 900), (390, 800)):
            page.open(tmp_path / "report.html", size)
            assert len(page.all("[role=treeitem]")) > 3
            assert "hold-out error" in page.find(".badge").text
            assert page.run("return document.documentElement.scrollWidth") <= size[0]
            assert page.console() == []
            assert page.requests() == []
        printed = page.run_command("Page.printToPDF")["data"]
        assert len(printed) > 10_000
