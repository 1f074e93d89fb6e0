"""Rules of Cubist in words."""

from __future__ import annotations

from treewright.cubist.cubist_model import CubistModel
from treewright.explain.condition_text import one_line
from treewright.explain.number_text import format_number, plural
from treewright.rules.rule_text import sentence

_USED = 0.005  # shares below half a per cent are not shown


def cubist_listing(model: CubistModel, title: str, max_rules: int | None = None) -> str:
    """A line per rule with the rows it covers, member by member, and how much columns are used."""
    n_rules, many = sum(map(len, model.members)), len(model.members) > 1
    size = plural(n_rules, "rule") + (f" of {plural(len(model.members), 'member')}" if many else "")
    near = "" if model.cases is None else ", corrected by neighbours"
    lines = [f"{title}: {one_line(model.schema.target.name)} — {size}, the mean of all that are met counts{near}"]
    decimals, left = model.target.decimals + 1, n_rules if max_rules is None else max_rules
    for number, (rules, words) in enumerate(zip(model.members, model.rule_sets()), start=1):
        lines += [f"member {number}"] if many and left > 0 else []
        for rule, told in list(zip(rules, words))[: max(left, 0)]:
            facts = (
                f"{plural(rule.cover, 'row')}, mean {rule.mean:.{decimals}f}, "
                f"range {format_number(float(rule.low))} to {format_number(float(rule.high))}, "
                f"estimated error {rule.error:.{decimals}f}"
            )
            lines.append(f"[{told.number}] {sentence(told, model.schema)}   ({facts})")
        left -= len(rules)
    more = [f"… {plural(-left, 'more rule')}"] if left < 0 else []
    return "\n".join([*lines, *more, *_usage(model)])


def _usage(model: CubistModel) -> list[str]:
    rules = [rule for member in model.members for rule in member]
    total, names = sum(rule.cover for rule in rules), model.schema.names
    asked = [
        sum(r.cover for r in rules if any(c.attribute == j for c in r.conditions)) / total for j in range(len(names))
    ]
    added = [sum(r.cover for r in rules if j in r.attributes) / total for j in range(len(names))]
    order = sorted(range(len(names)), key=lambda j: (-asked[j], -added[j]))
    shown = [j for j in order if max(asked[j], added[j]) >= _USED]
    parts = [f"{one_line(names[j])} {100 * asked[j]:.0f} % / {100 * added[j]:.0f} %" for j in shown]
    return [f"columns in conditions / in models: {', '.join(parts)}"] if parts else []
