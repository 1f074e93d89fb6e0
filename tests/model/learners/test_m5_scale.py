"""M5' tells of numbers that it does not tell apart: a column of tiny numbers was never cut, in silence."""

import warnings

import numpy as np
import pytest

import treewright as tw

STEPS = np.arange(1.0, 61)
JUMP = np.where(STEPS > 30, 5.0, 1.0) + np.sin(STEPS)


@pytest.mark.parametrize("model", [tw.M5Regressor, tw.M5RulesRegressor])
@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        (
            STEPS * 1e-8,
            JUMP,
            "most values of column 'x' differ by less than 1e-06.*Hint: multiply .* 1e.08",
        ),
        (STEPS, JUMP * 1e-14, "standard deviation of the target is .*Hint: multiply it, for example by 1e.14"),
    ],
)
def test_tiny_numbers_are_told_of(model, x, y, told):
    with pytest.warns(tw.TreewrightWarning, match=told):
        model().fit({"x": x}, y)


@pytest.mark.parametrize(("x", "y"), [(STEPS, JUMP), (STEPS * 1e-5, JUMP * 1e-5), (STEPS * 0, JUMP)])
def test_others_are_not(x, y):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.M5Regressor().fit({"x": x}, y)
    assert not [str(one.message) for one in told if "M5" in str(one.message)]
