"""``treewright report``: one page, or an error of one line."""

from __future__ import annotations

import json

from sklearn.datasets import load_iris

import treewright as tw
from command import call


def saved(tmp_path):
    data = load_iris(as_frame=True)
    table = data.data.assign(species=data.target_names[data.target])
    tw.CARTClassifier(max_depth=3).fit(table[::2].drop(columns="species"), table["species"][::2]).save(
        tmp_path / "model.json"
    )
    table[1::2].to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "model.json", tmp_path / "new.csv"


def test_a_report_is_written_and_says_how_to_write_it_again(tmp_path):
    model, data = saved(tmp_path)
    page = tmp_path / "it is a page.html"
    ran = call("report", str(model), str(data), "-o", str(page), "--decimal", ".", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out) == {"saved": str(page), "rows": 75}
    text = page.read_text(encoding="utf-8")
    assert f"again: treewright report {model} {data} -o &#x27;{page}&#x27; --decimal ." in text


def test_bad_input_is_an_error_of_one_line(tmp_path):
    model, data = saved(tmp_path)
    for words, told in (
        (["report", str(model), str(tmp_path / "none.csv"), "-o", "a.html"], "none.csv"),
        (["report", str(model), str(data), "-o", str(tmp_path / "no" / "a.html")], "its folder does not exist"),
        (["report", str(model), str(data), "-o", str(data)], "would be lost"),
        (["report", str(model), str(data), "-o", str(tmp_path / "a.pdf")], "a report is a page of HTML"),
        (["report", str(model), str(data)], "output"),
    ):
        ran = call(*words)
        assert ran.code == 2
        assert told in ran.err
        assert "Traceback" not in ran.err
