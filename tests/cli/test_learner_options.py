"""Options of learners: every one is there, under one name, and is accepted or refused in words of the command line."""

import json

import pytest

import treewright as tw
from command import call
from treewright.cli.arguments.learner_options import all_options, options_of, value_of, written
from treewright.cli.commands.methods_command import IN_WORDS
from treewright.cli.messages import cli_message
from treewright.model.fitting import estimators_of, methods


def fitted(*more: str):
    ran = call("fit", "loans.csv", "-t", "paid", "--cv", "0", "-o", "m.json", *more)
    assert ran.code == 0, ran.err
    return tw.load("m.json")


@pytest.mark.parametrize("method", methods())
def test_every_option_of_every_estimator_is_listed_unless_only_python_can_write_it(method):
    listed = set(options_of(method))
    for kind in estimators_of(method):
        assert set(kind().get_params()) - listed <= {
            "kinds",
            "prune",
            "progress",
            "costs",
            "select",
            "stop",
            "warm_start",
        }


@pytest.mark.parametrize("method", methods())
def test_defaults_are_those_of_the_estimators_and_are_accepted_as_they_are_written(method):
    record = json.loads(call("methods", method, "--json").out)
    first, *numbers = [kind().get_params() for kind in estimators_of(method)]
    for name, option in record.items():
        default = first[name] if name in first else numbers[0][name]
        assert option["default"] == (list(default) if isinstance(default, tuple) else default)
        for text in [part for part in option["accepts"].replace(" or ", ", ").split(", ") if part.isidentifier()][:3]:
            kinds = [kind for kind in estimators_of(method) if name in kind().get_params()]
            assert any(_accepts(kind, name, value_of(name, text)) for kind in kinds), (name, text)


def _accepts(kind, name, value) -> bool:
    try:
        kind(**{name: value})._check_options()
    except tw.errors.OptionError as error:
        return "not accepted" not in error.problem
    return True


def test_a_program_named_as_a_method_has_its_own_defaults():
    options = options_of("rpart")
    assert [options[name][0].default for name in ("min_rows_split", "max_depth", "missing")] == [20, 30, "surrogate"]
    assert options_of("cart")["min_rows_split"][0].default == 2
    told = " ".join(call("methods", "rpart").out.split())
    assert "rpart is cart with the defaults of that program" in told
    assert "--prune cost-complexity:alpha=0.01,relative=true,risk=misclassification; for numbers --prune" in told
    assert "--flavour (default j48)" in call("methods", "j48").out


def test_every_method_is_told_in_words_and_its_first_options_are_those_looked_for():
    listed = call("methods").out
    assert all(IN_WORDS[method] in listed for method in methods())
    assert set(IN_WORDS) == set(methods())
    assert list(options_of("cart"))[:3] == ["criterion", "max_depth", "max_leaves"]
    assert tw.CARTClassifier.__doc__.index("\nmax_depth :") < tw.CARTClassifier.__doc__.index("\nunseen :")


def test_what_python_alone_has_is_not_offered():
    said = call("methods", "cart").out
    assert "function" not in said
    assert "gini; for numbers squared_error" in said
    assert "None" not in said
    assert "'gini'" not in said
    assert "nodes" in call("methods").out
    assert "alpha" in call("methods", "cost-complexity").out


def test_an_option_that_the_command_has_too(folder):
    """CHAID's test beside fit's --test."""
    assert written("test") == "--learner-test"
    assert "--learner-test" in call("methods", "chaid").out
    assert fitted("-m", "chaid", "--learner-test", "g").get_params()["test"] == "g"
    ran = call("fit", "loans.csv", "-t", "paid", "-m", "chaid", "--learner-test=scores", "--scores", "no=1,yes=3",
               "--test", "new.csv", "-o", "m.json")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "test (new.csv)" in ran.out
    assert tw.load("m.json").get_params()["scores"] == {"no": 1, "yes": 3}
    assert call("compare", "loans.csv", "-t", "paid", "--methods", "chaid:test=g,chaid", "--cv", "2").code == 0


