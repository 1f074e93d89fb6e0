"""What the commands print, write and return."""

import csv
import datetime
import gzip
import io
import json
import warnings

import numpy as np
import polars as pl
import pytest

import treewright as tw
from command import Ran, call, commands, shell, typed
from treewright.data.folds import Folds
from treewright.kernels import switch
from treewright.model.fitting import knows_classes, methods


def predictions(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# ---- fit -------------------------------------------------------------------------------------------------------------


def test_fit_is_the_library_s_fit(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "--max-depth", "3", "--min-rows-leaf=4", "-o", "m.json")
    assert ran.code == 0
    expected = tw.fit(pl.read_csv("loans.csv"), target="paid", max_depth=3, min_rows_leaf=4)
    assert str(tw.load("m.json")) == str(expected)
    assert str(expected) in ran.out
    assert "Saved as m.json." in ran.err


def test_without_a_method_a_tree_is_searched_for(folder):
    ran = typed("fit", "loans.csv", "-t", "paid", "--test-size", "0.3", "-o", "m.json")
    assert ran.code == 0
    expected = tw.fit(pl.read_csv("loans.csv"), target="paid", method="auto")
    assert str(expected) in ran.out
    assert " ".join(ran.out.split()).count(expected.summary()) == 1
    assert str(tw.load("m.json").curve_) == str(expected.curve_)
    record = json.loads(typed("fit", "loans.csv", "-t", "paid", "--cv", "0", "--json").out)
    assert (record["estimator"], record["summary"]) == ("SearchTreeClassifier", expected.summary())


def test_with_prune_and_no_method_it_is_cart(folder):
    ran = typed("fit", "loans.csv", "-t", "paid", "--prune", "depth:depth=2", "--cv", "0")
    assert ran.out.startswith("CARTClassifier: paid")


def test_what_was_understood_goes_to_the_error_stream(folder):
    ran = call("fit", "loans.csv", "-t", "paid")
    assert "160 rows, 4 columns" in ran.err
    assert "3 levels: L, M, S" in ran.err
    assert "160 rows, 4 columns" not in ran.out


def test_quiet_leaves_only_the_result(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("CARTClassifier: paid")


def test_metrics_stand_beside_the_baseline(folder):
    record = json.loads(call("fit", "loans.csv", "-t", "paid", "--cv", "5", "--test-size", "0.25", "--json").out)
    hold_out, folds = record["metrics"]
    assert hold_out["rows"] == 40
    assert folds["rows"] == 160
    for figure in (hold_out, folds):
        assert 0 <= figure["low"] <= figure["error"] <= figure["high"] <= 1
        assert figure["error"] < figure["baseline"]


@pytest.mark.parametrize(
    ("more", "leaves"),
    [
        (("-m", "id3", "--significance", "0.1"), 1),
        (("-m", "id3", "--significance", "0.1", "--significance-of", "any"), 5),
        (("-m", "c4.5", "--significance", "0.1", "--significance-of", "any"), 5),
        (("-m", "id3", "--criterion", "gain_ratio", "--above-average"), 5),
        (("-m", "id3", "--missing-at-predict", "outlook=stop"), 5),
        (("-m", "id3", "--prune", "pessimistic:strict=yes,order=bottom-up"), 5),
        (("-m", "id3", "--prune", "error-complexity:alpha=0.2"), 1),
    ],
)
def test_options_of_the_lecture_notes(folder, more, leaves):
    tennis = ("tennis.csv", "-t", "play", "--drop", "day", "--cv", "0", "--json", "-o", "m.json")
    assert json.loads(call("fit", *tennis, *more).out)["leaves"] == leaves
    if "--missing-at-predict" in more:
        new = pl.DataFrame({"outlook": [None], "temperature": ["Hot"], "humidity": ["High"], "windy": ["Weak"]})
        new.with_columns(pl.col("outlook").cast(pl.String)).write_csv("one.csv")
        (row,) = predictions(call("predict", "m.json", "one.csv", "--probabilities").out)
        assert float(row["p_Yes"]) == pytest.approx(9 / 14)  # stops at the root


def test_one_row_is_left_out_in_turn(folder):
    """ID3 gets 3 of the 14 days wrong that it has not seen, however it is written."""
    tennis = ("tennis.csv", "-t", "play", "--drop", "day")
    for cv in ("loo", "14"):
        fitted = json.loads(call("fit", *tennis, "-m", "id3", "--cv", cv, "--json", "-o", "m.json").out)
        assert fitted["metrics"][0]["error"] == pytest.approx(3 / 14)
        compared = json.loads(call("compare", *tennis, "--methods", "id3,cart", "--cv", cv, "--json").out)
        assert [len(errors) for errors in compared["errors"].values()] == [14, 14]
        assert compared["rows"][0]["error"] == pytest.approx(3 / 14)
        pruned = call("prune", "m.json", "-m", "error-complexity", "--data", "tennis.csv", "--cv", cv)
        assert pruned.out.startswith("error-complexity: 5 → 5 leaves")


def test_evaluate_says_how_much_a_model_overfits(folder):
    table = pl.read_csv("new.csv")
    told = json.loads(call("evaluate", "loans.json", "new.csv", "--json").out)
    expected = tw.evaluate.overfitting(tw.load("loans.json"), table.drop("paid"), table["paid"].to_list())
    assert told["overfitting"]["amount"] == pytest.approx(expected.amount)
    assert told["overfitting"]["interval"] == [pytest.approx(expected.low), pytest.approx(expected.high)]
    assert told["error"] - told["overfitting"]["training_error"] == pytest.approx(expected.amount)
    assert "overfitting " in call("evaluate", "loans.json", "new.csv").out
    call("fit", "rent.csv", "-t", "rent", "-o", "m.json", "--cv", "0", "--max-depth", "2")
    numbers = json.loads(call("evaluate", "m.json", "rent.csv", "--json").out)
    assert numbers["overfitting"]["amount"] == pytest.approx(0, abs=1e-6)
    assert numbers["overfitting"]["training_error"] == pytest.approx(numbers["rmse"] ** 2)
    assert "on the training rows" in call("evaluate", "m.json", "rent.csv").out
    call("fit", "loans.csv", "-t", "paid", "-m", "c4.5rules", "-o", "r.json", "--cv", "0")
    assert json.loads(call("evaluate", "r.json", "new.csv", "--json").out)["overfitting"] is None
    assert "overfitting" not in call("evaluate", "r.json", "new.csv").out


def test_a_test_file_is_scored_with_the_saved_tree(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "--test", "new.csv", "-o", "m.json", "--json")
    table = pl.read_csv("new.csv")
    wrong = (tw.load("m.json").predict(table.drop("paid")) != table["paid"].to_numpy()).mean()
    assert json.loads(ran.out)["metrics"][0]["error"] == pytest.approx(wrong)


def test_output_does_not_change_from_run_to_run(folder):
    line = "treewright fit loans.csv -t paid --prune reduced-error --cv 4 --test-size 0.3"
    first, second = shell(line), shell(line)
    assert (first.out, first.err) == (second.out, second.err)


def test_pruning_is_part_of_what_is_cross_validated(folder):
    plain = json.loads(call("fit", "loans.csv", "-t", "paid", "--json").out)
    pruned = json.loads(call("fit", "loans.csv", "-t", "paid", "--json", "--prune", "cost-complexity").out)
    assert pruned["leaves"] < plain["leaves"]
    assert pruned["metrics"] != plain["metrics"]


def test_the_rule_of_pruning_is_an_option_as_others_are(folder):
    """The best tree is never smaller than the smallest within one standard error of it."""
    rows = ("--data", "loans.csv", "--cv", "5", "--json")
    made = [call("prune", "loans.json", "-m", f"cost-complexity:rule={rule}", *rows) for rule in ("0se", "1se")]
    best, smallest = (json.loads(ran.out)["pruned"]["n_leaves"][1] for ran in made)
    assert best > smallest
    plain = json.loads(call("prune", "loans.json", "-m", "cost-complexity", *rows).out)["pruned"]
    assert plain["n_leaves"][1] == smallest
    fit = ("fit", "loans.csv", "-t", "paid", "--cv", "0", "--json", "--prune")
    fitted = [json.loads(call(*fit, f"cost-complexity{rule}").out)["leaves"] for rule in (":rule=0se", ":rule=1se", "")]
    assert fitted[0] > fitted[1] == fitted[2]
    assert "rule" in call("prune", "loans.json", "-m", "cost-complexity:rule=foo", *rows).err


def test_repeats_and_bootstrap_samples_choose_as_in_the_library(folder):
    table = pl.read_csv("loans.csv")
    X, y = table.drop("paid"), table["paid"]
    for text, options in (("repeats=3,rule=0.25", {"repeats": 3, "rule": 0.25}), ("choose=oob", {"choose": "oob"})):
        asked = f"cost-complexity:{text}"
        fitted = call("fit", "loans.csv", "-t", "paid", "--prune", asked, "--cv", "0", "--seed", "7", "-o", "m.json")
        rows = ("--data", "loans.csv", "--cv", "10", "--seed", "7")
        pruned = call("prune", "loans.json", "-m", asked, *rows, "-o", "p.json")
        assert fitted.code == pruned.code == 0
        whole = tw.fit(table, target="paid")
        expected = whole.prune("cost-complexity", X_val=X, y_val=y, cv=Folds(10, 7), **options)
        assert str(tw.load("m.json")) == str(tw.load("p.json")) == str(expected)
    refused = call("prune", "loans.json", "-m", "cost-complexity:repeats=2", "--data", "loans.csv")
    assert refused.code == 2
    assert "give --cv 10 as well" in refused.err
    assert call("fit", "loans.csv", "-t", "paid", "--prune", "pessimistic:repeats=2").code == 2


@pytest.mark.parametrize("method", ["id3", "cart", "chaid", "tree"])
def test_no_pruning_is_none_in_every_method(folder, method):
    fit = ("fit", "loans.csv", "-t", "paid", "-m", method, "--cv", "0")
    assert call(*fit, "--prune", "none") == call(*fit)


def test_no_pruning_of_c45(folder):
    sizes = [
        json.loads(call("fit", "loans.csv", "-t", "paid", "-m", "c4.5", "--json", "--cv", "0", *more).out)["leaves"]
        for more in ((), ("--prune", "none", "--no-collapse"))
    ]
    assert sizes[0] < sizes[1]


def test_flags_of_a_learner_do_not_swallow_the_file(folder):
    ran = call("fit", "--binary", "--no-raising", "loans.csv", "-t", "paid", "-m", "c4.5", "--cv", "0", "-o", "m.json")
    assert ran.code == 0
    assert tw.load("m.json").get_params()["binary"] is True
    assert tw.load("m.json").get_params()["raising"] is False


def test_kinds_and_weights(folder):
    args = ("--kinds", "size=S<M<L", "--weights", "income", "--cv", "0", "-o", "m.json")
    assert call("fit", "loans.csv", "-t", "paid", *args).code == 0
    model = tw.load("m.json")
    assert [column.name for column in model.schema_.columns] == ["size", "job"]
    assert model.schema_.columns[0].levels == ("S", "M", "L")
    assert model.tree_.stats[0].sum() == pytest.approx(pl.read_csv("loans.csv")["income"].sum())


def test_columns_between_commas_or_one_by_one(folder):
    for more in (("--drop", "income,size"), ("--drop", "income", "--drop", "size")):
        assert call("fit", "loans.csv", "-t", "paid", "--cv", "0", "-o", "m.json", *more).code == 0
        assert tw.load("m.json").schema_.names == ("job",)
    args = ("--kinds", "size=S<M<L,job=nominal", "--cv", "0", "-o", "m.json")
    assert call("fit", "loans.csv", "-t", "paid", *args).code == 0
    assert tw.load("m.json").schema_.columns[1].levels == ("S", "M", "L")
    for more in (("--keep", "income,size"), ("--keep", "income", "--keep", "size")):
        assert call("predict", "loans.json", "new.csv", *more).out.startswith("income,size,prediction\n")
    (folder / "commas.csv").write_text('"a,b",c,y\n1,2,u\n3,4,v\n')
    assert call("fit", "commas.csv", "--drop", "a,b", "--cv", "0", "-o", "m.json").code == 0
    assert tw.load("m.json").schema_.names == ("c",)
    assert call("predict", "m.json", "commas.csv", "--keep", "a,b").out.startswith('"a,b",prediction\n')


def test_regression_and_its_metrics(folder):
    record = json.loads(call("fit", "rent.csv", "-t", "rent", "--json").out)
    assert record["estimator"] == "CARTRegressor"
    assert record["metrics"][0]["error"] < record["metrics"][0]["baseline"] / 3


@pytest.mark.parametrize("method", methods())
def test_methods(method, folder):
    table = ("loans.csv", "-t", "paid") if knows_classes(method) else ("rent.csv", "-t", "rent")
    assert call("fit", *table, "-m", method, "--cv", "3").code == 0


@pytest.mark.parametrize("method", ["m5", "m5rules", "cubist"])
def test_models_of_linear_rules_through_the_commands(method, folder):
    """Saved, shown, explained and used again, whether it is a tree or rules."""
    assert call("fit", "rent.csv", "-t", "rent", "-m", method, "-o", "rent.json").code == 0
    for command in ("show", "rules"):
        assert "rent" in call(command, "rent.json").out
        assert json.loads(call(command, "rent.json", "--json").out)
    assert "prediction: rent" in call("explain", "rent.json", "rent.csv", "--row", "1").out
    assert call("predict", "rent.json", "rent.csv", "--rule").code == 0
    assert call("evaluate", "rent.json", "rent.csv").code == 0
    refused = call("fit", "loans.csv", "-t", "paid", "-m", method)
    assert refused.code == 2
    assert "numbers" in refused.err


def test_methods_lists_what_the_library_has(folder):
    assert set(json.loads(call("methods", "--json").out)["methods"]) == set(methods())
    options = json.loads(call("methods", "c4.5", "--json").out)
    told = options["confidence"]
    assert (told["default"], told["accepts"]) == (0.25, "a finite number above 0 and at most 1")
    assert told["example"] == "--confidence 0.1"


COSTS = {
    "costs.csv": ",no,yes\nno,0,5\nyes,1,0\n",
    "list.csv": "truth;prediction;cost\nno;yes;5\n",
    "costs.json": '{"no": {"yes": 5}}',
    "loans.costs": "yes, no: 5\n",
}


@pytest.mark.parametrize("name", COSTS)
def test_costs_in_every_form(name, folder):
    (folder / name).write_text(COSTS[name])
    assert call("fit", "loans.csv", "-t", "paid", "--costs", name, "-o", "m.json", "--cv", "0").code == 0
    expected = tw.fit(pl.read_csv("loans.csv"), target="paid", costs={("no", "yes"): 5})
    assert str(tw.load("m.json")) == str(expected)
    predicted = call("predict", "m.json", "new.csv").out.splitlines()[1:]
    assert predicted == expected.predict(pl.read_csv("new.csv")).tolist()
    assert "cost per row" in call("evaluate", "m.json", "new.csv").out


def test_priors_are_an_option_like_any_other(folder):
    assert call("fit", "loans.csv", "-t", "paid", "--priors", "equal", "-o", "m.json", "--cv", "0").code == 0
    assert tw.load("m.json").schema_.target.priors == (0.5, 0.5)


# ---- warnings --------------------------------------------------------------------------------------------------------


def warned(folder, columns: dict, *more: str) -> str:
    pl.DataFrame(columns).write_csv(folder / "odd.csv")
    return call("fit", "odd.csv", "-t", "y", "--cv", "0", *more).err


def test_warnings_a_colleague_would_give(folder):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) < 288, "usual", "rare")
    rng.shuffle(y)
    said = warned(folder, {
        "id": [f"customer {k}" for k in range(300)], "number": range(1, 301), "same": ["a"] * 300,
        "leak": np.where(y == "rare", 17.5, 3.0), "gaps": [None if k % 4 else k / 7 for k in range(300)],
        "noise": rng.normal(size=300).round(3), "y": y,
    })  # fmt: skip
    for words in (
        "column 'id' looks like an identifier",
        "column 'number' numbers the rows",
        "column 'same' is constant",
        "column 'leak' alone all but determines the target",
        "column 'gaps' is missing in 75 % of the rows",
        "classes are of very different size: 'usual' 96 %, 'rare' 4 %",
    ):
        assert words in said
    assert "'noise'" not in said


