"""M5' on large tables, which threads share."""

import numpy as np
import pytest

import treewright as tw


@pytest.mark.parametrize("is_weighted", [False, True])
def test_of_how_many_threads_work_nothing_depends(is_weighted):
    """Columns of different, seldom equal and often equal values, and of levels."""
    random = np.random.default_rng(0)
    x = random.normal(size=(5000, 3))
    table = {
        "a": x[:, 0],
        "b": x[:, 1].astype(np.float32),
        "c": x[:, 2].round(2),
        "d": random.choice(list("uvw"), 5000),
    }
    y = np.abs(x).sum(1) + random.normal(size=5000)
    weights = random.choice([0.5, 2.0], 5000) if is_weighted else None
    one, two = (tw.M5Regressor(n_jobs=n).fit(table, y, sample_weight=weights) for n in (1, 2))
    assert str(one) == str(two)
    np.testing.assert_array_equal(one.predict(table), two.predict(table))
