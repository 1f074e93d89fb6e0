"""The trees that C4.5 release 8 grew (``unpruned_…``) and pruned, as stored: the same size, class and probabilities.

C4.5 keeps weights, sums of them and information in 32-bit numbers. At a node of whole cases these are what exact counts
round to, and we round alike, so ties fall as they do there. A node that holds parts of cases has weights that were
multiplied and divided many times, added up in the order in which C4.5's sorting and swapping left the cases: there we
use exact sums, and of equal tests take the first. Every difference was traced to its first node by replaying C4.5's
arithmetic with its order of cases, which gives all stored trees; below are the figures of both tests there.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import stored
import treewright as tw

OPTIONS = {
    "default": {},
    "g_gain": {"criterion": "gain"},
    "m5_c10": {"min_cases": 5, "confidence": 0.1},
    "s_subset": {"subset": True},
}

# adult_8k, unpruned (2776 nodes, C4.5 has 2744; eight rows of 8000 differ; pruned it is the same). The first node below
# capital_gain <= 5119 that differs has weight 4.25104: its column fnlwgt has cuts with 2.12552 and 2.25104 on the left.
# The second leaves exactly the least weight 2 on the right, in 32 bits a little less. So C4.5 tries one cut and charges
# nothing for the choice, a gain of 0.335; of two cuts the gain is 0.100, less than the average, and we make a leaf. At
# other nodes education and education_num part the cases alike: gains of 0.16292109 are 0.16292095 and 0.16292101 there.
# soybean, default and m5_c10: at leafspot_size = dna, int_discolor = none, leaves = norm (weight 57.534) plant_growth
# and seed_discolor both have a ratio of exactly 1. C4.5 finds 1.0000033 and 1.0000040 and takes the second.
# soybean, by gain: at canker_lesion = dna, plant_growth = abnorm, fruit_pods = diseased (weight 15.658) external_decay
# and roots both gain 0.8904515. C4.5 finds 0.8904505 and 0.8904514 and takes the second.
TIED = {
    "adult_8k__default unpruned",
    "soybean__default pruned",
    "soybean__default unpruned",
    "soybean__g_gain unpruned",
    "soybean__m5_c10 pruned",
    "soybean__m5_c10 unpruned",
}
SHARE_OF_ROWS = 0.003  # in which a tied tree may differ

# soybean, grouped: once C4.5 meets a node where no case knows the value of a column, its least number of cases stays 1
# for all nodes it grows later (201 nodes; without this slip it would grow 169, we grow 168). 14 rows of 683 differ
# unpruned, 4 pruned.
SLIP = {"soybean__s_subset pruned", "soybean__s_subset unpruned"}
SLIP_ROWS = 14

HELD_OUT = {
    f"{dataset}__{tag}" for dataset in ("crx", "hypo", "labor_neg", "monk1", "monk2", "monk3") for tag in OPTIONS
}


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
    name = f"{path.stem} {'' if pruned else 'un'}pruned"
    differs = name in TIED | SLIP
    table.append((f"{stored.tag_of(path.stem)} {'' if pruned else 'un'}pruned", found["n_differ"], not differs))
    is_same = model.tree_.n_nodes == golden[f"{prefix}size"] and found["max_prob_diff"] <= 1e-5
    assert is_same != differs
    assert found["n_differ"] <= (SLIP_ROWS if name in SLIP else SHARE_OF_ROWS * len(X) if differs else 0)


@pytest.mark.parametrize("path", stored.cases("c4.5", lambda name: stored.tag_of(name) == "p_softthresh"))
def test_same_soft_thresholds(path):
    """The program prints the bounds but classifies these rows by the thresholds alone; only its interactive
    interpreter, of which nothing is stored, mixes branches."""
    golden = stored.compare().golden(str(path))
    data = stored.without_constants(stored.compare().load(golden["dataset"]))
    X, y = stored.table_of(data), stored.target_of(data)
    model, crisp = (tw.C45Classifier(soft_thresholds=soft).fit(X, y) for soft in (True, False))
    printed = re.findall(r"Test (.*) <> (\S+)\s+Lower = (\S+), Upper = (\S+)", golden["soft_thresholds_text"])
    tree = model.tree_
    tested = tree.column[np.diff(tree.edge_start) > 0]
    found = sorted(zip([data.features[j] for j in tested], tree.edges, *tree.bounds.T))
    expected = sorted((name, *map(float, bounds)) for name, *bounds in printed)
    assert [name for name, *_ in found] == [name for name, *_ in expected]
    np.testing.assert_allclose([x[1:] for x in found], [x[1:] for x in expected], rtol=1e-5)  # six digits are printed
    assert stored.compare().agreement(golden, crisp.predict(X))["n_differ"] == 0


@pytest.mark.parametrize("path", stored.cases("c4.5", lambda name: name in HELD_OUT))
def test_same_classes_of_rows_held_out(path):
    golden = stored.compare().golden(str(path))
    names = golden["dataset"], golden["holdout"]["dataset"]
    data, new = (stored.without_constants(stored.compare().load(name)) for name in names)
    options = OPTIONS[stored.tag_of(path.stem)]
    model = tw.C45Classifier(**options).fit(stored.table_of(data), stored.target_of(data))
    found = model.predict(stored.table_of(new))
    assert found.tolist() == [golden["classes"][k] for k in golden["holdout"]["predictions"]]
