"""Splits by absolute error, against trying every one of them."""

import numpy as np
import pytest

from kernel_cases import LARGE, TIE, empty_finds, number_case
from treewright.kernels.search.absolute import (
    ranked_subsets,
    search_histogram_medians,
    search_levels_medians,
    search_ranked_levels,
    search_sorted_medians,
)
from treewright.kernels.search.count import new_tally
from treewright.kernels.search.medians import RankedTarget, new_room, rank_rows

NONE = np.empty(0, np.int64)
SHAPES = {
    "no ties": {},
    "ties": {"n_codes": 4},
    "one code": {"n_codes": 1},
    "missing": {"missing": 0.3},
    "missing and ties": {"n_codes": 3, "missing": 0.4},
    "all missing": {"missing": 1.0},
    "weights": {"weighted": True, "n_codes": 9},
    "weights and missing": {"weighted": True, "missing": 0.3},
}
LEVELS = {name: {"n_codes": 5, **shape} for name, shape in SHAPES.items()}


def case_of(seed, n_rows, **shape):
    case = number_case(seed, n_rows, code_type=np.uint8 if n_rows < 200 else np.uint32, **shape)
    case.nodes = case.nodes._replace(slack=np.array([TIE * abs(node_distance(case, f)) for f in range(case.n_nodes)]))
    return case


def target(case, rows):
    w = case.stats_of_row[rows, 0]
    return case.stats_of_row[rows, 1] / np.maximum(w, 1), w


def slow_distance(case, rows):
    y, w = target(case, rows)
    return min((float((w * np.abs(y - middle)).sum()) for middle in y), default=0.0)


def node_distance(case, f):
    return slow_distance(case, case.rows(f))


def ranked_of(case):
    """Rows by y, node by node, and their ranks."""
    y, _ = target(case, np.arange(len(case.codes)))
    by_value = np.lexsort((y, case.node))
    n_places = len(y) + 2 * case.n_nodes
    weighted = case.weights is not None
    base = case.nodes.start + 2 * np.arange(case.n_nodes)
    ranked = RankedTarget(
        np.zeros(len(y), np.uint32), base, np.zeros(n_places if weighted else 0, np.int64),
        np.zeros(n_places, np.int64), np.zeros(n_places),
    )  # fmt: skip
    given = case.data.weight, case.data.moment, y, np.arange(len(y))
    rank_rows(by_value, case.nodes.start, case.nodes.stop, *given, ranked)
    return by_value.astype(case.dtype), ranked


def room_of(case):
    return new_room(int((case.nodes.stop - case.nodes.start).max(initial=0)))


def tally_of(case):
    return new_tally(int(case.codes.max(initial=0)) + 1, 3)


def split_into(case, groups, rules):
    """The score of branches, each an array of rows; -inf where one is not admissible."""
    fits = all(len(rows) >= rules.min_rows and case.stats_of_row[rows, 0].sum() >= rules.min_weight for rows in groups)
    return -sum(slow_distance(case, rows) for rows in groups) if fits else -np.inf


def cut_scores(case, f, rules):
    """Every cut with missing rows on either side, and known against missing."""
    rows = case.rows(f)
    codes, missing = case.codes[rows], rows[case.codes[rows] == 0]
    for cut in np.unique(codes[codes > 0]):
        left, right = rows[(codes > 0) & (codes <= cut)], rows[codes > cut]
        if len(right) or len(missing):
            yield split_into(case, (left, np.concatenate([right, missing])), rules)
        if len(missing) and len(right):
            yield split_into(case, (np.concatenate([left, missing]), right), rules)


def level_scores(case, f, rules, one_vs_rest):
    rows = case.rows(f)
    codes = case.codes[rows]
    levels, missing = np.unique(codes[codes > 0]), rows[codes == 0]
    if not one_vs_rest:
        parts = [rows[codes == level] for level in levels]
        for taker in range(len(parts) if len(missing) else min(len(parts), 1)) if len(levels) > 1 else ():
            yield split_into(
                case, [np.concatenate([p, missing]) if k == taker else p for k, p in enumerate(parts)], rules
            )
        return
    for level in np.unique(codes) if len(np.unique(codes)) > 1 else ():
        yield split_into(case, (rows[codes == level], rows[codes != level]), rules)
        if len(missing) and level and len(levels) > 1:
            yield split_into(case, (rows[(codes == level) | (codes == 0)], rows[(codes != level) & (codes > 0)]), rules)


