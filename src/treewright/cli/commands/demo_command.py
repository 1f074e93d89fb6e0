"""``treewright demo``: a first tree, in a minute."""

from __future__ import annotations

from treewright.cli.arguments.shared_options import Talk, with_options
from treewright.cli.output import result, result_json, say

EXAMPLES = """
\b
  treewright demo
"""
_TABLE, _DROPPED, _ASKED = "play_tennis", "day", 0


@with_options(talk=Talk)
def demo(*, talk: Talk) -> None:
    """Learn when tennis is played from 14 days, and show the tree, its rules and why one day is as it is."""
    from treewright import datasets
    from treewright.model.table_fit import fit

    table = datasets.load(_TABLE)
    days = {name: cells for name, cells in table.columns.items() if name != _DROPPED}
    model = fit(days, target=table.target, method="id3")
    first = {name: cells[_ASKED] for name, cells in days.items() if name != table.target}
    found = model.explain(first)
    if talk.json:
        result_json({"tree": str(model), "rules": model.rules(), "explanation": found})
        return
    rules = "\n".join(map(str, model.rules()))
    result(f"{model}\n\nAs rules:\n{rules}\n\nWhy the first day is what it is:\n{found}")
    say(talk, "\nThe same from a file:")
    say(talk, "  treewright datasets play_tennis -o tennis.csv")
    say(talk, "  treewright fit tennis.csv --target play --drop day --method id3 -o tennis.json")
    say(talk, "  treewright explain tennis.json --row 'outlook=Sunny, humidity=High'")
