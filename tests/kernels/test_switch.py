"""When compiling pays."""

import pytest

from treewright.kernels import cache, switch
from treewright.kernels.cubist_kernels.cubist_growth_in_numpy import score_numbers
from treewright.kernels.sorting.radix_sort import sort_rows
from treewright.kernels.sorting.unstable_parts import sort_parts
from treewright.kernels.store_kernels.integer_sums import add_rows


@pytest.fixture
def fresh(monkeypatch):
    """A process in which nothing is compiled and nothing was done yet."""
    for name, value in {
        "is_on": False,
        "policy": "auto",
        "_plain_seconds": {},
        "LOADING": 1.0,
        "COMPILING": 10.0,
        "STARTING": 1.0,
        "hot": frozenset(),
    }.items():
        monkeypatch.setattr(switch, name, value)
    held = set()
    monkeypatch.setattr(cache, "holds", lambda kernels: held.issuperset(kernels) if kernels else bool(held))
    return held


def test_work_is_added_up_until_compiling_pays(fresh):
    assert [switch.should_compile(4.0) for _ in range(4)] == [False, False, True, True]
    assert switch.is_on
    assert switch.should_compile(0.0)


def test_work_that_lies_ahead_is_compiled_for_at_once_or_not_at_all(fresh):
    switch.expect(9.0)
    switch.expect(9.0)
    assert not switch.is_on  # what is expected is not added up
    assert not switch.should_compile(3.0)
    switch.expect(8.0)
    assert switch.is_on


def test_kernels_on_disk_are_worth_less(fresh):
    fresh.add(add_rows)
    assert not switch.should_compile(0.9)
    assert switch.should_compile(0.2)


def test_named_kernels_have_an_account_of_their_own(fresh, monkeypatch):
    monkeypatch.setattr(sort_rows, "seconds", 2.0)
    assert switch.should_compile(11.0)
    assert not switch.should_compile(1.0, sort_rows) or sort_rows.is_ready
    assert switch.should_compile(1.5, sort_rows)


def test_only_the_kernels_named_have_to_be_on_disk(fresh):
    fresh.add(add_rows)
    assert not switch.should_compile(5.0, sort_rows)
    assert switch.should_compile(5.0, add_rows)


def test_hot_loops_are_compiled_alone_once_they_pay(fresh):
    assert not switch.compile_hot(1.2, sort_parts)
    assert switch.compile_hot(0.5, sort_parts)
    assert switch.hot == {sort_parts}
    assert switch.compile_hot(0.7, score_numbers)  # the compiler has been made ready
    assert not switch.is_on
    assert not switch.should_compile(5.0)


def test_hot_loops_are_compiled_for_work_that_lies_ahead(fresh):
    assert not switch.expect_hot(1.2, sort_parts)
    assert not switch.expect_hot(1.2, sort_parts)  # what is expected is not added up
    assert switch.expect_hot(1.5, sort_parts)
    assert not switch.is_on


@pytest.mark.parametrize(("chosen", "answer"), [("always", True), ("never", False)])
def test_hot_loops_take_the_road_of_all_kernels(chosen, answer):
    with switch.compiling(chosen):
        assert switch.compile_hot(100.0, sort_parts) == (answer and switch.has_numba)
        assert switch.expect_hot(100.0, sort_parts) == (answer and switch.has_numba)
        assert not switch.hot


@pytest.mark.parametrize(("chosen", "answer"), [("always", True), ("never", False)])
def test_the_environment_decides(fresh, monkeypatch, chosen, answer):
    monkeypatch.setattr(switch, "policy", chosen)
    assert switch.should_compile(1e9) is answer
    assert switch.should_compile(0.0) is answer


@pytest.mark.parametrize(
    ("environment", "policy"),
    [
        ({}, "auto"),
        ({"TREEWRIGHT_COMPILE": "Never"}, "never"),
        ({"TREEWRIGHT_COMPILE": "always"}, "always"),
        ({"TREEWRIGHT_COMPILE": "always", "NUMBA_DISABLE_JIT": "1"}, "never"),
        ({"NUMBA_DISABLE_JIT": "0"}, "auto"),
        ({"TREEWRIGHT_COMPILE": "sometimes"}, "auto"),
    ],
)
def test_what_the_environment_says(monkeypatch, environment, policy):
    for name in ("TREEWRIGHT_COMPILE", "NUMBA_DISABLE_JIT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert switch._chosen() == policy


def test_a_road_for_a_while(fresh):
    with switch.compiling("always"):
        assert switch.is_on
    assert not switch.is_on
    assert switch.policy == "auto"