def check(case, finds, scores, rules):
    for f in range(case.n_nodes):
        best = max(scores(case, f, rules), default=-np.inf)
        assert finds.score[f] == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert (finds.cut[f] == -1) == (best == -np.inf)


def searched_list(case, rules):
    finds, (_, ranked) = empty_finds(case.n_nodes), ranked_of(case)
    search_sorted_medians(0, case.entries, case.codes, case.nodes, ranked, rules, room_of(case), finds)
    return finds


def searched_codes(case, rules):
    finds, (by_value, ranked) = empty_finds(case.n_nodes), ranked_of(case)
    given = by_value, case.nodes, case.data, ranked, rules, tally_of(case), room_of(case), finds
    search_histogram_medians(0, case.codes, *given)
    return finds


@pytest.mark.parametrize("search", [searched_list, searched_codes])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 40])
def test_the_best_cut_is_found(search, shape, n_rows):
    for seed in range(3):
        case = case_of(seed, n_rows, n_nodes=2, **shape)
        check(case, search(case, case.rules()), cut_scores, case.rules())


@pytest.mark.parametrize("search", [searched_list, searched_codes])
@pytest.mark.parametrize("limit", [{"min_rows": 5}, {"min_weight": 3000}])
def test_branches_have_enough_rows_and_weight(search, limit):
    case = case_of(1, 60, n_nodes=3, missing=0.2, weighted=True)
    rules = case.rules(**limit)
    check(case, search(case, rules), cut_scores, rules)


def test_a_large_node():
    case = case_of(2, LARGE // 8, missing=0.1, signal=0.3)
    check(case, searched_list(case, case.rules()), cut_scores, case.rules())


def test_the_two_searches_name_the_same_cut():
    case = case_of(3, 50, n_nodes=3, n_codes=8, missing=0.2)
    listed, counted = searched_list(case, case.rules()), searched_codes(case, case.rules())
    np.testing.assert_array_equal(case.codes[case.entries[listed.cut]], counted.cut)
    np.testing.assert_array_equal(listed.missing_left, counted.missing_left)


@pytest.mark.parametrize("one_vs_rest", [False, True])
@pytest.mark.parametrize("shape", LEVELS.values(), ids=LEVELS)
@pytest.mark.parametrize("min_rows", [1, 4])
def test_the_best_split_by_levels_is_found(one_vs_rest, shape, min_rows):
    for seed in range(4):
        case = case_of(seed, 40, n_nodes=2, **shape)
        finds, (by_value, ranked), rules = empty_finds(2), ranked_of(case), case.rules(min_rows=min_rows)
        given = by_value, case.nodes, case.data, ranked, rules, tally_of(case), room_of(case), finds
        search_levels_medians(0, one_vs_rest, case.codes, *given)
        check(case, finds, lambda *each: level_scores(*each, one_vs_rest), rules)


def slow_order(case, f):
    """Levels, missing being one, by median and then by mean."""

    def key(code):
        rows = case.rows(f)[case.codes[case.rows(f)] == code]
        y, w = target(case, rows)
        by_value = np.repeat(np.sort(y), w[np.argsort(y, kind="stable")])
        return np.median(by_value), (w * y).sum() / w.sum(), code

    return sorted(np.unique(case.codes[case.rows(f)]), key=key)


def subset_scores(case, f, rules):
    order, rows = slow_order(case, f), case.rows(f)
    for k in range(1, len(order)):
        left = np.isin(case.codes[rows], order[:k])
        yield split_into(case, (rows[left], rows[~left]), rules)


@pytest.mark.parametrize("shape", LEVELS.values(), ids=LEVELS)
def test_subsets_are_cuts_of_the_levels_by_median(shape):
    for seed in range(3):
        case = case_of(seed, 40, n_nodes=2, **shape)
        finds, (by_value, ranked), rules = empty_finds(2), ranked_of(case), case.rules()
        tally, room = tally_of(case), room_of(case)
        given = by_value, case.nodes, case.data, ranked, rules, tally, room, finds
        search_ranked_levels(0, case.codes, *given)
        check(case, finds, subset_scores, rules)
        chosen = np.flatnonzero(finds.cut >= 0)
        branch_of = np.full((len(chosen), len(tally.rows)), -9, np.int32)
        ranked_subsets(case.codes, by_value, chosen, case.nodes, case.data, ranked, tally, room, finds, branch_of)
        assert not tally.rows.any()
        for f, branches in zip(chosen, branch_of):
            order, expected = slow_order(case, f), np.full(len(tally.rows), -9)
            expected[order], expected[order[: finds.cut[f]]] = 1, 0
            assert branches.tolist() == expected.tolist()
