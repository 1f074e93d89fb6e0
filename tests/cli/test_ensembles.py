"""Many trees on the command line."""

import json

import pytest

from command import shell


def done(line):
    ran = shell(line)
    assert ran.code == 0, ran.err
    return ran.out


def refused(line):
    ran = shell(line)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    return ran.err


@pytest.mark.parametrize(
    "method",
    [
        "forest --n-trees 3",
        "extra-trees --n-trees 3",
        "bagging --n-trees 3 --member c4.5",
        "adaboost --n-rounds 3",
        "adaboost --n-rounds 3 --member cart:max_depth=2",
    ],
)
@pytest.mark.parametrize("table", ["loans.csv -t paid", "rent.csv -t rent"])
def test_every_method_learns_predicts_and_is_tested(method, table, folder):
    if "c4.5" in method and "rent" in table:
        assert "predicts classes" in refused(f"treewright fit {table} --method {method} -o m.json")
        return
    data = table.split()[0]
    out = done(f"treewright fit {table} --method {method} -o m.json --cv 2")
    assert "3 trees" in out
    assert "cross-validated" in out
    assert done("treewright show m.json").splitlines()[0] in out
    assert len(done(f"treewright predict m.json {data}").splitlines()) > 100
    assert "rows" in done(f"treewright evaluate m.json {data}")
    assert done(f"treewright explain m.json {data} --row 2").startswith("prediction: ")


def test_the_method_of_adaboost_has_a_name_of_its_own(folder):
    done("treewright fit loans.csv -t paid --method adaboost --n-rounds 2 --learner-method m1 --cv 0 -o m.json")
    assert json.loads((folder / "m.json").read_text())["parameters"]["method"] == "m1"


def test_records(folder):
    record = json.loads(done("treewright fit loans.csv -t paid --method forest --n-trees 3 --cv 0 --json"))
    assert (record["estimator"], record["members"], record["rows"]) == ("RandomForestClassifier", 3, 160)
    assert 0 < record["oob_error"] < 1
    assert json.loads(done("treewright show forest.json --json"))["members"] == 5


def test_importance(folder):
    permuted = done("treewright importance forest.json loans.csv")
    assert permuted.splitlines()[1].startswith("income ")
    gains = json.loads(done("treewright importance forest.json --json"))
    assert gains["how"] == "impurity"
    assert sum(gains["means"]) == pytest.approx(1)
    grouped = done("treewright importance forest.json loans.csv --how drop --group money=income,size")
    assert grouped.splitlines()[1].startswith("money ")
    assert done("treewright importance loans.json").splitlines()[1].startswith("income ")
    assert done("treewright importance forest.json new.csv --new-rows --repeats 2").startswith("column")


def test_rules_of_many_trees(folder):
    out = done("treewright rules forest.json loans.csv --top 3")
    assert out.startswith("3 rules") or out.startswith("2 rules")
    assert len(json.loads(done("treewright rules forest.json loans.csv --json"))["rules"]) <= 10


def test_compared(folder):
    out = done("treewright compare loans.csv -t paid --methods cart,forest:n_trees=3,adaboost:n_rounds=3 --cv 2")
    assert [line.split()[0] for line in out.splitlines()] == [
        "model",
        "cart",
        "forest:n_trees=3",
        "adaboost:n_rounds=3",
    ]


def test_plots(folder):
    done("treewright plot oob-curve forest.json -o curve.svg")
    done("treewright plot partial-dependence forest.json loans.csv --columns income --positive yes -o income.svg")
    done("treewright plot permutation-importance forest.json loans.csv -o importance.svg")
    assert (folder / "income.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("fit loans.csv -t paid --method forest --n-trees 0", "--n-trees 0 is not accepted"),
        ("fit loans.csv -t paid --method forest --max-columns 9", "more than the 3 columns"),
        ("fit loans.csv -t paid --method bagging --member forrest", "did you mean 'forest'"),
        ("fit loans.csv -t paid --method bagging --member cart:depth=3", "unknown CARTClassifier option 'depth'"),
        ("fit loans.csv -t paid --method forest --prune pessimistic", "makes many trees"),
        ("predict forest.json new.csv --leaf", "--leaf is of one tree"),
        ("prune forest.json --method pessimistic", "holds many trees"),
        ("draw forest.json", "holds many trees"),
        ("rules forest.json", "none are given"),
        ("rules loans.json loans.csv", "a table is given"),
        ("importance forest.json --how permutation", "needs rows"),
        ("importance forest.json new.csv", "these are others"),
        ("importance forest.json loans.csv --how size", "unknown importance 'size'"),
        ("importance forest.json loans.csv --group money", "--group 'money' is not accepted"),
        ("importance loans.json --how drop", "needs rows"),
        ("plot oob-curve loans.json -o out.svg", "has no out-of-bag error"),
    ],
)
def test_bad_input(line, problem, folder):
    assert problem in refused(f"treewright {line}")


def test_a_forest_has_a_report(folder):
    done("treewright report forest.json loans.csv -o out.html")
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "RandomForestClassifier" in page
    assert "How well it predicts these rows" in page
    assert "treewright report forest.json loans.csv" in page
