"""Masses of many groups at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.criteria.masses import masses, xlogx

COUNTS = st.integers(1, 4).flatmap(
    lambda k: arrays(np.int64, st.tuples(st.integers(0, 30), st.just(k)), elements=st.integers(0, 60))
)


@given(COUNTS)
def test_entropy_of_counts_that_are_looked_up(stats):
    counts = stats.astype(np.float64)
    expected = np.array([xlogx(one).sum() - xlogx(one.sum()) for one in counts])
    np.testing.assert_allclose(masses(stats, "entropy"), expected, rtol=1e-12, atol=1e-9)
