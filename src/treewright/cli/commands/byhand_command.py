"""``treewright byhand``: a tree that is written in a file, with the rows of a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.input_tables import Chosen, choose, remarks
from treewright.cli.output import result, result_json, say
from treewright.cli.output_file import check_place
from treewright.cli.saved_models import load_tree, model_made_by, text_of
from treewright.cli.typed_command import typed_command
from treewright.errors import DataError

EXAMPLES = """
\b
  treewright byhand tree.txt loans.csv --target paid
  treewright byhand tree.txt loans.csv --target paid --against loans.json
  treewright byhand tennis.txt tennis.csv --target play --names day --rows -o tennis.json
"""
_LARGEST = 2**26  # bytes of a tree that somebody wrote


@with_options(choosing=Choosing, reading=Reading, talk=Talk)
def byhand(
    tree: Annotated[str, typer.Argument(help="A text file, a line per branch as show prints it, or nested JSON.")],
    data: Annotated[str, typer.Argument(help="The rows: a file, a pattern in quotes or a database's URL.")],
    rows: Annotated[bool, typer.Option("--rows", help="Send the rows down level by level; say who is where.")] = False,
    names: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that rows are called by.")] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Compare with other trees or models, by error and size.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Save the model here, as JSON.")] = None,
    *,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Make a model of a tree that is written in a file, and say which rows it gets wrong.

    A line per branch, what is below it indented: outlook = Sunny, then below it humidity > 75: No. What show prints
    is read too. JSON is nested objects: {"x <= 2.5": "no", "else": "yes"}.
    """
    check_place(output, tree, data, *(against or ()))
    chosen = choose(data, reading, choosing, talk)
    with remarks(talk):
        X, y, called = _rows_of(chosen, names)
        model = _by_hand(tree, X, y, chosen)
        sent = model.rows_by_level(X, y, names=called, sample_weight=chosen.weights)
        compared = _compared(tree, model, against or [], X, y, chosen)
    if output is not None:
        model_made_by(model, typed_command()).save(output)
    if talk.json:
        result_json({"tree": model.to_text(max_lines=None), "rows": sent, "compared": compared, "saved": output})
        return
    parts = [text_of(model, "treewright show"), str(sent) if rows else sent.summary(), compared]
    result("\n\n".join(str(part) for part in parts if part))
    say(talk, f"\nSaved as {output}." if output else "\nNot saved: give -o model.json to keep the tree.")


def _rows_of(chosen: Chosen, names: str | None) -> tuple[Any, Any, Any]:
    """Columns to test, the target, and what rows are called."""
    from treewright.model.fitting import prepare

    frame = chosen.frame
    if names is not None and names not in frame.names:
        raise DataError(f"there is no column {names!r} for --names", frame.hint_for(names))
    called = None if names is None else list(frame.raw[frame.names.index(names)])
    y = prepare(frame, chosen.target, "cart", {"kinds": chosen.kinds or None})[1]
    kept = [j for j, name in enumerate(frame.names) if name not in (chosen.target, names)]
    return frame.only(kept), y, called


def _by_hand(path: str, X: Any, y: Any, chosen: Chosen) -> Any:
    from treewright.model.tree_by_hand import tree_by_hand

    kinds = {name: kind for name, kind in chosen.kinds.items() if name in X.names}
    return tree_by_hand(_tree_in(path), X, y, kinds=kinds or None, sample_weight=chosen.weights)


def _tree_in(path: str) -> Any:
    try:
        if Path(path).stat().st_size > _LARGEST:
            raise DataError(f"{path!r} is larger than any tree by hand", "check the name")
        text = Path(path).read_text(encoding="utf-8-sig")
        return json.loads(text) if path.lower().endswith(".json") else text
    except UnicodeDecodeError as error:
        raise DataError(f"{path!r} is not text", "write the tree in UTF-8") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{path!r} is not JSON: {error}", 'write {"x <= 2.5": "no", "else": "yes"}') from error
    except RecursionError as error:
        raise DataError(f"{path!r} is nested too deep", "write the tree as indented text") from error
    except OSError as error:
        raise DataError(f"cannot read {path!r}: {(error.strerror or str(error)).lower()}", "check the name") from error


def _compared(path: str, model: Any, against: list[str], X: Any, y: Any, chosen: Chosen) -> Any:
    from treewright.model.evaluate import compare_trees

    if not against:
        return None
    others = {other: load_tree(other) if _is_model(other) else _by_hand(other, X, y, chosen) for other in against}
    return compare_trees({path: model, **others}, X, y, chosen.weights)


def _is_model(path: str) -> bool:
    found = _tree_in(path)
    return isinstance(found, dict) and "format" in found