def test_options_of_a_search(folder):
    """Its folds beside those of fit's --cv; how many columns nodes keep."""
    model = fitted("-m", "search", "--search", "3,2", "--learner-cv", "3", "--rule", "1")
    assert (model.search, model.cv, model.rule) == ([3, 2], 3, 1)
    assert "5,3,2" in call("methods", "search").out
    ran = call("fit", "loans.csv", "-t", "paid", "-m", "search", "--search", "0,1")
    assert ran.code == 2
    assert "--search [0, 1] is not accepted" in ran.err


def test_no_other_option_hides_behind_one_of_the_commands():
    hidden = sorted(name for name in all_options() if written(name).startswith("--learner-"))
    assert hidden == ["cv", "method", "test", "weights"]


def test_lists_between_commas_and_one_by_one(folder):
    for more in (("--forbid", "income"), ("--forbid", '["income"]')):
        assert fitted(*more).get_params()["forbid"] == ["income"]
    assert fitted("--forbid", "income,size").get_params()["forbid"] == ["income", "size"]
    assert fitted("--forbid", "income", "--forbid", "size").get_params()["forbid"] == ["income", "size"]
    assert fitted("--interactions", "income,size;job").get_params()["interactions"] == [["income", "size"], ["job"]]
    assert fitted("--class-weight", "yes=2", "--class-weight", "no=3").get_params()["class_weight"] == {
        "yes": 2,
        "no": 3,
    }
    assert "--max-depth is given twice" in call("fit", "loans.csv", "--max-depth", "2", "--max-depth", "3").err


def test_classes_are_named_by_their_texts(folder):
    (folder / "truth.csv").write_text("x,y\n" + "1,true\n2,false\n3,true\n4,false\n" * 6)
    assert call("fit", "truth.csv", "--cv", "0", "--class-weight", "True=4", "-o", "m.json").code == 0
    assert tw.load("m.json").get_params()["class_weight"] == {True: 4}


def test_hints_name_options_as_they_are_written(folder):
    assert "--max-depth is a whole number of at least 0, or none" in call("fit", "iris.csv", "--max-depth", "x").err
    assert "an option for classes" in call("fit", "rent.csv", "-t", "rent", "--class-weight", "balanced").err
    assert cli_message("raise min_rows_leaf, or tie='random'.") == "raise --min-rows-leaf, or --tie random."
    assert cli_message("pass bonferroni=False.") == "pass --no-bonferroni."
    assert cli_message("'max_depth' is a column, y=3 none") == "'max_depth' is a column, y=3 none"
    assert cli_message("prune the tree; missing=None") == "prune the tree; --missing None"


@pytest.mark.parametrize("name", ["rules", "c45rules", "C4.5-Rules"])
def test_methods_as_people_call_them(name, folder):
    assert isinstance(fitted("-m", name), tw.C45RulesClassifier)
    assert isinstance(tw.fit(tw.datasets.load("food").table, "eat", name), tw.C45RulesClassifier)