def test_tiny_leaves_and_metrics_no_better_than_the_baseline(folder):
    rng = np.random.default_rng(1)
    pl.DataFrame({"x": rng.normal(size=120), "y": rng.choice(["a", "b"], 120)}).write_csv("odd.csv")
    said = call("fit", "odd.csv", "-t", "y").err
    assert "leaves have fewer than 5 rows" in said
    assert "no better than the baseline, the commonest class" in said


def test_a_sound_table_is_not_warned_about(folder):
    assert "Warning" not in call("fit", "iris.csv").err


def test_a_number_that_might_be_a_class(folder):
    said = warned(folder, {"x": range(0, 80, 2), "y": [0, 1] * 20})
    assert said.count("the target 'y' holds whole numbers of 2 values (0, 1), which are taken for classes") == 1
    assert "--kinds y=numeric predicts a number" in said
    assert "task=" not in said


# ---- predict ---------------------------------------------------------------------------------------------------------


def test_predict_is_the_library_s_predict(folder):
    ran = call("predict", "loans.json", "new.csv", "-p", "--leaf", "--rule", "--keep", "income")
    model, table = tw.load("loans.json"), pl.read_csv("new.csv")
    rows = predictions(ran.out)
    assert [row["prediction"] for row in rows] == model.predict(table).tolist()
    assert [int(row["leaf"]) for row in rows] == model.apply(table).tolist()
    assert [float(row["p_yes"]) for row in rows] == pytest.approx(model.predict_proba(table)[:, 1].tolist())
    assert [int(row["income"]) for row in rows] == table["income"].to_list()
    said = {rule.leaf: str(rule) for rule in model.rules()}
    assert all(row["rule"] == said[int(row["leaf"])] for row in rows)


