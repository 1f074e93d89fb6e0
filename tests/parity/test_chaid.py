"""The trees of R-Forge's CHAID (with Bonferroni's multipliers) and of PyPI's (without), as stored and as it runs."""

from __future__ import annotations

import re

import CHAID
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
R = {"flavour": "r", "min_rows_split": 20, "min_rows_leaf": 7, "small_node_share": 0.01}
R_OPTIONS = {
    "default": R,
    "stump": {**R, "max_depth": 1},
    "alpha3": {**R, "max_depth": 2, "alpha_resplit": 0.049},
    "height2_min100": {**R, "max_depth": 2, "min_rows_split": 200, "min_rows_leaf": 50},
}

# R draws p-values at random where a table has fewer than 100 rows and a cell below 10, 9,999 tables each time. At the
# root that is so of contact_lenses alone, with 24 rows; further down its trees differ from run to run, and from ours,
# whose draws are others. Of nine trees grown to the end this one is not the same, in two small branches.
DRAWN = {"contact_lenses"}
DRAWN_BELOW = {"tic_tac_toe__default"}


def chaid_of(path, options):
    golden, X, y = case_of(path)
    return golden, X, y, tw.CHAIDClassifier(**options).fit(X, y)


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: stored.tag_of(name) in ("stump", "alpha3")))
def test_adjusted_p_values_at_the_root(path):
    golden, _, _, model = chaid_of(path, R_OPTIONS[stored.tag_of(path.stem)])
    found = model.competitors()
    (root,) = [node for node in golden["node_adjusted_p"] if node["node"] == 1]
    error = {"abs": 0.02} if golden["dataset"] in DRAWN else {"rel": 1e-6}
    for column, p in zip(root["var"], root["adj_p"]):
        assert found[column].adjusted_p == pytest.approx(min(p, 1.0), **error), column


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: name.endswith("default")))
def test_p_values_at_all_nodes(path):
    """Nodes of the same rows. p-values are those of R to a tenth; drawing decides otherwise in three of a hundred."""
    golden, X, _, model = chaid_of(path, R)
    rows_of = {frozenset(rows): node for node, rows in enumerate(nodes_of_ours(model, X))}
    close = []
    for node in golden.get("node_adjusted_p", []):
        ours = rows_of.get(frozenset(rows_of_r(golden, node["node"])))
        found = None if ours is None else model.competitors(ours)
        for column, p in zip(node["var"], node["adj_p"]) if found is not None else ():
            adjusted = found[column].adjusted_p if found[column].groups else 1.0
            close.append(adjusted == pytest.approx(min(p, 1.0), rel=0.1, abs=0.001))
    assert np.mean(close) >= 0.97 if close else golden["leaves"] == 1


def nodes_of_ours(model, X):
    path = model.decision_path(X).tocsc()
    return [path.indices[path.indptr[v] : path.indptr[v + 1]].tolist() for v in range(model.tree_.n_nodes)]


