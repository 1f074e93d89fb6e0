"""``treewright plot``: a picture of a table or of a model, into a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.plot_arguments import axes_of, gallery_axes
from treewright.cli.arguments.plot_options import PictureLook, PlotDetails, TableColumns, given_in
from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks
from treewright.cli.output import columns as aligned
from treewright.cli.output import result, result_json, say
from treewright.cli.output_file import check_place
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


@with_options(look=PictureLook, table=TableColumns, details=PlotDetails, reading=Reading, talk=Talk)
def plot(
    name: Annotated[
        str | None, typer.Argument(autocompletion=completions.plots, help="Which plot; without it they are listed.")
    ] = None,
    files: Annotated[
        list[str] | None, typer.Argument(help="What it is made of: models and tables, as the list of plots says.")
    ] = None,
    example: Annotated[str | None, typer.Option(help="Draw a picture of the gallery; --examples lists them.")] = None,
    examples: Annotated[bool, typer.Option("--examples", help="List the pictures of the gallery.")] = False,
    *,
    look: PictureLook,
    table: TableColumns,
    details: PlotDetails,
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
    if example is not None:
        _refuse_with_example(name, {**given_in(details), **given_in(table)})
    chosen, paths = example or str(name), files or []
    place = look.output or f"{chosen}.png"
    check_place(place, *paths)
    with remarks(talk), look.drawing(place) as save:
        save(
            gallery_axes(chosen)
            if example is not None
            else axes_of(chosen, paths, given_in(details), table.choosing(), reading, talk)
        )
    if talk.json:
        result_json({"plot": chosen, "saved": place})
        return
    result(place)


def _refuse_with_example(name: str | None, given: dict[str, Any]) -> None:
    """A picture of the gallery is made of its own rows."""
    named = [f"--{option.replace('_', '-')}" for option in given]
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
