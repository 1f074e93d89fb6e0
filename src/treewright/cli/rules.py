"""``treewright rules``: a saved tree as rules."""

from __future__ import annotations

from treewright.cli.models import ModelPath, load
from treewright.cli.options import Talk, with_options
from treewright.cli.output import result, result_json

EXAMPLES = """
\b
  treewright rules loans.json
  treewright rules loans.json --json
"""


@with_options(talk=Talk)
def rules(model: ModelPath, *, talk: Talk) -> None:
    """Print a rule for every leaf, with the rows it was learned from and how many of them it gets right."""
    found = load(model).rules()
    if talk.json:
        result_json(found)
        return
    result("\n".join(map(str, found)))