@pytest.mark.parametrize(
    ("method", "missing"),
    [
        ("c4.5", "fractional"),
        ("c4.5", "surrogate"),
        ("c4.5", "income=stop"),
        ("id3", "learned"),
        ("chaid", "fractional"),
        ("chaid", "income=branch"),
    ],
)
def test_missing_values_are_predicted_alike(method, missing, folder):
    call("fit", "loans.csv", "-t", "paid", "-m", method, "--missing", missing, "-o", "m.json", "--cv", "0")
    rows = predictions(call("predict", "m.json", "new.csv", "-p").out)
    model, table = tw.load("m.json"), pl.read_csv("new.csv")
    assert [row["prediction"] for row in rows] == model.predict(table).tolist()
    assert [float(row["p_yes"]) for row in rows] == pytest.approx(model.predict_proba(table)[:, 1].tolist())


def test_parts_make_the_whole(folder, monkeypatch):
    """However small the blocks are that a file is read in, quoted line breaks among them."""
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0, None] * 5, "t": ["a", 'b "c"', "d\ne", None] * 5, "y": ["u", "v"] * 10})
    table.write_csv("parts.csv")
    call("fit", "parts.csv", "-t", "y", "-o", "m.json", "--cv", "0")
    whole = call("predict", "m.json", "parts.csv", "-p", "--keep", "all")
    assert len(predictions(whole.out)) == 20
    for size in (7, 16, 40, 1000):
        monkeypatch.setattr("treewright.data.readers.delimited_text.BLOCK", size)
        assert call("predict", "m.json", "parts.csv", "-p", "--keep", "all").out == whole.out


