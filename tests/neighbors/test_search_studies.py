"""The studies: cases against the number of columns, and times, as tables and pictures."""

import matplotlib
import numpy as np
import pytest

import treewright as tw
from treewright.neighbors import case_study, time_study

matplotlib.use("Agg")


def test_case_4_becomes_the_rule_with_more_columns():
    study = case_study([1, 3, 6, 12], 1000, 100)
    assert (np.diff(study.case_shares[:, 3]) > 0).all()
    assert study.case_shares[0, 3] < 0.05
    assert study.case_shares[-1, 3] > 0.95
    assert (np.diff(study.kd_distances) > 0).all()
    np.testing.assert_allclose(study.case_shares.sum(1), 1.0)
    assert str(study).count("\n") == 4
    assert list(study.to_dict()) == [
        "columns", "case 1", "case 2", "case 3", "case 4", "kd distances", "ball distances",
    ]  # fmt: skip
    axes = study.plot()
    assert axes.get_xlabel() == "columns"


def test_times_are_measured_for_every_size():
    study = time_study([100, 200], [1, 3], 5, repeats=1)
    assert study.brute_seconds.shape == study.kd_seconds.shape == (2, 2)
    assert (study.brute_seconds > 0).all()
    assert str(study).count("\n") == 4
    assert study.plot().get_xscale() == "log"


@pytest.mark.parametrize(
    "options", [{"columns": [0]}, {"n_rows": 0}, {"k": 0}, {"random_state": -1}, {"n_queries": 1.5}]
)
def test_options_that_are_refused(options):
    with pytest.raises(tw.OptionError):
        case_study(**options)
