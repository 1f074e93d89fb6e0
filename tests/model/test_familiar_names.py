"""Options by the names they have in other programs."""

import pickle

import pytest
from sklearn.base import clone

import treewright as tw
from treewright.model import familiar_names

TENNIS = tw.datasets.load("play_tennis")


@pytest.mark.parametrize(
    ("learner", "options", "hint"),
    [
        (tw.CARTClassifier, {"min_samples_leaf": 5}, "min_samples_leaf=5 is min_rows_leaf=5 here"),
        (tw.CARTRegressor, {"max_leaf_nodes": 8}, "max_leaf_nodes=8 is max_leaves=8 here"),
        (tw.CARTClassifier, {"minsplit": 20}, "minsplit=20 is min_rows_split=20 here"),
        (tw.CARTClassifier, {"ccp_alpha": 0.01}, r"is prune=tw.prune.CostComplexity\(alpha=0.01\) here"),
        (tw.CARTClassifier, {"cp": 0.01}, r"is prune=tw.prune.CostComplexity\(alpha=0.01, relative=True\) here"),
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
