"""What the page shows of models that are several trees or sets of rules: boosted C5.0, the committees of Cubist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.explain.number_text import format_number, plural
from treewright.page.members_view import ShownMember, Together, members_view
from treewright.page.tree_view import tree_view
from treewright.rules.rule_set import RuleSet
from treewright.rules.rule_view import rule_view
from treewright.tree.tree import Tree
from treewright.typing import Floats


def member_of(
    made: Tree | RuleSet, schema: Schema, *, weight: float = 1.0, single: bool = False, more: str = ""
) -> ShownMember:
    """A tree or a set of rules as a member of many."""
    if isinstance(made, Tree):
        said = [plural(made.n_leaves, "leaf", "leaves"), f"depth {made.depth}"]
        view, size = tree_view(made, schema), made.n_nodes
    else:
        said, view, size = [plural(len(made), "rule")], rule_view(made, single=single), len(made)
    return ShownMember(view, ", ".join([*said, *([more] if more else [])]), weight, size)


def shares_by_name(names: Iterable[str], shares: Floats) -> list[tuple[str, float]]:
    """Columns of any share, the greatest first."""
    pairs = [(name, float(share)) for name, share in zip(names, shares) if share > 0]
    return sorted(pairs, key=lambda pair: -pair[1])


def shown_trials(model: Any, rows: Floats | None) -> dict[str, Any]:
    """The trials of a boosted C5.0."""
    trials, errors = model._trials, model.evaluation_.all_errors
    of_trees = isinstance(trials[0], Tree)
    together = Together(
        len(trials), "trial", {"by": "c5.0", "otherwise": model._default},
        "every trial votes for its class by how sure it is of it", model.training_stats.tolist(),
    )  # fmt: skip
    facts = [f"{len(trials)} trials", "boosted trees" if of_trees else "boosted sets of rules", *_errors(errors)]
    members = (member_of(trial, model.schema_) for trial in trials)
    return members_view(members, model.schema_, together, title=type(model).__name__, facts=facts, rows=rows)


def _errors(errors: Any) -> list[str]:
    return [] if errors is None else [f"{plural(int(errors), 'training row')} wrong"]


def shown_committee(model: Any, rows: Floats | None) -> dict[str, Any]:
    """The rules of Cubist: one set by itself, or the members of a committee."""
    sets, n_neighbours = model.rule_sets(), model.neighbors if model.cubist_.cases is not None else 0
    title = type(model).__name__
    if len(sets) == 1 and not n_neighbours:
        return rule_view(sets[0], title=title, rows=rows, single=True)
    how = "the mean of all members" if len(sets) > 1 else "the mean of all rules that are met"
    if n_neighbours:
        how += f", before {plural(n_neighbours, 'near training row')} correct it: no training row is in this page"
    conditions, models = model.usage()
    together = Together(
        len(sets), "member", {"by": "committee", "sum": float(len(sets)), "before": bool(n_neighbours)}, how,
        importance=shares_by_name(model.schema_.names, np.asarray(conditions + models) / 2),
        importance_name="Use of the columns, in conditions and models",
    )  # fmt: skip
    weight, total, squares = model.cubist_.stats
    spread = max(squares / weight - (total / weight) ** 2, 0.0) ** 0.5
    facts = [
        f"{format_number(weight)} rows", plural(len(sets), "member"), plural(len(model.cubist_), "rule"),
        f"target {format_number(total / weight, 4)} ± {format_number(spread, 3)}",
    ]  # fmt: skip
    members = (member_of(rules, model.schema_, single=True) for rules in sets)
    return members_view(members, model.schema_, together, title=title, facts=facts, rows=rows)
