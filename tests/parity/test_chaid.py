"""The trees of R-Forge's CHAID (Kass, with Bonferroni's multipliers) and of PyPI's CHAID (without), as stored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import stored
import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def case_of(path, *, by_name: bool = False):
    """What was stored, and the table without its numeric columns; levels as declared or sorted by name."""
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    X = stored.table_of(data, ordered=True)
    X = X.loc[:, [kind != "numeric" for kind in data.kinds]]
    if by_name:
        X = X.apply(
            lambda column: column if column.cat.ordered else pd.Categorical(column, sorted(column.cat.categories))
        )
    return golden, X, stored.target_of(data)


def same_rows_together(first, second) -> bool:
    """Whether two numberings of rows put the same rows into the same leaves."""
    pairs = np.unique(np.stack([first, second]), axis=1).shape[1]
    return pairs == len(np.unique(first)) == len(np.unique(second))


# ---------------------------------------------------------------- R-Forge CHAID 0.1-2

# A group needs 7 rows, or a hundredth of the node's if that is less.
R = {"min_rows_split": 20, "min_rows_leaf": 7, "small_node_share": 0.01}
R_OPTIONS = {
    "default": R,
    "stump": {**R, "max_depth": 1},
    "alpha3": {**R, "max_depth": 2, "alpha_resplit": 0.049},
    "height2_min100": {**R, "max_depth": 2, "min_rows_split": 200, "min_rows_leaf": 50},
}

# R draws p-values at random where a table has fewer than 100 rows and a cell below 10. At the root that is so of
# contact_lenses alone, with 24 rows.
DRAWN = {"contact_lenses"}
# R keeps the p-values of all pairs in a matrix. When levels a < b have been merged it drops row a and column b, where
# it should drop row b: p-values of pairs it does not compute again stand in the wrong places, and of a nominal column
# of more than three levels the wrong pairs may be merged next. With that slip in a copy of the merging, personal_status
# has an adjusted p of 0.0751416056542812, as R says; purpose has small levels besides, whose p-values are drawn.
MISPLACED = {"credit_g": {"personal_status", "purpose"}}
# Nodes of fewer than 100 rows, where p-values are drawn at random, make up much of these trees; in credit_g it is
# purpose, by which R would have split as we do had it merged the nearest levels.
DRAWN_BELOW = {"monk1__default", "tic_tac_toe__default", "zoo__default"}
MISPLACED_BELOW = {"credit_g__default"}


def chaid_of(path, options, **more):
    golden, X, y = case_of(path)
    return golden, X, y, tw.CHAIDClassifier(**options, **more).fit(X, y)


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: stored.tag_of(name) in ("stump", "alpha3")))
def test_adjusted_p_values_at_the_root(path):
    golden, _, _, model = chaid_of(path, R_OPTIONS[stored.tag_of(path.stem)])
    if golden["dataset"] in DRAWN:
        pytest.skip("p-values drawn at random")
    found = model.competitors()
    (root,) = [node for node in golden["node_adjusted_p"] if node["node"] == 1]
    for column, p in zip(root["var"], root["adj_p"]):
        close = found[column].adjusted_p == pytest.approx(min(p, 1.0), rel=1e-6)
        assert close == (column not in MISPLACED.get(golden["dataset"], ())), column


@pytest.fixture(scope="module")
def r_table():
    yield from stored.agreement_table("R-Forge CHAID")


@pytest.mark.parametrize("path", stored.cases("r_chaid"))
def test_predictions_of_r(path, r_table):
    golden, X, _, model = chaid_of(path, R_OPTIONS[stored.tag_of(path.stem)])
    found = stored.compare().agreement(golden, model.predict(X))
    together = same_rows_together(golden["where"], model.apply(X)) if "where" in golden else golden["leaves"] == 1
    r_table.append((stored.tag_of(path.stem), found["n_differ"], together))
    if stored.tag_of(path.stem) != "default":
        assert together
        assert found["n_differ"] == 0
    elif path.stem not in DRAWN_BELOW | MISPLACED_BELOW:
        assert found["agree_pct"] >= 95


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: name.endswith("default")))
def test_nodes_without_drawn_p_values_are_split_alike(path):
    """Grown no further than nodes of 100 rows, a leaf of ours is one of R's or a node above some of them."""
    golden, X, _, model = chaid_of(path, {**R, "min_rows_split": 100})
    leaves, where = model.apply(X), np.array(golden.get("where", [1] * len(X)))
    nested = all(len(np.unique(leaves[where == leaf])) == 1 for leaf in np.unique(where))
    assert nested == (path.stem not in MISPLACED_BELOW)


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: name == "credit_g__default"))
def test_without_the_misplaced_column_the_trees_agree(path):
    golden, X, y = case_of(path)
    X = X.drop(columns=list(MISPLACED["credit_g"]))
    found = stored.compare().agreement(golden, tw.CHAIDClassifier(**R).fit(X, y).predict(X))
    assert found["agree_pct"] >= 95


