"""Pruning sequences that scikit-learn and rpart stored: of the same tree, the same sequence."""

from __future__ import annotations

import numpy as np
import pytest

import stored
import treewright as tw
from made_trees import Made, tree_of
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.kernels.pruning.weakest_links import shortcut_links
from treewright.prune.pruning_path import path_of

DIGITS = 1e-7  # figures are stored with nine digits
SAME_STEP = 1e-9


def has_path(name: str) -> bool:
    return stored.tag_of(name) in ("gini", "entropy", "mse")


def stats_of(y, classes):
    if classes is None:
        return float(len(y)), float(y.sum()), float((y * y).sum())
    return tuple(float((y == label).sum()) for label in classes)


def schema_of(names, classes):
    return Schema(tuple(Column(name, Kind.NUMERIC) for name in names), Target("y", classes and tuple(classes)))


def their_tree(golden, X, y, classes):
    """scikit-learn's own tree in our form, so that ties between columns do not matter."""
    nodes = golden["nodes"]

    def made(v, rows):
        stats = stats_of(y[rows], classes)
        if nodes["left"][v] < 0:
            return Made(stats)
        left = X[rows, nodes["feature"][v]] <= nodes["threshold"][v]
        children = made(nodes["left"][v], rows[left]), made(nodes["right"][v], rows[~left])
        return Made(stats, nodes["feature"][v], (nodes["threshold"][v],), (0, 0, 1), children)

    return tree_of(made(0, np.arange(len(y))), regression=classes is None)


@pytest.mark.parametrize("path", stored.cases("sklearn_tree", has_path))
def test_scikit_learn(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    X = stored.table_of(data).astype(np.float32)
    tag = stored.tag_of(path.stem)
    tree = their_tree(golden, X.to_numpy(), data.y, data.classes)
    ours = tw.prune.CostComplexity(risk=None if tag == "mse" else tag).path(tree, schema_of(X, data.classes))
    alphas, impurities = (np.array(golden["ccp_path"][name]) for name in ("alphas", "impurities"))
    # One node at a time there: of steps with the same α the last counts.
    last = np.append(np.diff(alphas) > SAME_STEP * alphas[-1], True)
    assert len(ours) == last.sum()
    np.testing.assert_allclose(ours.alphas, np.maximum(alphas, 0)[last], rtol=DIGITS, atol=DIGITS * alphas[-1])
    np.testing.assert_allclose(ours.risks, impurities[last], rtol=DIGITS, atol=DIGITS * impurities[-1])


# ---- rpart

BY_ROWS = {"gini", "anova", "information", "gini_cp0_ms2", "anova_cp0_ms2", "gini_ordered", "anova_ordered",
           "surrogatestyle1", "nosurrogate", "usesurrogate1"}  # fmt: skip


def frame_of(golden):
    """Nodes, their tests and their risks; R writes a frame of one node without brackets."""
    frame = golden["frame"]
    return tuple(np.atleast_1d(frame[name]).tolist() for name in ("node", "var", "dev"))


def rpart_tree(golden, y, classes):
    """rpart's own tree in our form, from the node at which every row ends: the children of v are 2v and 2v + 1."""
    where = np.array(golden["where"])
    nodes, tests, _ = frame_of(golden)
    inner = {v for v, test in zip(nodes, tests) if test != "<leaf>"}

    def made(v):
        mine = y[[leaf >> max(leaf.bit_length() - v.bit_length(), 0) == v for leaf in where.tolist()]]
        stats = stats_of(mine, classes)
        return Made(stats, 0, (0.5,), (0, 0, 1), (made(2 * v), made(2 * v + 1))) if v in inner else Made(stats)

    return tree_of(made(1), regression=classes is None)


def target_of(data):
    """rpart leaves rows out that have no value at all."""
    return data.y[[any(cell != "?" for cell in row[:-1]) for row in data.rows]]


def rpart_pruner(classes, links="rpart"):
    return tw.prune.CostComplexity(risk=classes and "misclassification", relative=True, links=links)


@pytest.mark.parametrize("path", stored.cases("rpart", lambda name: stored.tag_of(name) in BY_ROWS))
def test_rpart(path):
    """The same table from the same tree."""
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    tree, schema = rpart_tree(golden, target_of(data), data.classes), schema_of(["x"], data.classes)
    stored.check_cp_table(golden, rpart_pruner(data.classes).path(tree, schema))
    # No subtree lies below the line through the exact sequence, whoever chose it.
    exact = rpart_pruner(data.classes, "exact").path(tree, schema)
    _, splits, error = stored.cp_table(golden)
    assert (error >= np.interp(splits, exact.leaves[::-1] - 1, exact.risks[::-1]) - 1e-8).all()


@pytest.mark.parametrize("path", stored.cases("rpart", lambda name: stored.tag_of(name) not in BY_ROWS))
def test_rpart_with_priors_and_losses(path):
    """The same table from the risks that rpart gives its nodes."""
    golden = stored.compare().golden(str(path))
    nodes, tests, dev = frame_of(golden)
    risk_of, test_of = dict(zip(nodes, dev)), dict(zip(nodes, tests))

    def made(v):
        children = () if test_of[v] == "<leaf>" else (made(2 * v), made(2 * v + 1))
        return Made((risk_of[v], 0.0), children=children, value=(1.0, 0.0))

    tree = tree_of(made(1))
    risk, price = tree.stats[:, 0], np.empty(tree.n_nodes)
    shortcut_links(tree.first_child, tree.n_branches, risk, price)
    stored.check_cp_table(golden, path_of(tree, price / risk[0], risk / risk[0], 1e-9))
