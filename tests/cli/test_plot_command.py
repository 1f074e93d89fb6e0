"""``treewright plot``: every plot from files, a clear refusal of what does not fit."""

import json
import sys

import pytest

from command import call
from treewright.palette import DARK
from treewright.plots.catalogue import PLOTS

PNG, PDF = b"\x89PNG", b"%PDF"

# A call of every plot with the files of the folder.
CALLS = {
    "decision-regions": ["loans.json", "loans.csv", "--columns", "income,size", "--at", "job=nurse"],
    "tree-regions": ["loans.json", "loans.csv", "--columns", "income,job"],
    "node-region": ["loans.json", "loans.csv", "--node", "1"],
    "pruned-regions": ["loans.json", "smaller.json", "new.csv"],
    "regression-steps": ["rent.json", "rent.csv", "--column", "area"],
    "kd-tree-cells": ["iris.csv", "--columns", "petal_length,petal_width", "--leaf-size", "10"],
    "kd-search": ["iris.csv", "--columns", "petal_length,petal_width", "--query", "4.9,1.6", "--k", "3"],
    "neighbour-regions": ["iris.csv", "--columns", "petal_length,petal_width", "--ks", "1,4", "--metric", "manhattan"],
    "error-by-k": ["neighbours.json", "loans.csv", "new.csv", "--max-k", "9"],
    "case-shares": ["--k", "2", "--leaf-size", "20"],
    "search-times": [],
    "impurity-curves": ["--base", "e", "--scaled"],
    "gain-by-threshold": ["loans.csv", "-t", "paid", "--column", "income", "--by", "gini"],
    "candidate-cuts": ["iris.csv", "--columns", "petal_length,petal_width", "--base", "e"],
    "branch-counts": ["loans.csv", "-t", "paid", "--column", "size", "--drop", "job"],
    "attribute-ranking": ["rent.csv", "--by", "squared_error"],
    "importance": ["loans.json"],
    "permutation-importance": ["forest.json", "loans.csv"],
    "partial-dependence": ["forest.json", "loans.csv", "--columns", "income", "--positive", "yes"],
    "oob-curve": ["forest.json"],
    "member-curve": ["forest.json", "loans.csv", "new.csv"],
    "boosting-rounds": ["boosted.json"],
    "complexity-curve": ["loans.json", "new.csv", "--along", "growth", "--rule", "0se"],
    "learning-curve": ["loans.json", "loans.csv", "--cv", "3"],
    "bias-variance": ["loans.json", "loans.csv"],
    "pruning-errors": ["loans.json", "new.csv", "loans.csv"],
    "pruning-comparison": ["loans.json", "new.csv"],
    "cost-complexity-path": ["loans.json", "new.csv", "--risk", "misclassification"],
    "model-comparison": ["loans.json", "smaller.json", "loans.csv", "--cv", "3"],
    "row-parts": ["loans.csv"],
    "confusion-matrix": ["loans.json", "new.csv", "--normalise", "--weights", "income"],
    "roc": ["loans.json", "new.csv", "--positive", "no"],
    "calibration": ["loans.json", "new.csv", "--bins", "4"],
    "gains-chart": ["loans.json", "new.csv"],
    "lift": ["loans.json", "new.csv"],
}


@pytest.fixture
def rents(folder):
    assert call("fit", "rent.csv", "-o", "rent.json", "--cv", "0", "-q").code == 0
    assert call("fit", "loans.csv", "-t", "paid", "-m", "knn", "-o", "neighbours.json", "--cv", "0", "-q").code == 0
    boosting = ("-m", "adaboost", "--n-rounds", "3", "-o", "boosted.json")
    assert call("fit", "loans.csv", "-t", "paid", "--cv", "0", "-q", *boosting).code == 0
    return folder


def test_every_plot_is_called():
    assert set(CALLS) == set(PLOTS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if k % 4 else []) for k, name in enumerate(CALLS)]
)  # the gallery draws all of them among the fast tests
def test_a_plot_of_files(name, rents):
    ran = call("plot", name, *CALLS[name])
    assert ran.code == 0, ran.err
    assert ran.out == f"{name}.png\n"
    assert (rents / f"{name}.png").read_bytes().startswith(PNG)


def test_plots_are_listed():
    listing = call("plot")
    assert listing.code == 0
    assert [line.split()[0] for line in listing.out.splitlines()[1:]] == list(PLOTS)
    assert {row["plot"] for row in json.loads(call("plot", "--json").out)} == set(PLOTS)
    names = [row["example"] for row in json.loads(call("plot", "--examples", "--json").out)]
    assert "seven-points" in names


