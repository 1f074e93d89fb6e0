"""Rows and columns are drawn as they should be: by their distribution over many draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare, poisson

import treewright as tw
from treewright.ensemble.row_draw import (
    BALANCED,
    STRATIFIED,
    RowDraw,
    column_number,
    column_sample,
    member_generator,
    seed_of,
    weighted_counts,
)

ONE_CLASS = np.zeros(200, np.uint8)
LEAST_P = 1e-4


def counts_of(draw, y=ONE_CLASS, n_classes=1, members=300):
    return np.stack([draw.counts(member_generator(7, k), y, n_classes) for k in range(members)])


def test_every_row_is_drawn_as_often_as_any_other():
    counts = counts_of(RowDraw())
    assert (counts.sum(1) == 200).all()
    assert chisquare(counts.sum(0)).pvalue > LEAST_P


def test_how_often_a_row_is_drawn_is_poisson():
    times = np.bincount(counts_of(RowDraw()).ravel(), minlength=6)
    often = np.append(times[:5], times[5:].sum())
    chances = np.append(poisson.pmf(range(5), 1), poisson.sf(4, 1))
    assert chisquare(often, chances * often.sum() / chances.sum()).pvalue > LEAST_P


def test_a_share_without_replacement():
    counts = counts_of(RowDraw(replace=False, share=0.3))
    assert set(np.unique(counts)) == {0, 1}
    assert (counts.sum(1) == 60).all()
    assert chisquare(counts.sum(0)).pvalue > LEAST_P


def test_members_draw_independently_of_each_other():
    """Pairs of rows are drawn together as often as chance has it, over members and over neighbours."""
    drawn = counts_of(RowDraw(), members=2000) > 0
    share = 1 - (1 - 1 / 200) ** 200
    both = (drawn[:-1] & drawn[1:]).mean()
    assert both == pytest.approx(share**2, abs=0.004)


@pytest.mark.parametrize("replace", [True, False])
def test_stratified_draws_have_the_share_of_every_class(replace):
    y = np.repeat([0, 1, 2], [100, 60, 40]).astype(np.uint8)
    counts = counts_of(RowDraw(replace, 0.5, STRATIFIED), y, 3, members=50)
    assert [counts[:, y == k].sum(1).tolist() for k in range(3)] == [[50] * 50, [30] * 50, [20] * 50]


def test_balanced_draws_have_as_many_rows_of_every_class_as_the_rarest():
    y = np.repeat([0, 1], [190, 10]).astype(np.uint8)
    counts = counts_of(RowDraw(by=BALANCED), y, 2, members=400)
    assert (counts[:, y == 0].sum(1) == 10).all()
    assert (counts[:, y == 1].sum(1) == 10).all()
    assert chisquare(counts[:, y == 0].sum(0)).pvalue > LEAST_P


def test_draws_by_weight():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    counts = sum(weighted_counts(member_generator(1, k), weights) for k in range(5000))
    assert chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > LEAST_P


def test_columns_of_members_are_drawn_evenly():
    counts = np.bincount(
        np.concatenate([column_sample(member_generator(3, k), 8, 0.4) for k in range(4000)]), minlength=8
    )
    assert counts.sum() == 3 * 4000
    assert chisquare(counts).pvalue > LEAST_P


def test_draws_are_the_same_on_every_platform():
    """Philox is defined by its key; if this changes, saved seeds mean other forests."""
    assert RowDraw().counts(member_generator(42, 3), ONE_CLASS[:12], 1).tolist() == DRAWN
    assert seed_of(None) == 0
    assert seed_of(5) == seed_of(5) != seed_of(6)


DRAWN = [2, 1, 3, 2, 1, 0, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("wanted", "n_columns", "number"),
    [("sqrt", 20, 4), ("third", 4, 2), ("log2", 20, 4), (0.01, 20, 1), (1.0, 20, 20), (1, 20, 1), (None, 20, 20)],
)
def test_numbers_of_columns(wanted, n_columns, number):
    assert column_number(wanted, n_columns) == number


def test_more_columns_than_there_are():
    with pytest.raises(tw.OptionError, match="max_columns=5 is more than the 2 columns"):
        tw.RandomForestClassifier(max_columns=5).fit({"a": [1, 2], "b": [3, 4]}, [0, 1])
