"""``--method c5.0``: a tree, rules, and boosted ones, from fit to evaluate."""

from __future__ import annotations

import json

import pytest

from command import call

FORMS = {"tree": (), "rules": ("--rules",), "boosted": ("--trials", "3"), "boosted rules": ("--rules", "--trials", "3")}


@pytest.mark.parametrize("options", FORMS.values(), ids=list(FORMS))
def test_from_fit_to_evaluate(options, folder):
    fitted = call("fit", "loans.csv", "-t", "paid", "-m", "c5.0", *options, "-o", "m.json", "--cv", "2")
    assert fitted.code == 0, fitted.err
    assert "attribute usage:" in fitted.out or "rule" in fitted.out
    assert call("show", "m.json").code == 0
    assert json.loads(call("show", "m.json", "--json").out)["estimator"] == "C50Classifier"
    assert call("predict", "m.json", "loans.csv").code == 0
    assert call("evaluate", "m.json", "loans.csv").code == 0
    explained = call("explain", "m.json", "loans.csv", "--row", "1")
    assert "prediction: paid = " in explained.out, explained.err


def test_what_is_not_one_tree_is_not_drawn(folder):
    assert call("fit", "loans.csv", "-t", "paid", "-m", "c5.0", "--trials", "3", "-o", "m.json", "--cv", "0").code == 0
    ran = call("draw", "m.json")
    assert ran.code == 2
    assert "a tree is needed" in ran.err or "rules" in ran.err


def test_an_option_that_makes_no_sense(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "-m", "c5.0", "--trials", "0")
    assert ran.code == 2
    assert "--trials 0 is not accepted" in ran.err
