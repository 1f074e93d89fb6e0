"""Ctrl-C where code of others swallows it."""

import sys
from types import SimpleNamespace

from treewright.cli.startup import repeat_interrupts


def test_of_a_swallowed_interrupt_nothing_is_printed_of_other_errors_all(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    swallowed, other = SimpleNamespace(exc_type=KeyboardInterrupt), SimpleNamespace(exc_type=ValueError)
    with repeat_interrupts():
        sys.unraisablehook(swallowed)
        sys.unraisablehook(other)
    assert told == [other]
    sys.unraisablehook(swallowed)
    assert told == [other, swallowed]