def test_examples_formats_and_dark_paper(folder):
    assert call("plot", "--example", "temperature", "-o", "t.svg", "--size", "8x3").code == 0
    text = (folder / "t.svg").read_text(encoding="utf-8")
    assert 'width="576pt" height="216pt"' in text
    assert ">0.459</text>" in text
    assert call("plot", "--example", "temperature", "-o", "t.svg", "--dark").code == 0
    assert DARK.paper in (folder / "t.svg").read_text(encoding="utf-8")
    assert call("plot", "impurity-curves", "-o", "i.pdf").code == 0
    assert (folder / "i.pdf").read_bytes().startswith(PDF)
    assert json.loads(call("plot", "impurity-curves", "--json").out)["saved"] == "impurity-curves.png"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lifts"], "unknown plot 'lifts'. Hint: did you mean 'lift'?"),
        (["lift"], "lift is made of MODEL DATA, got no files. Hint: write treewright plot lift MODEL DATA"),
        (["importance", "loans.json", "new.csv"], "importance is made of MODEL, got loans.json, new.csv"),
        (["model-comparison", "loans.csv"], "model-comparison is made of MODELS DATA"),
        (["lift", "loans.json", "new.csv", "--node", "3"], "lift has no use for --node. Hint: its options are"),
        (["lift", "loans.json", "new.csv", "-t", "paid"], "lift has no use for --target"),
        (["importance", "loans.json", "--weights", "income"], "importance has no use for --weights"),
        (["gain-by-threshold", "loans.csv", "--weights", "size"], "has no use for --weights"),
        (["node-region", "loans.json"], "--node NUMBER"),
        (["node-region", "loans.json", "--node", "999"], "there is no node 999"),
        (["lift", "loans.json", "new.csv", "-o", "x.doc"], ".png, .svg, .pdf"),
        (["lift", "loans.json", "new.csv", "-o", "nowhere/x.png"], "its folder does not exist"),
        (["lift", "loans.json", "new.csv", "--size", "big"], "WIDTHxHEIGHT"),
        (["lift", "loans.json", "new.csv", "--size", "900x900"], "WIDTHxHEIGHT"),
        (["lift", "loans.json", "new.csv", "--positive", "maybe"], "unknown class 'maybe'"),
        (["lift", "nothing.json", "new.csv"], "nothing.json"),
        (["lift", "loans.json", "iris.csv"], "does not have 'income'"),
        (["decision-regions", "loans.json", "loans.csv", "--columns", "income"], "two different"),
        (["decision-regions", "loans.json", "loans.csv", "--columns", "income,seize"], "did you mean 'size'"),
        (["decision-regions", "loans.json", "loans.csv", "--at", "job"], "COLUMN=VALUE"),
        (["gain-by-threshold", "loans.csv", "-t", "paid", "--by", "gene"], "unknown measure 'gene'"),
        (["gain-by-threshold", "loans.csv", "-t", "paid", "--base", "x"], "base of a logarithm"),
        (["gain-by-threshold", "loans.csv", "-t", "paid", "--column", "job"], "does not hold numbers"),
        (["regression-steps", "loans.json", "loans.csv"], "predicts classes"),
        (["--example", "nothing"], "unknown example 'nothing'"),
        (["lift", "--example", "xor"], "leave one of them out"),
        (["--example", "xor", "--node", "1"], "leave one of them out"),
        (["complexity-curve", "loans.json", "new.csv", "--cv", "x"], "neither a whole number nor loo"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_fit_is_refused(arguments, words, folder):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    ran = call("plot", *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.startswith("Error: ")
    assert ran.err.count("\n") == 1 or "Warning" in ran.err or "The target" in ran.err
    assert ran.out == ""
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_files_that_are_read_are_not_overwritten(folder):
    (folder / "data.png").write_bytes((folder / "loans.csv").read_bytes())
    ran = call("plot", "lift", "loans.json", "data.png", "--format", "csv", "-o", "data.png")
    assert ran.code == 2
    assert "would be lost" in ran.err


def test_without_matplotlib_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = call("plot", "importance", "loans.json")
    assert ran.code == 2
    assert "treewright[plot]" in ran.err
    assert call("plot").code == 0  # the list needs no matplotlib
