"""The trees that C4.5 release 8 grew (``unpruned_…``) and pruned, as stored: the same size, class and probabilities.

Seven of 106 trees differ, it seems by ties: C4.5 adds up weights and information in 32-bit numbers, and two tests that
are equally good may come out apart. We round as C4.5 does where all weights are whole; sums of fractional weights hang
on the order in which C4.5's rows happen to stand, and there we take the first of equals.
"""

from __future__ import annotations

import pytest

import stored
import treewright as tw

OPTIONS = {"default": {}, "g_gain": {"criterion": "gain"}, "m5_c10": {"min_cases": 5, "confidence": 0.1}}

# What was looked into and what was not:
# crx, by gain, unpruned: the first difference is a node of nine rows where our A4 and C4.5's A11 part three pure
# rows from the other six. One row of 490 gets another class. That their gains are equal was read off the printed trees.
# soybean: sizes are one apart, by gain only probabilities differ, all classes are the same. Not traced to a node; the
# table has many missing values, so that most nodes hold fractions.
# adult_8k, unpruned: 2776 nodes against 2744, eight rows of 8000 differ. Not traced to a node. Pruned it is the same.
TIED = {
    "adult_8k__default unpruned",
    "crx__g_gain unpruned",
    "soybean__default pruned",
    "soybean__default unpruned",
    "soybean__g_gain unpruned",
    "soybean__m5_c10 pruned",
    "soybean__m5_c10 unpruned",
}
HELD_OUT = {
    f"{dataset}__{tag}" for dataset in ("crx", "hypo", "labor_neg", "monk1", "monk2", "monk3") for tag in OPTIONS
}
SHARE_OF_ROWS = 0.003  # in which a tied tree may differ


@pytest.fixture(scope="module")
def table():
    yield from stored.agreement_table("C4.5 release 8")


@pytest.mark.parametrize("pruned", [True, False], ids=["pruned", "unpruned"])
@pytest.mark.parametrize("path", stored.cases("c4.5", lambda name: stored.tag_of(name) in OPTIONS))
def test_same_tree(path, pruned, table):
    golden = stored.compare().golden(str(path))
    data = stored.without_constants(stored.compare().load(golden["dataset"]))
    X, prefix = stored.table_of(data), "" if pruned else "unpruned_"
    model = tw.C45Classifier(prune=pruned, **OPTIONS[stored.tag_of(path.stem)]).fit(X, stored.target_of(data))
    probabilities = stored.in_classes_of(golden, model, X)
    keys = {"key": f"{prefix}predictions", "prefix": f"{prefix}prob"}
    found = stored.compare().agreement(golden, model.predict(X), probabilities, **keys)
    tied = f"{path.stem} {'' if pruned else 'un'}pruned" in TIED
    size = model.tree_.n_nodes + stored.undeclared_leaves(model, data)
    table.append((f"{stored.tag_of(path.stem)} {'' if pruned else 'un'}pruned", found["n_differ"], not tied))
    assert (size != golden[f"{prefix}size"] or found["max_prob_diff"] > 1e-5) == tied
    assert found["n_differ"] <= (SHARE_OF_ROWS * len(X) if tied else 0)


@pytest.mark.parametrize("path", stored.cases("c4.5", lambda name: name in HELD_OUT))
def test_same_classes_of_rows_held_out(path):
    golden = stored.compare().golden(str(path))
    names = golden["dataset"], golden["holdout"]["dataset"]
    data, new = (stored.without_constants(stored.compare().load(name)) for name in names)
    options = OPTIONS[stored.tag_of(path.stem)]
    model = tw.C45Classifier(**options).fit(stored.table_of(data), stored.target_of(data))
    found = model.predict(stored.table_of(new))
    assert found.tolist() == [golden["classes"][k] for k in golden["holdout"]["predictions"]]
