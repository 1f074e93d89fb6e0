"""Random numbers of Java's ``Random``, where a program's rows are shuffled by them."""

import numpy as np

from treewright.kernels.jit import kernel

_MULTIPLIER = 0x5DEECE66D
_MASK = (1 << 48) - 1


@kernel
def shuffle_rows(order, state):
    """Shuffle from the last place down: each is exchanged with a random one up to itself. ``state[0]`` moves on."""
    s = int(state[0])  # whole numbers of Python do not overflow; 64 bits keep the 48 that count
    for j in range(len(order) - 1, 0, -1):
        m = j + 1
        while True:
            s = (s * _MULTIPLIER + 0xB) & _MASK
            bits = s >> 17
            place = (m * bits) >> 31 if m & (m - 1) == 0 else bits % m
            if m & (m - 1) == 0 or bits - place + m - 1 < 1 << 31:
                break
        order[j], order[place] = order[place], order[j]
    state[0] = s


def java_state(seed: int) -> np.ndarray:
    """Where a generator starts."""
    return np.array([(seed ^ _MULTIPLIER) & _MASK], np.int64)
