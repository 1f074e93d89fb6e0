"""A table as C5.0 learns it, and what is kept of a run of the program."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treewright.c50.case_table import ColumnCoding, unknown_bits
from treewright.c50.case_weights import used_costs
from treewright.c50.finished_rules import as_rule_set
from treewright.c50.finished_tree import as_tree
from treewright.c50.program import C50Run
from treewright.c50.sampling import SEEDS, sampled
from treewright.data.frame import listing
from treewright.data.schema import Kind, Schema, Target
from treewright.errors import DataError, OptionError, shown
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import Tree
from treewright.typing import Floats, Mask


def beside_of(given: Mapping[Any, Any] | None, schema: Schema) -> dict[str, float]:
    """Numbers that mean "not applicable", by column."""
    numeric = [column.name for column in schema.columns if column.kind is Kind.NUMERIC]
    for name in given or {}:
        if name not in numeric:
            raise OptionError(
                f"not_applicable names {shown(name)}, which is no column of numbers",
                f"there are {listing(numeric)}" if numeric else "the table has none: call the level N/A instead",
            )
    return {str(name): float(number) for name, number in (given or {}).items()}


def sampled_rows(n_cases: int, share: float, random_state: Any) -> Mask:
    """Which cases are learned from when there is a share of them to learn from."""
    taken = sampled(n_cases, share, _seed(random_state))
    if not taken.any():
        raise DataError(f"sample={share!r} leaves no row to learn from", "take a larger share")
    return taken


def part_of(table: CaseTable, weights: Floats | None, taken: Mask) -> tuple[CaseTable, Floats | None]:
    """These cases. What is known of the columns stays that of all."""
    values = np.ascontiguousarray(table.values[:, taken])
    part = table._replace(values=values, is_unknown=unknown_bits(values), labels=table.labels[taken])
    return part, None if weights is None else weights[taken]


def _seed(random_state: Any) -> int:
    """As R passes it on: modulo 4096."""
    if isinstance(random_state, Integral):
        return int(random_state) % SEEDS
    return int(check_random_state(random_state).randint(SEEDS))


def models_of(made: C50Run, schema: Schema, coded: list[ColumnCoding]) -> dict[str, Tree | RuleSet | tuple[Any, ...]]:
    """What the trials are as trees, or as rule sets, by the names of a model's attributes."""
    if not made.settings.rules:
        trees = tuple(as_tree(trial.root, schema, coded, made.table.has_beside) for trial in made.trials)
        return {"tree_": trees[0]} if len(trees) == 1 else {"trees_": trees}
    weights = made.start.weights / made.start.factors[made.table.labels]
    stats = np.asarray(np.bincount(made.table.labels, weights, minlength=made.table.n_classes), np.float64)
    sets = tuple(as_rule_set(trial.rules, stats, made, schema, coded) for trial in made.trials if trial.rules)
    return {"rule_set_": sets[0]} if len(sets) == 1 else {"rule_sets_": sets}


def costs_in_use(target: Target) -> tuple[tuple[float, ...], ...] | None:
    """What errors cost, truth first: costs up to 1 count as 1, and if there is no other all errors cost the same."""
    if target.costs is None:
        return None
    used = used_costs(np.array(target.costs, np.float64))
    return None if used is None else tuple(tuple(row) for row in used.tolist())


def importances(made: C50Run, schema: Schema) -> dict[str, float]:
    """Of winnowing: what errors on the other half would rise by without each column, as a share."""
    if made.winnowed is None:
        return {}
    return {schema.names[column]: rise for column, rise in made.winnowed.importance.items()}
