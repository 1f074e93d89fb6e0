"""``model.grow_on``: the leaves of a tree, however it was made, grown further."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np

from treewright.data.column_values import smallest_unsigned
from treewright.data.encode import encode
from treewright.data.encoded import Encoded
from treewright.data.labelled import Labelled, labelled
from treewright.data.matrix import as_learned
from treewright.data.weights import row_weights
from treewright.engines.workers import Workers
from treewright.errors import DataError, OptionError, shown
from treewright.model.class_or_number import altered
from treewright.model.model_pruning import fitted_rows, remember
from treewright.prediction import apply
from treewright.tree.graft import graft
from treewright.tree.tree import Tree
from treewright.typing import Ints


def grown_on(model: Any, learner: Any, nodes: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """A copy of the model whose leaves a learner has grown further; see ``TreeModel.grow_on``."""
    learner = model if learner is None else learner
    _check_learner(model, learner)
    rows = _rows(model, X, y, sample_weight)
    encoded = altered(_encoded(model, learner, rows))
    leaves = apply(model.tree_, model._matrix(rows.frame, model.tree_.columns_used), model._n_jobs())
    further = copy.copy(model)
    further.__dict__["tree_"] = graft(model.tree_, _subtrees(learner, encoded, leaves, _wanted(model.tree_, nodes)))
    further.__dict__.pop("pruned_", None)
    further.__dict__["_fitted_to"] = model.__dict__.get("_fitted_to") if X is None else remember(X, y, sample_weight)
    return further


def _subtrees(learner: Any, encoded: Encoded, leaves: Ints, wanted: Iterable[int]) -> dict[int, Tree]:
    """What the learner grows from the rows of each leaf; a leaf that it does not split stays as it is."""
    from treewright.grow import fit_tree

    found = {}
    with Workers(learner._n_jobs()) as workers:
        for leaf in wanted:
            here = leaves == leaf
            if here.sum() < 2:
                continue
            part = encoded.take(here)
            tree = fit_tree(part, learner._recipe(part), workers)
            if tree.n_nodes > 1:
                found[leaf] = tree
    return found


def _wanted(tree: Tree, nodes: Any) -> list[int]:
    leaves: list[int] = np.flatnonzero(tree.n_branches == 0).tolist()
    if nodes is None:
        return leaves
    named = [nodes] if isinstance(nodes, (int, np.integer)) else list(nodes)
    for node in named:
        if node not in leaves:
            raise OptionError(f"{shown(node)} is no leaf of the tree", f"leaves are {', '.join(map(str, leaves[:20]))}")
    return [int(node) for node in dict.fromkeys(named)]


def _check_learner(model: Any, learner: Any) -> None:
    if not hasattr(learner, "_recipe"):
        raise OptionError(f"learner={shown(learner)} is not accepted", "pass an estimator such as tw.ID3Classifier()")
    learner._check_options()
    if hasattr(learner, "search"):
        raise OptionError(
            f"{type(learner).__name__} chooses among trees from the root on, and cannot go on from a leaf",
            "pass another learner, such as learner=tw.CARTClassifier()",
        )
    if learner._leaf().kind is not model.tree_.leaf:
        raise OptionError(
            f"{type(learner).__name__} grows leaves of {learner._leaf().kind.value}, "
            f"and those of the tree are {model.tree_.leaf.value}",
            "choose a learner for the same kind of target",
        )


def _rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Labelled:
    classes = model.schema_.target.classes
    if X is None:
        if y is not None or sample_weight is not None:
            raise OptionError("y and sample_weight go with the rows they belong to, and X is None", "pass X and y")
        rows = fitted_rows(model, "growing on")
    else:
        rows = labelled(X, y, is_classifier=classes is not None, sample_weight=sample_weight)
    unknown = [label for label in rows.classes or () if label not in (classes or ())]
    if unknown:
        raise DataError(f"y holds {unknown[0]!r}, a class that the tree does not know", "leave such rows out")
    return rows


def _encoded(model: Any, learner: Any, rows: Labelled) -> Encoded:
    """The rows as the model's columns have them, so that grown tests fit its schema."""
    schema, classes = model.schema_, model.schema_.target.classes
    y = rows.y if classes is None else rows.codes_among(classes).astype(smallest_unsigned(len(classes)))
    weights = rows.weights
    if classes is not None:
        weights = row_weights(rows.weights, getattr(learner, "class_weight", None), classes, y, rows.n_rows)
    bins = 255 if learner.engine == "histogram" else None
    return encode(as_learned(rows.frame, schema), schema, y, weights, max_bins=bins, n_jobs=model._n_jobs())
