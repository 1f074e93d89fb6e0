"""``treewright rank``: the columns by every measure."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.input_tables import choose, is_numbers, parts_of, remarks
from treewright.cli.messages import cli_message
from treewright.cli.output import result, result_json

EXAMPLES = """
\b
  treewright rank iris.csv
  treewright rank loans.csv -t paid --by gain_ratio
  treewright rank rent.csv -t rent --json
"""


@with_options(choosing=Choosing, reading=Reading, talk=Talk)
def rank(
    data: Annotated[
        str, typer.Argument(help="A file, a pattern in quotes, a database's URL, or - for standard input.")
    ],
    by: Annotated[
        str | None, typer.Option(help="The measure to cut and sort by, such as gini. [default: information gain]")
    ] = None,
    *,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Rank the columns of a table by what each alone says about the target, by every measure there is.

    Each is measured as the first test of a tree: a branch for every level, numbers cut in two where it is best. Columns
    that name the rows are listed last, unless --kinds says what they are.
    """
    from treewright.model.column_reports.ranking import rank_attributes

    chosen = choose(data, reading, choosing, talk)
    X, y, kinds = parts_of(chosen, talk)
    what = "numbers" if is_numbers(y) else "classes"
    with remarks(talk):
        found = rank_attributes(X, y, by, sample_weight=chosen.weights, kinds=kinds, target=what)
    if talk.json:
        result_json({"by": found.by, "rows": found.n_rows, "attributes": list(found.attributes)})
        return
    result(cli_message(str(found)))
