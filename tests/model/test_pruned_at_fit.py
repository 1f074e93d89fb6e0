"""``pruned_``: what pruning as a part of fitting has cut is told as ``model.prune`` tells it, and saved."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import treewright as tw
from made_trees import same

X, Y = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
HELD_OUT = np.arange(len(Y)) % 3 == 0

MADE = [
    (tw.CARTClassifier, {}, tw.prune.CostComplexity(0.01)),
    (tw.CARTClassifier, {"costs": {(1, 0): 3}}, tw.prune.ErrorBased()),
    (tw.TreeClassifier, {"criterion": "entropy", "smoothing": "laplace"}, tw.prune.Pessimistic()),
    (tw.CARTRegressor, {"max_depth": 5}, tw.prune.CostComplexity(100.0)),
    (tw.TreeRegressor, {}, tw.prune.ToLeaves(6)),
]


@pytest.mark.parametrize(("make", "options", "pruner"), MADE, ids=str)
def test_the_option_tells_what_the_method_tells(make, options, pruner):
    data = NUMBERS if issubclass(make, tw.TreeRegressor | tw.CARTRegressor) else (X, Y)
    option, method = make(prune=pruner, **options).fit(*data), make(**options).fit(*data).prune(pruner)
    assert option.pruned_ == method.pruned_
    assert option.pruned_.nodes
    assert same(option.tree_, method.tree_)
    assert not hasattr(option.set_params(prune=None).fit(*data), "pruned_")


def test_a_pruner_of_ones_own_is_told_of():
    def no_deeper(tree, schema):
        return tw.prune.ToDepth(1)(tree, schema)

    told = tw.CARTClassifier(prune=no_deeper).fit(X, Y).pruned_
    assert (told.method, told.n_leaves[1]) == ("no_deeper", 2)


@pytest.mark.parametrize("flavour", ["c4.5", "j48"])
@pytest.mark.parametrize("options", [{}, {"raising": False}, {"collapse": False}, {"max_leaves": 9}], ids=str)
def test_c45_tells_what_it_cut(options, flavour):
    pruned, grown = (tw.C45Classifier(flavour=flavour, prune=prune, **options).fit(X, Y) for prune in (True, False))
    method = grown.prune("error-based", raising=options.get("raising", True))
    assert pruned.pruned_ == method.pruned_
    assert pruned.pruned_.nodes or pruned.pruned_.raised
    assert not hasattr(grown, "pruned_")


def test_c45_tells_what_held_out_rows_cut():
    told = tw.C45Classifier(prune="reduced-error").fit(X, Y, prune_rows=HELD_OUT)
    grown = tw.C45Classifier(prune=False, collapse=False).fit(X[~HELD_OUT], Y[~HELD_OUT])
    assert told.pruned_.method == "reduced-error"
    assert told.pruned_.n_leaves == (grown.tree_.n_leaves, told.tree_.n_leaves)


def test_branches_that_cannot_be_reached_do_not_count():
    rng = np.random.default_rng(1)
    levels = rng.choice(list("abcdef"), 400)
    table = pd.DataFrame({"level": levels, "x": rng.normal(size=400).round(1)})
    y = (np.isin(levels, ["a", "b"]) ^ (table["x"] > 0)) ^ (rng.random(400) < 0.2)
    model = tw.C45Classifier(subset=True).fit(table, y)
    assert model.pruned_.n_leaves[1] == model.tree_.n_leaves
    assert model.pruned_.n_nodes[1] == model.tree_.n_nodes


def test_the_report_is_saved(tmp_path):
    path = tmp_path / "model.json"
    for model in (tw.C45Classifier().fit(X, Y), tw.CARTClassifier().fit(X, Y).prune("depth", depth=2)):
        model.save(path)
        assert tw.load(path).pruned_ == model.pruned_
        assert tw.load(path).pruned_.nodes
    document = json.loads(path.read_text())
    wrong = [None, [], {}, {**document["facts"]["pruned"], "nodes": [-1]}]
    wrong += [
        {**document["facts"]["pruned"], name: "a" if name != "method" else 1} for name in document["facts"]["pruned"]
    ]
    for told in wrong:
        path.write_text(json.dumps({**document, "facts": {"named": False, "pruned": told}}))
        with pytest.raises(tw.ModelFileError, match="the report of what was pruned"):
            tw.load(path)
