"""Cubist's cuts: bounds that save time never lose the best one."""

import numpy as np
import pytest

from treewright.kernels.cubist_kernels.cubist_cuts import best_cut, cut_scratch
from treewright.kernels.cubist_kernels.cubist_growth import partition
from treewright.kernels.cubist_kernels.cubist_spreads import least_correlations


def spread_beside_line(x, r, w, least, overall):
    """The formula, written once more: the standard deviation of r beside its line in x."""
    n = w.sum()
    if n < 2:
        return overall
    var_x, var_r = (w * x * x).sum() / n - ((w * x).sum() / n) ** 2, (w * r * r).sum() / n - ((w * r).sum() / n) ** 2
    correlation = ((w * x * r).sum() - (w * x).sum() * (w * r).sum() / n) / (n * np.sqrt(var_x * var_r + 1e-10))
    beside = 1 - correlation**2 if abs(correlation) >= least else 1.0
    return np.sqrt((beside * n * var_r + 0.001) / (n - 1))


def best_by_formula(x, r, w, least, spread, overall, correlation):
    best, place, n = 0.0, -1, len(x)
    for i in range(least - 1, n - least):
        if x[i] < x[i + 1]:
            low, high = slice(0, i + 1), slice(i + 1, n)
            below = spread_beside_line(x[low], r[low], w[low], correlation[i + 1], overall)
            above = spread_beside_line(x[high], r[high], w[high], correlation[n - i - 1], overall)
            score = spread - (w[low].sum() * below + w[high].sum() * above) / w.sum()
            if score > best + 1e-9:
                best, place = score, i
    return best, place


def table(kind: str, n: int, seed: int):
    rng = np.random.default_rng(seed)
    x = {"smooth": rng.normal(size=n), "few values": rng.integers(0, 4, n), "far": 1e6 + rng.normal(size=n),
         "outliers": np.where(rng.random(n) < 0.03, 1e6, rng.normal(size=n))}[kind]  # fmt: skip
    x = np.sort(x.astype(np.float32))
    residual = (np.where(x > np.median(x), 2.0, -1.0) + rng.normal(size=n)).astype(np.float32)
    order = rng.permutation(n).astype(np.int32)
    x_by_case, residual_by_case = np.empty_like(x), np.empty_like(residual)
    x_by_case[order], residual_by_case[order] = x, residual
    return x, residual, x_by_case, residual_by_case, order


@pytest.mark.parametrize("kind", ["smooth", "few values", "outliers"])
@pytest.mark.parametrize("n", [6, 23, 24, 25, 120, 600])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_cut_is_that_of_the_formula(kind, n, weighted):
    x, r, x_by_case, r_by_case, order = table(kind, n, n)
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.0], n) if weighted else np.ones(n)
    w_by_case = np.empty(n)
    w_by_case[order] = w
    limits, spread = least_correlations(n), float(r.std())
    found = best_cut(
        x_by_case, r_by_case, w_by_case if weighted else np.empty(0), order, 3, spread, spread, limits, cut_scratch(n)
    )
    wide = x.astype(float), r.astype(float), w
    score, place = best_by_formula(*wide, 3, spread, spread, limits)
    assert found[0] == pytest.approx(score, abs=1e-7)
    assert found[1] == place


@pytest.mark.parametrize("kind", ["smooth", "few values", "far", "outliers"])
@pytest.mark.parametrize("n", [25, 300, 1000])
def test_bounds_change_nothing(kind, n):
    """The search with bounds and its twin, which computes every score, find the same to the last bit."""
    _, _, x, r, order = table(kind, n, 7)
    limits, spread = least_correlations(n), float(r.std())
    arguments = x, r, np.empty(0), order, 5, spread, spread, limits, cut_scratch(n)
    with np.errstate(divide="ignore"):  # below a side of one case, which no bound is computed of
        assert best_cut.function(*arguments) == best_cut.twin(*arguments)


def test_no_cut_between_equal_values():
    x = np.zeros(30, np.float32)
    found = best_cut(x, np.arange(30, dtype=np.float32), np.empty(0), np.arange(30, dtype=np.int32), 3, 9.0, 9.0,
                     least_correlations(30), cut_scratch(30))  # fmt: skip
    assert found[1] == -1


def test_partition_keeps_the_order():
    rows, goes_right = np.array([4, 0, 3, 1, 2], np.int32), np.array([False, True, False, True, False])
    assert partition(rows, goes_right, np.empty(5, np.int32)) == 3
    assert rows.tolist() == [4, 0, 2, 3, 1]
