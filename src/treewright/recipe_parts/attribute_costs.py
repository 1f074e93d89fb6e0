"""What tests cost, and how that changes which one is taken."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.costs import idx, nunez, tan_schlimmer
from treewright.errors import OptionError, shown
from treewright.tree.edit import levels
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints, Mask

RULES = ("tan-schlimmer", "nunez", "idx")
_BIT = math.log(2)
_LARGEST = sys.float_info.max


@dataclass(frozen=True, eq=False)
class AttributeCosts:
    """The cost of every column's test, and of the samples that tests of a group share.

    A test is paid once on a path, and so is the sample of its group. A test that is paid already costs nothing more; in
    the formulas it counts as the cheapest test there is, so that they stay finite and equal costs choose as no costs.
    """

    own: Floats  # (n_columns,)
    group: Ints  # (n_columns,) -1: none
    sample: Floats  # (n_groups,)
    rule: str = RULES[0]
    weight: float = 1.0  # Núñez's w

    def due(self, tested: Mask) -> Floats:
        """What each column would still cost at nodes on whose way some have been tested (nodes × columns).

        >>> costs_of_tests = AttributeCosts(np.array([1.0, 5.0, 7.0]), np.array([-1, 0, 0]), np.array([20.0]))
        >>> costs_of_tests.due(np.array([[False, False, False], [True, False, True]])).tolist()
        [[1.0, 25.0, 27.0], [0.0, 5.0, 0.0]]
        """
        unpaid = np.where(tested @ self._members > 0, 0.0, self.sample)
        shared = np.column_stack([unpaid, np.zeros(len(tested))])[:, self.group]  # the last is for no group
        return np.where(tested, 0.0, self.own + shared)

    @cached_property
    def _members(self) -> Ints:
        """Columns × groups."""
        return np.asarray(self.group[:, None] == np.arange(len(self.sample)), np.int64)

    @cached_property
    def cheapest(self) -> float:
        return float(self.own.min())

    def score(self, gain: Floats, due: Floats) -> Floats:
        """The formula of the rule."""
        cost = np.maximum(due, self.cheapest)
        if self.rule == "nunez":
            return nunez(gain, cost, self.weight)
        return tan_schlimmer(gain, cost) if self.rule == "tan-schlimmer" else idx(gain, cost)

    def factor(self, due: Floats) -> Floats:
        """By what a score falls short of the same gain at the cost of the cheapest test."""
        cost = np.maximum(due, self.cheapest)
        if self.rule == "nunez":
            return np.asarray(((self.cheapest + 1) / (cost + 1)) ** self.weight)
        return np.asarray(self.cheapest / cost)

    def gain_by_cost(self, gain: Floats, due: Floats) -> Floats:
        """The gain at which the cheapest test would score the same: it orders tests as the score does.

        >>> costs_of_tests = AttributeCosts(np.array([1.0, 4.0]), np.array([-1, -1]), np.empty(0))
        >>> costs_of_tests.gain_by_cost(np.array([0.5, 0.8]), np.array([1.0, 4.0])).tolist()
        [0.5, 0.4]
        """
        factor = self.factor(due)
        if self.rule == "nunez":
            return np.asarray(np.log1p(np.expm1(gain * _BIT) * factor) / _BIT)
        return np.asarray(gain * (np.sqrt(factor) if self.rule == "tan-schlimmer" else factor))


# ---------------------------------------------------------------- of a grown tree


def tested_above(tree: Tree, n_columns: int) -> Mask:
    """Nodes × columns: what has been tested on the way to each node."""
    tested = np.zeros((tree.n_nodes, n_columns), np.bool_)
    for level in levels(tree):
        if level.start:
            above = tree.parent[level]
            tested[level] = tested[above]
            tested[np.arange(level.start, level.stop), tree.column[above]] = True
    return tested


def path_costs(tree: Tree, costs_of_tests: AttributeCosts) -> Floats:
    """What the tests on the way to each node cost together."""
    step = _of_own_test(tree, costs_of_tests.due(tested_above(tree, len(costs_of_tests.own))))
    total = np.zeros(tree.n_nodes)
    for level in levels(tree):
        if level.start:
            above = tree.parent[level]
            total[level] = total[above] + step[above]
    return total


def split_scores(tree: Tree, costs_of_tests: AttributeCosts, bits: float = 1.0) -> Floats:
    """The score by which each node's test was chosen, 0 at leaves; ``bits`` is what a unit of gain is in bits."""
    due = _of_own_test(tree, costs_of_tests.due(tested_above(tree, len(costs_of_tests.own))))
    return np.where(tree.n_branches > 0, costs_of_tests.score(tree.gain * bits, due), 0.0)


