"""``treewright predict --row``: rows that stand on the command line instead of in a file."""

import json

import polars as pl
import pytest

import treewright as tw
from command import call
from treewright.cli.arguments.row_option import _pairs


def test_rows_are_predicted_as_those_of_a_file(folder):
    table = pl.read_csv("new.csv").drop("paid")
    rows = [option for row in table.to_dicts() for option in ("--row", json.dumps(row))]
    more = ("--probabilities", "--leaf", "--rule", "--keep", "income,size,job")
    assert call("predict", "loans.json", *rows, *more).out == call("predict", "loans.json", "new.csv", *more).out


def test_a_row_may_be_written_without_json_and_leave_columns_out(folder):
    ran = call("predict", "loans.json", "--row", "income=2300, size=M", "--row", "size=L")
    expected = tw.load("loans.json").predict(
        [{"income": 2300, "size": "M", "job": None}, {"income": None, "size": "L", "job": None}]
    )
    assert ran.out.splitlines() == ["prediction", *expected]
    assert ran.err == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('fee="$1,000.00", size=M', {"fee": "$1,000.00", "size": "M"}),
        ("size='a, b' , fee=2", {"size": "a, b", "fee": "2"}),
        ("size=O'Brien, job='t Hooft", {"size": "O'Brien", "job": "'t Hooft"}),
        ('size="x" y, job=a=b', {"size": '"x" y', "job": "a=b"}),
        ("size=, job=a,", {"size": "", "job": "a"}),
    ],
)
def test_values_in_quotes_may_have_commas(text, expected):
    assert _pairs(text, "--row") == expected


def test_levels_that_are_no_text(folder):
    table = {"yes": [True, False, True, False], "code": [1, 2, 1, 2]}
    tw.fit({**table, "y": ["a", "b", "a", "b"]}, target="y", method="c4.5", kinds={"code": "nominal"}).save("m.json")
    ran = call("predict", "m.json", "--row", "yes=true, code=1", "--row", '{"yes": false, "code": 2}')
    assert (ran.out.splitlines()[1:], ran.err) == (["a", "b"], "")


def test_a_level_that_is_not_known_is_told_of(folder):
    ran = call("predict", "loans.json", "--row", "income=2300, size=m")
    assert ran.code == 0
    assert "'m' is no level of 'size' and counts as missing. Hint: did you mean 'M'? The levels are" in ran.err
    assert "no level" not in call("predict", "loans.json", "--row", "size=m", "--quiet").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no rows are given. Hint: name a table, or write --row"),
        (("new.csv", "--row", "size=M"), "a table, 'new.csv', and --row are given"),
        (("size=M",), "there is no file 'size=M'. Hint: a row is written --row 'size=M'"),
        (("--row", "incme=2"), "no column 'incme'. Hint: did you mean 'income'?"),
        (("--row", "income=much"), "column 'income' is numeric, got 'much'"),
        (("--row", "size=M, paid=yes"), "'paid' is what the model predicts. Hint: leave it out"),
        (("--row", "M"), "--row 'M' is not accepted"),
    ],
)
def test_what_is_no_row_is_refused(arguments, said, folder):
    ran = call("predict", "loans.json", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