def test_regression_predictions(folder):
    call("fit", "rent.csv", "-t", "rent", "-o", "m.json", "--cv", "0")
    rows = predictions(call("predict", "m.json", "rent.csv").out)
    assert [float(r["prediction"]) for r in rows] == tw.load("m.json").predict(pl.read_csv("rent.csv")).tolist()


def test_predictions_in_other_forms(folder):
    plain = call("predict", "loans.json", "new.csv").out
    assert call("predict", "loans.json", "-", stdin=(folder / "new.csv").read_bytes()).out == plain
    lines = call("predict", "loans.json", "new.csv", "--json").out.splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == plain.splitlines()[1:]
    assert call("predict", "loans.json", "new.csv", "-o", "out.csv.gz").code == 0
    assert gzip.decompress((folder / "out.csv.gz").read_bytes()).decode() == plain
    assert call("predict", "loans.json", "new.csv", "-o", "out.tsv", "--leaf").code == 0
    assert (folder / "out.tsv").read_text().startswith("prediction\tleaf\n")


def test_levels_are_read_as_they_were_learned(folder):
    """Numbers and truth values that are levels: 01 is 1, true is true."""
    table = {
        "zip": ["01", "02", "01", "02"] * 5,
        "ok": ["true", "true", "false", "false"] * 5,
        "y": ["a", "b", "c", "b"] * 5,
    }
    pl.DataFrame(table).write_csv("codes.csv")
    call("fit", "codes.csv", "-t", "y", "--kinds", "zip=nominal", "-o", "m.json", "--cv", "0")
    assert call("predict", "m.json", "codes.csv").out.splitlines()[1:] == table["y"]


