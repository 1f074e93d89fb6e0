"""What holds of the trees of every engine, whatever its store and its choice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
from engine_roads import assert_same_tree, engine_by, grown_by
from recipes_by_hand import by_median, by_merging, by_score, c45_of
from strategies import Problem, examples, problems
from tables import encode_problem, matrix_of
from treewright.prediction import apply
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe

STYLES = st.sampled_from(["subset", "multiway", "one-vs-rest"])
CLASSES = st.sampled_from(["gini", "entropy", "misclassification"])
MERGING = ByMerging(alpha_split=0.9, alpha_merge=0.5)
FEW = settings(max_examples=examples(10))  # on each of the engines

RECIPES = {
    "gini": ("classes", lambda problem, **more: by_score(problem, "gini", **more)),
    "squared error": ("counts", lambda problem, **more: by_score(problem, "squared_error", **more)),
    "median": ("counts", by_median),
    "ratio": ("classes", lambda problem, **more: replace(c45_of(problem, min_cases=1.0), **more)),
    "merging": ("classes", lambda problem, **more: by_merging(problem, MERGING, **more)),
}
KINDS = pytest.mark.parametrize("kind", RECIPES)


def weights_of(problem: Problem) -> np.ndarray:
    return np.ones(problem.n_rows) if problem.weights is None else problem.weights


# ---------------------------------------------------------------- the best split


def check_root(engine: str, problem: Problem, recipe: Recipe, sorted_columns: bool, *, exact: bool) -> None:
    """``exact``: the search is exhaustive; otherwise no split scores more than the best of all."""
    with engine_by(engine, encode_problem(problem, sorted_columns=sorted_columns), recipe) as made:
        root = made.root()
        assume(not root.settled[0])  # such nodes are never searched
        found = made.best(root)
    min_rows, scale = recipe.stop.min_rows_leaf, max(1.0, float(np.abs(problem.y).max()) ** 2)
    best = oracle.best_split(
        problem.columns, problem.y, problem.weights, criterion=recipe.criterion, nominal=recipe.splits.value,
        min_rows=min_rows,
    )  # fmt: skip
    if not exact:
        assert found.column[0] == -1 or found.gain[0] <= best.score + 1e-9 * scale
        return
    assert (found.column[0] == -1) == (best.score == -np.inf)
    if found.column[0] >= 0:
        np.testing.assert_allclose(found.gain[0], best.score, rtol=1e-7, atol=1e-9 * scale)
        rows = found.sent.rows
        assert rows.sum() == problem.n_rows
        assert (rows[rows > 0] >= min_rows).all()
        np.testing.assert_array_equal(found.sent.stats.sum(0), root.stats[0, : found.sent.stats.shape[1]])


def has_subsets(problem: Problem, style: str) -> bool:
    return style == "subset" and any(column.kind == "nominal" for column in problem.columns)


@FEW
@given(problems("classes"), CLASSES, STYLES, st.booleans(), st.integers(1, 4))
def test_the_best_split_of_classes_scores_as_the_exhaustive_search(
    engine, problem, criterion, style, sorted_columns, min_rows
):
    """Cuts of the levels in order of their means hold the best subset only while every subset is admissible."""
    exact = not has_subsets(problem, style) or min_rows == 1
    check_root(
        engine, problem, by_score(problem, criterion, style, min_rows_leaf=min_rows), sorted_columns, exact=exact
    )


@FEW
@given(problems("counts"), st.sampled_from(["squared_error", "poisson"]), STYLES, st.booleans(), st.integers(1, 4))
def test_the_best_split_of_numbers_scores_as_the_exhaustive_search(
    engine, problem, criterion, style, sorted_columns, min_rows
):
    assume(criterion != "poisson" or problem.y.sum() > 0)
    exact = not has_subsets(problem, style) or (min_rows == 1 and criterion == "squared_error")
    check_root(
        engine, problem, by_score(problem, criterion, style, min_rows_leaf=min_rows), sorted_columns, exact=exact
    )


@FEW
@given(problems("counts"), STYLES, st.booleans(), st.integers(1, 4))
def test_the_best_split_by_absolute_error_scores_as_the_exhaustive_search(
    engine, problem, style, sorted_columns, min_rows
):
    exact = not has_subsets(problem, style)  # subsets are cuts of one order, a heuristic
    check_root(engine, problem, by_median(problem, style, min_rows_leaf=min_rows), sorted_columns, exact=exact)


@FEW
@given(problems("classes"), CLASSES, STYLES, st.booleans())
def test_every_split_of_a_tree_is_best_at_its_node(engine, problem, criterion, style, sorted_columns):
    tree = grown_by(engine, encode_problem(problem, sorted_columns=sorted_columns), by_score(problem, criterion, style))
    matrix, weights = matrix_of(problem), weights_of(problem)
    rows_at = {0: np.arange(problem.n_rows)}
    for node in tree.nodes():
        rows = rows_at[node.id]
        expected_stats = np.bincount(problem.y[rows], weights[rows], minlength=problem.n_classes)
        np.testing.assert_allclose(node.stats, expected_stats, rtol=1e-9, atol=1e-12)
        assert node.n == len(rows)
        if not len(rows):
            continue
        best = oracle.best_split(
            problem.columns, problem.y, problem.weights, criterion=criterion, nominal=style, rows=rows
        )
        if node.is_leaf:
            assert len(np.unique(problem.y[rows])) == 1 or best.score == -np.inf
            continue
        np.testing.assert_allclose(node.gain, best.score, rtol=1e-7, atol=1e-9)
        branches = node.split.branches(matrix[rows, node.split.column])
        for child in node.children:
            rows_at[child.id] = rows[branches == child.branch]


# ---------------------------------------------------------------- what is sent


@KINDS
@FEW
@given(data=st.data())
def test_children_add_up_to_their_parent(engine, kind, data):
    target, make = RECIPES[kind]
    problem = data.draw(problems(target))
    tree = grown_by(engine, encode_problem(problem, sorted_columns=data.draw(st.booleans())), make(problem))
    n_sums = 3 if problem.n_classes is None else problem.n_classes  # medians do not add up
    sums = np.zeros_like(tree.stats[:, :n_sums])
    np.add.at(sums, tree.parent[1:], tree.stats[1:, :n_sums])
    inner = tree.n_branches > 0
    scale = max(1.0, float(np.abs(tree.stats[0]).max()))
    np.testing.assert_allclose(sums[inner], tree.stats[inner, :n_sums], rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("kind", [kind for kind in RECIPES if kind != "ratio"])  # there rows are in several leaves
@FEW
@given(data=st.data())
def test_training_rows_reach_the_leaves_that_counted_them(engine, kind, data):
    target, make = RECIPES[kind]
    problem = data.draw(problems(target))
    tree = grown_by(engine, encode_problem(problem, sorted_columns=data.draw(st.booleans())), make(problem))
    leaves, leaf = apply(tree, matrix_of(problem), 1), tree.n_branches == 0
    assert np.bincount(leaves, minlength=tree.n_nodes)[leaf].tolist() == tree.rows[leaf].tolist()
    if problem.n_classes is None:
        sums = np.bincount(leaves, weights_of(problem) * problem.y, minlength=tree.n_nodes)
        np.testing.assert_allclose(tree.stats[leaf, 1], sums[leaf], rtol=1e-9, atol=1e-6)


# ---------------------------------------------------------------- limits


@KINDS
@FEW
@given(data=st.data())
def test_limits_hold(engine, kind, data):
    target, make = RECIPES[kind]
    problem, depth, split = data.draw(problems(target)), data.draw(st.integers(0, 3)), data.draw(st.integers(2, 9))
    recipe = make(problem)
    stop = replace(recipe.stop, max_depth=depth, min_rows_split=split)
    tree = grown_by(engine, encode_problem(problem, sorted_columns=False), replace(recipe, stop=stop))
    assert tree.depth <= depth
    assert (tree.rows[tree.n_branches > 0] >= split).all()


@pytest.mark.parametrize("kind", ["gini", "squared error", "median"])
@FEW
@given(data=st.data())
def test_branches_have_rows_and_weight_enough(engine, kind, data):
    target, make = RECIPES[kind]
    problem, least, share = data.draw(problems(target)), data.draw(st.integers(1, 5)), 0.1
    recipe = make(problem, min_rows_leaf=least, min_weight_fraction_leaf=share)
    tree = grown_by(engine, encode_problem(problem, sorted_columns=data.draw(st.booleans())), recipe)
    weight = tree.stats.sum(1) if problem.n_classes else tree.stats[:, 0]
    assert (tree.rows[1:] >= least).all()
    assert (weight[1:] >= share * weights_of(problem).sum() * (1 - 1e-9)).all()


@pytest.mark.parametrize("kind", ["gini", "squared error", "median"])
@FEW
@given(data=st.data())
def test_no_split_gains_less_than_was_asked_for(engine, kind, data):
    target, make = RECIPES[kind]
    problem, least = data.draw(problems(target)), data.draw(st.sampled_from([0.01, 0.2]))
    tree = grown_by(engine, encode_problem(problem, sorted_columns=False), make(problem, min_gain=least))
    assert (tree.gain[tree.n_branches > 0] >= least - 1e-9).all()


# ---------------------------------------------------------------- best first


@KINDS
@FEW
@given(data=st.data())
def test_best_first_takes_the_best_of_the_open_nodes(engine, kind, data):
    """A node with splits left was worth less than every node that was split after it had been found."""
    target, make = RECIPES[kind]
    problem, most = data.draw(problems(target)), data.draw(st.integers(1, 6))
    encoded = encode_problem(problem, sorted_columns=data.draw(st.booleans()))
    recipe = make(problem)
    full = grown_by(engine, encoded, recipe)
    small = grown_by(engine, encoded, replace(recipe, stop=replace(recipe.stop, max_leaves=most)))
    assert small.n_leaves <= most
    assert paths_of(small) <= paths_of(full)
    if full.n_leaves <= most:
        assert_same_tree(small, full)
    if (full.n_branches[full.n_branches > 0] == 2).all():
        assert small.n_leaves == min(most, full.n_leaves)
        assert [gained(full)[path] for path in greedily(full, most)] == pytest.approx(
            [gained(small)[path] for path in greedily(small, most)], abs=1e-9
        )


def ways(tree) -> dict[int, tuple[int, ...]]:
    """The branches on the way to each node."""
    found = {0: ()}
    for node in tree.nodes():
        for child in node.children:
            found[child.id] = (*found[node.id], child.branch)
    return found


def paths_of(tree) -> set:
    """Inner nodes by their way, with what they test."""
    way = ways(tree)
    return {(way[node.id], node.split.column, *node.split.edges) for node in tree.nodes() if not node.is_leaf}


def gained(tree) -> dict[tuple[int, ...], float]:
    """Gain times weight, by way."""
    way = ways(tree)
    by_class = tree.leaf.name == "CLASSES"
    return {
        way[node.id]: node.gain * (node.stats.sum() if by_class else node.stats[0])
        for node in tree.nodes()
        if not node.is_leaf
    }


def greedily(tree, most: int) -> list[tuple[int, ...]]:
    """The splits that a plain walk takes, the one that gains most first."""
    worth, opened, taken = gained(tree), [()], []
    while len(taken) + 1 < most:
        waiting = [path for path in opened if path in worth]
        if not waiting:
            break
        best = max(waiting, key=lambda path: worth[path])
        taken.append(best)
        opened.remove(best)
        opened += [(*best, 0), (*best, 1)]
    return taken


def test_rows_in_parts_wait_while_others_are_split(engine):
    """The rows of a node that waits stay where they are; those of nodes that were not taken are nobody's."""
    rng = np.random.default_rng(0)
    columns = [oracle.Column("numeric", np.where(rng.random(80) < 0.3, np.nan, rng.normal(size=80))) for _ in range(3)]
    problem = Problem(columns, rng.integers(0, 3, 80), None, 3)
    recipe = c45_of(problem, min_cases=1.0, mdl=False)
    for sorted_columns in (False, True):
        encoded = encode_problem(problem, sorted_columns=sorted_columns)
        full = grown_by("plain", encoded, recipe)
        for most in (2, 5, 11, full.n_leaves):
            small = grown_by(engine, encoded, replace(recipe, stop=replace(recipe.stop, max_leaves=most)))
            assert small.n_leaves == most
            assert paths_of(small) <= paths_of(full)
            np.testing.assert_allclose(small.stats[small.n_branches == 0].sum(0), full.stats[0], rtol=1e-12)


