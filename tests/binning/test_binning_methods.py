"""Where columns are cut, beside naive twins that try everything, and published results."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_iris

import treewright as tw
from treewright.binning import binning_methods
from treewright.binning.binning_methods import chi_merge, equal_width, mdl, optimal, quantiles
from treewright.binning.value_runs import Runs, quantile_cuts, runs_of

IRIS, SPECIES = load_iris(return_X_y=True)

ROWS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=2, max_size=40)
NUMBERS = st.lists(st.tuples(st.integers(0, 8), st.integers(-5, 5)), min_size=2, max_size=20)


def runs_from(rows, n_classes=3):
    x, y = np.array(rows, float).T
    return runs_of(x, y if n_classes is None else y.astype(int), None, n_classes)


def naive_counts(rows):
    """Class counts of every distinct value, in order."""
    values = sorted({x for x, _ in rows})
    return values, [[sum(a == x and c == k for a, c in rows) for k in range(3)] for x in values]


def summed(counts):
    return [sum(column) for column in zip(*counts)]


def bits(counts):
    n = sum(counts)
    return -sum(m / n * math.log2(m / n) for m in counts if m) if n else 0.0


# ---------------------------------------------------------------- description length


def naive_mdl(counts):
    """Fayyad and Irani's recursion on lists; the places after which to cut."""
    best, place = -1.0, None
    whole, n = summed(counts), sum(summed(counts))
    for cut in range(len(counts) - 1):
        parts = summed(counts[: cut + 1]), summed(counts[cut + 1 :])
        gain = bits(whole) - sum(sum(part) / n * bits(part) for part in parts)
        if gain > best + 1e-12:
            best, place = gain, cut
    if place is None:
        return []
    left, right = counts[: place + 1], counts[place + 1 :]
    k, k1, k2 = (sum(m > 0 for m in summed(part)) for part in (counts, left, right))
    told = math.log2(3**k - 2) - (k * bits(whole) - k1 * bits(summed(left)) - k2 * bits(summed(right)))
    if best <= (math.log2(n - 1) + told) / n:
        return []
    return [*naive_mdl(left), place, *(place + 1 + cut for cut in naive_mdl(right))]


@given(ROWS)
def test_mdl_equals_the_naive_recursion(rows):
    values, counts = naive_counts(rows)
    expected = [(values[cut] + values[cut + 1]) / 2 for cut in naive_mdl(counts)]
    assert mdl(runs_from(rows)).tolist() == expected


