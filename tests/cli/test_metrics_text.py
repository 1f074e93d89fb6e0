"""Figures mind costs and weights, and folds are what was asked for."""

import json

import numpy as np
import polars as pl
import pytest

import treewright as tw
from command import call
from treewright.data.folds import Folds

COSTS = {("no", "yes"): 5.0, ("yes", "no"): 1.0}


def cost_of(truth, predicted) -> float:
    return float(np.mean([COSTS.get(pair, 0.0) for pair in zip(truth, predicted)]))


def fit(*more: str) -> dict:
    ran = call("fit", "loans.csv", "-t", "paid", "--json", *more)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


# ---- costs -----------------------------------------------------------------------------------------------------------


def test_metrics_are_costs_where_errors_have_some(folder):
    record = fit("--costs", "costs.csv", "--test", "new.csv", "--cv", "4", "-o", "m.json")
    table = pl.read_csv("new.csv")
    test, folds = record["metrics"]
    predicted = tw.load("m.json").predict(table.drop("paid"))
    assert test["cost"]["mean"] == pytest.approx(cost_of(table["paid"], predicted))
    assert test["cost"]["baseline"] == pytest.approx(cost_of(table["paid"], ["no"] * len(table)))
    assert folds["cost"]["low"] <= folds["cost"]["mean"] <= folds["cost"]["high"]
    said = call("fit", "loans.csv", "-t", "paid", "--costs", "costs.csv").out
    assert "cost per row" in said
    assert "accuracy" in said


def test_the_baseline_is_the_class_of_least_cost(folder):
    """Better than the baseline by errors, worse by costs: the warning is about costs."""
    said = call("fit", "loans.csv", "-t", "paid", "--costs", "costs.csv").err
    assert "no better than the baseline, the class of least cost" in said
    assert "baseline" not in call("fit", "loans.csv", "-t", "paid").err


def test_a_fold_without_a_rare_class_minds_the_costs_of_the_others(folder):
    rows = ["x,y", *(f"{k},{'ab'[k % 2]}" for k in range(40)), "99,c"]
    (folder / "rare.csv").write_text("\n".join(rows) + "\n")
    (folder / "prices.json").write_text('{"a": {"b": 3, "c": 2}, "b": {"a": 1, "c": 1}, "c": {"a": 9, "b": 9}}')
    for more in (("--costs", "prices.json"), ("--class-weight", "c=5"), ("--priors", "a=.5,b=.3,c=.2")):
        ran = call("fit", "rare.csv", *more)
        assert ran.code == 0, ran.err
        assert "cross-validated" in ran.out
    assert call("compare", "rare.csv", "--costs", "prices.json", "--methods", "cart,c4.5").code == 0


def test_compare_by_costs(folder):
    ran = call("compare", "loans.csv", "-t", "paid", "--costs", "costs.csv", "--methods", "cart,id3", "--json")
    record = json.loads(ran.out)
    assert record["measure"] == "cost"
    table = pl.read_csv("loans.csv")
    models = {"cart": tw.CARTClassifier(costs=COSTS), "id3": tw.ID3Classifier(costs=COSTS)}
    expected = tw.compare(models, table.drop("paid"), table["paid"], Folds(10), costs=COSTS)
    assert [row["error"] for row in record["rows"]] == pytest.approx([row.error for row in expected.rows])
    plain = json.loads(call("compare", "loans.csv", "-t", "paid", "--methods", "cart,id3", "--json").out)
    assert plain["measure"] == "error"
    assert plain["rows"][0]["error"] != record["rows"][0]["error"]


def test_saved_models_of_like_costs_are_compared_by_them(folder):
    call("fit", "loans.csv", "-t", "paid", "--costs", "costs.csv", "--cv", "0", "-o", "priced.json")
    both = json.loads(call("compare", "loans.csv", "-t", "paid", "--models", "priced.json", "--json").out)
    mixed = json.loads(call("compare", "loans.csv", "-t", "paid", "--models", "priced.json,loans.json", "--json").out)
    assert (both["measure"], mixed["measure"]) == ("cost", "error")


