import numpy as np
import pytest

from treewright.kernels.forest_kernels.pairs_by_level import pairs_by_level


def found(owner, road):
    order, node = np.empty((2, len(owner)), np.int64)
    getattr(pairs_by_level, road)(np.array(owner, np.int64), order, node)
    return order.tolist(), node.tolist()


@pytest.mark.parametrize("road", ["compiled", "plain"])
def test_splits_stand_level_by_level(road):
    # Split 1 is on the right of the root, 2 on the left of that, 3 on the left of the root.
    assert found([-1, 1, 2, 0], road) == ([0, 3, 1, 2], [0, 1, 2, 5])
    assert found([-1], road) == ([0], [0])
    assert found([], road) == ([], [])


@pytest.mark.parametrize("n_splits", [2, 3, 10, 200])
def test_the_loop_is_its_twin(n_splits):
    rng = np.random.default_rng(n_splits)
    owner, open_branches = [-1], [0, 1]
    for s in range(1, n_splits):
        owner.append(open_branches.pop(rng.integers(len(open_branches))))
        open_branches += [2 * s, 2 * s + 1]
    order, node = found(owner, "compiled")
    assert (order, node) == found(owner, "plain")
    assert sorted(order) == list(range(n_splits))
    for place, split in enumerate(order[1:], 1):
        above = order.index(owner[split] // 2)
        assert node[place] == 2 * above + 1 + owner[split] % 2
