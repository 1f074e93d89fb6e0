"""The member of an ensemble that is closest to all others."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewright.data.schema import Target
from treewright.leaves import decided
from treewright.typing import Floats


def closest_member(values: Iterable[Floats], target: Target) -> int:
    """The place of the member whose class is most often that of another member drawn at random or, of numbers, whose
    squared distance from the others is least; the first of equals. ``values`` are what members say, one by one.

    >>> said = [np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]]), np.array([[9.0], [9.0]])]
    >>> closest_member(said, Target("y"))
    1
    """
    if target.classes is None:
        said = np.stack([one[:, 0] for one in values])
        return int(((said - said.mean(0)) ** 2).mean(1).argmin())
    codes = np.stack([decided(one, target) for one in values])
    votes = np.stack([(codes == k).sum(0) for k in range(len(target.classes))])
    return int(votes[codes, np.arange(codes.shape[1])].mean(1).argmax())