def test_costs_that_were_assumed_are_named(folder):
    (folder / "part.csv").write_text("truth,prediction,cost\nno,yes,5\n")
    said = call("fit", "loans.csv", "-t", "paid", "--costs", "part.csv", "--cv", "0").err
    assert "'part.csv' does not say what these errors cost, so each costs 1: yes taken for no" in said
    assert "does not say" not in call("fit", "loans.csv", "-t", "paid", "--costs", "costs.csv", "--cv", "0").err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("truth,prediction,cost\nno,yes,-5\n", "not negative"),
        (",no,yes\nno,1,5\nyes,1,0\n", "a right prediction must cost 0"),
        (",no,yes\nno,0\nyes,1,0\n", "cannot read costs"),
        (",no,perhaps\nno,0,5\nperhaps,1,0\n", "names the class 'perhaps'"),
        ("[1, 2]", "has no costs"),
    ],
)
def test_costs_that_make_no_sense(content, said, folder):
    (folder / "odd.csv").write_text(content)
    ran = call("fit", "loans.csv", "-t", "paid", "--costs", "odd.csv")
    assert ran.code == 2
    assert said in ran.err


def test_costs_of_numbers(folder):
    said = call("fit", "rent.csv", "-t", "rent", "--costs", "costs.csv").err
    assert "the target 'rent' is a number" in said
    assert "--kinds rent=nominal" in said
    assert "is a number" in call("compare", "rent.csv", "-t", "rent", "--costs", "costs.csv").err


# ---- folds and parts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["fit iris.csv --cv 1000", "compare iris.csv --cv 1000",
                                  "prune m.json -m cost-complexity --data iris.csv --cv 1000"])  # fmt: skip
def test_more_folds_than_rows(line, folder):
    call("fit", "iris.csv", "-o", "m.json", "--cv", "0")
    ran = call(*line.split())
    assert ran.code == 2
    assert "--cv 1000 asks for more folds than there are rows. Hint: there are 150 rows" in ran.err


def test_as_many_folds_as_rows(folder):
    """Leaving one out each time is a way of testing; small tables are compared on as many folds as they have rows."""
    assert "cross-validated (14 folds)" in call("fit", "tennis.csv", "-t", "play", "--cv", "14").out
    (folder / "six.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n")
    ran = call("compare", "six.csv", "--methods", "cart,c4.5")
    assert ran.code == 0, ran.err
    assert "6 folds" in ran.err


@pytest.mark.parametrize("more", [(), ("--prune", "reduced-error", "--seed", "1"), ("--prune", "cost-complexity"),
                                  ("-m", "c4.5rules")])  # fmt: skip
