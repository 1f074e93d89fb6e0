"""The loop that scores all cuts finds the one that rough scores lead to."""

import numpy as np
import pytest

from treewright.c50.search_buffers import number_room
from treewright.kernels import switch
from treewright.kernels.c50_kernels.c50_exact_cuts import exact_cut
from treewright.kernels.c50_kernels.c50_numbers import best_of_cuts, sum_classes


def room_of(n, n_classes, n_values, weighted, seed):
    rng = np.random.default_rng(seed)
    room = number_room(n, n_classes)
    room.values[:] = np.sort(rng.integers(0, n_values, n)).astype(np.float32)
    room.labels[:] = np.where(rng.random(n) < 0.6, room.values * n_classes // n_values, rng.integers(0, n_classes, n))
    room.weights[:] = np.float32(rng.random(n) + 0.5) if weighted else 1.0
    sum_classes.plain(n, room)
    return room


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_cut_of_least_score(n_classes, weighted):
    with switch.compiling("never"):
        for n, n_values, side in (
            (1, 2, 0.5),
            (2, 2, 1.0),
            (9, 3, 2.0),
            (40, 30, 2.0),
            (150, 20, 12.0),
            (150, 150, 2.0),
        ):
            room = room_of(n, n_classes, n_values, weighted, n)
            cut = room.values, room.labels, room.weights, n, side, room.whole, room.below.copy(), room.rest.copy()
            exact = exact_cut.plain(*cut)
            rough = best_of_cuts.plain(n, side, float(room.whole.sum()), room)
            assert exact[2] == rough[2]
            if exact[2] >= 0:
                assert exact == rough
