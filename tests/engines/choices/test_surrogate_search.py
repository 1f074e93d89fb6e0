"""Surrogates of one column, by hand."""

import numpy as np
import pytest

from treewright.engines.choices.surrogate_search import Imitated
from treewright.engines.stores.node_cells import Cases

# By level: the branches that rows of the level take. The branch of the higher mean target is number 0.
TORN_LEVEL = {1: [0, 1], 2: [0, 0, 0], 3: [1, 1]}


def stand_ins(by_level, *, ordered, as_rpart=False):
    codes = np.array([level for level, branches in by_level.items() for _ in branches])
    branch = np.concatenate([np.array(branches) for branches in by_level.values()])
    n = len(codes)
    cases = Cases(np.arange(n), np.zeros(n, np.int64), branch, np.ones((n, 1), np.int64))
    by_branch = np.bincount(branch, minlength=2)[None]
    return Imitated(cases, by_branch).stand_ins(codes, max(by_level) + 1, ordered=ordered, as_rpart=as_rpart)


def test_a_level_that_ties_goes_to_the_side_of_the_majority():
    """Four of seven rows go left, so the torn level does: six of seven agree."""
    found = stand_ins(TORN_LEVEL, ordered=False)
    assert (found.branches.tolist(), found.agreeing.tolist()) == ([[-1, 0, 0, 1]], [6.0])
    assert (found.known.tolist(), found.most.tolist()) == ([7.0], [4.0])
    mirrored = {level: [1 - b for b in branches] for level, branches in TORN_LEVEL.items()}
    assert stand_ins(mirrored, ordered=False).branches.tolist() == [[-1, 1, 1, 0]]
    even = stand_ins({1: [0, 1], 2: [0, 0], 3: [1, 1]}, ordered=False)
    assert even.branches.tolist() == [[-1, 0, 0, 1]]  # no majority: the branch of the higher mean


def test_rpart_wants_two_rows_that_agree_and_two_that_do_not():
    """Six agree and one does not; with another torn level seven do and two do not."""
    assert stand_ins(TORN_LEVEL, ordered=False, as_rpart=True).agreeing.tolist() == [-1.0]
    found = stand_ins({**TORN_LEVEL, 4: [0, 1]}, ordered=False, as_rpart=True)
    assert (found.agreeing.tolist(), found.branches.tolist()) == ([7.0], [[-1, 0, 0, 1, 0]])
    perfect = {1: [0, 0], 2: [1, 1]}
    assert stand_ins(perfect, ordered=False, as_rpart=True).agreeing.tolist() == [-1.0]
    assert stand_ins(perfect, ordered=False).agreeing.tolist() == [4.0]


@pytest.mark.parametrize(("by_level", "agreeing"), [({1: [0], 2: [0, 0], 3: [1]}, -1.0), ({1: [0, 0], 2: [1, 1]}, 4.0)])
def test_a_surrogate_sends_two_rows_either_way(by_level, agreeing):
    for ordered in (False, True):
        found = stand_ins(by_level, ordered=ordered)
        assert found.agreeing.tolist() == [agreeing]


def test_the_lowest_of_the_cuts_that_agree_most():
    """Codes 1 to 4 with branches 0 0 | 0 1 | 1 0 | 1 1: cuts after 1, 2 and 3 agree with 6, 6 and 6 of 8 rows."""
    found = stand_ins({1: [0, 0], 2: [0, 1], 3: [1, 0], 4: [1, 1]}, ordered=True)
    assert (found.agreeing.tolist(), found.cut.tolist(), found.above.tolist()) == ([6.0], [1], [2])
    assert found.branches.tolist() == [[-1, 0, 1]]