def test_a_part_of_one_class_predicts_that_class(more, folder):
    """One row of its class is in one fold only: the others are tried on, and this one is wrong."""
    rows = ["x,y", *(f"{k % 7},u" for k in range(30)), "99,v"]
    (folder / "rare.csv").write_text("\n".join(rows) + "\n")
    ran = call("fit", "rare.csv", *more, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["metrics"][0]["error"] > 0
    assert call("compare", "rare.csv", "--methods", "cart,c4.5rules").code == 0


def test_nothing_is_left_to_prune_with(folder):
    (folder / "two.csv").write_text("x,y\n1,u\n2,v\n")
    assert "the others are all of class" in call("fit", "two.csv", "--prune", "reduced-error").err
    assert "every fold leaves only one class" in call("fit", "two.csv", "--prune", "cost-complexity").err
    assert call("fit", "two.csv", "--cv", "2").code == 0


def test_a_small_part_is_warned_about(folder):
    said = call("fit", "iris.csv", "--test-size", "0.001").err
    assert "hold-out (0.1 % of the rows): 1 row is too few to test on" in said
    assert "too few to test on" not in call("fit", "iris.csv", "--test-size", "0.3").err


def test_equal_models_differ_by_nothing(folder):
    """Not by the rounding of a mean."""
    methods = "cart,cart:max_depth=none,cart:min_rows_leaf=1"
    rows = json.loads(call("compare", "loans.csv", "-t", "paid", "--methods", methods, "--cv", "7", "--json").out)
    assert [(row["difference"], row["p"]) for row in rows["rows"]] == [(0.0, 1.0)] * 3


# ---- weights ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def weighted(folder):
    """Rows with weights of whole numbers, and the same rows repeated."""
    table = pl.read_csv("new.csv")
    wrong = tw.load("loans.json").predict(table.drop("paid")) != table["paid"].to_numpy()
    table = table.with_columns(w=pl.Series(np.where(wrong, np.arange(60) % 2, 3)))
    table.write_csv("weighted.csv")
    table.select(pl.all().repeat_by("w").explode()).drop("w").drop_nulls("income").write_csv("repeated.csv")
    return folder


def test_a_weight_is_a_repetition_in_metrics(weighted):
    one = json.loads(call("evaluate", "loans.json", "weighted.csv", "--weights", "w", "--json").out)
    other = json.loads(call("evaluate", "loans.json", "repeated.csv", "--json").out)
    for name in ("error", "baseline", "brier", "auc"):
        assert one[name] == pytest.approx(other[name]), name
    assert np.array(one["confusion"]).tolist() == np.array(other["confusion"]).tolist()
    assert one["interval"][0] < other["interval"][0]  # fewer rows tell less
    assert "accuracy" in call("evaluate", "loans.json", "weighted.csv", "--weights", "w").out


def test_a_weight_is_a_repetition_in_metrics_of_numbers(folder):
    table = pl.read_csv("rent.csv").with_columns(w=pl.Series(np.arange(120) % 3))
    table.write_csv("weighted.csv")
    table.select(pl.all().repeat_by("w").explode()).drop("w").drop_nulls("rent").write_csv("repeated.csv")
    call("fit", "rent.csv", "-t", "rent", "-o", "m.json", "--cv", "0", "--max-depth", "2")
    one = json.loads(call("evaluate", "m.json", "weighted.csv", "--weights", "w", "--json").out)
    other = json.loads(call("evaluate", "m.json", "repeated.csv", "--json").out)
    for record in (one, other):
        del record["rows"]
        record |= {"amount": record.pop("overfitting")["amount"]}
    assert one == pytest.approx(other)


def test_a_weight_is_a_repetition_in_pruning(folder):
    """The rows of training among them, so that some of the tree stands the test."""
    table = pl.concat([pl.read_csv("loans.csv"), pl.read_csv("new.csv")])
    table = table.with_columns(w=pl.Series(np.r_[np.arange(160) % 3, np.ones(60, int)]))
    table.write_csv("weighted.csv")
    table.select(pl.all().repeat_by("w").explode()).drop("w").drop_nulls("income").write_csv("repeated.csv")
    table.drop("w").write_csv("plain.csv")
    rows = {"weighted.csv": ("--weights", "w"), "repeated.csv": (), "plain.csv": ()}
    one, other, plain = (
        call("prune", "loans.json", "-m", "reduced-error", "--data", name, *more).out for name, more in rows.items()
    )
    assert one == other != plain


def test_weights_count_in_comparisons_too(weighted):
    line = ("--methods", "cart:max_depth=1", "--json", "--cv", "3", "-t", "paid")
    one = json.loads(call("compare", "weighted.csv", "--weights", "w", *line).out)
    other = json.loads(call("compare", "weighted.csv", "--drop", "w", *line).out)
    assert one["rows"][0]["error"] != other["rows"][0]["error"]


def test_weights_count_while_pruning_is_chosen(weighted):
    """Cross-validation over weighted rows chooses as it does over any rows of such weights."""
    ran = call("fit", "weighted.csv", "-t", "paid", "--weights", "w", "--prune", "cost-complexity", "-o", "m.json")
    assert ran.code == 0, ran.err
    table = pl.read_csv("weighted.csv").filter(pl.col("w") > 0)
    X, y, w = table.drop("paid", "w"), table["paid"], table["w"].to_numpy()
    grown = tw.CARTClassifier().fit(X, y, sample_weight=w)
    expected = grown.prune("cost-complexity", X, y, cv=Folds(10), sample_weight=w)
    assert tw.load("m.json").tree_.n_leaves == expected.tree_.n_leaves


@pytest.mark.parametrize(("cell", "said"), [("-1", "is -1"), ("", "is missing"), ("inf", "is inf"), ("x", "'x'")])
def test_weights_that_cannot_be(cell, said, folder):
    (folder / "w.csv").write_text(f"a,w,y\n1,1,u\n2,{cell},v\n3,1,u\n")
    ran = call("fit", "w.csv", "--weights", "w")
    assert ran.code == 2
    assert said in ran.err or "not all numbers" in ran.err
    call("fit", "w.csv", "--drop", "w", "-o", "m.json")
    ran = call("evaluate", "m.json", "w.csv", "--weights", "w")
    assert ran.code == 2
    assert said in ran.err


def test_weights_need_rows(folder):
    assert "--weights needs rows" in call("prune", "loans.json", "-m", "mdl", "--weights", "w").err
    assert "no column 'w' for --weights" in call("evaluate", "loans.json", "new.csv", "--weights", "w").err
