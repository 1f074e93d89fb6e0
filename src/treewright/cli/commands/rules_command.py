"""``treewright rules``: a saved tree as rules."""

from __future__ import annotations

from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, is_neighbours, load, rules_in
from treewright.cli.shared_options import Talk, with_options
from treewright.errors import ModelFileError

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
    from treewright.rules.rule_json import rules_to_json

    fitted = load(model)
    if is_neighbours(fitted):
        raise ModelFileError(f"{model!r} holds neighbours, which have no rules", "name the model of a tree or of rules")
    given = rules_in(fitted)
    if given is not None:
        result_json(rules_to_json(given)) if talk.json else result(given.to_text(max_rules=None))
        return
    found = fitted.rules()
    result_json(found) if talk.json else result("\n".join(map(str, found)))
