"""And/or trees: what is kept, what is chosen, and that every road leads to the same."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine_roads import assert_same_tree
from oracle import Column
from strategies import Problem, examples, problems
from tables import encode_problem, leaf_of
from treewright.alternatives import grow_alternatives, grow_side_by_side, may_grow_side_by_side, plain_seconds_of
from treewright.data.encoded import Encoded
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.kernels import switch
from treewright.leaves import Leaf
from treewright.prediction import predicted_classes
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.training_rows import training_rows
from treewright.prune.tree_search import CostedTree
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByScore, Limits, Recipe, Splits
from treewright.tree.and_or_tree import AndOrTree
from treewright.tree.tree import LeafKind

ONE_WAY = st.sampled_from(["learned", "branch", "common", "stop"])
SEARCH = st.sampled_from([(), (1,), (2,), (3, 2), (1, 2), (2, 2, 2)])
ALPHAS = np.array([0.0, 0.003, 0.01, 0.04, 0.15, 0.6, np.inf])
LIMITS = st.sampled_from([Limits(), Limits(min_rows_leaf=2), Limits(max_depth=2), Limits(min_weight_fraction_leaf=0.2)])


def recipe_of(problem, policy="learned", stop=None, criterion="entropy") -> Recipe:
    missing = (Missing(policy),) * len(problem.columns)
    choice = ByMedian() if criterion == "absolute_error" else ByScore(criterion)
    return Recipe(choice=choice, leaf=leaf_of(problem), missing=missing, splits=Splits.SUBSET, stop=stop or Limits())


def grown(encoded: Encoded, recipe: Recipe, search, *, n_jobs=1, road="always", **options) -> CostedTree:
    with switch.compiling(road), Workers(n_jobs, small_work=0) as workers:
        tree = grow_alternatives(encoded, recipe, search, workers, **options)
    return CostedTree(tree, recipe.leaf, encoded.schema.target)


def assert_same(one: AndOrTree, other: AndOrTree) -> None:
    """But for the numbers of nodes: small ones are grown to the end before others on the compiled road."""
    assert by_level(one) == by_level(other)


def assert_same_choices(plain: CostedTree, compiled: CostedTree) -> None:
    """For every α the same tree at the same cost."""
    for cost in (0.0, 1.0):
        plain, compiled = (replace(whole, alternative_cost=cost) for whole in (plain, compiled))
        with switch.compiling("never"):
            chosen, total = plain.choose(ALPHAS)
        compiled_chosen, compiled_total = compiled.choose(ALPHAS)
        np.testing.assert_array_equal(total, compiled_total)
        for mine, theirs in zip(chosen, compiled_chosen):
            assert_same_tree(plain.grown(mine)[0], compiled.grown(theirs)[0])


def by_level(tree: AndOrTree) -> list[tuple]:
    """Nodes level by level, each with its splits in order."""
    splits, found, waiting = tree.splits, [], [0]
    edges = np.split(splits.edges, np.cumsum(splits.edge_size)[:-1])
    branches = np.split(splits.branch_of, np.cumsum(splits.branch_size)[:-1])
    while waiting:
        node = waiting.pop(0)
        mine = range(tree.split_start[node], tree.split_start[node + 1])
        tests = [
            (splits.column[s], edges[s].tolist(), branches[s].tolist(), splits.gain[s], splits.missing[s]) for s in mine
        ]
        found.append((tree.rows[node], tree.stats[node].tolist(), tests))
        for s in mine:
            waiting.extend(range(splits.first_child[s], splits.first_child[s] + tree.n_branches[s]))
    return found


def some_columns(n_rows: int) -> tuple[Encoded, Recipe]:
    """Numbers that say nothing of the class, so that every branch is long."""
    rng = np.random.default_rng(0)
    columns = [Column("numeric", rng.normal(size=n_rows)) for _ in range(6)]
    problem = Problem(columns, rng.integers(2, size=n_rows), None, 2)
    return encode_problem(problem, sorted_columns=True), recipe_of(problem)


def all_trees(whole: CostedTree, node: int = 0) -> set[tuple[float, int]]:
    """Loss and leaves of every tree that the splits below a node make: no shortcut taken."""
    tree, found = whole.tree, {(float(whole.loss[node]), 1)}
    for s in range(tree.split_start[node], tree.split_start[node + 1]):
        made = {(float(whole.stopped[s]), 0)}
        for child in range(tree.splits.first_child[s], tree.splits.first_child[s] + tree.n_branches[s]):
            below = all_trees(whole, child)
            made = {(loss + more, leaves + others) for loss, leaves in made for more, others in below}
        found |= made
    return found


@settings(max_examples=examples(40))
@given(problems("classes"), ONE_WAY, LIMITS, st.booleans())
def test_with_one_split_per_node_it_is_the_greedy_tree(problem, policy, stop, sorted_columns):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = recipe_of(problem, policy, stop)
    whole = grown(encoded, recipe, (1, 1))
    tree, _ = whole.grown(np.where(np.diff(whole.tree.split_start) > 0, 0, -1))
    with Workers(1) as workers:
        assert_same_tree(tree, fit_tree(encoded, recipe, workers))


TENTHS = Problem(
    [Column("nominal", [0, 0, 0, 0, 1, 2])] * 2, np.array([0, 0, 0, 0, 0, 1]), np.full(6, 0.1), 2
)  # what its second split gains is the same to the last digit only if it is computed anew, as that of the first is


@settings(max_examples=examples(40))
@example(TENTHS, "stop", Limits(), (2,), False)
@given(problems("classes"), ONE_WAY, LIMITS, SEARCH, st.booleans())
def test_every_road_leads_to_the_same_and_or_tree(problem, policy, stop, search, sorted_columns):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = recipe_of(problem, policy, stop)
    plain, compiled = (grown(encoded, recipe, search, road=road) for road in ("never", "always"))
    assert_same(plain.tree, compiled.tree)
    assert_same(compiled.tree, grown(encoded, recipe, search, n_jobs=2).tree)
    assert_same_choices(plain, compiled)


@settings(max_examples=examples(25))
@given(problems("numbers"), st.sampled_from(["squared_error", "absolute_error"]), SEARCH)
def test_numbers_too(problem, criterion, search):
    encoded = encode_problem(problem, sorted_columns=True)
    recipe = recipe_of(problem, criterion=criterion)
    if criterion == "absolute_error":
        recipe = replace(recipe, leaf=Leaf(LeafKind.MEDIANS))
    plain, compiled = (grown(encoded, recipe, search, road=road) for road in ("never", "always"))
    assert_same(plain.tree, compiled.tree)
    assert_same_choices(plain, compiled)


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=9), ONE_WAY, SEARCH)
def test_the_tree_of_an_alpha_is_the_best_of_all(problem, policy, search):
    whole = grown(encode_problem(problem, sorted_columns=True), recipe_of(problem, policy, Limits(max_depth=3)), search)
    trees = all_trees(whole)
    for alpha, (loss, leaves) in zip(ALPHAS[:-1] * whole.weight, whole.choose(ALPHAS[:-1])[1][:, 0]):
        least = min(one + alpha * n for one, n in trees)
        assert loss + alpha * leaves == pytest.approx(least, abs=1e-9)
        assert leaves == min(n for one, n in trees if one + alpha * n <= least + 1e-12 * whole.weight)


def all_charged(whole: CostedTree, node: int = 0) -> set[tuple[float, int, float]]:
    """Loss, leaves and logarithms of ranks of every tree that the splits below a node make."""
    tree, found = whole.tree, {(float(whole.loss[node]), 1, 0.0)}
    for rank, s in enumerate(range(tree.split_start[node], tree.split_start[node + 1]), 1):
        made = {(float(whole.stopped[s]), 0, float(np.log2(rank)))}
        for child in range(tree.splits.first_child[s], tree.splits.first_child[s] + tree.n_branches[s]):
            below = all_charged(whole, child)
            made = {(a + x, b + y, c + z) for a, b, c in made for x, y, z in below}
        found |= made
    return found


@settings(max_examples=examples(40))
@given(problems("classes", max_rows=8), ONE_WAY, SEARCH, st.sampled_from([0.5, 1.0, 3.0]))
def test_what_alternatives_cost_is_in_the_cost_of_the_best_tree(problem, policy, search, cost):
    recipe = recipe_of(problem, policy, Limits(max_depth=3))
    encoded = encode_problem(problem, sorted_columns=True)
    whole = replace(grown(encoded, recipe, search), alternative_cost=cost)
    trees = all_charged(whole)
    chosen, total = whole.choose(ALPHAS[:-1])
    for alpha, of_nodes, (loss, leaves) in zip(ALPHAS[:-1] * whole.weight, chosen, total[:, 0]):
        assert leaves == whole.grown(of_nodes)[0].n_leaves
        least = min(a + alpha * (b + cost * c) for a, b, c in trees)
        same = [c for a, b, c in trees if (b, pytest.approx(a)) == (leaves, loss)]
        assert min(loss + alpha * (leaves + cost * c) for c in same) == pytest.approx(least, abs=1e-9)
    free = _costs(grown(encoded, recipe, search))
    greedy = _costs(grown(encoded, recipe, ()))
    assert (free <= _costs(whole) + 1e-9).all()
    assert (_costs(whole) <= greedy + 1e-9).all()


@settings(max_examples=examples(20))
@given(problems("classes"), ONE_WAY, SEARCH)
def test_alternatives_that_cost_too_much_are_not_taken(problem, policy, search):
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policy)
    whole, greedy = replace(grown(encoded, recipe, search), alternative_cost=1e6), grown(encoded, recipe, ())
    for mine, theirs in zip(whole.choose(ALPHAS[1:-1])[0], greedy.choose(ALPHAS[1:-1])[0]):
        assert_same_tree(whole.grown(mine)[0], greedy.grown(theirs)[0])


@settings(max_examples=examples(40))
@given(problems("classes"), st.booleans())
def test_with_one_split_per_node_choosing_is_cost_complexity_pruning_on_errors(problem, sorted_columns):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = recipe_of(problem)
    with Workers(1) as workers:
        tree = fit_tree(encoded, recipe, workers)
    whole = grown(encoded, recipe, (1,))
    for alpha, chosen in zip(ALPHAS[1:-1], whole.choose(ALPHAS[1:-1])[0]):
        pruned = CostComplexity(alpha, risk="misclassification")(tree, encoded.schema)
        assert_same_tree(whole.grown(chosen)[0], pruned._replace(printed=np.empty(0)))


@settings(max_examples=examples(40))
@given(problems("classes"), ONE_WAY, SEARCH)
def test_alternatives_never_cost_more_than_the_greedy_tree(problem, policy, search):
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policy)
    searched, greedy = (_costs(grown(encoded, recipe, widths)) for widths in (search, ()))
    assert (searched <= greedy + 1e-9).all()


def _costs(whole: CostedTree) -> np.ndarray:
    """Of the best trees, loss + α·leaves."""
    alphas = ALPHAS[:-1]
    loss, leaves = whole.choose(alphas)[1][:, 0].T
    return loss + alphas * whole.weight * leaves


@settings(max_examples=examples(25))
@given(problems("classes"), ONE_WAY, st.sampled_from([(2, 2), (3, 2, 2)]), st.integers(1, 60))
def test_copying_rows_in_batches_changes_no_tree(problem, policy, search, most_cells):
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policy)
    one, many = grown(encoded, recipe, search), grown(encoded, recipe, search, most_cells=most_cells)
    for mine, theirs in zip(one.choose(ALPHAS)[0], many.choose(ALPHAS)[0]):
        assert_same_tree(one.grown(mine)[0], many.grown(theirs)[0])


@pytest.mark.parametrize("road", ["never", "always"])
@pytest.mark.parametrize("side_by_side", [False, True])
def test_the_rows_of_one_batch_are_held_at_a_time(road, side_by_side, monkeypatch):
    """Counted in cells: those of a batch are gone before the next one is begun, without help of the collector."""
    encoded, recipe = some_columns(160)
    most_cells, held, most_held = 6 * 200, {}, []
    copied = Encoded.copy_rows

    def counted(self: Encoded, rows: np.ndarray) -> Encoded:
        made, number = copied(self, rows), len(most_held)
        held[number] = len(rows) * len(self.columns)
        weakref.finalize(made, held.pop, number)
        most_held.append(sum(held.values()))
        return made

    monkeypatch.setattr(Encoded, "copy_rows", counted)
    gc.disable()
    try:
        with switch.compiling(road), Workers(1) as workers:
            if side_by_side:
                halves = [np.arange(80), np.arange(80, 160)]
                grow_side_by_side(encoded, recipe, (4, 3, 2), workers, halves, most_cells=most_cells)
            else:
                grow_alternatives(encoded, recipe, (4, 3, 2), workers, most_cells=most_cells)
    finally:
        gc.enable()
    assert len(most_held) > 10
    assert max(most_held) <= most_cells


@pytest.mark.parametrize("n_rows", [1, 300])
def test_a_growth_tells_of_all_its_rows(n_rows):
    encoded, recipe = some_columns(n_rows)
    told: list[int] = []
    grown(encoded, recipe, (4, 3, 2), report=told.append, most_cells=6 * 100)
    assert sum(told) == n_rows
    assert min(told) >= 0
    assert len(told) > 20 or n_rows == 1


@settings(max_examples=examples(25))
@given(problems("classes"), ONE_WAY, LIMITS, SEARCH, st.sampled_from(["never", "always"]), st.randoms())
def test_samples_grown_side_by_side_are_the_trees_that_each_would_be(problem, policy, stop, search, road, random):
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policy, stop)
    encoded = replace(encoded, weights=None)
    assert may_grow_side_by_side(encoded, recipe) == (stop.min_weight_fraction_leaf == 0)
    if not may_grow_side_by_side(encoded, recipe):
        return
    n = encoded.n_rows
    samples = [np.arange(n), *(np.array(sorted(random.choices(range(n), k=random.randint(1, n)))) for _ in range(3))]
    with switch.compiling(road), Workers(1) as workers:
        together = grow_side_by_side(encoded, recipe, search, workers, samples)
    whole = CostedTree(together, recipe.leaf, encoded.schema.target)
    chosen, total = whole.choose(ALPHAS)
    row, root = np.tile(np.arange(n), len(samples)), np.repeat(np.arange(len(samples)), n)
    lost, _ = whole.losses_along(chosen, encoded.copy_rows(row), root)
    for r, sample in enumerate(samples):
        alone = grown(encoded.copy_rows(sample), recipe, search, road=road)
        assert_same(alone.tree, together.of_root(r))
        mine, mine_total = alone.choose(ALPHAS)
        np.testing.assert_array_equal(mine_total[:, 0], total[:, r])
        mine_lost = alone.losses_along(mine, encoded, np.zeros(n, np.int64))[0]
        np.testing.assert_array_equal(mine_lost[:, 0], lost[:, r])


@settings(max_examples=examples(25))
@given(problems("classes"), ONE_WAY, st.sampled_from([(2, 2), (3,)]))
def test_rows_left_out_lose_what_the_trees_lose(problem, policy, search):
    """Sent down all splits at once, rows lose in the tree of an α what they lose when sent down that tree."""
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policy)
    keep = np.arange(encoded.n_rows) % 3 > 0
    if not keep.any() or keep.all():
        return
    whole, rest = grown(encoded.take(keep), recipe, search), encoded.take(~keep)
    chosen, _ = whole.choose(ALPHAS)
    root = np.zeros(rest.n_rows, np.int64)
    found, weight = whole.losses_along(chosen, rest, root)
    with switch.compiling("never"):
        np.testing.assert_array_equal(found, whole.losses_along(chosen, rest, root)[0])
    for one, lost in zip(chosen, found[:, 0]):
        tree, _ = whole.grown(one)
        given_rows = training_rows(tree, rest)
        answer = predicted_classes(tree, encoded.schema.target, np.ascontiguousarray(given_rows.cells.T), 1)
        weights = np.ones(rest.n_rows) if given_rows.weights is None else given_rows.weights
        assert lost[0] == pytest.approx(weights[answer != rest.y].sum())
        assert weight == pytest.approx(weights.sum())


@pytest.mark.parametrize("search", [(), (3, 2), (5, 3, 2)])
def test_the_work_of_a_growth_is_told_beforehand(search, monkeypatch):
    """About what its engines tell one after the other."""
    encoded, recipe = some_columns(400)
    told: list[float] = []
    monkeypatch.setattr(switch, "should_compile", lambda seconds, *kernels: bool(told.append(seconds)))
    with switch.compiling("never"), Workers(1) as workers:
        grow_alternatives(encoded, recipe, search, workers)
    root = told[0] if search else 0.0  # the engine of all rows, which might have to grow them to the end
    assert 0.4 < plain_seconds_of(encoded, recipe, search) / (sum(told) - root) < 2.5