def _of_own_test(tree: Tree, of_columns: Floats) -> Floats:
    picked = of_columns[np.arange(tree.n_nodes), tree.column]
    return np.where(tree.n_branches > 0, picked, 0.0)


# ---------------------------------------------------------------- as users write them


def read_attribute_costs(
    attribute_costs: Mapping[Any, Any] | None,
    test_groups: Mapping[Any, Any] | None,
    names: Sequence[str],
    rule: str = RULES[0],
    weight: float = 1.0,
) -> AttributeCosts | None:
    """Costs by the names of columns and groups; columns that are not named cost 1. None where none is given.

    >>> groups = {"blood": ["glucose", "insulin"]}
    >>> read_attribute_costs({"blood": 20, "age": 0.5}, groups, ("age", "glucose", "insulin")).own
    array([0.5, 1. , 1. ])
    """
    if attribute_costs is None and not test_groups:
        return None
    costs = dict(attribute_costs or {})
    groups = {group: _columns_of(group, columns) for group, columns in (test_groups or {}).items()}
    _check_groups(groups, costs, names)
    for name, cost in costs.items():
        if name not in names and name not in groups:
            raise _unknown_column("attribute_costs", name, [*names, *groups])
        is_number = isinstance(cost, numbers.Real) and not isinstance(cost, bool)
        if not (is_number and cost > 0 and cost <= _LARGEST):
            raise OptionError(
                f"the cost of {name!r} must be a number above 0, got {shown(cost)}", "columns not named cost 1"
            )
    member = {column: k for k, columns in enumerate(groups.values()) for column in columns}
    return AttributeCosts(
        np.array([float(costs.get(name, 1.0)) for name in names]),
        np.array([member.get(name, -1) for name in names], np.int64),
        np.array([float(costs[group]) for group in groups]),
        rule,
        float(weight),
    )


def _columns_of(group: Any, columns: Any) -> tuple[Any, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise OptionError(
            f"the group {group!r} must be a list of columns, got {shown(columns)}", '{"blood": ["glucose", "insulin"]}'
        )
    return tuple(columns)


def _check_groups(groups: Mapping[Any, tuple[Any, ...]], costs: Mapping[Any, Any], names: Sequence[str]) -> None:
    seen: dict[Any, Any] = {}
    for group, columns in groups.items():
        if group in names:
            raise OptionError(f"the group {group!r} is called as a column is", "give it a name of its own")
        if group not in costs:
            raise OptionError(
                f"the sample of group {group!r} has no cost", f"name it in attribute_costs: {{{group!r}: 20}}"
            )
        for column in columns:
            if column not in names:
                raise _unknown_column(f"the group {group!r}", column, names)
            if column in seen:
                raise OptionError(
                    f"column {column!r} is in two groups, {seen[column]!r} and {group!r}", "a test needs one sample"
                )
            seen[column] = group


def _unknown_column(who: str, name: Any, known: Sequence[Any]) -> OptionError:
    verb = "name" if who == "attribute_costs" else "names"
    items = ", ".join(map(str, known[:20]))
    return OptionError(f"{who} {verb} a column that does not exist: {name!r}", f"there are {items}")
