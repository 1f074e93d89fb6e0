"""One test: where values go, where edges lie."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.split import EVERY_BRANCH, Split, Surrogate, midway

NEXT = np.nextafter(1.0, 2.0)


def test_a_number_goes_left_up_to_the_edge():
    split = Split(0, np.array([2.5]), np.array([1, 0, 1]))
    assert split.branches(np.array([-np.inf, 2.5, np.nextafter(2.5, 3), np.inf])).tolist() == [0, 0, 1, 1]


def test_several_edges_make_intervals_that_may_share_a_branch():
    split = Split(0, np.array([1.0, 2.0]), np.array([EVERY_BRANCH, 0, 1, 0]))
    assert split.branches(np.array([0.0, 1.0, 1.5, 2.0, 3.0, np.nan])).tolist() == [0, 0, 1, 1, 0, EVERY_BRANCH]
    assert split.n_branches == 2


def test_a_level_goes_where_its_code_says():
    split = Split(3, np.empty(0), np.array([2, 0, 2, 1]))
    assert split.branches(np.array([1.0, 2.0, 3.0, 0.0, np.nan])).tolist() == [0, 2, 1, 2, 2]
    assert split.n_branches == 3
    assert not split.is_numeric


def test_an_infinite_edge_tells_known_from_missing():
    split = Split(0, np.array([np.inf]), np.array([1, 0, 1]))
    assert split.branches(np.array([np.inf, -np.inf, np.nan])).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("value", "share"),
    [(-1.0, None), (0.0, None), (1.0, 0.75), (2.0, 0.5), (2.5, 0.25), (3.0, None), (9.0, None)],
)
def test_between_the_bounds_a_row_is_parted(value, share):
    split = Split(0, np.array([2.0]), np.array([-1, 0, 1]), bounds=(0.0, 3.0))
    assert split.left_share(value) == share


def test_without_bounds_no_row_is_parted():
    assert Split(0, np.array([2.0]), np.array([-1, 0, 1])).left_share(2.0) is None


@pytest.mark.parametrize(
    ("below", "above", "edge"),
    [
        (1.0, 2.0, 1.5),
        (-np.inf, 2.0, -np.inf),
        (1.0, np.inf, 1.0),
        (-np.inf, np.inf, -np.inf),
        (1.0, NEXT, 1.0),
        (np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 0.0)),
        (1e308, 1.5e308, 1.25e308),
        (-1.7e308, 1.7e308, 0.0),
        (0.0, 5e-324, 0.0),
        (-5e-324, 0.0, -5e-324),
    ],
)
def test_an_edge_has_the_lower_value_on_its_left_and_the_upper_on_its_right(below, above, edge):
    found = midway(np.array([below]), np.array([above]))[0]
    assert found == edge
    assert below <= found < above


def test_a_surrogate_that_names_no_branch_says_nothing():
    surrogate = Surrogate(Split(1, np.empty(0), np.array([-1, 1, -1, 0])), agreement=0.9, adjusted=0.5)
    assert surrogate.split.branches(np.array([np.nan, 1.0, 2.0, 3.0])).tolist() == [-1, 1, -1, 0]
