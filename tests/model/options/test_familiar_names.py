"""Options by the names they have in other programs."""

import pickle
import re
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

import treewright as tw
from made_trees import same
from treewright.model.fitting import estimators_of
from treewright.model.options import familiar_names, names_elsewhere

TENNIS = tw.datasets.load("play_tennis")
ESTIMATORS = [getattr(tw, name) for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))]


@pytest.mark.parametrize(
    ("learner", "options", "hint"),
    [
        (tw.CARTClassifier, {"min_samples_leaf": 5}, "min_samples_leaf=5 is min_rows_leaf=5 here"),
        (tw.CARTRegressor, {"max_leaf_nodes": 8}, "max_leaf_nodes=8 is max_leaves=8 here"),
        (tw.CARTClassifier, {"minsplit": 20}, "minsplit=20 is min_rows_split=20 here"),
        (tw.CARTClassifier, {"ccp_alpha": 0.01}, r"is prune=tw.prune.CostComplexity\(alpha=0.01\) here"),
        (tw.CARTRegressor, {"cp": 0.01}, r"is prune=tw.prune.CostComplexity\(alpha=0.01, relative=True\) here"),
        (tw.CARTClassifier, {"cp": 0.01}, r'\(alpha=0.01, relative=True, risk="misclassification"\) here'),
        (tw.CARTClassifier, {"min_impurity_decrease": 0.01}, "min_gain is nearest, but is what the node itself gains"),
        (tw.CARTClassifier, {"usesurrogate": 2}, 'usesurrogate=2 is missing="surrogate" here'),
        (tw.CHAIDClassifier, {"MINPARENTSIZE": 50}, "MINPARENTSIZE=50 is min_rows_split=50 here"),
        (tw.C45Classifier, {"minNumObj": 5}, "minNumObj=5 is min_cases=5 here"),
        (tw.C45Classifier, {"CF": 0.1}, "CF=0.1 is confidence=0.1 here"),
        (tw.C45Classifier, {"min_samples_leaf": 5}, "min_samples_leaf=5 is min_cases=5 here"),
        (tw.CHAIDClassifier, {"alpha4": 0.01}, "alpha4=0.01 is alpha_split=0.01 here"),
        (tw.CHAIDClassifier, {"alpha": 0.01}, "alpha=0.01 is alpha_split=0.01 here"),
        (tw.CARTClassifier, {"alpha": 0.01}, r"alpha=0.01 is prune=tw.prune.CostComplexity\(alpha=0.01\) here"),
        (
            tw.RandomForestClassifier,
            {"ccp_alpha": 0.01},
            "of CARTClassifier and others; RandomForestClassifier does not",
        ),
        (tw.BaggingRegressor, {"ccp_alpha": 0.01}, r"is member=tw.CARTRegressor\(prune=tw.prune.CostComplexity\("),
        (tw.SearchTreeClassifier, {"ccp_alpha": 0.01}, "alpha is what a leaf costs here"),
    ],
)
def test_the_hint_names_ours_with_the_value(learner, options, hint):
    for attempt in (lambda: learner(**options), lambda: learner().set_params(**options)):
        with pytest.raises(familiar_names.UnknownOptionError, match=hint):
            attempt()


@pytest.mark.parametrize(
    ("learner", "given", "ours"),
    [
        (tw.CARTClassifier, "log_loss", "entropy"),
        (tw.CARTRegressor, "friedman_mse", "friedman"),
        (tw.RandomForestRegressor, "mse", "squared_error"),
        (tw.C45Classifier, "InfoGain", "gain"),
    ],
)
def test_values_have_other_names_too(learner, given, ours):
    with pytest.raises(tw.OptionError, match=f"criterion='{given}' is criterion='{ours}' here"):
        learner(criterion=given).fit([[1.0], [2.0], [3.0]], [0, 1, 1])


def test_fit_says_the_same():
    with pytest.raises(tw.OptionError, match="min_samples_leaf=5 is min_rows_leaf=5 here"):
        tw.fit(TENNIS.X, 0, min_samples_leaf=5)


def test_a_name_unlike_any_other_suggests_none():
    with pytest.raises(TypeError) as refused:
        tw.CARTClassifier(bananas=3)
    assert "did you mean" not in str(refused.value)
    assert "_usual" not in str(refused.value)