def test_the_general_tree_by_name(folder):
    model = fitted("-m", "tree", "--splits", "one-vs-rest", "--smoothing", "laplace")
    assert isinstance(model, tw.TreeClassifier)
    assert model.get_params()["splits"] == "one-vs-rest"
    assert isinstance(tw.fit(tw.datasets.load("xor").table, "y", "tree", task="numbers"), tw.TreeRegressor)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("--min-samples-leaf 5", "--min-samples-leaf 5 is --min-rows-leaf 5 here"),
        ("--min-samples-leaf=5 -m c4.5", "--min-samples-leaf 5 is --min-cases 5 here"),
        ("--method c5.0 --CF 0.1", "--CF 0.1 is --confidence 0.1 here"),
        ("--ccp_alpha 0.01", "--ccp_alpha 0.01 is --prune cost-complexity:alpha=0.01 here"),
        ("--cp 0.01", "--cp 0.01 is --prune cost-complexity:alpha=0.01,relative=true,risk=misclassification"),
        ("-m forest --n-estimators 9", "--n-estimators 9 is --n-trees 9 here; treewright methods forest lists"),
        ("--n-estimators 9", "--n-trees 9 of --method bagging, extra-trees and forest"),
        ("--max-features sqrt", "--max-features sqrt is --max-columns sqrt of --method extra-trees and forest"),
        ("--CF 25", "--CF 25 is --confidence 0.25 of --method c4.5, c4.5rules and c5.0"),
        ("--noGlobalPruning -m c5.0", "--noGlobalPruning is --no-global-pruning here"),
        ("--unpruned -m c4.5", "--unpruned is --prune none here"),
        ("--num-folds 4", "--num-folds 4 is --prune reduced-error:share=0.25 here"),
        ("--stump", "--stump is --max-depth 1 here"),
        ("--xval 5", "--xval 5 is --cv 5 here"),
        ("--sep ;", "--sep ; is --delimiter ; here"),
        ("--label paid", "--label paid is --target paid here"),
        ("--exclude age", "--exclude age is --drop age here"),
        ("--header", "where it has not, say --no-header"),
        ("--maxcompete 4", "treewright summary MODEL --data TABLE shows the splits that compete"),
        ("--progress", "on a terminal a bar is shown, unless --quiet hides it"),
        ("--warm-start -m forest", "in Python, warm_start=True adds trees"),
        ("--max-deph 3", "did you mean '--max-depth'?"),
        ("--no-prune", "--no-prune is --prune none here"),
        ("--alpha 0.01 -m cart", "it is --prune cost-complexity:alpha=0.01 here"),
        ("--alpha 0.01 -m chaid", "it is --alpha-split here"),
        ("--ccp-alpha 0.01 -m forest", "--prune cost-complexity:alpha=0.01 of single trees; forest makes many"),
        ("--criterion log_loss -m cart", "--criterion log_loss is --criterion entropy here"),
        ("paid", "the column to predict is named by --target"),
        ("new.csv", "several files are read as one by a pattern in quotes, such as 'part-*.csv', and rows to test on"),
    ],
)
def test_names_people_know(folder, line, hint):
    ran = call("fit", "loans.csv", "-t", "paid", *line.split())
    assert (ran.code, hint in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("pruning", "code"),
    [
        ("cost-complexity:cv=3", 0),
        ("cost-complexity:cv=3,repeats=2,rule=0se", 0),
        ("reduced-error:share=0.5", 0),
        ("cost-complexity:cv=1", 2),
        ("pessimistic:cv=3", 2),
        ("cost-complexity:alpha=0.01,cv=3", 2),
    ],
)
def test_pruning_says_which_rows_to_choose_with(folder, pruning, code):
    ran = call("fit", "loans.csv", "-t", "paid", "--prune", pruning, "--cv", "0", "--json")
    assert ran.code == code, ran.err
    if "share" in pruning:  # half of the rows prune
        everything = json.loads(call("fit", "loans.csv", "-t", "paid", "--cv", "0", "--json").out)
        assert json.loads(ran.out)["rows"] == pytest.approx(everything["rows"] / 2, abs=1)


def test_an_option_unlike_any_other_suggests_none(folder):
    ran = call("fit", "loans.csv", "-t", "paid", "--bananas", "3")
    assert ran.code == 2
    assert "did you mean" not in ran.err


@pytest.mark.parametrize(("method", "estimator"), [("rpart", "CARTClassifier"), ("j48", "C45Classifier")])
def test_programs_by_name(folder, method, estimator):
    ran = call("fit", "loans.csv", "-t", "paid", "-m", method, "--cv", "0", "--json")
    assert json.loads(ran.out)["estimator"] == estimator
    assert call("fit", "loans.csv", "-t", "paid", "-m", method, "--cv", "0", "--prune", "mdl").code == 0
    assert f"{method} " in call("methods").out
    assert call("methods", method).code == 0
