"""Costs and priors in words."""

from __future__ import annotations

from treewright.data.schema import Target
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import format_number

_MOST = 6  # that are named


def cost_facts(target: Target) -> tuple[str, ...]:
    """What the first printed line says of them: errors that cost something else than 1, truth first, and priors.

    >>> cost_facts(Target("state", ("well", "ill"), costs=((0, 1), (10, 0)), priors=(0.9, 0.1)))
    ('costs ill→well 10', 'priors well 0.9 / ill 0.1')
    """
    facts, classes = [], target.classes or ()
    if target.costs is not None:
        pairs = [
            f"{level_text(truth)}→{level_text(other)} {format_number(cost, 4)}"
            for truth, row in zip(classes, target.costs)
            for other, cost in zip(classes, row)
            if truth != other and cost != 1
        ]
        facts.append(f"costs {_shortened(pairs)}" if pairs else "all errors cost 1")
    if target.priors is not None:
        shares = [f"{level_text(label)} {format_number(p, 4)}" for label, p in zip(classes, target.priors)]
        facts.append(f"priors {_shortened(shares)}")
    return tuple(facts)


def _shortened(words: list[str]) -> str:
    more = f" +{len(words) - _MOST:,}" if len(words) > _MOST else ""
    return " / ".join(words[:_MOST]) + more
