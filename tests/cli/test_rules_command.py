"""Rules in the place of a tree: every command but prune knows them."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

import treewright as tw
from command import call


@pytest.fixture
def rules(folder):
    """The same rules as an estimator saved them, and alone."""
    assert call("fit", "loans.csv", "-t", "paid", "-m", "c4.5rules", "-o", "r.json", "--cv", "2").code == 0
    model = tw.load("r.json")
    model.rule_set().save("alone.json")
    return model


FILES = ["r.json", "alone.json"]


def test_fit_is_the_library_s_fit(rules):
    assert str(rules) == str(tw.fit(pl.read_csv("loans.csv"), "paid", "c4.5rules"))
    ran = call("fit", "loans.csv", "-t", "paid", "-m", "c4.5rules", "--cv", "3", "--json")
    record = json.loads(ran.out)
    assert record["rules"] == len(rules.rule_set())
    assert record["metrics"][0]["error"] < record["metrics"][0]["baseline"]


@pytest.mark.parametrize("file", FILES)
def test_shown(file, rules):
    for command in ("show", "rules"):
        assert call(command, file).out.strip() == str(rules.rule_set())
        assert json.loads(call(command, file, "--json").out)["rules"]


@pytest.mark.parametrize("file", FILES)
def test_predicted(file, rules):
    rows = list(csv.DictReader(io.StringIO(call("predict", file, "new.csv", "-p", "--leaf", "--rule").out)))
    table = pl.read_csv("new.csv")
    assert [row["prediction"] for row in rows] == rules.predict(table).tolist()
    assert [int(row["leaf"]) for row in rows] == rules.rule_set().fired(table).tolist()
    assert [float(row["p_yes"]) for row in rows] == pytest.approx(rules.predict_proba(table)[:, 1].tolist())
    assert all(row["rule"].endswith(f"paid = {row['prediction']}") for row in rows)


@pytest.mark.parametrize("file", FILES)
def test_explained(file, rules):
    table = pl.read_csv("new.csv")
    for row in (1, 2, 7):
        said = json.loads(call("explain", file, "new.csv", "--row", str(row), "--json").out)
        assert said["rule"] == rules.rule_set().fired(table[row - 1 : row])[0]
        assert said["prediction"] == rules.predict(table[row - 1 : row])[0]
    assert "is the first of" in call("explain", file, "--row", "income=900, size=L").out
    none = call("explain", file, "--row", "job=clerk").out
    assert "none of" in none
    assert "prediction: paid =" in none


@pytest.mark.parametrize("file", FILES)
def test_evaluated(file, rules):
    record = json.loads(call("evaluate", file, "new.csv", "--json").out)
    table = pl.read_csv("new.csv")
    assert record["error"] == pytest.approx(np.mean(rules.predict(table) != table["paid"].to_numpy()))


def test_compared(rules):
    ran = call("compare", "loans.csv", "-t", "paid", "--models", "r.json,loans.json", "--cv", "3")
    assert ran.code == 0, ran.err
    assert "nan" not in ran.out


def test_rules_of_numbers(folder):
    call("fit", "rent.csv", "-t", "rent", "-o", "m.json", "--cv", "0", "--max-depth", "2")
    tw.load("m.json").rule_set().save("alone.json")
    assert call("predict", "alone.json", "rent.csv").out == call("predict", "m.json", "rent.csv").out
    tree, alone = (json.loads(call("evaluate", name, "rent.csv", "--json").out) for name in ("m.json", "alone.json"))
    assert tree.pop("overfitting")
    assert alone.pop("overfitting") is None  # rules do not keep the error of training
    assert tree == pytest.approx(alone)
    assert "prediction: rent =" in call("explain", "alone.json", "rent.csv", "--row", "3").out


def test_what_rules_cannot(rules):
    for line, said in (
        ("prune r.json -m mdl", "a tree is needed"),
        ("fit loans.csv -t paid -m c4.5rules --prune mdl", "--prune is for trees"),
        ("fit loans.csv -t paid -m c4.5rules --costs costs.csv", "has no option --costs"),
        ("compare loans.csv -t paid --models alone.json", "cannot be learned anew"),
    ):
        ran = call(*line.split())
        assert ran.code == 2
        assert said in ran.err