def test_mdl_on_iris_is_what_is_published():
    cuts = [mdl(runs_of(column, SPECIES, None, 3)).round(3).tolist() for column in IRIS.T]
    assert cuts == [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def test_mdl_finds_nothing_in_noise_and_keeps_to_the_number_of_bins():
    random = np.random.default_rng(0)
    x = random.normal(size=500)
    assert not len(mdl(runs_of(x, random.integers(0, 2, 500), None, 2)))
    steps = runs_of(x, (np.floor(x * 2) % 2).astype(int), None, 2)
    every = mdl(steps)
    assert len(every) > 4
    for bins in (1, 2, 4):
        fewer = mdl(steps, bins)
        assert len(fewer) == bins - 1
        assert set(fewer) <= set(every)


# ---------------------------------------------------------------- merging


def exact_chi2(a, b):
    total = Fraction(0)
    n = sum(a) + sum(b)
    for row in (a, b):
        for k in range(len(a)):
            expected = Fraction(sum(row) * (a[k] + b[k]), n)
            total += (row[k] - expected) ** 2 / expected if expected else 0
    return total


def naive_chi_merge(counts, limit, bins):
    """Kerber's merging in fractions; the places after which a bin ends."""
    groups = [([k], row) for k, row in enumerate(counts)]
    while len(groups) > 1:
        apart = [exact_chi2(a, b) for (_, a), (_, b) in pairwise(groups)]
        least = min(apart)
        if least >= limit and (bins is None or len(groups) <= bins):
            break
        k = apart.index(least)
        groups[k : k + 2] = [(groups[k][0] + groups[k + 1][0], summed([groups[k][1], groups[k + 1][1]]))]
    return [places[-1] for places, _ in groups[:-1]]


@given(ROWS, st.sampled_from([0.01, 0.05, 0.1, 0.5, 0.9]), st.none() | st.integers(1, 5))
def test_chimerge_equals_the_naive_merging(rows, alpha, bins):
    values, counts = naive_counts(rows)
    places = naive_chi_merge(counts, stats.chi2.isf(alpha, 2), bins)
    expected = [(values[place] + values[place + 1]) / 2 for place in places]
    assert chi_merge(runs_from(rows), alpha, bins).tolist() == expected


def test_neighbours_of_chimerge_differ():
    runs = runs_of(IRIS[:, 2], SPECIES, None, 3)
    codes = np.searchsorted(chi_merge(runs, 0.05), runs.lows)
    bins = [runs.counts[codes == code].sum(0) for code in range(codes.max() + 1)]
    assert len(bins) == 4
    assert all(float(exact_chi2(a.astype(int), b.astype(int))) > stats.chi2.isf(0.05, 2) for a, b in pairwise(bins))


# ---------------------------------------------------------------- the best of all


def left_within(runs, edges):
    """Entropy in bits, or squared error, within the bins, per bin and summed."""
    codes = np.searchsorted(edges, runs.lows)
    parts = [runs.counts[codes == code].sum(0) for code in range(len(edges) + 1)]
    if runs.moments:
        return sum(square - total**2 / weight for weight, total, square in parts)
    return sum(part.sum() * bits(part) for part in parts)


@pytest.mark.parametrize("rows", [ROWS, NUMBERS], ids=["classes", "numbers"])
@given(data=st.data(), bins=st.integers(1, 4), min_weight=st.sampled_from([0.0, 3.0]))
def test_no_other_bins_leave_less(rows, data, bins, min_weight):
    random_pick = data.draw(rows)
    runs = runs_from(random_pick, 3 if rows is ROWS else None)
    assume(len(runs) > 1)
    found = optimal(runs, bins, min_weight)
    every = [
        runs.edges(np.array(after, int))
        for n in range(min(bins, len(runs)))
        for after in combinations(range(len(runs) - 1), n)
    ]
    allowed = [edges for edges in every if not len(edges) or lightest(runs, edges) >= min_weight]
    least = min(left_within(runs, edges) for edges in allowed)
    assert left_within(runs, found) == pytest.approx(least, abs=1e-7)
    assert not len(found) or lightest(runs, found) >= min_weight
    assert len(found) == min(len(edges) for edges in allowed if left_within(runs, edges) <= least + 1e-7)


def lightest(runs, edges):
    return np.bincount(np.searchsorted(edges, runs.lows), runs.weights).min()


def test_columns_of_many_values_are_put_together_first(monkeypatch):
    random = np.random.default_rng(0)
    x = random.normal(size=3000)
    y = np.searchsorted([-0.5, 0.7], x)
    noisy = np.where(random.random(3000) < 0.1, random.integers(0, 3, 3000), y)
    runs = runs_of(x, noisy, None, 3)
    near = pytest.approx([-0.5, 0.7], abs=0.05)
    assert optimal(runs, 3) == near
    assert chi_merge(runs, 1e-6, 3) == near
    monkeypatch.setattr(binning_methods, "MOST_RUNS", 50)
    assert optimal(runs, 3) == pytest.approx([-0.5, 0.7], abs=0.15)
    assert len(runs.at_most(50)) == 50
    assert runs.at_most(50).counts.sum(0).tolist() == runs.counts.sum(0).tolist()


# ---------------------------------------------------------------- even bins


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30), st.integers(1, 8))
def test_bins_of_even_weight(weights, bins):
    w = np.array(weights, float)
    cuts = quantile_cuts(w, bins)
    assert (np.diff(cuts) > 0).all()
    assert len(cuts) <= min(bins, len(w)) - 1
    if len(set(weights)) == 1 and len(w) % bins == 0:
        assert np.diff([-1, *cuts, len(w) - 1]).tolist() == [len(w) // bins] * bins
    starts = [0, *(cuts + 1)]
    left = w.sum()
    for n, (start, stop) in enumerate(zip(starts, [*(cuts + 1), len(w)])):
        held = w[start:stop]
        if n < len(cuts):
            assert held.sum() >= left / (bins - n) - 1e-9
            assert held[:-1].sum() < left / (bins - n) + 1e-9
        left -= held.sum()


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30, unique=True), st.integers(1, 9))
def test_bins_of_even_width(values, bins):
    column = np.sort(values)
    edges = equal_width(Runs(column, column, np.ones((len(column), 1))), bins)
    expected = np.linspace(column[0], column[-1], bins + 1)[1:-1]
    if len(edges) == bins - 1:
        np.testing.assert_allclose(edges, expected, atol=1e-9)


def test_widths_may_be_too_large_for_a_float():
    ends = np.array([-1.7e308, 1.7e308])
    assert equal_width(Runs(ends, ends, np.ones((2, 1))), 4) == pytest.approx([-0.85e308, 0.0, 0.85e308])
    whole = np.array([-3.0, 46.0])
    assert equal_width(Runs(whole, whole, np.ones((2, 1))), 49).tolist() == list(range(-2, 46))


@given(ROWS, st.integers(1, 6), st.sampled_from([2, 3]))
def test_weights_count_as_rows(rows, bins, factor):
    x, y = np.array(rows, float).T
    w = 1.0 + (np.arange(len(x)) % factor)
    again = np.repeat(np.arange(len(x)), w.astype(int))
    weighted = runs_of(x, y.astype(int), w, 3)
    repeated = runs_of(x[again], y[again].astype(int), None, 3)
    for method in (lambda r: mdl(r), lambda r: quantiles(r, bins), lambda r: optimal(r, bins)):
        assert method(weighted).tolist() == method(repeated).tolist()


@pytest.mark.parametrize("bins", [2**62, 10**400])
def test_more_bins_than_values_give_every_value_its_own(bins):
    assert quantile_cuts(np.array([1.0, 5, 1, 1]), bins).tolist() == [0, 1, 2]
    X = {"a": np.arange(40)}
    assert tw.CHAIDClassifier(bins=bins).fit(X, np.arange(40) // 20).tree_.root.split.edges.tolist() == [19.5]
