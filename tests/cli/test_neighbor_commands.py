"""Nearest neighbours on the command line: what knows them, and what refuses them with exit code 2."""

import json

import pytest

from command import call


@pytest.fixture
def neighbours(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "-m", "knn", "--k", "3", "-o", "knn.json")
    assert ran.code == 0, ran.err
    assert "KNNClassifier: paid" in ran.out
    return folder


def test_commands_that_know_neighbours(neighbours):
    predicted = call("predict", "knn.json", "new.csv", "-p", "--leaf")
    assert predicted.code == 0, predicted.err
    assert predicted.out.startswith("prediction,p_no,p_yes,leaf")
    for line in (
        "evaluate knn.json new.csv", "show knn.json", "explain knn.json new.csv --row 1", "methods knn",
        "compare loans.csv -t paid --methods knn,knn:k=1,cart --cv 3", "plot error-by-k knn.json loans.csv --max-k 5",
        "compare loans.csv -t paid --models knn.json --cv 3",
    ):  # fmt: skip
        ran = call(*line.split())
        assert ran.code == 0, (line, ran.err)
    shown = json.loads(call("show", "knn.json", "--json").out)
    assert shown["k"] == 3
    compared = json.loads(
        call("compare", "loans.csv", "-t", "paid", "--methods", "knn,cart", "--cv", "3", "--json").out
    )
    assert {"training_error", "fit_seconds", "predict_seconds", "stored_bytes"} <= set(compared["rows"][0])


@pytest.mark.parametrize(
    "line",
    [
        "rules knn.json", "draw knn.json", "prune knn.json -m pessimistic -o x.json", "predict knn.json new.csv --rule",
        "fit loans.csv -t paid -m knn --k 0", "fit loans.csv -t paid -m knn --k many",
        "fit loans.csv -t paid -m knn --metric cosine", "fit loans.csv -t paid -m knn --metric euclidean",
        "fit loans.csv -t paid -m knn --prune pessimistic", "fit loans.csv -t paid -m knn --k 99999",
        "plot kd-search loans.csv -t paid --query here", "plot neighbour-regions loans.csv -t paid --ks 0",
        "plot error-by-k loans.json loans.csv", "plot case-shares --k 0",
    ],
)  # fmt: skip
def test_what_is_refused(line, neighbours):
    ran = call(*line.split())
    assert ran.code == 2, (ran.out, ran.err)
    assert "Hint:" in ran.err
    assert "Traceback" not in ran.err
