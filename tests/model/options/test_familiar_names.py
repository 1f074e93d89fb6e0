"""Options by the names they have in other programs."""

import pickle
from difflib import SequenceMatcher

import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

import treewright as tw
from made_trees import same
from treewright.model.options import familiar_names

TENNIS = tw.datasets.load("play_tennis")


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
    ],
)
def test_the_hint_names_ours_with_the_value(learner, options, hint):
    for attempt in (lambda: learner(**options), lambda: learner().set_params(**options)):
        with pytest.raises(familiar_names.UnknownOptionError, match=hint):
            attempt()


def test_fit_says_the_same():
    with pytest.raises(tw.OptionError, match="min_samples_leaf=5 is min_rows_leaf=5 here"):
        tw.fit(TENNIS.X, 0, min_samples_leaf=5)


def test_a_name_unlike_any_other_suggests_none():
    with pytest.raises(TypeError) as refused:
        tw.CARTClassifier(bananas=3)
    assert "did you mean" not in str(refused.value)
    assert "_usual" not in str(refused.value)


def test_what_is_suggested_exists():
    """Every name of ours in the list is an option of some estimator."""
    here = set()
    for name in dir(tw):
        if isinstance(getattr(tw, name), type) and hasattr(getattr(tw, name), "get_params"):
            here |= set(getattr(tw, name)._get_param_names())
    later = {"n_trees", "n_rounds", "trials", "max_columns", "share_of_rows", "row_share", "member", "k", "min_rows"}
    assert {ours for names in familiar_names._RENAMED.values() for ours in names} <= here | later


def test_an_estimator_is_still_cloned_and_pickled():
    model = tw.CARTClassifier(max_depth=3)
    assert clone(model).max_depth == 3
    assert pickle.loads(pickle.dumps(model)).max_depth == 3


ESTIMATORS = [getattr(tw, name) for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))]


@pytest.mark.parametrize("learner", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_hint_names_an_option_that_the_estimator_has(learner):
    """… which is the one that is meant, or is spelt alike; never any other."""
    known = set(learner().get_params(deep=False))
    for name in [*familiar_names._RENAMED, *familiar_names._PRUNING, "seed", "verbose", "max_dept", "splitter"]:
        if name in known:
            continue
        said = str(familiar_names.unknown_option(learner.__name__, name, 5, known))
        if " is " in said and said.endswith(" here."):
            ours = said.rpartition(" is ")[2].partition("=")[0]
            assert ours in known
            assert ours in familiar_names._RENAMED.get(name, ("prune",))
        elif "did you mean" in said:
            suggested = said.partition("did you mean '")[2].partition("'")[0]
            assert suggested in known
            assert SequenceMatcher(None, name, suggested).ratio() >= 0.75


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
