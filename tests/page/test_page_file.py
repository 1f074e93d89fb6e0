"""The file of a page: what every browser needs, nothing from elsewhere, and no row of the training table."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import OptionError
from treewright.model.shown.page_view import page_view

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
ROWS = 300
MOST_ENDS = 30  # thresholds, and least and greatest values of nodes, may be values of rows
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"größe": RNG.normal(size=ROWS), "name·": RNG.choice(["é", "b", "c"], ROWS)})
CLASSES = pd.Series(np.where(TABLE["größe"] + RNG.normal(size=ROWS) > 0, "oui ≤", "non"), name="réponse")
NUMBERS = TABLE["größe"] * 2 + RNG.normal(size=ROWS)
MODELS = {
    "tree": tw.CARTClassifier(max_depth=4),
    "numbers": tw.CARTRegressor(max_depth=4),
    "linear": tw.M5Regressor(),
    "rules": tw.C45RulesClassifier(),
    "forest": tw.RandomForestClassifier(n_trees=5),
    "boosted": tw.AdaBoostRegressor(n_rounds=4),
    "trials": tw.C50Classifier(trials=3),
    "cubist": tw.CubistRegressor(committees=2, neighbors=3),
}


def page_of(name: str) -> str:
    of_numbers = name in ("numbers", "linear", "boosted", "cubist")
    return MODELS[name].fit(TABLE, NUMBERS if of_numbers else CLASSES).to_html()


@pytest.mark.parametrize("name", MODELS)
def test_every_page_begins_as_browsers_want_it(name):
    text = page_of(name)
    assert text.startswith("<!doctype html>\n<html lang=")
    assert '<meta charset="utf-8">' in text
    assert '<meta name="viewport" content="width=device-width' in text
    assert "default-src 'none'" in text
    assert "größe" in text


@pytest.mark.parametrize("name", MODELS)
def test_no_page_asks_for_another_file_or_holds_a_row(name):
    text = page_of(name)
    addresses = set(re.findall(r"""(?:https?:)?//[\w.-]+\.\w+/[^\s"'`)]*""", text))
    assert all(address.startswith("http://www.w3.org/") for address in addresses), addresses  # names, never fetched
    assert not re.search(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=[\"'](?!data:)", text)
    held = [value for value in TABLE["größe"] if repr(float(value)) in text]
    assert len(held) <= MOST_ENDS


def test_models_that_are_no_trees_and_no_rules_say_so():
    with pytest.raises(OptionError, match="there is nothing to show"):
        tw.KNNClassifier().fit(TABLE[["größe"]], CLASSES).to_html()
    bagged = tw.BaggingClassifier(tw.KNNClassifier(), n_trees=2).fit(TABLE[["größe"]], CLASSES)
    with pytest.raises(OptionError, match="there is nothing to show"):
        bagged.to_html()


def test_every_model_has_a_notebook_display():
    shown = {name: getattr(tw, name) for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))}
    assert len(shown) > 20
    for name, estimator in shown.items():
        X = TABLE[["größe"]] if name.startswith("KNN") else TABLE
        y = NUMBERS if name.endswith("Regressor") else CLASSES
        model = estimator().fit(X[:60], y[:60])
        assert model._repr_html_()
        assert "fit" in dir(model)  # as notebooks ask to complete a name


def test_ensembles_of_anything_have_a_notebook_display():
    bagged = tw.BaggingClassifier(tw.KNNClassifier(), n_trees=2, oob=False).fit(TABLE[["größe"]], CLASSES)
    assert "BaggingClassifier" in bagged._repr_html_()
    assert not hasattr(bagged, "trees_")
    assert not hasattr(bagged, "oob_error_")
    with pytest.raises(OptionError, match="as models, not as trees"):
        bagged.trees_  # noqa: B018


def test_a_forest_of_many_nodes_has_as_many_trees_as_keep_the_file_light():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(4000, 5)), columns=list("abcde"))
    forest = tw.RandomForestClassifier(n_trees=60).fit(X, rng.random(4000) < 0.5)
    sizes = np.cumsum([tree.n_nodes for tree in forest.trees_])
    view = page_view(forest)
    assert sizes[-1] > 50_000
    assert len(view["members"]) == np.searchsorted(sizes, 50_000, side="right")
    assert view["n_members"] == 60
    assert len(forest.to_html()) < 1_500_000
