"""``treewright rules``: a saved tree as rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, load, rules_in, rules_record
from treewright.errors import ModelFileError, OptionError

EXAMPLES = """
\b
  treewright rules loans.json
  treewright rules loans.json --json
  treewright rules forest.json loans.csv --top 5
"""


@with_options(reading=Reading, talk=Talk)
def rules(
    model: ModelPath,
    data: Annotated[str | None, typer.Argument(help="Of many trees: the table they were learned from.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Of many trees: at most so many rules.")] = 10,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Print a rule for every leaf.

    Each with the rows it was learned from and how many of them it gets right. Of a model that is rules already, the
    first that a row meets decides. Of many trees, the few rules that carry most of their votes.
    """
    fitted = load(model)
    if hasattr(fitted, "members_"):
        _few(fitted, data, top, reading, talk)
        return
    if data is not None:
        raise OptionError("the rules of a tree are in its model, and a table is given", "leave it out")
    given = rules_in(fitted)
    if given is not None:
        result_json(rules_record(given)) if talk.json else result(given.to_text(max_rules=None))
        return
    if not hasattr(fitted, "rules"):
        hint = "name the model of a tree or of rules"
        raise ModelFileError(f"{model!r} holds {fitted.holds}, which have no rules", hint)
    found = fitted.rules()
    result_json(found) if talk.json else result("\n".join(map(str, found)))


def _few(fitted: Any, data: str | None, top: int, reading: Reading, talk: Talk) -> None:
    if data is None:
        raise OptionError("the rules of many trees are chosen by their rows, and none are given", "name the table")
    with remarks(talk):
        rows = rows_for(fitted, data, reading, None)
    found = fitted.rules(top, rows.frame, rows.target, rows.weights)
    result_json({"fidelity": found.fidelity, "rules": list(found)}) if talk.json else result(str(found))
