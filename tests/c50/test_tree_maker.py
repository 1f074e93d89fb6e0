"""Room for the kernels that make C5.0's trees."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.c50 import tree_maker


@pytest.fixture
def table() -> tuple[dict, np.ndarray]:
    random = np.random.default_rng(3)
    n = 700
    numbers = random.normal(size=(3, n)).round(2)
    numbers[random.random(numbers.shape) < 0.1] = np.nan
    level = random.integers(0, 9, n)
    target = np.where(np.nan_to_num(numbers[0]) + (level > 4) + random.normal(size=n) > 0.5, "yes", "no")
    columns = {f"n{j}": column for j, column in enumerate(numbers)}
    return {**columns, "level": np.array([f"v{k}" for k in level])}, target


@pytest.mark.parametrize("options", [{}, {"trials": 3}, {"global_pruning": False, "confidence": 0.9}])
def test_threads_and_room_do_not_change_the_tree(table, options, monkeypatch):
    expected = tw.C50Classifier(n_jobs=1, **options).fit(*table).to_c50()
    monkeypatch.setattr(tree_maker, "_LARGE", 20)  # nearly every node is searched by threads,
    monkeypatch.setattr(tree_maker, "_LISTS_AT_ONCE", 1)  # and lists of sorted cases are written over
    assert tw.C50Classifier(n_jobs=2, **options).fit(*table).to_c50() == expected
