"""Stretches of subtrees are disjoint, parents stand in the middle, order is kept."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from treewright.drawing.tidy_layout import centres


@st.composite
def shapes(draw):
    """Children by node, parents first in the order of a print; and breadths."""
    count = draw(st.integers(1, 25))
    parents = [draw(st.integers(0, v - 1)) for v in range(1, count)]
    below = [[child for child, parent in enumerate(parents, 1) if parent == v] for v in range(count)]
    return below, draw(st.lists(st.floats(1, 100), min_size=count, max_size=count))


@given(shapes(), st.floats(0, 20))
def test_stretches_are_disjoint_and_parents_in_the_middle(shape, space):
    below, breadth = shape
    centre = centres(below, breadth, space)

    def stretch(v):
        ends = [stretch(child) for child in below[v]]
        return (
            min([centre[v] - breadth[v] / 2, *(low for low, _ in ends)]),
            max([centre[v] + breadth[v] / 2, *(high for _, high in ends)]),
        )

    assert abs(stretch(0)[0]) < 1e-6
    for children, middle in zip(below, centre):
        ends = [stretch(child) for child in children]
        assert all(a[1] + space <= b[0] + 1e-6 for a, b in pairwise(ends))
        if children:
            assert abs((centre[children[0]] + centre[children[-1]]) / 2 - middle) < 1e-6
