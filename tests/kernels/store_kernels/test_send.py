"""Rows sent by the tests of their nodes, against numpy."""

import numpy as np
import pytest

from kernel_cases import class_case, number_case
from treewright.kernels.store_kernels.send import Branches, send_rows

MAKE = {"classes": class_case, "numbers": number_case}
SHAPES = {
    "plain": {"n_codes": 5},
    "missing": {"n_codes": 5, "missing": 0.3},
    "all missing": {"n_codes": 5, "missing": 1.0},
    "weights": {"n_codes": 5, "missing": 0.2, "weighted": True},
    "64 bits": {"n_codes": 5, "missing": 0.2, "dtype": np.int64},
}
BY_CODE = np.array([2, 0, 1, 2, 1, 0], np.int32)
CUT, AT = np.array([1, 0, 1], np.int32), 2  # missing right, up to code 2 left, above it right


def sent(case, chosen, is_cut):
    """Branches of the chosen nodes, by a cut or code by code; what branches hold, and the side of every row."""
    of_codes = CUT if is_cut else BY_CODE
    n_branches = int(of_codes.max()) + 1
    child_start, branch_start = np.arange(4) * n_branches, np.arange(4) * len(of_codes)
    branches = Branches(
        np.zeros(3 * n_branches, np.int64), np.zeros((3 * n_branches, case.n_stats), np.int64), np.zeros(3, np.int64)
    )
    side = np.full(len(case.codes), 9, np.uint8)
    nodes = np.array(chosen, np.int64), case.nodes.start, case.nodes.stop
    tests = np.full(3, is_cut), np.full(3, AT), branch_start, np.tile(of_codes, 3), child_start
    send_rows(case.codes, case.in_row_order, *nodes, case.data, *tests, side, branches)
    return branches, side, n_branches


@pytest.mark.parametrize("target", MAKE)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 80])
@pytest.mark.parametrize("is_cut", [True, False])
def test_rows_go_where_the_code_says_and_branches_hold_their_sums(target, shape, n_rows, is_cut):
    case = MAKE[target](n_rows, n_rows, n_nodes=3, code_type=np.uint8, **shape)
    branches, side, n_branches = sent(case, [0, 1, 2], is_cut)
    codes = case.codes.astype(int)
    expected = CUT[np.where(codes == 0, 0, 1 + (codes > AT))] if is_cut else BY_CODE[codes]
    np.testing.assert_array_equal(side, expected)
    child = case.node * n_branches + expected
    assert branches.rows.tolist() == np.bincount(child, minlength=3 * n_branches).tolist()
    sums = np.zeros_like(branches.stats)
    np.add.at(sums, child, case.stats_of_row)
    np.testing.assert_array_equal(branches.stats, sums)
    assert branches.n_missing.tolist() == np.bincount(case.node[codes == 0], minlength=3).tolist()


def test_nodes_that_were_not_chosen_stay_as_they_are():
    case = class_case(4, 60, n_codes=5, n_nodes=3, code_type=np.uint8)
    branches, side, n_branches = sent(case, [2], True)
    assert (side[case.node != 2] == 9).all()
    assert (side[case.node == 2] < 2).all()
    assert branches.rows[: 2 * n_branches].sum() == 0
    assert branches.rows.sum() == (case.node == 2).sum()
