"""Rows in parts: to grow from, to prune with, to test on."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.labelled import split_rows
from treewright.data.target_column import encode_classes, read_target
from treewright.errors import DataError
from treewright.typing import Array, Ints


def three_parts(y: Any, *, test: float = 0.3, pruning: float = 0.3, random_state: Any = 0) -> tuple[Ints, Ints, Ints]:
    """Row numbers to grow from, to prune with and to test on: ``pruning`` is a share of what ``test`` leaves over.

    Each part has its share of every class; a target of numbers with decimals is dealt as it comes.

    >>> grow, prune, test = three_parts(["yes", "no"] * 50)
    >>> len(grow), len(prune), len(test)
    (49, 21, 30)
    """
    rows = np.arange(len(read_target(y)))
    codes = _class_codes(y)
    rest, tested = split_rows(rows, codes, test, random_state)
    grown, pruned = split_rows(rest, None if codes is None else codes[rest], pruning, random_state)
    return grown, pruned, tested


def _class_codes(y: Any) -> Array | None:
    try:
        return encode_classes(y)[1].astype(np.int64)
    except DataError:  # numbers
        return None