# ---------------------------------------------------------------- PyPI CHAID 5.5.1

# A node is split if it has more than so many rows. "Exhaustive" there means two groups.
PYPI = {"bonferroni": False, "min_rows_split": 31, "min_rows_leaf": 30}
PYPI_OPTIONS = {
    "default": {**PYPI, "max_depth": 2},
    "alpha0.01": {**PYPI, "max_depth": 3, "alpha_merge": 0.01, "alpha_split": 0.01},
    "depth4_min10": {**PYPI, "max_depth": 4, "min_rows_split": 21, "min_rows_leaf": 10},
    "exhaustive": {**PYPI, "max_depth": 3, "max_branches": 2},
    "maxsplits2": {**PYPI, "max_depth": 3, "max_branches": 2},
}
# Two slips of PyPI's loop make these trees others. When it meets a pair of levels with one and the same class it means
# to merge it, but compares alpha with the best p of the pairs before; if that was significant it stops merging. And
# of the sizes of groups it looks only at those of the last pair it compared. With both mended in a copy of it, 43 of
# the 45 trees are the same as ours; soybean default has a tie of equal groupings, alpha0.01 was not traced further.
SLIPS = {
    "car__depth4_min10",
    *(f"monk1__{tag}" for tag in ("alpha0.01", "default", "depth4_min10")),
    *(f"mushroom__{tag}" for tag in ("alpha0.01", "default", "depth4_min10")),
    *(f"soybean__{tag}" for tag in ("alpha0.01", "default", "depth4_min10")),
    *(f"tic_tac_toe__{tag}" for tag in ("alpha0.01", "depth4_min10")),
    *(f"vote__{tag}" for tag in ("alpha0.01", "default", "depth4_min10")),
}


@pytest.fixture(scope="module")
def pypi_table():
    yield from stored.agreement_table("PyPI CHAID")


@pytest.mark.parametrize("path", stored.cases("chaid"))
def test_trees_of_pypi(path, pypi_table):
    golden, X, y = case_of(path, by_name=True)
    model = tw.CHAIDClassifier(**PYPI_OPTIONS[stored.tag_of(path.stem)]).fit(X, y)
    together = same_rows_together(golden["node_of_row"], model.apply(X))
    differ = stored.compare().agreement(golden, model.predict(X))["n_differ"]
    pypi_table.append((stored.tag_of(path.stem), differ, together))
    assert together == (path.stem not in SLIPS)
    if together:
        check_tests(golden, model)


def check_tests(golden, model):
    """Statistic, degrees of freedom and p of every split, found by the number of rows and the column."""
    tree, names = model.tree_, model.schema_.names
    ours = sorted((node.n, names[node.split.column], *node.test) for node in tree.nodes() if not node.is_leaf)
    theirs = sorted((n["n"], n["var"], n["chi"], n["dof"], n["p"]) for n in golden["nodes"] if not n["terminal"])
    assert [row[:2] for row in ours] == [row[:2] for row in theirs]
    for (_, _, _, statistic, freedom, _, log_p, _), (_, _, chi, dof, p) in zip(ours, theirs):
        assert (statistic, freedom) == (pytest.approx(chi, rel=1e-6), dof)
        assert np.exp(log_p) == pytest.approx(p, rel=1e-6)