def test_what_is_suggested_exists():
    """Every name of ours in the lists is an option of some estimator."""
    here = {option for kind in ESTIMATORS for option in kind._get_param_names()}
    meant = {option for meanings in names_elsewhere.NAMES.values() for option, _ in meanings}
    assert meant <= here
    assert {needed for needed, _ in names_elsewhere.TOLD.values() if needed} <= here


def test_an_estimator_is_still_cloned_and_pickled():
    model = tw.CARTClassifier(max_depth=3)
    assert clone(model).max_depth == 3
    assert pickle.loads(pickle.dumps(model)).max_depth == 3


VALUES = (5, 0.25, True, False, "gini", "yes", -1)


@pytest.mark.parametrize("learner", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_what_is_meant_is_accepted_by_the_estimator(learner):
    """… wherever the value is one that was made of the other program's."""
    limits = learner.option_limits
    known = [option for option in learner._get_param_names() if option != "member"]
    for name in names_elsewhere.NAMES:
        for value in VALUES:
            meant = familiar_names.called_here(name, value, known, limits)
            if meant is not None:
                assert meant.option in known
                assert meant.value is value or limits[meant.option].accepts(meant.value)


@pytest.mark.parametrize("learner", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_slip_is_met_with_the_name_that_is_spelt_alike_and_never_another(learner):
    known = set(learner._get_param_names())
    meant = {"max_dept": {"max_depth"}, "min_rows_laef": {"min_rows_leaf", "min_rows"}, "random_sate": {"random_state"}}
    for name in (*meant, "bananas", "max_heads", "mean", "tree", "x", "max_featuring"):
        said = str(familiar_names.unknown_option(learner.__name__, name, 5, known))
        suggested = said.partition("did you mean '")[2].partition("'")[0]
        allowed = meant.get(name, set()) & known
        assert suggested in allowed if allowed else not suggested


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("xval", 10, "xval=10 is prune={'cost-complexity': {'cv': 10}} here"),
        ("surrogatestyle", 1, "surrogatestyle=1 is surrogate_agreement='known' here"),
        ("mincriterion", 0.95, "mincriterion=0.95 is significance=0.05 here"),
        ("stump", True, "stump=True is max_depth=1 here"),
        ("unpruned", True, "unpruned=True is prune=None here"),
        ("reducedErrorPruning", True, "reducedErrorPruning=True is prune='reduced-error' here"),
        ("min_child_samples", 20, "min_child_samples=20 is min_rows_leaf=20 here"),
        ("n_estimators", 100, "n_trees=100 of BaggingClassifier, ExtraTreesClassifier and RandomForestClassifier"),
        ("max_features", "sqrt", "max_columns='sqrt' of ExtraTreesClassifier and RandomForestClassifier"),
        ("confidenceFactor", 0.25, "confidence=0.25 of C45Classifier, C45RulesClassifier and C50Classifier"),
        ("noGlobalPruning", True, "noGlobalPruning=True is global_pruning=False of C50Classifier"),
        ("CF", 25, "CF=25 is confidence=0.25 of"),
        ("alpha3", -1, "alpha3=-1 is alpha_resplit=None of CHAIDClassifier"),
        ("trials", 10, "trials=10 is an option of C50Classifier; CARTClassifier has attribute_costs, class_weight"),
        ("sample_weight", [1], r"rows are weighted in fit\(X, y, sample_weight=…\)"),
        ("maxcompete", 4, r"model.competitors\(node\)"),
        ("max_tree_depth", 4, r"did you mean 'max_depth'\? help\(tw.CARTClassifier\) describes all \d+"),
        ("min_leaf_rows", 4, "did you mean 'min_rows_leaf'"),
    ],
)
def test_values_are_translated_and_options_of_other_learners_are_named_with_them(name, value, hint):
    with pytest.raises(familiar_names.UnknownOptionError, match=hint):
        tw.CARTClassifier(**{name: value})


@pytest.mark.parametrize(
    ("learner", "name", "hint"),
    [
        (tw.AdaBoostClassifier, "n_trees", "n_trees=5 is n_rounds=5 here"),
        (tw.BaggingRegressor, "n_rounds", "n_rounds=5 is n_trees=5 here"),
        (tw.M5Regressor, "min_rows_leaf", "min_rows_leaf=5 is min_rows=5 here"),
        (tw.C50Classifier, "min_rows_leaf", "min_rows_leaf=5 is min_cases=5 here"),
        (tw.CARTClassifier, "min_cases", "min_cases=5 is min_rows_leaf=5 here"),
        (tw.BaggingClassifier, "max_depth", "options of trees go to the members"),
        (tw.CHAIDClassifier, "bananas", "Hint: there are "),
    ],
)
def test_options_that_are_called_otherwise_by_our_other_learners(learner, name, hint):
    with pytest.raises(familiar_names.UnknownOptionError, match=hint):
        learner(**{name: 5})


