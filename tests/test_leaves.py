from __future__ import annotations

import numpy as np
import pytest

from treewright.leaves import class_shares, means

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