# ---- the others ------------------------------------------------------------------------------------------------------


def test_show_folds(folder):
    assert call("show", "loans.json").out.strip() == str(tw.load("loans.json"))
    assert len(call("show", "loans.json", "--depth", "1").out.splitlines()) < 6
    assert max(map(len, call("show", "loans.json", "--width", "60").out.splitlines())) <= 60


def test_rules_and_reasons(folder):
    model = tw.load("loans.json")
    assert call("rules", "loans.json").out.splitlines() == [str(rule) for rule in model.rules()]
    said = call("explain", "loans.json", "--row", "income=900, size=L, job=miner").out.strip()
    assert said == str(model.explain({"income": 900, "size": "L", "job": "miner"}))
    from_table = call("explain", "loans.json", "loans.csv", "--row", "1", "--json")
    assert json.loads(from_table.out)["prediction"] == model.predict(pl.read_csv("loans.csv")[:1])[0]


def test_evaluate(folder):
    record = json.loads(call("evaluate", "loans.json", "new.csv", "--json").out)
    model, table = tw.load("loans.json"), pl.read_csv("new.csv")
    assert record["error"] == pytest.approx(1 - model.score(table.drop("paid"), table["paid"]))
    assert np.sum(record["confusion"]) == 60
    assert record["interval"][0] < record["error"] < record["interval"][1]


def test_rows_may_be_weighted_by_a_column_of_the_model(folder):
    record = json.loads(call("evaluate", "loans.json", "new.csv", "--weights", "income", "--json").out)
    model, table = tw.load("loans.json"), pl.read_csv("new.csv")
    wrong = model.predict(table.drop("paid")) != table["paid"].to_numpy()
    assert record["error"] == pytest.approx(np.average(wrong, weights=table["income"].to_numpy()))


def test_prune_leaves_the_model_as_it_was(folder):
    before = (folder / "loans.json").read_bytes()
    ran = call("prune", "loans.json", "--method", "reduced-error", "--data", "new.csv", "-o", "s.json", "--json")
    assert (folder / "loans.json").read_bytes() == before
    assert tw.load("s.json").tree_.n_leaves == json.loads(ran.out)["pruned"]["n_leaves"][1]


def test_prune_learns_folds_from_the_columns_of_the_model(folder):
    """A column that was left out stays out, dates are dates again, and the order of the columns does not matter."""
    table = pl.read_csv("loans.csv").with_row_index("number")
    days = pl.date(2024, 1, 1) + pl.duration(days=pl.col("income") % 97)
    table = table.with_columns(days.alias("day"), pl.format("n{}", "number").alias("number"))
    table.write_csv("days.csv")
    table.drop("number").write_csv("plain.csv")
    table.select(reversed(table.columns)).write_csv("reversed.csv")
    assert call("fit", "plain.csv", "-t", "paid", "--cv", "0", "-o", "m.json").code == 0
    pruning = ("prune", "m.json", "-m", "cost-complexity", "--cv", "5", "--data")
    first, *others = [call(*pruning, name) for name in ("plain.csv", "days.csv", "reversed.csv")]
    assert (first.code, first.err.count("Warning")) == (0, 0)
    assert all(other == first for other in others)
    model, X = tw.load("m.json"), table.drop("number", "paid")
    model.fit(X, table["paid"])
    assert str(model.prune("cost-complexity", cv=Folds(5, 0)).pruned_) == first.out.partition("\n")[0]


@pytest.mark.parametrize(
    "spelling",
    ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y-%m-%d", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M", "%H:%M"],
)
def test_dates_and_times_are_read_for_predicting_as_for_learning(folder, spelling):
    times = [datetime.datetime(2024, 1, 3) + datetime.timedelta(hours=37 * k % 1000) for k in range(60)]
    rows = "".join(f"{t.strftime(spelling)},{'early' if t.hour < 9 or t.day < 9 else 'late'}\n" for t in times)
    (folder / "times.csv").write_text(f"t,y\n{rows}")
    fitted = json.loads(call("fit", "times.csv", "--cv", "0", "-o", "m.json", "--json").out)
    assert fitted["columns"][0]["kind"] == "numeric"
    assert json.loads(call("evaluate", "m.json", "times.csv", "--json").out)["error"] == fitted["training_error"]
    assert call("prune", "m.json", "-m", "cost-complexity", "--cv", "3", "--data", "times.csv").code == 0
    first = call("explain", "m.json", "--row", f"t={times[0].strftime(spelling)}")
    assert first.out == call("explain", "m.json", "times.csv", "--row", "1").out


def test_compare_methods_and_models(folder):
    record = json.loads(call("compare", "loans.csv", "-t", "paid", "--methods", "cart,cart:max_depth=1", "--json").out)
    assert [row["model"] for row in record["rows"]] == ["cart", "cart:max_depth=1"]
    assert record["rows"][1]["leaves"] == 2
    assert call("compare", "rent.csv", "-t", "rent", "--cv", "3").code == 0


def test_rank(folder):
    table = pl.read_csv("loans.csv")
    ranking = tw.rank_attributes(table.drop("paid"), table["paid"], by="gini")
    record = json.loads(call("rank", "loans.csv", "-t", "paid", "--by", "gini", "--json").out)
    assert [row["attribute"] for row in record["attributes"]] == ranking.names
    assert record["attributes"][0]["measures"]["gini"] == pytest.approx(ranking[0]["gini"])
    assert "squared_error" in call("rank", "rent.csv", "-t", "rent").out


