"""``treewright rules``: a saved tree as rules."""

from __future__ import annotations

from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, load, rules_in, rules_record
from treewright.cli.shared_options import Talk, with_options

EXAMPLES = """
\b
  treewright rules loans.json
  treewright rules loans.json --json
"""


@with_options(talk=Talk)
def rules(model: ModelPath, *, talk: Talk) -> None:
    """Print a rule for every leaf.

    Each with the rows it was learned from and how many of them it gets right. Of a model that is rules already, the
    first that a row meets decides.
    """
    fitted = load(model)
    given = rules_in(fitted)
    if given is not None:
        result_json(rules_record(given)) if talk.json else result(given.to_text(max_rules=None))
        return
    found = fitted.rules()
    result_json(found) if talk.json else result("\n".join(map(str, found)))