# ---------------------------------------------------------------- what may not matter


def shuffled(problem: Problem, order: np.ndarray) -> Problem:
    columns = [oracle.Column(column.kind, column.values[order]) for column in problem.columns]
    weights = None if problem.weights is None else problem.weights[order]
    return Problem(columns, problem.y[order], weights, problem.n_classes)


@KINDS
@FEW
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(engine, kind, data):
    target, make = RECIPES[kind]
    problem = data.draw(problems(target))
    other = shuffled(problem, np.array(data.draw(st.permutations(range(problem.n_rows)))))
    sorted_columns = data.draw(st.booleans())
    one, two = (grown_by(engine, encode_problem(p, sorted_columns=sorted_columns), make(p)) for p in (problem, other))
    assert_same_tree(one, two)


@pytest.mark.parametrize("kind", ["gini", "ratio", "merging"])
@FEW
@given(data=st.data())
def test_the_order_of_classes_does_not_matter(engine, kind, data):
    problem = data.draw(problems("classes", kinds=("numeric", "ordinal")))
    order = np.array(data.draw(st.permutations(range(problem.n_classes))))
    renamed = Problem(problem.columns, order[problem.y], problem.weights, problem.n_classes)
    sorted_columns = data.draw(st.booleans())
    make = RECIPES[kind][1]
    one, two = (grown_by(engine, encode_problem(p, sorted_columns=sorted_columns), make(p)) for p in (problem, renamed))
    np.testing.assert_allclose(one.gain, two.gain, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(one.stats[0], two.stats[0][order], rtol=1e-12)


@KINDS
@FEW
@given(data=st.data())
def test_the_number_of_threads_does_not_matter(engine, kind, data):
    target, make = RECIPES[kind]
    problem = data.draw(problems(target))
    encoded, recipe = encode_problem(problem, sorted_columns=data.draw(st.booleans())), make(problem)
    one, three = (grown_by(engine, encoded, recipe, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_same_tree(one, three)


@pytest.mark.parametrize("kind", ["gini", "squared error", "median"])
@FEW
@given(data=st.data())
def test_drawn_ties_do_not_depend_on_the_number_of_threads(engine, kind, data):
    target, make = RECIPES[kind]
    problem, seed = data.draw(problems(target)), data.draw(st.integers(0, 5))
    encoded = encode_problem(problem, sorted_columns=data.draw(st.booleans()))
    recipe = make(problem, tie="random", seed=seed)
    one, three = (grown_by(engine, encoded, recipe, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert_same_tree(one, three)


@pytest.mark.parametrize("kind", ["gini", "squared error", "median", "merging"])
@FEW
@given(data=st.data())
def test_where_nothing_is_missing_all_policies_grow_one_tree(engine, kind, data):
    target, make = RECIPES[kind]
    problem, policy = data.draw(problems(target, missing=False)), data.draw(st.sampled_from(list(Missing)))
    encoded = encode_problem(problem, sorted_columns=data.draw(st.booleans()))
    tree, plain = (grown_by(engine, encoded, make(problem, missing=name)) for name in (policy, "learned"))
    for name in ("parent", "column", "edges", "rows"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(plain, name), err_msg=name)
    np.testing.assert_allclose(tree.stats, plain.stats, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------- drawn ties and edges


@FEW
@given(problem=problems("classes", max_rows=12), seed=st.integers(0, 5))
def test_drawn_ties_are_among_the_best(engine, problem, seed):
    encoded = encode_problem(problem, sorted_columns=False)
    first, random_pick = (
        grown_by(engine, encoded, by_score(problem, "gini", tie=tie, seed=seed, max_depth=1))
        for tie in ("first", "random")
    )
    np.testing.assert_allclose(first.gain[0], random_pick.gain[0], atol=1e-12)


def test_drawn_ties_reach_every_tied_column_of_xor(engine):
    columns = [oracle.Column("numeric", [0, 0, 1, 1]), oracle.Column("numeric", [0, 1, 0, 1])]
    problem = Problem(columns, np.array([0, 1, 1, 0]), None, 2)
    encoded = encode_problem(problem, sorted_columns=True)
    roots = {
        int(grown_by(engine, encoded, by_score(problem, "entropy", tie="random", seed=seed)).column[0])
        for seed in range(20)
    }
    assert roots == {0, 1}


@pytest.mark.parametrize("sorted_columns", [True, False])
def test_drawn_ties_reach_every_tied_cut_of_one_column(engine, sorted_columns):
    problem = Problem([oracle.Column("numeric", [1, 2, 3, 4])], np.array([0, 1, 1, 0]), None, 2)
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    edges = {
        float(grown_by(engine, encoded, by_score(problem, "gini", tie="random", seed=seed, max_depth=1)).edges[0])
        for seed in range(30)
    }
    assert edges == {1.5, 3.5}


@pytest.mark.parametrize("sorted_columns", [True, False])
@pytest.mark.parametrize(
    ("values", "edge"),
    [
        ([-np.inf, 1.0], -np.inf),
        ([1.0, np.inf], 1.0),
        ([-np.inf, np.inf], -np.inf),
        ([1.0, np.nextafter(1.0, 2)], 1.0),
        ([1.7e308, 1.75e308], 1.725e308),
        ([2.0, np.nan], np.inf),
    ],
)
def test_an_edge_has_the_lower_value_on_its_left_and_the_upper_on_its_right(engine, values, edge, sorted_columns):
    problem = Problem([oracle.Column("numeric", values)], np.array([0, 1]), None, 2)
    tree = grown_by(engine, encode_problem(problem, sorted_columns=sorted_columns), by_score(problem, "gini"))
    assert tree.edges.tolist() == [edge]
    assert apply(tree, matrix_of(problem), 1).tolist() == [1, 2]


# ---------------------------------------------------------------- rows of one value


@st.composite
def decimal_targets(draw: st.DrawFn) -> Problem:
    """Two columns of numbers, some missing; y are few numbers of two digits behind the point, near or far from 0."""
    n_rows = draw(st.integers(2, 30))
    cells = st.lists(st.none() | st.integers(0, 8), min_size=n_rows, max_size=n_rows)
    columns = [oracle.Column("numeric", draw(cells)) for _ in range(2)]
    values = st.sampled_from([float(v) / 100 for v in draw(st.lists(st.integers(1, 5000), min_size=2, max_size=5))])
    y = np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows))) * draw(st.sampled_from([1e-6, 1.0, 1e9]))
    weights = draw(st.none() | st.lists(st.sampled_from([0.1, 1.0, 7.3]), min_size=n_rows, max_size=n_rows))
    return Problem(columns, y, None if weights is None else np.array(weights), None)


@settings(max_examples=examples(60))
@given(decimal_targets(), st.sampled_from(["squared_error", "poisson", "absolute_error"]), st.booleans())
def test_rows_of_one_value_are_not_split(engine, problem, criterion, sorted_columns):
    recipe = by_median(problem) if criterion == "absolute_error" else by_score(problem, criterion)
    tree = grown_by(engine, encode_problem(problem, sorted_columns=sorted_columns), recipe)
    values = [set[float]() for _ in range(tree.n_nodes)]
    for leaf, y in zip(apply(tree, matrix_of(problem), 1), problem.y):
        for node in tree.node(int(leaf)).path():
            values[node.id].add(y)
    assert all(node.is_leaf or len(values[node.id]) > 1 for node in tree.nodes())


def test_two_rows_of_one_value_in_a_leaf(engine):
    y = np.array([46.12, 41.14, 29.37, 37.79, 37.79, 34.71])
    problem = Problem([oracle.Column("numeric", range(6))], y, None, None)
    for sorted_columns in (False, True):
        encoded = encode_problem(problem, sorted_columns=sorted_columns)
        assert grown_by(engine, encoded, by_score(problem, "squared_error")).n_leaves == 5
