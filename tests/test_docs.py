"""What the pages of the documentation show is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", ["growing.md"])
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_examples_of_a_page(page):
    failed, tried = doctest.testfile(str(PAGES / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert failed == 0
