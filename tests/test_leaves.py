from __future__ import annotations

import numpy as np
import pytest

from treewright.data.schema import Target
from treewright.leaves import Leaf, class_shares, likeliest, means
from treewright.tree.tree import LeafKind

STATS = np.array([[9.0, 5.0], [4.0, 0.0], [0.0, 0.0], [5.0, 5.0], [0.0, 0.0]])
PARENT = np.array([-1, 0, 0, 0, 3])


def test_shares_are_weights_by_their_sum():
    np.testing.assert_allclose(class_shares(STATS, PARENT)[[0, 1, 3]], [[9 / 14, 5 / 14], [1, 0], [0.5, 0.5]])


@pytest.mark.parametrize(("empty", "expected"), [("parent", [9 / 14, 0.5]), ("overall", [9 / 14, 9 / 14])])
def test_a_node_without_rows_is_like_its_parent_or_like_all(empty, expected):
    np.testing.assert_allclose(class_shares(STATS, PARENT, empty=empty)[[2, 4], 0], expected)


def test_laplace_adds_one_to_every_class():
    np.testing.assert_allclose(class_shares(STATS, PARENT, smoothing="laplace")[1], [5 / 6, 1 / 6])


def test_the_m_estimate_draws_towards_the_root():
    np.testing.assert_allclose(class_shares(STATS, PARENT, smoothing=2.0)[1], [(4 + 2 * 9 / 14) / 6, (2 * 5 / 14) / 6])


def test_means_and_empty_nodes():
    moments = np.array([[4.0, 8.0, 20.0], [0.0, 0.0, 0.0], [2.0, 6.0, 18.0]])
    np.testing.assert_allclose(means(moments, np.array([-1, 0, 0]))[:, 0], [2.0, 2.0, 3.0])


PLAY = Target("play", ("no", "yes"))


def test_a_leaf_of_classes_predicts_shares():
    leaf = Leaf(LeafKind.CLASSES, empty="overall", smoothing=2.0)
    np.testing.assert_array_equal(
        leaf.values(STATS, PARENT, PLAY), class_shares(STATS, PARENT, empty="overall", smoothing=2.0)
    )


def test_a_node_without_rows_may_be_sure_of_the_class_of_its_parent():
    by_cost = Target("play", ("no", "yes"), costs=((0.0, 1.0), (10.0, 0.0)))
    for target, sure in ((PLAY, [1.0, 0.0]), (by_cost, [0.0, 1.0])):
        values = Leaf(LeafKind.CLASSES, smoothing="laplace", empty_as_class=True).values(STATS, PARENT, target)
        assert values[2].tolist() == values[4].tolist() == sure
        np.testing.assert_allclose(values[1], [5 / 6, 1 / 6])


def test_priors_weigh_the_classes():
    equal = Target("play", ("no", "yes"), priors=(0.5, 0.5))
    np.testing.assert_allclose(Leaf(LeafKind.CLASSES).values(STATS, PARENT, equal)[0], [0.5, 0.5])


@pytest.mark.parametrize(("empty", "expected"), [("parent", [2, 3, 3]), ("overall", [2, 3, 2])])
def test_leaves_of_numbers(empty, expected):
    moments, parent = np.array([[4.0, 8.0, 20.0], [2.0, 6.0, 18.0], [0.0, 0.0, 0.0]]), np.array([-1, 0, 1])
    with_median = np.hstack([moments, [[7.0, 0, 0], [9.0, 0, 0], [0.0, 0, 0]]])
    price = Target("price")
    assert Leaf(LeafKind.MEANS, empty).values(moments, parent, price)[:, 0].tolist() == expected
    medians = Leaf(LeafKind.MEDIANS, empty).values(with_median, parent, price)[:, 0]
    assert medians.tolist() == [{2: 7.0, 3: 9.0}[mean] for mean in expected]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 8, 9])
def test_the_likeliest_class_is_the_first_that_is_as_large_as_the_largest_but_for_rounding(n_classes):
    rng = np.random.default_rng(n_classes)
    shares = rng.integers(0, 4, (500, n_classes)) / 4 + rng.choice([0.0, 1e-10, -1e-10, 1e-8], (500, n_classes))
    shares[0] = np.nan
    first = [int(np.flatnonzero(row >= row.max() - 1e-9)[0]) if row.max() > -1 else 0 for row in shares]
    assert likeliest(shares).tolist() == first
    assert [int(likeliest(row)) for row in shares] == first
