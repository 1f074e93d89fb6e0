"""A column at every open node, and the branches its groups become."""

import numpy as np
import pytest

from kernel_cases import class_case
from treewright.kernels.search.level_merging import new_items
from treewright.kernels.search.merge_search import lay_out, merge_cells, new_merged, number_branches, place_empty_levels
from twins_chaid import merge_slowly, p_value, rules, sums


def table_at(case, f):
    """Sums of the codes that occur at node f, in order."""
    here = case.node == f
    codes = np.unique(case.codes[here])
    return codes, np.array([case.stats_of_row[here & (case.codes == code)].sum(0) for code in codes], float)


def test_branches_are_numbered_by_their_first_known_level():
    branch_of = np.full(6, 9, np.int32)
    number_branches(np.array([0, 1, 3, 5]), 4, np.array([2, 1, 2, 3]), branch_of)
    assert branch_of[[0, 1, 3, 5]].tolist() == [1, 0, 1, 2]
    number_branches(np.array([0, 2, 4]), 3, np.array([0, 1, 1]), branch_of)
    assert branch_of[[0, 2, 4]].tolist() == [1, 0, 0]


@pytest.mark.parametrize(("ordered", "expected"), [(False, [2, 2, 0, 2, 1, 2]), (True, [2, 0, 0, 1, 1, 1])])
def test_levels_that_do_not_occur(ordered, expected):
    """Ordered ones go with the next level that does occur, or with the last; others as missing values do."""
    branch_of = np.array([2, 7, 0, 7, 1, 7], np.int32)
    place_empty_levels(np.array([3, 0, 4, 0, 5, 0]), ordered, branch_of)
    assert branch_of.tolist() == expected


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_counted_cells_are_merged(seed, ordered, own):
    """As levels are; missing values that stay apart are one more row of the table that is tested in the end."""
    case = class_case(seed, 300, n_codes=7, missing=0.1, n_nodes=3, signal=0.4, code_type=np.uint8)
    tables = [
        (codes, table.reshape(-1, case.n_stats)) for codes, table in (table_at(case, f) for f in range(case.n_nodes))
    ]
    gaps = np.array([table[codes == 0].sum(0) for codes, table in tables]).astype(np.int64)
    if own:
        tables = [(codes[codes > 0], table[codes > 0]) for codes, table in tables]
    codes, stats = (np.concatenate([table[k] for table in tables]).astype(np.int64) for k in (0, 1))
    start = np.cumsum([0, *(len(table[0]) for table in tables)])
    floating = np.array([0 in present for present, _ in tables])
    group, merged = np.zeros(len(codes), np.int64), new_merged(case.n_nodes)
    rule, items = rules("chi2", n_stats=case.n_stats), new_items(9, case.n_stats)
    merge_cells(start, stats, gaps if own else gaps * 0, ordered, floating, rule, items, group, merged)
    branch_of = np.empty((case.n_nodes, 8), np.int32)
    lay_out(start, codes, group, ordered, -9, branch_of)
    for f, (present, table) in enumerate(tables):
        found = (
            merge_slowly(table, "chi2", ordered=ordered, floating=ordered and bool(floating[f])) if len(table) else []
        )
        apart = int(own and gaps[f].any())
        assert merged.levels[f] == len(present)
        assert merged.floating[f] == (ordered and floating[f])
        assert merged.groups[f] == (len(found) + apart if found else 0)
        if not found:
            continue
        rows = [sums(table, one) for one in found] + [gaps[f]] * apart
        assert np.exp(merged.log_p[f]) == pytest.approx(p_value("chi2", rows))
        branches = {tuple(present[list(one)]): set(branch_of[f, present[list(one)]]) for one in found}
        assert sorted(map(tuple, branches.values())) == [(b,) for b in range(len(found))]
        assert (branch_of[f, 0] == -9) == (not floating[f])
