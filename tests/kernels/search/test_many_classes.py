"""Levels of many classes: the same splits as where every class is looked at."""

import numpy as np
import pytest

from kernel_cases import CLASS_CRITERIA, empty_finds, make_case
from treewright.kernels.search.count import new_tally
from treewright.kernels.search.levels import search_subsets
from treewright.kernels.search.many_classes import search_subsets_of_many

SHAPES = {
    "few levels": {"n_codes": 6, "n_classes": 30},
    "as many as are all tried": {"n_codes": 9, "missing": 0.2, "n_classes": 20},
    "many levels": {"n_codes": 25, "n_classes": 20},
    "a row per level": {"n_codes": 120, "n_classes": 40, "missing": 0.1},
    "weights": {"n_codes": 14, "weighted": True, "n_classes": 25, "missing": 0.2},
    "one level": {"n_codes": 1, "n_classes": 17},
    "three classes": {"n_codes": 12, "n_classes": 3},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("limits", [{}, {"min_rows": 5}, {"seed": 3}])
def test_as_by_all_classes(criterion, shape, limits):
    for seed in range(3):
        case = make_case(criterion, seed, 160, code_type=np.uint8, **SHAPES[shape])
        found = []
        for search in (search_subsets, search_subsets_of_many):
            finds, tally = empty_finds(case.n_nodes), new_tally(int(case.codes.max(initial=0)) + 1, case.n_stats)
            search(0, case.codes, case.in_row_order, case.nodes, case.data, case.rules(**limits), tally, finds)
            assert not tally.rows.any()
            assert not tally.stats.any()
            found.append(finds)
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)