def test_doctor(folder):
    record = json.loads(call("doctor", "--json").out)
    assert record["trouble"] == []
    assert set(record["engines"]) == {"exact", "histogram"}
    assert set(record["kernel_cache"]) == {"folders", "kept", "kernels", "compile"}


def test_doctor_without_numba(folder, monkeypatch):
    """All works without: it is no trouble, but there is nothing to compile with."""
    from treewright.cli.commands import doctor_command

    found = doctor_command._version
    monkeypatch.setattr(doctor_command, "_version", lambda name: None if name == "numba" else found(name))
    monkeypatch.setattr(switch, "has_numba", False)
    with switch.compiling("never"):
        ran = call("doctor")
        assert (ran.code, "kernels run as plain Python" in ran.out, "All is well." in ran.out) == (0, True, True)
        ran = call("doctor", "--compile")
    assert (ran.code, "Hint: install numba" in ran.err) == (2, True)


def test_doctor_compiles(folder, monkeypatch):
    from treewright.cli import compiling
    from treewright.kernels import switch

    roads = []
    monkeypatch.setattr(compiling, "jobs", lambda: [("one thing", lambda: roads.append(switch.is_on))])
    ran = call("doctor", "--compile")
    assert ran.code == 0
    assert ran.err.startswith("compiling 1 of 1: one thing")
    assert roads == [True]


@pytest.fixture
def few_rows_to_compile_by(monkeypatch):
    from treewright.cli import compiling

    monkeypatch.setattr(compiling, "_ROWS", 300)
    monkeypatch.setattr(compiling, "_FEW_ROWS", 60)
    monkeypatch.setattr(compiling, "_LARGE_ROWS", 300)
    return compiling


@pytest.mark.slow  # compiles every kernel
def test_what_doctor_compiles_can_be_run(few_rows_to_compile_by):
    told = []
    few_rows_to_compile_by.compile_all(told.append)
    assert told[-1].startswith(f"compiling {len(told)} of {len(told)}: ")


