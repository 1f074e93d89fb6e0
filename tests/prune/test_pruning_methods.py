"""Every method beside its slow twin on random trees, and what holds for all of them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins
from made_trees import same
from strategies import examples
from treewright import OptionError, prune
from treewright.prune.methods.mdl import class_bits, split_bits
from treewright.prune.tree_selection import standard_errors
from treewright.tree.edit import cut

SEEDS = st.integers(0, 10**6)
SIZES = st.integers(0, 14)
CLASSES = st.sampled_from([None, 2, 3])
SOME_CLASSES = st.sampled_from([2, 3])


def cut_at(tree, ids):
    return cut(tree, np.array(sorted(ids), np.int64))


def rows_of(seed, tree, schema, n_classes):
    leaves, y = twins.held_out(seed, tree, n_classes)
    return prune.hold_out(tree, schema, leaves, y), twins.loss_of(leaves, y, n_classes)


@given(SEEDS, SIZES, CLASSES, st.booleans())
def test_reduced_error_from_the_bottom_up(seed, size, n_classes, strict):
    tree, schema = twins.random_tree(seed, size, n_classes)
    data, loss = rows_of(seed, tree, schema, n_classes)
    smaller = prune.ReducedError(strict=strict)(tree, schema, data)
    assert same(smaller, cut_at(tree, twins.bottom_up(tree.root, loss, strictly=strict)[1]))


@given(SEEDS, SIZES, CLASSES, st.booleans())
def test_reduced_error_by_the_most_improving_node(seed, size, n_classes, strict):
    tree, schema = twins.random_tree(seed, size, n_classes)
    data, loss = rows_of(seed, tree, schema, n_classes)
    smaller = prune.ReducedError("greedy", strict=strict)(tree, schema, data)
    assert same(smaller, cut_at(tree, twins.greedy(tree, loss, strictly=strict)))


@given(SEEDS, SIZES, CLASSES, st.booleans())
def test_reduced_error_from_the_top_down_and_repeated(seed, size, n_classes, strict):
    """The twin goes over all nodes until a round cuts none; one round is enough."""
    tree, schema = twins.random_tree(seed, size, n_classes)
    data, loss = rows_of(seed, tree, schema, n_classes)
    smaller = prune.ReducedError("top-down", strict=strict)(tree, schema, data)
    assert same(smaller, cut_at(tree, twins.one_by_one(tree, loss, strictly=strict)))


@given(SEEDS, SIZES, CLASSES, st.sampled_from(["bottom-up", "top-down", "greedy"]), st.booleans())
def test_reduced_error_once_more_cuts_nothing(seed, size, n_classes, order, strict):
    """002 repeats it until further pruning is harmful."""
    tree, schema = twins.random_tree(seed, size, n_classes)
    leaves, y = twins.held_out(seed, tree, n_classes)
    pruner = prune.ReducedError(order, strict=strict)
    once = pruner(tree, schema, prune.hold_out(tree, schema, leaves, y))
    reached = twins.leaves_in(tree, once, leaves)
    assert same(once, pruner(once, schema, prune.hold_out(once, schema, reached, y)))


@given(SEEDS, SIZES, CLASSES)
def test_bottom_up_ends_at_the_least_error_of_all_subtrees(seed, size, n_classes):
    tree, schema = twins.random_tree(seed, size, n_classes)
    leaves, y = twins.held_out(seed, tree, n_classes)
    data = prune.hold_out(tree, schema, leaves, y)
    best = twins.bottom_up(tree.root, twins.loss_of(leaves, y, n_classes))[0]
    greedy = prune.report(tree, prune.ReducedError("greedy")(tree, schema, data), schema, "greedy")
    cuts = set(greedy.nodes)
    assert sum(map(twins.loss_of(leaves, y, n_classes), twins.visible(tree.root, cuts))) >= best - 1e-9


@given(SEEDS, SIZES, SOME_CLASSES, st.sampled_from([None, 0.0, 1.0, 20.0]))
def test_minimum_error(seed, size, n_classes, m):
    tree, schema = twins.random_tree(seed, size, n_classes)
    prior = tree.stats[0] / tree.stats[0].sum()

    def cost(node):
        n = sum(node.stats)
        if m is None:
            return n * (n - max(node.stats) + n_classes - 1) / (n + n_classes)
        return n * (1 - max((node.stats + m * prior) / (n + m))) if n else 0.0

    assert same(prune.MinimumError(m)(tree, schema), cut_at(tree, twins.bottom_up(tree.root, cost)[1]))


@given(SEEDS, SIZES, SOME_CLASSES, st.sampled_from([0, 1, 2.5]), st.booleans())
def test_pessimistic(seed, size, n_classes, standard_errors, strict):
    tree, schema = twins.random_tree(seed, size, n_classes)
    for order, twin in (("top-down", twins.pessimistic), ("bottom-up", twins.pessimistic_from_below)):
        smaller = prune.Pessimistic(standard_errors, strict=strict, order=order)(tree, schema)
        assert same(smaller, cut_at(tree, twin(tree.root, standard_errors, strictly=strict)))


@given(SEEDS, SIZES, SOME_CLASSES, st.sampled_from([None, 0.0, 0.02, 0.1]))
def test_error_complexity_is_cost_complexity_by_errors(seed, size, n_classes, alpha):
    tree, schema = twins.random_tree(seed, size, n_classes)
    data = rows_of(seed, tree, schema, n_classes)[0]
    by_errors = prune.CostComplexity(alpha, risk="misclassification")(tree, schema, data)
    assert same(prune.ErrorComplexity(alpha)(tree, schema, data), by_errors)


@given(SEEDS, SIZES, SOME_CLASSES)
def test_cost_based(seed, size, n_classes):
    tree, schema = twins.random_tree(seed, size, n_classes)
    costs = np.random.default_rng(seed).integers(0, 9, (n_classes, n_classes)) * (1 - np.eye(n_classes))

    def of_predicting(node, i):
        n = sum(node.stats)
        return n * sum(costs[j][i] * (node.stats[j] + 1) / (n + n_classes) for j in range(n_classes))

    def cost(node):
        return min(of_predicting(node, i) for i in range(n_classes))

    smaller = prune.CostBased(costs)(tree, schema)
    cuts = twins.bottom_up(tree.root, cost, strictly=True)[1]
    assert same(smaller._replace(value=cut_at(tree, cuts).value), cut_at(tree, cuts))
    for node in smaller.nodes():
        np.testing.assert_allclose(of_predicting(node, node.value.argmax()), cost(node), atol=1e-9)
        np.testing.assert_allclose(node.value.sum(), 1)


@given(SEEDS, SIZES, CLASSES, st.floats(0, 1).map(lambda value: round(value, 2)))
def test_critical_value(seed, size, n_classes, value):
    tree, schema = twins.random_tree(seed, size, n_classes)
    assert same(prune.CriticalValue(value)(tree, schema), cut_at(tree, twins.critical(tree.root, value)))


@given(SEEDS, SIZES, SOME_CLASSES)
def test_mdl(seed, size, n_classes):
    tree, schema = twins.random_tree(seed, size, n_classes)

    def bits(node):
        n = sum(node.stats)
        data = sum(c * math.log2(n / c) for c in node.stats if c)
        constant = math.log2(math.pi ** (n_classes / 2) / math.gamma(n_classes / 2))
        return 1 + data + (max((n_classes - 1) / 2 * math.log2(n / 2) + constant, 0) if n else 0)

    def of_split(node):
        tests = max(node.n - 1, 1) if node.split.is_numeric else 1
        return 1 + math.log2(2) + math.log2(tests)

    cuts = twins.bottom_up(tree.root, bits, of_split=of_split)[1]
    assert same(prune.MDL()(tree, schema), cut_at(tree, cuts))


def test_bits_of_tests_by_kind_of_column():
    tree, schema = twins.random_tree(3, 6)
    bits = split_bits(tree, schema)
    for node in tree.nodes():
        tests = 0 if node.is_leaf else 1 + (math.log2(max(node.n - 1, 1)) if node.split.is_numeric else 0)
        assert bits[node.id] == pytest.approx(tests)
    assert class_bits(np.zeros((1, 3))).tolist() == [0]


@given(SEEDS, SIZES, CLASSES)
def test_leaves_of_the_same_prediction_are_merged_and_nothing_is_predicted_otherwise(seed, size, n_classes):
    tree, schema = twins.random_tree(seed, size, n_classes)
    cuts = set(prune.report(tree, prune.MergeSame()(tree, schema), schema, "").nodes)

    def says(node):
        return node.value[0] if n_classes is None else node.value.argmax()

    for node in tree.nodes():
        if node.id in cuts:
            assert {says(leaf) for leaf in twins.below(node)} == {says(node)}
    for node in twins.inner(tree, cuts):
        leaves = all(child.is_leaf or child.id in cuts for child in node.children)
        assert not (leaves and {says(child) for child in node.children} == {says(node)})


def name(pruner):
    return type(pruner).__name__


ALL = [
    prune.CostComplexity(0.02),
    prune.CostComplexity(),
    prune.ReducedError(),
    prune.ReducedError("greedy"),
    prune.ReducedError("top-down", strict=True),
    prune.ErrorComplexity(0.02),
    prune.ErrorComplexity(),
    prune.Pessimistic(strict=True, order="bottom-up"),
    prune.CriticalValue(0.5),
    prune.CriticalValue(),
    prune.MinimumError(),
    prune.MinimumError(3),
    prune.Pessimistic(),
    prune.CostBased(),
    prune.ErrorBased(raising=False),
    prune.MDL(),
    prune.CostComplexity(0.02, links="rpart"),
    prune.CostComplexity(links="rpart"),
    prune.AtNodes([0]),
    prune.Where(lambda node: node.n < 6),
    prune.ToDepth(2),
    prune.ToLeaves(4),
    prune.MergeSame(),
]


@pytest.mark.parametrize("pruner", ALL, ids=name)
@given(seed=SEEDS, size=SIZES)
@settings(max_examples=examples(20))
def test_a_smaller_tree_and_the_old_one_as_it_was(pruner, seed, size):
    tree, schema = twins.random_tree(seed, size)
    before = [part.copy() for part in tree.arrays()]
    data = rows_of(seed, tree, schema, 2)[0]
    smaller = pruner(tree, schema, data)
    told = prune.report(tree, smaller, schema, "x")
    assert smaller.n_leaves <= tree.n_leaves
    assert smaller.depth <= tree.depth
    assert told.n_leaves == (tree.n_leaves, smaller.n_leaves)
    assert all((old == new).all() for old, new in zip(before, tree.arrays()))
    same_but_values = cut_at(tree, told.nodes)._replace(value=smaller.value)
    assert same(smaller, same_but_values)  # what is left keeps its statistics and tests


@pytest.mark.parametrize("pruner", [p for p in ALL if not isinstance(p, prune.AtNodes)], ids=name)
def test_a_single_leaf_stays(pruner):
    tree, schema = twins.random_tree(1, 0)
    assert pruner(tree, schema, rows_of(1, tree, schema, 2)[0]).n_nodes == 1


@pytest.mark.parametrize(
    "pruner",
    [prune.MinimumError(), prune.Pessimistic(), prune.CostBased(), prune.MDL(), prune.ErrorBased()],
    ids=name,
)
def test_methods_for_classes_refuse_numbers(pruner):
    tree, schema = twins.random_tree(1, 3, None)
    with pytest.raises(OptionError, match="is for classes"):
        pruner(tree, schema)


def test_error_complexity_is_for_classes():
    tree, schema = twins.random_tree(1, 3, None)
    with pytest.raises(OptionError, match="counts errors in the class.*cost-complexity for numbers"):
        prune.ErrorComplexity(0.1)(tree, schema)


@pytest.mark.parametrize("pruner", [p for p in ALL if p.needs_data], ids=name)
def test_methods_that_need_rows_say_so(pruner):
    tree, schema = twins.random_tree(1, 3)
    with pytest.raises(OptionError, match="rows that were not grown from"):
        pruner(tree, schema)


@pytest.mark.parametrize(
    ("make", "options", "says"),
    [
        (prune.ReducedError, {"order": "sideways"}, "'bottom-up', 'top-down', 'greedy'"),
        (prune.Pessimistic, {"order": "greedy"}, "'top-down', 'bottom-up'"),
        (prune.MinimumError, {"m": -1}, "at least 0"),
        (prune.Pessimistic, {"standard_errors": math.nan}, "at least 0"),
        (prune.CriticalValue, {"value": -0.1}, "at least 0"),
        (prune.CriticalValue, {"rule": "2se"}, "0se"),
        (prune.MDL, {"of_splits": -1}, "at least 0"),
        (prune.ToDepth, {"depth": -1}, "whole number"),
        (prune.ToLeaves, {"leaves": 0}, "whole number"),
        (prune.ToLeaves, {"leaves": 2.5}, "whole number"),
        (prune.AtNodes, {"nodes": [1, -3]}, "got -3"),
        (prune.AtNodes, {"nodes": ["a"]}, "whole numbers"),
        (prune.Where, {"holds": 3}, "function of a node"),
    ],
)
def test_bad_options(make, options, says):
    with pytest.raises(OptionError, match=says):
        make(**options)


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ([[0, 1]], "a square of numbers"),
        ([0, 1], "a square of numbers"),
        (np.ones((3, 3)), "a row and a column for each of 2 classes"),
        ([[0, -1], [1, 0]], "not negative"),
        ([["x", 1], [1, 0]], "a square of numbers"),
        ({"a": {"z": 3}}, "'z'"),
        ({"a": 3}, "must be a mapping"),
        ({"a": {"b": "x"}}, "must be a number"),
        ({"a": {"b": -1}}, "not negative"),
        ("x", "a square of numbers"),
        (3, "a square of numbers"),
    ],
)
def test_bad_costs(costs, says):
    tree, schema = twins.random_tree(1, 3)
    with pytest.raises(OptionError, match=says):
        prune.CostBased(costs)(tree, schema)


def test_costs_by_name_are_those_of_the_array():
    tree, schema = twins.random_tree(5, 9, 3)
    by_name = prune.CostBased({"b": {"a": 7, "c": 2}})(tree, schema)
    assert same(by_name, prune.CostBased([[0, 1, 1], [7, 0, 2], [1, 1, 0]])(tree, schema))


ODD = ["x", None, [1], {}, True, math.nan, -1, 1 + 2j, object()]
OPTIONS = [
    (prune.CostComplexity, "alpha", {None}),
    (prune.CostComplexity, "risk", {None}),
    (prune.CostComplexity, "relative", {True}),
    (prune.CostComplexity, "rule", set()),
    (prune.CostComplexity, "links", set()),
    (prune.CriticalValue, "value", {None}),
    (prune.CriticalValue, "rule", set()),
    (prune.ReducedError, "order", set()),
    (prune.ReducedError, "strict", {True}),
    (prune.ErrorComplexity, "alpha", {None}),
    (prune.Pessimistic, "strict", {True}),
    (prune.Pessimistic, "order", set()),
    (prune.MinimumError, "m", {None}),
    (prune.Pessimistic, "standard_errors", set()),
    (prune.Pessimistic, "correction", set()),
    (prune.ErrorBased, "confidence", set()),
    (prune.ErrorBased, "flavour", set()),
    (prune.ErrorBased, "raising", {True}),
    (prune.MDL, "of_splits", set()),
    (prune.ToDepth, "depth", set()),
    (prune.ToLeaves, "leaves", set()),
    (prune.Where, "holds", set()),
]


@pytest.mark.parametrize(("make", "option", "fine"), OPTIONS)
def test_values_of_the_wrong_kind_are_refused_with_a_hint(make, option, fine):
    for value in ODD:
        if any(value is accepted for accepted in fine):
            make(**{option: value})
            continue
        with pytest.raises(OptionError, match=option) as refused:
            make(**{option: value})
        assert refused.value.hint


def test_a_node_that_does_not_exist():
    tree, schema = twins.random_tree(1, 3)
    with pytest.raises(OptionError, match=f"no node {tree.n_nodes}.*0 to {tree.n_nodes - 1}"):
        prune.AtNodes([tree.n_nodes])(tree, schema)


def test_by_hand():
    tree, schema = twins.random_tree(2, 12)
    assert prune.ToDepth(1)(tree, schema).depth == 1
    assert prune.ToDepth(99)(tree, schema).n_nodes == tree.n_nodes
    assert prune.AtNodes([])(tree, schema).n_nodes == tree.n_nodes
    few = prune.Where(lambda node: node.n < 10)(tree, schema)
    assert all(node.n >= 10 for node in few.nodes() if not node.is_leaf)
    assert few.n_leaves < tree.n_leaves


def test_a_number_of_single_precision_is_a_number():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert standard_errors(np.float32(0.5)) == 0.5
