"""Blocks must hold the rows of their nodes, in order of their codes."""

import numpy as np
import pytest

from kernel_cases import class_case, number_case
from treewright.kernels.search.block import Block, Roots, copy_coded, copy_rows, copy_sorted


def roots_of(case, chosen):
    """Some of a case's nodes, end to end from place 2 on."""
    start, size = case.nodes.start[chosen], (case.nodes.stop - case.nodes.start)[chosen]
    return Roots(start, size, 2 + np.cumsum(size) - size, np.zeros(len(chosen), np.int64), case.nodes.totals[chosen])


def empty_block(n_rows):
    order, ranks = np.zeros((2, 1, n_rows), np.uint16)
    return Block(order, ranks, *np.zeros((5, n_rows), np.int64))


def copied(case, chosen, counted):
    roots, block = roots_of(case, chosen), empty_block(len(case.codes) + 2)
    number_of_row = np.zeros(len(case.codes), np.uint16)
    copy_rows(case.in_row_order, case.data, roots, block, number_of_row)
    target = roots, block.row, block.order[0], block.ranks[0]
    if counted:
        copy_coded(case.codes, int(case.codes.max(initial=0)) + 1, *target)
    else:
        copy_sorted(case.entries, case.codes, case.bits, case.is_tied, number_of_row, *target)
    return roots, block


SHAPES = [{}, {"n_codes": 4}, {"missing": 0.3}, {"missing": 1.0}, {"n_codes": 3, "missing": 0.5, "weighted": True}]


@pytest.mark.parametrize("make", [class_case, number_case])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("n_rows", [0, 1, 60])
def test_a_block_holds_the_rows_of_its_nodes_by_code(make, shape, counted, n_rows):
    case = make(n_rows + 1, n_rows, n_nodes=5, **shape)
    chosen = np.array([f for f in (0, 2, 3) if (case.node == f).any()], np.int64)
    if not len(chosen):
        return
    roots, block = copied(case, chosen, counted)
    for f, place, size in zip(chosen, roots.place, roots.size, strict=True):
        here = slice(place, place + size)
        rows = np.flatnonzero(case.node == f)
        np.testing.assert_array_equal(block.row[here], rows)
        np.testing.assert_array_equal(block.order[0, here], np.argsort(case.codes[rows], kind="stable"))
        check_ranks(block.ranks[0, here].astype(np.int64), case.codes[rows].astype(np.int64))
        check_stats(case, rows, block.label[here], block.weight[here], block.moment[here], block.square[here])


def check_ranks(ranks, codes):
    """Ranks compare as codes do, and 0 is missing in both."""
    np.testing.assert_array_equal(ranks == 0, codes == 0)
    np.testing.assert_array_equal(np.sign(ranks[:, None] - ranks), np.sign(codes[:, None] - codes))


def check_stats(case, rows, label, weight, moment, square):
    if case.data.moment.size:
        np.testing.assert_array_equal(np.column_stack([weight, moment, square]), case.stats_of_row[rows])
    else:
        np.testing.assert_array_equal(label, case.labels[rows])
        np.testing.assert_array_equal(weight, case.stats_of_row[rows].sum(1))