@pytest.mark.slow
def test_what_doctor_compiles_runs_on_the_plain_road_too(few_rows_to_compile_by):
    with switch.compiling("never"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, job in few_rows_to_compile_by.jobs():
            job()


@pytest.mark.parametrize("command", commands())
def test_json_is_on_every_command(command):
    assert "--json" in call(command, "--help").out


@pytest.mark.parametrize(
    "line",
    [
        "fit loans.csv -t paid", "show loans.json", "rules loans.json", "explain loans.json --row income=3",
        "evaluate loans.json new.csv", "prune loans.json -m mdl", "compare iris.csv --cv 2", "methods",
        "rank loans.csv -t paid", "datasets", "demo", "teach gain", "methods c4.5", "methods mdl", "doctor",
        "datasets play_tennis", "predict loans.json new.csv -o out.csv", "teach --examples",
    ],
)  # fmt: skip
def test_json_is_json(line, folder):
    ran = call(*line.split(), "--json")
    assert ran.code == 0, ran.err
    json.loads(ran.out)


def test_the_version():
    assert call("--version") == Ran(0, f"treewright {tw.__version__}\n", "")


def test_the_list_of_commands_is_not_cut_off():
    assert "..." not in call("--help").out.partition("Commands:")[2]


def test_no_colour_when_piped(folder):
    ran = call("fit", "tennis.csv", "-t", "play", "--cv", "2")
    assert "\x1b" not in ran.out + ran.err
    assert "Warning:" in ran.err


def test_the_library_s_own_warnings_are_messages(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = call("fit", "tennis.csv", "-t", "play", "--cv", "0")
    assert "Warning: column 'day'" in ran.err


def test_completion(monkeypatch):
    monkeypatch.setenv("_TREEWRIGHT_COMPLETE", "complete_bash")
    for words, found in (
        ("treewright pr", ["predict", "prune"]),
        ("treewright fit --tes", ["--test-size", "--test", "--test-groups"]),
        ("treewright fit --learner-", ["--learner-cv", "--learner-method", "--learner-test", "--learner-weights"]),
        ("treewright fit --method c", ["c4.5", "c4.5rules", "c5.0", "cart", "chaid", "cubist"]),
        ("treewright fit --prune cost", ["cost-based", "cost-complexity"]),
        ("treewright teach ga", ["gain", "gain-ratio"]),
        ("treewright teach exercise id", ["id3"]),
        ("treewright methods me", ["merge-same"]),
        ("treewright datasets play", ["play_tennis", "play_tennis_noisy"]),
        ("treewright plot tree-r", ["tree-regions"]),
    ):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        assert sorted(call().out.split()) == sorted(found)


# ---- nothing to predict ----------------------------------------------------------------------------------------------

NO_ROWS = {
    "none.csv": b"income,size,job,id\n",
    "bare.csv": b"income,size,job,id",
    "blank.csv": b"income,size,job,id\n\n\n",
    "none.tsv": b"income\tsize\tjob\tid\n",
    "none.json": b"[]",
    "none.arff": b"@relation r\n@attribute income numeric\n@attribute size {S,M,L}\n@attribute job string\n"
    b"@attribute id string\n@data\n",
}


@pytest.mark.parametrize("name", NO_ROWS)
def test_an_empty_batch_has_an_output_of_only_a_header(folder, name):
    (folder / name).write_bytes(NO_ROWS[name])
    (folder / "out.csv").write_text("of yesterday")
    options = ("--probabilities", "--leaf", "--rule", "--keep", "id")
    assert call("predict", "loans.json", name, "-o", "out.csv", *options).code == 0
    assert (folder / "out.csv").read_text() == "id,prediction,p_no,p_yes,leaf,rule\n"
    assert call("predict", "loans.json", name) == Ran(0, "prediction\n", "")


@pytest.mark.parametrize("name", ["none.parquet", "none.arrow"])
def test_an_empty_batch_in_columns(folder, name):
    table = pl.DataFrame(schema={"income": pl.Float64, "size": pl.String, "job": pl.String})
    table.write_parquet(name) if name == "none.parquet" else table.write_ipc(name)
    assert call("predict", "loans.json", name, "-o", "out.csv").code == 0
    assert (folder / "out.csv").read_text() == "prediction\n"


def test_empty_parts_of_a_pattern_are_passed_over(folder):
    (folder / "part1.csv").write_text("income,size,job\n")
    (folder / "part2.csv").write_text("income,size,job\n2000,M,clerk\n")
    (folder / "part3.csv").write_text("income,size,job\n")
    assert len(predictions(call("predict", "loans.json", "part*.csv").out)) == 1


def test_an_empty_batch_for_rules_and_for_numbers(folder):
    (folder / "none.csv").write_text("income,size,job,rooms,area,district\n")
    assert call("fit", "loans.csv", "-t", "paid", "-m", "c4.5rules", "-o", "rules.json", "--cv", "0").code == 0
    assert call("fit", "rent.csv", "-t", "rent", "-o", "rent.json", "--cv", "0").code == 0
    assert call("predict", "rules.json", "none.csv", "-p").out == "prediction,p_no,p_yes\n"
    assert call("predict", "rent.json", "none.csv", "--json").out == ""
    assert call("predict", "rent.json", "none.csv").out == "prediction\n"


@pytest.mark.parametrize(
    "command",
    [
        "evaluate loans.json none.csv",
        "explain loans.json none.csv",
        "predict loans.json narrow.csv -o out.csv",
        "predict loans.json void.csv -o out.csv",
    ],
)
def test_without_rows_or_columns_nothing_is_replaced(folder, command):
    (folder / "none.csv").write_text("income,size,job,paid\n")
    (folder / "narrow.csv").write_text("income,size\n")
    (folder / "void.csv").write_text("")
    (folder / "out.csv").write_text("of yesterday")
    ran = call(*command.split())
    assert ran.code == 2
    assert "Hint:" in ran.err
    assert (folder / "out.csv").read_text() == "of yesterday"


# ---- trees by hand ---------------------------------------------------------------------------------------------------


def test_a_tree_in_a_file_becomes_a_model(folder):
    ran = call("byhand", "tennis.txt", "tennis.csv", "-t", "play", "--names", "day", "--rows", "-o", "m.json")
    assert ran.code == 0, ran.err
    assert "outlook = Sunny [1]" in ran.out
    assert "[3] humidity = High: D1, D2, D8 → No" in ran.out
    assert "2 of 14 rows wrong" in ran.out
    assert "D6 is No, predicted Yes" in ran.out
    assert str(tw.load("m.json")) in ran.out


def test_what_show_prints_is_read_again(folder):
    (folder / "again.txt").write_text(call("show", "loans.json").out, encoding="utf-8")
    ran = call("byhand", "again.txt", "loans.csv", "-t", "paid", "-q")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(str(tw.load("loans.json")))


def test_trees_by_hand_are_compared(folder):
    (folder / "other.json").write_text('{"income <= 3000": "no", "else": "yes"}')
    ran = call("byhand", "tree.txt", "loans.csv", "-t", "paid", "--against", "other.json", "--against", "loans.json")
    assert ran.code == 0, ran.err
    assert "least error, then fewest nodes: loans.json" in ran.out
    record = json.loads(call("byhand", "tree.txt", "loans.csv", "-t", "paid", "--json").out)
    assert record["tree"].splitlines()[1].startswith("income ≤ 2400: no")


@pytest.mark.parametrize(("name", "content", "said"), [
    ("none.txt", None, "cannot read 'none.txt'"),
    ("noise.txt", b"\xff\xfe\xfd", "is not text"),
    ("bad.json", b'{"income <= 3', "is not JSON"),
    ("bad.txt", b"wages <= 3: no\nwages > 3: yes", "the columns are income, size, job"),
    ("deep.json", b'{"a":' * 100_000, "nested too deep"),
])  # fmt: skip
def test_files_that_hold_no_tree(folder, name, content, said):
    if content is not None:
        (folder / name).write_bytes(content)
    ran = call("byhand", name, "loans.csv", "-t", "paid", "-o", "kept.json")
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert said in ran.err
    assert "Hint:" in ran.err
    assert not (folder / "kept.json").exists()


def test_gains_of_a_class(folder):
    told = call("evaluate", "loans.json", "new.csv", "--gains", "yes", "--bins", "4", "--benefit", "10", "--cost", "6")
    assert "rows by the probability of yes" in told.out
    assert "profit is greatest with" in told.out
    record = json.loads(call("evaluate", "loans.json", "new.csv", "--gains", "yes", "--bins", "4", "--json").out)
    assert record["gains"]["bin"] == [1, 2, 3, 4]
    assert record["gains"]["gain"][-1] == pytest.approx(1)
    assert record["log_loss"] > 0
    refused = call("evaluate", "loans.json", "new.csv", "--gains", "perhaps")
    assert (refused.code, "there is no class 'perhaps' for --gains. Hint: the classes are" in refused.err) == (2, True)


@pytest.mark.parametrize("option", ["--bins", "--benefit", "--cost"])
def test_what_only_gains_uses_is_refused_without_them(folder, option):
    refused = call("evaluate", "loans.json", "new.csv", option, "4")
    assert (refused.code, refused.out) == (2, "")
    assert f"{option} is of the table of --gains. Hint: say --gains CLASS too" in refused.err


def test_gains_are_not_of_numbers(folder):
    call("fit", "loans.csv", "-t", "income", "--cv", "0", "--method", "cart", "-o", "income.json")
    refused = call("evaluate", "income.json", "loans.csv", "--gains", "yes")
    assert (refused.code, "the model predicts numbers. Hint: leave it out" in refused.err) == (2, True)


def test_what_columns_are_taken_for(folder):
    rows = [f"K{k};{k % 28 + 1:02}.{k % 12 + 1:02}.2023;{k * 7 % 20:05};{k % 9} %;{k % 2}" for k in range(40)]
    (folder / "odd.csv").write_text("\n".join(["id;joined;zip;share;y", *rows]))
    told = call("inspect", "odd.csv")
    assert [line.split()[:2] for line in told.out.splitlines()[2:7]] == [
        ["id", "left"], ["joined", "numeric"], ["zip", "nominal"], ["share", "nominal"], ["y", "numeric"],
    ]  # fmt: skip
    assert "to keep it say --kinds id=nominal" in told.out
    assert "! column 'zip' holds codes with leading zeros, such as 00000, and is read as text" in told.out
    assert not told.err
    kept = json.loads(call("inspect", "odd.csv", "--kinds", "id=nominal", "--kinds", "zip=numeric", "--json").out)
    assert [column["kind"] for column in kept["columns"]] == ["nominal", "numeric", "numeric", "nominal", "numeric"]
    fitted = call("fit", "odd.csv", "-t", "y", "--cv", "0", "-o", "m.json")
    assert "column 'id' looks like an identifier: 40 different values in 40 rows. It is left out." in fitted.err
    assert "id          left out" in fitted.err
    (folder / "new.csv").write_text("zip;joined;share\n00007;03.04.2024;5 %\n")
    assert call("predict", "m.json", "new.csv").code == 0


def test_percentages_and_decimal_commas_are_read_wherever_the_model_is_asked(folder):
    """What a notice advises at the fit holds for every command after it, and for a part of the file at a time."""
    lines = [f'{n}.5 %,"{100 + n},25",{"yes" if n < 20 else "no"}' for n in range(40)]
    (folder / "rates.csv").write_text("\n".join(["rate,price,paid", *lines, ""]))
    fitted = call(
        "fit", "rates.csv", "-t", "paid", "--kinds", "rate=numeric,price=numeric", "-o", "m.json", "--cv", "0"
    )
    assert (fitted.code, "as text" in fitted.err) == (0, False), fitted.err
    assert call("predict", "m.json", "rates.csv").out.split() == ["prediction", *["yes"] * 20, *["no"] * 20]
    assert "accuracy 100.0 %" in call("evaluate", "m.json", "rates.csv").out
    assert "paid = yes" in call("explain", "m.json", "rates.csv", "--row", "3").out
    assert "paid = no" in call("explain", "m.json", "--row", "rate=39.5 %").out
    (folder / "odd.csv").write_text("rate,price,paid\n5 %,1,yes\n?5 %,2,no\n")
    refused = call("predict", "m.json", "odd.csv")
    assert (refused.code, "'?5 %' in line 3 of 'odd.csv', which is no number" in refused.err) == (2, True), refused.err


def test_dates_that_may_begin_with_the_month_are_told_of(folder):
    (folder / "dates.csv").write_text(
        "joined,left,y\n" + "".join(f"0{n}/1/2024,2{n}/1/2024,{n % 2}\n" for n in range(1, 9))
    )
    told = call("inspect", "dates.csv").out
    assert "column 'joined' holds dates such as 01/1/2024, which are read with the day before the month" in told
    assert "'left'" not in told


def test_a_method_that_there_is_not_is_refused_before_the_table_is_read(folder):
    refused = call("fit", "loans.csv", "-t", "paid", "--method", "forrest")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "did you mean 'forest'?" in refused.err


def test_remarks_on_columns_name_the_option_that_leaves_them_out(folder):
    (folder / "runs.csv").write_text("step no x,y\n" + "".join(f"{n},{n % 2}\n" for n in range(40)))
    assert "leave it out with --drop 'step no x'." in call("inspect", "runs.csv").out
    noted = call("fit", "runs.csv", "-t", "y", "--drop", "y", "--cv", "0")
    assert noted.code == 2


def test_predict_says_nothing_of_columns_that_the_model_does_not_know(folder):
    lines = (folder / "new.csv").read_text().splitlines()
    (folder / "more.csv").write_text("\n".join(["zip," + lines[0], *(f"01067,{line}" for line in lines[1:]), ""]))
    ran = call("predict", "loans.json", "more.csv")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == call("predict", "loans.json", "new.csv").out


def test_a_slip_in_the_name_of_a_column_of_a_row(folder):
    refused = call("explain", "loans.json", "--row", "incom=3")
    assert (refused.code, "did you mean 'income'?" in refused.err) == (2, True), refused.err
