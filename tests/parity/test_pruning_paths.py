"""Pruning sequences that scikit-learn and rpart stored: of the same tree, the same sequence."""

from __future__ import annotations

import numpy as np
import pytest

import stored
import treewright as tw
from made_trees import Made, tree_of
from treewright.data.schema import Column, Kind, Schema, Target

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


# In these tables of rpart's some CP is not what the table itself says, (error − next error) / (next splits − splits).
OFF_SLOPE = {
    "boston_housing__anova_cp0_ms2",
    "cpu__anova_cp0_ms2",
    "credit_g__gini",
    "credit_g__gini_cp0_ms2",
    "credit_g__information",
    "crx__gini_cp0_ms2",
    "cu_summary__anova_cp0_ms2",
    "kyphosis__information",
    "monk2__gini",
    "pima__gini",
    "pima__gini_cp0_ms2",
    "pima__information",
    "tic_tac_toe__gini",
    "wine_red__anova_cp0_ms2",
}


def has_table(name: str) -> bool:
    tags = {"gini", "anova", "information", "gini_cp0_ms2", "anova_cp0_ms2", "gini_ordered", "anova_ordered"}
    leaves_out_a_row = name.startswith("vote__")  # it has no value in any column
    return stored.tag_of(name) in tags and not leaves_out_a_row


def rpart_tree(golden, y, classes):
    """rpart's own tree in our form, from the leaf of every row: the children of node v are 2v and 2v + 1."""
    where = np.array(golden["where"])
    inner = {v for v, test in zip(golden["frame"]["node"], golden["frame"]["var"]) if test != "<leaf>"}

    def made(v):
        mine = y[[leaf >> max(leaf.bit_length() - v.bit_length(), 0) == v for leaf in where.tolist()]]
        stats = stats_of(mine, classes)
        return Made(stats, 0, (0.5,), (0, 0, 1), (made(2 * v), made(2 * v + 1))) if v in inner else Made(stats)

    return tree_of(made(1), regression=classes is None)


@pytest.mark.parametrize("path", stored.cases("rpart", has_table))
def test_rpart(path):
    """CP, nsplit, rel error: the same table where rpart agrees with itself; elsewhere its trees are none better."""
    golden = stored.compare().golden(str(path))
    cp, splits, error = np.array(golden["cptable"]["rows"], float)[:, :3].T
    # rpart lists steps apart whose CP differs by rounding only; what lies between them is right for no price.
    kept = np.append(True, ~np.isclose(cp[1:], cp[:-1], rtol=1e-7, atol=0))
    cp, splits, error = cp[kept], splits[kept].astype(int), error[kept]
    data = stored.compare().load(golden["dataset"])
    pruner = tw.prune.CostComplexity(risk=None if data.classes is None else "misclassification", relative=True)
    ours = pruner.path(rpart_tree(golden, data.y, data.classes), schema_of(["x"], data.classes))
    alphas, our_splits, risks = ours.alphas[::-1], ours.leaves[::-1] - 1, ours.risks[::-1]
    agrees = np.allclose(cp[:-1], -np.diff(error) / np.diff(splits), rtol=1e-6, atol=1e-9)
    assert agrees == (path.stem not in OFF_SLOPE)
    if agrees:
        np.testing.assert_allclose(alphas[: len(cp) - 1], cp[:-1], rtol=1e-6, atol=1e-9)  # the last is the limit set
        np.testing.assert_array_equal(our_splits[: len(cp)], splits)
        np.testing.assert_allclose(risks[: len(cp)], error, rtol=1e-6, atol=1e-8)
    # No subtree lies below the line through the sequence, whoever chose it.
    assert (error >= np.interp(splits, our_splits, risks) - 1e-8).all()