@pytest.mark.parametrize("method", ["Random Forest", "random_forest", "Extra Trees", "K NN"])
def test_methods_are_found_however_their_words_are_joined(method):
    assert estimators_of(method)


def test_a_value_that_means_something_else_is_no_option_of_ours():
    with pytest.raises(familiar_names.UnknownOptionError) as refused:
        tw.CARTClassifier(loss="log_loss")
    assert "costs='log_loss'" not in str(refused.value)


PAGES = ("from_scikit_learn.md", "from_rpart.md", "from_other_programs.md")
NO_OPTIONS = {  # of the tables: they belong to functions, to a file, or to something of another shape
    "fit", "NONE", "LR", "TWOING", "gini", "chisquare", "igr", "popular", "similar", "M5P", "M5Rules", "J48",
    "Discretize", "InfoGainAttributeEval", "GainRatioAttributeEval",
}  # fmt: skip


def names_of_tables():
    for page in PAGES:
        for line in (Path(__file__).parents[3] / "docs/how_to" / page).read_text(encoding="utf-8").splitlines():
            cells = line.split("|")[1:-1]
            if len(cells) < 2 or not re.search(r"`[a-z_]+(=|`)", cells[-1]):
                continue
            for name in re.findall(r"`([A-Za-z_]+)(?: ?= ?[^`]*)?`", "|".join(cells[:-1])):
                if name not in NO_OPTIONS:
                    yield pytest.param(name, id=f"{page}-{name}")


@pytest.mark.parametrize("name", list(names_of_tables()))
def test_every_option_in_the_tables_of_names_is_met_with_a_hint(name):
    """… or is an option here, too."""
    met = []
    for kind in ESTIMATORS:
        known = kind._get_param_names()
        for value in (5, True, "0", "yes", "none", "pearson", "popular"):
            said = str(familiar_names.unknown_option(kind.__name__, name, value, known, kind.option_limits))
            met.append(name in known or not re.search("Hint: (there are|did you mean)", said))
    assert any(met)


@pytest.mark.parametrize(("method", "made"), [
    ("j48", tw.C45Classifier(flavour="j48")),
    ("rpart", tw.CARTClassifier(
        min_rows_split=20, min_rows_leaf=7, min_gain=1e-9, max_depth=30, missing="surrogate", surrogates="rpart",
        prune=tw.prune.CostComplexity(0.01, risk="misclassification", relative=True),
    )),
])  # fmt: skip
def test_a_program_is_a_method_with_its_defaults(method, made):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[::3], y[::3].astype(str)
    X.iloc[::7, 0] = None
    found = tw.fit(X.assign(y=y), "y", method)
    assert type(found) is type(made)
    assert same(found.tree_, made.fit(X, y).tree_)


@pytest.mark.parametrize(
    ("called", "kind"),
    [
        ("random_forest", "RandomForestClassifier"),
        ("CRT", "CARTClassifier"),
        ("See5", "C50Classifier"),
        ("C50", "C50Classifier"),
    ],
)
def test_methods_have_the_names_of_other_programs(called, kind):
    table = {**TENNIS.X, "play": TENNIS.y}
    del table["day"]
    options = {"n_trees": 2} if "forest" in called else {}
    assert type(tw.fit(table, "play", called, **options)).__name__ == kind
    with pytest.raises(tw.OptionError) as refused:
        tw.fit(table, "play", "xgboost")
    assert "did you mean" not in str(refused.value)


def test_a_program_predicts_numbers_and_gives_way():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = tw.fit(X.assign(y=y)[::3], "y", "rpart", max_depth=2)
    assert isinstance(found, tw.CARTRegressor)
    assert found.max_depth == 2
    assert found.pruned_.method == "cost-complexity"
    assert found.tree_.depth <= 2
    with pytest.raises(tw.OptionError, match="unknown method 'rprat'. Hint: did you mean 'rpart'"):
        tw.fit(X.assign(y=y), "y", "rprat")
    bag = tw.fit({**TENNIS.X, "play": TENNIS.y}, "play", "bagging", member="j48", n_trees=2)
    assert bag.member.flavour == "j48"
