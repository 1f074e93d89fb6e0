"""Pictures are made without a window, and let go of after every test."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed_pictures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
