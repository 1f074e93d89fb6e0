from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.engines.fixed_point import to_fixed

floats = st.floats(-1e300, 1e300, allow_subnormal=False)


@given(st.lists(floats, min_size=1, max_size=50))
def test_numbers_come_back_to_within_the_resolution(numbers):
    values = np.array(numbers)
    fixed = to_fixed(values)
    largest = np.abs(values).sum()
    np.testing.assert_allclose(fixed.values / fixed.scale, values, rtol=0, atol=max(largest * 2.0**-58, 1e-300))


@given(st.lists(floats, min_size=1, max_size=50), st.randoms())
def test_sums_do_not_depend_on_the_order_and_do_not_overflow(numbers, random):
    fixed = to_fixed(np.array(numbers)).values.tolist()
    assert abs(sum(map(abs, fixed))) < 2**62
    shuffled = fixed[:]
    random.shuffle(shuffled)
    assert np.array(fixed).sum() == np.array(shuffled).sum() == sum(fixed)


@pytest.mark.parametrize("numbers", [[1.0, 2.0, 3.0], [0.0], [-5.0, 2.0**52]])
def test_whole_numbers_are_kept_as_they_are(numbers):
    fixed = to_fixed(np.array(numbers))
    assert fixed.scale == 1.0
    assert fixed.values.tolist() == numbers