def rows_of_r(golden, node):
    """Nodes are numbered in the order they are printed, and lie below the one that is indented less."""
    above, way = {}, []
    for line in golden.get("tree_text", "").splitlines():
        if found := re.match(r"((?:[|]   )*)\[(\d+)\]", line):
            way = [*way[: len(found[1]) // 4], int(found[2])]
            above[way[-1]] = way
    return [row for row, leaf in enumerate(golden["where"]) if node in above.get(leaf, [leaf])]


@pytest.fixture(scope="module")
def r_table():
    yield from stored.agreement_table("R-Forge CHAID")


@pytest.mark.parametrize("path", stored.cases("r_chaid"))
def test_trees_of_r(path, r_table):
    golden, X, _, model = chaid_of(path, R_OPTIONS[stored.tag_of(path.stem)])
    found = stored.compare().agreement(golden, model.predict(X))
    together = same_rows_together(golden["where"], model.apply(X)) if "where" in golden else golden["leaves"] == 1
    r_table.append((stored.tag_of(path.stem), found["n_differ"], together))
    if path.stem in DRAWN_BELOW:
        assert found["agree_pct"] >= 95
    else:
        assert together
        assert found["n_differ"] == 0


@pytest.mark.parametrize("path", stored.cases("r_chaid", lambda name: not name.endswith("default")))
def test_trees_of_large_nodes_are_the_published_ones(path):
    """Where R's slips and draws do not matter to the column that is taken."""
    golden, X, _, model = chaid_of(path, {**R_OPTIONS[stored.tag_of(path.stem)], "flavour": "kass"})
    assert stored.compare().agreement(golden, model.predict(X))["n_differ"] == 0
    assert same_rows_together(golden["where"], model.apply(X)) if "where" in golden else golden["leaves"] == 1


# ---------------------------------------------------------------- PyPI CHAID 5.5.1

# A node is split if it has more than so many rows. "Exhaustive" there means two groups. Without its slips, by
# flavour="kass", 30 of the 45 trees are the same.
PYPI = {"flavour": "pypi", "bonferroni": False, "min_rows_split": 31, "min_rows_leaf": 30}
PYPI_OPTIONS = {
    "default": {**PYPI, "max_depth": 2},
    "alpha0.01": {**PYPI, "max_depth": 3, "alpha_merge": 0.01},
    "depth4_min10": {**PYPI, "max_depth": 4, "min_rows_split": 21, "min_rows_leaf": 10},
    "exhaustive": {**PYPI, "max_depth": 3, "max_branches": 2},
    "maxsplits2": {**PYPI, "max_depth": 3, "max_branches": 2},
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
    assert together
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


def random_table(seed):
    """Nominal and ordinal columns, with and without missing values, and classes that depend on some of them."""
    rng = np.random.default_rng(seed)
    n_rows, classes = int(rng.integers(60, 600)), int(rng.integers(2, 5))
    y = rng.choice(classes, n_rows, p=rng.dirichlet(np.full(classes, 3.0)))
    columns, kinds = {}, {}
    for name in "abcd"[: rng.integers(2, 5)]:
        n_levels = int(rng.integers(2, 9))
        codes = np.where(rng.random(n_rows) < rng.choice([0, 0.3, 0.9]), y, rng.integers(0, n_levels, n_rows))
        kinds[name] = str(rng.choice(["nominal", "ordinal"]))
        cells = codes.astype(float) if kinds[name] == "ordinal" else np.array(list("ijklmnopq"), object)[codes]
        cells[rng.random(n_rows) < rng.choice([0, 0.1])] = np.nan
        columns[name] = cells
    return pd.DataFrame(columns), kinds, np.array(list("vwxyz"))[y], rng


@pytest.mark.filterwarnings("ignore:Imports of optional packages")
@pytest.mark.parametrize("seed", range(40))
def test_trees_of_pypi_as_it_runs(seed):
    X, kinds, y, rng = random_table(seed)
    ordered = [name for name in kinds if kinds[name] == "ordinal"]
    X[ordered] *= seed % 3 + 1  # numbers with and without gaps
    alpha, depth, child, parent = (
        rng.choice(some).item() for some in ([0.01, 0.05, 0.3], [1, 2, 4], [1, 10, 30], [2, 30, 1000])
    )
    most = [None, 2, 3][rng.integers(3)]
    theirs = CHAID.Tree.from_pandas_df(
        X.assign(y=y), kinds, "y", alpha_merge=alpha, max_depth=depth, min_parent_node_size=parent,
        min_child_node_size=child, max_splits=most,
    )  # fmt: skip
    options = {"alpha_merge": alpha, "max_depth": depth, "min_rows_split": parent + 1, "min_rows_leaf": child}
    model = tw.CHAIDClassifier(**PYPI | options, max_branches=most, kinds=kinds).fit(X, y)
    assert same_rows_together(theirs.node_predictions(), model.apply(X))
