"""C5.0 (release 2.07, through R's C50): the model text and the predictions of every stored run.

Two of 177 differ, in two lines each: ``TIED``.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import stored
import treewright as tw

OPTIONS = {
    "default": {},
    "subset": {},
    "CF0.05_m5": {"confidence": 0.05, "min_cases": 5},
    "noglobal": {"global_pruning": False},
    "fuzzy": {"soft_thresholds": True},
    "boost10": {"trials": 10},
    "noearly_boost10": {"trials": 10, "early_stopping": False},
    "winnow": {"winnow": True},
    "costs5": {},
    "costs5_boost10": {"trials": 10},
    "costs_multi": {},
    "ordered": {},
    "rules": {"rules": True},
    "rules_bands5": {"rules": True, "bands": 5},
    "rules_boost10": {"rules": True, "trials": 10},
    "rules_costs5": {"rules": True},
    "ordered_rules": {"rules": True},
}
# In trial 7 persons and safety tie exactly at the node of 357.595 unacc and 280.844 acc, and the program takes safety.
# No order of additions or rounding that was tried explains it. The rows are classified alike.
TIED = {"car__boost10", "car__noearly_boost10"}
# The program prints what it counts over a case list that boosting has damaged when it stops after dropping cases.
DAMAGED = {"monk2__rules_boost10", "monk2__boost10"}
QUICK = {"iris", "labor", "weather_numeric", "contact_lenses", "vote", "zoo", "penguins", "monk3"}


def cases() -> list:
    """Small tables in the fast tests, all others in the slow ones."""
    return [
        case if case.values[0] is None or case.id.split("__")[0] in QUICK
        else pytest.param(*case.values, id=case.id, marks=pytest.mark.slow)
        for case in stored.cases("c5.0")
    ]  # fmt: skip


def fitted(golden: dict, tag: str):
    data = stored.without_constants(stored.compare().load(golden["dataset"]))
    X, y = stored.table_of(data, ordered="ordered" in tag), stored.target_of(data)
    costs = np.array(golden["costs"], float).T if "costs" in golden else None  # rows are what is predicted
    return tw.C50Classifier(**OPTIONS[tag], costs=costs).fit(X, y), X


@pytest.mark.parametrize("path", cases())
def test_model_text_predictions_and_evaluation_are_those_of_the_program(path):
    golden = json.loads(path.read_text())
    model, X = fitted(golden, stored.tag_of(path.stem))
    ours, theirs = model.to_c50().splitlines(), golden["model_text"].splitlines()
    differing = [k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    assert len(ours) == len(theirs)
    assert len(differing) == (2 if path.stem in TIED else 0)
    assert np.array_equal(model.predict(X), np.array(golden["classes"])[golden["predictions"]])
    if "prob_table" in golden:
        expected = stored.compare().golden_probs(golden)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-4 if path.stem in TIED else 1e-6)
    check_evaluation(golden, model, usage=path.stem not in TIED | DAMAGED and "attribute_usage" in golden)


def check_evaluation(golden: dict, model, *, usage: bool) -> None:
    """Sizes, training errors and attribute usage, as the program prints them."""
    if usage:
        ours = {name: 100 * share for name, share in zip(model.schema_.names, model.evaluation_.usage)}
        theirs = golden["attribute_usage"]
        assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=0.006)
    truth = np.array(golden["classes"])[golden["program_predictions"]]
    data = stored.compare().load(golden["dataset"])
    assert model.evaluation_.all_errors == int((truth != data.y).sum())
    if golden["trials_actual"] > 1:
        assert list(model.evaluation_.sizes) == golden.get("size", golden.get("rules"))


@pytest.mark.parametrize("path", cases())
def test_rows_held_out_are_predicted_as_the_program_predicts_them(path):
    golden = json.loads(path.read_text())
    if "holdout" not in golden:
        pytest.skip("nothing is held out of this set")
    model, _ = fitted(golden, stored.tag_of(path.stem))
    test = stored.without_constants(
        stored.compare().load(golden["holdout"].get("dataset", golden["dataset"] + "_test"))
    )
    predicted = model.predict(stored.table_of(test))
    assert np.array_equal(predicted, np.array(golden["classes"])[golden["holdout"]["predictions"]])
