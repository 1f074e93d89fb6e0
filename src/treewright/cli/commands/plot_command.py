"""``treewright plot``: a picture of a table or of a model, into a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.fold_option import METAVAR, FoldNumber, fold_number
from treewright.cli.input_tables import remarks
from treewright.cli.output import columns as aligned
from treewright.cli.output import result, result_json, say
from treewright.cli.output_file import check_place
from treewright.cli.plot_arguments import PictureLook, axes_of, gallery_axes
from treewright.cli.shared_options import Choosing, Reading, Talk, with_options
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright plot
  treewright plot decision-regions loans.json loans.csv --columns income,size -o regions.png
  treewright plot confusion-matrix loans.json new.csv
  treewright plot pruning-errors loans.json new.csv --dark -o errors.svg
  treewright plot gain-by-threshold iris.csv --column petal_length
  treewright plot attribute-ranking loans.csv -t paid --by gain_ratio -o ranking.pdf
  treewright plot kd-search iris.csv --columns petal_length,petal_width --query 4.9,1.6 --leaf-size 10
  treewright plot --examples
  treewright plot --example seven-points
"""


@with_options(reading=Reading, talk=Talk)
def plot(
    name: Annotated[str | None, typer.Argument(help="Which plot; without it they are listed.")] = None,
    files: Annotated[
        list[str] | None, typer.Argument(help="What it is made of: models and tables, as the list of plots says.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A .png, .svg or .pdf file. [default: the plot's name, .png]")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict of a TABLE. [default: the last]")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column of a TABLE to leave out; may be repeated.")] = None,
    weights: Annotated[str | None, typer.Option(help="A column that says how much each row counts.")] = None,
    columns: Annotated[str | None, typer.Option(help="Two columns between a comma, for plots of a plane.")] = None,
    column: Annotated[str | None, typer.Option(help="The column, for plots of one.")] = None,
    at: Annotated[
        list[str] | None, typer.Option(help="COLUMN=VALUE at which a column is held that the plot does not show.")
    ] = None,
    node: Annotated[int | None, typer.Option(help="The number of a node, as the printed tree has it.")] = None,
    by: Annotated[str | None, typer.Option(help="A measure, such as gini.")] = None,
    base: Annotated[str | None, typer.Option(help="The base of logarithms: 2, e or another number.")] = None,
    positive: Annotated[str | None, typer.Option(help="The class to be found.")] = None,
    bins: Annotated[int | None, typer.Option(help="How many bins of probabilities.")] = None,
    cv: Annotated[
        FoldNumber | None, typer.Option(parser=fold_number, metavar=METAVAR, help="Cross-validate; loo: a row each.")
    ] = None,
    along: Annotated[str | None, typer.Option(help="The way a tree becomes smaller: pruning or growth.")] = None,
    risk: Annotated[str | None, typer.Option(help="Of cost-complexity: gini, entropy or misclassification.")] = None,
    rule: Annotated[str | None, typer.Option(help="How a tree is chosen: 1se or 0se.")] = None,
    leaf_size: Annotated[int | None, typer.Option(help="The most rows of a cell of a k-d tree.")] = None,
    split: Annotated[str | None, typer.Option(help="How a k-d tree chooses columns: rotate or variance.")] = None,
    query: Annotated[str | None, typer.Option(help="Two numbers between a comma: where to search.")] = None,
    k: Annotated[int | None, typer.Option(help="How many neighbours.")] = None,
    ks: Annotated[str | None, typer.Option(help="Numbers of neighbours between commas, such as 1,3,9.")] = None,
    max_k: Annotated[int | None, typer.Option(help="The largest number of neighbours.")] = None,
    metric: Annotated[str | None, typer.Option(help="The metric of neighbours, such as manhattan.")] = None,
    scale: Annotated[str | None, typer.Option(help="How numbers are scaled: standard, minmax or none.")] = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Shares instead of rows.")] = False,
    scaled: Annotated[bool, typer.Option("--scaled", help="Every measure divided by its largest value.")] = False,
    dark: Annotated[bool, typer.Option("--dark", help="On dark paper.")] = False,
    size: Annotated[str | None, typer.Option(help="Width x height in inches, such as 8x4.")] = None,
    dpi: Annotated[int, typer.Option(min=20, max=1200, help="Dots per inch of a .png.")] = 120,
    example: Annotated[str | None, typer.Option(help="Draw a picture of the gallery; --examples lists them.")] = None,
    examples: Annotated[bool, typer.Option("--examples", help="List the pictures of the gallery.")] = False,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Draw a plot of a table, a model or both into a file, and print the file's name.

    Without NAME the plots are listed, with the files each is made of. MODEL is what treewright fit saved. DATA,
    VALIDATION and TEST are tables with the model's columns and its target, TABLE is any table.
    """
    if examples or (name is None and example is None):
        _list(examples, talk)
        return
    given: dict[str, Any] = {
        "columns": columns, "column": column, "at": at, "node": node, "by": by, "base": base, "positive": positive,
        "bins": bins, "cv": cv, "along": along, "risk": risk, "rule": rule, "leaf_size": leaf_size, "split": split,
        "query": query, "k": k, "ks": ks, "max_k": max_k, "metric": metric, "scale": scale,
        "normalise": normalise or None, "scaled": scaled or None,
    }  # fmt: skip
    options = {key: value for key, value in given.items() if value is not None}
    choosing, paths = Choosing(target, drop, None, weights), files or []
    if example is not None:
        _refuse_with_example(name, {**options, "target": target, "drop": drop, "weights": weights})
    chosen = example or str(name)
    place = output or f"{chosen}.png"
    check_place(place, *paths)
    look = PictureLook(place, dark, size, dpi)
    with remarks(talk), look.drawing() as save:
        save(gallery_axes(chosen) if example is not None else axes_of(chosen, paths, options, choosing, reading, talk))
    if talk.json:
        result_json({"plot": chosen, "saved": place})
        return
    result(place)


def _refuse_with_example(name: str | None, given: dict[str, Any]) -> None:
    """A picture of the gallery is made of its own rows."""
    named = [f"--{option.replace('_', '-')}" for option, value in given.items() if value is not None]
    if name is not None or named:
        raise OptionError(
            f"--example draws a picture as it is, and {name or named[0]} was given too", "leave one of them out"
        )


def _list(examples: bool, talk: Talk) -> None:
    if examples:
        from treewright.plots.gallery import PICTURES

        shown = {name: (picture.plot.replace("_", "-"), picture.caption) for name, picture in PICTURES.items()}
        keys = ("example", "plot", "shows")
    else:
        from treewright.plots.catalogue import PLOTS

        shown = {name: (" ".join(entry.files), entry.summary) for name, entry in PLOTS.items()}
        keys = ("plot", "files", "shows")
    if talk.json:
        result_json([dict(zip(keys, (name, *about))) for name, about in shown.items()])
        return
    result(aligned([keys, *((name, *about) for name, about in shown.items())]))
    more = "--example NAME draws one" if examples else "--examples lists the pictures of the gallery"
    say(talk, f"\nOptions and examples: treewright plot --help; {more}.")
